package retrypolicy

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/resend"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// checkWait reports attempts that follow each other at once.
func (c *checker) checkWait(ev *resend.Event, g *retries.Region) {
	if ev.Waited || ev.Passed || !failed(ev) {
		return
	}
	if ev.Errs != 0 && ev.Errs&^(resend.Timeout|resend.Canceled) == 0 {
		return // Have: a long poll, say, whose attempts last until their time is over.
	}
	if c.asksOthers(ev.Loop) || c.goesAnotherWay(ev) || c.mayPace(ev.Loop) {
		return
	}
	if resend.Rounds(c.info, ev.Loop) == 2 || c.callsItselfOnce(ev.Loop) {
		return
	}
	call := looped(ev)
	if call == nil {
		return
	}
	c.report("wait", call, analysis.Diagnostic{Related: c.repeats(ev, call)},
		"%s is called again at once after a failure (a server that is down is hit as fast as it can refuse)", name(call))
}

// callsItselfOnce reports whether loop is a function that calls itself with one more, or one
// less, than it was given, where the number that others give it passes a comparison no
// longer after one or two steps: one more attempt, as after a stale connection.
func (c *checker) callsItselfOnce(loop ast.Node) bool {
	decl, ok := loop.(*ast.FuncDecl)
	if !ok {
		return false
	}
	counter, at, step := c.countsCalls(decl)
	from := c.givenFrom(decl, at)
	if counter == nil || from == nil {
		return false
	}
	once := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && typeset.IsBool(c.info.TypeOf(b)) && typeset.VarOf(c.info, b.X) == counter && c.info.Types[b.Y].Value != nil {
			holds := func(v constant.Value) bool { return constant.Compare(v, b.Op, c.info.Types[b.Y].Value) }
			next := constant.BinaryOp(from, step, constant.MakeInt64(1))
			once = once || holds(next) != holds(from) || holds(constant.BinaryOp(next, step, constant.MakeInt64(1))) != holds(from)
		}
		return !once
	})
	return once
}

// countsCalls returns the parameter of a function, its index, and the operator, with which
// the function adds one to it, or takes one off, where it calls itself; or nil.
func (c *checker) countsCalls(decl *ast.FuncDecl) (counter *types.Var, at int, step token.Token) {
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || c.index.FuncOf(call.Fun) != decl {
			return true
		}
		for i, arg := range call.Args {
			b, ok := ast.Unparen(arg).(*ast.BinaryExpr)
			if ok && (b.Op == token.ADD || b.Op == token.SUB) && c.info.Types[b.Y].Value != nil && c.info.Types[b.Y].Value.ExactString() == "1" {
				counter, at, step = typeset.VarOf(c.info, b.X), i, b.Op
			}
		}
		return true
	})
	return counter, at, step
}

// givenFrom returns the integer that a call of a function, from elsewhere in the package,
// gives as its argument at, if it is constant; or nil.
func (c *checker) givenFrom(decl *ast.FuncDecl, at int) (from constant.Value) {
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && at < len(call.Args) && !syntax.Within(call, decl) && c.index.FuncOf(call.Fun) == decl {
				if v := c.info.Types[call.Args[at]].Value; v != nil && v.Kind() == constant.Int {
					from = v
				}
			}
			return true
		})
	}
	return from
}

// mayPace reports whether the head of the loop asks a function that cannot be seen whether
// there is another round: it may wait for its time.
func (c *checker) mayPace(loop ast.Node) bool {
	f, ok := loop.(*ast.ForStmt)
	if !ok || f.Cond == nil {
		return false
	}
	heads := []string{"context", "errors", "sync/atomic", "time"}
	found := false
	ast.Inspect(f.Cond, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !c.info.Types[call.Fun].IsBuiltin() && !c.info.Types[call.Fun].IsType() && !c.resend.Sends(call) {
			fn := typeset.Callee(c.info, call)
			found = found || fn == nil || c.index.Decl(fn) == nil && fn.Pkg() != nil && !slices.Contains(heads, fn.Pkg().Path())
		}
		return !found
	})
	return found
}

// asksOthers reports whether the loop goes over servers, or the like: it is a range
// over what is neither a number nor times to wait.
func (c *checker) asksOthers(loop ast.Node) bool {
	rng, ok := loop.(*ast.RangeStmt)
	if !ok {
		return false
	}
	t := c.info.TypeOf(rng.X)
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return !typeset.IsNamed(u.Elem(), "time", "Duration")
	case *types.Array:
		return !typeset.IsNamed(u.Elem(), "time", "Duration")
	case *types.Map:
		return true
	}
	return false
}

