package drains

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// abroad is where the positions of functions of other packages begin: behind those of
// any file.
const abroad token.Pos = 1 << 30

// isAbroad reports whether n lies in a function of another package.
func isAbroad(n ast.Node) bool { return n.Pos() >= abroad }

// foreign holds the functions of other packages that were read from facts.
type foreign struct {
	fset  *token.FileSet
	info  *types.Info
	decls map[*types.Func]*ast.FuncDecl // nil: there is no fact
	facts map[*ast.FuncDecl]*bodyFact
	order []*ast.FuncDecl
	types map[string]types.Type
	pkgs  map[string]*types.Package
	cfgs  map[ast.Node]*cfg.CFG
}

func newForeign() *foreign {
	f := &foreign{
		fset:  token.NewFileSet(),
		info:  &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object)},
		decls: make(map[*types.Func]*ast.FuncDecl),
		facts: make(map[*ast.FuncDecl]*bodyFact),
		types: make(map[string]types.Type),
		cfgs:  make(map[ast.Node]*cfg.CFG),
	}
	f.fset.AddFile("", int(abroad), 0)
	return f
}

// declOf returns the declaration of fn: of this package, or as a fact tells it; nil if
// it is not known, or says nothing.
func (p *Info) declOf(fn *types.Func) *ast.FuncDecl {
	fn = fn.Origin()
	if p.telling[fn] {
		return p.index.Decl(fn)
	}
	decl, ok := p.foreign.decls[fn]
	if !ok {
		p.foreign.decls[fn] = nil
		if fact := p.factOf(fn); fact != nil {
			p.read(fn, fact)
		}
		decl = p.foreign.decls[fn]
	}
	return decl
}

// readFrom returns the functions that are read from the fact of decl.
func (p *Info) readFrom(decl *ast.FuncDecl) (list []ast.Node) {
	fact := p.foreign.facts[decl]
	for _, other := range p.foreign.order {
		if p.foreign.facts[other] == fact {
			list = append(list, other)
		}
	}
	slices.Reverse(list)
	return list
}

// infoOf returns what is known of the syntax in n.
func (p *Info) infoOf(n ast.Node) *types.Info {
	if isAbroad(n) {
		return p.foreign.info
	}
	return p.info
}

// graph returns the control flow graph of a function, or nil.
func (p *Info) graph(fn ast.Node) *cfg.CFG {
	if isAbroad(fn) {
		g := p.foreign.cfgs[fn]
		if g == nil {
			_, body := syntax.FuncParts(fn)
			g = cfg.New(body, p.mayReturn)
			p.foreign.cfgs[fn] = g
		}
		return g
	}
	if decl, ok := fn.(*ast.FuncDecl); ok {
		return p.cfgs.FuncDecl(decl)
	}
	return p.cfgs.FuncLit(fn.(*ast.FuncLit))
}

// mayReturn reports whether call, of another package, may return.
func (p *Info) mayReturn(call *ast.CallExpr) bool {
	fn := typeset.Callee(p.foreign.info, call)
	return builtinOf(p.foreign.info, call) != "panic" && (fn == nil || !httpmodel.EndsProcess(fn))
}

// A reader reads a fact.
type reader struct {
	*Info
	fn      *types.Func
	names   []string
	objects map[string]types.Object
}

// read adds the function fn, as fact tells it, to what is known.
func (p *Info) read(fn *types.Func, fact *bodyFact) {
	file, err := parser.ParseFile(p.foreign.fset, "", "package p\n"+fact.Text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	r := &reader{Info: p, fn: fn, names: fact.Names, objects: make(map[string]types.Object)}
	info := p.foreign.info
	skip := map[*ast.Ident]bool{file.Name: true}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			skip[n.Label] = true
		case *ast.BranchStmt:
			if n.Label != nil {
				skip[n.Label] = true
			}
		case *ast.Ident:
			if obj := r.object(n); obj != nil && !skip[n] {
				info.Defs[n], info.Uses[n] = obj, obj
			}
		}
		return true
	})
	ast.Inspect(file, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			info.Types[x] = r.typeAndValue(x)
		}
		return true
	})
	for i, decl := range file.Decls {
		decl, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		obj, _ := info.Defs[decl.Name].(*types.Func)
		if i == 0 {
			obj = fn
		}
		if obj != nil {
			p.foreign.decls[obj] = decl
			p.foreign.facts[decl] = fact
			p.foreign.order = append(p.foreign.order, decl)
		}
	}
}

