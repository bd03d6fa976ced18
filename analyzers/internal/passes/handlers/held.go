package handlers

import (
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says what becomes of functions that an object of another package holds: a
// mock, an option, a middleware.

// callOption calls the functions that o holds for nothing but that, o being a function
// that another package made, or those in the slice o, and returns what else it holds.
func (f *frame) callOption(c *call, o *object, given []value) (kept []holding) {
	if !o.opaque {
		for _, v := range f.elements([]value{o}) {
			switch v := v.(type) {
			case *function:
				f.callback(c, v, c.thread, given)
			case *object:
				kept = append(kept, f.callOption(c, v, given)...)
			}
		}
		return kept
	}
	for _, h := range f.heldBy(o) {
		if v, ok := h.value.(*function); ok && h.later {
			f.callback(c, v, c.thread, given)
		} else {
			kept = append(kept, h)
		}
	}
	return kept
}

// callAllHeld calls the functions that a handler's call of another package's function
// may call: those that its receiver or an argument holds, as a mock its callbacks.
func (f *frame) callAllHeld(c *call, fn *types.Func, recvs []value) {
	calls := f.reach.Calls(fn)
	if calls == 0 {
		return
	}
	seen := make(map[*object]bool)
	if calls.Receiver() {
		f.callHeld(c, recvs, seen)
	}
	for i, values := range c.args {
		if calls.Param(i) {
			f.callHeld(c, values, seen)
		}
	}
}

// callHeld calls the functions that those of values hold which are objects, and the
// parts of these.
func (f *frame) callHeld(c *call, values []value, seen map[*object]bool) {
	for _, v := range values {
		o, ok := v.(*object)
		if !ok || seen[o] || o.typ == nil || httpmodel.IsTesting(o.typ) {
			continue
		}
		seen[o] = true
		for _, h := range f.heldBy(o) {
			switch v := h.value.(type) {
			case *function:
				f.callback(c, v, c.thread, nil)
			case *object:
				if !h.whole && v.typ != nil && belongs(v.typ, o.typ) {
					f.callHeld(c, []value{v}, seen)
				}
			}
		}
	}
}

// belongs reports whether values of type t, that a method of a value of type u returns,
// are parts of that: both are declared in one package, or t is what a mock expects.
func belongs(t, u types.Type) bool {
	x, y := typeset.Named(t), typeset.Named(u)
	return x != nil && y != nil && (x.Obj().Pkg() == y.Obj().Pkg() || httpmodel.IsExpected(x))
}

// opaqueResults makes the results of a call of a function that another package made:
// of the middleware that a call returned, say. They hold it and its arguments.
func (f *frame) opaqueResults(c *call, made *object) {
	if c.unknown {
		return
	}
	for i, t := range resultTypes(f.info.TypeOf(c.expr)) {
		if !f.mayHold(t) || httpmodel.IsClientSide(deref(t)) {
			c.result(i, nil)
			continue
		}
		o := f.object(objectKey{made: c.expr, frame: f, name: string(rune('0' + i))})
		o.typ, o.opaque = deref(t), true
		f.hold(o, []value{made}, nil)
		for i, values := range c.args {
			as := types.Type(nil)
			if i < len(c.exprs) {
				as = f.info.TypeOf(c.exprs[i])
			}
			f.hold(o, values, as)
		}
		c.result(i, []value{o})
	}
}
