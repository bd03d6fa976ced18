package handlers

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/failreach"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// serve has a server run v, which it was given as a value of type as (nil: not
// known), at site.
func (u *universe) serve(v value, as types.Type, site *Site) {
	switch v := v.(type) {
	case *function:
		u.serveFunction(v, site)
	case *object:
		switch {
		case v.typ == nil || httpmodel.IsClientSide(v.typ):
		case httpmodel.IsTesting(v.typ) && !(isLocal(v.typ, u.pass.Pkg) && httpmodel.IsHandler(v.typ)):
		case v.opaque || !isLocal(v.typ, u.pass.Pkg):
			u.servePart(v, site)
		case !isStruct(v.typ) && v.fields[elem] != nil && !isNamed(v.typ):
			n := v.fields[elem]
			if n.served == nil {
				n.served, n.as = site, elemType(v.typ)
				for _, x := range slices.Clone(n.values) {
					u.serve(x, n.as, site)
				}
			}
		default:
			u.serveMethods(v, as, site)
		}
	}
}

// isNamed reports whether t is a named type.
func isNamed(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Named)
	return ok
}

// elemType returns the type of the elements of a container, or nil.
func elemType(t types.Type) types.Type {
	if t, ok := t.Underlying().(interface{ Elem() types.Type }); ok {
		return t.Elem()
	}
	return nil
}

// servePart serves all that a part of a server holds.
func (u *universe) servePart(o *object, site *Site) {
	if o.served != nil {
		return
	}
	o.served = site
	u.noteMade(o)
	for _, h := range slices.Clone(o.held) {
		u.serve(h.value, h.as, site)
	}
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		n, as := o.fields[name], fieldType(o.typ, name)
		if n.served == nil {
			n.served, n.as = site, as
		}
		for _, v := range slices.Clone(n.values) {
			u.serve(v, as, site)
		}
	}
}

// fieldType returns the type of a field of the struct type t, or nil.
func fieldType(t types.Type, name string) types.Type {
	if st, ok := t.Underlying().(*types.Struct); ok {
		for field := range st.Fields() {
			if field.Name() == name {
				return field.Type()
			}
		}
	}
	return nil
}

// serveMethods serves the methods of o, of a type of this package, that a server
// asks for.
func (u *universe) serveMethods(o *object, as types.Type, site *Site) {
	if o.as[as] {
		return
	}
	if o.as == nil {
		o.as = make(map[types.Type]bool)
	}
	o.as[as] = true
	var methods []*types.Func
	if as != nil {
		if iface, ok := as.Underlying().(*types.Interface); ok {
			methods = slices.Collect(iface.Methods())
		}
	}
	if len(methods) == 0 {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(o.typ), true, nil, "ServeHTTP")
		if fn, ok := obj.(*types.Func); ok && httpmodel.IsHandler(o.typ) {
			methods = append(methods, fn)
		}
	}
	// A frame is needed to look from; it is never evaluated.
	look := &frame{universe: u}
	for _, m := range methods {
		found, inner, ok := look.lookup(o, m)
		if !ok {
			continue
		}
		for _, recv := range inner {
			if u.decls[found] != nil {
				u.serveFunction(u.function(function{fn: found, recv: recv}), site)
			} else {
				u.serve(recv, as, site)
			}
		}
	}
}

// serveFunction serves a function: it runs on a server's goroutine. What a
// middleware returns is served.
func (u *universe) serveFunction(v *function, site *Site) {
	if u.servedFns[v] {
		return
	}
	u.servedFns[v] = true
	if v.fn != nil && typeset.IsInterfaceMethod(v.fn) || v.fn != nil && u.decls[v.fn] == nil {
		if v.recv == nil {
			return
		}
		if o, ok := v.recv.(*object); ok && isLocal(o.typ, u.pass.Pkg) {
			look := &frame{universe: u}
			if found, inner, ok := look.lookup(o, v.fn); ok && u.decls[found] != nil {
				for _, recv := range inner {
					u.serveFunction(u.function(function{fn: found, recv: recv}), site)
				}
				return
			}
		}
		u.serve(v.recv, nil, site)
		return
	}
	fn := ast.Node(v.lit)
	if v.lit == nil {
		fn = u.decls[v.fn]
	}
	if u.frames >= u.limit {
		return
	}
	sig := v.sig(u.info)
	th := serverThread
	wraps := sig != nil && isMiddleware(sig)
	if wraps {
		th = strayThread
	} else if u.machine.served[fn] == nil {
		u.machine.served[fn] = site
	}
	f := u.newFrame(fn, v.env, v.recv, th)
	f.served = site
	if recv, ok := v.recv.(*object); ok {
		f.bindUnknown(recv)
	} else {
		f.bindUnknown(nil)
		if sig != nil && sig.Recv() != nil && v.recv != nil {
			f.add(f.variable(sig.Recv()), []value{v.recv})
		}
	}
	if wraps {
		n := f.result(0)
		n.served, n.as = site, sig.Results().At(0).Type()
	}
}

