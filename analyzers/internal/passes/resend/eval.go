package resend

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// eval returns what is known of an expression. It reads the results of the calls in
// it, which were made before.
func (f *frame) eval(w *world, e ast.Expr) val {
	if tv, ok := f.info.Types[e]; ok {
		switch {
		case tv.Value != nil:
			return val{k: constant_, s: tv.Value.ExactString()}
		case tv.IsNil():
			return val{k: isNil}
		}
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		if fn := typeset.FuncObj(f.info, x); fn != nil {
			if d := f.index.Decl(fn); d != nil {
				return val{k: function, obj: d}
			}
			return val{k: nonNil}
		}
		if sel, ok := x.(*ast.SelectorExpr); ok {
			base := f.embedded(w, sel)
			switch {
			case base.k == respOf && (sel.Sel.Name == "StatusCode" || sel.Sel.Name == "Status" && typeset.IsInteger(f.info.TypeOf(sel))):
				return val{k: statusOf, obj: base.obj}
			case base.k == errOf:
				return base // what it wraps
			case base.k == answerOf:
				return base
			}
		}
		r, ok := f.place(w, x)
		if !ok {
			return val{}
		}
		if v, ok := r.obj.(*types.Var); ok && v.Name() == "NoBody" && v.Pkg() != nil && v.Pkg().Path() == httpmodel.NetHTTP {
			return val{k: isNil}
		}
		if v := w.get(r); v.k != unknown {
			return v
		}
		if f.isOwnSentinel(x) {
			return val{k: sentinel, obj: r.obj}
		}
		return f.initial(r, f.info.TypeOf(x))
	case *ast.CallExpr:
		if tv := f.info.Types[x.Fun]; tv.IsType() && len(x.Args) == 1 {
			return f.eval(w, x.Args[0])
		}
		if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok && f.info.Types[x.Fun].IsBuiltin() && (id.Name == "new" || id.Name == "make") {
			if isBuffer(f.info.TypeOf(x)) {
				return val{k: reader, obj: x}
			}
			return val{k: nonNil}
		}
		return w.get(f.resultRef(x))
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			if _, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok {
				return f.eval(w, x.X)
			}
			if v := typeset.VarOf(f.info, x.X); v != nil && isReader(f.info.TypeOf(x)) {
				return val{k: reader, obj: v}
			}
			if v := f.eval(w, x.X); v.k == object || v.k == request {
				return v
			}
			return val{k: nonNil}
		}
	case *ast.StarExpr:
		return f.eval(w, x.X)
	case *ast.IndexExpr:
		if v := f.eval(w, x.X); v.k == answerOf {
			return v
		}
	case *ast.CompositeLit:
		if isBuffer(f.info.TypeOf(x)) {
			return val{k: reader, obj: x}
		}
		return val{k: object, obj: x}
	case *ast.FuncLit:
		return val{k: function, obj: x}
	case *ast.TypeAssertExpr:
		return f.eval(w, x.X)
	case *ast.BinaryExpr:
		if x.Op == token.ADD || x.Op == token.SUB {
			if y := constOf(f.eval(w, x.Y)); y.Kind() == constant.Int { // an integer
				if n, ok := int64Of(y); ok {
					return addConst(f.eval(w, x.X), x.Op, n)
				}
			}
		}
	}
	return val{}
}

// embedded returns the value of what sel selects from: of the field that is embedded in a
// struct, if it comes from there.
func (f *frame) embedded(w *world, sel *ast.SelectorExpr) val {
	base := f.eval(w, sel.X)
	s := f.info.Selections[sel]
	if base.k != object || s == nil || len(s.Index()) != 2 {
		return base
	}
	return w.get(ref{base.obj, "." + typeset.Fields(s.Recv(), s.Index())[0].Name()})
}

// initial returns the value of a place that nothing was assigned to on the way: a
// request or reader that came in it is told apart from others by it.
func (f *frame) initial(r ref, t types.Type) val {
	if t == nil {
		return val{}
	}
	var obj any = r.obj
	if r.path != "" {
		obj = r
	}
	switch {
	case r.path == ".Body" && isRequestObj(r.obj):
		return val{k: reader, obj: bodyOf{r.obj}}
	case isRequest(t):
		return val{k: request, obj: obj}
	case isReader(t):
		return val{k: reader, obj: obj}
	}
	return val{}
}

// isRequest reports whether t is a request of a client, or a pointer to one.
func isRequest(t types.Type) bool {
	return httpmodel.IsRequest(t) || typeset.IsNamed(t, httpmodel.RetryablePath, "Request") || typeset.IsNamed(t, httpmodel.FastHTTP, "Request")
}

// isBuffer reports whether t is a bytes.Buffer, or a pointer to one: what is made empty, and
// filled after.
func isBuffer(t types.Type) bool { return typeset.IsNamed(t, "bytes", "Buffer") }

// isRequestObj reports whether a request came in a variable or field.
func isRequestObj(obj any) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return isRequest(obj.Type())
	case ref:
		return true
	}
	return false
}

// place returns the place that e denotes.
func (f *frame) place(w *world, e ast.Expr) (ref, bool) {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := f.info.ObjectOf(x).(*types.Var)
		return ref{v, ""}, ok
	case *ast.StarExpr:
		return f.place(w, x.X)
	case *ast.SelectorExpr:
		if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
			if _, isPkg := f.info.Uses[id].(*types.PkgName); isPkg {
				v, ok := f.info.Uses[x.Sel].(*types.Var)
				return ref{v, ""}, ok
			}
		}
		if _, ok := f.info.Uses[x.Sel].(*types.Var); !ok {
			return ref{}, false
		}
		if base := f.eval(w, x.X); base.k == request || base.k == object {
			return ref{base.obj, "." + x.Sel.Name}, true
		}
		r, ok := f.place(w, x.X)
		return ref{r.obj, r.path + "." + x.Sel.Name}, ok
	}
	return ref{}, false
}

// isReader reports whether t has the method Read of an io.Reader.
func isReader(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := t.Underlying().(*types.Basic); ok {
		return false
	}
	if httpmodel.IsResponse(t) {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, "Read")
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Signature()
	if sig.Params().Len() != 1 || sig.Results().Len() != 2 || !httpmodel.IsError(sig.Results().At(1).Type()) {
		return false
	}
	s, ok := sig.Params().At(0).Type().Underlying().(*types.Slice)
	return ok && types.Identical(s.Elem(), types.Typ[types.Byte])
}

// resultRef returns what stands for the first result of a call: of a context's Err
// the context, which is done for good once it is done.
func (f *frame) resultRef(call *ast.CallExpr) ref {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && typeset.IsMethod(typeset.Callee(f.info, call), "context", "Context", "Err") {
		if v := typeset.VarOf(f.info, sel.X); v != nil {
			return ref{v, ".Err()"}
		}
	}
	return ref{call, "0"}
}
