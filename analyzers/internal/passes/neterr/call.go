package neterr

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A callOutcome is a way in which a call returns.
type callOutcome returned

// call returns the ways in which call may return from w.
func (e *engine) call(w *world, call *ast.CallExpr) []callOutcome {
	_, fn := e.Callee(call)
	if httpmodel.OriginOf(fn) == httpmodel.NoOrigin {
		if outs, ok := e.callSummary(w, call); ok {
			return outs
		}
	}
	results := make([]value, 1)
	if tuple, ok := e.info.TypeOf(call).(*types.Tuple); ok {
		results = make([]value, tuple.Len())
		if isErrorsFunc(fn, "AsType") {
			return e.asType(w, call, tuple.At(0).Type())
		}
		for i := range results {
			if typeset.IsBool(tuple.At(i).Type()) && e.mentionsError(call) {
				results[i].truth = vague
			}
		}
	} else if typeset.IsBool(e.info.TypeOf(call)) {
		var outs []callOutcome
		for _, o := range e.eval(w, call) {
			v := value{truth: truthOf(o.truth)}
			if o.vague {
				v.truth = vague
			}
			outs = append(outs, callOutcome{o.w, []value{v}})
		}
		return outs
	}
	last := len(results) - 1
	for last >= 0 && !IsError(resultType(e.info.TypeOf(call), last)) {
		last--
	}
	if last < 0 {
		return []callOutcome{{w, results}}
	}
	f := e.origin(call, fn)
	if f.Why.IsValid() {
		e.whys[f.Why] = call
	}
	results[last].err = call.Lparen
	return []callOutcome{{w.fresh(call.Lparen, f), results}}
}

func resultType(t types.Type, i int) types.Type {
	if tuple, ok := t.(*types.Tuple); ok {
		return tuple.At(i).Type()
	}
	return t
}

// origin returns what the error that call returns may be, fn being what it calls.
func (e *engine) origin(call *ast.CallExpr, fn *types.Func) Failure {
	origin := httpmodel.OriginOf(fn)
	if fn == nil {
		if sig, ok := typeset.Underlying(e.info, call.Fun).(*types.Signature); ok && httpmodel.Sends(sig) {
			origin = httpmodel.Client
		}
	}
	if args := e.callbacks(call, fn); args != nil {
		return e.failureOf(call, args...)
	}
	if i := e.paramIndex(call.Fun); i >= 0 {
		return Failure{Set: All, from: i + 1}
	}
	switch origin {
	case httpmodel.Client:
		set := FromClient()
		if fn == nil || fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) {
			set |= FromTransport() // it may be an *http.Client, or not
		}
		return Failure{Set: set, Why: call.Pos()}
	case httpmodel.Transport:
		return Failure{Set: FromTransport(), Why: call.Pos()}
	case httpmodel.RPC:
		return Failure{Set: FromRPC(), Why: call.Pos()}
	case httpmodel.RequestBody:
		return Failure{Set: FromRequestBody()}
	}
	if fn != nil && typeset.IsStd(fn.Pkg(), e.pass.Module) {
		switch {
		case typeset.IsFunc(fn, httpmodel.NetHTTP, "NewRequest", "NewRequestWithContext"),
			fn.Pkg().Path() == "net/url", fn.Pkg().Path() == "strconv",
			typeset.IsFunc(fn, "encoding/json", "Marshal", "Unmarshal"), typeset.IsFunc(fn, "errors", "New"):
			return Failure{Set: None | Other}
		case e.readsRequest(call):
			return Failure{Set: FromRequestBody()}
		}
	}
	return Failure{Set: All}
}

// asType returns the ways in which errors.AsType[t](err) returns.
func (e *engine) asType(w *world, call *ast.CallExpr, t types.Type) []callOutcome {
	w, ref, ok := e.errorOf(w, call.Args[0])
	if !ok {
		return []callOutcome{{w, []value{{}, {truth: vague}}}}
	}
	var outs []callOutcome
	for _, o := range e.askType(w, ref, t, true) {
		results := []value{{err: ref.id}, {truth: truthOf(o.truth)}}
		if !o.truth {
			o.w = o.w.fresh(call.Rparen, Failure{Set: None})
			results[0].err = call.Rparen
		}
		outs = append(outs, callOutcome{o.w, results})
	}
	return outs
}

// callSummary returns the ways in which call returns by the summary of what it
// calls, if there is one.
func (e *engine) callSummary(w *world, call *ast.CallExpr) ([]callOutcome, bool) {
	fun, fn := e.Callee(call)
	s := e.summaryOf(fun, fn)
	if s == nil {
		return nil, false
	}
	ref := errRef{}
	if s.Subject >= 0 {
		arg := argument(fun, fn, call, s.Subject)
		if arg == nil {
			return nil, false
		}
		var ok bool
		if s.field != nil {
			w, ref, ok = e.fieldError(w, arg, s.field)
		} else {
			w, ref, ok = e.errorOf(w, arg)
		}
		if !ok {
			return nil, false
		}
	}
	var outs []callOutcome
	for _, c := range s.Cases {
		for _, w := range e.apply(w, call, ref, s, c) {
			outs = append(outs, e.results(w, call, ref, c))
		}
	}
	return outs, true
}

