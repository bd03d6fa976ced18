package drains

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about goroutines.

// A launch is a goroutine to start.
type launch struct {
	at    ast.Node                 // the statement or call that starts it
	run   func(w *world) []outcome // what it does
	first func(w *world) []*world  // what it waits for before that, if not nil
	group string                   // the group that it is a member of, if any
	timed bool                     // it starts after some time
	asked bool                     // it starts when a client asks for it
}

// start follows a goroutine, and returns the world after it was started.
func (f *follower) start(w *world, l launch) *world {
	base := fmt.Sprint(l.at.Pos())
	for _, fr := range f.stack[1:] {
		base += fmt.Sprintf(",%d", fr.call.Pos())
	}
	for _, place := range slices.Sorted(maps.Keys(w.env)) {
		if v := w.env[place]; strings.HasPrefix(place, "count@") && v.n > 0 {
			base += fmt.Sprintf(";%d", v.n) // Have: a round of a loop over a list in view.
		}
	}
	for _, t := range w.threads {
		if strings.HasPrefix(t.id, base+"#") {
			return w // Have: a loop.
		}
	}
	entry := w.clone()
	entry.defers, entry.results, entry.threads, entry.clock = nil, nil, nil, 0
	for fact := range entry.facts {
		if strings.HasPrefix(fact, "trigger:") {
			entry = entry.drop(fact)
		}
	}
	id := fmt.Sprintf("%s#%x", base, entry.id())
	t := f.done[id]
	if t == nil {
		t = &thread{id: id, timed: l.timed || f.thread != nil && f.thread.timed, defers: w.defers}
		f.done[id] = t
		entry = entry.clone()
		entry.threads = w.threads
		f.runThread(t, l, entry)
	}
	if f.thread != nil && !slices.Contains(f.thread.kids, t) {
		f.thread.kids = append(f.thread.kids, t)
	}
	w = w.clone()
	w.threads = append(slices.Clone(w.threads), t)
	return w
}

// runThread follows the goroutine t from entry.
func (f *follower) runThread(t *thread, l launch, entry *world) {
	outer := f.thread
	f.thread = t
	defer func() { f.thread = outer }()
	worlds := []*world{entry}
	if l.timed {
		worlds[0] = entry.add("trigger:timer", l.at.Pos())
	}
	if l.asked {
		worlds[0] = entry.add("trigger:request", l.at.Pos())
	}
	if l.first != nil {
		worlds = l.first(entry)
	}
	for _, w := range worlds {
		for _, o := range l.run(w) {
			if l.group != "" {
				f.emit(o.w, "done:"+l.group, o.v, l.at)
			}
		}
	}
}

// launched returns the launch of a goroutine that calls fun without arguments.
func (f *follower) launched(fun *value, at *ast.CallExpr) launch {
	return launch{at: at, run: func(w *world) []outcome { return f.apply(w, fun, nil, at) }}
}

// told returns the channel that the node at closes or sends to, if that is a variable
// or field.
func (f *follower) told(at ast.Node) *types.Var {
	switch at := at.(type) {
	case *ast.SendStmt:
		return typeset.VarOf(f.info, at.Chan)
	case *ast.CallExpr:
		if len(at.Args) == 1 && builtinOf(f.info, at) == "close" {
			return typeset.VarOf(f.info, at.Args[0])
		}
	}
	return nil
}

// emit notes an event of the goroutine at hand.
func (f *follower) emit(w *world, what string, v *value, at ast.Node) {
	if f.thread == nil {
		return
	}
	for _, e := range f.thread.events {
		if e.what == what && e.world.id() == w.id() {
			return
		}
	}
	f.thread.events = append(f.thread.events, event{fmt.Sprintf("%s at %d", f.thread.id, at.Pos()), what, v, f.told(at), w, f.thread})
}
