package retrypolicy

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// The paths of libraries that repeat functions.
const (
	backoffPath = "github.com/cenkalti/backoff"
	retryGoPath = "github.com/avast/retry-go"
	sethPath    = "github.com/sethvargo/go-retry"
)

// libraryOf returns the path of the package of fn without a version, and its name.
func libraryOf(fn *types.Func) (path, name string) {
	if fn == nil || fn.Pkg() == nil {
		return "", ""
	}
	path = typeset.PkgPath(fn.Pkg())
	if i := strings.LastIndex(path, "/v"); i > 0 && len(path) == i+3 {
		path = path[:i]
	}
	return path, fn.Name()
}

// checkLibraryCall checks how a library is told to repeat a function that sends
// requests.
func (c *checker) checkLibraryCall(call *ast.CallExpr) {
	path, fn := libraryOf(typeset.Callee(c.info, call))
	switch {
	case path == retryGoPath && (fn == "Do" || fn == "DoWithData"):
		c.checkRetryGo(call)
	case path == backoffPath && strings.HasPrefix(fn, "Retry") && len(call.Args) >= 2:
		c.checkBackoff(call)
	}
}

// sendsWhenCalled reports whether arg is a function that sends requests.
func (c *checker) sendsWhenCalled(arg ast.Expr) bool {
	switch fn := c.resend.CalledFunc(arg).(type) {
	case *ast.FuncLit:
		return c.resend.Sends(fn.Body)
	case *ast.FuncDecl:
		return c.resend.Sends(fn.Body)
	}
	return false
}

// checkRetryGo checks a call of retry-go.
func (c *checker) checkRetryGo(call *ast.CallExpr) {
	if len(call.Args) == 0 || call.Ellipsis.IsValid() || !c.sendsWhenCalled(call.Args[0]) {
		return
	}
	endless, withContext := false, false
	for _, arg := range call.Args[1:] {
		option, ok := ast.Unparen(arg).(*ast.CallExpr)
		if !ok {
			return // an option from elsewhere
		}
		path, fn := libraryOf(typeset.Callee(c.info, option))
		switch {
		case path != retryGoPath:
			return
		case fn == "Context":
			withContext = true
		case fn == "UntilSucceeded":
			endless = true
		case fn == "Attempts" && len(option.Args) == 1:
			v := c.info.Types[option.Args[0]].Value
			endless = v != nil && constant.Sign(v) == 0
		}
	}
	switch ctx := c.contextAt(call, nil); {
	case withContext:
	case endless:
		c.report("bound", call, analysis.Diagnostic{}, "%s tries for ever, and has no context that ends it (while the server is down, the caller never returns)", name(call))
	case ctx != "":
		c.report("context", call, analysis.Diagnostic{}, "%s waits between attempts without looking at %s (a cancelled caller waits on)", name(call), ctx)
	}
}

// checkBackoff checks a call of backoff.Retry and its like, of before version 5.
func (c *checker) checkBackoff(call *ast.CallExpr) {
	if typeset.IsNamed(c.info.TypeOf(call.Args[0]), "context", "Context") || !c.sendsWhenCalled(call.Args[0]) {
		return
	}
	kind, bounded := c.backoffOf(call.Args[1], 0)
	switch ctx := c.contextAt(call, nil); {
	case kind == "":
	case kind == "ZeroBackOff":
		c.report("wait", call, analysis.Diagnostic{}, "%s does not wait between attempts (a server that is down is hit as fast as it can refuse)", name(call))
	case !bounded && (kind == "ConstantBackOff" || kind == "ExponentialBackOff" && c.isUnlimited(call)):
		c.report("bound", call, analysis.Diagnostic{}, "%s tries for ever, and has no context that ends it (while the server is down, the caller never returns)", name(call))
	case ctx != "":
		c.report("context", call, analysis.Diagnostic{}, "%s waits between attempts without looking at %s (a cancelled caller waits on)", name(call), ctx)
	}
}

