package resend

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A foreign is an object that a function of another package makes.
type foreign struct{ typ types.Type }

// apply returns the worlds after a call of a function of another package.
func (f *frame) apply(w *world, call *ast.CallExpr, fn *types.Func, s *summary) state {
	args := f.arguments(call, fn)
	for _, n := range s.Resends {
		f.resends(w, call, args.val(f, w, n))
	}
	if len(s.Ways) == 0 {
		return f.unknownCall(w, call, fn)
	}
	var out state
	ended := false
	for _, x := range s.Ways {
		c, sent := f.applyWay(w, call, fn, args, &x)
		if c != nil {
			out = append(out, c)
		}
		ended = ended || sent
	}
	if len(out) == 0 && !ended {
		return f.unknownCall(w, call, fn)
	}
	return f.join(out, nil)
}

// arguments are the operands of a call; nil for those that are not seen.
type arguments []ast.Expr

// arguments returns what a call gives to a function that is not of the package.
func (f *frame) arguments(call *ast.CallExpr, fn *types.Func) (args arguments) {
	list := call.Args
	if fn.Signature().Recv() != nil {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		if s := f.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			args = append(args, sel.X)
		}
	}
	return append(args, list...)
}

// val returns the value of the n-th operand.
func (args arguments) val(f *frame, w *world, n int) val {
	if n < 1 || n > len(args) {
		return val{}
	}
	return f.eval(w, args[n-1])
}

// methodOf returns what is known of a method that is v, or that of the request v.
func (f *frame) methodOf(w *world, v val) val {
	if v.k == request {
		return w.get(ref{v.obj, ".Method"})
	}
	return v
}

// resends notes that the call sends again what it is given, with the method v, or that
// of the request v.
func (f *frame) resends(w *world, call *ast.CallExpr, v val) {
	st, method := f.site(call), f.methodOf(w, v)
	ev := &Event{Method: trimQuotes(method.s), Errs: Timeout | Broken, Waited: true, Doubt: w.doubt}
	if method.k == given {
		ev.given = int(method.n)
	}
	ev.Keyed = v.k == request && w.get(ref{v.obj, "#key"}).k != unknown || w.get(mayKey).k != unknown
	f.found = append(f.found, f.event(st, ev))
}

// applyWay returns the world after a call takes a way, or nil if it cannot, or if it
// repeats an attempt: then it sent.
func (f *frame) applyWay(w *world, call *ast.CallExpr, fn *types.Func, args arguments, x *way) (c *world, sent bool) {
	for _, a := range x.Asks {
		if w = f.answer(w, args, a); w == nil {
			return nil, false
		}
	}
	if x.Waits {
		w = w.waited()
	}
	sites := make([]*site, len(x.Sends))
	for i, t := range x.Sends {
		sites[i] = f.site(call)
		if i > 0 {
			sites[i] = f.siteAt(call, fmt.Sprintf("#%d", i))
		}
		if w = f.beginSent(w, call, sites[i], args, t); w == nil {
			return nil, true
		}
	}
	if x.Sleeps {
		w = f.sleeps(w, call)
	}
	if x.Doubt {
		w = f.doubts(w)
	}
	c = w.clone()
	results := make(map[int]val)
	for i, v := range x.Results {
		results[i] = f.valOf(w, c, call, fn, args, sites, i, v)
	}
	return f.results(c, call, results), false
}

// answer refines a world by what an operand is on a way.
func (f *frame) answer(w *world, args arguments, a ask) *world {
	v := args.val(f, w, a.Operand)
	if a.Is == wasNil || a.Is&wasNil == 0 {
		if a.Operand <= len(args) {
			if w = f.compareNil(w, args[a.Operand-1], v, a.Is == wasNil); w == nil {
				return nil
			}
		}
	}
	switch {
	case v.k == isNil || v.k == unknown || a.Is == wasNil || a.Is&anyErr == anyErr:
		return w
	case v.k == errOf && a.Is.errs() != 0:
		return f.narrow(w, v, a.Is.errs(), true)
	case v.k == respOf || v.k == statusOf:
		if a.Unsure {
			w = f.unsure(w, v)
		}
		left := Statuses(w.get(ref{v.obj, "#status"}).n) & a.Is.statuses()
		if left == 0 {
			return nil
		}
		return w.with(ref{v.obj, "#status"}, val{k: bits, n: uint64(left)})
	}
	return f.doubts(w)
}

