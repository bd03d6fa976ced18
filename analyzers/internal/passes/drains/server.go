package drains

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
)

// serverCall calls fn, a method of the server s.
func (f *follower) serverCall(w *world, what httpmodel.ServerCall, returns httpmodel.Return, s *value, fn *types.Func, args []*value, call *ast.CallExpr, opaque *value) []outcome {
	switch what {
	case httpmodel.Serve:
		f.emit(w, "serve", s, call)
		w = w.idled(call.Pos()).endedBefore(s)
		// A server that is not shut down fails, or never returns: neither matters.
		switch returns {
		case httpmodel.ReturnsDrained:
			w = w.add("back:"+s.id, call.Pos())
			opaque = &value{kind: isNil, id: "nil"}
		case httpmodel.ReturnsNil:
			w = w.add("served:"+s.id, call.Pos()).add("served", call.Pos())
			opaque = &value{kind: isNil, id: "nil"}
		default:
			w = w.add("served:"+s.id, call.Pos()).add("served", call.Pos())
			opaque = &value{kind: isClosed, id: "closed"}
		}
	case httpmodel.ServeUntil:
		f.emit(w, "serve", s, call)
		var outs []outcome
		if len(args) > 0 && args[0].kind == isContext {
			for _, w := range f.awaited(w, args[0], call, alone) {
				outs = append(outs, outcome{w: f.shut(w, s, nil, call), v: &value{kind: isNil, id: "nil"}})
			}
		}
		return outs
	case httpmodel.Shutdown:
		w = f.shut(w, s, args, call)
	case httpmodel.Close:
		w = f.cut(w, s, fn, call)
	case httpmodel.OnShutdown:
		if len(args) == 1 {
			outer := f.hook
			f.hook = s
			f.apply(w, args[0], nil, call)
			f.hook = outer
		}
	}
	return []outcome{{w: w, v: opaque}}
}

// shut checks the call that shuts the server s down.
func (f *follower) shut(w *world, s *value, args []*value, call *ast.CallExpr) *world {
	if f.hook != nil {
		return w
	}
	var ctx *value
	if len(args) == 1 && args[0].kind == isContext {
		ctx = args[0]
	}
	if ctx != nil {
		if pos, ok := w.isDone(ctx); ok {
			f.finds = append(f.finds, find{kind: Done, site: f.here(call), back: pos, made: w.lateMade(ctx), ctx: ctx.id})
		} else if old, ok := w.isAged(ctx); ok {
			f.find(Aged, call, old.node.Pos(), "")
		} else if w.has("result") {
			f.oneShots[call] = true
		}
	}
	base := f.base(w, s)
	if base == nil {
		base = f.baseOfField(s)
	}
	if base != nil {
		if pos, ok := w.isDone(base); ok {
			f.find(BaseDone, call, pos, "")
		}
	}
	if at, ok := f.ended[w.facts["severed:"+s.id]]; ok {
		f.findAt(Cut, at, call.Pos(), "")
	}
	for _, e := range w.eventsOf("ended") {
		if _, all := w.heardOf(e.world); all && !e.world.has("back:"+s.id) && !e.world.has("waited") {
			f.findAt(NeedClosed, f.ended[token.Pos(e.v.n)], call.Pos(), "")
		}
	}
	for _, fact := range slices.Sorted(maps.Keys(w.facts)) {
		if strings.HasPrefix(fact, "ended:") {
			if at, ok := f.ended[w.facts[fact]]; ok {
				f.findAt(NeedClosed, at, call.Pos(), "")
			}
		}
		if strings.HasPrefix(fact, "cut:") {
			if at, ok := f.ended[w.facts[fact]]; ok {
				f.findAt(WaitCut, at, call.Pos(), "")
			}
		}
	}
	switch {
	case w.has("turned") && !w.has("paused") && !f.ready.outside:
		f.find(NoNotice, call, w.facts["turned"], "")
	case f.ready.outside:
	case w.has("idled") && !w.has("waited") && !w.has("called") && !w.has("begun") && w.turnedBeside().IsValid():
		f.find(NoNotice, call, w.turnedBeside(), "")
	case w.has("idled") && !w.has("waited") && !w.has("begun"):
		for _, fact := range slices.Sorted(maps.Keys(w.facts)) {
			if strings.HasPrefix(fact, "ready:") {
				f.find(AlwaysReady, call, w.facts[fact], f.ready.always[w.facts[fact]])
				break
			}
		}
	}
	w = f.spend(w, ctx, args, call)

	h := &shutdown{
		id:     fmt.Sprintf("%s@%d", s.id, call.Pos()),
		server: s.id,
		ctx:    ctx,
		site:   f.here(call),
		thread: f.thread,
		world:  w,
	}
	known := slices.ContainsFunc(f.shuts, func(x *shutdown) bool {
		return x.id == h.id && x.thread == h.thread && x.triggers() == h.triggers()
	})
	if !known {
		f.shuts = append(f.shuts, h)
		if f.thread != nil {
			f.thread.shuts = append(f.thread.shuts, h)
		}
	}
	return w.add("begun", call.Pos()).add("begun:"+s.id, call.Pos()).add("back:"+h.id, call.Pos()).add("back:"+s.id, call.Pos())
}

