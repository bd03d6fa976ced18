package drains

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says what the exported functions of a package have to do with readiness, for
// the package that registers a probe and shuts down: see ready.go.

// A probeFact is what a function has to do with readiness.
type probeFact struct {
	Asks   []string // the flags of its package by which it, or the handler that it makes, answers
	Turns  []string // those that it sets, to a constant or to its parameter
	Always bool     // it is a handler that never fails
}

func (*probeFact) AFact() {}

func (f *probeFact) String() string {
	return fmt.Sprintf("probe(asks %v, turns %v, always %t)", f.Asks, f.Turns, f.Always)
}

// maxProbe bounds the statements of a function that is looked at.
const maxProbe = 4

// exportProbes exports the probeFacts of a package that imports net/http: of short
// functions those that answer, and those that set what is asked.
func (p *Info) exportProbes() {
	if !p.imports([]string{httpmodel.NetHTTP}) {
		return
	}
	short := make(map[*types.Func]*ast.FuncDecl)
	for _, decl := range p.index.Decls() {
		if fn, ok := p.info.Defs[decl.Name].(*types.Func); ok && typeset.IsExported(fn) && len(decl.Body.List) <= maxProbe {
			short[fn] = decl
		}
	}
	asked := make(map[string]bool)
	for fn, decl := range short {
		if !answers(fn) {
			continue
		}
		fact := &probeFact{Asks: p.shared(p.flagsIn(decl.Body, maxProbe)), Always: httpmodel.LooksLikeHandler(fn.Signature()) && p.neverFails(decl)}
		for _, name := range fact.Asks {
			asked[name] = true
		}
		if len(fact.Asks) > 0 || fact.Always {
			p.pass.ExportObjectFact(fn, fact)
		}
	}
	for fn, decl := range short {
		if len(asked) == 0 || fn.Signature().Results().Len() > 0 || fn.Signature().Params().Len() > 1 {
			continue
		}
		if turns := slices.DeleteFunc(p.shared(p.flagsSet(decl)), func(name string) bool { return !asked[name] }); len(turns) > 0 {
			p.pass.ExportObjectFact(fn, &probeFact{Turns: turns})
		}
	}
}

// answers reports whether fn is a handler, makes one, or by its name tells whether
// requests are welcome.
func answers(fn *types.Func) bool {
	sig := fn.Signature()
	if httpmodel.LooksLikeHandler(sig) {
		return true
	}
	if sig.Results().Len() != 1 {
		return false
	}
	t := sig.Results().At(0).Type()
	if typeset.IsBool(t) {
		return slices.ContainsFunc(syntax.Words(fn.Name()), func(word string) bool {
			return slices.Contains([]string{"ready", "ok", "healthy", "draining", "drained", "leaving", "stopping", "closing", "shutting", "down"}, word)
		})
	}
	made, ok := t.Underlying().(*types.Signature)
	return httpmodel.IsHandler(t) || ok && httpmodel.LooksLikeHandler(made)
}

// shared returns the names of those of flags that are fields or variables of the package,
// sorted.
func (p *Info) shared(flags map[*types.Var]bool) (names []string) {
	for v := range flags {
		if v.Pkg() == p.pass.Pkg && (v.IsField() || v.Parent() == p.pass.Pkg.Scope()) {
			names = append(names, v.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// flagsSet returns the flags that decl sets.
func (p *Info) flagsSet(decl *ast.FuncDecl) map[*types.Var]bool {
	flags := make(map[*types.Var]bool)
	note := func(x ast.Expr) {
		if v := typeset.VarOf(p.info, x); v != nil && isFlag(v.Type()) {
			flags[v] = true
		}
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if flag := flagStored(p.info, n); flag != nil {
				note(flag)
			} else if builtinOf(p.info, n) == "close" {
				note(n.Args[0])
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				note(x)
			}
		}
		return true
	})
	return flags
}

// probeFactOf returns the fact of a function of another package, or nil.
func (p *Info) probeFactOf(fn *types.Func) *probeFact {
	fact := new(probeFact)
	if fn == nil || fn.Pkg() == nil || fn.Pkg() == p.pass.Pkg || !p.pass.ImportObjectFact(fn.Origin(), fact) {
		return nil
	}
	return fact
}

// asksAbroad notes the flags of other packages that handlers ask through fn.
func (p *Info) asksAbroad(fn *types.Func) {
	if fact := p.probeFactOf(fn); fact != nil {
		for _, name := range fact.Asks {
			p.ready.abroad[fn.Pkg().Path()+"."+name] = true
		}
	}
}

// turnsAbroad reports whether a call of fn with args sets a flag of its package by which
// a probe answers.
func (p *Info) turnsAbroad(fn *types.Func, args []*value) bool {
	if len(p.ready.abroad) == 0 || len(args) > 0 && args[0].kind != isBool {
		return false
	}
	fact := p.probeFactOf(fn)
	return fact != nil && slices.ContainsFunc(fact.Turns, func(name string) bool { return p.ready.abroad[fn.Pkg().Path()+"."+name] })
}
