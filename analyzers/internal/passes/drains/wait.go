package drains

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"
	"time"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// isDone reports whether the context v is done in w, and since where.
func (w *world) isDone(v *value) (token.Pos, bool) {
	for c := v; c != nil; c = c.parent {
		if pos, ok := w.facts["done:"+c.id]; ok {
			return pos, true
		}
	}
	return 0, false
}

// isAged reports whether the time of the context v has run while the program was
// waiting for its end, and since where.
func (w *world) isAged(v *value) (made *value, ok bool) {
	for c := v; c != nil; c = c.parent {
		if c.how == byDeadline && w.has("aged:"+c.id) {
			return c, true
		}
	}
	return nil, false
}

// idled returns w after a wait that lasts as long as the program.
func (w *world) idled(pos token.Pos) *world {
	for fact := range w.facts {
		if id, ok := strings.CutPrefix(fact, "made:"); ok {
			w = w.add("aged:"+id, pos)
		}
		if strings.HasPrefix(fact, "ended:") {
			w = w.drop(fact) // Have: no handler needs it any more, or has the whole time.
		}
	}
	w = w.clone()
	w.clock = 0
	return w.drop("waited").drop("turned").drop("called").add("idled", pos)
}

// waited returns w after it waited for what.
func (w *world) waited(what string, pos token.Pos) *world {
	return w.add("got:"+what, pos).add("trigger:"+what, pos).add("paused", pos)
}

// A choice says what else a goroutine waits for.
type choice int

const (
	alone   choice = iota // nothing
	failing               // other clauses of a select, which bring errors
	another               // any other clause
	timed                 // one that is about time
)

// receive returns the outcomes of a receive from c.
func (f *follower) receive(w *world, c *value, at ast.Node, choice choice) []outcome {
	zero := &value{id: fmt.Sprintf("received@%d", at.Pos())}
	wrap := func(worlds ...*world) (outs []outcome) {
		for _, w := range worlds {
			outs = append(outs, outcome{w: w, v: zero})
		}
		return outs
	}
	switch {
	case c.kind == isNil:
		return nil
	case c.kind != isChan:
		return wrap(w.waited(fmt.Sprintf("%s@%d", c.id, at.Pos()), at.Pos()))
	case c.how == doneOf:
		worlds := f.awaited(w, c.parent, at, choice)
		if _, done := w.isDone(c.parent); !done {
			for i, w := range worlds {
				worlds[i] = f.turnedByEnd(w, at.Pos())
			}
		}
		return wrap(worlds...)
	case c.how == timer:
		return wrap(f.pause(w, &value{kind: isNumber, n: c.n}, at))
	case c.how == bySignal:
		what := fmt.Sprintf("%s@%d", c.id, at.Pos())
		next := w.idled(at.Pos()).waited(what, at.Pos())
		if w.has("signalled") {
			next = next.add("waited", at.Pos()) // Have: a second one, for who cannot wait.
		}
		if !w.has("rude:" + c.id) {
			next = next.add("signalled", at.Pos())
		}
		return wrap(next)
	case w.has("closed:"+c.id) || w.has("sent:"+c.id):
		return wrap(w)
	}
	events := append(w.eventsOf("send:"+c.id), w.eventsOf("close:"+c.id)...)
	var outs []outcome
	for _, e := range events {
		if w.has("took:" + e.id) {
			continue
		}
		next := w.learn(e.facts())
		if strings.HasPrefix(e.what, "send:") {
			next = next.add("took:"+e.id, at.Pos())
		}
		if e.world.has("signalled") || e.world.has("served") {
			next = next.idled(at.Pos())
		}
		outs = append(outs, outcome{w: next.add("paused", at.Pos()), v: e.v})
	}
	if len(events) > 0 && !w.has("escaped:"+c.id) {
		return outs
	}
	if c.how == made && !w.has("escaped:"+c.id) && f.thread == nil {
		return nil // Have: nobody sends.
	}
	next := w
	if f.serving(w) && choice <= failing {
		next = next.idled(at.Pos())
	}
	switch {
	case isResult(c.typ):
		next = next.add("result", at.Pos())
	case choice != alone && c.typ != nil && !httpmodel.IsError(c.typ.Underlying().(*types.Chan).Elem()):
		next = next.add("noticed", at.Pos())
	}
	return append(outs, outcome{w: next.waited(c.id, at.Pos()), v: zero})
}

// isResult reports whether what a channel of type t brings is more than a notice: what
// a server was started for, to be shut down when it is there.
func isResult(t types.Type) bool {
	if t == nil {
		return false
	}
	elem := t.Underlying().(*types.Chan).Elem()
	st, isStruct := elem.Underlying().(*types.Struct)
	return !typeset.IsBool(elem) && !httpmodel.IsError(elem) && !typeset.IsNamed(elem, "os", "Signal") && !(isStruct && st.NumFields() == 0)
}

