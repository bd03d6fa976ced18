package retrypolicy

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// checkLibraries reports what retrying libraries repeat by themselves.
func (c *checker) checkLibraries() {
	for _, ev := range c.resend.Posts() {
		if ev.Keyed || len(ev.Calls) == 0 || c.onlyAsks(ev) {
			continue
		}
		sender, _ := ev.Calls[len(ev.Calls)-1].(*ast.CallExpr)
		if call := own(ev); call != nil && sender != nil && !c.isKnown("method", ev) && c.retriesByItself(sender) {
			c.report("method", call, analysis.Diagnostic{},
				"%s sends a %s through a client that retries it after a transport error, without an idempotency key (the server may carry it out twice)", name(call), ev.Method)
		}
	}
	for _, file := range c.pass.Files {
		if report.IsTest(c.pass, file) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				c.checkLibraryCall(n)
			case *ast.AssignStmt:
				c.checkNext(n)
			case *ast.CompositeLit:
				c.checkExponential(n)
			case *ast.ForStmt, *ast.RangeStmt:
				c.checkSleeps(n)
			}
			return true
		})
	}
}

// A client is a retrying client as far as the package shows it.
type client struct {
	vars       map[*types.Var]bool // that hold it
	calls      []*ast.CallExpr     // methods called on it where it is made
	made       int                 // how often it is seen to be made
	resty      bool
	unknown    bool
	conditions bool // it has a policy of its own
	retries    bool // a retry count is set; for retryablehttp: not to none
}

// retriesByItself reports whether a call sends through a client of a library that
// repeats it whatever its method.
func (c *checker) retriesByItself(call *ast.CallExpr) bool {
	fn := typeset.Callee(c.info, call)
	if fn == nil {
		return false
	}
	if typeset.IsFunc(fn, httpmodel.RetryablePath, "Post", "PostForm") {
		return true
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	e := sel.X
	cl := &client{vars: make(map[*types.Var]bool)}
	if _, ok := httpmodel.RestySend(fn); ok {
		if e = c.restyClient(e, cl); e == nil {
			return false
		}
	}
	c.trace(e, cl, 0)
	if cl.unknown || cl.made == 0 {
		return false
	}
	c.configure(cl)
	return cl.retries && !cl.conditions
}

// restyClient returns the client that a request of resty is made by, given the
// expression of the request.
func (c *checker) restyClient(e ast.Expr, cl *client) ast.Expr {
	for range 40 {
		switch x := ast.Unparen(e).(type) {
		case *ast.CallExpr:
			sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
			if !ok {
				return nil
			}
			fn := typeset.Callee(c.info, x)
			if typeset.IsMethod(fn, httpmodel.RestyPath, "Client", "R", "NewRequest") {
				return sel.X
			}
			if typeset.IsMethod(fn, httpmodel.RestyPath, "Request", "AddRetryCondition") {
				return nil
			}
			e = sel.X
		case *ast.Ident, *ast.SelectorExpr:
			v := typeset.VarOf(c.info, x)
			if v == nil || c.index.OnlyDef(v) == nil {
				return nil
			}
			e = c.index.OnlyDef(v)
		default:
			return nil
		}
	}
	return nil
}

// trace follows a client to where it is made.
func (c *checker) trace(e ast.Expr, cl *client, depth int) {
	if depth > 12 {
		cl.unknown = true
		return
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		v := typeset.VarOf(c.info, x)
		if v == nil {
			cl.unknown = true
			return
		}
		if cl.vars[v] {
			return
		}
		cl.vars[v] = true
		defs := c.index.Defs(v)
		if len(defs) == 0 {
			cl.unknown = true
		}
		for _, def := range defs {
			if def == nil {
				cl.unknown = true
			} else if !c.info.Types[def].IsNil() {
				c.trace(def, cl, depth+1)
			}
		}
	case *ast.CallExpr:
		c.traceCall(x, cl, depth)
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && x.Op == token.AND {
			c.traceLit(lit, cl, depth)
			return
		}
		cl.unknown = true
	default:
		cl.unknown = true
	}
}

// traceCall follows a client that a call returns.
func (c *checker) traceCall(call *ast.CallExpr, cl *client, depth int) {
	fn := typeset.Callee(c.info, call)
	sel, _ := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	switch {
	case typeset.IsFunc(fn, httpmodel.RetryablePath, "NewClient"):
		cl.made++
		cl.retries = true
	case typeset.IsFunc(fn, httpmodel.RestyPath, "New", "NewWithClient", "NewWithLocalAddr"):
		cl.made++
		cl.resty = true
	case typeset.IsMethod(fn, httpmodel.RetryablePath, "Client", "StandardClient") && sel != nil:
		c.trace(sel.X, cl, depth+1)
	case fn != nil && fn.Signature().Recv() != nil && typeset.IsNamed(fn.Signature().Recv().Type(), httpmodel.RestyPath, "Client") && sel != nil:
		cl.calls = append(cl.calls, call)
		c.trace(sel.X, cl, depth+1)
	case c.index.Decl(fn) != nil:
		ast.Inspect(c.index.Decl(fn).Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				if len(n.Results) == 0 {
					cl.unknown = true
				} else if !c.info.Types[n.Results[0]].IsNil() {
					c.trace(n.Results[0], cl, depth+1)
				}
			}
			return true
		})
	default:
		cl.unknown = true
	}
}

