package resend

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// Join implements flow.Problem.
func (f *frame) Join(x, y state) state { return f.join(x, y) }

// Equal implements flow.Problem.
func (f *frame) Equal(x, y state) bool { return x.equal(y) }

// Branch implements flow.Problem.
func (f *frame) Branch(s state, cond ast.Expr, truth bool) (state, bool) {
	var out state
	for _, w := range s {
		if w := f.leaf(w, cond, truth); w != nil {
			out = append(out, w)
		}
	}
	out = f.join(nil, out)
	return out, len(out) > 0 || len(s) == 0
}

// TypeCase implements flow.TypeCaseProblem: the variable of a clause is the error.
func (f *frame) TypeCase(s state, c flow.TypeCase, truth bool) (state, bool) {
	subject := syntax.SwitchSubject(c.Switch)
	target := f.info.TypeOf(c.Type)
	out := f.flatMap(s, func(w *world) state {
		v := f.eval(w, subject)
		w = f.isA(w, v, target, truth)
		if w == nil {
			return nil
		}
		if bound, ok := f.info.Implicits[c.Clause].(*types.Var); ok && truth {
			w = w.assign(ref{bound, ""}, v)
		}
		return state{w}
	})
	return out, len(out) > 0 || len(s) == 0
}

// assume returns the worlds in which a condition is truth. Of the parts of one that has
// some, the calls are made here, and only where the parts before let them be made; those of
// another one were made before.
func (f *frame) assume(w *world, cond ast.Expr, truth bool) state {
	switch x := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return f.assume(w, x.X, !truth)
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND && truth || x.Op == token.LOR && !truth {
			return f.flatMap(f.part(w, x.X, truth), func(w *world) state { return f.part(w, x.Y, truth) })
		}
		if x.Op == token.LAND || x.Op == token.LOR {
			rest := f.flatMap(f.part(w, x.X, !truth), func(w *world) state { return f.part(w, x.Y, truth) })
			return f.join(f.part(w, x.X, truth), rest)
		}
	}
	if w = f.leaf(w, cond, truth); w == nil {
		return nil
	}
	return state{w}
}

// part is assume for a part of a condition.
func (f *frame) part(w *world, cond ast.Expr, truth bool) state {
	if hasParts(cond) {
		return f.assume(w, cond, truth)
	}
	return f.flatMap(f.makeCalls(state{w}, cond), func(w *world) state { return f.assume(w, cond, truth) })
}

// hasParts reports whether a condition is put together of others by && or ||.
func hasParts(cond ast.Expr) bool {
	switch x := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		return x.Op == token.NOT && hasParts(x.X)
	case *ast.BinaryExpr:
		return x.Op == token.LAND || x.Op == token.LOR
	}
	return false
}

// leaf returns the world refined by a condition that holds no other, or nil.
func (f *frame) leaf(w *world, cond ast.Expr, truth bool) *world {
	cond = ast.Unparen(cond)
	if v := f.eval(w, cond); v.k == constant_ {
		if v.s == "true" != truth {
			return nil
		}
		return w
	}
	if !isThere(cond, truth) {
		w = f.asksAnswer(w, cond)
	}
	switch x := cond.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		name := lastName(x)
		if guard.MatchString(name) {
			w = f.doubts(w)
		}
		if r, ok := f.place(w, x); ok && isVar(r.obj) && r.path == "" {
			return w.with(r, boolVal(truth))
		}
	case *ast.IndexExpr:
		if w = f.isMethodOf(w, x.Index, x.X, truth); w == nil {
			return nil
		}
		if v := f.eval(w, x.Index); v.k == statusOf {
			if set := f.literalSet(x.X); set != nil {
				return f.narrowStatus(w, v, func(n int) bool { return set[n] == truth })
			}
			w = f.unsure(w, v)
		}
	case *ast.CallExpr:
		return f.leafCall(w, x, truth)
	case *ast.BinaryExpr:
		w = f.compare(w, x.X, x.Op, x.Y, truth)
		if w != nil && f.countsWaits(x) {
			w = w.waited()
		}
		if w != nil && !truth && f.hasNoBody(x) {
			w = w.rewound()
		}
		return w
	}
	return w
}

