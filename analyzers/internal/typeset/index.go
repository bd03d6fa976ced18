package typeset

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// An Index answers questions about the functions and variables of one package.
// Several passes may ask at the same time.
type Index struct {
	info  *types.Info
	files []*ast.File
	decls map[*types.Func]*ast.FuncDecl
	named map[string][]*types.Func // methods
	walk  sync.Once                // makes the following
	defs  map[*types.Var][]ast.Expr
	tags  map[*types.Var]string // of fields
	parts map[*ast.FuncDecl]*Parts
}

// Parts are what a function, or another piece of code, is made of, with the function
// literals in it. To ask whether any is of interest costs less than to walk it.
type Parts struct {
	Objects  []types.Object  // that it uses, each once
	Strings  []*ast.BasicLit // likewise, but for very long ones
	Calls    []*ast.CallExpr
	Branches []ast.Stmt // *ast.IfStmt and *ast.SwitchStmt
}

// NewIndex returns the index of a package.
func NewIndex(info *types.Info, files []*ast.File) *Index {
	x := &Index{info: info, files: files, decls: make(map[*types.Func]*ast.FuncDecl), named: make(map[string][]*types.Func)}
	for _, file := range files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && decl.Body != nil {
				if fn, ok := info.Defs[decl.Name].(*types.Func); ok {
					x.decls[fn] = decl
					if decl.Recv != nil {
						x.named[fn.Name()] = append(x.named[fn.Name()], fn)
					}
				}
			}
		}
	}
	return x
}

// Decl returns the declaration of fn, or nil if it is not of this package or has
// no body.
func (x *Index) Decl(fn *types.Func) *ast.FuncDecl {
	if fn == nil {
		return nil
	}
	return x.decls[fn.Origin()]
}

// Methods returns the methods of the package, of whatever type, that have a name.
func (x *Index) Methods(name string) []*types.Func { return x.named[name] }

// Implementation returns the only method of the package that fn may be, if an interface of
// the package declares it; or nil.
func (x *Index) Implementation(fn *types.Func) *types.Func {
	if impls := x.Implementations(fn); len(impls) == 1 && impls[0].Pkg() == fn.Pkg() {
		return impls[0]
	}
	return nil
}

// Implementations returns the methods of the package that fn may be, if an interface
// declares it.
func (x *Index) Implementations(fn *types.Func) (impls []*types.Func) {
	if !IsInterfaceMethod(fn) {
		return nil
	}
	iface, _ := fn.Signature().Recv().Type().Underlying().(*types.Interface)
	for _, m := range x.named[fn.Name()] {
		if iface != nil && types.Implements(m.Signature().Recv().Type(), iface) {
			impls = append(impls, m)
		}
	}
	return impls
}

// Decls returns the functions of the package that have a body, in order.
func (x *Index) Decls() (decls []*ast.FuncDecl) {
	for _, file := range x.files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && decl.Body != nil {
				decls = append(decls, decl)
			}
		}
	}
	return decls
}

// Spread carries what the functions of the package do to those that call them, until
// nothing changes: join adds what a callee does to a caller, and reports whether that
// is new.
func (x *Index) Spread(callees func(*ast.FuncDecl) []*ast.FuncDecl, join func(caller, callee *ast.FuncDecl) bool) {
	queue := x.Decls()
	callers := make(map[*ast.FuncDecl][]*ast.FuncDecl)
	for _, decl := range queue {
		for _, callee := range callees(decl) {
			callers[callee] = append(callers[callee], decl)
		}
	}
	for len(queue) > 0 {
		decl := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, caller := range callers[decl] {
			if join(caller, decl) {
				queue = append(queue, caller)
			}
		}
	}
}

// Defs returns what the package assigns to v, a variable or field: each
// expression, and nil for what is no single expression (a part of a tuple or
// range, an operation) or cannot be seen (v's address is taken).
func (x *Index) Defs(v *types.Var) []ast.Expr {
	x.walk.Do(x.collectAll)
	return x.defs[v]
}

// Parts returns what a piece of the package's code is made of. It is at hand for the
// declarations of functions.
func (x *Index) Parts(root ast.Node) *Parts {
	x.walk.Do(x.collectAll)
	if decl, ok := root.(*ast.FuncDecl); ok {
		return x.parts[decl]
	}
	parts, lastUse := new(Parts), make(map[any]*Parts)
	ast.Inspect(root, func(n ast.Node) bool {
		parts.add(x.info, n, lastUse)
		return true
	})
	return parts
}

// add adds n. The last parts to which an object or string was added are in lastUse.
func (p *Parts) add(info *types.Info, n ast.Node, lastUse map[any]*Parts) {
	isNew := func(what any) bool {
		if lastUse[what] == p {
			return false
		}
		lastUse[what] = p
		return true
	}
	switch n := n.(type) {
	case *ast.Ident:
		if obj := info.Uses[n]; obj != nil && isNew(obj) {
			p.Objects = append(p.Objects, obj)
		}
	case *ast.BasicLit:
		if n.Kind == token.STRING && len(n.Value) < 4096 && isNew(n.Value) {
			p.Strings = append(p.Strings, n)
		}
	case *ast.CallExpr:
		p.Calls = append(p.Calls, n)
	case *ast.IfStmt:
		p.Branches = append(p.Branches, n)
	case *ast.SwitchStmt:
		p.Branches = append(p.Branches, n)
	}
}