// backoffOf returns the type of a policy that knows no context, or never waits, or "", and
// whether it gives up after a number of attempts.
func (c *checker) backoffOf(e ast.Expr, depth int) (kind string, bounded bool) {
	if depth > 5 {
		return "", false
	}
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok {
		path, fn := libraryOf(typeset.Callee(c.info, call))
		if path == backoffPath && fn == "WithMaxRetries" && len(call.Args) == 2 {
			kind, _ := c.backoffOf(call.Args[0], depth+1)
			return kind, true
		}
		if path == backoffPath && fn == "WithContext" && len(call.Args) == 2 {
			if kind, _ := c.backoffOf(call.Args[0], depth+1); kind == "ZeroBackOff" {
				return kind, true // Have: what ends with a context does not wait for it.
			}
		}
	}
	for _, kind := range []string{"ExponentialBackOff", "ConstantBackOff", "ZeroBackOff"} {
		if named := typeset.Named(c.info.TypeOf(e)); named != nil && named.Obj().Name() == kind && named.Obj().Pkg() != nil && strings.HasPrefix(typeset.PkgPath(named.Obj().Pkg()), backoffPath) {
			return kind, false
		}
	}
	if v := typeset.VarOf(c.info, e); v != nil && !v.IsField() {
		if def := c.index.OnlyDef(v); def != nil {
			return c.backoffOf(def, depth+1)
		}
	}
	return "", false
}

// checkNext reports a call of Next whose second result, that it has stopped, is
// dropped.
func (c *checker) checkNext(n *ast.AssignStmt) {
	if len(n.Lhs) != 2 || len(n.Rhs) != 1 {
		return
	}
	call, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
	if !ok {
		return
	}
	path, fn := libraryOf(typeset.Callee(c.info, call))
	if id, ok := n.Lhs[1].(*ast.Ident); ok && id.Name == "_" && path == sethPath && fn == "Next" {
		c.report("wait", call, analysis.Diagnostic{},
			"%s returns 0 once it has stopped, and what says so is dropped (from then on the loop no longer waits)", name(call))
	}
}

// checkExponential reports a literal of backoff's ExponentialBackOff without Stop.
func (c *checker) checkExponential(lit *ast.CompositeLit) {
	named := typeset.Named(c.info.TypeOf(lit))
	if named == nil || named.Obj().Name() != "ExponentialBackOff" || named.Obj().Pkg() == nil || !strings.HasPrefix(typeset.PkgPath(named.Obj().Pkg()), backoffPath) {
		return
	}
	elapses := false
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		switch id, _ := kv.Key.(*ast.Ident); id.Name {
		case "Stop":
			return
		case "MaxElapsedTime":
			v := c.info.Types[kv.Value].Value
			elapses = v == nil || constant.Sign(v) > 0
		}
	}
	if elapses && hasField(named, "Stop") {
		c.report("wait", lit, analysis.Diagnostic{},
			"%s has no Stop, so NextBackOff returns 0 after MaxElapsedTime (from then on the loop no longer waits)", types.ExprString(lit.Type))
	}
}

// hasField reports whether a struct has a field.
func hasField(named *types.Named, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(named, true, nil, name)
	v, ok := obj.(*types.Var)
	return ok && v.IsField()
}

// checkSleeps reports sleeps in a loop that sends requests: of bare numbers, which are
// nanoseconds, and of what a policy says that may have given up.
func (c *checker) checkSleeps(loop ast.Node) {
	if !c.resend.Sends(loop) {
		return
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		path, fn := libraryOf(typeset.Callee(c.info, call))
		if path != "time" || fn != "Sleep" && fn != "After" && fn != "NewTimer" || len(call.Args) != 1 {
			return true
		}
		if next, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok && fn == "Sleep" && c.stops(next) {
			c.report("wait", next, analysis.Diagnostic{},
				"%s returns Stop, which is negative, once the policy gives up (from then on the loop no longer waits)", name(next))
		}
		switch d := c.nanoseconds(call.Args[0], loop); {
		case d == "":
		case d == "0":
			c.report("wait", call, analysis.Diagnostic{}, "%s waits for a number without a unit, which are nanoseconds (the next round follows at once)", types.ExprString(call))
		default:
			c.report("wait", call, analysis.Diagnostic{}, "%s waits for %s, as a number without a unit is nanoseconds (the next round follows at once)", types.ExprString(call), d)
		}
		return true
	})
}

// checkUnits reports waits without a unit among what a library of pkg is given under a name.
func (c *checker) checkUnits(pkg *types.Package, name string, given ...ast.Expr) {
	is, known := c.libraries[pkg]
	if !known {
		is = httpmodel.IsRetryLibrary(pkg)
		c.libraries[pkg] = is
	}
	if !is {
		return
	}
	for _, e := range given {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			name, e = types.ExprString(kv.Key), kv.Value
		}
		if strings.Contains(name, "Timeout") || !typeset.IsNamed(c.info.TypeOf(e), "time", "Duration") || c.info.Types[e].Value == nil {
			continue
		}
		if d := c.nanoseconds(e, nil); d != "" {
			c.report("wait", e, analysis.Diagnostic{}, "%s is a wait of %s, as a number without a unit is nanoseconds (the next attempt follows at once)", types.ExprString(e), d)
		}
	}
}

