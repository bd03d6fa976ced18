package retries

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file finds what a retrying client runs for each attempt: hooks that its
// fields and methods take, and the RoundTripper below it.

// addHook adds the region of the function that e evaluates to.
func (r *Result) addHook(holder *ast.FuncDecl, at ast.Node, by string, e ast.Expr) {
	if fn := r.index.FuncOf(e); fn != nil {
		r.add(&Region{Kind: Hook, Node: fn, Func: fn, Holder: holder, At: at, By: by})
	}
}

// findHookField adds the hook, or what is below the client, in the assignment of
// value to the field v.
func (r *Result) findHookField(holder *ast.FuncDecl, at ast.Node, v *types.Var, lhs, value ast.Expr) {
	if v == nil || !v.IsField() {
		return
	}
	info := r.pass.TypesInfo
	sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr)
	if !ok || r.retriesNever(holder, typeset.Root(info, sel)) {
		return
	}
	if httpmodel.IsHookField(v) {
		r.addHook(holder, at, "the client", value)
		return
	}
	switch {
	case v.Name() == "Transport" && typeset.IsNamed(info.TypeOf(sel.X), httpmodel.NetHTTP, "Client"):
		// rc.HTTPClient.Transport = value
		if inner, ok := ast.Unparen(sel.X).(*ast.SelectorExpr); ok && httpmodel.IsRetryableClient(info.TypeOf(inner.X)) {
			r.addTransport(holder, at, value)
		}
	case v.Name() == "HTTPClient" && httpmodel.IsRetryableClient(info.TypeOf(sel.X)):
		r.addClient(holder, at, value)
	}
}

// retriesNever reports whether the function sets the RetryMax of the client, a
// variable, to none.
func (r *Result) retriesNever(holder *ast.FuncDecl, client *types.Var) bool {
	if holder == nil || client == nil {
		return false
	}
	never := false
	ast.Inspect(holder.Body, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != len(assign.Rhs) {
			return true
		}
		for i, lhs := range assign.Lhs {
			v := typeset.VarOf(r.pass.TypesInfo, lhs)
			value := r.pass.TypesInfo.Types[assign.Rhs[i]].Value
			if v != nil && v.IsField() && v.Name() == "RetryMax" && typeset.Root(r.pass.TypesInfo, lhs) == client && value != nil {
				never = constant.Sign(value) <= 0
			}
		}
		return true
	})
	return never
}

// findHooksIn adds the hooks in a composite literal of a retrying client, and what
// is below a RoundTripper of this package that tries again.
func (r *Result) findHooksIn(holder *ast.FuncDecl, lit *ast.CompositeLit) {
	info := r.pass.TypesInfo
	t := info.TypeOf(lit)
	retryable := t != nil && httpmodel.IsRetryableClient(t)
	for i := range lit.Elts {
		switch v, x := typeset.Element(info, lit, i); {
		case v == nil:
		case httpmodel.IsHookField(v):
			r.addHook(holder, lit, "the client", x)
		case retryable && v.Name() == "HTTPClient":
			r.addClient(holder, lit, x)
		case r.repeatsField(t, v):
			r.addTransport(holder, lit, x)
		}
	}
}

// addClient adds the region below a retrying client whose own *http.Client is e.
func (r *Result) addClient(holder *ast.FuncDecl, at ast.Node, e ast.Expr) {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		if v := typeset.VarOf(r.pass.TypesInfo, id); v != nil && r.index.OnlyDef(v) != nil {
			e = ast.Unparen(r.index.OnlyDef(v))
		}
	}
	if addr, ok := e.(*ast.UnaryExpr); ok && addr.Op == token.AND {
		e = addr.X
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok || !typeset.IsNamed(r.typeOf(lit), httpmodel.NetHTTP, "Client") {
		return
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Transport" {
				r.addTransport(holder, at, kv.Value)
			}
		}
	}
}

// addTransport adds the region of the RoundTrip of e, which a retrying client calls
// for each attempt.
func (r *Result) addTransport(holder *ast.FuncDecl, at ast.Node, e ast.Expr) {
	if fn := r.index.FuncOf(e); fn != nil {
		r.add(&Region{Kind: Hook, Node: fn, Func: fn, Holder: holder, At: at, By: "the client"})
		return
	}
	t := r.pass.TypesInfo.TypeOf(e)
	if t == nil || types.IsInterface(t) {
		if v := typeset.VarOf(r.pass.TypesInfo, e); v != nil && r.index.OnlyDef(v) != nil {
			r.addTransport(holder, at, r.index.OnlyDef(v))
			return
		}
		// A constructor of this package that returns an http.RoundTripper.
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
			if decl := r.index.Decl(typeset.Callee(r.pass.TypesInfo, call)); decl != nil {
				if ret := onlyReturn(decl); ret != nil {
					r.addTransport(holder, at, ret)
				}
			}
		}
		return
	}
	if decl := r.roundTrip(t); decl != nil {
		r.add(&Region{Kind: Hook, Node: decl, Func: decl, Holder: holder, At: at, By: "the client"})
	}
}

