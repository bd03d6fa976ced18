package retrypolicy

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/resend"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// checkBuild reports a failure to make a request that is retried.
func (c *checker) checkBuild(ev *resend.Event) {
	direct := ev.Build
	if c.isOfItem(direct, ev.Loop) || ev.Doubt || len(ev.Calls) > 0 && looped(ev) != direct || c.asksOthers(ev.Loop) || c.polls(ev.Loop) {
		return
	}
	args := direct.Args
	if n := len(args); n > 1 { // NewRequest: the method comes before, the body after
		args = args[n-2 : n-1]
	}
	if !slices.ContainsFunc(args, func(arg ast.Expr) bool { return !c.isSound(arg) }) {
		return
	}
	c.builds = append(c.builds, ev)
}

// isOfItem reports whether n is in a loop over servers, or the like, inside of loop.
func (c *checker) isOfItem(n, loop ast.Node) bool {
	found := false
	ast.Inspect(loop, func(inner ast.Node) bool {
		found = found || inner != nil && inner != loop && syntax.Within(n, inner) && c.asksOthers(inner)
		return !found
	})
	return found
}

// reportBuilds reports the failures to make a request that are retried, but where it is
// reported already that the loop retries what the server refuses: whoever mends that looks at
// each error.
func (c *checker) reportBuilds() {
	for _, ev := range c.builds {
		if !c.retriesRefused(ev.Loop) {
			c.report("hopeless", ev.Build, analysis.Diagnostic{Related: c.repeats(ev, ev.Build)},
				"an error of %s is retried (a request that cannot be made fails the same way each time)", name(ev.Build))
		}
	}
}

// retriesRefused reports whether a call in loop was reported to be retried though it cannot
// succeed.
func (c *checker) retriesRefused(loop ast.Node) bool {
	for f := range c.found {
		if f.check == "hopeless" && loop.Pos() <= f.pos && f.pos < loop.End() {
			return true
		}
	}
	return false
}

// isSound reports whether e is no reason for a request that cannot be made: it is a
// constant, a variable that is never anything else, what a URL is written as or a text is
// escaped to, or several of these.
func (c *checker) isSound(e ast.Expr) bool {
	if v := typeset.VarOf(c.info, e); v != nil && !v.IsField() {
		e = c.index.OnlyDef(v)
	}
	if e == nil || c.info.Types[e].Value != nil {
		return e != nil
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return c.isSound(e.X) && c.isSound(e.Y)
	case *ast.CallExpr:
		fn := typeset.Callee(c.info, e)
		return typeset.IsMethod(fn, "net/url", "URL", "String") || typeset.IsMethod(fn, "net/url", "Values", "Encode") ||
			typeset.IsFunc(fn, "net/url", "QueryEscape", "PathEscape") || typeset.IsFunc(fn, "strconv", "Itoa", "FormatInt")
	}
	return false
}

// checkHopeless reports a retry of what cannot succeed.
func (c *checker) checkHopeless(ev *resend.Event, g *retries.Region) {
	call := c.nearest(ev)
	if call == nil {
		return
	}
	if ev.Errs == resend.Canceled {
		if ev.Loop != nil && c.looksAtContext(ev.Loop) {
			return // Have: if it is the caller who has gone, that ends it.
		}
		c.report("hopeless", call, analysis.Diagnostic{Related: c.repeats(ev, call)},
			"%s is retried after context.Canceled (the caller has gone, and each attempt fails at once)", name(call))
		return
	}
	if c.neverEnds(ev, g) {
		c.report("hopeless", call, analysis.Diagnostic{Related: c.repeats(ev, call)},
			"%s is sent again after each 401 or 403, for ever (who is refused with new credentials is refused the next time)", name(call))
		return
	}
	if c.asksOthers(ev.Loop) || ev.Loop != nil && c.goesAnotherWay(ev) || c.goesOn(ev.Loop, g) {
		return // Have: perhaps another server answers, or this one's mind changes in time.
	}
	if ev.Errs != 0 || ev.Doubt || ev.Unsure || ev.Passed || ev.Loop == nil || !refused(ev) {
		return
	}
	if ev.Status.Where(func(n int) bool { return n == 400 || n == 422 }) == 0 || c.polls(ev.Loop) {
		return
	}
	if !slices.Contains([]string{"POST", "PUT", "PATCH"}, ev.Method) && !c.readsAnswer(ev) {
		return
	}
	c.report("hopeless", call, analysis.Diagnostic{Related: c.repeats(ev, call)},
		"%s is retried after a 4xx status (the server refuses the same request each time)", c.repeated(ev, call))
}

// repeated returns the name of what is repeated by call: of the function that it is given, if
// call is a library's.
func (c *checker) repeated(ev *resend.Event, call *ast.CallExpr) string {
	if call == ev.Loop {
		for _, arg := range call.Args {
			_, isFunc := typeset.Underlying(c.info, arg).(*types.Signature)
			if id, ok := ast.Unparen(arg).(*ast.Ident); ok && isFunc {
				return id.Name
			}
		}
	}
	return name(call)
}