// isMiddleware reports whether a function returns a handler and serves nothing
// itself: its one result is a function, an http.Handler, or of the type of a
// parameter.
func isMiddleware(sig *types.Signature) bool {
	if sig.Results().Len() != 1 {
		return false
	}
	t := sig.Results().At(0).Type()
	if httpmodel.IsClientSide(t) {
		return false
	}
	if _, ok := t.Underlying().(*types.Signature); ok || httpmodel.IsHandler(t) {
		return true
	}
	if !types.IsInterface(t) || httpmodel.IsError(t) {
		return false
	}
	for v := range sig.Params().Variables() {
		if types.Identical(v.Type(), t) {
			return true
		}
	}
	return false
}

// An event is a call on a server's goroutine that may end a test.
type event struct {
	frame  *frame
	expr   *ast.CallExpr
	fn     *types.Func
	value  ast.Expr
	served *Site
}

type eventKey struct {
	frame *frame
	expr  *ast.CallExpr
	fn    *types.Func
}

// ends notes a call on a server's goroutine, if it may end a test.
func (f *frame) ends(c *call, fn *types.Func, recvs []value) {
	if f.events[eventKey{f, c.expr, fn}] != nil {
		return
	}
	if value := f.testOf(c, fn, recvs, f.reach.Ends(fn)); value != nil {
		f.note(&event{f, c.expr, fn, value, f.served})
	}
}

// makes notes in o, the result of a call, that it is a function which may end a test.
func (f *frame) makes(c *call, fn *types.Func, recvs []value, o *object) {
	if value := f.testOf(c, fn, recvs, f.reach.Made(fn)); value != nil && o.made == nil {
		o.made = &event{f, c.expr, fn, value, nil}
		f.noteMade(o)
	}
}

// noteMade notes the call that made o, if o is served and may end a test.
func (u *universe) noteMade(o *object) {
	if o.made != nil && o.served != nil {
		o.made.served = o.served
		u.note(o.made)
	}
}

// note adds an event, if it is new.
func (u *universe) note(e *event) {
	key := eventKey{e.frame, e.expr, e.fn}
	if u.events[key] == nil {
		u.events[key] = e
		u.order = append(u.order, e)
	}
}

// testOf returns the operand of a call of fn that holds a test, of those in set, or nil.
func (f *frame) testOf(c *call, fn *types.Func, recvs []value, set failreach.Set) ast.Expr {
	if set == 0 || c.unknown {
		return nil
	}
	sig := fn.Signature()
	calls := f.reach.Calls(fn) // see callAllHeld
	if set.Receiver() && sig.Recv() != nil && f.isTest(recvs, sig.Recv().Type(), calls.Receiver()) {
		sel, ok := ast.Unparen(c.expr.Fun).(*ast.SelectorExpr)
		switch {
		case !ok:
			return c.expr.Fun
		case len(c.exprs) < len(c.expr.Args):
			return c.expr.Args[0]
		}
		return sel.X
	}
	for i, values := range c.args {
		n := sig.Params().Len()
		if n == 0 || !set.Param(min(i, n-1)) || i >= len(c.exprs) {
			continue
		}
		if t := f.info.TypeOf(c.exprs[i]); t != nil && f.isTest(values, t, calls.Param(min(i, n-1))) {
			return c.exprs[i]
		}
	}
	return nil
}

// isTest reports whether values of the static type t are tests, or hold one: not by
// functions that the call at hand calls, if it does.
func (f *frame) isTest(values []value, t types.Type, calls bool) bool {
	if !types.IsInterface(t) && httpmodel.IsTesting(t) {
		return f.reach.EndsType(t)
	}
	if len(values) == 0 {
		return !types.IsInterface(t) || httpmodel.IsTesting(t)
	}
	seen := make(map[value]bool)
	for _, v := range values {
		if f.holdsTest(v, seen, calls) {
			return true
		}
	}
	return false
}

// holdsTest reports whether v is a test, or holds one.
func (f *frame) holdsTest(v value, seen map[value]bool, calls bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *function:
		if v.lit != nil {
			return f.reach.EndsLit(v.lit)
		}
		return v.fn != nil && f.reach.Ends(v.fn).Receiver() && v.recv != nil && f.holdsTest(v.recv, seen, calls)
	case *object:
		switch {
		case v.soft || v.typ == nil:
			return false
		case httpmodel.IsTesting(v.typ):
			return types.IsInterface(v.typ) || f.reach.EndsType(v.typ)
		case v.unknown:
			return f.reach.EndsType(v.typ)
		}
		for _, h := range v.held {
			if _, ok := h.value.(*function); (!ok || !calls) && f.holdsTest(h.value, seen, calls) {
				return true
			}
		}
		for _, n := range v.fields {
			for _, x := range n.values {
				if f.holdsTest(x, seen, calls) {
					return true
				}
			}
		}
	}
	return false
}

// call returns what is to be known of e.
func (e *event) call() *Call {
	c := &Call{Call: e.expr, In: e.frame.fn, Func: e.fn, Value: e.value, Served: e.served, Makes: e.frame.thread != serverThread}
	for f := e.frame; f.caller != nil; f = f.caller {
		c.Steps = append(c.Steps, Step{Call: f.site, In: f.caller.fn, Callee: f.fn, Static: f.static})
	}
	return c
}
