// Package retryclients says which clients of libraries send a request again by
// themselves, whatever its method: those of resty and heimdall with a retry
// count and no condition, those of retryablehttp with its own policy, and those above a
// transport of failsafe.
//
// A client is followed from where it sends back to where it is made, through variables,
// fields and functions of the package, and by facts through constructors of others; what
// the package sets on it anywhere counts. What cannot be followed repeats nothing.
package retryclients

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

var Analyzer = &analysis.Analyzer{
	Name:       "retryclients",
	Doc:        "find clients that send again by themselves",
	Requires:   []*analysis.Analyzer{retries.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(repeatsFact)},
}

// A repeatsFact says that a function returns a client that repeats whatever it sends.
type repeatsFact struct{ Resty bool }

func (*repeatsFact) AFact() {}

func (*repeatsFact) String() string { return "retryclients(repeats)" }

// A Result answers questions about the clients of one package.
type Result struct {
	pass    *analysis.Pass
	info    *types.Info
	retries *retries.Result
	index   *typeset.Index
}

func run(pass *analysis.Pass) (any, error) {
	res := pass.ResultOf[retries.Analyzer].(*retries.Result)
	c := &Result{pass, pass.TypesInfo, res, res.Index()}
	if typeset.IsStd(pass.Pkg, pass.Module) || !typeset.Imports(pass.Pkg, append(httpmodel.HeimdallPaths, httpmodel.RestyPath, httpmodel.RetryablePath, httpmodel.FailsafeHTTP)...) {
		return c, nil
	}
	for _, decl := range c.index.Decls() {
		fn, ok := c.info.Defs[decl.Name].(*types.Func)
		if !ok || !typeset.IsExported(fn) || !returnsClient(fn) {
			continue
		}
		cl := &client{vars: make(map[*types.Var]bool)}
		c.traceReturns(decl, cl, 0)
		if c.repeats(cl) {
			pass.ExportObjectFact(fn, &repeatsFact{cl.resty})
		}
	}
	return c, nil
}

// returnsClient reports whether the first result of fn is a client.
func returnsClient(fn *types.Func) bool {
	results := fn.Signature().Results()
	if results.Len() == 0 {
		return false
	}
	t := results.At(0).Type()
	return typeset.IsNamed(t, httpmodel.NetHTTP, "Client") || typeset.IsNamed(t, httpmodel.RestyPath, "Client") || typeset.IsNamed(t, httpmodel.RetryablePath, "Client") || httpmodel.IsHeimdallClient(t)
}

// imported returns the fact of a function of another package, or nil.
func (c *Result) imported(fn *types.Func) *repeatsFact {
	fact := new(repeatsFact)
	if fn == nil || fn.Pkg() == nil || fn.Pkg() == c.pass.Pkg || !c.pass.ImportObjectFact(fn.Origin(), fact) {
		return nil
	}
	return fact
}

// A client is a retrying client as far as the package shows it.
type client struct {
	vars       map[*types.Var]bool // that hold it
	calls      []*ast.CallExpr     // methods called on it where it is made
	made       int                 // how often it is seen to be made
	resty      bool
	unknown    bool
	conditions bool // it has a policy of its own
	anyway     bool // and one that repeats whatever failed
	retries    bool // a retry count is set; for retryablehttp: not to none
}

// RetriesByItself reports whether a call sends through a client of a library that
// repeats it whatever its method.
func (c *Result) RetriesByItself(call *ast.CallExpr) bool {
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
	return c.repeats(cl)
}

// repeats reports whether a client that was followed to where it is made repeats whatever
// it sends.
func (c *Result) repeats(cl *client) bool {
	if cl.unknown || cl.made == 0 {
		return false
	}
	c.configure(cl)
	return cl.retries && (cl.anyway || !cl.conditions)
}

// restyClient returns the client that a request of resty is made by, given the
// expression of the request.
func (c *Result) restyClient(e ast.Expr, cl *client) ast.Expr {
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
func (c *Result) trace(e ast.Expr, cl *client, depth int) {
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
		cl.unknown = cl.unknown || len(defs) == 0
		if slices.Contains(defs, nil) {
			made := c.firstOf(v)
			hidden := slices.DeleteFunc(slices.Clone(defs), func(def ast.Expr) bool { return def != nil })
			cl.unknown = cl.unknown || len(made) != len(hidden)
			for _, call := range made {
				c.traceCall(call, cl, depth+1)
			}
		}
		for _, def := range defs {
			if def != nil && !c.info.Types[def].IsNil() {
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

// firstOf returns the calls of which v is the first of several results.
func (c *Result) firstOf(v *types.Var) (calls []*ast.CallExpr) {
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if assign, ok := n.(*ast.AssignStmt); ok && len(assign.Lhs) > 1 && len(assign.Rhs) == 1 && typeset.VarOf(c.info, assign.Lhs[0]) == v {
				if call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr); ok {
					calls = append(calls, call)
				}
			}
			return true
		})
	}
	return calls
}

