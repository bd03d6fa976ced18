package bodyfate

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says which requests are answered without a body.

// asksForNoBody reports whether a call in the function fn asks for a response
// that has no body, or whose connection ends with it: HEAD and CONNECT, an
// upgrade, Connection: close.
func (c *checker) asksForNoBody(fn ast.Node, call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		if c.isNoBodyMethod(arg) {
			return true
		}
		v := c.variable(c.request(arg))
		return v != nil && c.requestEnds(fn, v)
	})
}

// request returns the request that e passes on, through req.WithContext(ctx) and
// the like, or nil.
func (c *checker) request(e ast.Expr) ast.Expr {
	if !httpmodel.IsRequest(c.typeOf(e)) {
		return nil
	}
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			return c.request(sel.X)
		}
	}
	return e
}

// isNoBodyMethod reports whether e is the constant HEAD or CONNECT.
func (c *checker) isNoBodyMethod(e ast.Expr) bool {
	tv := c.pass.TypesInfo.Types[ast.Unparen(e)]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return false
	}
	s := constant.StringVal(tv.Value)
	return s == "HEAD" || s == "CONNECT"
}

// requestEnds reports whether the request in v is made, anywhere in the function
// fn, such that its response has no body or ends its connection.
func (c *checker) requestEnds(fn ast.Node, v *types.Var) bool {
	defs := c.definitions(v)
	if len(defs) > 0 && !slices.ContainsFunc(defs, func(def ast.Expr) bool { return !c.hasNoBodyMethod(def) }) {
		return true
	}
	ends := false
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt: // req.Close = true; req.Method = "HEAD"
			for i, lhs := range n.Lhs {
				sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr)
				if !ok || c.variable(sel.X) != v || i >= len(n.Rhs) {
					continue
				}
				switch sel.Sel.Name {
				case "Close":
					ends = ends || !isFalse(c.pass.TypesInfo, n.Rhs[i])
				case "Method":
					ends = ends || c.isNoBodyMethod(n.Rhs[i])
				}
			}
		case *ast.CallExpr: // req.Header.Set("Connection", "close")
			sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
			if !ok || len(n.Args) != 2 || !typeset.IsMethod(typeset.Callee(c.pass.TypesInfo, n), httpmodel.NetHTTP, "Header", "Set", "Add") {
				break
			}
			if header, ok := ast.Unparen(sel.X).(*ast.SelectorExpr); ok && c.variable(header.X) == v {
				key, value := c.stringOf(n.Args[0]), c.stringOf(n.Args[1])
				ends = ends || strings.EqualFold(key, "Upgrade") ||
					strings.EqualFold(key, "Connection") && (strings.EqualFold(value, "close") || strings.EqualFold(value, "upgrade"))
			}
		}
		return !ends
	})
	return ends
}

// hasNoBodyMethod reports whether a request is made by def with the method HEAD
// or CONNECT: an argument or a field of it says so.
func (c *checker) hasNoBodyMethod(def ast.Expr) bool {
	switch def := unref(def).(type) {
	case *ast.CallExpr:
		return slices.ContainsFunc(def.Args, c.isNoBodyMethod)
	case *ast.CompositeLit:
		for _, elt := range def.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Method" && c.isNoBodyMethod(kv.Value) {
					return true
				}
			}
		}
	}
	return false
}

// stringOf returns the value of a constant string, or "".
func (c *checker) stringOf(e ast.Expr) string {
	tv := c.pass.TypesInfo.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(tv.Value)
}