// traceLit follows a client that a literal makes, or that is below one.
func (c *checker) traceLit(lit *ast.CompositeLit, cl *client, depth int) {
	t := c.info.TypeOf(lit)
	field := map[string]string{"Client": "Transport", "RoundTripper": "Client"}
	switch {
	case typeset.IsNamed(t, httpmodel.RetryablePath, "Client"):
		cl.made++
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				c.setting(types.ExprString(kv.Key), kv.Value, cl)
			}
		}
		return
	case typeset.IsNamed(t, httpmodel.NetHTTP, "Client"), typeset.IsNamed(t, httpmodel.RetryablePath, "RoundTripper"):
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok && types.ExprString(kv.Key) == field[typeset.Named(t).Obj().Name()] {
				c.trace(kv.Value, cl, depth+1)
				return
			}
		}
	}
	cl.unknown = true
}

// setting takes what a field of a retryablehttp client is set to.
func (c *checker) setting(field string, value ast.Expr, cl *client) {
	switch field {
	case "CheckRetry":
		fn := typeset.FuncObj(c.info, value)
		if !typeset.IsFunc(fn, httpmodel.RetryablePath, "DefaultRetryPolicy", "ErrorPropagatedRetryPolicy") {
			cl.conditions = true
		}
	case "RetryMax":
		v := c.info.Types[value].Value
		cl.retries = v == nil || constant.Sign(v) > 0
	}
}

// configure takes what the package sets on a client after it is made.
func (c *checker) configure(cl *client) {
	holds := func(e ast.Expr) bool {
		v := typeset.VarOf(c.info, e)
		return v != nil && cl.vars[v]
	}
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, lhs := range n.Lhs {
					if sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) && holds(sel.X) {
						if cl.resty {
							if sel.Sel.Name == "RetryConditions" {
								cl.conditions = true
							}
							if sel.Sel.Name == "RetryCount" {
								v := c.info.Types[n.Rhs[i]].Value
								cl.retries = v == nil || constant.Sign(v) > 0
							}
						} else {
							c.setting(sel.Sel.Name, n.Rhs[i], cl)
						}
					}
				}
			case *ast.CallExpr:
				fn := typeset.Callee(c.info, n)
				if fn == nil || fn.Signature().Recv() == nil || !typeset.IsNamed(fn.Signature().Recv().Type(), httpmodel.RestyPath, "Client") {
					break
				}
				base := ast.Expr(n)
				for {
					call, ok := ast.Unparen(base).(*ast.CallExpr)
					if !ok {
						break
					}
					sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
					if !ok {
						break
					}
					base = sel.X
				}
				if holds(base) || slices.Contains(cl.calls, n) {
					c.restySetting(fn, n, cl)
				}
			}
			return true
		})
	}
}

// restySetting takes what a method of a resty client sets.
func (c *checker) restySetting(fn *types.Func, call *ast.CallExpr, cl *client) {
	switch fn.Name() {
	case "SetRetryCount":
		if len(call.Args) == 1 {
			v := c.info.Types[call.Args[0]].Value
			cl.retries = v == nil || constant.Sign(v) > 0
		}
	case "AddRetryCondition", "AddRetryConditions", "SetRetryConditions":
		cl.conditions = true
	}
}
