package resend

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A sending says what a call sends.
type sending struct {
	req    ast.Expr // the request; or else:
	method string
	body   ast.Expr // nil if none
	keyed  bool     // a header among the calls before it
	dials  bool     // it opens a WebSocket
}

// sendOf returns what call sends by itself, or nil.
func (e *engine) sendOf(call *ast.CallExpr, fn *types.Func) *sending {
	if fn == nil {
		// A function value, of the shape of http.Client.Do.
		t := e.info.TypeOf(call.Fun)
		if t == nil {
			return nil
		}
		if sig, ok := t.Underlying().(*types.Signature); ok && httpmodel.LooksLikeDo(sig) && !e.info.Types[call.Fun].IsType() {
			return e.doing(call, sig)
		}
		return nil
	}
	if method, ok := httpmodel.RestySend(fn); ok {
		s := &sending{method: method}
		if fn.Name() == "Execute" && len(call.Args) > 0 {
			if tv := e.info.Types[call.Args[0]]; tv.Value != nil {
				s.method = trimQuotes(tv.Value.ExactString())
			}
		}
		s.keyed = e.chainNamesKey(call)
		return s
	}
	if method, ok := httpmodel.HeimdallSend(fn); ok {
		s := &sending{method: method}
		headers := call.Args[len(call.Args)-1]
		_, isLiteral := ast.Unparen(headers).(*ast.CompositeLit)
		s.keyed = e.chainNamesKey(call) || !isLiteral && !e.info.Types[headers].IsNil()
		if len(call.Args) == 3 {
			s.body = call.Args[1]
		}
		return s
	}
	if method, ok := httpmodel.FastSend(fn); ok {
		if method == "" && len(call.Args) > 1 {
			return &sending{req: call.Args[0]}
		}
		return &sending{method: method}
	}
	if httpmodel.IsWebsocketDial(fn) {
		return &sending{method: "GET", dials: true}
	}
	if e.index.Decl(fn) != nil {
		return nil
	}
	path := ""
	if fn.Pkg() != nil {
		path = typeset.PkgPath(fn.Pkg())
	}
	if path == httpmodel.NetHTTP || path == httpmodel.RetryablePath {
		recv := fn.Signature().Recv()
		if recv != nil && !typeset.IsNamed(recv.Type(), path, "Client") && fn.Name() != "RoundTrip" {
			return nil
		}
		switch fn.Name() {
		case "Get":
			if recv == nil || len(call.Args) == 1 {
				return &sending{method: "GET"}
			}
		case "Head":
			return &sending{method: "HEAD"}
		case "PostForm":
			return &sending{method: "POST"}
		case "Post":
			if len(call.Args) == 3 {
				return &sending{method: "POST", body: call.Args[2], keyed: e.isQuestion(call.Args[1])}
			}
		case "Do", "RoundTrip":
			if len(call.Args) == 1 {
				return &sending{req: call.Args[0]}
			}
		}
		return nil
	}
	if httpmodel.LooksLikeDo(fn.Signature()) {
		return e.doing(call, fn.Signature())
	}
	return nil
}

// doing returns what a function of the shape of http.Client.Do sends.
func (e *engine) doing(call *ast.CallExpr, sig *types.Signature) *sending {
	for i := range min(sig.Params().Len(), len(call.Args)) {
		if httpmodel.IsRequest(sig.Params().At(i).Type()) {
			return &sending{req: call.Args[i]}
		}
	}
	return nil
}

// isQuestion reports whether e is the content type of a POST that only asks.
func (e *engine) isQuestion(x ast.Expr) bool {
	tv := e.info.Types[x]
	return tv.Value != nil && httpmodel.IsQuestion(trimQuotes(tv.Value.ExactString()))
}

// chainNamesKey reports whether a call of the chain that call ends names a key.
func (e *engine) chainNamesKey(call *ast.CallExpr) bool {
	found := false
	ast.Inspect(call, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && httpmodel.NamesDedup(trimQuotes(lit.Value)) {
			found = true
		}
		return !found
	})
	return found
}

// siteKey names a call by the calls that lead to it.
func (f *frame) siteKey(call ast.Node) string {
	var b strings.Builder
	for _, c := range f.calls {
		fmt.Fprintf(&b, "%d.", f.id(c))
	}
	fmt.Fprintf(&b, "%d", f.id(call))
	return b.String()
}

// site returns the site of a call in the frame.
func (f *frame) site(call ast.Node) *site { return f.siteAt(call, "") }

// siteAt returns one of several sites of a call, by a name.
func (f *frame) siteAt(call ast.Node, name string) *site {
	key := f.siteKey(call) + name
	s := f.sites[key]
	if s == nil {
		s = &site{key: key, calls: append(slices.Clone(f.calls), call)}
		f.sites[key] = s
	}
	return s
}

// An attempt is a sending, with what its parts are in a world.
type attempt struct {
	method    string
	given     int // the operand that the method is, or whose method it is, or that is called; 0 for none
	req, body val
	keyed     bool
	dials     bool
	callback  bool
}