// collectAll walks the package.
func (x *Index) collectAll() {
	x.defs = make(map[*types.Var][]ast.Expr)
	x.tags = make(map[*types.Var]string)
	x.parts = make(map[*ast.FuncDecl]*Parts)
	lastUse := make(map[any]*Parts)
	for _, file := range x.files {
		for _, decl := range file.Decls {
			var parts *Parts
			if decl, ok := decl.(*ast.FuncDecl); ok {
				parts = new(Parts)
				x.parts[decl] = parts
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if parts != nil {
					parts.add(x.info, n, lastUse)
				}
				return x.collect(n)
			})
		}
	}
}

// collect adds the definitions that n makes, and the tags of a struct type.
func (x *Index) collect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, lhs := range n.Lhs {
			var rhs ast.Expr
			if len(n.Lhs) == len(n.Rhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
				rhs = n.Rhs[i]
			}
			x.define(lhs, rhs)
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Values) == len(n.Names) {
				x.define(name, n.Values[i])
			} else if len(n.Values) > 0 {
				x.define(name, nil)
			}
		}
	case *ast.RangeStmt:
		x.define(n.Key, nil)
		x.define(n.Value, nil)
	case *ast.IncDecStmt:
		x.define(n.X, nil)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			if _, ok := ast.Unparen(n.X).(*ast.Ident); ok {
				x.define(n.X, nil)
			}
		}
	case *ast.StructType:
		x.collectTags(n)
	case *ast.CompositeLit:
		for i := range n.Elts {
			if v, value := Element(x.info, n, i); v != nil {
				x.defs[v] = append(x.defs[v], value)
			}
		}
	}
	return true
}

func (x *Index) define(lhs, rhs ast.Expr) {
	if v := VarOf(x.info, lhs); v != nil {
		x.defs[v] = append(x.defs[v], rhs)
	}
}

// OnlyDef returns the one expression that the package assigns to v, or nil.
func (x *Index) OnlyDef(v *types.Var) ast.Expr {
	if defs := x.Defs(v); len(defs) == 1 {
		return defs[0]
	}
	return nil
}

// VarOf returns the variable that e, an identifier or a selector, denotes, or nil.
// For a selector it is the field.
func VarOf(info *types.Info, e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := info.ObjectOf(e).(*types.Var)
		return v
	case *ast.SelectorExpr:
		v, _ := info.ObjectOf(e.Sel).(*types.Var)
		return v
	}
	return nil
}

// FuncOf returns the function that e evaluates to, as far as the package shows it:
// an *ast.FuncLit or *ast.FuncDecl, or nil. It looks through conversions and
// variables that are assigned once.
func (x *Index) FuncOf(e ast.Expr) ast.Node {
	for range 8 {
		switch y := ast.Unparen(e).(type) {
		case *ast.FuncLit:
			return y
		case *ast.CallExpr:
			tv := x.info.Types[y.Fun]
			if !tv.IsType() || len(y.Args) != 1 {
				return nil
			}
			e = y.Args[0]
			continue
		case *ast.IndexExpr:
			e = y.X
			continue
		case *ast.Ident, *ast.SelectorExpr:
			if fn := FuncObj(x.info, y); fn != nil {
				if decl := x.Decl(fn); decl != nil {
					return decl
				}
				return nil
			}
			v := VarOf(x.info, y)
			if v == nil {
				return nil
			}
			def := x.OnlyDef(v)
			if def == nil {
				return nil
			}
			e = def
			continue
		}
		return nil
	}
	return nil
}

// FuncObj returns the function or method that e names, or nil.
func FuncObj(info *types.Info, e ast.Expr) *types.Func {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		fn, _ := info.Uses[e].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := info.Uses[e.Sel].(*types.Func)
		return fn
	case *ast.IndexExpr:
		return FuncObj(info, e.X)
	case *ast.IndexListExpr:
		return FuncObj(info, e.X)
	}
	return nil
}

// Root returns the variable that the place e is part of: r in r.Header, *r, r[0]
// and (&r).Header; nil if it is part of no variable.
func Root(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, _ := info.ObjectOf(x).(*types.Var)
			return v
		case *ast.SelectorExpr:
			if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
				if _, ok := info.Uses[id].(*types.PkgName); ok {
					v, _ := info.Uses[x.Sel].(*types.Var)
					return v
				}
			}
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.TypeAssertExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

// KeyTag reports whether the struct tag of a field of this package gives it, for
// JSON or forms, a name for which is reports true.
func (x *Index) KeyTag(field *types.Var, is func(name string) bool) bool {
	x.walk.Do(x.collectAll)
	text, ok := x.tags[field.Origin()]
	if !ok {
		return false
	}
	tag := reflect.StructTag(text)
	for _, key := range []string{"json", "url", "form", "header", "query", "xml"} {
		name, _, _ := strings.Cut(tag.Get(key), ",")
		if name != "" && is(name) {
			return true
		}
	}
	return false
}

// collectTags notes the tags of the fields of a struct type.
func (x *Index) collectTags(st *ast.StructType) {
	for _, field := range st.Fields.List {
		if field.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			continue
		}
		for _, name := range field.Names {
			if v, ok := x.info.Defs[name].(*types.Var); ok {
				x.tags[v] = tag
			}
		}
	}
}
