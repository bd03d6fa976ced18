package resend

import (
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// isFast reports whether a request that came in a variable is one of package fasthttp,
// whose bodies are kept in memory.
func isFast(obj any) bool {
	v, ok := obj.(*types.Var)
	return ok && typeset.IsNamed(v.Type(), httpmodel.FastHTTP, "Request")
}

// knownFast is known for package fasthttp.
func (f *frame) knownFast(w *world, call *ast.CallExpr, fn *types.Func, sel *ast.SelectorExpr) (state, bool) {
	if fn.Name() == "AcquireRequest" {
		c := w.clone()
		f.freshRequest(c, call)
		c.put(ref{call, ".Method"}, val{k: constant_, s: `"GET"`})
		c.put(ref{call, ".Body"}, val{k: isNil})
		c.put(ref{call, "0"}, val{k: request, obj: call})
		return state{c}, true
	}
	if sel == nil {
		return nil, false
	}
	if v := f.eval(w, sel.X); v.k == respOf && fn.Name() == "StatusCode" {
		return state{w.with(ref{call, "0"}, val{k: statusOf, obj: v.obj})}, true
	}
	h, ok := ast.Unparen(sel.X).(*ast.SelectorExpr)
	if !ok || h.Sel.Name != "Header" || len(call.Args) == 0 || !typeset.IsMethod(fn, httpmodel.FastHTTP, "RequestHeader", fn.Name()) {
		return nil, false
	}
	req := f.eval(w, h.X)
	if req.k != request {
		return nil, false
	}
	switch fn.Name() {
	case "SetMethod":
		return state{w.with(ref{req.obj, ".Method"}, f.eval(w, call.Args[0]))}, true
	case "SetMethodBytes":
		return state{w.with(ref{req.obj, ".Method"}, val{})}, true
	case "Set", "Add":
		return state{f.nameHeader(w, req, call.Args[0])}, true
	}
	return nil, false
}
