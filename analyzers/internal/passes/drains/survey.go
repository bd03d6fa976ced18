package drains

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file looks through the functions of the package, for those to follow.

// isTest reports whether n lies in a test, or in no file.
func (p *Info) isTest(n ast.Node) bool {
	file := report.FileOf(p.pass, n.Pos())
	return file == nil || report.IsTest(p.pass, file)
}

// A unit is what survey knows of a declared function, or of a literal.
type unit struct {
	node  ast.Node
	tells bool // it says something about contexts, channels, servers or exits
	acts  bool // it does something with channels, groups or goroutines
	says  bool // it is about servers, signals or databases
	ends  bool // it ends a server
	calls []*types.Func
}

// add adds what a function that u calls does, and reports whether that is new.
func (u *unit) add(callee *unit) bool {
	old := *u
	u.tells, u.acts, u.says, u.ends = u.tells || callee.tells, u.acts || callee.acts, u.says || callee.says, u.ends || callee.ends
	return u.tells != old.tells || u.acts != old.acts || u.says != old.says || u.ends != old.ends
}

// survey looks through the functions of the package, once.
func (p *Info) survey() {
	if p.units != nil {
		return
	}
	p.units = make(map[ast.Node]*unit)
	p.foreign = newForeign()
	p.findCancels()
	for _, decl := range p.index.Decls() {
		u, lits := p.scan(decl)
		p.lits = append(p.lits, lits...)
		for _, u := range append(lits, u) {
			p.units[u.node] = u
		}
	}
	for changed := true; changed; {
		changed = false
		for _, u := range p.units {
			for _, fn := range u.calls {
				if callee := p.units[p.index.Decl(fn)]; callee != nil && u.add(callee) {
					changed = true
				}
			}
		}
	}
}

// telling reports whether a function of the package is one to follow where it is called.
func (p *Info) telling(fn *types.Func) bool {
	u := p.units[p.index.Decl(fn)]
	return u != nil && u.tells
}

// silent reports whether a function literal of the package need not be followed.
func (p *Info) silent(lit ast.Node) bool {
	u := p.units[lit]
	return u != nil && !u.tells
}

// roots returns the functions to follow by themselves, those that end a server, of
// other packages too: callees first.
func (p *Info) roots() (roots []ast.Node) {
	visited := make(map[*types.Func]bool)
	var visit func(fn *types.Func)
	visit = func(fn *types.Func) {
		if visited[fn] {
			return
		}
		visited[fn] = true
		u := p.units[p.index.Decl(fn)]
		if u == nil {
			p.declOf(fn)
			return
		}
		for _, callee := range u.calls {
			visit(callee)
		}
		if u.ends {
			roots = append(roots, u.node)
		}
	}
	for _, decl := range p.index.Decls() {
		if fn, ok := p.info.Defs[decl.Name].(*types.Func); ok && p.units[decl].ends {
			visit(fn)
		}
	}
	for _, lit := range p.lits {
		if lit.ends {
			roots = append(roots, lit.node)
		}
	}
	var foreign []ast.Node
	for _, decl := range slices.Backward(p.foreign.order) {
		if p.foreign.facts[decl].Ends {
			foreign = append(foreign, decl)
		}
	}
	return append(foreign, roots...)
}

// scan looks through a function.
func (p *Info) scan(decl *ast.FuncDecl) (u *unit, lits []*unit) {
	u = &unit{node: decl}
	if fn, ok := p.info.Defs[decl.Name].(*types.Func); ok {
		u.tells = tellingSignature(fn.Signature())
	}
	open := []*unit{u}
	var stack []ast.Node
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if n == nil {
			if _, ok := stack[len(stack)-1].(*ast.FuncLit); ok {
				open = open[:len(open)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.FuncLit:
			lit := &unit{node: n}
			lits = append(lits, lit)
			open = append(open, lit)
		case *ast.Ident:
			var found unit
			switch obj := p.info.Uses[n].(type) {
			case *types.Func:
				obj = obj.Origin()
				if typeset.IsInterfaceMethod(obj) {
					found.ends = obj.Name() == "Shutdown" || obj.Name() == "GracefulStop" // Have: a server's, maybe.
					for _, u := range open {
						u.calls = append(u.calls, p.index.Methods(obj.Name())...)
					}
				} else if fact := p.factOf(obj); obj.Pkg() == p.pass.Pkg || fact != nil {
					for _, u := range open {
						u.calls = append(u.calls, obj)
						u.add(&unit{tells: fact != nil, says: fact != nil, ends: fact != nil && fact.Ends})
					}
					break
				}
				what, _ := httpmodel.ServerCallOf(obj)
				found.ends = found.ends || what != httpmodel.NoServerCall && what != httpmodel.Serve
				found.tells = what != httpmodel.NoServerCall || tellsOfOrder(obj)
				found.says = found.ends || p.isAnchor(obj)
				found.acts = httpmodel.EndsProcess(obj) || typeset.IsMethod(obj, "sync", "WaitGroup", "Wait", "Done", "Go") ||
					typeset.IsFunc(obj, "context", "WithCancel", "WithCancelCause")
			case *types.Var:
				found.acts = p.cancels[obj] != "" && (obj.IsField() || obj.Parent() == p.pass.Pkg.Scope())
				found.tells = p.cancels[obj] != "" || httpmodel.IsErrServerClosed(obj)
			case *types.Builtin:
				found.acts = obj.Name() == "close"
				found.tells = found.acts || obj.Name() == "panic"
			}
			for _, u := range open {
				u.add(&found)
			}
		default:
			p.noteHooks(n)
			for i, u := range open {
				u.tells = u.tells || p.tellsAlone(n) || i > 0 && p.givesBack(n)
				u.acts = u.acts || passesOn(n) || p.keeps(n)
				u.says = u.says || p.makesServer(n)
			}
		}
		return true
	})
	return u, lits
}
