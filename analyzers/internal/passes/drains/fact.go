package drains

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says which functions are told to other packages.
//
// What a helper does depends on the channels, contexts and servers that it is given, so
// there is no telling it in a few words. A fact is the function itself, without what
// says nothing (a writer writes it, a reader reads it), and it is followed from a call
// as a function of the package is.

// A bodyFact is what an exported function does, with the unexported ones that it calls.
type bodyFact struct {
	Text   string   // Go: the function, then the others
	Names  []string // what the names A, B and so on of Text are
	Ends   bool     // it ends a server
	Drains bool     // it says that it is to drain
}

func (*bodyFact) AFact() {}

func (f *bodyFact) String() string { return fmt.Sprintf("drains(%s %q)", f.Text, f.Names) }

// A saysFact is that functions of a package have a bodyFact.
type saysFact struct{}

func (*saysFact) AFact() {}

func (*saysFact) String() string { return "drains" }

// maxFact bounds a fact. A function that is longer is unknown elsewhere.
const maxFact = 960

// imports reports whether the package itself imports one of paths.
func (p *Info) imports(paths []string) bool {
	return slices.ContainsFunc(p.pass.Pkg.Imports(), func(pkg *types.Package) bool {
		return slices.Contains(paths, typeset.PkgPath(pkg))
	})
}

// anchored reports whether the package is one that may have something to tell: it
// imports servers, signals or databases, or a package that tells, and names what
// starts or ends one.
func (p *Info) anchored() bool {
	if !p.imports(append(httpmodel.LifecyclePaths(), "os/signal", "database/sql")) && !slices.ContainsFunc(p.pass.Pkg.Imports(), p.says) {
		return false
	}
	for c := range p.inspect.Root().Preorder((*ast.SelectorExpr)(nil)) {
		if fn, ok := p.info.Uses[c.Node().(*ast.SelectorExpr).Sel].(*types.Func); ok && p.isAnchor(fn) {
			return true
		}
	}
	return false
}

// isAnchor reports whether fn, by itself, is worth telling that it is called.
func (p *Info) isAnchor(fn *types.Func) bool {
	if fn.Pkg() == nil || fn.Pkg() == p.pass.Pkg {
		return false
	}
	what, _ := httpmodel.ServerCallOf(fn)
	return what != httpmodel.NoServerCall || httpmodel.ClosesDatabase(fn) || typeset.PkgPath(fn.Pkg()) == "os/signal" ||
		p.says(fn.Pkg()) && p.factOf(fn) != nil
}

// says reports whether functions of another package have facts.
func (p *Info) says(pkg *types.Package) bool {
	if pkg == nil || pkg == p.pass.Pkg {
		return false
	}
	says, ok := p.saying[pkg]
	if !ok {
		says = p.pass.ImportPackageFact(pkg, new(saysFact))
		p.saying[pkg] = says
	}
	return says
}

// factOf returns the fact of a function of another package, or nil.
func (p *Info) factOf(fn *types.Func) *bodyFact {
	fn = fn.Origin()
	if fn.Pkg() == nil || !p.says(fn.Pkg()) {
		return nil
	}
	fact := new(bodyFact)
	if !p.pass.ImportObjectFact(fn, fact) {
		return nil
	}
	return fact
}

// export exports the facts of the package. Of servers, a table tells what matters.
func (p *Info) export() {
	if typeset.IsStd(p.pass.Pkg, p.pass.Module) || slices.Contains(httpmodel.LifecyclePaths(), typeset.PkgPath(p.pass.Pkg)) || report.HasTests(p.pass) {
		return
	}
	p.exportProbes()
	if !p.anchored() {
		return
	}
	p.survey()
	says := false
	for _, decl := range p.index.Decls() {
		fn, ok := p.info.Defs[decl.Name].(*types.Func)
		if !ok || !typeset.IsExported(fn) {
			continue
		}
		if u := p.units[decl]; u.says || u.acts || isAccessor(decl, fn) {
			if fact := p.write(decl); fact != nil {
				fact.Ends = u.ends
				p.pass.ExportObjectFact(fn, fact)
				says = true
			}
		}
	}
	if says {
		p.pass.ExportPackageFact(new(saysFact))
	}
}

// isAccessor reports whether fn only returns something that says when others are done.
func isAccessor(decl *ast.FuncDecl, fn *types.Func) bool {
	if results := fn.Signature().Results(); results.Len() != 1 || !isContextType(results.At(0).Type()) && !isChanType(results.At(0).Type()) && !httpmodel.IsServer(results.At(0).Type()) {
		return false
	}
	if len(decl.Body.List) != 1 {
		return false
	}
	_, ok := decl.Body.List[0].(*ast.ReturnStmt)
	return ok
}

// write returns the fact of a function, or nil if it is too long.
func (p *Info) write(decl *ast.FuncDecl) *bodyFact {
	w := &writer{Info: p, names: make(map[any]string)}
	text := w.function(decl)
	for i := 0; i < len(w.queue) && len(text)+w.size <= maxFact; i++ {
		text += "\n" + w.function(p.index.Decl(w.queue[i]))
	}
	if len(text)+w.size > maxFact {
		return nil
	}
	return &bodyFact{Text: text, Names: w.table, Drains: meansDrain(decl)}
}
