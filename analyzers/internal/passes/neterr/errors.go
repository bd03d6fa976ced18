package neterr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// An errRef names an error: the failure id, or what it wraps depth levels down.
type errRef struct {
	id    token.Pos
	depth int
	asked token.Pos // of the expression
}

// errorOf returns the error that x denotes, if it is one.
func (e *engine) errorOf(w *world, x ast.Expr) (*world, errRef, bool) {
	x = ast.Unparen(x)
	inner := func(y ast.Expr, depth int) (*world, errRef, bool) {
		w, ref, ok := e.errorOf(w, y)
		ref.depth += depth
		ref.asked = x.Pos()
		e.whys[x.Pos()] = x
		return w, ref, ok
	}
	e.whys[x.Pos()] = x
	switch x := x.(type) {
	case *ast.StarExpr:
		return inner(x.X, 0)
	case *ast.TypeAssertExpr:
		return inner(x.X, 0)
	case *ast.IndexExpr:
		if IsError(e.info.TypeOf(x.X)) {
			return inner(x.X, 0)
		}
	case *ast.CompositeLit:
		return e.literal(w, x)
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && IsError(e.info.TypeOf(x)) {
			return e.literal(w, lit)
		}
		return w, errRef{}, false
	case *ast.CallExpr:
		if e.info.Types[x.Fun].IsType() && len(x.Args) == 1 {
			return inner(x.Args[0], 0)
		}
		fun, fn := e.Callee(x)
		switch {
		case isErrorsFunc(fn, "Unwrap"):
			return inner(x.Args[0], 1)
		case fn != nil && fn.Name() == "Unwrap" && len(x.Args) == 0:
			if sel, ok := fun.(*ast.SelectorExpr); ok {
				return inner(sel.X, 1)
			}
		case httpmodel.Wraps(fn):
			return e.wrapped(w, x)
		}
		if !IsError(e.info.TypeOf(x)) {
			return w, errRef{}, false
		}
		outs := e.call(w, x)
		if len(outs) == 0 {
			return w, errRef{}, false
		}
		// One of several: what follows must hold for each, and to take the first
		// would be a guess.
		if len(outs) > 1 || !outs[0].results[0].err.IsValid() {
			id := x.Lparen
			return w.fresh(id, e.union(outs)), errRef{id: id, asked: x.Pos()}, true
		}
		return outs[0].w, errRef{id: outs[0].results[0].err, asked: x.Pos()}, true
	case *ast.SelectorExpr:
		if x.Sel.Name == "Err" && (typeset.IsNamed(e.info.TypeOf(x.X), "net/url", "Error") || typeset.IsNamed(e.info.TypeOf(x.X), "net", "OpError")) {
			return inner(x.X, 1)
		}
		if v := typeset.VarOf(e.info, x); v != nil && httpmodel.IsError(v.Type()) { // what one of the program's own wraps
			if p, ok := e.placeOf(x.X); ok && w.errs[w.vals[p].err].name != "" {
				return inner(x.X, 0)
			}
		}
	}
	p, ok := e.placeOf(x)
	if !ok {
		return w, errRef{}, false
	}
	if subject := e.subjects[p.root]; subject != nil && p.field == nil {
		w, ref, ok := e.subjectOf(w, subject)
		ref.asked = x.Pos()
		e.whys[x.Pos()] = x
		return w, ref, ok
	}
	if id := w.vals[p].err; id != token.NoPos {
		return w, errRef{id: id, asked: x.Pos()}, true
	}
	if !IsError(p.typ()) {
		return w, errRef{}, false
	}
	id := p.root.Pos()
	switch {
	case p.field != nil:
		id = x.Pos()
	case isSentinelVar(p.root):
		yes, _ := sentinelQuestion(p.root, false).split(All, 0)
		return w.withErr(id, Failure{Set: yes}), errRef{id: id, asked: x.Pos()}, true
	}
	return w.with(p, value{err: id}), errRef{id: id, asked: x.Pos()}, true
}

// subjectOf returns the error that x is, or may be: a value of type any too.
func (e *engine) subjectOf(w *world, x ast.Expr) (*world, errRef, bool) {
	if w, ref, ok := e.errorOf(w, x); ok {
		return w, ref, true
	}
	if t := e.info.TypeOf(x); t == nil || !types.IsInterface(t) {
		return w, errRef{}, false
	}
	return w, errRef{id: x.Pos(), asked: x.Pos()}, true
}

// union returns what the only result of outs may be.
func (e *engine) union(outs []callOutcome) Failure {
	var all Failure
	for _, o := range outs {
		f := Failure{Set: All}
		if id := o.results[0].err; id != token.NoPos {
			f = o.w.failure(id)
		}
		all.Set |= f.Set
		if f.Why.IsValid() && f.Set&Dial != 0 {
			all.Why = f.Why
		}
		all.Excused = all.Excused || f.Excused
	}
	return all
}

