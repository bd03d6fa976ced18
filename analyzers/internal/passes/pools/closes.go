package pools

import (
	"go/ast"
	"go/constant"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// closing are the methods of resty, fasthttp and req by which a client or request ends
// its connections.
var closing = map[string]bool{"SetCloseConnection": true, "SetConnectionClose": true, "DisableKeepAlives": true}

// asksToClose reports whether the function makes a request that ends its connection:
// req.Close = true, the header that says so, or a method of a library that is called so.
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
			if sel := selector(n); sel != nil && closing[sel.Sel.Name] {
				found = found || len(n.Args) == 0 || len(n.Args) == 1 && !isFalse(w.pass.TypesInfo.Types[n.Args[0]])
			}
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