// turnedBeside returns where another goroutine turns the readiness when that happens
// which w has waited for, too.
func (w *world) turnedBeside() token.Pos {
	for _, e := range w.eventsOf("turned") {
		if n, all := w.heardOf(e.world); n > 0 && all {
			return e.world.facts["turned"]
		}
	}
	return token.NoPos
}

// endedBefore returns w, in which Serve of the server s has come back, with the contexts
// done that have ended before any of the shutdowns of s in other goroutines.
func (w *world) endedBefore(s *value) *world {
	var common map[string]token.Pos
	for _, t := range w.threads {
		t.all(func(t *thread) {
			for _, h := range t.shuts {
				switch {
				case h.server != s.id:
				case common == nil:
					common = maps.Clone(h.world.facts)
				default:
					maps.DeleteFunc(common, func(fact string, _ token.Pos) bool { return !h.world.has(fact) })
				}
			}
		})
	}
	maps.DeleteFunc(common, func(fact string, _ token.Pos) bool { return !strings.HasPrefix(fact, "done:") })
	return w.learn(common)
}

// heardOf returns how many of the things that the goroutine of other has waited for have
// happened in w, and whether these are all.
func (w *world) heardOf(other *world) (n int, all bool) {
	all = true
	for fact := range other.facts {
		if what, ok := strings.CutPrefix(fact, "trigger:"); ok {
			if w.has("got:" + what) {
				n++
			} else {
				all = false
			}
		}
	}
	return n, all
}

// lateMade returns the call that made the context v from one that was done already,
// or nil if v is that one or was made before.
func (w *world) lateMade(v *value) *ast.CallExpr {
	call, _ := v.node.(*ast.CallExpr)
	if v.parent == nil || call == nil || w.has("done:"+v.id) {
		return nil
	}
	if pos, ok := w.facts["done:"+v.parent.id]; ok && pos < call.Pos() {
		return call
	}
	return nil
}

