package retries

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file finds what the executors of failsafe-go repeat. No fact can say it: an
// executor calls what it is given behind interfaces, and whether it does so again
// hangs on the policies that it is made of.

// repeatsArg reports whether call, of fn, calls its i-th argument until it succeeds.
func (r *Result) repeatsArg(call *ast.CallExpr, fn *types.Func, i int) bool {
	if httpmodel.IsFailsafeRun(fn) {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		return ok && i == 0 && r.triesAgain(sel.X, maxDefs)
	}
	return r.repeatsParam(fn, i)
}

// findBelow adds the region of what lies below a client of failsafe that call makes.
func (r *Result) findBelow(holder *ast.FuncDecl, call *ast.CallExpr) {
	below, ok := httpmodel.IsFailsafeClient(typeset.Callee(r.pass.TypesInfo, call))
	if !ok || len(call.Args) <= below {
		return
	}
	for _, policy := range call.Args[below+1:] {
		if !r.triesAgain(policy, maxDefs) {
			continue
		}
		if below == 0 {
			r.addTransport(holder, call, call.Args[0])
		} else {
			r.addClient(holder, call, call.Args[below])
		}
		return
	}
}

// TriesAgain reports whether e, an executor or a policy of failsafe or several of them,
// has a policy by which it calls a function more than once.
func (r *Result) TriesAgain(e ast.Expr) bool { return r.triesAgain(e, maxDefs) }

// HasConditions reports whether e, an executor or a policy of failsafe or several of them,
// is told what to try again; or may be, as the package tells some policy so and e leads to
// what comes from elsewhere.
func (r *Result) HasConditions(e ast.Expr) bool {
	info := r.pass.TypesInfo
	told, lost := false, false
	seen := make(map[types.Object]bool)
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fn := typeset.Callee(info, n)
			told = told || httpmodel.IsFailsafeCondition(fn)
			if decl := r.index.Decl(fn); decl != nil && !seen[fn] && decl.Body != nil {
				seen[fn] = true
				ast.Inspect(decl.Body, visit)
			}
		case *ast.Ident:
			v, ok := info.Uses[n].(*types.Var)
			if !ok || seen[v] || !strings.Contains(types.TypeString(v.Type(), nil), httpmodel.Failsafe) {
				break
			}
			seen[v] = true
			defs := r.index.Defs(v)
			lost = lost || len(defs) == 0 || strings.Contains(types.TypeString(v.Type(), nil), "Builder")
			for _, def := range defs {
				if lost = lost || def == nil; def != nil {
					ast.Inspect(def, visit)
				}
			}
		}
		return !told
	}
	ast.Inspect(e, visit)
	return told || lost && r.anyConditions()
}

// anyConditions reports whether the package tells a policy of failsafe what to try again.
func (r *Result) anyConditions() bool {
	found := false
	for _, file := range r.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			found = found || ok && httpmodel.IsFailsafeCondition(typeset.Callee(r.pass.TypesInfo, call))
			return !found
		})
	}
	return found
}

// maxDefs bounds how many variables and calls triesAgain looks behind.
const maxDefs = 12

// triesAgain reports whether e, an executor or a policy or several of them, has a
// policy by which it calls a function more than once.
func (r *Result) triesAgain(e ast.Expr, depth int) bool {
	if depth == 0 {
		return false
	}
	if httpmodel.IsFailsafePolicy(r.pass.TypesInfo.TypeOf(e)) {
		return !r.isOnce(e, depth)
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr: // failsafe.With(policy), executor.Compose(policy), append(policies, policy)
		fn := typeset.Callee(r.pass.TypesInfo, e)
		if decl := r.index.Decl(fn); decl != nil {
			ret := onlyReturn(decl)
			return ret != nil && r.triesAgain(ret, depth-1)
		}
		for _, arg := range e.Args {
			if r.triesAgain(arg, depth-1) {
				return true
			}
		}
		sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		return ok && httpmodel.IsExecutor(r.pass.TypesInfo.TypeOf(sel.X)) && r.triesAgain(sel.X, depth-1)
	case *ast.CompositeLit:
		for _, elt := range e.Elts {
			if r.triesAgain(elt, depth-1) {
				return true
			}
		}
	case *ast.Ident, *ast.SelectorExpr:
		v := typeset.VarOf(r.pass.TypesInfo, e)
		if v == nil {
			return false
		}
		defs := r.index.Defs(v)
		for _, def := range defs {
			if def == nil || !r.triesAgain(def, depth-1) {
				return false
			}
		}
		return len(defs) > 0
	}
	return false
}

// isOnce reports whether a policy is seen to be made with no more than one attempt.
func (r *Result) isOnce(policy ast.Expr, depth int) bool {
	for ; depth > 0; depth-- {
		switch e := ast.Unparen(policy).(type) {
		case *ast.CallExpr:
			sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
			if !ok {
				return false
			}
			if len(e.Args) == 1 {
				n, exact := constant.Int64Val(constant.ToInt(orUnknown(r.pass.TypesInfo.Types[e.Args[0]].Value)))
				if exact && (sel.Sel.Name == "WithMaxAttempts" && n == 1 || sel.Sel.Name == "WithMaxRetries" && n == 0) {
					return true
				}
			}
			policy = sel.X
		case *ast.Ident:
			v := typeset.VarOf(r.pass.TypesInfo, e)
			if v == nil || r.index.OnlyDef(v) == nil {
				return false
			}
			policy = r.index.OnlyDef(v)
		default:
			return false
		}
	}
	return false
}

// orUnknown returns v, or what stands for no constant.
func orUnknown(v constant.Value) constant.Value {
	if v == nil {
		return constant.MakeUnknown()
	}
	return v
}
