package neterr

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/cfg"
)

// A summary says what a call of a function tells of the error that it gets, its
// subject, and what its results are: in cases, one of which applies.
type summary struct {
	Subject int // which parameter (the receiver counts as the first); -1 if none
	Cases   []summaryCase

	field *types.Var // the subject is this field of the parameter
}

type summaryCase struct {
	Mask    Set  // what the subject may be
	Net     bool // it was asked whether it is a failure of the network
	Excused bool
	Generic generic
	Results []result
}

// A result is what a function returns.
type result struct {
	Kind resultKind
	Set  Set // of a fresh error
	Net  bool
}

type resultKind uint8

const (
	anyResult resultKind = iota
	trueResult
	falseResult
	vagueResult
	nilResult
	sameResult  // the subject, or what wraps it
	freshResult // another error
)

// maxCases bounds the cases of a summary; a function with more says nothing.
const maxCases = 12

// summarize returns the summary of the function node, or nil.
func (p *Info) summarize(node ast.Node) *summary {
	e := p.newEngine(node)
	sig := e.signature()
	useful := false
	for v := range sig.Results().Variables() {
		useful = useful || isBool(v.Type()) || IsError(v.Type())
	}
	if !useful {
		return nil
	}
	f := e.solve(State{worlds: []*world{emptyWorld}})
	if f == nil {
		return nil
	}
	s := &summary{Subject: -1}
	var rows []returned
	lost := false
	f.Walk(func(_ *cfg.Block, n ast.Node, st State) {
		lost = lost || st.lost
		if ret, ok := n.(*ast.ReturnStmt); ok {
			for _, w := range st.worlds {
				rows = append(rows, e.returns(w, ret)...)
			}
		}
	})
	if lost || len(rows) == 0 {
		return nil
	}
	subject := e.subject(rows)
	s.Subject, s.field = subject.index, subject.field
	for _, row := range rows {
		s.add(e.caseOf(row, subject))
	}
	if len(s.Cases) > maxCases {
		return nil
	}
	slices.SortFunc(s.Cases, func(x, y summaryCase) int { return strings.Compare(x.key(), y.key()) })
	return s
}

// add adds c, or widens the case that has the same results.
func (s *summary) add(c summaryCase) {
	i := slices.IndexFunc(s.Cases, func(other summaryCase) bool { return other.key() == c.key() })
	if i < 0 {
		s.Cases = append(s.Cases, c)
		return
	}
	s.Cases[i].Mask |= c.Mask
	for k, r := range c.Results {
		s.Cases[i].Results[k].Set |= r.Set
		s.Cases[i].Results[k].Net = s.Cases[i].Results[k].Net || r.Net
	}
}

// key says what tells c from the other cases of its summary.
func (c summaryCase) key() string {
	kinds := make([]resultKind, len(c.Results))
	for i, r := range c.Results {
		kinds[i] = r.Kind
	}
	return fmt.Sprint(c.Net, c.Excused, c.Generic, kinds)
}

// A returned is one way in which a function returns.
type returned struct {
	w       *world
	results []value
}

// returns returns the ways in which ret returns from w.
func (e *engine) returns(w *world, ret *ast.ReturnStmt) []returned {
	sig := e.signature()
	if len(ret.Results) == 0 {
		row := returned{w: w}
		for v := range sig.Results().Variables() {
			row.results = append(row.results, w.vals[place{root: v}])
		}
		return []returned{row}
	}
	if len(ret.Results) == 1 && sig.Results().Len() > 1 {
		var rows []returned
		if call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr); ok {
			for _, o := range e.call(w, call) {
				rows = append(rows, returned(o))
			}
		}
		return rows
	}
	rows := []returned{{w: w}}
	for _, x := range ret.Results {
		var next []returned
		for _, row := range rows {
			for _, o := range e.resultOf(row.w, x) {
				next = append(next, returned{o.w, append(slices.Clone(row.results), o.results...)})
			}
		}
		rows = next
	}
	return rows
}