// object returns what an identifier of the text denotes, or nil.
func (r *reader) object(id *ast.Ident) types.Object {
	if obj := types.Universe.Lookup(id.Name); obj != nil {
		return obj
	}
	obj, ok := r.objects[id.Name]
	if !ok {
		if i := indexOf(id.Name); 0 <= i && i < len(r.names) && r.names[i] != "" {
			obj = r.entry(r.names[i], id)
		}
		r.objects[id.Name] = obj
	}
	return obj
}

// indexOf returns the index of a name in the table: see nameAt.
func indexOf(name string) int {
	n := 0
	for _, c := range name {
		if c < 'A' || 'Z' < c {
			return -1
		}
		n = n*26 + int(c-'A') + 1
	}
	return n - 1
}

// entry returns the object of an entry of the table, which id is the first to name.
func (r *reader) entry(entry string, id *ast.Ident) types.Object {
	words := append(strings.Split(entry[1:], " "), "", "")
	first, name, rest := words[0], words[1], words[2]
	pkg := r.fn.Pkg()
	switch entry[0] {
	case 't':
		return types.NewTypeName(id.Pos(), pkg, id.Name, r.typ(first))
	case 'v':
		return types.NewVar(id.Pos(), pkg, id.Name, r.typ(first))
	case '.':
		field := types.NewField(id.Pos(), pkg, name, r.typ(first), false)
		if rest != "" {
			r.cancels[field] = rest
		}
		return field
	case 'g':
		pkg := r.pkg(name)
		if v, ok := pkg.Scope().Lookup(rest).(*types.Var); ok {
			return v
		}
		return types.NewVar(id.Pos(), pkg, rest, r.typ(first))
	case 'l':
		return types.NewFunc(id.Pos(), pkg, name, r.signature(first, rest))
	case 'm':
		t := r.typ(first)
		if named := typeset.Named(t); named != nil {
			obj, _, _ := types.LookupFieldOrMethod(t, true, named.Obj().Pkg(), name)
			if fn, ok := obj.(*types.Func); ok {
				return fn.Origin()
			}
			pkg = named.Obj().Pkg()
		}
		return types.NewFunc(id.Pos(), pkg, name, r.signature(first, rest))
	case 'f':
		pkg = nil
		if first != "" {
			pkg = r.pkg(first)
			if fn, ok := pkg.Scope().Lookup(name).(*types.Func); ok {
				return fn
			}
		}
		return types.NewFunc(id.Pos(), pkg, name, r.signature("", rest))
	}
	return nil
}

// signature returns the signature of a function of which the receiver's type and those
// of the results are known.
func (r *reader) signature(recv, results string) *types.Signature {
	var self *types.Var
	if recv != "" {
		self = types.NewParam(token.NoPos, r.fn.Pkg(), "", r.typ(recv))
	}
	var list []*types.Var
	if results != "" {
		for s := range strings.SplitSeq(results, ",") {
			list = append(list, types.NewParam(token.NoPos, r.fn.Pkg(), "", r.typ(s)))
		}
	}
	return types.NewSignatureType(self, nil, nil, nil, types.NewTuple(list...), false)
}

// typ returns the type that a writer wrote down as s.
func (r *reader) typ(s string) types.Type {
	t, ok := r.foreign.types[s]
	if !ok {
		t = r.newType(s)
		r.foreign.types[s] = t
	}
	return t
}

