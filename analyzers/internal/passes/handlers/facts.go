package handlers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// bit returns the bit of the i-th parameter in a serveFact.
func bit(i int) uint32 {
	if i < 0 || i > 29 {
		return 0
	}
	return 2 << i
}

// factOf returns what is known of a function of another package.
func (m *machine) factOf(fn *types.Func) serveFact {
	if arg, ok := httpmodel.Serves(fn); ok {
		if arg == httpmodel.Receiver {
			return serveFact{Serves: 1}
		}
		fact := serveFact{Serves: bit(arg)}
		if httpmodel.StartsServer(fn) {
			fact.Result = 1
		}
		return fact
	}
	if fn.Pkg() == m.pass.Pkg {
		return m.local[fn]
	}
	var fact serveFact
	if fn.Pkg() != nil {
		m.pass.ImportObjectFact(fn, &fact)
	}
	return fact
}

// exportFacts exports the facts of the package's exported functions.
func (m *machine) exportFacts() {
	if m.isStd(m.pass.Pkg) || m.pass.Pkg.Name() == "main" {
		return
	}
	m.pass.ExportPackageFact(new(knownFact))
	serving, hooked := m.reachServing(), m.hooked()
	only, later := m.onlyCalled()
	for _, decl := range m.order {
		fn := m.info.Defs[decl.Name].(*types.Func)
		if !fn.Exported() {
			continue
		}
		var fact serveFact
		if serving[decl] {
			fact = m.summarize(decl, fn)
		}
		fact.Only, fact.Later, fact.Hooks = only[fn], later[fn], hooked[fn]
		m.export(fn, fact)
	}
}

func (m *machine) export(fn *types.Func, fact serveFact) {
	if fact != (serveFact{}) {
		m.local[fn] = fact
		m.pass.ExportObjectFact(fn, &fact)
	}
}

// reachServing returns the functions of this package that may, by way of functions
// that they name, reach a function of another package that serves.
func (m *machine) reachServing() map[*ast.FuncDecl]bool {
	serves := make(map[*types.Func]bool)
	for _, obj := range m.info.Uses {
		if fn, ok := obj.(*types.Func); ok && fn.Pkg() != m.pass.Pkg {
			if fact := m.factOf(fn.Origin()); fact.Serves|fact.Result != 0 || fact.Fields != "" {
				serves[fn.Origin()] = true
			}
		}
	}
	if len(serves) == 0 {
		return nil
	}
	callers := make(map[any][]*ast.FuncDecl) // by function, or by the name of an interface's method
	reach := make(map[*ast.FuncDecl]bool)
	var queue []*ast.FuncDecl
	for _, decl := range m.order {
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			fn, ok := m.info.Uses[id].(*types.Func)
			if !ok {
				return true
			}
			switch fn = fn.Origin(); {
			case serves[fn]:
				if !reach[decl] {
					reach[decl] = true
					queue = append(queue, decl)
				}
			case typeset.IsInterfaceMethod(fn):
				callers[fn.Name()] = append(callers[fn.Name()], decl)
			case m.decls[fn] != nil:
				callers[fn] = append(callers[fn], decl)
			}
			return true
		})
	}
	for len(queue) > 0 {
		fn := m.info.Defs[queue[0].Name].(*types.Func)
		queue = queue[1:]
		list := callers[fn]
		if fn.Signature().Recv() != nil {
			list = append(list[:len(list):len(list)], callers[fn.Name()]...)
		}
		for _, caller := range list {
			if !reach[caller] {
				reach[caller] = true
				queue = append(queue, caller)
			}
		}
	}
	return reach
}

// summarize runs a function by itself, and returns which of its parameters and
// results are served.
func (m *machine) summarize(decl *ast.FuncDecl, fn *types.Func) (fact serveFact) {
	scratch := *m // the run is not one of the package's own
	scratch.visited = make(map[ast.Node]bool)
	scratch.inTest = make(map[ast.Node]bool)
	scratch.served = make(map[ast.Node]*Site)
	u := scratch.universe()
	u.limit = maxSummary
	f := u.start(decl, strayThread, nil)
	u.run()
	var fields []string
	for _, o := range u.objects {
		switch {
		case o.param == 0 || o.served == nil || o.param >= 31:
		case o.part != "":
			fields = append(fields, fieldOf(o.param-1)+o.part)
		default:
			fact.Serves |= 1 << (o.param - 1)
		}
	}
	slices.Sort(fields)
	fact.Fields = strings.Join(slices.Compact(fields), " ")
	for i := range fn.Signature().Results().Len() {
		if i < len(f.results) && i < 31 {
			for _, v := range f.results[i].values {
				if o, ok := v.(*object); ok && o.param == 0 && isServed(o, 3) {
					fact.Result |= 1 << i
				}
			}
		}
	}
	return fact
}

// isServed reports whether o, or a handler in its fields, is served.
func isServed(o *object, depth int) bool {
	if o.typ == nil || httpmodel.IsClientSide(o.typ) {
		return false
	}
	if o.served != nil || len(o.as) > 0 {
		return true
	}
	if depth == 0 {
		return false
	}
	for _, n := range o.fields {
		for _, v := range n.values {
			if part, ok := v.(*object); ok && part.typ != nil && httpmodel.IsHandler(part.typ) && isServed(part, depth-1) {
				return true
			}
		}
	}
	return false
}
