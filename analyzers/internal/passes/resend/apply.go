package resend

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A foreign is an object that a function of another package makes.
type foreign struct{ typ types.Type }

// An application is a call of a function of another package that takes one of its ways.
type application struct {
	*frame
	call  *ast.CallExpr
	fn    *types.Func
	args  []ast.Expr // the operands; those that are not seen are missing
	w     *world     // in which the operands are read
	made  *world     // in which the results are put
	sites []*site    // of what is sent
	waits bool       // the function is there to wait
}

// apply returns the worlds after a call of a function of another package.
func (f *frame) apply(w *world, call *ast.CallExpr, fn *types.Func, s *summary) state {
	a := &application{frame: f, call: call, fn: fn, args: f.arguments(call, fn), w: w, waits: s.waits() && !s.sends()}
	for _, n := range s.Resends {
		a.resends(a.operand(n))
	}
	if len(s.Ways) == 0 {
		return f.unknownCall(w, call, fn)
	}
	var out state
	ended := false
	for _, x := range s.Ways {
		a.w, a.sites = w, nil
		c, repeats := a.take(&x)
		if c != nil {
			out = append(out, c)
		}
		ended = ended || repeats
	}
	if len(out) == 0 && !ended {
		return f.unknownCall(w, call, fn)
	}
	return f.join(nil, out)
}

// arguments returns what a call gives to a function that is not of the package.
func (f *frame) arguments(call *ast.CallExpr, fn *types.Func) (args []ast.Expr) {
	if fn.Signature().Recv() != nil {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		if s := f.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			args = append(args, sel.X)
		}
	}
	return append(args, call.Args...)
}

// operand returns the value of the n-th operand.
func (a *application) operand(n int) val {
	if n < 1 || n > len(a.args) {
		return val{}
	}
	return a.eval(a.w, a.args[n-1])
}

// method returns what is known of a method that is v, or that of the request v, and
// whether that has a key.
func (a *application) method(v val) (method val, keyed bool) {
	if v.k == request {
		return a.w.get(ref{v.obj, ".Method"}), a.w.get(ref{v.obj, "#key"}).k != unknown
	}
	return v, false
}

// resends notes that the call sends again what it is given, with the method v, or that
// of the request v.
func (a *application) resends(v val) {
	method, keyed := a.method(v)
	a.found = append(a.found, a.event(a.site(a.call), &Event{
		Method: trimQuotes(method.s),
		Keyed:  keyed || a.w.get(mayKey).k != unknown,
		Errs:   Timeout | Broken,
		Waited: true,
		Doubt:  a.w.doubt,
		given:  givenOf(method),
	}))
}

// givenOf returns the operand that v stands for, or 0.
func givenOf(v val) int {
	if v.k == given {
		return int(v.n)
	}
	return 0
}

// take returns the world after the call takes a way; nil if it cannot, or if it repeats
// an attempt.
func (a *application) take(x *way) (after *world, repeats bool) {
	for _, q := range x.Asks {
		if a.w = a.answer(q); a.w == nil {
			return nil, false
		}
	}
	if x.Waits || a.waits {
		a.w = a.w.waited()
	}
	for i, t := range x.Sends {
		name := ""
		if i > 0 {
			name = fmt.Sprintf("#%d", i)
		}
		st := a.siteAt(a.call, name)
		if a.w = a.send(st, t); a.w == nil {
			return nil, true
		}
		a.sites = append(a.sites, st)
	}
	if x.Sleeps {
		a.w = a.sleeps(a.w, a.call)
	}
	if x.Doubt {
		a.w = a.doubts(a.w)
	}
	a.made = a.w.clone()
	results := make(map[int]val)
	for i, v := range x.Results {
		results[i] = a.value(i, v)
	}
	return a.results(a.made, a.call, results), false
}

// answer returns the world in which an operand is what it is on a way, or nil.
func (a *application) answer(q ask) *world {
	w, v := a.w, a.operand(q.Operand)
	if (q.Is == wasNil || q.Is&wasNil == 0) && q.Operand <= len(a.args) {
		if w = a.compareNil(w, a.args[q.Operand-1], v, q.Is == wasNil); w == nil {
			return nil
		}
	}
	switch {
	case v.k == isNil || v.k == unknown || q.Is == wasNil || q.Is&anyErr == anyErr:
		return w
	case v.k == errOf && q.Is.errs() != 0:
		return a.narrow(w, v, q.Is.errs(), true)
	case v.k == respOf || v.k == statusOf:
		if q.Unsure {
			w = a.unsure(w, v)
		}
		left := Statuses(w.get(ref{v.obj, "#status"}).n) & q.Is.statuses()
		if left == 0 {
			return nil
		}
		return w.with(ref{v.obj, "#status"}, bitsVal(uint64(left)))
	}
	return a.doubts(w)
}

// send returns the world after a way sends t, or nil if that repeats an attempt.
func (a *application) send(st *site, t sent) *world {
	what := &attempt{method: t.Method, keyed: t.Keyed || a.w.get(mayKey).k != unknown, dials: t.Dials, req: a.operand(t.Req)}
	if t.Body.Of != 0 {
		what.body = a.value(0, t.Body)
	}
	if t.Given != 0 {
		method, keyed := a.method(a.operand(t.Given))
		what.method, what.given = trimQuotes(method.s), givenOf(method)
		what.keyed = what.keyed || keyed
	}
	c := a.begin(a.w, st, what)
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

// value returns what v, told of the i-th result or of a part of one, is here.
func (a *application) value(i int, v value) val {
	arg := a.operand(v.Of)
	switch v.Kind {
	case given:
		return arg
	case errOf, respOf, statusOf, wrappedErr, answerOf, readErr:
		switch {
		case v.Of < 0 && -v.Of <= len(a.sites):
			return val{k: v.Kind, s: v.Text, obj: a.sites[-v.Of-1]}
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
		a.freshRequest(a.made, a.call)
		a.putParts(a.call, v)
		return val{k: request, obj: a.call}
	case reader:
		return a.reader(arg, v)
	case object:
		obj := a.foreign(i, v.Text)
		if obj == nil {
			return val{k: nonNil}
		}
		a.putParts(obj, v)
		return val{k: object, obj: obj}
	case sentinel:
		if x, ok := a.fn.Pkg().Scope().Lookup(v.Text).(*types.Var); ok {
			return val{k: sentinel, obj: x}
		}
		return val{k: madeErr}
	}
	return val{k: v.Kind, s: v.Text}
}

// reader returns the reader v: a new one, the operand arg, or its body.
func (a *application) reader(arg val, v value) val {
	switch {
	case v.Of == 0:
		a.made.put(ref{a.call, "#used"}, val{})
		return val{k: reader, obj: a.call}
	case v.Text != "body":
		return arg
	case arg.k != request:
		return val{}
	}
	if body := a.w.get(ref{arg.obj, ".Body"}); body.k != unknown || !isRequestObj(arg.obj) {
		return body
	}
	return val{k: reader, obj: bodyOf{arg.obj}}
}

// putParts puts the parts of v, which is obj here.
func (a *application) putParts(obj any, v value) {
	for _, p := range v.Parts {
		a.made.put(ref{obj, p.Path}, a.value(0, p.Is))
	}
}

// foreign returns the object that is the i-th result, of a type of the function's package.
func (a *application) foreign(i int, name string) *foreign {
	obj, ok := a.fn.Pkg().Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil
	}
	key := fmt.Sprintf("%d.%d.%s", a.id(a.call), i, name)
	if a.foreigns[key] == nil {
		a.foreigns[key] = &foreign{obj.Type()}
	}
	return a.foreigns[key]
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
