package handlers

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says what a call of a function of another package does to its arguments:
// run them, serve them, keep them.

// foreign calls a function of another package, or an interface's method of which
// no more is known.
func (f *frame) foreign(c *call, fn *types.Func, recvs []value) {
	if c.thread == serverThread {
		f.ends(c, fn, recvs)
		if fn.Name() == "ServeHTTP" {
			for _, recv := range recvs {
				f.serve(recv, nil, f.served)
			}
		}
	}
	for _, recv := range recvs {
		if v, ok := recv.(*function); ok {
			// Have: a method of a function's type, such as HandlerFunc.ServeHTTP.
			f.invoke(c, unconverted(f, v))
		}
	}
	fact := f.factOf(fn)
	held := f.arguments(c, fn, recvs, fact)
	f.serveArguments(c, fn, recvs, fact)
	if httpmodel.CallsHooks(fn) {
		f.send(c, recvs)
	}
	f.callHooks(c, recvs, fact.Hooks)
	if c.thread == serverThread {
		f.callAllHeld(c, fn, recvs)
	}
	if httpmodel.RegistersTest(fn) {
		f.hold(f.registered(fn), slices.Concat(c.args...), nil)
	} else if httpmodel.EndsRegistered(fn) {
		held = append(held, holding{value: f.registered(fn)})
	}
	f.keep(c, fn, recvs, held)
	f.foreignResults(c, fn, recvs, held, fact)
}

// registered returns the object that holds the test which the package of fn was given.
func (f *frame) registered(fn *types.Func) *object {
	o := f.object(objectKey{made: fn.Pkg()})
	o.typ, o.opaque = types.NewStruct(nil, nil), true
	return o
}

// unconverted returns v without the type that it was converted to.
func unconverted(f *frame, v *function) *function {
	plain := *v
	plain.named = nil
	return f.function(plain)
}

// arguments runs the functions among the arguments of a call of another package's
// function, where and when it runs them, and returns the arguments that it may keep.
func (f *frame) arguments(c *call, fn *types.Func, recvs []value, fact serveFact) (kept []holding) {
	sig := fn.Signature()
	n := sig.Params().Len()
	path := ""
	if fn.Pkg() != nil {
		path = typeset.PkgPath(fn.Pkg())
	}
	inTesting := path == "testing" || path == "testing/synctest"
	plainStd := f.isStd(fn.Pkg()) && !isServerPackage(path)
	lent := f.reach.Lends(fn)
	for i, values := range c.args {
		if n == 0 {
			break
		}
		param := sig.Params().At(min(i, n-1)).Type()
		if slice, ok := param.(*types.Slice); ok && sig.Variadic() && i >= n-1 && !c.expr.Ellipsis.IsValid() {
			param = slice.Elem()
		}
		_, takesFunc := param.Underlying().(*types.Signature)
		for _, v := range values {
			switch v := v.(type) {
			case *function:
				switch {
				case inTesting:
					f.callback(c, v, testThread, nil)
					continue
				case takesFunc && (plainStd || fact.Only&bit(min(i, n-1)) != 0 || f.callsItself(c, fn)):
					f.callback(c, v, c.thread, recvs)
					if !plainStd {
						continue
					}
				case !f.visited[syntaxOf(f, v)]:
					f.callback(c, v, strayThread, recvs)
				}
				if takesFunc && !f.isKnown(fn.Pkg()) && !httpmodel.IsHandlerFunc(param) {
					continue // fn may call it and be done
				}
			case *object:
				if c.thread == serverThread {
					f.useObject(c, v, param)
				}
				if isFuncs(param) && fact.Only&bit(min(i, n-1)) != 0 {
					kept = append(kept, f.callOption(c, v, recvs)...)
					continue
				}
			}
			if !lent.Param(min(i, n-1)) {
				kept = append(kept, holding{value: v, as: param, later: takesFunc && fact.Later&bit(min(i, n-1)) != 0})
			}
		}
	}
	return kept
}

// callsItself reports whether fn calls what a handler gives it: it is of a group, or knows
// of no server that could.
func (f *frame) callsItself(c *call, fn *types.Func) bool {
	return c.thread == serverThread &&
		(httpmodel.IsGroupGo(fn) || fn.Signature().Recv() == nil && !typeset.Imports(fn.Pkg(), httpmodel.ServerPaths()...))
}

// syntaxOf returns the syntax of v, or nil.
func syntaxOf(f *frame, v *function) ast.Node {
	if v.lit != nil {
		return v.lit
	}
	if decl := f.decls[v.fn]; decl != nil {
		return decl
	}
	return nil
}

