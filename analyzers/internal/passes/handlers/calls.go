package handlers

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A call is a call that a frame makes.
type call struct {
	expr    *ast.CallExpr
	exprs   []ast.Expr // the arguments; for a method expression, without the receiver
	args    [][]value
	thread  thread
	static  bool
	unknown bool // the arguments are not those of expr
	results [][]value
	through map[value]bool // receivers whose embedded interfaces were looked into
}

// result adds values to the call's i-th result.
func (c *call) result(i int, values []value) {
	for len(c.results) <= i {
		c.results = append(c.results, nil)
	}
	c.results[i] = union(c.results[i], values)
}

// call does what a call expression does, on a thread, and returns its results.
func (f *frame) call(e *ast.CallExpr, th thread) [][]value {
	tv := f.info.Types[e.Fun]
	switch {
	case tv.IsType():
		return [][]value{f.convert(e, tv.Type)}
	case tv.IsBuiltin():
		return [][]value{f.builtin(e)}
	}
	c := &call{expr: e, exprs: e.Args, thread: th}
	if len(e.Args) == 1 {
		if tuple, ok := f.info.TypeOf(e.Args[0]).(*types.Tuple); ok {
			c.args = f.multi(e.Args[0])
			for len(c.args) < tuple.Len() {
				c.args = append(c.args, nil)
			}
		}
	}
	if c.args == nil {
		for _, arg := range e.Args {
			c.args = append(c.args, f.eval(arg))
		}
	}
	fun := ast.Unparen(e.Fun)
	switch x := fun.(type) { // strip an instance's type arguments
	case *ast.IndexExpr:
		if f.info.Types[x.Index].IsType() {
			fun = ast.Unparen(x.X)
		}
	case *ast.IndexListExpr:
		fun = ast.Unparen(x.X)
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		if fn, ok := f.info.Uses[fun].(*types.Func); ok {
			c.static = true
			f.invoke(c, f.function(function{fn: fn.Origin()}))
			return c.results
		}
		c.static = true // a variable that may hold a literal
	case *ast.FuncLit:
		c.static = true
	case *ast.SelectorExpr:
		sel := f.info.Selections[fun]
		if sel == nil {
			if fn, ok := f.info.Uses[fun.Sel].(*types.Func); ok {
				c.static = true
				f.invoke(c, f.function(function{fn: fn.Origin()}))
				return c.results
			}
			break
		}
		if fn, ok := sel.Obj().(*types.Func); ok && sel.Kind() == types.MethodExpr && len(e.Args) > 0 && len(c.args) == len(e.Args) {
			recvs := c.args[0]
			c.exprs, c.args, c.static = c.exprs[1:], c.args[1:], !typeset.IsInterfaceMethod(fn)
			f.method(c, fn.Origin(), recvs)
			return c.results
		} else if ok && sel.Kind() == types.MethodVal {
			index := sel.Index()
			recvs := f.walk(f.star(f.eval(fun.X)), sel.Recv(), index[:len(index)-1])
			c.static = !typeset.IsInterfaceMethod(fn)
			f.method(c, fn.Origin(), recvs)
			return c.results
		}
	}
	for _, v := range f.eval(fun) {
		f.invoke(c, v)
	}
	return c.results
}

// convert returns the value of a conversion to t.
func (f *frame) convert(e *ast.CallExpr, t types.Type) []value {
	values := f.eval(e.Args[0])
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || types.IsInterface(t) {
		return values
	}
	var converted []value
	for _, v := range values {
		if fn, ok := v.(*function); ok {
			as := *fn
			as.named = named
			v = f.function(as)
		}
		converted = append(converted, v)
	}
	return converted
}

// builtin does what a call of a builtin does.
func (f *frame) builtin(e *ast.CallExpr) []value {
	id, _ := ast.Unparen(e.Fun).(*ast.Ident)
	t := f.info.TypeOf(e)
	if id == nil {
		return nil
	}
	switch id.Name {
	case "new":
		if f.info.Types[e.Args[0]].IsType() {
			if t == nil || !f.mayHold(t) {
				return nil
			}
			o := f.object(objectKey{made: e, frame: f})
			if o.typ = deref(t); !isStruct(o.typ) {
				o.typ = t
			}
			return []value{o}
		}
		return f.eval(e.Args[0])
	case "make":
		if !f.mayHold(t) {
			return nil
		}
		o := f.object(objectKey{made: e, frame: f})
		o.typ = t
		return []value{o}
	case "append":
		dst := f.eval(e.Args[0])
		var more []value
		for i, arg := range e.Args[1:] {
			values := f.eval(arg)
			if e.Ellipsis.IsValid() && i == len(e.Args)-2 {
				values = f.elements(values)
			}
			more = union(more, values)
		}
		if !f.mayHold(t) {
			return nil
		}
		o := f.object(objectKey{made: e, frame: f})
		o.typ = t
		f.store(o, nil, more)
		for _, d := range dst {
			if d != value(o) {
				f.store(d, nil, more)
			}
		}
		return append(dst[:len(dst):len(dst)], o)
	case "copy":
		from := f.elements(f.eval(e.Args[1]))
		for _, o := range f.eval(e.Args[0]) {
			f.store(o, nil, from)
		}
		return nil
	}
	for _, arg := range e.Args {
		f.eval(arg)
	}
	return nil
}