// beginSent is begin for what a way sends.
func (f *frame) beginSent(w *world, call *ast.CallExpr, st *site, args arguments, t sent) *world {
	a := &attempt{method: t.Method, keyed: t.Keyed || w.get(mayKey).k != unknown, dials: t.Dials}
	if t.Body.Of != 0 {
		a.body = f.valOf(w, nil, call, nil, args, nil, 0, t.Body)
	}
	if t.Given != 0 {
		v := args.val(f, w, t.Given)
		method := f.methodOf(w, v)
		a.method = trimQuotes(method.s)
		if method.k == given {
			a.given = int(method.n)
		}
		a.keyed = a.keyed || v.k == request && w.get(ref{v.obj, "#key"}).k != unknown
	}
	if t.Req != 0 {
		a.req = args.val(f, w, t.Req)
	}
	c := f.begin(w, st, a)
	if c == nil {
		return nil
	}
	c.put(ref{st, "#err"}, bitsVal(uint64(t.Came.errs())))
	c.put(ref{st, "#status"}, bitsVal(uint64(t.Came.statuses())))
	if t.Unsure {
		c.put(ref{st, "#unsure"}, val{k: nonNil})
	}
	if t.Waited {
		c.put(ref{st, "#waited"}, val{k: nonNil})
	}
	return c
}

// bitsVal returns a set as a value; the empty one is unknown.
func bitsVal(n uint64) val {
	if n == 0 {
		return val{}
	}
	return val{k: bits, n: n}
}

// valOf returns the value v of a summary, for the i-th result of a call, in the world w.
// What it has parts of, it puts in c.
func (f *frame) valOf(w, c *world, call *ast.CallExpr, fn *types.Func, args arguments, sites []*site, i int, v value) val {
	var arg val
	if v.Of > 0 {
		arg = args.val(f, w, v.Of)
	}
	switch v.Kind {
	case given:
		return arg
	case errOf, respOf, statusOf, wrappedErr:
		switch {
		case v.Of < 0 && -v.Of <= len(sites):
			return val{k: v.Kind, s: v.Text, obj: sites[-v.Of-1]}
		case arg.k == errOf || arg.k == respOf || arg.k == statusOf:
			return val{k: v.Kind, s: v.Text, obj: arg.obj}
		case v.Kind == errOf:
			return arg
		}
		return val{k: nonNil}
	case request:
		if v.Of > 0 {
			return arg
		}
		f.freshRequest(c, call)
		f.putParts(w, c, call, call, fn, args, sites, v)
		return val{k: request, obj: call}
	case reader:
		switch {
		case v.Of == 0:
			c.put(ref{call, "#used"}, val{})
			return val{k: reader, obj: call}
		case v.Text != "body":
			return arg
		case arg.k != request:
			return val{}
		}
		if body := w.get(ref{arg.obj, ".Body"}); body.k != unknown || !isRequestObj(arg.obj) {
			return body
		}
		return val{k: reader, obj: bodyOf{arg.obj}}
	case object:
		obj := f.foreign(call, i, fn, v.Text)
		if obj == nil {
			return val{k: nonNil}
		}
		f.putParts(w, c, obj, call, fn, args, sites, v)
		return val{k: object, obj: obj}
	case sentinel:
		if x, ok := fn.Pkg().Scope().Lookup(v.Text).(*types.Var); ok {
			return val{k: sentinel, obj: x}
		}
		return val{k: madeErr}
	}
	return val{k: v.Kind, s: v.Text}
}

// putParts puts the parts of a value in c.
func (f *frame) putParts(w, c *world, obj any, call *ast.CallExpr, fn *types.Func, args arguments, sites []*site, v value) {
	for _, p := range v.Parts {
		c.put(ref{obj, p.Path}, f.valOf(w, c, call, fn, args, sites, 0, p.Is))
	}
}

// foreign returns the object of a type of the package of fn that the i-th result of a
// call is.
func (f *frame) foreign(call *ast.CallExpr, i int, fn *types.Func, name string) *foreign {
	obj, ok := fn.Pkg().Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil
	}
	key := fmt.Sprintf("%d.%d.%s", f.id(call), i, name)
	made := f.made[key]
	if made == nil {
		made = &foreign{obj.Type()}
		f.made[key] = made
	}
	return made
}

// typeOf returns the type of an object.
func (e *engine) typeOf(obj any) types.Type {
	switch obj := obj.(type) {
	case *foreign:
		return obj.typ
	case ast.Expr:
		return e.info.TypeOf(obj)
	}
	return nil
}

// isSentinelVar reports whether v, of another package, holds an error of its own.
func (e *engine) isSentinelVar(v *types.Var) bool {
	return !typeset.IsStd(v.Pkg(), e.pass.Module) && e.pass.ImportObjectFact(v, new(sentinelFact))
}