// isStd reports whether pkg is of the standard library, or nil.
func (m *machine) isStd(pkg *types.Package) bool {
	return typeset.IsStd(pkg, m.pass.Module)
}

// isKnown reports whether all that matters of pkg is known: there are tables of it,
// the driver has its facts, or it has nothing to do with servers.
func (m *machine) isKnown(pkg *types.Package) bool {
	return m.isStd(pkg) || m.pass.ImportPackageFact(pkg, new(knownFact)) || !typeset.Imports(pkg, httpmodel.ServerPaths()...)
}

// callback calls a function that was given to another package's function.
func (f *frame) callback(c *call, v *function, th thread, given []value) {
	if syntaxOf(f, v) == nil {
		if v.fn != nil && v.recv != nil && f.factOf(v.fn).Serves&1 != 0 {
			f.serve(v.recv, nil, &Site{c.expr}) // group.Go(server.ListenAndServe)
		}
		return
	}
	args := make([][]value, 0, len(c.args)+1)
	args = append(args, given)
	for _, values := range c.args {
		args = append(args, values, f.elementsOf(values))
	}
	f.invoke(&call{expr: c.expr, args: args, thread: th, unknown: true}, v)
}

// elementsOf returns the elements of those of values that are containers.
func (f *frame) elementsOf(values []value) (elements []value) {
	for _, v := range values {
		if o, ok := v.(*object); ok && !o.opaque && o.fields[elem] != nil {
			elements = append(elements, f.load(o, nil)...)
		}
	}
	return elements
}

// useObject calls the methods that another package's function may call of an
// argument before it returns: those of an interface of the standard library, and
// those of what a request holds.
func (f *frame) useObject(c *call, o *object, param types.Type) {
	if named := typeset.Named(param); named != nil && types.IsInterface(named) && f.isStd(named.Obj().Pkg()) {
		f.callMethods(c, o, named)
	}
	if o.opaque && o.typ != nil && typeset.IsNamed(o.typ, httpmodel.NetHTTP, "Request") {
		for _, h := range f.heldBy(o) {
			if part, ok := h.value.(*object); ok && h.as != nil && types.IsInterface(h.as) {
				f.callMethods(c, part, h.as)
			}
		}
	}
}

// callMethods calls the methods of an interface on o, where it is of a type of this
// package.
func (f *frame) callMethods(c *call, o *object, iface types.Type) {
	if o.typ == nil || o.opaque || !isLocal(o.typ, f.pass.Pkg) {
		return
	}
	u, ok := iface.Underlying().(*types.Interface)
	if !ok {
		return
	}
	for m := range u.Methods() {
		if found, inner, ok := f.lookup(o, m); ok && f.decls[found] != nil {
			f.concrete(&call{expr: c.expr, thread: c.thread, unknown: true}, found, inner)
		}
	}
}

// serveArguments serves what a function of another package serves.
func (f *frame) serveArguments(c *call, fn *types.Func, recvs []value, fact serveFact) {
	site := &Site{c.expr}
	f.serveFields(recvs, fieldOf(0), fact, site)
	if fact.Serves&1 != 0 {
		for _, recv := range recvs {
			f.serve(recv, nil, site)
			if o, ok := recv.(*object); ok && !o.opaque && typeset.IsNamed(o.typ, httpmodel.NetHTTP, "Server") && o.fields["Handler"] == nil {
				f.serveDefault(o.typ, site)
			}
		}
	}
	params := fn.Signature().Params()
	for i, values := range c.args {
		i = min(i, params.Len()-1)
		if i < 0 {
			continue
		}
		f.serveFields(values, fieldOf(i+1), fact, site)
		if fact.Serves&(2<<i) == 0 {
			continue
		}
		for _, v := range values {
			f.serve(v, params.At(i).Type(), site)
		}
		if i < len(c.exprs) && f.info.Types[c.exprs[i]].IsNil() {
			f.serveDefault(params.At(i).Type(), site)
		}
	}
}

// serveDefault serves http.DefaultServeMux, which stands for a nil http.Handler, or for
// that of an http.Server without one.
func (f *frame) serveDefault(t types.Type, site *Site) {
	if named := typeset.Named(t); named != nil {
		if mux := httpmodel.DefaultMux(named.Obj().Pkg()); mux != nil {
			for _, v := range f.read(f.variable(mux)) {
				f.serve(v, nil, site)
			}
		}
	}
}