func (r *reader) newType(s string) types.Type {
	if s == "" {
		return types.Typ[types.Invalid]
	}
	switch s[0] {
	case '*':
		return types.NewPointer(r.typ(s[1:]))
	case 'c':
		return types.NewChan(types.SendRecv, r.typ(s[1:]))
	case '[':
		return types.NewSlice(r.typ(s[1:]))
	case 'N', 'I':
		dot := strings.LastIndexByte(s, '.')
		pkg, name := r.pkg(s[1:dot]), s[dot+1:]
		if obj, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
			return obj.Type()
		}
		var under types.Type = types.NewStruct(nil, nil)
		if s[0] == 'I' {
			under = types.NewInterfaceType(nil, nil)
		}
		return types.NewNamed(types.NewTypeName(token.NoPos, pkg, name, nil), under, nil)
	case 'f':
		return types.NewSignatureType(nil, nil, nil, nil, nil, false)
	case 'a':
		return types.Universe.Lookup("any").Type()
	case 'e':
		return types.Universe.Lookup("error").Type()
	case 't':
		return types.NewStruct(nil, nil)
	case 'b':
		return types.Typ[types.Bool]
	case 'n':
		return types.Typ[types.Int]
	}
	return types.Typ[types.String]
}

// pkg returns the package of a path, which is empty if the package that is analyzed
// does not import it, directly or not.
func (p *Info) pkg(path string) *types.Package {
	if p.foreign.pkgs == nil {
		p.foreign.pkgs = make(map[string]*types.Package)
		var visit func(pkg *types.Package)
		visit = func(pkg *types.Package) {
			if p.foreign.pkgs[pkg.Path()] == nil {
				p.foreign.pkgs[pkg.Path()] = pkg
				for _, dep := range pkg.Imports() {
					visit(dep)
				}
			}
		}
		visit(p.pass.Pkg)
	}
	pkg := p.foreign.pkgs[path]
	if pkg == nil {
		pkg = types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
		p.foreign.pkgs[path] = pkg
	}
	return pkg
}

// typeAndValue returns the type and value of an expression, as far as they are told.
func (r *reader) typeAndValue(x ast.Expr) types.TypeAndValue {
	info := r.foreign.info
	tv := types.TypeAndValue{Type: types.Typ[types.Invalid]}
	typed := func(obj types.Object) {
		if obj != nil && obj.Type() != nil {
			tv.Type = obj.Type()
		}
	}
	switch x := x.(type) {
	case *ast.BasicLit:
		tv.Value = constant.MakeFromLiteral(x.Value, x.Kind, 0)
	case *ast.Ident:
		obj := info.Uses[x]
		typed(obj)
		if c, ok := obj.(*types.Const); ok {
			tv.Value = c.Val()
		}
	case *ast.SelectorExpr:
		typed(info.Uses[x.Sel])
	case *ast.UnaryExpr:
		if lit, ok := x.X.(*ast.BasicLit); ok && x.Op == token.SUB {
			tv.Value = constant.UnaryOp(token.SUB, constant.MakeFromLiteral(lit.Value, lit.Kind, 0), 0)
		}
	case *ast.CompositeLit:
		if id, ok := x.Type.(*ast.Ident); ok {
			typed(info.Uses[id])
		}
	case *ast.CallExpr:
		if name := builtinOf(info, x); name == "make" || name == "new" {
			if id, ok := x.Args[0].(*ast.Ident); ok {
				typed(info.Uses[id])
			}
		} else if fn := typeset.Callee(info, x); fn != nil {
			switch results := fn.Signature().Results(); results.Len() {
			case 0:
			case 1:
				tv.Type = results.At(0).Type()
			default:
				tv.Type = results
			}
		}
	}
	return tv
}

// builtinOf returns the name of the builtin that call calls, or "".
func builtinOf(info *types.Info, call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := info.ObjectOf(id).(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}
