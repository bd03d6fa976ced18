package resend

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// isCalled reports whether the literal is called where it stands.
func isCalled(list []ast.Node, lit *ast.FuncLit) bool {
	return slices.ContainsFunc(list, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && ast.Unparen(call.Fun) == lit
	})
}

// runsLater reports whether one of the calls runs a function literal after a time.
func (f *frame) runsLater(list []ast.Node, lit *ast.FuncLit) bool {
	return slices.ContainsFunc(list, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && f.isLater(call) && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return ast.Unparen(arg) == lit })
	})
}

// isLater reports whether a call, as that of time.AfterFunc, is given a time to wait.
func (f *frame) isLater(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return typeset.IsNamed(f.info.TypeOf(arg), "time", "Duration") })
}

// spawn follows a function that is not called here, for what happens in it.
func (f *frame) spawn(w *world, at, fn ast.Node) {
	if len(f.calls) > maxDepth || slices.ContainsFunc(f.parents, func(p *frame) bool { return p.fn == fn }) || f.fn == fn {
		return
	}
	if lit, ok := fn.(*ast.FuncLit); ok && !f.sendsIn(lit.Body) {
		return
	}
	if decl, ok := fn.(*ast.FuncDecl); ok && !f.scans[decl].sends {
		return
	}
	child := f.child(fn, at)
	child.apart = true
	child.run(w)
}

// maxDepth bounds the calls that are followed into each other.
const maxDepth = 5

// child returns the frame of a function that is called at a place.
func (f *frame) child(fn, at ast.Node) *frame {
	return f.frame(fn, append(slices.Clone(f.calls), at), append(slices.Clone(f.parents), f))
}

// funcOf returns the function of the package that call calls, or nil.
func (f *frame) funcOf(w *world, call *ast.CallExpr) ast.Node {
	if fn := typeset.Callee(f.info, call); fn != nil {
		if typeset.IsInterfaceMethod(fn) {
			fn = cmp.Or(f.behind(w, call, fn), f.index.Implementation(fn))
		}
		if d := f.index.Decl(fn); d != nil {
			return d
		}
		return nil
	}
	if v := f.eval(w, call.Fun); v.k == function {
		n, _ := v.obj.(ast.Node)
		return n
	}
	if n := f.index.FuncOf(call.Fun); n != nil {
		return n
	}
	return nil
}

// behind returns the method that an interface's method is where what it is called on
// is known, or nil.
func (f *frame) behind(w *world, call *ast.CallExpr, fn *types.Func) *types.Func {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	v := f.eval(w, sel.X)
	t := f.typeOf(v.obj)
	if v.k != object || t == nil || types.IsInterface(t) {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), fn.Name())
	method, _ := obj.(*types.Func)
	return method
}

// callback returns the function that arg is, if it is of the package.
func (f *frame) callback(w *world, arg ast.Expr) ast.Node {
	t := f.info.TypeOf(arg)
	if t == nil {
		return nil
	}
	if _, ok := t.Underlying().(*types.Signature); !ok {
		return nil
	}
	if v := f.eval(w, arg); v.k == function {
		n, _ := v.obj.(ast.Node)
		return n
	}
	return f.index.FuncOf(arg)
}

// worthFollowing reports whether what a function does can matter.
func (f *frame) worthFollowing(fn ast.Node) bool {
	decl, ok := fn.(*ast.FuncDecl)
	if !ok {
		return true
	}
	s := f.scans[decl]
	return s != nil && s.size < 3000 && !f.tooMuch[decl] && (s.sends || s.waits || s.asks)
}

// inline returns the worlds after a call of a function that is followed.
func (f *frame) inline(w *world, call *ast.CallExpr, target ast.Node) state {
	w = f.bind(w, call, target)
	child := f.child(target, call)
	key := callID{f.siteKey(call), w.id()}
	exits, ok := f.memo[key]
	if !ok {
		exits = child.run(w)
		if f.overflow {
			return nil
		}
		f.memo[key] = exits
	}
	decl, _ := target.(*ast.FuncDecl)
	waits := decl != nil && f.scans[decl].onlyWaits()
	var out state
	for _, x := range exits {
		c := x.w.clone()
		if waits {
			c = c.waited()
		}
		for i, v := range x.results {
			c.put(ref{call, digit(i)}, v)
		}
		f.handBack(c, call, target)
		f.leave(c, target)
		if decl != nil && c.unmade(target) {
			continue
		}
		c.collect()
		out = append(out, c)
	}
	return f.join(nil, out)
}