// guard matches the names of conditions that may say whether to send again.
var guard = regexp.MustCompile(`(?i)idem|safe|retr[yi]|wrote|sent|repeat|replay`)

// lastName returns the name that e ends in.
func lastName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr:
		return lastName(e.Fun)
	}
	return ""
}

// doubts returns the world in doubt, if there was an attempt.
func (f *frame) doubts(w *world) *world {
	if w.doubt || f.params == nil && len(w.sent()) == 0 {
		return w
	}
	c := w.clone()
	c.doubt = true
	return c
}

// leafCall refines the world by a call.
func (f *frame) leafCall(w *world, call *ast.CallExpr, truth bool) *world {
	fn := typeset.Callee(f.info, call)
	switch {
	case f.errorsFunc(call) == "Is" && len(call.Args) == 2:
		v := f.eval(w, call.Args[0])
		switch v.k {
		case isNil:
			return whenFalse(w, truth)
		case errOf:
			return f.isSentinel(w, v, call.Args[1], truth)
		case sentinel:
			if f.isOwnSentinel(call.Args[1]) && (v.obj == typeset.VarOf(f.info, call.Args[1])) != truth {
				return nil
			}
		case buildErr, object, madeErr:
			if f.isOwnSentinel(call.Args[1]) {
				return whenFalse(w, truth)
			}
			if typeset.VarOf(f.info, call.Args[1]) != nil && isContextError(f.info, call.Args[1]) {
				return whenFalse(w, truth)
			}
		}
		return w
	case f.errorsFunc(call) == "As" && len(call.Args) == 2:
		v := f.eval(w, call.Args[0])
		if v.k == isNil {
			return whenFalse(w, truth)
		}
		ptr, ok := f.info.TypeOf(call.Args[1]).(*types.Pointer)
		if !ok {
			return w
		}
		if w = f.isA(w, v, ptr.Elem(), truth); w != nil && truth {
			if addr, ok := ast.Unparen(call.Args[1]).(*ast.UnaryExpr); ok {
				if target := typeset.VarOf(f.info, addr.X); target != nil {
					w = w.assign(ref{target, ""}, v)
				}
			}
		}
		return w
	case typeset.IsFunc(fn, "os", "IsTimeout") && len(call.Args) == 1:
		v := f.eval(w, call.Args[0])
		if v.k == isNil || v.k == madeErr || v.k == statusOf {
			return whenFalse(w, truth)
		}
		return f.narrow(w, v, Timeout, truth)
	case typeset.IsFunc(fn, "strings", "Contains", "HasSuffix", "HasPrefix", "EqualFold") && len(call.Args) == 2:
		return f.textSays(w, call.Args[0], call.Args[1], truth)
	case fn != nil && fn.Name() == "Timeout" && len(call.Args) == 0:
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			return f.narrow(w, f.eval(w, sel.X), Timeout, truth)
		}
	case fn != nil && fn.Name() == "Temporary" && len(call.Args) == 0:
		return w
	}
	if typeset.IsFunc(fn, "slices", "Contains") && len(call.Args) == 2 {
		if w = f.isMethodOf(w, call.Args[1], call.Args[0], truth); w == nil {
			return nil
		}
		if v := f.eval(w, call.Args[1]); v.k == statusOf {
			if set := f.literalSet(call.Args[0]); set != nil {
				return f.narrowStatus(w, v, func(n int) bool { return set[n] == truth })
			}
			w = f.unsure(w, v)
		}
	}
	if set, v := f.asksOneOf(w, call); set != nil {
		return f.narrowStatus(w, v, func(n int) bool { return set[n] == truth })
	}
	asksErr := false
	for _, arg := range call.Args {
		asksErr = asksErr || f.eval(w, arg).k == errOf
	}
	if asksErr || guard.MatchString(lastName(call.Fun)) {
		w = f.doubts(w)
	}
	return w.with(ref{call, "0"}, boolVal(truth))
}

// whenFalse returns the world where a condition is false that cannot be true.
func whenFalse(w *world, truth bool) *world {
	if truth {
		return nil
	}
	return w
}
