package pools

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// leaves reports whether a call that sends a request leaves a connection in the
// pool, idle or in use: not if the body of the response is closed unread in the
// same function, which closes the connection, nor if the request asks for that.
func (w *walker) leaves(call *ast.CallExpr) bool {
	if w.asksToClose() {
		return false
	}
	w.definitions()
	lhs := w.assigned[call]
	if len(lhs) == 0 || !isIdent(lhs[0]) || !httpmodel.IsResponse(w.pass.TypesInfo.TypeOf(lhs[0])) {
		return true
	}
	resp := w.variable(lhs[0])
	if resp == nil || !w.isLocal(resp) || w.mentionsHEAD() {
		return true
	}
	if fn := typeset.Callee(w.pass.TypesInfo, call); fn != nil && fn.Name() == "Head" {
		return true
	}
	closed, read := w.bodyUse(resp)
	return read || !closed
}

// bodyUse reports whether the function closes the body of resp, and whether it
// reads it, or gives it to something that may.
func (w *walker) bodyUse(resp *types.Var) (closed, read bool) {
	var stack []ast.Node
	ast.Inspect(w.fn.body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		id, ok := n.(*ast.Ident)
		if !ok || w.variable(id) != resp || w.pass.TypesInfo.Defs[id] != nil {
			return true
		}
		switch parent := parentOf(stack, 1).(type) {
		case *ast.SelectorExpr:
			if parent.Sel.Name != "Body" {
				return true
			}
			switch up := parentOf(stack, 2).(type) {
			case *ast.SelectorExpr:
				closed = closed || up.Sel.Name == "Close"
				read = read || up.Sel.Name != "Close"
			case *ast.BinaryExpr:
			default:
				read = true
			}
		case *ast.BinaryExpr, *ast.AssignStmt:
		default:
			read = true
		}
		return true
	})
	return closed, read
}

// parentOf returns the n-th node up from the top of a stack.
func parentOf(stack []ast.Node, n int) ast.Node {
	if i := len(stack) - 1 - n; i >= 0 {
		return stack[i]
	}
	return nil
}

// asksToClose reports whether the function makes a request that ends its connection:
// req.Close = true, or the header that says so.
func (w *walker) asksToClose() bool {
	found := false
	ast.Inspect(w.fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr)
				found = found || ok && sel.Sel.Name == "Close" && len(n.Lhs) == len(n.Rhs) &&
					typeset.IsNamed(w.pass.TypesInfo.TypeOf(sel.X), httpmodel.NetHTTP, "Request") &&
					!isFalse(w.pass.TypesInfo.Types[n.Rhs[i]])
			}
		case *ast.CallExpr:
			found = found || len(n.Args) == 2 && w.isString(n.Args[0], "connection") && w.isString(n.Args[1], "close")
		}
		return !found
	})
	return found
}

// mentionsHEAD reports whether the function has the method HEAD in it.
func (w *walker) mentionsHEAD() bool {
	found := false
	ast.Inspect(w.fn.body, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			found = found || w.isString(e, "head")
		}
		return !found
	})
	return found
}

// isString reports whether e is a string constant that is s but for case.
func (w *walker) isString(e ast.Expr, s string) bool {
	tv := w.pass.TypesInfo.Types[e]
	return tv.Value != nil && tv.Value.Kind() == constant.String && strings.EqualFold(constant.StringVal(tv.Value), s)
}
