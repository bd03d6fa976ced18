package relays

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// A Relay is a place where a body is sent without a look at its status.
type Relay struct {
	Send    ast.Node      // the call that sends, or of the helper that does; or the return of a reply
	Fetch   *ast.CallExpr // the call that brings the response, or of the helper that does
	Code    int           // the status that is answered; 0 if none is set
	SentAt  token.Pos     // in the helper, if it is of this package
	FetchAt token.Pos     // likewise
	Places  []Place       // where the status can be passed on, for all that is sent of the response; or nil
}

// A Place is where the status of a response can be passed on.
type Place struct {
	Call     *ast.CallExpr // the call that sends, and before which nothing is sent
	Status   ast.Expr      // what sets the status instead, if something does
	Response *types.Var    // has the response there, on all paths
}

// set makes a the answer, which the expression by says.
func (e *engine) set(w *world, a answer, by ast.Expr) {
	w.answer, w.by = a, by
	e.hold(w, by)
}

// hold notes which variables hold the response of one origin, and nothing else, in all
// worlds that reach n, a call or an operand of one.
func (e *engine) hold(w *world, n ast.Node) {
	if !e.record {
		return
	}
	now := make(map[*types.Var]int)
	for v, val := range w.held {
		if len(val) == 1 && val[0].kind == response && val[0].path == "" {
			now[v] = val[0].from
		}
	}
	old, ok := e.holders[n]
	if !ok {
		e.holders[n] = now
		return
	}
	maps.DeleteFunc(old, func(v *types.Var, from int) bool {
		id, ok := now[v]
		return !ok || id != from
	})
}

// relays returns what is to be reported in the function: of each response the first
// place.
func (e *engine) relays() []*Relay {
	byOrigin := make(map[int][]sending)
	for _, t := range e.sent {
		if e.reports(t) && t.answer.good() {
			byOrigin[t.origin] = append(byOrigin[t.origin], t)
		}
	}
	var all []*Relay
	for id, sent := range byOrigin {
		t := slices.MinFunc(sent, func(x, y sending) int { return int(x.call.Pos() - y.call.Pos()) })
		o := e.origins[id]
		all = append(all, &Relay{Send: t.call, Fetch: o.call, Code: int(t.answer), SentAt: t.at, FetchAt: o.at, Places: e.places(sent)})
	}
	slices.SortFunc(all, func(x, y *Relay) int { return cmp.Or(int(x.Send.Pos()-y.Send.Pos()), int(x.Fetch.Pos()-y.Fetch.Pos())) })
	return slices.CompactFunc(all, func(x, y *Relay) bool {
		if x.Send == y.Send {
			x.Places = nil // which status?
		}
		return x.Send == y.Send
	})
}

// places returns where the status can be passed on for all that is sent of one
// response, or nil.
func (e *engine) places(sent []sending) (places []Place) {
	for _, t := range sent {
		call, ok := t.call.(*ast.CallExpr)
		if !ok {
			return nil
		}
		p := Place{Call: call, Status: t.by}
		n := t.call
		if t.by != nil {
			n = t.by
		}
		if t.answer != implied && t.by == nil || t.by == nil && t.wrote {
			return nil
		}
		for v, from := range e.holders[n] {
			if from == t.origin && (p.Response == nil || v.Pos() < p.Response.Pos()) {
				p.Response = v
			}
		}
		if p.Response == nil {
			return nil
		}
		if !slices.ContainsFunc(places, func(q Place) bool { return p.Status != nil && p.Status == q.Status }) {
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(x, y Place) int { return int(x.Call.Pos() - y.Call.Pos()) })
	return slices.Compact(places)
}