// invoke calls a function value.
func (f *frame) invoke(c *call, v value) {
	switch v := v.(type) {
	case *function:
		switch {
		case v.lit != nil:
			f.enter(c, v.lit, v.env, nil)
		case v.fn.Signature().Recv() != nil:
			var recvs []value
			if v.recv != nil {
				recvs = []value{v.recv}
			}
			f.method(c, v.fn, recvs)
		case f.decls[v.fn] != nil:
			f.enter(c, f.decls[v.fn], nil, nil)
		default:
			f.foreign(c, v.fn, nil)
		}
	case *object:
		// Have: a function that another package made.
		if v.opaque && c.thread == serverThread {
			f.serve(v, nil, f.served)
		}
	}
}

// method calls a method on each of its possible receivers.
func (f *frame) method(c *call, fn *types.Func, recvs []value) {
	if !typeset.IsInterfaceMethod(fn) {
		f.concrete(c, fn, recvs)
		return
	}
	var unresolved []value
	for _, recv := range recvs {
		if found, inner, ok := f.lookup(recv, fn); ok {
			if typeset.IsInterfaceMethod(found) {
				// Have: an embedded interface, which may hold what embeds it.
				if !c.through[recv] {
					if c.through == nil {
						c.through = make(map[value]bool)
					}
					c.through[recv] = true
					f.method(c, found, inner)
				}
			} else {
				f.concrete(c, found, inner)
			}
			continue
		}
		if v, ok := recv.(*function); ok {
			f.invoke(c, v) // its type is not known; it has but one thing to call
			continue
		}
		unresolved = append(unresolved, recv)
	}
	if len(unresolved) > 0 || len(recvs) == 0 {
		f.foreign(c, fn, unresolved)
	}
}

// concrete calls a method that is no interface's.
func (f *frame) concrete(c *call, fn *types.Func, recvs []value) {
	decl := f.decls[fn]
	switch {
	case decl == nil:
		f.foreign(c, fn, recvs)
	case len(recvs) == 0:
		f.enter(c, decl, nil, nil)
	default:
		for _, recv := range recvs {
			f.enter(c, decl, nil, recv)
		}
	}
}

// lookup returns the method that an interface's method fn is on recv, and the part
// of recv that is its receiver.
func (f *frame) lookup(recv value, fn *types.Func) (found *types.Func, inner []value, ok bool) {
	var t types.Type
	switch v := recv.(type) {
	case *object:
		t = v.typ
	case *function:
		if v.named != nil {
			t = v.named
		}
	}
	if t == nil || types.IsInterface(t) {
		return nil, nil, false
	}
	if _, ok := t.(*types.Pointer); !ok {
		t = types.NewPointer(t)
	}
	obj, index, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), fn.Name())
	found, ok = obj.(*types.Func)
	if !ok {
		return nil, nil, false
	}
	return found.Origin(), f.walk([]value{recv}, t, index[:len(index)-1]), true
}

// maxSame is the number of frames of one function on the way to a frame, of
// different receivers.
const maxSame = 4

// enter calls a function of this package.
func (f *frame) enter(c *call, fn ast.Node, env *frame, recv value) {
	g := f.frameFor(c, fn, env, recv)
	if g == nil {
		return
	}
	g.bind(c, recv)
	sig := g.signature()
	if sig == nil {
		return
	}
	for i := range sig.Results().Len() {
		if f.mayHold(sig.Results().At(i).Type()) {
			c.result(i, f.read(g.result(i)))
		} else {
			c.result(i, nil)
		}
	}
}

