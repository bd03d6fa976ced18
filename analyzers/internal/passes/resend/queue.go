package resend

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// queued returns the variables that hold what was put back on the queue that they
// are taken from.
func (e *engine) queued() map[*types.Var]bool {
	if e.requeued == nil {
		e.requeued = make(map[*types.Var]bool)
		for _, g := range e.retries.Regions() {
			for v := range g.Queued {
				e.requeued[v] = true
			}
		}
	}
	return e.requeued
}

// putBack is set in a world in which an item was put back on a queue.
var putBack = ref{nil, "#back"}

// takes reports whether lhs = rhs takes an item from a queue on which some are put back.
func (f *frame) takes(lhs, rhs ast.Expr) bool {
	switch x := ast.Unparen(rhs).(type) {
	case *ast.UnaryExpr:
		return x.Op == token.ARROW && f.queued()[typeset.VarOf(f.info, lhs)]
	case *ast.IndexExpr:
		return f.queued()[typeset.VarOf(f.info, lhs)]
	}
	return false
}

// taken returns the world after an item is taken from a queue, in v: the one that was put
// back, or else another one, of which nothing was sent.
func (f *frame) taken(w *world, v *types.Var) *world {
	if w.get(putBack).k != unknown {
		return w.with(putBack, val{})
	}
	return w.assign(ref{v, ""}, val{}).unsent()
}

// putsBack returns the world after what n puts back on a queue.
func (f *frame) putsBack(w *world, n ast.Node) *world {
	ast.Inspect(n, func(n ast.Node) bool {
		var item ast.Expr
		switch n := n.(type) {
		case *ast.SendStmt:
			item = n.Value
		case *ast.CallExpr:
			if f.info.Types[n.Fun].IsBuiltin() && lastName(n.Fun) == "append" && len(n.Args) == 2 {
				item = n.Args[1]
			}
		}
		if item != nil && f.queued()[typeset.Root(f.info, item)] {
			w = w.with(putBack, val{k: nonNil})
		}
		return true
	})
	return w
}
