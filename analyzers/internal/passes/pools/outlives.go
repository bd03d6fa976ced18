package pools

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// Outlives reports whether a function, an *ast.FuncDecl or *ast.FuncLit, runs as long as
// something else does: it has an endless loop, or waits for its context or for a server
// to end. What it made goes with it.
func Outlives(info *types.Info, node ast.Node) bool {
	_, body := syntax.FuncParts(node)
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			found = found || n.Cond == nil && !leavesLoop(n.Body) || n.Cond != nil && asksContext(info, n.Cond)
		case *ast.RangeStmt:
			if t := info.TypeOf(n.X); t != nil {
				_, isChan := t.Underlying().(*types.Chan)
				found = found || isChan
			}
		case *ast.ExprStmt:
			if recv, ok := n.X.(*ast.UnaryExpr); ok && recv.Op == token.ARROW {
				found = true
			}
		case *ast.CallExpr:
			if fn := typeset.Callee(info, n); fn != nil {
				found = found || strings.HasPrefix(fn.Name(), "ListenAndServe") || fn.Name() == "Serve"
			}
		}
		return !found
	})
	return found
}

// asksContext reports whether a condition asks a context whether it is done.
func asksContext(info *types.Info, cond ast.Expr) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && typeset.IsMethod(typeset.Callee(info, call), "context", "Context", "Err")
		return !found
	})
	return found
}

// leavesLoop reports whether the body of an endless loop has a way out other than by
// a select: it is a loop that tries until it succeeds.
func leavesLoop(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.SelectStmt:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || n.Tok == token.BREAK
		}
		return !found
	})
	return found
}