// traceCall follows a client that a call returns.
func (c *Result) traceCall(call *ast.CallExpr, cl *client, depth int) {
	fn := typeset.Callee(c.info, call)
	sel, _ := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	switch {
	case typeset.IsFunc(fn, httpmodel.RetryablePath, "NewClient"):
		cl.made++
		cl.retries = true
	case typeset.IsFunc(fn, httpmodel.RestyPath, "New", "NewWithClient", "NewWithLocalAddr"):
		cl.made++
		cl.resty = true
	case fn != nil && fn.Name() == "NewClient" && httpmodel.IsHeimdallClient(c.info.TypeOf(call)):
		cl.made++
		cl.retries = slices.ContainsFunc(call.Args, c.setsCount)
	case typeset.IsMethod(fn, httpmodel.RetryablePath, "Client", "StandardClient") && sel != nil:
		c.trace(sel.X, cl, depth+1)
	case fn != nil && fn.Signature().Recv() != nil && typeset.IsNamed(fn.Signature().Recv().Type(), httpmodel.RestyPath, "Client") && sel != nil:
		cl.calls = append(cl.calls, call)
		c.trace(sel.X, cl, depth+1)
	case c.index.Decl(fn) != nil:
		c.traceReturns(c.index.Decl(fn), cl, depth)
	case c.isFailsafe(call, fn):
		cl.made++
		cl.retries = true
		cl.conditions = cl.conditions || slices.ContainsFunc(call.Args[1:], c.retries.HasConditions)
	case c.imported(fn) != nil:
		cl.made++
		cl.retries = true
		cl.resty = c.imported(fn).Resty
	default:
		cl.unknown = true
	}
}

// setsCount reports whether an option of heimdall sets a number of retries.
func (c *Result) setsCount(option ast.Expr) bool {
	call, ok := ast.Unparen(option).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	fn := typeset.Callee(c.info, call)
	v := c.info.Types[call.Args[0]].Value
	return fn != nil && strings.HasSuffix(fn.Name(), "WithRetryCount") && (v == nil || constant.Sign(v) > 0)
}

// traceReturns follows a client that a function of the package returns.
func (c *Result) traceReturns(decl *ast.FuncDecl, cl *client, depth int) {
	ast.Inspect(decl.Body, func(n ast.Node) bool {
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
}

// isFailsafe reports whether call makes a transport of package failsafehttp that tries
// again.
func (c *Result) isFailsafe(call *ast.CallExpr, fn *types.Func) bool {
	below, ok := httpmodel.IsFailsafeClient(fn)
	return ok && below == 0 && len(call.Args) > 1 && slices.ContainsFunc(call.Args[1:], c.retries.TriesAgain)
}

// traceLit follows a client that a literal makes, or that is below one.
func (c *Result) traceLit(lit *ast.CompositeLit, cl *client, depth int) {
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
func (c *Result) setting(field string, value ast.Expr, cl *client) {
	switch field {
	case "CheckRetry":
		fn := typeset.FuncObj(c.info, value)
		if !typeset.IsFunc(fn, httpmodel.RetryablePath, "DefaultRetryPolicy", "ErrorPropagatedRetryPolicy") {
			cl.conditions, cl.anyway = true, cl.anyway || c.repeatsErrors(value)
		}
	case "RetryMax":
		v := c.info.Types[value].Value
		cl.retries = v == nil || constant.Sign(v) > 0
	}
}

// configure takes what the package sets on a client after it is made.
func (c *Result) configure(cl *client) {
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
func (c *Result) restySetting(fn *types.Func, call *ast.CallExpr, cl *client) {
	switch fn.Name() {
	case "SetRetryCount":
		if len(call.Args) == 1 {
			v := c.info.Types[call.Args[0]].Value
			cl.retries = v == nil || constant.Sign(v) > 0
		}
	case "AddRetryCondition", "AddRetryConditions", "SetRetryConditions":
		cl.conditions, cl.anyway = true, cl.anyway || len(call.Args) == 1 && c.repeatsErrors(call.Args[0])
	}
}

// repeatsErrors reports whether a condition, a function of the package, says that a request
// is to be sent again whatever error came of it: if the error is not nil, or by the
// library's own policy. It asks for nothing that may tell one request from another.
func (c *Result) repeatsErrors(cond ast.Expr) bool {
	fn := c.index.FuncOf(cond)
	sig := typeset.SignatureOf(c.info, fn)
	if sig == nil || sig.Params().Len() == 0 || !httpmodel.IsError(sig.Params().At(sig.Params().Len()-1).Type()) {
		return false
	}
	_, body := c.retries.CFG(fn)
	err := sig.Params().At(sig.Params().Len() - 1)
	repeats, asks := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			asks = asks || telling.MatchString(n.Name)
		case *ast.IfStmt:
			if c.isFailure(n.Cond, err) && len(n.Body.List) == 1 {
				ret, ok := n.Body.List[0].(*ast.ReturnStmt)
				repeats = repeats || ok && types.ExprString(ret.Results[0]) == "true"
			}
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				call, ok := n.Results[0].(*ast.CallExpr)
				repeats = repeats || c.isFailure(n.Results[0], err) ||
					ok && typeset.IsFunc(typeset.Callee(c.info, call), httpmodel.RetryablePath, "DefaultRetryPolicy", "ErrorPropagatedRetryPolicy")
			}
		}
		return true
	})
	return repeats && !asks
}

// telling matches the names of what tells one request from another.
var telling = regexp.MustCompile(`(?i)method|request|^value$|idem|safe|key`)

// isFailure reports whether cond is true whenever err is not nil.
func (c *Result) isFailure(cond ast.Expr, err *types.Var) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if b.Op == token.LOR {
		return c.isFailure(b.X, err) || c.isFailure(b.Y, err)
	}
	return b.Op == token.NEQ && typeset.VarOf(c.info, b.X) == err && c.info.Types[b.Y].IsNil()
}