// wrapped returns the error in the arguments of a call that wraps it: the same
// failure, of which more forms are possible then.
func (e *engine) wrapped(w *world, call *ast.CallExpr) (*world, errRef, bool) {
	for _, arg := range call.Args {
		if !IsError(e.info.TypeOf(arg)) {
			continue
		}
		w, ref, ok := e.errorOf(w, arg)
		if !ok {
			continue
		}
		f := w.failure(ref.id)
		f.Set = f.Set.wrap(false) | f.Set.wrap(true)
		return w.withErr(ref.id, f), ref, true
	}
	return w, errRef{}, false
}

// literal returns the error that a literal of an error type is: what its elements
// wrap, or one of the program's own.
func (e *engine) literal(w *world, lit *ast.CompositeLit) (*world, errRef, bool) {
	if !IsError(e.info.TypeOf(lit)) {
		return w, errRef{}, false
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		if IsError(e.info.TypeOf(elt)) && !e.isNil(elt) {
			if w, ref, ok := e.errorOf(w, elt); ok {
				f := w.failure(ref.id)
				f.Set = f.Set.wrap(false)
				return w.withErr(ref.id, f), ref, true
			}
		}
	}
	return w.fresh(lit.Lbrace, Failure{Set: Other}), errRef{id: lit.Lbrace, asked: lit.Pos()}, true
}

// errorIn returns the error that occurs in x, as in err.Error().
func (e *engine) errorIn(w *world, x ast.Expr) (out *world, ref errRef, ok bool) {
	out = w
	ast.Inspect(x, func(n ast.Node) bool {
		if sub, is := n.(ast.Expr); is && !ok {
			if tv, known := e.info.Types[sub]; known && tv.IsValue() && IsError(tv.Type) {
				out, ref, ok = e.errorOf(w, sub)
			}
		}
		return !ok
	})
	return out, ref, ok
}

// mentionsError reports whether an error, or what was computed from one, occurs in
// x.
func (e *engine) mentionsError(x ast.Node) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			if v, ok := e.info.Uses[n].(*types.Var); ok && (IsError(v.Type()) && !isSentinelVar(v) || e.derived[v]) {
				found = true
			}
		}
		return !found
	})
	return found
}

// isSentinelVar reports whether v is a variable of a package, such as io.EOF.
func isSentinelVar(v *types.Var) bool {
	return !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// readsRequest reports whether the body of an *http.Request, or a reader made of
// one, occurs in x.
func (e *engine) readsRequest(x ast.Node) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			if n.Sel.Name == "Body" && httpmodel.IsRequest(e.info.TypeOf(n.X)) {
				found = true
			}
		case *ast.Ident:
			if v, ok := e.info.Uses[n].(*types.Var); ok && e.body[v] {
				found = true
			}
		}
		return !found
	})
	return found
}

// isTime reports whether x is a duration or a time.
func (e *engine) isTime(x ast.Expr) bool {
	t := e.info.TypeOf(x)
	return t != nil && !isPointer(t) && (typeset.IsNamed(t, "time", "Duration") || typeset.IsNamed(t, "time", "Time"))
}

// isContextErr reports whether x is ctx.Err() or context.Cause(ctx), or a variable
// that holds one of these.
func (e *engine) isContextErr(x ast.Expr) bool {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		v, _ := e.info.Uses[id].(*types.Var)
		return v != nil && e.contextErr[v]
	}
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := typeset.Callee(e.info, call)
	return typeset.IsMethod(fn, "context", "Context", "Err") || typeset.IsFunc(fn, "context", "Cause")
}

func (e *engine) isNil(x ast.Expr) bool { return e.info.Types[x].IsNil() }

// objectOf returns the variable or constant that x names.
func (e *engine) objectOf(x ast.Expr) types.Object {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return e.info.Uses[x]
	case *ast.SelectorExpr:
		return e.info.Uses[x.Sel]
	}
	return nil
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// IsError reports whether a value of type t is an error, or has the methods of
// net.Error only; or is a list of errors, which is one that is nil if it is empty.
func IsError(t types.Type) bool {
	if t == nil {
		return false
	}
	if list, ok := t.(*types.Slice); ok {
		t = list.Elem()
		return types.IsInterface(t) && types.Implements(t, errorType)
	}
	if iface, ok := t.Underlying().(*types.Interface); ok {
		if _, ok := types.Unalias(t).(*types.TypeParam); ok {
			return types.Implements(t, errorType)
		}
		return types.Implements(t, errorType) || iface.NumMethods() > 0 && methodsOf(iface) == ofNetError
	}
	return types.Implements(t, errorType) || types.Implements(types.NewPointer(t), errorType)
}
