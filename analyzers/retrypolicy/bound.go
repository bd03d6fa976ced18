package retrypolicy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/resend"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// checkBound reports a loop that only success ends. One that opens a WebSocket again and
// again is none: it is to be open as long as the program runs.
func (c *checker) checkBound(ev *resend.Event, g *retries.Region) {
	if ev.Dials || ev.Passed || !failed(ev) || g.Kind != retries.Loop && g.Kind != retries.Goto && !c.callsAsIs(g) || ev.Loop != g.Node {
		return
	}
	call := looped(ev)
	if call == nil || c.runsAlone(g.Func) || c.isOnRequest(g) || (ev.Errs == 0 || ev.Doubt) && c.contextAt(call, nil) != "" || !c.onlySuccessEnds(g) {
		return
	}
	c.report("bound", call, analysis.Diagnostic{Related: c.repeats(ev, call)},
		"%s is retried without a bound on the attempts, and no context or deadline ends it (while the server is down, the caller never returns)", name(call))
}

// callsAsIs reports whether the region is a function that calls itself with nothing but what
// it was given, or has set: it counts no attempts.
func (c *checker) callsAsIs(g *retries.Region) bool {
	if g.Kind != retries.Recursion || len(g.Counters) > 0 {
		return false
	}
	changes := false
	ast.Inspect(g.Node, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && c.index.FuncOf(call.Fun) == g.Node {
			changes = changes || slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return typeset.VarOf(c.info, arg) == nil })
		}
		return !changes
	})
	return !changes
}

// runsAlone reports whether fn is started as a goroutine, for which nobody waits.
func (c *checker) runsAlone(fn ast.Node) bool {
	return slices.ContainsFunc(c.pass.Files, func(file *ast.File) bool {
		found := false
		ast.Inspect(file, func(n ast.Node) bool {
			if start, ok := n.(*ast.GoStmt); ok {
				found = found || c.index.FuncOf(start.Call.Fun) == fn
			}
			return !found
		})
		return found
	})
}

// isOnRequest reports whether a number of attempts that is asked before the loop chooses it:
// there is another one for those who want a bound.
func (c *checker) isOnRequest(g *retries.Region) bool {
	found := false
	ast.Inspect(g.Func, func(n ast.Node) bool {
		if stmt, ok := n.(*ast.IfStmt); ok && stmt.Else != nil && (syntax.Within(g.Node, stmt.Body) || syntax.Within(g.Node, stmt.Else)) {
			b, ok := stmt.Cond.(*ast.BinaryExpr)
			found = found || ok && typeset.VarOf(c.info, b.X) != nil && c.info.Types[b.Y].Value != nil && types.Identical(c.info.TypeOf(b.X).Underlying(), types.Typ[types.Int])
		}
		return !found
	})
	return found
}

// onlySuccessEnds reports whether each condition in the loop asks only what came of
// the attempts: none counts, looks at the clock, a context, or a state of others.
func (c *checker) onlySuccessEnds(g *retries.Region) bool {
	loop := g.Node
	switch loop.(type) {
	case *ast.RangeStmt:
		return false
	case *ast.LabeledStmt: // what the goto jumps over is not in it
		loop = g.Func
	}
	outcomes := c.outcomes(loop)
	only := true
	ask := func(e ast.Expr) {
		if e != nil && !c.asksOutcome(e, outcomes) {
			only = false
		}
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n == loop
		case *ast.IfStmt:
			if n.Pos() >= g.Node.Pos() && exits(n) {
				ask(n.Cond)
			}
		case *ast.ForStmt:
			if n == loop {
				ask(n.Cond)
			}
		case *ast.SwitchStmt:
			ask(n.Tag)
			for _, cc := range n.Body.List {
				for _, e := range cc.(*ast.CaseClause).List {
					if n.Tag == nil {
						ask(e)
					}
				}
			}
		case *ast.SelectStmt:
			if exits(n) {
				only = false
			}
		case *ast.CallExpr:
			if fn := typeset.Callee(c.info, n); fn != nil && c.index.Decl(fn) == nil && c.info.Types[n.Fun].IsBuiltin() {
				only = only && fn.Name() != "panic"
			}
		}
		return only
	})
	return only
}

