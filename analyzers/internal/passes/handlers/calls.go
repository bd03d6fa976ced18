package handlers

import (
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/report"
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
	case *ast.FuncLit, *ast.CallExpr:
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
		if !v.opaque {
			break
		}
		if c.thread == serverThread {
			f.serve(v, nil, f.served)
		}
		f.opaqueResults(c, v)
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
	if !report.IsTest(f.pass, fn) {
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
