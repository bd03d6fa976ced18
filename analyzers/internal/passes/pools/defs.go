package pools

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A function is a declared function or a function literal of the package.
type function struct {
	node   ast.Node // *ast.FuncDecl or *ast.FuncLit
	body   *ast.BlockStmt
	sig    *types.Signature
	params []*types.Var // the receiver, or nil, and the parameters
	conds  []cond       // conditions on its parameters, once they are collected
	ready  bool         // conds are collected
}

// index returns the place of v among the parameters of f: 0 for the receiver; or -1.
func (f *function) index(v *types.Var) int {
	for i, p := range f.params {
		if p != nil && p == v {
			return i
		}
	}
	return -1
}

// function returns the function of a node, or nil if it has no body.
func (c *checker) function(node ast.Node) *function {
	if f, ok := c.functions[node]; ok {
		return f
	}
	f := &function{node: node}
	switch node := node.(type) {
	case *ast.FuncDecl:
		f.body = node.Body
		if fn, ok := c.pass.TypesInfo.Defs[node.Name].(*types.Func); ok {
			f.sig = fn.Signature()
		}
	case *ast.FuncLit:
		f.body = node.Body
		f.sig, _ = typeset.Underlying(c.pass.TypesInfo, node).(*types.Signature)
	}
	if f.body == nil || f.sig == nil {
		f = nil
	} else {
		f.params = append(f.params, f.sig.Recv())
		for p := range f.sig.Params().Variables() {
			f.params = append(f.params, p)
		}
	}
	c.functions[node] = f
	return f
}

// defs says what the package assigns to a variable or field.
type defs struct {
	values []def
	opaque bool // also what is not an expression: a range, a receive, &v handed out
}

// A def is one value of a variable: result index of a call, or index 0 of any
// other expression.
type def struct {
	expr  ast.Expr
	index int
}

// definitions indexes what the package assigns to its variables and fields.
func (c *checker) definitions() map[*types.Var]*defs {
	if c.defs != nil {
		return c.defs
	}
	c.defs = make(map[*types.Var]*defs)
	add := func(lhs ast.Expr, rhs ast.Expr, index int) {
		v := c.variable(lhs)
		if v == nil {
			return
		}
		d := c.defs[v]
		if d == nil {
			d = new(defs)
			c.defs[v] = d
		}
		if rhs == nil {
			d.opaque = true
		} else {
			d.values = append(d.values, def{rhs, index})
		}
	}
	addAll := func(lhs, rhs []ast.Expr) {
		for i, l := range lhs {
			switch {
			case len(lhs) == len(rhs):
				add(l, rhs[i], 0)
			case len(rhs) == 1:
				add(l, rhs[0], i)
			}
		}
	}
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				addAll(n.Lhs, n.Rhs)
				if call, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr); ok && len(n.Rhs) == 1 {
					c.assigned[call] = n.Lhs
				}
			case *ast.ValueSpec:
				lhs := make([]ast.Expr, len(n.Names))
				for i, name := range n.Names {
					lhs[i] = name
				}
				addAll(lhs, n.Values)
				if len(n.Values) == 1 {
					if call, ok := ast.Unparen(n.Values[0]).(*ast.CallExpr); ok {
						c.assigned[call] = lhs
					}
				}
			case *ast.RangeStmt:
				for _, lhs := range []ast.Expr{n.Key, n.Value} {
					if lhs != nil {
						add(lhs, nil, 0)
					}
				}
			case *ast.CompositeLit:
				st, ok := typeset.StructOf(c.pass.TypesInfo.TypeOf(n))
				for i, elt := range n.Elts {
					if kv, isKV := elt.(*ast.KeyValueExpr); isKV {
						if ok {
							add(kv.Key, kv.Value, 0)
						}
					} else if ok && i < st.NumFields() {
						f := st.Field(i).Origin()
						if c.defs[f] == nil {
							c.defs[f] = new(defs)
						}
						c.defs[f].values = append(c.defs[f].values, def{elt, 0})
					}
				}
			}
			return true
		})
	}
	return c.defs
}

// valuesOf returns what the package assigns to v.
func (c *checker) valuesOf(v *types.Var) defs {
	if d := c.definitions()[v.Origin()]; d != nil {
		return *d
	}
	return defs{}
}

// variable returns the variable or field that e denotes, or nil.
func (c *checker) variable(e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := c.pass.TypesInfo.ObjectOf(e).(*types.Var)
		if v != nil {
			v = v.Origin()
		}
		return v
	case *ast.SelectorExpr:
		return c.variable(e.Sel)
	}
	return nil
}

// isLocal reports whether v is declared in a function: a parameter, a result or a
// variable, not a field.
func (c *checker) isLocal(v *types.Var) bool {
	return v != nil && !v.IsField() && v.Parent() != c.pass.Pkg.Scope() && v.Pkg() == c.pass.Pkg
}

// root returns the variable that the path of e starts from, or nil: v for v.f,
// (*v).f[i] and v.(T).f.
func (c *checker) root(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return c.variable(x)
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if _, isPkg := c.pass.TypesInfo.ObjectOf(id).(*types.PkgName); isPkg {
					return c.variable(x.Sel)
				}
			}
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.TypeAssertExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// An origin says whose a local variable's content is.
type origin struct {
	outside bool // it may be what outlives the function
	param   int  // it is what a pointer parameter points to; -1 if not
}