// attemptOf returns what is sent in a world.
func (f *frame) attemptOf(w *world, what *sending) *attempt {
	a := &attempt{method: what.method, keyed: what.keyed, dials: what.dials}
	switch {
	case what.req != nil:
		a.req = f.eval(w, what.req)
		f.readRequest(w, a)
	case what.body != nil:
		a.body = f.eval(w, what.body)
	}
	return a
}

// readRequest takes what is known of the request of an attempt.
func (f *frame) readRequest(w *world, a *attempt) {
	if a.req.k != request && a.req.k != object {
		return
	}
	method := w.get(ref{a.req.obj, ".Method"})
	a.method = trimQuotes(method.s)
	if method.k == given {
		a.given = int(method.n)
	}
	a.body = w.get(ref{a.req.obj, ".Body"})
	if a.body.k == unknown && a.req.k == request && isRequestObj(a.req.obj) && !isFast(a.req.obj) {
		a.body = val{k: reader, obj: bodyOf{a.req.obj}}
	}
	a.keyed = w.get(ref{a.req.obj, "#key"}).k != unknown || w.get(mayKey).k != unknown
	if method.k == constant_ && a.method == "" && a.req.k == request && !isRequestObj(a.req.obj) && w.get(ref{a.req.obj, "#made"}).k != unknown {
		a.method = "GET"
	}
}

// send returns the worlds after a request is sent: one without a response, one with.
func (f *frame) send(w *world, call *ast.CallExpr, what *sending) state {
	st := f.site(call)
	lost := f.begin(w, st, f.attemptOf(w, what))
	if lost == nil {
		return nil
	}
	return f.splits(lost, st, call)
}

// callGiven returns the worlds after a call of a function that the one at hand is given.
func (f *frame) callGiven(w *world, call *ast.CallExpr, fn val) state {
	f.calledGiven = true
	st := f.site(call)
	lost := f.begin(w, st, &attempt{given: int(fn.n), callback: true})
	if lost == nil {
		return nil
	}
	return f.splits(lost, st, call)
}

// splits returns the two worlds that come of an attempt: without a response, which lost
// becomes, and with one.
func (f *frame) splits(lost *world, st *site, call *ast.CallExpr) state {
	answered := lost.clone()
	lost.put(ref{st, "#err"}, val{k: bits, n: uint64(allErrs)})
	answered.put(ref{st, "#status"}, val{k: bits, n: uint64(allStatuses)})
	tuple := resultsOf(f.info, call)
	for i := range tuple.Len() {
		t := tuple.At(i).Type()
		switch {
		case httpmodel.IsError(t):
			lost.put(ref{call, digit(i)}, val{k: errOf, obj: st})
			answered.put(ref{call, digit(i)}, val{k: isNil})
		case httpmodel.IsResponse(t), typeset.IsNamed(t, httpmodel.RestyPath, "Response"):
			answered.put(ref{call, digit(i)}, val{k: respOf, obj: st})
			lost.put(ref{call, digit(i)}, val{k: isNil})
			if !httpmodel.IsResponse(t) {
				lost.put(ref{call, digit(i)}, val{})
			}
		case typeset.IsInteger(t):
			answered.put(ref{call, digit(i)}, val{k: statusOf, obj: st})
		default:
			answered.put(ref{call, digit(i)}, val{k: nonNil})
			lost.put(ref{call, digit(i)}, val{k: isNil})
		}
	}
	if _, ok := httpmodel.FastSend(typeset.Callee(f.info, call)); ok && tuple.Len() == 1 && len(call.Args) > 1 {
		if r, ok := f.place(answered, call.Args[1]); ok { // the response that is filled in
			answered = answered.assign(r, val{k: respOf, obj: st})
		}
	}
	return f.join(state{lost}, state{answered})
}

// begin returns a world of its own in which an attempt is made, of which nobody knows
// yet what came of it; nil if it repeats one of the same place.
func (f *frame) begin(w *world, st *site, a *attempt) *world {
	body := a.body
	if _, came := body.obj.(bodyOf); came && slices.Contains(bodiless, a.method) {
		body = val{}
	}
	if body.k == reader && w.get(ref{body.obj, "#empty"}).k != unknown {
		body = val{} // Have: http.NoBody.
	}
	used := val{}
	if body.k == reader {
		used = w.get(ref{body.obj, "#used"})
	}
	if prior := f.priorOf(w, st, a.req, used); prior != nil {
		ev := &Event{Method: a.method, given: a.given, callback: a.callback, Keyed: a.keyed, Dials: a.dials}
		if s, ok := used.obj.(*site); ok && (Errs(w.get(ref{s, "#err"}).n) != Dial) {
			ev.Body = f.bodyOf(body, a.req, s, w)
		}
		f.emit(w, st, prior, ev)
		if prior == st {
			return nil
		}
		if body.k == reader {
			w = w.with(ref{body.obj, "#used"}, val{})
		}
	}
	// Have: the first attempt at this place.
	if a.method == "POST" || a.method == "PATCH" {
		f.sentOnce = append(f.sentOnce, f.event(st, &Event{Method: a.method, Keyed: a.keyed}))
	}
	base := w.clone()
	for _, other := range w.sent() {
		base.put(ref{other, "#passed"}, val{k: nonNil})
	}
	base.put(ref{st, "#sent"}, val{k: nonNil})
	for _, of := range []string{"#waited", "#passed", "#loop", "#err", "#status", "#unsure"} {
		base.forget(ref{st, of})
	}
	if a.req.k == request {
		base.put(ref{a.req.obj, "#by"}, val{k: nonNil, obj: st})
	}
	if body.k == reader {
		base.put(ref{body.obj, "#used"}, val{k: nonNil, obj: st})
	}
	if f.params != nil && !a.callback {
		f.noteSent(base, st, a, body)
	}
	return base
}

