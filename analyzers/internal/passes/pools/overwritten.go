package pools

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// overwritten returns the Transport of a client that outlives the function, or
// http.DefaultTransport, where the pool of t takes the place of another with each
// call: the assignment is not one that runs once, and a request is sent through that
// client after it.
func (c *checker) overwritten(t *trace) *ast.SelectorExpr {
	var found *ast.SelectorExpr
	inspectBody(t.fn.body, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != len(assign.Rhs) {
			return true
		}
		for i, lhs := range assign.Lhs {
			sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr)
			if !ok || t.grip(assign.Rhs[i]) == 0 || !t.isTransportOfClient(sel) && !isDefault(c.variable(sel), "DefaultTransport") {
				continue
			}
			v := c.root(sel)
			if v == nil {
				continue
			}
			if o := c.originOf(t.fn, v); (o.outside || o.param >= 0) && !c.madeBefore(t.fn, v, sel) && !c.guarded(t, v, sel) && c.sentAfter(t, sel) {
				found = sel
			}
		}
		return true
	})
	return found
}

// madeBefore reports whether v, wherever it came from at first, is assigned what f made
// itself, on each way to sel.
func (c *checker) madeBefore(f *function, v *types.Var, sel ast.Expr) bool {
	return slices.ContainsFunc(c.valuesOf(v).values, func(d def) bool {
		around := innermost(f.body, d.expr)
		return d.expr.Pos() < sel.Pos() && around != nil && within(sel.Pos(), around) && c.originOfExpr(f, d.expr, make(map[*types.Var]bool)) == own
	})
}

// isDefault reports whether v is the variable of net/http with this name.
func isDefault(v *types.Var, name string) bool {
	return v != nil && v.Pkg() != nil && v.Pkg().Path() == httpmodel.NetHTTP && v.Name() == name && !v.IsField()
}

// guarded reports whether a condition before sel, or around it, asks for something
// that outlives the function: it may be what lets the assignment run only once. A
// setting of which it is only asked whether there is one is the same in each call.
func (c *checker) guarded(t *trace, v *types.Var, sel ast.Expr) bool {
	found := false
	inspectBody(t.fn.body, func(n ast.Node) bool {
		var cond ast.Node
		switch n := n.(type) {
		case *ast.IfStmt:
			cond = n.Cond
		case *ast.SwitchStmt:
			cond = n.Tag
			if n.Tag == nil {
				cond = n.Body
			}
		}
		if cond == nil || cond.Pos() > sel.Pos() {
			return true
		}
		ast.Inspect(cond, func(m ast.Node) bool {
			if e, ok := m.(ast.Expr); ok {
				if c.asksForSetting(t.fn, e) {
					return false
				}
				if r := c.root(e); r != nil && !httpmodel.IsError(r.Type()) && (r == v || !c.isLocal(r) || t.fn.index(r) == 0) {
					found = true
				}
			}
			return !found
		})
		return !found
	})
	return found
}

// asksForSetting reports whether e compares a field, which is no flag, client or transport
// and which f leaves alone, with its zero value.
func (c *checker) asksForSetting(f *function, e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ || !isSelector(b.X) || c.poolish(c.pass.TypesInfo.TypeOf(b.X)) {
		return false
	}
	tv := c.pass.TypesInfo.Types[b.Y]
	if !tv.IsNil() && (tv.Value == nil || tv.Value.Kind() != constant.String) {
		return false
	}
	v := c.variable(b.X)
	return !slices.ContainsFunc(c.valuesOf(v).values, func(d def) bool { return within(d.expr.Pos(), f.body) })
}

// sentAfter reports whether, after sel, the function calls a method of the client
// whose Transport sel is, or hands it on; or a function of net/http that uses the
// default client.
func (c *checker) sentAfter(t *trace, sel *ast.SelectorExpr) bool {
	client := types.ExprString(sel.X)
	root := c.root(sel)
	found := false
	ast.Inspect(t.fn.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() < sel.Pos() {
			return true
		}
		fn := typeset.Callee(c.pass.TypesInfo, call)
		if isDefault(root, root.Name()) && httpmodel.SendsRequest(fn) && fn.Signature().Recv() == nil {
			found = true
		}
		for i := range len(call.Args) + 1 {
			arg := c.argument(call, i)
			if arg == nil {
				continue
			}
			same := types.ExprString(arg) == client && c.root(arg) == root
			method := i == 0 && isIdent(arg) && c.variable(arg) == root
			found = found || (same || method) && fn != nil && (i > 0 || expectedSend(fn.Signature()))
		}
		return !found
	})
	return found
}
