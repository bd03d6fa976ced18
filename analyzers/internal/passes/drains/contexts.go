package drains

import (
	"fmt"
	"go/ast"
	"go/types"
	"time"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about contexts, and about what goes out of view.

// contextCall calls fn, of package context.
func (f *follower) contextCall(w *world, fn *types.Func, recv *value, args []*value, call *ast.CallExpr) ([]outcome, bool) {
	one := func(v *value) ([]outcome, bool) { return []outcome{{w: w, v: v}}, true }
	id := f.idOf("context", call)
	switch {
	case fn.Name() == "Background" || fn.Name() == "TODO":
		return one(&value{kind: isContext, how: background, id: "background", n: -1})
	case typeset.IsMethod(fn, "context", "Context", "Done") && recv.kind == isContext:
		return one(&value{kind: isChan, how: doneOf, id: "done of " + recv.id, parent: recv})
	case typeset.IsMethod(fn, "context", "Context", "Err") && recv.kind == isContext:
		if _, ok := w.isDone(recv); ok {
			return one(&value{kind: isError, id: "err of " + recv.id})
		}
		return one(&value{id: "err of " + recv.id})
	case len(args) == 0 || args[0].kind != isContext:
		return nil, false
	}
	switch fn.Name() {
	case "WithCancel", "WithCancelCause":
		return f.derive(w, args[0], byCancel, -1, call), true
	case "WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause":
		d := int64(-1)
		if fn.Name()[:6] == "WithTi" {
			d = nanoseconds(args[1])
		} else if args[1].how == timer {
			d = args[1].n
		}
		return f.derive(w, args[0], byDeadline, d, call), true
	case "WithoutCancel":
		return one(&value{kind: isContext, how: background, id: id, n: -1})
	case "WithValue":
		return one(&value{kind: isContext, how: kept, id: id + " of " + args[0].id, parent: args[0], n: -1, node: call})
	case "AfterFunc":
		ctx := args[0]
		l := f.launched(args[1], call)
		l.first = func(w *world) []*world { return f.awaited(w, ctx, call, alone) }
		return []outcome{{w: f.start(w, l), v: &value{id: id}}}, true
	}
	return nil, false
}

// derive makes a context from parent, and its cancel.
func (f *follower) derive(w *world, parent *value, how how, d int64, call *ast.CallExpr) []outcome {
	id := f.idOf("context", call) + " of " + parent.id
	if f.thread != nil {
		id = fmt.Sprintf("%s in %s of %s", f.idOf("context", call), f.thread.id, parent.id)
	}
	if len(id) > 400 {
		id = id[:400] // Have: a chain made in a loop.
	}
	ctx := &value{kind: isContext, how: how, id: id, parent: parent, n: d, at: w.clock, node: call}
	w = w.drop("done:" + id).drop("aged:" + id)
	if how == byDeadline {
		w = w.add("made:"+id, call.Pos())
		if 0 <= d && d < int64(time.Millisecond) {
			w = w.add("done:"+id, call.Pos()) // Have: nanoseconds, by mistake or not.
		}
	}
	cancel := &value{kind: isCancel, id: "cancel " + id, parent: ctx}
	return []outcome{{w: w, v: ctx, values: []*value{ctx, cancel}}}
}

// group makes an errgroup from a context.
func (f *follower) group(w *world, parent *value, call *ast.CallExpr) []outcome {
	id := f.idOf("context", call) + " of " + parent.id
	ctx := &value{kind: isContext, how: byGroup, id: id, parent: parent, n: -1, node: call}
	g := &value{id: f.idOf("made", call)}
	return []outcome{{w: w.drop("done:"+id).set(g.id+".ctx", ctx), v: g, values: []*value{g, ctx}}}
}

// cancel calls a context's cancel.
func (f *follower) cancel(w *world, fun *value, at ast.Node) []outcome {
	ctx := fun.parent
	w = f.endNeed(w, ctx, at)
	for _, h := range f.underWay(w, "", true) {
		for c := h.ctx; c != nil; c = c.parent {
			if c.id == ctx.id {
				f.findAt(Cancelled, h.site, at.Pos(), "")
			}
		}
	}
	w = w.add("done:"+ctx.id, at.Pos())
	f.emit(w, "cancel:"+ctx.id, ctx, at)
	return []outcome{{w: w, v: new(value)}}
}

// escape returns w after v went where it is not followed.
func (w *world) escape(v *value) *world {
	switch {
	case v == nil || v.id == "":
	case v.kind == isChan, v.kind == unknown:
		return w.add("escaped:"+v.id, 0)
	case v.kind == isCancel:
		return w.add("escaped:"+v.parent.id, 0)
	}
	return w
}

// escapeUsed returns w after the function fn, with the variables that it uses, went
// where it is not followed.
func (f *follower) escapeUsed(w *world, fn ast.Node) *world {
	uses := f.infoOf(fn).Uses
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := uses[id].(*types.Var); ok && !v.IsField() {
				w = w.escape(w.env[varPlace(v)])
			}
		}
		return true
	})
	return w
}
