package bodyfate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// keepsNoConnection reports whether the client or transport on which a call in
// the function fn is made visibly has no HTTP/1 connection to lose: keep-alives
// are off, it speaks HTTP/2 only (an early Close resets one stream there), it reads
// the answers itself, or its pool is made in fn and dropped with it.
func (c *checker) keepsNoConnection(fn ast.Node, call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || c.pass.TypesInfo.Selections[sel] == nil {
		return false // http.Get and the like: the default client
	}
	q := c.newPoolQuery(fn)
	q.call = call
	return q.poolless(sel.X)
}

// newPoolQuery returns a query for a call in the function fn, or, fn being nil,
// for one in any function.
func (c *checker) newPoolQuery(fn ast.Node) poolQuery {
	return poolQuery{checker: c, fn: fn, seen: make(map[any]bool)}
}

// A poolQuery follows a client or transport back to where it is made, through
// the variables, fields and functions of the package.
type poolQuery struct {
	*checker
	fn   ast.Node      // the function in which the call is, or nil
	call *ast.CallExpr // the call that uses the client, or nil
	seen map[any]bool
}

// poolless reports whether e, a client or a transport, has no HTTP/1 connection
// to lose. Where several things are assigned to a variable, one that has none
// is enough for silence.
func (q poolQuery) poolless(e ast.Expr) bool {
	e = unref(e)
	switch e := e.(type) {
	case *ast.Ident:
		if v := q.variable(e); v != nil {
			return q.variablePoolless(v)
		}
	case *ast.SelectorExpr:
		v, ok := q.pass.TypesInfo.ObjectOf(e.Sel).(*types.Var)
		switch {
		case !ok:
		case v.IsField() && v.Pkg() != q.pass.Pkg: // client.Transport: as the client is
			return isClient(q.typeOf(e.X)) && q.poolless(e.X)
		default:
			return q.variablePoolless(v)
		}
	case *ast.TypeAssertExpr:
		return q.poolless(e.X)
	case *ast.StarExpr:
		return q.poolless(e.X)
	case *ast.CallExpr:
		return q.callPoolless(e)
	case *ast.CompositeLit:
		return q.literalPoolless(e)
	}
	return false
}

// variablePoolless is poolless for a variable or a field: by what is assigned to
// it, and to its fields.
func (q poolQuery) variablePoolless(v *types.Var) bool {
	if q.seen[v] {
		return false
	}
	q.seen[v] = true
	if isHTTP2Transport(v.Type()) || slices.ContainsFunc(q.definitions(v), q.poolless) || q.importedPoolless(v) {
		return true
	}
	return v.Pkg() == q.pass.Pkg && slices.ContainsFunc(q.settings(v), func(set setting) bool {
		return q.fieldPoolless(set.field, set.value)
	})
}

// callPoolless is poolless for a call: by what a function of this package returns.
func (q poolQuery) callPoolless(call *ast.CallExpr) bool {
	callee := typeset.Callee(q.pass.TypesInfo, call)
	if callee == nil || q.seen[callee] {
		return false
	}
	q.seen[callee] = true
	if typeset.IsMethod(callee, httpmodel.NetHTTP, "Transport", "Clone") {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		return ok && q.poolless(sel.X)
	}
	decl := q.decls[callee]
	if decl == nil || decl.Body == nil {
		return q.importedPoolless(callee)
	}
	return q.returnsPoolless(decl)
}

// returnsPoolless reports whether a return statement of a function returns a
// client or a transport without connections to lose.
func (q poolQuery) returnsPoolless(decl *ast.FuncDecl) bool {
	off := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				off = off || isClient(q.typeOf(x)) && q.poolless(x)
			}
		}
		return !off
	})
	return off
}

// literalPoolless is poolless for a composite literal.
func (q poolQuery) literalPoolless(lit *ast.CompositeLit) bool {
	if isHTTP2Transport(q.typeOf(lit)) || q.answersRead(q.typeOf(lit)) {
		return true
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && q.fieldPoolless(id.Name, kv.Value) {
				return true
			}
		}
	}
	// A Transport made in this very function, for one request, has none to share.
	return typeset.IsNamed(q.typeOf(lit), httpmodel.NetHTTP, "Transport") && q.call != nil && syntax.Within(lit, q.fn) &&
		!slices.ContainsFunc(q.loops(q.fn), func(loop ast.Node) bool { return syntax.Within(q.call, loop) && !syntax.Within(lit, loop) })
}

// answersRead reports whether the answers of a transport of type t need no reading:
// its RoundTrip, of this package, reads them, makes them up, or has their Close read.
func (q poolQuery) answersRead(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, q.pass.Pkg, "RoundTrip")
	fn, _ := obj.(*types.Func)
	decl := q.decls[fn]
	if decl == nil {
		return false
	}
	found := q.returns(decl)
	return found != nil && !slices.ContainsFunc(found, func(l live) bool { return l.held.at(".Body").kind() != reader })
}

// fieldPoolless reports whether a field of a client or transport, set to x, means
// that there are no HTTP/1 connections to lose.
func (q poolQuery) fieldPoolless(name string, x ast.Expr) bool {
	switch name {
	case "DisableKeepAlives":
		return !isFalse(q.pass.TypesInfo, x)
	case "MaxIdleConnsPerHost":
		u, ok := ast.Unparen(x).(*ast.UnaryExpr)
		return ok && u.Op == token.SUB // negative: none is kept
	case "Transport", "Base":
		return q.poolless(x)
	case "Protocols":
		return q.onlyHTTP2(x)
	}
	return false
}

// onlyHTTP2 reports whether e is an http.Protocols to which HTTP/2 is added in
// this package and HTTP/1 is not.
func (q poolQuery) onlyHTTP2(e ast.Expr) bool {
	v := q.variable(unref(e))
	if v == nil {
		return false
	}
	http1, http2 := false, false
	for _, file := range q.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			if !ok || q.variable(unref(sel.X)) != v {
				return true
			}
			switch sel.Sel.Name {
			case "SetHTTP1":
				http1 = http1 || len(call.Args) == 1 && !isFalse(q.pass.TypesInfo, call.Args[0])
			case "SetHTTP2", "SetUnencryptedHTTP2":
				http2 = true
			}
			return true
		})
	}
	return http2 && !http1
}

// isHTTP2Transport reports whether t is, or points to, an HTTP/2 or HTTP/3 transport.
func isHTTP2Transport(t types.Type) bool {
	return typeset.IsNamed(t, "golang.org/x/net/http2", "Transport") ||
		typeset.IsNamed(t, "github.com/quic-go/quic-go/http3", "Transport") ||
		typeset.IsNamed(t, "github.com/quic-go/quic-go/http3", "RoundTripper")
}

// isClient reports whether t is a client or a transport.
func isClient(t types.Type) bool {
	return typeset.IsNamed(t, httpmodel.NetHTTP, "Client") || hasMethod(t, "RoundTrip")
}