// exits reports whether n holds a way out of what it is in.
func exits(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || n.Tok == token.BREAK || n.Tok == token.GOTO || n.Tok == token.CONTINUE
		}
		return !found
	})
	return found
}

// outcomes returns the variables that the loop assigns from what it was answered.
func (c *checker) outcomes(loop ast.Node) map[*types.Var]bool {
	vars := make(map[*types.Var]bool)
	others := make(map[*types.Var]bool)
	for range 4 {
		ast.Inspect(loop, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for i, lhs := range assign.Lhs {
				rhs := assign.Rhs[min(i, len(assign.Rhs)-1)]
				if v := typeset.Root(c.info, lhs); v != nil {
					tv := c.info.Types[rhs]
					if tv.Value != nil || tv.IsNil() {
						continue
					}
					if c.yieldsOutcome(rhs, vars) {
						vars[v] = true
					} else if call, ok := ast.Unparen(rhs).(*ast.CallExpr); ok && !c.isNeutral(call) {
						others[v] = true
					}
				}
			}
			return true
		})
	}
	for v := range others {
		delete(vars, v)
	}
	return vars
}

// isNeutral reports whether a call is a step of making or reading a request.
func (c *checker) isNeutral(call *ast.CallExpr) bool {
	fn := typeset.Callee(c.info, call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case httpmodel.NetHTTP, "encoding/json", "io", "io/ioutil", "errors", "fmt", "bytes", "strings", "strconv", "net/url":
		return true
	}
	return false
}

// yieldsOutcome reports whether e is computed from what was answered, and from nothing
// else.
func (c *checker) yieldsOutcome(e ast.Expr, vars map[*types.Var]bool) bool {
	if c.resend.Sends(e) {
		return true
	}
	found, only := false, true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			only = only && c.isPlain(n, vars)
		case *ast.Ident:
			v, ok := c.info.Uses[n].(*types.Var)
			found = found || ok && vars[v]
		}
		return true
	})
	return found && only
}

// isPlain reports whether a call asks only about what was answered: of packages that
// are known to, or a function of the package to which nothing else is given.
func (c *checker) isPlain(call *ast.CallExpr, vars map[*types.Var]bool) bool {
	if tv := c.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() || c.isNeutral(call) {
		return true
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if v := typeset.Root(c.info, sel.X); v != nil && vars[v] {
			return len(call.Args) == 0 // err.Timeout()
		}
		if _, isMethod := c.info.Selections[sel]; isMethod {
			return false
		}
	}
	for _, arg := range call.Args {
		if v := typeset.Root(c.info, arg); c.info.Types[arg].Value == nil && (v == nil || !vars[v]) {
			return false
		}
	}
	return true
}

// asksOutcome reports whether a condition asks nothing but what was answered.
func (c *checker) asksOutcome(e ast.Expr, outcomes map[*types.Var]bool) bool {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && id.Name == "true" {
		return true
	}
	only, any := true, false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if c.resend.Sends(n) {
				any = true
				return false
			}
			only = only && c.isPlain(n, outcomes)
		case *ast.Ident:
			switch obj := c.info.Uses[n].(type) {
			case *types.Var:
				switch {
				case outcomes[obj]:
					any = true
				case obj.IsField():
				case obj.Pkg() != nil && obj.Pkg().Path() == "context", typeset.IsNamed(obj.Type(), "context", "Context"):
					only = false
				case obj.Parent() == obj.Pkg().Scope() && httpmodel.IsError(obj.Type()): // a sentinel
				case obj.Pos() >= e.Pos() && obj.Pos() < e.End():
				default:
					only = only && httpmodel.ImplementsError(obj.Type()) // what errors.As fills in
				}
			case *types.Func:
				if obj.Pkg() != nil && obj.Pkg().Path() == "time" {
					only = false
				}
			}
		}
		return only
	})
	return only && any
}