// argument returns the argument of call for the parameter i of what it calls, fn or
// a function literal, where a receiver is the first.
func argument(fun ast.Expr, fn *types.Func, call *ast.CallExpr, i int) ast.Expr {
	if fn != nil && fn.Signature().Recv() != nil {
		sel, ok := fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		if i == 0 {
			return sel.X
		}
		i--
	}
	if i >= len(call.Args) || call.Ellipsis.IsValid() {
		return nil
	}
	return call.Args[i]
}

// fieldError returns the error in a field of x.
func (e *engine) fieldError(w *world, x ast.Expr, field *types.Var) (*world, errRef, bool) {
	p, ok := e.placeOf(x)
	if addr, is := ast.Unparen(x).(*ast.UnaryExpr); is && addr.Op == token.AND {
		p, ok = e.placeOf(addr.X)
	}
	if !ok || p.field != nil {
		return w, errRef{}, false
	}
	p.field = field
	e.whys[x.Pos()] = x
	if id := w.vals[p].err; id != token.NoPos {
		return w, errRef{id: id, asked: x.Pos()}, true
	}
	return w.with(p, value{err: x.Pos()}), errRef{id: x.Pos(), asked: x.Pos()}, true
}

// apply returns the worlds that the case c leaves of w, ref being its subject.
func (e *engine) apply(w *world, call *ast.CallExpr, ref errRef, s *summary, c summaryCase) []*world {
	if s.Subject < 0 {
		return []*world{w}
	}
	f := w.failure(ref.id)
	mask := c.Mask
	if ref.depth > 0 {
		mask = mask.spread()
	}
	if f.Set &= mask; f.Set == 0 {
		return nil
	}
	if c.Net {
		f.Why = ref.asked
	}
	f.Excused = f.Excused || c.Excused
	w = w.withErr(ref.id, f)
	var outs []outcome
	switch c.Generic.Kind {
	case noGeneric:
		return []*world{w}
	case typeParam:
		t := typeArgument(e.info, call.Fun, c.Generic.Index)
		if t == nil {
			return []*world{w.excuse()}
		}
		outs = e.askType(w, ref, t, true)
	default:
		fun, fn := e.Callee(call)
		arg := argument(fun, fn, call, c.Generic.Index)
		switch {
		case arg == nil:
			return []*world{w.excuse()}
		case e.paramIndex(arg) >= 0:
			outs = e.askGeneric(w, ref, generic{Kind: c.Generic.Kind, Index: e.paramIndex(arg)})
		case c.Generic.Kind == isSentinel:
			outs = e.ask(w, ref, sentinelQuestion(e.objectOf(arg), true))
		default:
			ptr, ok := types.Unalias(e.info.TypeOf(arg)).(*types.Pointer)
			if !ok {
				return []*world{w.excuse()}
			}
			outs = e.askType(w, ref, ptr.Elem(), true)
			if addr, ok := ast.Unparen(arg).(*ast.UnaryExpr); ok && c.Generic.Yes {
				if p, ok := e.placeOf(addr.X); ok {
					for i := range outs {
						outs[i].w = outs[i].w.with(p, value{err: ref.id})
					}
				}
			}
		}
	}
	outs = slices.DeleteFunc(outs, func(o outcome) bool { return o.truth != c.Generic.Yes })
	return worldsOf(outs)
}

// typeArgument returns the i'th type argument with which fun is instantiated.
func typeArgument(info *types.Info, fun ast.Expr, i int) types.Type {
	var id *ast.Ident
	switch x := ast.Unparen(fun).(type) {
	case *ast.IndexExpr:
		return typeArgument(info, x.X, i)
	case *ast.IndexListExpr:
		return typeArgument(info, x.X, i)
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	if args := info.Instances[id].TypeArgs; args != nil && i < args.Len() {
		return args.At(i)
	}
	return nil
}

// results returns the outcome of call in w by the case c.
func (e *engine) results(w *world, call *ast.CallExpr, ref errRef, c summaryCase) callOutcome {
	out := callOutcome{w, make([]value, len(c.Results))}
	for i, r := range c.Results {
		v := &out.results[i]
		switch r.Kind {
		case trueResult:
			v.truth = yes
		case falseResult:
			v.truth = no
		case vagueResult:
			v.truth = vague
		case constResult:
			v.class = r.Const
		case sameResult:
			v.err = ref.id
		case nilResult:
			v.err = call.Rparen
			out.w = out.w.fresh(v.err, Failure{Set: None})
		case freshResult:
			v.err = call.Lparen
			f := Failure{Set: r.Set, name: r.Name}
			if r.Net {
				f.Why = call.Pos()
			}
			if r.From > 0 {
				fun, fn := e.Callee(call)
				f = e.failureOf(call, argument(fun, fn, call, r.From-1))
			}
			e.whys[call.Pos()] = call
			out.w = out.w.fresh(v.err, f)
		}
		if r.Part != "" {
			v.part = errorPart(resultType(e.info.TypeOf(call), i))
		}
	}
	return out
}
