package retrypolicy

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/passes/resend"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// checkGrowth reports a wait of a loop without an end that grows without a cap.
func (c *checker) checkGrowth(ev *resend.Event) {
	loop, ok := ev.Loop.(*ast.ForStmt)
	if !ok || !ev.Waited || !failed(ev) || c.counts(loop) {
		return
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 {
			return true
		}
		v := typeset.VarOf(c.info, assign.Lhs[0])
		if v != nil && !v.IsField() && typeset.IsNamed(v.Type(), "time", "Duration") && c.grows(assign, v) && !c.isCapped(v, loop, assign) {
			c.report("wait", assign, analysis.Diagnostic{}, "%s grows without a cap from attempt to attempt (after a long outage the next one is hours away)", v.Name())
		}
		return true
	})
}

// counts reports whether a loop compares numbers or times, besides durations, as one does
// that gives up.
func (c *checker) counts(loop ast.Node) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.EQL, token.LSS, token.LEQ, token.GTR, token.GEQ:
				v := typeset.VarOf(c.info, n.X)
				found = found || v != nil && types.Identical(v.Type(), types.Typ[types.Int]) && v.Name() != "StatusCode"
			}
		case *ast.CallExpr:
			found = found || typeset.IsFunc(typeset.Callee(c.info, n), "time", "Since", "Until") || typeset.IsMethod(typeset.Callee(c.info, n), "time", "Time", "After", "Before", "Sub")
		}
		return !found
	})
	return found
}

// grows reports whether an assignment makes v a multiple of what it was.
func (c *checker) grows(n *ast.AssignStmt, v *types.Var) bool {
	rhs := ast.Unparen(n.Rhs[0])
	switch n.Tok {
	case token.MUL_ASSIGN, token.SHL_ASSIGN:
		return c.info.Types[rhs].Value != nil
	case token.ADD_ASSIGN:
		return typeset.VarOf(c.info, rhs) == v
	case token.ASSIGN:
		b, ok := rhs.(*ast.BinaryExpr)
		return ok && (b.Op == token.MUL || b.Op == token.SHL) && (typeset.VarOf(c.info, b.X) == v && c.info.Types[b.Y].Value != nil || typeset.VarOf(c.info, b.Y) == v && c.info.Types[b.X].Value != nil)
	}
	return false
}

// isCapped reports whether the loop looks at v other than to wait for it and to make it
// grow, or sets it to what it does not know: so it may keep it below a cap.
func (c *checker) isCapped(v *types.Var, loop *ast.ForStmt, growth *ast.AssignStmt) bool {
	capped := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ:
				capped = capped || c.mentions(n, v)
			}
		case *ast.CallExpr:
			if name := name(n); name == "min" || name == "max" {
				capped = capped || c.mentions(n, v)
			}
		case *ast.UnaryExpr:
			capped = capped || n.Op == token.AND && typeset.VarOf(c.info, n.X) == v
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if n != growth && typeset.VarOf(c.info, lhs) == v {
					capped = capped || len(n.Lhs) != len(n.Rhs) || c.info.Types[n.Rhs[i]].Value == nil && typeset.VarOf(c.info, n.Rhs[i]) == nil
				}
			}
		}
		return !capped
	})
	return capped
}

// mentions reports whether n uses v.
func (c *checker) mentions(n ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && c.info.Uses[id] == v
		return !found
	})
	return found
}
