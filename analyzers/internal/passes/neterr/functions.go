package neterr

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/cfgs"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"
	"golang.org/x/tools/go/types/typeutil"
)

// failing returns the functions of the package in which a call may fail with the
// network, directly or not.
func (p *Info) failing() map[*types.Func]bool {
	in := p.pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	callers := make(map[*types.Func][]*types.Func) // callee -> functions that call it
	fails := make(map[*types.Func]bool)
	for cur := range in.Root().Preorder((*ast.CallExpr)(nil)) {
		p.noteCall(cur, cur.Node().(*ast.CallExpr), callers, fails)
	}
	reach(callers, fails)
	return fails
}

// constants returns the variables of function type that are set once, and to what.
func (p *Info) constants() map[*types.Var]ast.Expr {
	if p.constant != nil {
		return p.constant
	}
	p.constant = make(map[*types.Var]ast.Expr)
	assigned := make(map[*types.Var]int)
	note := func(id *ast.Ident, x ast.Expr) {
		v, ok := p.pass.TypesInfo.ObjectOf(id).(*types.Var)
		if !ok {
			return
		}
		if _, ok := v.Type().Underlying().(*types.Signature); ok {
			assigned[v]++
			p.constant[v] = x
		}
	}
	in := p.pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	for cur := range in.Root().Preorder((*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil)) {
		switch n := cur.Node().(type) {
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					note(id, n.Rhs[i])
				} else if ok {
					note(id, nil)
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Values) == len(n.Names) {
					note(id, n.Values[i])
				}
			}
		}
	}
	for v, n := range assigned {
		if n > 1 {
			delete(p.constant, v)
		}
	}
	return p.constant
}

// noteCall notes who calls what.
func (p *Info) noteCall(cur inspector.Cursor, call *ast.CallExpr, callers map[*types.Func][]*types.Func, fails map[*types.Func]bool) {
	fn := typeset.Callee(p.pass.TypesInfo, call)
	if fn == nil || fn.Pkg() == nil {
		return
	}
	results := fn.Signature().Results()
	if results.Len() == 0 || !IsError(results.At(results.Len()-1).Type()) {
		return
	}
	local := fn.Pkg() == p.pass.Pkg
	bad := false
	switch httpmodel.OriginOf(fn) {
	case httpmodel.Client, httpmodel.Transport, httpmodel.RPC:
		bad = true
	case httpmodel.NoOrigin:
		var fact summaryFact
		bad = !local && p.pass.ImportObjectFact(fn, &fact) && (&summary{Cases: fact.Cases}).fails()
	}
	if !local && !bad {
		return
	}
	for c := range cur.Enclosing((*ast.FuncDecl)(nil)) {
		caller, ok := p.pass.TypesInfo.Defs[c.Node().(*ast.FuncDecl).Name].(*types.Func)
		if !ok {
			return
		}
		if bad {
			fails[caller] = true
		} else {
			callers[fn] = append(callers[fn], caller)
		}
	}
}

// reach extends set to all that call a member of it, directly or not.
func reach(callers map[*types.Func][]*types.Func, set map[*types.Func]bool) {
	var queue []*types.Func
	for fn := range set {
		queue = append(queue, fn)
	}
	for len(queue) > 0 {
		fn := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, caller := range callers[fn] {
			if !set[caller] {
				set[caller] = true
				queue = append(queue, caller)
			}
		}
	}
}

// Callee returns the function expression that call calls, and its function or
// method if it is known. A variable that is set once stands for what it is set to.
func (p *Info) Callee(call *ast.CallExpr) (ast.Expr, *types.Func) {
	fun := p.resolve(call.Fun)
	fn, _ := typeutil.Callee(p.pass.TypesInfo, &ast.CallExpr{Fun: fun, Args: call.Args}).(*types.Func)
	if fn != nil {
		fn = fn.Origin()
	}
	return fun, fn
}

// resolve returns what the function variable x is set to, or else x.
func (p *Info) resolve(x ast.Expr) ast.Expr {
	x = ast.Unparen(x)
	if id, ok := x.(*ast.Ident); ok {
		if v, ok := p.pass.TypesInfo.Uses[id].(*types.Var); ok && p.constants()[v] != nil {
			return ast.Unparen(p.constants()[v])
		}
	}
	return x
}

// Functions returns the functions of the package that x, of function type, may be:
// *ast.FuncLit and *ast.FuncDecl. A call stands for what it returns.
func (p *Info) Functions(x ast.Expr) []ast.Node {
	x = p.resolve(x)
	switch x := x.(type) {
	case *ast.FuncLit:
		return []ast.Node{x}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
		if _, fn := p.Callee(&ast.CallExpr{Fun: x}); fn != nil && p.decls[fn] != nil {
			return []ast.Node{p.decls[fn]}
		}
	case *ast.CallExpr:
		if p.pass.TypesInfo.Types[x.Fun].IsType() && len(x.Args) == 1 {
			return p.Functions(x.Args[0])
		}
		_, fn := p.Callee(x)
		decl := p.decls[fn]
		if decl == nil {
			return nil
		}
		var all []ast.Node
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
				if lit, ok := p.resolve(ret.Results[0]).(*ast.FuncLit); ok {
					all = append(all, lit)
				}
			}
			_, lit := n.(*ast.FuncLit)
			return !lit
		})
		return all
	}
	return nil
}

// Params returns the parameters of a function, without the receiver.
func (p *Info) Params(node ast.Node) []*types.Var {
	return slices.Collect(typeset.SignatureOf(p.pass.TypesInfo, node).Params().Variables())
}

// graph returns the control-flow graph of a function.
func (p *Info) graph(node ast.Node) *cfg.CFG {
	cfgs := p.pass.ResultOf[cfgs.Analyzer].(*ctrlflow.CFGs)
	if decl, ok := node.(*ast.FuncDecl); ok {
		return cfgs.FuncDecl(decl)
	}
	return cfgs.FuncLit(node.(*ast.FuncLit))
}
