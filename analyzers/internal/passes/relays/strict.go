package relays

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about clients that make errors of bad statuses, by a transport or a hook
// of the package.

// A strictness is what a package shows of its strict clients.
type strictness struct {
	methods map[string]bool          // names of methods that refuse: of an interface, they may be one of these
	types   map[*types.TypeName]bool // types of transports that refuse
	exprs   map[ast.Expr]bool        // what is, or has, such a transport or hook
	vars    map[*types.Var]bool      // likewise, variables and fields
	escapes bool                     // a strict client may be in any variable that is set out of sight
	kinds   map[string]bool          // the packages of the clients that are
}

// isStrict reports whether call is of a client that may be a strict one.
func (c *checker) isStrict(call *ast.CallExpr) bool {
	fn, x := c.callee(call)
	if fn != nil && typeset.IsInterfaceMethod(fn) && c.strict.methods[fn.Name()] {
		return true
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && c.info.Selections[sel] != nil {
		s := c.info.Selections[sel]
		if slices.ContainsFunc(typeset.Fields(s.Recv(), s.Index()[:len(s.Index())-1]), func(f *types.Var) bool { return c.strict.vars[f] }) {
			return true // of an embedded client
		}
	}
	x, v := c.client(x)
	if c.strict.exprs[x] || c.strict.vars[v] {
		return true
	}
	if !c.strict.escapes || fn == nil || fn.Pkg() == nil || v == nil || c.setInSight(v) {
		return false
	}
	return c.strict.kinds[typeset.PkgPath(fn.Pkg())] || c.strict.kinds[httpmodel.NetHTTP] && httpmodel.LooksLikeDo(fn.Signature())
}

// client returns the expression at the start of a chain of calls, client.R().SetBody(b),
// that makes a request, or the first in it that is strict; and the variable that it is.
func (c *checker) client(x ast.Expr) (ast.Expr, *types.Var) {
	for x != nil {
		x = ast.Unparen(x)
		call, ok := x.(*ast.CallExpr)
		if !ok || c.strict.exprs[x] {
			return x, typeset.VarOf(c.info, x)
		}
		_, x = c.callee(call)
	}
	return nil, nil
}

// setInSight reports whether all that is assigned to v is made there, or v is of package
// net/http.
func (c *checker) setInSight(v *types.Var) bool {
	defs := c.index.Defs(v)
	for _, def := range defs {
		if u, ok := def.(*ast.UnaryExpr); ok {
			def = u.X
		}
		switch def.(type) {
		case *ast.CompositeLit, *ast.CallExpr:
		default:
			return false
		}
	}
	return len(defs) > 0 || v.Pkg() != nil && v.Pkg().Path() == httpmodel.NetHTTP && !v.IsField()
}

// findStrict finds the strict clients of the package. What was run before they were known
// is forgotten.
func (c *checker) findStrict() {
	s := &c.strict
	s.methods, s.types = make(map[string]bool), make(map[*types.TypeName]bool)
	s.exprs, s.vars, s.kinds = make(map[ast.Expr]bool), make(map[*types.Var]bool), make(map[string]bool)
	var refusing []*types.Func // all, before one of them makes others strict
	for _, decl := range c.index.Decls() {
		fn, ok := c.info.Defs[decl.Name].(*types.Func)
		if ok && decl.Recv != nil && httpmodel.LooksLikeDo(fn.Signature()) && c.refuses(decl) {
			refusing = append(refusing, fn)
		}
	}
	for _, fn := range refusing {
		s.methods[fn.Name()] = true
		if named := typeset.Named(fn.Signature().Recv().Type()); named != nil && fn.Name() == "RoundTrip" {
			s.types[named.Obj()] = true
			s.kinds[httpmodel.NetHTTP] = true
			s.escapes = s.escapes || named.Obj().Exported()
		}
	}
	for cur := range c.inspect.Root().Preorder((*ast.CompositeLit)(nil), (*ast.CallExpr)(nil), (*ast.FuncLit)(nil)) {
		if c.makesStrict(cur.Node().(ast.Expr)) {
			c.spreadStrict(cur)
		}
	}
	if len(s.types) > 0 {
		for _, obj := range c.info.Defs {
			if v, ok := obj.(*types.Var); ok && !v.IsField() && c.isRefusing(v.Type()) {
				c.holdStrict(v)
			}
		}
	}
	if len(s.methods)+len(s.exprs) > 0 {
		clear(c.ran)
	}
}

// makesStrict reports whether x makes a transport that refuses, or gives a client a hook
// that does.
func (c *checker) makesStrict(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.FuncLit:
		sig, ok := c.info.TypeOf(x).(*types.Signature)
		if !ok || !httpmodel.LooksLikeDo(sig) || !c.refuses(x) {
			return false
		}
		c.strict.kinds[httpmodel.NetHTTP] = true
		return true
	case *ast.CallExpr:
		sel, ok := x.Fun.(*ast.SelectorExpr)
		if ok && len(x.Args) == 1 && (sel.Sel.Name == "OnAfterResponse" || sel.Sel.Name == "OnError") && c.asksStatus(x.Args[0]) {
			if fn := typeset.Callee(c.info, x); fn != nil && fn.Pkg() != nil {
				c.strict.kinds[typeset.PkgPath(fn.Pkg())] = true
				return true
			}
		}
		if len(c.strict.types) == 0 || typeset.Callee(c.info, x) != nil {
			return false
		}
	}
	return c.isRefusing(c.info.TypeOf(x)) // T{}, T(f), new(T)
}