// awaited returns the worlds in which the context ctx is done.
func (f *follower) awaited(w *world, ctx *value, at ast.Node, choice choice) []*world {
	if _, ok := w.isDone(ctx); ok {
		return []*world{w}
	}
	var out []*world
	var source *value // what ends ctx from outside
	for c := ctx; c != nil && source == nil; c = c.parent {
		for _, e := range w.eventsOf("cancel:" + c.id) {
			out = append(out, w.learn(e.facts()))
		}
		switch c.how {
		case other, bySignal:
			source = c
		case background:
			source = c
		}
	}
	if ctx.endless() {
		if len(out) > 0 {
			return out
		}
		if ctx.how == background {
			return nil
		}
		if choice != alone && ctx.how == byDeadline {
			w = w.clone()
			w.clock = max(w.clock, ctx.at+time.Duration(max(ctx.n, 0)))
			return []*world{w.add("waited", at.Pos()).add("paused", at.Pos())}
		}
		return []*world{w.waited(ctx.id, at.Pos()).add("done:"+ctx.id, at.Pos())}
	}
	if choice == timed && (source == nil || source.how == other) {
		// Have: a wait within the time that the caller gives.
		return append(out, w.add("waited", at.Pos()).add("paused", at.Pos()))
	}
	next := w.idled(at.Pos()).add("told", at.Pos())
	if source != nil && source.how == bySignal {
		next = next.add("signalled", at.Pos())
	}
	if source == ctx && (!strings.Contains(ctx.id, ".") || strings.HasSuffix(ctx.id, ".Context()")) {
		next = next.add("asked", at.Pos()) // Have: the caller's, which ends when all is to end.
	}
	if source == nil || source.how == background {
		// Have: an errgroup's, which a failing member ends.
		return append(out, next.add("done:"+ctx.id, at.Pos()).waited(ctx.id, at.Pos()))
	}
	for c := ctx; c != source; c = c.parent {
		next = next.add("done:"+c.id, at.Pos())
	}
	return append(out, next.add("done:"+source.id, at.Pos()).waited(source.id, at.Pos()))
}

// comm returns the worlds in which a clause of a select was chosen.
func (a *activation) comm(w *world, clause *ast.CommClause) []*world {
	var lhs ast.Expr
	var from ast.Expr
	switch comm := clause.Comm.(type) {
	case *ast.SendStmt:
		return a.step(w, comm)
	case *ast.ExprStmt:
		from = comm.X
	case *ast.AssignStmt:
		lhs, from = comm.Lhs[0], comm.Rhs[0]
	}
	arrow, ok := ast.Unparen(from).(*ast.UnaryExpr)
	if !ok {
		return []*world{w}
	}
	stmt := a.choices[clause]
	var out []*world
	for _, c := range a.eval(w, arrow.X) {
		others := alone
		if len(stmt.Body.List) > 1 {
			others = failing
		}
		for _, other := range stmt.Body.List {
			other := other.(*ast.CommClause)
			if other == clause || other.Comm == nil {
				continue
			}
			v := a.source(c.w, other.Comm)
			if v == nil || v.kind != isChan || v.typ == nil || !httpmodel.IsError(v.typ.Underlying().(*types.Chan).Elem()) {
				others = max(others, another)
			}
			if v == nil || v.kind != isChan {
				continue
			}
			if _, done := c.w.isDone(v.parent); c.v.how == timer && v.how == doneOf && done {
				return nil // Have: a wait that is over before it begins.
			}
			if v.how == timer && !a.looped[stmt] {
				others = timed
			}
		}
		w := c.w
		if pos, done := w.isDone(c.v.parent); c.v.how == doneOf && done && others == timed {
			w = a.shorten(w, from, pos)
		}
		for _, o := range a.receive(w, c.v, from, others) {
			w := o.w
			if lhs != nil {
				w = a.set(w, lhs, o.v)
			}
			out = append(out, w)
		}
	}
	return out
}

// source returns what a clause of a select receives from, or nil.
func (a *activation) source(w *world, comm ast.Stmt) *value {
	var found *value
	ast.Inspect(comm, func(n ast.Node) bool {
		if x, ok := n.(*ast.UnaryExpr); ok && x.Op == token.ARROW && found == nil {
			if outs := a.eval(w, x.X); len(outs) > 0 {
				found = outs[0].v
			}
			return false
		}
		return true
	})
	return found
}

// serving reports whether a goroutine that w knows serves.
func (f *follower) serving(w *world) bool { return len(w.eventsOf("serve")) > 0 || w.has("served") }

// wait returns the outcomes of waiting for a group: what all of its goroutines have
// done before they were done.
func (f *follower) wait(w *world, id string, at ast.Node) []outcome {
	opaque := &value{id: fmt.Sprintf("call@%d", at.Pos())}
	found := false
	idle := false
	for _, t := range w.threads {
		t.all(func(t *thread) {
			var common map[string]token.Pos
			for _, e := range t.events {
				if e.what != "done:"+id {
					continue
				}
				idle = idle || e.world.has("signalled") || e.world.has("served")
				facts := e.facts()
				if common == nil {
					common = facts
					continue
				}
				maps.DeleteFunc(common, func(fact string, _ token.Pos) bool {
					_, ok := facts[fact]
					return !ok
				})
			}
			if common != nil {
				found = true
				w = w.learn(common)
			}
		})
	}
	w = w.add("paused", at.Pos())
	if idle {
		w = w.idled(at.Pos())
	}
	if !found {
		w = w.waited(id, at.Pos())
	}
	return []outcome{{w: w, v: opaque}}
}
