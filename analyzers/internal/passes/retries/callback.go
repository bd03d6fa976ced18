package retries

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// repeats is the fact that a function calls some of its parameters, functions, in
// a retry, or returns a RoundTripper that does so with those that are RoundTrippers.
type repeats struct {
	Params []int // sorted
}

func (*repeats) AFact() {}

func (f *repeats) String() string { return fmt.Sprintf("repeats%v", f.Params) }

func newRepeats(params map[int]bool) *repeats {
	f := new(repeats)
	for i := range params {
		f.Params = append(f.Params, i)
	}
	slices.Sort(f.Params)
	return f
}

// takesFunc reports whether fn has a parameter that is a function, or a RoundTripper.
func takesFunc(fn *types.Func) bool {
	for p := range fn.Signature().Params().Variables() {
		if funcType(p.Type()) != nil || isRoundTripper(p.Type()) {
			return true
		}
	}
	return false
}

func isRoundTripper(t types.Type) bool {
	return typeset.IsNamed(t, httpmodel.NetHTTP, "RoundTripper")
}

// funcType returns the signature of t, a function type, or nil.
func funcType(t types.Type) *types.Signature {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		t = tp.Constraint()
	}
	sig, _ := t.Underlying().(*types.Signature)
	return sig
}

// Repeats reports whether fn calls its i-th parameter, a function, until it
// succeeds.
func (r *Result) Repeats(fn *types.Func, i int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.repeatsParam(fn, i)
}

// RepeatsArg reports whether call, of fn, calls its i-th argument until it succeeds.
func (r *Result) RepeatsArg(call *ast.CallExpr, fn *types.Func, i int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.repeatsArg(call, fn, i)
}

// repeatsParam is Repeats for this pass.
func (r *Result) repeatsParam(fn *types.Func, i int) bool {
	if fn == nil || i < 0 {
		return false
	}
	fn = fn.Origin()
	if httpmodel.RepeatedArg(fn) == i {
		return true
	}
	if fn.Pkg() == r.pass.Pkg {
		return r.repeatedParams(fn)[i]
	}
	var fact repeats
	return fn.Pkg() != nil && r.pass.ImportObjectFact(fn, &fact) && slices.Contains(fact.Params, i)
}

// repeatedParams returns the parameters that fn, of this package, repeats.
func (r *Result) repeatedParams(fn *types.Func) map[int]bool {
	if params, ok := r.params[fn]; ok {
		return params
	}
	decl := r.index.Decl(fn)
	if decl == nil || r.busy[fn] || !takesFunc(fn) {
		return nil
	}
	r.busy[fn] = true
	defer delete(r.busy, fn)
	params := make(map[int]bool)
	sig := fn.Signature()
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		if funcType(p.Type()) != nil && r.repeatsVar(decl, p) || isRoundTripper(p.Type()) && r.wraps(decl, p) {
			params[i] = true
		}
	}
	r.params[fn] = params
	return params
}

// wraps reports whether decl puts rt, a RoundTripper, in one that repeats it.
func (r *Result) wraps(decl *ast.FuncDecl, rt *types.Var) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || found {
			return !found
		}
		t := r.typeOf(lit)
		for i := range lit.Elts {
			f, x := typeset.Element(r.pass.TypesInfo, lit, i)
			found = found || f != nil && typeset.VarOf(r.pass.TypesInfo, x) == rt && r.repeatsField(t, f)
		}
		return true
	})
	return found
}

// repeatsVar reports whether the function decl calls p, one of its parameters, in
// a loop that is a retry, or gives it to a function that does.
func (r *Result) repeatsVar(decl *ast.FuncDecl, p *types.Var) bool {
	found := false
	var funcs, stack []ast.Node
	ast.Inspect(decl, func(n ast.Node) bool {
		if n == nil {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if funcs[len(funcs)-1] == last {
				funcs = funcs[:len(funcs)-1]
			}
			return true
		}
		if found {
			return false
		}
		stack = append(stack, n)
		if len(funcs) == 0 {
			funcs = append(funcs, decl)
			return true
		}
		fn := funcs[len(funcs)-1]
		switch n := n.(type) {
		case *ast.FuncLit:
			funcs = append(funcs, n)
		case *ast.ForStmt:
			found = r.calls(n.Body, p) && r.isRetry(fn, n)
		case *ast.RangeStmt:
			found = r.calls(n.Body, p) && r.isRetry(fn, n)
		case *ast.LabeledStmt:
			found = r.calls(n, p) && r.jumpsBack(fn, n) && r.isRetry(fn, n)
		case *ast.CallExpr:
			callee := typeset.Callee(r.pass.TypesInfo, n)
			for i, arg := range n.Args {
				if funcType(r.typeOf(arg)) != nil && r.mentions(arg, p) && r.repeatsArg(n, callee, i) {
					found = true
				}
			}
		}
		return true
	})
	return found
}

