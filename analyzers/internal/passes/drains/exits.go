package drains

import (
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
)

// This file is about the end of the process.

// exit notes that the process ends.
func (f *follower) exit(w *world, call *ast.CallExpr) {
	f.exits = append(f.exits, exit{site: f.here(call), thread: f.thread, world: w})
	if f.thread != nil || !w.has("signalled") {
		return
	}
	for _, d := range w.defers {
		if f.shutsDown(d.fun) {
			f.find(Skips, call, d.stmt.Pos(), "")
		}
	}
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