// send calls the hooks of an http.Client that sends a request.
func (f *frame) send(c *call, clients []value) {
	for _, client := range clients {
		o, ok := client.(*object)
		if !ok {
			continue
		}
		for _, hook := range httpmodel.ClientHooks() {
			n := o.fields[hook]
			if n == nil {
				continue
			}
			field, _, _ := types.LookupFieldOrMethod(o.typ, true, nil, hook)
			for _, v := range f.read(n) {
				sub := &call{expr: c.expr, thread: c.thread, unknown: true}
				if field != nil && types.IsInterface(field.Type()) {
					f.interfaceCalls(sub, v, field.Type())
				} else {
					f.invoke(sub, v)
				}
			}
		}
	}
}

// interfaceCalls calls the methods of an interface on v.
func (f *frame) interfaceCalls(c *call, v value, iface types.Type) {
	for m := range iface.Underlying().(*types.Interface).Methods() {
		f.method(c, m, []value{v})
	}
}

// keep makes what was given to a function of another package part of what may keep
// it: the receiver, or the first argument that is such an object.
func (f *frame) keep(c *call, fn *types.Func, recvs []value, kept []holding) {
	var keepers []*object
	add := func(v value) {
		if o, ok := v.(*object); ok && f.isPart(o) {
			keepers = append(keepers, o)
		}
	}
	for _, recv := range recvs {
		add(recv)
	}
	if len(recvs) == 0 && fn.Pkg() != nil {
		if path := typeset.PkgPath(fn.Pkg()); !f.isStd(fn.Pkg()) || isServerPackage(path) {
			if mux := httpmodel.DefaultMux(fn.Pkg()); mux != nil && httpmodel.RegistersDefault(fn) {
				for _, v := range f.read(f.variable(mux)) {
					add(v)
				}
			}
			for _, h := range kept {
				if o, ok := h.value.(*object); ok && o.opaque {
					add(o)
					break
				}
			}
		}
	}
	for _, o := range keepers {
		for _, h := range kept {
			if x, ok := h.value.(*object); !ok || f.isPart(x) || isLocal(x.typ, f.pass.Pkg) || httpmodel.IsTesting(x.typ) {
				f.holdAll(o, h)
			}
		}
	}
}

// isPart reports whether o may be part of a server, and so keep what it is given.
func (f *frame) isPart(o *object) bool {
	return o.typ != nil && (o.opaque || !isLocal(o.typ, f.pass.Pkg)) && !httpmodel.IsTesting(o.typ) && !httpmodel.IsClientSide(o.typ)
}

// foreignResults makes the results of a call of another package's function.
func (f *frame) foreignResults(c *call, fn *types.Func, recvs []value, kept []holding, fact serveFact) {
	results := resultTypes(f.info.TypeOf(c.expr))
	if c.unknown {
		results = nil
	}
	for i, t := range results {
		if !f.mayHold(t) {
			c.result(i, nil)
			continue
		}
		o := f.object(objectKey{made: c.expr, frame: f, name: string(rune('0' + i))})
		o.typ, o.opaque = deref(t), true
		o.soft = o.soft || f.reach.Soft(fn)
		values := []value{o}
		if !httpmodel.IsClientSide(o.typ) {
			f.holdAll(o, kept...)
			for _, recv := range recvs {
				f.holdAll(o, holding{value: recv, whole: true})
				if r, ok := recv.(*object); ok && f.isPart(r) && f.isPart(o) && belongs(o.typ, r.typ) {
					f.hold(r, []value{o}, nil)
				}
			}
		}
		if httpmodel.RecordsExpected(fn) && len(c.args) > 0 {
			for _, mock := range c.args[0] {
				if mock, ok := mock.(*object); ok {
					f.hold(mock, []value{o}, nil)
				}
			}
		}
		values = append(values, f.passed(c, t, recvs)...)
		if fact.Result&(1<<i) != 0 {
			f.serve(o, nil, &Site{c.expr})
		} else if i == 0 {
			f.makes(c, fn, recvs, o)
		}
		c.result(i, values)
	}
}

// passed returns the arguments and receivers of a call that have the type of a
// result: many functions return what they are given.
func (f *frame) passed(c *call, t types.Type, recvs []value) (values []value) {
	if len(c.args) == len(c.exprs) {
		for i, arg := range c.exprs {
			if at := f.info.TypeOf(arg); at != nil && types.Identical(at, t) {
				values = append(values, c.args[i]...)
			}
		}
	}
	for _, recv := range recvs {
		if o, ok := recv.(*object); ok && o.typ != nil && types.Identical(o.typ, deref(t)) {
			values = append(values, recv)
		}
	}
	return values
}

// resultTypes returns the types of a call's results.
func resultTypes(t types.Type) (results []types.Type) {
	if tuple, ok := t.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			results = append(results, v.Type())
		}
		return results
	}
	if t == nil {
		return nil
	}
	return []types.Type{t}
}