func (r *Result) typeOf(e ast.Expr) types.Type {
	if t := r.pass.TypesInfo.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// isRetry reports whether a loop of the function fn is a retry.
func (r *Result) isRetry(fn, loop ast.Node) bool {
	p := r.follow(fn, loop, nil)
	return p != nil && p.isRetry()
}

// calls reports whether n calls the function that p holds, by itself or by way of
// another function of the package.
func (r *Result) calls(n ast.Node, p *types.Var) bool {
	return r.callsWithin(n, p, 3)
}

// callsWithin is calls, through no more than depth functions.
func (r *Result) callsWithin(n ast.Node, p *types.Var, depth int) bool {
	info := r.pass.TypesInfo
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		if typeset.VarOf(info, call.Fun) == p {
			found = true
			return false
		}
		for i, arg := range call.Args {
			if typeset.VarOf(info, arg) != p || depth == 0 {
				continue
			}
			fn := typeset.Callee(info, call)
			if decl := r.index.Decl(fn); decl != nil && i < fn.Signature().Params().Len() {
				found = found || r.callsWithin(decl.Body, fn.Signature().Params().At(i), depth-1)
			}
		}
		return !found
	})
	return found
}

// mentions reports whether e, or the function literal that it names, uses the
// variable p.
func (r *Result) mentions(e ast.Expr, p *types.Var) bool {
	found := false
	if lit, ok := r.index.FuncOf(e).(*ast.FuncLit); ok {
		e = lit
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && r.pass.TypesInfo.Uses[id] == p {
			found = true
		}
		return !found
	})
	return found
}

// findCallback adds the regions of the functions, and of what is below the RoundTripper,
// that call hands to one that repeats them.
func (r *Result) findCallback(holder *ast.FuncDecl, call *ast.CallExpr) {
	callee := typeset.Callee(r.pass.TypesInfo, call)
	for i, arg := range call.Args {
		if callee != nil && i < callee.Signature().Params().Len() && isRoundTripper(callee.Signature().Params().At(i).Type()) {
			if r.repeatsParam(callee, i) {
				r.addTransport(holder, call, arg)
			}
			continue
		}
		if funcType(r.typeOf(arg)) == nil {
			continue
		}
		fn := r.index.FuncOf(arg)
		if fn == nil {
			continue
		}
		if callee == nil {
			r.findLocalHelper(holder, call)
			return
		}
		if r.repeatsArg(call, callee, i) {
			r.add(&Region{Kind: Callback, Node: fn, Func: fn, Holder: holder, At: call, By: types.ExprString(call.Fun)})
		}
	}
}

// findLocalHelper is findCallback for a call of a function literal in a variable.
func (r *Result) findLocalHelper(holder *ast.FuncDecl, call *ast.CallExpr) {
	helper, ok := r.index.FuncOf(call.Fun).(*ast.FuncLit)
	if !ok {
		return
	}
	i := 0
	for _, field := range helper.Type.Params.List {
		for _, name := range field.Names {
			p, _ := r.pass.TypesInfo.Defs[name].(*types.Var)
			if p != nil && i < len(call.Args) && funcType(p.Type()) != nil && r.repeatsVar(&ast.FuncDecl{Name: ast.NewIdent(""), Type: helper.Type, Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: helper}}}}, p) {
				if fn := r.index.FuncOf(call.Args[i]); fn != nil {
					r.add(&Region{Kind: Callback, Node: fn, Func: fn, Holder: holder, At: call, By: types.ExprString(call.Fun)})
				}
			}
			i++
		}
	}
}