// goesAnotherWay reports whether what is sent in the loop, or what sends it, is chosen
// for each round, or taken from others: a port, a proxy, an account.
func (c *checker) goesAnotherWay(ev *resend.Event) bool {
	chosen := make(map[*types.Var]bool)
	depends := func(e ast.Node) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				fn := typeset.Callee(c.info, n)
				found = found || taking.MatchString(name(n)) && !c.resend.Sends(n) && !typeset.IsNamed(c.info.TypeOf(n), "time", "Duration") ||
					typeset.IsFunc(fn, "math/rand", "Int", "Intn", "Int31n", "Int63n", "Perm") || typeset.IsFunc(fn, "math/rand/v2", "Int", "IntN", "N", "Perm")
			case *ast.Ident:
				v, ok := c.info.Uses[n].(*types.Var)
				found = found || ok && chosen[v]
			}
			return !found
		})
		return found
	}
	moves := false
	ast.Inspect(ev.Loop, func(n ast.Node) bool {
		var to ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Rhs, func(e ast.Expr) bool { return depends(e) }) {
				to = n.Lhs[0]
			}
		case *ast.ExprStmt:
			call, _ := n.X.(*ast.CallExpr)
			moves = moves || call != nil && moving.MatchString(name(call))
			if call != nil && slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return depends(e) }) {
				if v := typeset.Root(c.info, call.Fun); v != nil && httpmodel.IsRequest(v.Type()) {
					to = call.Fun // req.Header.Set
				}
			}
		}
		if v := typeset.Root(c.info, to); v != nil {
			chosen[v] = true
		}
		return true
	})
	return moves || slices.ContainsFunc(ev.Calls, func(n ast.Node) bool { return syntax.Within(n, ev.Loop) && depends(n) })
}

// moving matches the names of functions that go on to another server, or the like.
var moving = regexp.MustCompile(`\.((Next|next|Advance|Rotate|rotate)[A-Za-z]*|(?i:(re)?set|clear|switch|choose)[A-Za-z]*(?i:url|endpoint|host|server|addr|base))$`)

// checkContext reports a wait that goes on though the context of the operation is
// done.
func (c *checker) checkContext(ev *resend.Event) {
	if ev.Sleep == nil || !failed(ev) || c.isPeriod(ev) {
		return
	}
	at, ctx := ev.Sleep.At, c.contextAt(ev.Sleep.At, ev.Loop)
	for i := len(ev.Sleep.Calls) - 1; i >= 0 && ctx == ""; i-- {
		at = ev.Sleep.Calls[i]
		if c.isStarted(at) {
			return // Have: the goroutine outlives whoever started it.
		}
		ctx = c.contextAt(at, ev.Loop)
	}
	if ctx == "" || c.isShort(at) && c.looksAtContext(ev.Loop) {
		return
	}
	what := "the wait"
	if call, ok := at.(*ast.CallExpr); ok {
		what = name(call)
	} else if un, ok := at.(*ast.UnaryExpr); ok {
		what = types.ExprString(un)
	}
	c.report("context", at, analysis.Diagnostic{SuggestedFixes: c.waitFix(at, ctx)}, "%s waits for the next attempt without looking at %s (a cancelled caller waits on)", what, ctx)
}

// isStarted reports whether call is the one of a go statement.
func (c *checker) isStarted(call ast.Node) bool {
	file, found := report.FileOf(c.pass, call.Pos()), false
	if file != nil {
		ast.Inspect(file, func(n ast.Node) bool {
			start, ok := n.(*ast.GoStmt)
			found = found || ok && start.Call == call
			return !found
		})
	}
	return found
}

// isShort reports whether wait, time.Sleep of a constant, is over before anybody minds.
func (c *checker) isShort(wait ast.Node) bool {
	call, ok := wait.(*ast.CallExpr)
	if !ok || !typeset.IsFunc(typeset.Callee(c.info, call), "time", "Sleep") {
		return false
	}
	v := c.info.Types[call.Args[0]].Value
	return v != nil && constant.Compare(v, token.LEQ, constant.MakeInt64(int64(500*time.Millisecond)))
}

