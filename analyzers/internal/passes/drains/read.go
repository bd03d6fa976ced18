package drains

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
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
	if p.telling(fn) {
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
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := r.object(id); obj != nil {
				info.Defs[id], info.Uses[id] = obj, obj
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
	tv := types.TypeAndValue{Type: types.Typ[types.Invalid]}
	switch x := x.(type) {
	case *ast.BasicLit:
		tv.Value = constant.MakeFromLiteral(x.Value, x.Kind, 0)
	case *ast.UnaryExpr:
		if lit, ok := x.X.(*ast.BasicLit); ok && x.Op == token.SUB {
			tv.Value = constant.UnaryOp(token.SUB, constant.MakeFromLiteral(lit.Value, lit.Kind, 0), 0)
		}
	case *ast.Ident:
		switch obj := r.object(x).(type) {
		case nil:
		case *types.Const:
			tv.Value = obj.Val()
		default:
			tv.Type = obj.Type()
		}
	case *ast.SelectorExpr:
		return r.typeAndValue(x.Sel)
	case *ast.CompositeLit:
		return r.typeAndValue(x.Type)
	case *ast.CallExpr:
		if name := builtinOf(r.foreign.info, x); name == "make" || name == "new" {
			return r.typeAndValue(x.Args[0])
		}
		if fn := typeset.Callee(r.foreign.info, x); fn != nil && fn.Signature().Results().Len() == 1 {
			tv.Type = fn.Signature().Results().At(0).Type()
		} else if fn != nil {
			tv.Type = fn.Signature().Results()
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