// own is the origin of what the function made itself.
var own = origin{param: -1}

// originOf returns whose the content of v is, seen from the function f.
func (c *checker) originOf(f *function, v *types.Var) origin {
	return c.originIn(f, v, make(map[*types.Var]bool))
}

// originIn is originOf, given the variables that are being asked about.
func (c *checker) originIn(f *function, v *types.Var, seen map[*types.Var]bool) origin {
	if !c.isLocal(v) || !within(v.Pos(), f.node) {
		return origin{outside: true, param: -1} // a field, a package's or a captured variable
	}
	if seen[v] {
		return own
	}
	seen[v] = true
	if i := f.index(v); i >= 0 {
		if _, ok := v.Type().Underlying().(*types.Struct); ok {
			return own // a copy
		}
		return origin{param: i}
	}
	if _, ok := v.Type().Underlying().(*types.Struct); ok {
		return own
	}
	result := own
	d := c.valuesOf(v)
	for _, def := range d.values {
		o := c.originOfExpr(f, def.expr, seen)
		result.outside = result.outside || o.outside
		if o.param >= 0 {
			result.param = o.param
		}
	}
	return result
}

// originOfExpr returns whose the content of a value is.
func (c *checker) originOfExpr(f *function, e ast.Expr, seen map[*types.Var]bool) origin {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit, *ast.FuncLit, *ast.BasicLit:
		return own
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			if v := c.root(e.X); v != nil && !isSelector(e.X) {
				return c.originIn(f, v, seen)
			}
			return c.originOfExpr(f, e.X, seen)
		}
		return own
	case *ast.CallExpr:
		if c.pass.TypesInfo.Types[e.Fun].IsType() && len(e.Args) == 1 {
			return c.originOfExpr(f, e.Args[0], seen)
		}
		return origin{outside: !c.isConstructor(e), param: -1}
	case *ast.Ident:
		if e.Name == "nil" {
			return own
		}
	}
	if v := c.root(e); v != nil {
		return c.originIn(f, v, seen)
	}
	return own
}

// isConstructor reports whether what call returns is new: call is new(T), or calls
// a function that returns what it made itself, or one of another package that is
// named as such.
func (c *checker) isConstructor(call *ast.CallExpr) bool {
	if c.pass.TypesInfo.Types[call.Fun].IsBuiltin() {
		return true
	}
	fn := typeset.Callee(c.pass.TypesInfo, call)
	if fn == nil || c.decls[fn] == nil {
		return fn != nil && fn.Signature().Recv() == nil && (strings.HasPrefix(fn.Name(), "New") || strings.HasPrefix(fn.Name(), "Default"))
	}
	f := c.function(c.decls[fn])
	if f == nil || c.constructing[f] {
		return false
	}
	c.constructing[f] = true
	defer delete(c.constructing, f)
	isNew := true
	inspectBody(f.body, func(n ast.Node) bool {
		if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) > 0 {
			isNew = isNew && c.originOfExpr(f, ret.Results[0], make(map[*types.Var]bool)) == own
		}
		return isNew
	})
	return isNew
}

// isSelector reports whether e selects a field.
func isSelector(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.SelectorExpr)
	return ok
}

// within reports whether pos lies in n.
func within(pos token.Pos, n ast.Node) bool {
	return n.Pos() <= pos && pos < n.End()
}

// A target is a function that a call may call.
type target struct {
	fn   *function   // of this package
	decl *types.Func // declared; of another package if fn is nil
}

// targets returns the functions that e, a function value, may be, as far as the
// package shows. Not those of interface methods.
func (c *checker) targets(e ast.Expr, seen map[*types.Var]bool) []target {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.FuncLit:
		if f := c.function(x); f != nil {
			return []target{{fn: f}}
		}
		return nil
	case *ast.IndexExpr:
		return c.targets(x.X, seen)
	case *ast.IndexListExpr:
		return c.targets(x.X, seen)
	}
	var id *ast.Ident
	switch x := e.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	switch obj := c.pass.TypesInfo.ObjectOf(id).(type) {
	case *types.Func:
		return c.declared(obj)
	case *types.Var:
		obj = obj.Origin()
		if seen[obj] {
			return nil
		}
		if seen == nil {
			seen = make(map[*types.Var]bool)
		}
		seen[obj] = true
		var list []target
		for _, def := range c.valuesOf(obj).values {
			if c.inTest(def.expr) && !c.inTest(e) {
				continue // a test's own
			}
			if _, isCall := ast.Unparen(def.expr).(*ast.CallExpr); !isCall {
				list = append(list, c.targets(def.expr, seen)...)
			}
		}
		return list
	}
	return nil
}

// inTest reports whether n lies in a test file.
func (c *checker) inTest(n ast.Node) bool {
	return strings.HasSuffix(c.pass.Fset.File(n.Pos()).Name(), "_test.go")
}

// declared returns fn as a target, unless it is an interface's method.
func (c *checker) declared(fn *types.Func) []target {
	fn = fn.Origin()
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return nil
	}
	if decl := c.decls[fn]; decl != nil {
		if f := c.function(decl); f != nil {
			return []target{{fn: f, decl: fn}}
		}
	}
	return []target{{decl: fn}}
}

// inspectBody visits the nodes of a function's body but not those of the function
// literals in it.
func inspectBody(body *ast.BlockStmt, visit func(ast.Node) bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		return n == nil || visit(n)
	})
}