// frameFor returns the frame of a call, new or known, or nil if there are too many.
func (f *frame) frameFor(c *call, fn ast.Node, env *frame, recv value) *frame {
	key := frameKey{c.expr, fn, env, recv, c.thread}
	kids := f.kids
	if !f.inTestFile(fn) {
		kids = f.shared
	}
	if g := kids[key]; g != nil {
		return g
	}
	same := 0
	for g := f; g != nil; g = g.caller {
		if g.fn != fn {
			continue
		}
		if g.env == env && g.recv == recv && g.thread == c.thread {
			return g // recursion
		}
		if same++; same == maxSame {
			return nil
		}
	}
	if f.depth >= maxDepth || f.frames >= f.limit {
		return nil
	}
	g := f.newFrame(fn, env, recv, c.thread)
	g.caller, g.site, g.static, g.depth = f, c.expr, c.static, f.depth+1
	if c.thread == serverThread {
		g.served = f.served
	}
	if kids == nil {
		kids = make(map[frameKey]*frame)
		f.kids = kids
	}
	kids[key] = g
	if sig := g.signature(); sig != nil {
		for v := range sig.Results().Variables() {
			if v.Name() != "" {
				g.zero(v)
			}
		}
	}
	return g
}

// inTestFile reports whether n is in a test file.
func (m *machine) inTestFile(n ast.Node) bool {
	return strings.HasSuffix(m.pass.Fset.File(n.Pos()).Name(), "_test.go")
}

// bind gives the parameters of f the arguments of a call.
func (f *frame) bind(c *call, recv value) {
	sig := f.signature()
	if sig == nil {
		return
	}
	if v := sig.Recv(); v != nil {
		if recv != nil {
			f.add(f.variable(v), []value{recv})
		} else {
			f.add(f.variable(v), []value{f.unknown(v, 0)})
		}
	}
	if c.unknown {
		f.bindCallback(c)
		return
	}
	n := sig.Params().Len()
	for i, values := range c.args {
		if len(values) == 0 || n == 0 {
			continue
		}
		v := sig.Params().At(min(i, n-1))
		if sig.Variadic() && i >= n-1 && !c.expr.Ellipsis.IsValid() {
			rest := f.object(objectKey{made: v, frame: f, name: "..."})
			rest.typ = v.Type()
			f.store(rest, nil, values)
			values = []value{rest}
		}
		f.add(f.variable(v), values)
	}
}

// bindCallback gives the parameters of f, which a function of another package calls,
// what that function was given, where it fits.
func (f *frame) bindCallback(c *call) {
	sig := f.signature()
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		if !f.mayHold(v.Type()) {
			continue
		}
		var fits []value
		for _, arg := range c.args {
			for _, x := range arg {
				if o, ok := x.(*object); ok && o.typ != nil && fit(o.typ, v.Type()) {
					fits = append(fits, o)
				}
			}
		}
		if len(fits) == 0 {
			fits = []value{f.unknown(v, i+1)}
		}
		f.add(f.variable(v), fits)
	}
}

// fit reports whether an object of type t may be a value of type param.
func fit(t, param types.Type) bool {
	if types.IsInterface(param) {
		iface := param.Underlying().(*types.Interface)
		return iface.NumMethods() > 0 && (types.Implements(t, iface) || types.Implements(types.NewPointer(t), iface))
	}
	return types.Identical(t, deref(param))
}

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
	f.keep(c, fn, recvs, held)
	f.foreignResults(c, fn, recvs, held, fact)
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
				case takesFunc && (plainStd || fact.Only&(2<<min(i, n-1)) != 0):
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
			}
			kept = append(kept, holding{v, param})
		}
	}
	return kept
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
		return // it has nothing to run here
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
	if fact.Serves&1 != 0 {
		for _, recv := range recvs {
			f.serve(recv, nil, site)
		}
	}
	params := fn.Signature().Params()
	for i, values := range c.args {
		i = min(i, params.Len()-1)
		if i < 0 || fact.Serves&(2<<i) == 0 {
			continue
		}
		for _, v := range values {
			f.serve(v, params.At(i).Type(), site)
		}
		if mux := httpmodel.DefaultMux(fn.Pkg()); mux != nil && i < len(c.exprs) && f.info.Types[c.exprs[i]].IsNil() {
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
			if x, ok := h.value.(*object); !ok || f.isPart(x) || isLocal(x.typ, f.pass.Pkg) {
				f.hold(o, []value{h.value}, h.as)
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
			for _, h := range kept {
				f.hold(o, []value{h.value}, h.as)
			}
			for _, recv := range recvs {
				f.hold(o, []value{recv}, nil)
				if r, ok := recv.(*object); ok && f.isPart(r) && f.isPart(o) && samePackage(r.typ, o.typ) {
					f.hold(r, []value{o}, nil)
				}
			}
		}
		values = append(values, f.passed(c, t, recvs)...)
		if fact.Result&(1<<i) != 0 {
			f.serve(o, nil, &Site{c.expr})
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

// samePackage reports whether two types are declared in one package.
func samePackage(t, u types.Type) bool {
	x, y := typeset.Named(t), typeset.Named(u)
	return x != nil && y != nil && x.Obj().Pkg() == y.Obj().Pkg()
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