// looksAtContext reports whether each round of a loop may see for itself that a context
// is done.
func (c *checker) looksAtContext(loop ast.Node) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Done" || sel.Sel.Name == "Err") {
			found = found || typeset.IsNamed(c.info.TypeOf(sel.X), "context", "Context")
		}
		return !found
	})
	return found
}

// isPeriod reports whether the loop, which has no end, waits as long after success of a call
// that brings nothing: it does something again and again, and opens no stream.
func (c *checker) isPeriod(ev *resend.Event) bool {
	call := looped(ev)
	if c.resend.Region(ev.Loop) != nil || call == nil || ev.Dials {
		return false
	}
	if t := c.info.TypeOf(call); t != nil && !httpmodel.IsError(t) {
		if results, ok := t.(*types.Tuple); !ok || results.Len() > 0 {
			return false
		}
	}
	return slices.ContainsFunc(c.resend.Events(), func(other *resend.Event) bool {
		return other.Loop == ev.Loop && other.Sleep != nil && other.Sleep.At == ev.Sleep.At && other.Errs == 0 && other.Status.Where(func(n int) bool { return n == 200 }) != 0
	})
}

// contextAt returns the context that is in scope at n as the user calls it, or "": a
// variable, or that of a request that is a parameter, or of a struct that is one and is no
// receiver. One that is made in the loop is of one attempt.
func (c *checker) contextAt(n, loop ast.Node) string {
	file := report.FileOf(c.pass, n.Pos())
	if file == nil {
		return ""
	}
	found := ""
	for scope := c.info.Scopes[file].Innermost(n.Pos()); scope != nil && scope != c.pass.Pkg.Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || v.Pos() > n.Pos() || name == "_" || loop != nil && loop.Pos() <= v.Pos() && v.Pos() < loop.End() && len(c.index.Defs(v)) > 0 {
				continue
			}
			switch {
			case typeset.IsNamed(v.Type(), "context", "Context") && !c.isBackground(v):
				return name
			case found != "" || !c.isParam(v):
			case httpmodel.IsRequest(v.Type()) && c.givesContexts(v):
				found = name + ".Context()"
			case !c.isReceiver(v) && c.contextField(v) != "":
				found = name + "." + c.contextField(v)
			}
		}
	}
	return found
}

// contextField returns the name of the field of v, a struct or what points to one, that is a
// context, or "".
func (c *checker) contextField(v *types.Var) string {
	if st, ok := typeset.StructOf(v.Type()); ok {
		for f := range st.Fields() {
			if typeset.IsNamed(f.Type(), "context", "Context") && (f.Exported() || f.Pkg() == c.pass.Pkg) {
				return f.Name()
			}
		}
	}
	return ""
}

// isReceiver reports whether v is the receiver of a method of the package.
func (c *checker) isReceiver(v *types.Var) bool {
	return slices.ContainsFunc(c.index.Decls(), func(decl *ast.FuncDecl) bool {
		return decl.Recv != nil && decl.Recv.Pos() <= v.Pos() && v.Pos() < decl.Recv.End()
	})
}

// isBackground reports whether v is a context that is never done.
func (c *checker) isBackground(v *types.Var) bool {
	call, ok := c.index.OnlyDef(v).(*ast.CallExpr)
	return ok && typeset.IsFunc(typeset.Callee(c.info, call), "context", "Background", "TODO")
}

// isParam reports whether v is a parameter of a function of the package.
func (c *checker) isParam(v *types.Var) bool { return len(c.index.Defs(v)) == 0 }

// givesContexts reports whether those who call the function of v, a parameter, give it a
// request with a context: perhaps from elsewhere, a server, or as the package makes no others.
func (c *checker) givesContexts(v *types.Var) bool {
	for _, name := range v.Parent().Names() {
		if typeset.IsNamed(v.Parent().Lookup(name).Type(), httpmodel.NetHTTP, "ResponseWriter") {
			return true
		}
	}
	if slices.ContainsFunc(c.index.Decls(), func(decl *ast.FuncDecl) bool {
		return decl.Pos() <= v.Pos() && v.Pos() < decl.End() && decl.Name.IsExported()
	}) {
		return true
	}
	without := false
	for _, obj := range c.info.Uses {
		fn, ok := obj.(*types.Func)
		without = without || ok && typeset.IsFunc(fn, httpmodel.NetHTTP, "NewRequest")
	}
	return !without
}
