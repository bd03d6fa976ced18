package pools

import (
	"go/ast"
	"go/constant"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

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

// isString reports whether e is a string constant that is s but for case.
func (w *walker) isString(e ast.Expr, s string) bool {
	tv := w.pass.TypesInfo.Types[e]
	return tv.Value != nil && tv.Value.Kind() == constant.String && strings.EqualFold(constant.StringVal(tv.Value), s)
}
