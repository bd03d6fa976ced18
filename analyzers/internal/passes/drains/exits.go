package drains

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
)

// This file is about the end of the process.

// exit notes that the process ends.
func (f *follower) exit(w *world, call *ast.CallExpr) {
	f.exits = append(f.exits, exit{site: f.here(call), thread: f.thread, world: w})
	if f.thread == nil && w.has("signalled") {
		f.findSkipped(f.here(call), w.defers)
	}
}

// findSkipped looks for a shutdown among the deferred calls that do not run as the process
// ends.
func (f *follower) findSkipped(at site, defers []deferred) {
	for _, d := range defers {
		if f.shutsDown(d.fun) {
			f.findAt(Skips, at, d.stmt.Pos(), "")
		}
	}
}

// skips reports whether x, in a goroutine, ends the process at a signal for which nothing
// shuts a server down: what shutdowns there are come when Serve is back, which it never is.
func (f *follower) skips(x exit) bool {
	return !x.returns && x.thread != nil && !x.thread.timed && x.world.has("signalled") && !x.world.has("begun") &&
		!slices.ContainsFunc(f.shuts, func(h *shutdown) bool { return h.thread != nil || !h.world.has("served:"+h.server) })
}

// shutsDown reports whether the function fun is, or calls, one that shuts a server
// down.
func (f *follower) shutsDown(fun *value) bool {
	if what, _ := httpmodel.ServerCallOf(fun.fn); what == httpmodel.Shutdown {
		return true
	}
	if fun.node == nil {
		return false
	}
	_, body := syntax.FuncParts(fun.node)
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			fn, _ := f.infoOf(fun.node).Uses[id].(*types.Func)
			what, _ := httpmodel.ServerCallOf(fn)
			found = found || what == httpmodel.Shutdown
		}
		return true
	})
	return found
}