// priorOf returns the site of the attempt that one at st repeats, or nil: the same
// place, one that sent the same request, one that reads the same, or one that does the
// same in the same words.
func (f *frame) priorOf(w *world, st *site, req, used val) *site {
	if w.get(ref{st, "#sent"}).k != unknown {
		return st
	}
	if s, ok := used.obj.(*site); ok {
		return s
	}
	if req.k == request {
		if s, ok := w.get(ref{req.obj, "#by"}).obj.(*site); ok {
			return s
		}
	}
	for _, s := range w.sent() {
		if len(s.calls) == len(st.calls) && len(s.calls) > 1 && s.calls[len(s.calls)-1] == st.calls[len(st.calls)-1] {
			a, ok1 := s.calls[0].(*ast.CallExpr)
			b, ok2 := st.calls[0].(*ast.CallExpr)
			if ok1 && ok2 && f.sameWords(a, b) {
				return s
			}
		}
	}
	return nil
}

// sameWords reports whether two calls are written alike, and what they name is the same
// and does not change in between.
func (f *frame) sameWords(a, b *ast.CallExpr) bool {
	if a == b || types.ExprString(a) != types.ExprString(b) || f.inOneLoop(a, b) || f.changes(a, b) {
		return false
	}
	names := func(call *ast.CallExpr) (objs []types.Object) {
		ast.Inspect(call, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				objs = append(objs, f.info.Uses[id])
			}
			return true
		})
		return objs
	}
	objs := names(a)
	if !slices.Equal(objs, names(b)) {
		return false
	}
	return !slices.ContainsFunc(objs, func(obj types.Object) bool {
		v, ok := obj.(*types.Var)
		return ok && !v.IsField() && len(f.index.Defs(v)) > 1 && !typeset.IsNamed(v.Type(), "context", "Context")
	})
}

// changes reports whether a method is called on an argument of two calls, or a part of
// it is set, between them.
func (f *frame) changes(a, b *ast.CallExpr) bool {
	args := make(map[*types.Var]bool)
	for _, arg := range a.Args {
		if v := typeset.Root(f.info, arg); v != nil && !typeset.IsNamed(v.Type(), "context", "Context") {
			args[v] = true
		}
	}
	found := false
	ast.Inspect(f.entry, func(n ast.Node) bool {
		if n == nil || n.End() <= a.End() || b.Pos() <= n.Pos() {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && n.Pos() > a.End() {
				found = found || args[typeset.Root(f.info, sel.X)]
			}
		case *ast.IndexExpr:
			found = found || n.Pos() > a.End() && args[typeset.Root(f.info, n)]
		}
		return !found
	})
	return found
}

// inOneLoop reports whether a loop of the entry holds one of two calls only: what comes
// after all rounds does not repeat the last one.
func (f *frame) inOneLoop(a, b ast.Node) bool {
	found := false
	ast.Inspect(f.entry, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = found || syntax.Within(a, n) != syntax.Within(b, n)
		}
		return !found
	})
	return found
}

// event fills in where an event happens.
func (f *frame) event(st *site, ev *Event) *Event {
	ev.Entry = f.entry
	ev.Calls = st.calls
	if decl, ok := f.entry.(*ast.FuncDecl); ok && f.scans[decl].names {
		ev.Keyed = true
	}
	return ev
}

// emit adds an event.
func (f *frame) emit(w *world, st, prior *site, ev *Event) {
	ev = f.event(st, ev)
	if st == prior {
		ev.Loop = w.loopOf(st)
	}
	ev.Doubt = w.doubt
	ev.Errs = Errs(w.get(ref{prior, "#err"}).n)
	ev.Status = Statuses(w.get(ref{prior, "#status"}).n)
	ev.Unsure = w.get(ref{prior, "#unsure"}).k != unknown
	ev.Waited = w.get(ref{prior, "#waited"}).k != unknown
	ev.Passed = w.get(ref{prior, "#passed"}).k != unknown
	ev.Sleep = w.sleep
	f.found = append(f.found, ev)
}

// freshRequest forgets what was known of a request made at call, and who held it: what
// is made now is another one.
func (f *frame) freshRequest(c *world, call *ast.CallExpr) {
	for r, v := range c.m {
		if r.obj == call && len(r.path) > 1 || v.k == request && v.obj == call {
			c.forget(r)
		}
	}
	c.put(ref{call, "#made"}, val{k: nonNil})
}