// handBack puts what a function leaves in the parts of its operands where the call has
// them, if they are pointers.
func (f *frame) handBack(c *world, call *ast.CallExpr, fn ast.Node) {
	params, args := f.operands(call, fn)
	for i, p := range params {
		r, ok := f.place(c, args[i])
		if _, isPointer := p.Type().Underlying().(*types.Pointer); !isPointer || !ok || !isVar(r.obj) || r.obj == p || f.eval(c, args[i]).k != unknown {
			continue // Have: no variable, or one whose parts are those of what it holds.
		}
		for k := range c.m {
			if k.obj == r.obj && strings.HasPrefix(k.path, r.path+".") {
				c.forget(k)
			}
		}
		for k, v := range c.m {
			if k.obj == p && strings.HasPrefix(k.path, ".") {
				c.put(ref{r.obj, r.path + k.path}, v)
			}
		}
	}
}

// leave forgets the variables of a function.
func (f *frame) leave(c *world, fn ast.Node) {
	for r := range c.m {
		if v, ok := r.obj.(*types.Var); ok && !v.IsField() && fn.Pos() <= v.Pos() && v.Pos() < fn.End() {
			c.forget(r)
		}
		if call, ok := r.obj.(*ast.CallExpr); ok && len(r.path) == 1 && syntax.Within(call, fn) {
			c.forget(r)
		}
	}
}

// operands returns the parameters of a function and what a call gives them.
func (f *frame) operands(call *ast.CallExpr, target ast.Node) (params []*types.Var, args []ast.Expr) {
	var sig *types.Signature
	switch t := target.(type) {
	case *ast.FuncDecl:
		obj, _ := f.info.Defs[t.Name].(*types.Func)
		if obj == nil {
			return nil, nil
		}
		sig = obj.Signature()
		if recv := sig.Recv(); recv != nil {
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				params, args = append(params, recv), append(args, sel.X)
			}
		}
	case *ast.FuncLit:
		sig, _ = f.info.TypeOf(t).(*types.Signature)
	}
	if sig == nil {
		return params, args
	}
	for i := range min(sig.Params().Len(), len(call.Args)) {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		params, args = append(params, sig.Params().At(i)), append(args, call.Args[i])
	}
	return params, args
}

// bind returns the world at the start of a function, given what a call gives it.
func (f *frame) bind(w *world, call *ast.CallExpr, target ast.Node) *world {
	params, args := f.operands(call, target)
	c := w.clone()
	if sig := typeset.SignatureOf(f.info, target); sig != nil {
		for r := range sig.Results().Variables() {
			if r.Name() != "" {
				c.put(ref{r, ""}, zero(r.Type()))
			}
		}
		for i := min(len(call.Args), sig.Params().Len()-1); i >= 0 && i < sig.Params().Len(); i++ {
			c.put(ref{sig.Params().At(i), ""}, val{})
			if sig.Variadic() && len(call.Args) < sig.Params().Len() {
				c.put(ref{sig.Params().At(i), ""}, val{k: isNil})
			}
		}
	}
	for i, p := range params {
		c.put(ref{p, ""}, f.eval(w, args[i]))
		if r, ok := f.place(w, args[i]); ok && isVar(r.obj) && r.obj != p {
			for k, v := range w.m {
				if rest, ok := strings.CutPrefix(k.path, r.path+"."); ok && k.obj == r.obj {
					c.put(ref{p, "." + rest}, v)
				}
			}
		}
	}
	return c
}

// unmade reports whether a function made no request on the way: whoever calls it can
// not tell that from other failures, and nothing was sent.
func (w *world) unmade(fn ast.Node) bool {
	for r := range w.m {
		if s, ok := r.obj.(*site); ok && r.path == "#unmade" && syntax.Within(s.calls[len(s.calls)-1], fn) {
			return true
		}
	}
	return false
}

// collect forgets the parts of requests, readers and literals that no value leads to:
// what makes them makes others the next time.
func (c *world) collect() {
	live := make(map[any]bool)
	var mark func(obj any)
	mark = func(obj any) {
		if obj == nil || live[obj] {
			return
		}
		live[obj] = true
		if b, ok := obj.(bodyOf); ok {
			mark(b.v)
		}
		for r, v := range c.m {
			if r.obj == obj {
				mark(v.obj)
			}
		}
	}
	for r, v := range c.m {
		switch r.obj.(type) {
		case *types.Var, *site, ref, bodyOf:
			mark(v.obj)
		case *ast.CallExpr:
			if len(r.path) == 1 { // a result that is still to be used
				mark(v.obj)
			}
		}
	}
	for r := range c.m {
		switch r.obj.(type) {
		case *ast.CallExpr:
			if len(r.path) > 1 && !live[r.obj] {
				c.forget(r)
			}
		case *ast.CompositeLit, *foreign:
			if !live[r.obj] {
				c.forget(r)
			}
		}
	}
}