// neverEnds reports whether each attempt that is refused for want of credentials is followed
// by another one: nothing in the loop, or the function that calls itself, counts them or
// remembers the first.
func (c *checker) neverEnds(ev *resend.Event, g *retries.Region) bool {
	denied := ev.Status.Where(func(n int) bool { return n == 401 || n == 403 })
	if g == nil || ev.Errs != 0 || ev.Doubt || ev.Unsure || denied == 0 || denied != ev.Status || len(g.Counters)+len(g.Items) > 0 {
		return false
	}
	if f, ok := g.Node.(*ast.ForStmt); !c.callsAsIs(g) && (!ok || f.Cond != nil || f.Post != nil) {
		return false
	}
	outcomes := c.outcomes(g.Node)
	ends := false
	ast.Inspect(g.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			ends = ends || c.mayChange(n.Cond, g.Node, outcomes)
		case *ast.CaseClause:
			ends = ends || slices.ContainsFunc(n.List, func(e ast.Expr) bool { return c.mayChange(e, g.Node, outcomes) })
		case *ast.SelectStmt:
			ends = true
		}
		return !ends
	})
	return !ends
}

// mayChange reports whether a condition asks what the attempts may change, besides their
// outcomes: a variable that root sets, or a function.
func (c *checker) mayChange(cond ast.Expr, root ast.Node, outcomes map[*types.Var]bool) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || !c.isPlain(n, outcomes) && !c.resend.Sends(n)
		case *ast.Ident:
			v, ok := c.info.Uses[n].(*types.Var)
			if ok && !outcomes[v] && !httpmodel.IsError(v.Type()) {
				found = found || slices.ContainsFunc(c.index.Defs(v), func(def ast.Expr) bool { return def == nil || syntax.Within(def, root) })
			}
		}
		return !found
	})
	return found
}

// goesOn reports whether a loop counts no attempts.
func (c *checker) goesOn(loop ast.Node, g *retries.Region) bool {
	if f, ok := loop.(*ast.ForStmt); ok && (f.Cond != nil || f.Post != nil) {
		return isEndless(loop) && f.Post == nil
	}
	return isEndless(loop) && !(g != nil && g.Bounded(c.info))
}

// polls reports whether the function that holds loop says by its name that it waits for
// something to come.
func (c *checker) polls(loop ast.Node) bool {
	return slices.ContainsFunc(c.index.Decls(), func(decl *ast.FuncDecl) bool {
		return syntax.Within(loop, decl) && polling.MatchString(decl.Name.Name)
	})
}

var polling = regexp.MustCompile(`^(?i:wait|poll)|Until`)

// readsAnswer reports whether the loop reads the answer, and does not only ask whether
// something is there: it decodes or copies it, returns it, or calls what returns more
// than how it went.
func (c *checker) readsAnswer(ev *resend.Event) bool {
	found := false
	if call := looped(ev); call != nil {
		found = c.yieldsMore(call) && !c.asksNumber(call, ev.Loop) || slices.ContainsFunc(call.Args, c.isPlaceFor)
	}
	return found || c.reads(ev.Loop)
}

// asksNumber reports whether of what call returns n only asks for a number, as a status.
func (c *checker) asksNumber(call *ast.CallExpr, n ast.Node) bool {
	result := make(map[*types.Var]bool)
	asked := make(map[*ast.Ident]bool)
	others := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 && ast.Unparen(n.Rhs[0]) == call {
				v := typeset.VarOf(c.info, n.Lhs[0])
				result[v] = v != nil && !v.IsField()
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && typeset.IsInteger(c.info.TypeOf(n)) {
				asked[id] = true
			}
		case *ast.Ident:
			v, _ := c.info.Uses[n].(*types.Var)
			others = others || result[v] && !asked[n]
		}
		return true
	})
	return len(asked) > 0 && len(result) > 0 && !result[nil] && !others
}

// isPlaceFor reports whether arg says where to put what was answered.
func (c *checker) isPlaceFor(arg ast.Expr) bool {
	addr, ok := ast.Unparen(arg).(*ast.UnaryExpr)
	return ok && addr.Op == token.AND && typeset.VarOf(c.info, addr.X) != nil
}

// reads reports whether n reads an answer, or returns it, by itself or by a function of
// the package to which it gives it.
func (c *checker) reads(root ast.Node) bool {
	found := false
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fn := typeset.Callee(c.info, n)
			switch {
			case typeset.IsFunc(fn, "io", "ReadAll", "ReadFull"), typeset.IsFunc(fn, "io/ioutil", "ReadAll"), typeset.IsFunc(fn, "bufio", "NewReader", "NewScanner"),
				typeset.IsFunc(fn, "encoding/json", "NewDecoder"), typeset.IsFunc(fn, "encoding/xml", "NewDecoder"):
				found = true
			case typeset.IsFunc(fn, "io", "Copy") && len(n.Args) == 2:
				v := typeset.VarOf(c.info, n.Args[0])
				found = found || v == nil || v.Name() != "Discard"
			case c.index.Decl(fn) != nil && slices.ContainsFunc(n.Args, func(arg ast.Expr) bool { return httpmodel.IsResponse(c.info.TypeOf(arg)) }):
				found = found || c.reads(c.index.Decl(fn).Body)
			}
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				found = found || httpmodel.IsResponse(c.info.TypeOf(e))
			}
		}
		return !found
	})
	return found
}

// yieldsMore reports whether a call returns more than a response, a status, and how it
// went.
func (c *checker) yieldsMore(call *ast.CallExpr) bool {
	results, ok := c.info.TypeOf(call).(*types.Tuple)
	if !ok {
		results = types.NewTuple(types.NewVar(token.NoPos, nil, "", c.info.TypeOf(call)))
	}
	for r := range results.Variables() {
		t := r.Type()
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&(types.IsBoolean|types.IsInteger) != 0 {
			continue
		}
		if !httpmodel.IsError(t) && !httpmodel.IsResponse(t) && !typeset.IsNamed(t, httpmodel.RestyPath, "Response") {
			return true
		}
	}
	return false
}
