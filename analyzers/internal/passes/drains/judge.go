package drains

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/syntax"
)

// A Kind says what is wrong.
type Kind int

const (
	Done        Kind = iota // a shutdown on a context that is done
	Aged                    // a shutdown on a context whose time has run since it was made at the start
	Unawaited               // nobody waits for the shutdown: the function returns at Back
	Cancelled               // the context of a shutdown in a goroutine is cancelled at Back
	Skips                   // the process ends, and the shutdown deferred at Back does not run
	Exits                   // the process ends while the shutdown at Back is under way
	Cut                     // a server is closed at a signal, not drained
	BaseDone                // the handlers' base context is done when the shutdown begins
	BaseEnds                // the handlers' base context is ended while the shutdown is under way
	NeedClosed              // a database is closed before the shutdown is through
	HookEnds                // a shutdown hook ends the handlers' base context
	HookCloses              // a shutdown hook closes a database
	WaitCut                 // the wait before the shutdown is over at once
	NoNotice                // readiness was turned right before the shutdown
	AlwaysReady             // the readiness probe What never fails, and nothing waits before the shutdown
	Budget                  // waits and shutdowns are together longer than the grace period
)

// A Fault is one fault.
type Fault struct {
	Kind Kind
	Node ast.Node      // the call to report: it may be one of a helper that holds the fault
	Call ast.Node      // the place of the fault itself; Node, or in a helper
	Back token.Pos     // another place, if valid
	What string        // of Budget: how long it takes; of AlwaysReady: the route
	Made *ast.CallExpr // of Done: what made the context from one that was done, if not nil
}

// A find is a fault found by a follower.
type find struct {
	kind Kind
	site site
	back token.Pos
	what string
	made *ast.CallExpr
	ctx  string // of Done: the context
}

// A reportKey is a fault, and the function in which it was reported.
type reportKey struct {
	root ast.Node
	kind Kind
	pos  token.Pos
}

// find notes a fault at the node n of the function at hand.
func (f *follower) find(kind Kind, n ast.Node, back token.Pos, what string) {
	f.findAt(kind, f.here(n), back, what)
}

func (f *follower) findAt(kind Kind, at site, back token.Pos, what string) {
	f.finds = append(f.finds, find{kind: kind, site: at, back: back, what: what})
}

// judge reports what was found and, if the root was followed to its end, what its
// goroutines do to each other.
func (f *follower) judge(whole bool) {
	if whole {
		f.judgeExits()
	}
	for _, found := range f.finds {
		if found.kind == Done && (f.oneShots[found.site.node] || f.isLast(found)) {
			continue
		}
		switch found.kind {
		case Done, Aged, BaseDone, HookEnds, HookCloses:
			f.report(found)
		default:
			if whole {
				f.report(found)
			}
		}
	}
}

// isLast reports whether a shutdown on a context that is done is the last resort of a
// function that by its name is to stop the server, and elsewhere does so within that
// context.
func (f *follower) isLast(found find) bool {
	decl, ok := f.root.(*ast.FuncDecl)
	if !ok {
		return false
	}
	words := syntax.Words(decl.Name.Name)
	return slices.ContainsFunc([]string{"stop", "shutdown", "close"}, func(word string) bool { return slices.Contains(words, word) }) &&
		slices.ContainsFunc(f.shuts, func(h *shutdown) bool {
			_, done := h.world.isDone(h.ctx)
			return h.ctx != nil && h.ctx.id == found.ctx && !done && h.site.node != found.site.node
		})
}

// judgeExits looks for shutdowns that are not waited for, and for closed servers that
// nothing drains.
func (f *follower) judgeExits() {
	for _, returns := range []bool{true, false} {
		for _, x := range f.exits {
			if x.returns == returns {
				f.judgeExit(x)
			}
			if !returns && f.skips(x) {
				f.findSkipped(x.site, x.thread.defers)
			}
		}
	}
	for _, c := range f.cuts {
		if !(f.answers[c.site.node] && !c.world.has("signalled")) && !slices.ContainsFunc(f.shuts, c.instead) {
			f.findAt(Cut, c.site, c.world.facts["signalled"], "")
		}
	}
}