// onlyReturn returns what a function returns that does nothing else, or nil.
func onlyReturn(decl *ast.FuncDecl) ast.Expr {
	if len(decl.Body.List) != 1 {
		return nil
	}
	ret, ok := decl.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	return ret.Results[0]
}

// roundTrip returns the declaration of the RoundTrip of t in this package, or nil.
func (r *Result) roundTrip(t types.Type) *ast.FuncDecl {
	obj, _, _ := types.LookupFieldOrMethod(t, true, r.pass.Pkg, "RoundTrip")
	fn, _ := obj.(*types.Func)
	return r.index.Decl(fn)
}

// repeatsField reports whether t is a RoundTripper of this package whose RoundTrip
// calls that of its field f in a retry.
func (r *Result) repeatsField(t types.Type, f *types.Var) bool {
	if named := typeset.Named(t); named == nil || named.Obj().Pkg() != r.pass.Pkg || !types.IsInterface(f.Type()) {
		return false
	}
	decl := r.roundTrip(t)
	if decl == nil {
		return false
	}
	found := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			found = found || r.callsRoundTripOf(n, f) && r.isRetry(decl, n)
		}
		return !found
	})
	return found
}

// callsRoundTripOf reports whether n calls the RoundTrip of the field f.
func (r *Result) callsRoundTripOf(n ast.Node, f *types.Var) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "RoundTrip" && typeset.VarOf(r.pass.TypesInfo, sel.X) == f {
			found = true
		}
		return !found
	})
	return found
}

// findHookCall adds the hook that a method of a resty client takes, if retries are
// configured on the same client within root.
func (r *Result) findHookCall(holder *ast.FuncDecl, root ast.Node, call *ast.CallExpr) {
	fn := typeset.Callee(r.pass.TypesInfo, call)
	if !httpmodel.IsRestyHook(fn) || len(call.Args) != 1 {
		return
	}
	client := r.clientOf(root, call)
	retrying := false
	set := func(of any, count ast.Expr) {
		value := r.pass.TypesInfo.Types[count].Value
		if client != nil && of == client && (value == nil || constant.Sign(value) > 0) {
			retrying = true
		}
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if httpmodel.IsRestyRetryCount(typeset.Callee(r.pass.TypesInfo, n)) && len(n.Args) == 1 {
				set(r.clientOf(root, n), n.Args[0])
			}
		case *ast.AssignStmt: // c.RetryCount = 3
			if sel, ok := ast.Unparen(n.Lhs[0]).(*ast.SelectorExpr); ok && sel.Sel.Name == "RetryCount" {
				if v := typeset.VarOf(r.pass.TypesInfo, sel.X); v != nil {
					set(any(v), n.Rhs[0])
				}
			}
		}
		return true
	})
	if retrying {
		r.addHook(holder, call, "the client", call.Args[0])
	}
}

// clientOf returns what tells the client apart on which a chain of calls is made:
// the variable that it starts from, or that it is assigned to, or else the
// expression that it starts from.
func (r *Result) clientOf(root ast.Node, call *ast.CallExpr) any {
	start := ast.Expr(call)
	for {
		c, ok := ast.Unparen(start).(*ast.CallExpr)
		if !ok {
			break
		}
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok {
			break
		}
		if _, isPkg := r.pass.TypesInfo.Uses[identOf(sel.X)].(*types.PkgName); isPkg {
			break
		}
		start = sel.X
	}
	if v := typeset.VarOf(r.pass.TypesInfo, start); v != nil {
		return v
	}
	// Have: resty.New().SetX()...; is it assigned?
	var assigned any = ast.Unparen(start)
	ast.Inspect(root, func(n ast.Node) bool {
		if assign, ok := n.(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 &&
			assign.Rhs[0].Pos() <= start.Pos() && start.End() <= assign.Rhs[0].End() {
			if _, isLit := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr); isLit {
				if v := typeset.VarOf(r.pass.TypesInfo, assign.Lhs[0]); v != nil {
					assigned = v
				}
			}
		}
		return true
	})
	return assigned
}

// identOf returns e if it is an identifier, or nil.
func identOf(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}