// isRefusing reports whether t is the type of a transport that refuses.
func (c *checker) isRefusing(t types.Type) bool {
	if len(c.strict.types) == 0 || t == nil {
		return false
	}
	named := typeset.Named(t)
	return named != nil && c.strict.types[named.Obj()]
}

// spreadStrict notes that an expression is strict, and what becomes so by it.
func (c *checker) spreadStrict(cur inspector.Cursor) {
	for {
		x := cur.Node().(ast.Expr)
		if c.strict.exprs[x] {
			return
		}
		c.strict.exprs[x] = true
		if call, ok := x.(*ast.CallExpr); ok { // client.OnAfterResponse(f)
			_, recv := c.callee(call)
			if _, v := c.client(recv); v != nil {
				c.holdStrict(v)
			}
		}
		up := cur.Parent()
		switch parent := up.Node().(type) {
		case *ast.ParenExpr, *ast.UnaryExpr, *ast.StarExpr:
		case *ast.SelectorExpr:
			if parent.Sel == x {
				break // the field
			}
			up = up.Parent()
			call, ok := up.Node().(*ast.CallExpr)
			if !ok || call.Fun != parent || !types.Identical(c.info.TypeOf(x), c.info.TypeOf(call)) {
				return // a request
			}
			// Have: resty.New().SetTimeout(t).
		case *ast.CallExpr:
			if fn := typeset.Callee(c.info, parent); c.index.Decl(fn) != nil {
				c.holdStrict(nth(slices.Collect(fn.Origin().Signature().Params().Variables()), slices.Index(parent.Args, x)))
				return
			}
		case *ast.KeyValueExpr:
			field := typeset.VarOf(c.info, parent.Key)
			if parent.Key == x {
				return
			}
			if field == nil || field.Pkg() == c.pass.Pkg {
				c.holdStrict(field)
				return
			}
			up = up.Parent() // http.Client{Transport: x}
		case *ast.CompositeLit: // server{x}
			st, ok := typeset.Underlying(c.info, parent).(*types.Struct)
			if i := slices.Index(parent.Elts, x); ok && i >= 0 && i < st.NumFields() {
				c.holdStrict(st.Field(i))
			} else {
				c.strict.escapes = true
			}
			return
		case *ast.AssignStmt:
			for i, rhs := range parent.Rhs {
				if rhs == x && i < len(parent.Lhs) {
					c.holdStrictAt(parent.Lhs[i])
				}
			}
			return
		case *ast.ValueSpec:
			for i, rhs := range parent.Values {
				if rhs == x && i < len(parent.Names) {
					c.holdStrictAt(parent.Names[i])
				}
			}
			return
		case *ast.ReturnStmt:
			c.returnStrict(up)
			return
		case *ast.ExprStmt, *ast.BinaryExpr:
			return
		default:
			c.strict.escapes = true
			return
		}
		cur = up
	}
}

// returnStrict notes that a function returns what is strict.
func (c *checker) returnStrict(ret inspector.Cursor) {
	for encl := range ret.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		decl, ok := encl.Node().(*ast.FuncDecl)
		if !ok || decl.Name.IsExported() {
			c.strict.escapes = true
		}
		if !ok {
			return
		}
		for call := range c.inspect.Root().Preorder((*ast.CallExpr)(nil)) {
			if c.index.Decl(typeset.Callee(c.info, call.Node().(*ast.CallExpr))) == decl {
				c.spreadStrict(call)
			}
		}
		return
	}
}

// holdStrictAt notes that what is strict is put into the place x, or a field of it.
func (c *checker) holdStrictAt(x ast.Expr) {
	v := typeset.VarOf(c.info, x)
	if sel, ok := x.(*ast.SelectorExpr); ok && (v == nil || v.Pkg() != c.pass.Pkg) {
		v = typeset.VarOf(c.info, sel.X) // client.Transport
	}
	c.holdStrict(v)
}

// holdStrict notes that the variable or field v holds what is strict.
func (c *checker) holdStrict(v *types.Var) {
	switch {
	case v == nil || v.Pkg() != c.pass.Pkg:
		c.strict.escapes = true
	case !c.strict.vars[v]:
		c.strict.vars[v] = true
		for use := range c.inspect.Root().Preorder((*ast.Ident)(nil)) {
			if c.info.Uses[use.Node().(*ast.Ident)] == v {
				c.spreadStrict(use)
			}
		}
	}
}

// refuses reports whether a function that gets a response returns none on a path on
// which it has looked at its status.
func (c *checker) refuses(fn ast.Node) bool {
	e := c.engineOf(fn)
	if e == nil {
		return false
	}
	for _, x := range e.exits {
		if len(x.results) != 2 || x.results[0].has(response) {
			continue
		}
		for i, o := range e.origins {
			if o.call != nil && x.world.hasLooked(i) {
				return true
			}
		}
	}
	return false
}

// asksStatus reports whether a hook looks at the status of the response that it gets, as
// far as is known: it may.
func (c *checker) asksStatus(hook ast.Expr) bool {
	var s *summary
	if lit, ok := c.index.FuncOf(hook).(*ast.FuncLit); !ok {
		s = c.summaryOf(typeset.FuncObj(c.info, hook))
	} else if e := c.engineOf(lit); e != nil {
		s = e.summary()
	}
	return s == nil || len(s.Looks) > 0
}