// resultOf returns the values that the result x may have in w.
func (e *engine) resultOf(w *world, x ast.Expr) []returned {
	one := func(w *world, v value) []returned { return []returned{{w, []value{v}}} }
	x = ast.Unparen(x)
	t := e.info.TypeOf(x)
	switch {
	case isBool(t):
		var rows []returned
		for _, o := range e.eval(w, x) {
			v := value{truth: truthOf(o.truth)}
			if o.vague {
				v.truth = vague
			}
			rows = append(rows, one(o.w, v)...)
		}
		return rows
	case e.isNil(x):
		return one(w.fresh(x.Pos(), Failure{Set: None}), value{err: x.Pos()})
	case IsError(t):
		if call, ok := x.(*ast.CallExpr); ok && !e.info.Types[call.Fun].IsType() {
			if _, fn := e.Callee(call); !httpmodel.Wraps(fn) && !isErrorsFunc(fn, "Unwrap") {
				var rows []returned
				for _, o := range e.call(w, call) {
					rows = append(rows, returned(o))
				}
				return rows
			}
		}
		if w, ref, ok := e.errorOf(w, x); ok {
			return one(w, value{err: ref.id})
		}
	}
	return one(w, value{})
}

// A subject is what a function asks about: a parameter, or a field of one.
type subject struct {
	index int
	place place
	field *types.Var
}

// subject returns what the function of rows asks about.
func (e *engine) subject(rows []returned) subject {
	for i, p := range e.params() {
		if IsError(p.Type()) {
			return subject{index: i, place: place{root: p}}
		}
	}
	for i, p := range e.params() {
		for _, row := range rows {
			for _, at := range slices.SortedFunc(maps.Keys(row.w.vals), comparePlaces) {
				if at.root == p && at.field != nil && row.w.vals[at].err != token.NoPos && IsError(at.field.Type()) {
					return subject{i, at, at.field}
				}
			}
		}
	}
	return subject{index: -1}
}

// caseOf returns the case that row is.
func (e *engine) caseOf(row returned, s subject) summaryCase {
	c := summaryCase{Mask: All}
	id := token.NoPos
	if s.index >= 0 {
		id = s.place.root.Pos()
		if s.field != nil {
			id = row.w.vals[s.place].err
		}
		f := row.w.failure(id)
		c.Mask, c.Net, c.Excused, c.Generic = f.Set, f.Why.IsValid(), f.Excused, f.generic
	}
	for _, v := range row.results {
		r := result{}
		switch {
		case v.truth == yes:
			r.Kind = trueResult
		case v.truth == no:
			r.Kind = falseResult
		case v.truth == vague:
			r.Kind = vagueResult
		case v.err == token.NoPos:
		case v.err == id:
			r.Kind = sameResult
		default:
			f := row.w.failure(v.err)
			if f.Set == None {
				r.Kind = nilResult
				break
			}
			r = result{freshResult, f.Set, f.Why.IsValid() && !f.Excused && f.Set&Dial != 0}
		}
		c.Results = append(c.Results, r)
	}
	return c
}

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
			if isBool(tuple.At(i).Type()) && e.mentionsError(call) {
				results[i].truth = vague
			}
		}
	} else if isBool(e.info.TypeOf(call)) {
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
	if last < 0 || !IsError(resultType(e.info.TypeOf(call), last)) {
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
		if sig, ok := types.Unalias(e.info.TypeOf(call.Fun)).Underlying().(*types.Signature); ok && httpmodel.Sends(sig) {
			origin = httpmodel.Client
		}
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
	case httpmodel.RequestBody:
		return Failure{Set: FromRequestBody()}
	}
	if fn != nil && e.isStd(fn.Pkg()) {
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
		case sameResult:
			v.err = ref.id
		case nilResult:
			v.err = call.Rparen
			out.w = out.w.fresh(v.err, Failure{Set: None})
		case freshResult:
			v.err = call.Lparen
			f := Failure{Set: r.Set}
			if r.Net {
				f.Why = call.Pos()
				e.whys[f.Why] = call
			}
			out.w = out.w.fresh(v.err, f)
		}
	}
	return out
}