// stops reports whether call asks a policy for the next wait that says Stop some time: one
// of before version 5 that was not told to go on for ever.
func (c *checker) stops(call *ast.CallExpr) bool {
	callee := typeset.Callee(c.info, call)
	path, fn := libraryOf(callee)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || path != backoffPath || fn != "NextBackOff" || strings.HasSuffix(callee.Pkg().Path(), "/v5") || typeset.IsNamed(c.info.TypeOf(sel.X), typeset.PkgPath(callee.Pkg()), "ConstantBackOff") {
		return false
	}
	return !slices.ContainsFunc(c.pass.Files, func(file *ast.File) bool { return c.unlimits(file) })
}

// unlimits reports whether n tells a policy to go on for ever.
func (c *checker) unlimits(n ast.Node) bool {
	forEver := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			_, fn := libraryOf(typeset.Callee(c.info, n))
			forEver = forEver || fn == "WithMaxElapsedTime" && len(n.Args) == 1 && c.isZero(n.Args[0])
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				v := typeset.VarOf(c.info, lhs)
				forEver = forEver || v != nil && v.Name() == "MaxElapsedTime" && len(n.Lhs) == len(n.Rhs) && c.isZero(n.Rhs[i])
			}
		}
		return !forEver
	})
	return forEver
}

// isUnlimited reports whether the function that makes call tells a policy to go on for
// ever, and somebody waits for it.
func (c *checker) isUnlimited(call *ast.CallExpr) bool {
	return slices.ContainsFunc(c.index.Decls(), func(decl *ast.FuncDecl) bool {
		return syntax.Within(call, decl) && c.unlimits(decl) && !c.runsAlone(decl)
	})
}

// isZero reports whether e is the constant 0.
func (c *checker) isZero(e ast.Expr) bool {
	v := c.info.Types[e].Value
	return v != nil && constant.Sign(v) == 0
}

// nanoseconds returns how long a wait of a number without a unit is, "0" if that is
// not known but little, and "" if it is none.
func (c *checker) nanoseconds(e ast.Expr, loop ast.Node) string {
	if tv := c.info.Types[e]; tv.Value != nil {
		n, ok := constant.Int64Val(constant.ToInt(tv.Value))
		if !ok || n <= 0 || n >= int64(time.Millisecond) || hasUnit(c.info, e) {
			return ""
		}
		return time.Duration(n).String()
	}
	little, converts := true, false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			v, ok := constant.Int64Val(constant.ToInt(c.info.Types[n].Value))
			little = little && ok && v < int64(time.Millisecond)
		case *ast.Ident:
			v, ok := c.info.Uses[n].(*types.Var)
			little = little && (!ok || !typeset.IsNamed(v.Type(), "time", "Duration") && v.Pos() >= loop.Pos() && v.Pos() < loop.End() && isCounter(c.info, v, loop))
		case *ast.CallExpr:
			path, _ := libraryOf(typeset.Callee(c.info, n))
			isType := c.info.Types[n.Fun].IsType()
			converts = converts || isType && typeset.IsNamed(c.info.TypeOf(n), "time", "Duration")
			little = little && (isType || path == "math" || path == "math/rand")
		case *ast.SelectorExpr:
			if v := typeset.VarOf(c.info, n); v != nil {
				little = false
			}
		}
		return little
	})
	if !little || !converts || hasUnit(c.info, e) {
		return ""
	}
	return "0"
}

// hasUnit reports whether e mentions a duration.
func hasUnit(info *types.Info, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			switch obj := info.Uses[id].(type) {
			case *types.Const:
				found = found || typeset.IsNamed(obj.Type(), "time", "Duration")
			case *types.Var:
				found = found || typeset.IsNamed(obj.Type(), "time", "Duration")
			case *types.Func:
				found = found || obj.Pkg() != nil && obj.Pkg().Path() == "time"
			}
		}
		return !found
	})
	return found
}

// isCounter reports whether the head of the loop counts v.
func isCounter(info *types.Info, v *types.Var, loop ast.Node) bool {
	switch loop := loop.(type) {
	case *ast.ForStmt:
		inc, ok := loop.Post.(*ast.IncDecStmt)
		return ok && inc.Tok == token.INC && typeset.VarOf(info, inc.X) == v
	case *ast.RangeStmt:
		return loop.Key != nil && typeset.VarOf(info, loop.Key) == v
	}
	return false
}