// triggers returns, in text, what h waited for.
func (h *shutdown) triggers() string {
	var list []string
	for fact := range h.world.facts {
		if strings.HasPrefix(fact, "trigger:") {
			list = append(list, fact)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// spend returns w after a shutdown within ctx, or the duration args[0], took as
// long as it may, and checks that the grace period is not over by then. A wait and
// a shutdown that share one deadline are not added up.
func (f *follower) spend(w *world, ctx *value, args []*value, call *ast.CallExpr) *world {
	var from, to time.Duration
	for c := ctx; c != nil; c = c.parent {
		if end := c.at + time.Duration(c.n); c.how == byDeadline && c.n > 0 && (to == 0 || end < to) {
			from, to = c.at, end
		}
	}
	if ctx == nil && len(args) == 1 && args[0].kind == isNumber {
		from, to = w.clock, w.clock+time.Duration(args[0].n)
	}
	if to == 0 {
		return w
	}
	if from > 0 && to > f.grace {
		f.find(Budget, call, token.NoPos, to.String())
	}
	if to > w.clock {
		w = w.clone()
		w.clock = to
	}
	return w
}

// cut checks the call that closes the server s, and returns the world after it.
func (f *follower) cut(w *world, s *value, fn *types.Func, call *ast.CallExpr) *world {
	if w.has("begun:"+s.id) || f.thread != nil && f.thread.timed || f.hook != nil {
		return w
	}
	if w.has("result") || w.has("noticed") && !w.has("asked") {
		f.answers[call] = true
	}
	// Where the caller's context has ended, a server of http that is closed behind the drain of
	// another one is a side door, and so is one that is there for an answer.
	asked := w.has("asked") && (!w.has("begun") || fn.Name() == "Stop") && !f.isSideDoor()
	if (w.has("signalled") || asked || f.rootDrains()) && !isSide(call) {
		f.cuts = append(f.cuts, closing{s.id, f.here(call), f.thread, w})
	}
	f.ended[call.Pos()] = f.here(call)
	return w.add("severed:"+s.id, call.Pos())
}

// A closing is a Close of a server at a signal.
type closing struct {
	server string
	site   site
	thread *thread
	world  *world
}

// instead reports whether h, where it does not come to c, drains the server that c closes:
// in another goroutine, or on another path from what c has waited for, or c waits for nothing.
func (c closing) instead(h *shutdown) bool {
	n, all := c.world.heardOf(h.world)
	return h.server == c.server && (h.thread != c.thread || n > 0 || all || !c.world.has("signalled") && !c.world.has("asked"))
}

// rootDrains reports whether the root says that it is to drain.
func (f *follower) rootDrains() bool {
	decl, ok := f.root.(*ast.FuncDecl)
	if ok && isAbroad(decl) {
		return f.foreign.facts[decl].Drains
	}
	return ok && meansDrain(decl)
}

// meansDrain reports whether decl says, by its name or in a message, that it is to
// drain.
func meansDrain(decl *ast.FuncDecl) bool {
	said := strings.ToLower(decl.Name.Name)
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			said += " " + strings.ToLower(lit.Value)
		}
		return true
	})
	for _, word := range []string{"forc", "fail", "timeout", "timed out", "exceeded", "immediate", "not graceful", "ungraceful"} {
		if strings.Contains(said, word) {
			return false // Have: a last resort.
		}
	}
	return strings.Contains(said, "graceful") || strings.Contains(said, "drain")
}

// isSideDoor reports whether the root is about a server, by its name or that of the package,
// none of whose requests must be answered.
func (f *follower) isSideDoor() bool {
	name := f.pass.Pkg.Name()
	if decl, ok := f.owner(f.root).(*ast.FuncDecl); ok {
		name += "." + decl.Name.Name
	}
	return isSideName(name)
}

// isSide reports whether the server that call closes is, by its name, none whose
// requests must be answered.
func isSide(call *ast.CallExpr) bool { return isSideName(types.ExprString(call.Fun)) }

// isSideName reports whether a name is that of a side server.
func isSideName(name string) bool {
	name = strings.ToLower(name)
	for _, side := range []string{"metric", "debug", "pprof", "prom", "health", "probe", "admin", "redirect", "callback", "login", "oauth", "browser", "test"} {
		if strings.Contains(name, side) {
			return true
		}
	}
	return false
}

// pending returns a shutdown, of the server or of any, that is under way in w in
// another goroutine, and may not be through.
func (f *follower) pending(w *world, server string, processEnds bool) *shutdown {
	if list := f.underWay(w, server, processEnds); len(list) > 0 {
		return list[0]
	}
	return nil
}

// underWay returns the shutdowns that pending speaks of, but for those of which it is said
// already that nobody waits for them.
func (f *follower) underWay(w *world, server string, processEnds bool) (list []*shutdown) {
	for _, t := range w.threads {
		t.all(func(t *thread) {
			for _, h := range t.shuts {
				if !t.timed && t != f.thread && (server == "" || h.server == server) && w.outruns(h, processEnds) && !f.shown(h.site, Unawaited) {
					list = append(list, h)
				}
			}
		})
	}
	return list
}

// outruns reports whether h has begun in w, for all that is known, and nothing says
// that it is through, or that the server was closed since.
func (w *world) outruns(h *shutdown, processEnds bool) bool {
	_, over := w.isDone(h.ctx)
	if over || w.has("back:"+h.id) || w.has("back:"+h.server) || w.has("severed:"+h.server) || w.has("waited") && !w.has("napped") {
		return false
	}
	if w.has("served:" + h.server) {
		return true
	}
	n, all := w.heardOf(h.world)
	return all && (n > 0 || processEnds || w.has("signalled") || w.has("told"))
}