// judgeExit looks for a shutdown that x does not wait for.
func (f *follower) judgeExit(x exit) {
	if x.thread != nil && x.thread.timed {
		return // Have: a watchdog.
	}
	decl, _ := f.root.(*ast.FuncDecl)
	main := decl != nil && decl.Recv == nil && decl.Name.Name == "main" && f.pass.Pkg.Name() == "main"
	h := f.pending(x.world, "", main || !x.returns)
	if h == nil && !x.returns {
		for _, other := range f.shuts {
			n, together := other.world.heardOf(x.world) // Have: both wait for the same, and for nothing else, if n > 0.
			begun := x.world.has("served:"+other.server) || n > 0 && together
			if other.thread != x.thread && begun && x.world.outruns(other, true) {
				h = other
			}
		}
	}
	switch {
	case h == nil || h.thread == x.thread || f.shown(h.site, Unawaited):
	case !x.returns && x.thread == nil && slices.ContainsFunc(f.finds, func(found find) bool {
		return found.kind == Unawaited && found.site.node == h.site.node
	}): // Have: it is said already.
	case !x.returns:
		f.findAt(Exits, x.site, h.site.node.Pos(), "")
	case !f.tellsOutside(h, x.world, main):
		f.findAt(Unawaited, h.site, x.site.node.Pos(), "")
	}
}

// tellsOutside reports whether the goroutine of h, when h is through, does something
// that the root's caller, or a function that is not followed, may wait for.
func (f *follower) tellsOutside(h *shutdown, w *world, main bool) bool {
	for _, e := range h.thread.events {
		if !e.world.has("back:"+h.id) && !e.world.has("back:"+h.server) {
			continue
		}
		what, id, ok := strings.Cut(e.what, ":")
		switch {
		case what == "serve":
		case what == "unlock":
			if w.has("locked:" + id) {
				return true
			}
		case !ok: // a call that is not followed
			if !main || w.has("called") {
				return true
			}
		case w.has("escaped:" + id):
			return true
		case !f.isLocal(id) && (!main || w.has("called")) && !f.unheard(e.on):
			return true
		}
	}
	return false
}

// unheard reports whether nobody can wait for the channel v: it is a field that other
// packages cannot name, and this one only makes it, sends to it and closes it.
func (p *Info) unheard(v *types.Var) bool {
	if v == nil || !v.IsField() || v.Exported() || v.Pkg() != p.pass.Pkg {
		return false
	}
	if p.heard == nil {
		p.heard = make(map[*types.Var]bool)
		for _, file := range p.pass.Files {
			p.findHeard(file)
		}
	}
	return !p.heard[v]
}

// findHeard notes the fields that a file mentions other than to make, send to or close
// what they hold.
func (p *Info) findHeard(file *ast.File) {
	mute := make(map[*ast.Ident]bool)
	skip := func(x ast.Expr) {
		switch x := ast.Unparen(x).(type) {
		case *ast.Ident:
			mute[x] = true
		case *ast.SelectorExpr:
			mute[x.Sel] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if builtinOf(p.info, n) == "close" {
				skip(n.Args[0])
			}
		case *ast.SendStmt:
			skip(n.Chan)
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				skip(x)
			}
		case *ast.KeyValueExpr:
			skip(n.Key)
		case *ast.Ident:
			if v, ok := p.info.Uses[n].(*types.Var); ok && v.IsField() && !mute[n] {
				p.heard[v] = true
			}
		}
		return true
	})
}

// isLocal reports whether the thing of the given id is one that the root makes.
func (f *follower) isLocal(id string) bool {
	if i := strings.LastIndex(id, "made@"); i >= 0 {
		return true
	}
	if strings.HasPrefix(id, "context@") {
		return true
	}
	_, body := syntax.FuncParts(f.root)
	pos := placePos(id)
	return body.Pos() <= pos && pos < body.End()
}

// report adds a fault, unless a function on the way to it shows it by itself.
func (f *follower) report(found find) {
	if f.shown(found.site, found.kind) {
		return
	}
	at := found.site.node.Pos()
	key := reportKey{f.root, found.kind, at}
	node := found.site.node
	for i := len(found.site.stack) - 1; i > 0 && !syntax.Within(node, f.root); i-- {
		node = found.site.stack[i].call
	}
	f.reported[key] = true
	if isAbroad(f.root) {
		return // Have: it is reported there.
	}
	for _, fault := range f.faults {
		if fault.Node.Pos() == node.Pos() {
			return
		}
	}
	if found.back >= abroad {
		found.back = token.NoPos
	}
	f.faults = append(f.faults, &Fault{found.kind, node, found.site.node, found.back, found.what, found.made})
}

// shown reports whether a function on the way to a fault shows it by itself.
func (f *follower) shown(at site, kind Kind) bool {
	for _, fr := range at.stack[1:] {
		if owner := f.owner(fr.fn); owner != f.root && f.reported[reportKey{owner, kind, at.node.Pos()}] || f.reported[reportKey{fr.fn, kind, at.node.Pos()}] {
			return true
		}
	}
	return false
}

// owner returns the declared function that a function literal lies in, or is.
func (f *follower) owner(fn ast.Node) ast.Node {
	for _, decl := range append(f.index.Decls(), f.foreign.order...) {
		if syntax.Within(fn, decl) {
			return decl
		}
	}
	return fn
}
