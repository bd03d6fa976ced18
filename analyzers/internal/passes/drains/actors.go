package drains

import (
	"fmt"
	"go/ast"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about functions that others call: actors of a group, of which the end of
// the first interrupts all, and handlers.

// signalActor is the id of what an actor is made of that waits for a signal.
const signalActor = "signal actor"

// addActor returns w with an actor, of what it does and what interrupts it, in the group.
func (f *follower) addActor(w *world, group *value, actor []*value, call *ast.CallExpr) *world {
	if actor[0].id == signalActor {
		return w.add("signalled:"+group.id, call.Pos())
	}
	l := f.launched(actor[0], call)
	l.group = group.id
	w = f.start(w, l)
	place := group.id + ".interrupts"
	list := &value{id: fmt.Sprintf("%s@%d", place, call.Pos())}
	if old := w.env[place]; old != nil {
		list.values = append(list.values, old.values...)
	}
	list.values = append(list.values, actor[1])
	return w.set(place, list)
}

// runActors returns the outcomes of running a group: one actor ends, at a signal if
// one waits for it, all are interrupted, and all are waited for.
func (f *follower) runActors(w *world, group *value, call *ast.CallExpr) []outcome {
	signalled := w.has("signalled:" + group.id)
	for _, e := range w.eventsOf("done:" + group.id) {
		signalled = signalled || e.world.has("signalled")
	}
	w = w.idled(call.Pos())
	if signalled {
		w = w.add("signalled", call.Pos())
	}
	worlds := state{w}
	if list := w.env[group.id+".interrupts"]; list != nil {
		for _, interrupt := range list.values {
			worlds = worlds.each(func(w *world) []*world { return worldsOf(f.apply(w, interrupt, []*value{{}}, call)) })
		}
	}
	var outs []outcome
	for _, w := range worlds {
		outs = append(outs, f.wait(w, group.id, call)...)
	}
	return outs
}

// isHandler reports whether a function looks like a handler.
func (p *Info) isHandler(fn ast.Node) bool {
	sig := typeset.SignatureOf(p.infoOf(fn), fn)
	return sig != nil && httpmodel.LooksLikeHandler(sig)
}
