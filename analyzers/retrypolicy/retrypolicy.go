package retrypolicy

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/resend"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retryclients"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

//go:embed doc.go
var doc string

// Analyzer reports requests that are repeated though they must not be, or badly.
var Analyzer = newAnalyzer()

// A rule holds the rule's flags.
type rule struct {
	checks checkSet
}

// newAnalyzer returns the analyzer with its flags.
func newAnalyzer() *analysis.Analyzer {
	r := &rule{checks: checkSet(allChecks)}
	a := &analysis.Analyzer{
		Name:     "retrypolicy",
		Doc:      syntax.Doc(doc, "retrypolicy"),
		URL:      "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/retrypolicy",
		Requires: []*analysis.Analyzer{retries.Analyzer, resend.Analyzer, retryclients.Analyzer},
		Run:      r.run,
	}
	a.Flags.Var(&r.checks, "checks", "the `checks` to make, separated by commas")
	return a
}

// allChecks are the checks of the rule; each has a category of its own.
var allChecks = []string{"method", "body", "hopeless", "bound", "wait", "context"}

// A checkSet is the value of the flag -checks.
type checkSet []string

// String returns the checks, separated by commas.
func (s *checkSet) String() string { return strings.Join(*s, ",") }

// Set sets the checks from a list with commas.
func (s *checkSet) Set(list string) error {
	var checks []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(allChecks, name) {
			return fmt.Errorf("%q is none of %s", name, strings.Join(allChecks, ", "))
		}
		checks = append(checks, name)
	}
	*s = checks
	return nil
}

// The helper pass resend finds the requests that are sent again, and says what came
// of the attempt before. This pass judges: each check asks its own question of such
// an event. What a retrying library does by itself is asked of the code that
// configures it (library.go).
func (r *rule) run(pass *analysis.Pass) (any, error) {
	sender := pass.ResultOf[resend.Analyzer].(*resend.Result)
	if typeset.IsStd(pass.Pkg, pass.Module) || !typeset.Imports(pass.Pkg, httpmodel.NetHTTP, httpmodel.FastHTTP) && !sender.Any() {
		return nil, nil
	}
	repeated := pass.ResultOf[retries.Analyzer].(*retries.Result)
	c := &checker{
		rule:     r,
		pass:     pass,
		info:     pass.TypesInfo,
		retries:  repeated,
		index:    repeated.Index(),
		resend:   sender,
		clients:  pass.ResultOf[retryclients.Analyzer].(*retryclients.Result),
		reporter: report.New(pass),
		found:    make(map[finding]bool),
		sent:     make(map[token.Pos]bool),
		blamed:   make(map[token.Pos]bool),

		libraries: make(map[*types.Package]bool),
	}
	// What a function shows by itself comes before what its callers show of it.
	for _, inside := range []bool{true, false} {
		for _, ev := range c.resend.Events() {
			if inside == (ev.Loop == nil || syntax.Within(ev.Loop, ev.Entry)) {
				c.checkEvent(ev)
			}
		}
	}
	c.reportBuilds()
	c.reportCallers()
	c.checkLibraries()
	return nil, nil
}

// A checker checks one package.
type checker struct {
	*rule
	pass     *analysis.Pass
	info     *types.Info
	retries  *retries.Result
	index    *typeset.Index
	resend   *resend.Result
	clients  *retryclients.Result
	reporter *report.Reporter
	found    map[finding]bool
	sent     map[token.Pos]bool // loops that were reported to send a body again that came from elsewhere
	blamed   map[token.Pos]bool // calls in helpers that were reported for the sake of a caller
	callers  []caller
	builds   []*resend.Event // failures to make a request that are retried

	libraries map[*types.Package]bool // that repeat what they are given
}

// A finding is one that was reported.
type finding struct {
	check string
	pos   token.Pos
}

// report reports a finding of one of the checks, once for each place.
func (c *checker) report(check string, at ast.Node, d analysis.Diagnostic, format string, args ...any) {
	if c.notes(check, at) {
		c.reporter.Report(describe(check, at, d, format, args...))
	}
}

// notes notes a finding, and reports whether it is new and wanted.
func (c *checker) notes(check string, at ast.Node) bool {
	if !slices.Contains(c.checks, check) || c.found[finding{check, at.Pos()}] || c.isForTests(at) {
		return false
	}
	c.found[finding{check, at.Pos()}] = true
	return true
}

// describe returns the diagnostic of a finding.
func describe(check string, at ast.Node, d analysis.Diagnostic, format string, args ...any) analysis.Diagnostic {
	d.Pos, d.End = at.Pos(), at.End()
	d.Category = "retrypolicy." + check
	d.Message = fmt.Sprintf(format, args...)
	return d
}

// isForTests reports whether the package or the file of n is there for tests, by its name
// or as one of its files that are no tests imports package testing.
func (c *checker) isForTests(n ast.Node) bool {
	if report.NamedForTests(c.pass, n) {
		return true
	}
	return slices.ContainsFunc(c.pass.Files, func(file *ast.File) bool {
		return !report.IsTest(c.pass, file) && slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"testing"` })
	})
}

// checkEvent makes all checks of a request that is sent again.
func (c *checker) checkEvent(ev *resend.Event) {
	g := c.resend.Region(ev.Loop)
	if g != nil && c.isOtherThing(g, ev) {
		return
	}
	retry := g != nil || ev.Loop == nil
	endless := isEndless(ev.Loop) && (g != nil || !c.takes(ev.Loop) && !c.pages(ev) && !c.isOtherThing(c.retries.Assume(ev.Loop), ev))
	if ev.Build != nil {
		if g != nil && g.Kind != retries.Requeue {
			c.checkBuild(ev)
		}
		return
	}
	if ev.Body != nil {
		c.checkBody(ev)
	}
	if retry {
		c.checkMethod(ev)
		c.checkHopeless(ev, g)
	}
	if retry && ev.Loop != nil || endless {
		c.checkWait(ev, g)
		c.checkContext(ev)
	}
	if endless {
		c.checkGrowth(ev)
	}
	if g != nil {
		c.checkBound(ev, g)
	}
}

// isOtherThing reports whether each round of the region sends another request.
func (c *checker) isOtherThing(g *retries.Region, ev *resend.Event) bool {
	for _, call := range ev.Calls {
		if syntax.Within(call, g.Node) && g.DependsOn(c.info, call, nil) {
			return true
		}
	}
	return false
}

// takes reports whether the loop takes something to work on: from a channel, or from a
// function that says so by its name.
func (c *checker) takes(loop ast.Node) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || len(assign.Rhs) != 1 {
			return !found
		}
		switch rhs := ast.Unparen(assign.Rhs[0]).(type) {
		case *ast.UnaryExpr:
			found = found || rhs.Op == token.ARROW
		case *ast.CallExpr:
			if !c.resend.Sends(rhs) && taking.MatchString(name(rhs)) {
				t := c.info.TypeOf(assign.Lhs[0])
				found = found || t != nil && !typeset.IsNamed(t, "time", "Duration")
			}
		}
		return !found
	})
	return found
}

// pages reports whether each round sends a request for another number, which the loop
// counts.
func (c *checker) pages(ev *resend.Event) bool {
	counted := make(map[*types.Var]bool)
	mentions := func(root ast.Node) bool {
		found := false
		ast.Inspect(root, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if ok {
				v, isVar := c.info.Uses[id].(*types.Var)
				found = found || isVar && counted[v]
			}
			return !found
		})
		return found
	}
	for range 2 { // what is computed from a number may come before it is counted
		ast.Inspect(ev.Loop, func(n ast.Node) bool {
			var to ast.Expr
			switch n := n.(type) {
			case *ast.IncDecStmt:
				to = n.X
			case *ast.AssignStmt:
				sum, _ := n.Rhs[0].(*ast.BinaryExpr)
				adds := n.Tok == token.ADD_ASSIGN || sum != nil && sum.Op == token.ADD && types.ExprString(sum.X) == types.ExprString(n.Lhs[0])
				if adds || slices.ContainsFunc(n.Rhs, func(e ast.Expr) bool { return mentions(e) }) {
					to = n.Lhs[0]
				}
			}
			if v := typeset.Root(c.info, to); v != nil {
				counted[v] = true
			}
			return true
		})
	}
	return slices.ContainsFunc(ev.Calls, func(n ast.Node) bool { return syntax.Within(n, ev.Loop) && mentions(n) })
}

// taking matches the names of functions that return another thing on each call.
var taking = regexp.MustCompile(`(?i)(^|\.)(next|pop|recv|receive|dequeue|fetch|poll|take|claim|lease|pull|consume)[A-Za-z]*$`)

// isEndless reports whether loop is a for without a bound of its own, which only a
// context ends, or nothing; or a function that calls itself.
func isEndless(loop ast.Node) bool {
	if _, ok := loop.(*ast.FuncDecl); ok {
		return true
	}
	f, ok := loop.(*ast.ForStmt)
	if !ok {
		return false
	}
	if f.Cond == nil {
		return true
	}
	cond := types.ExprString(f.Cond)
	return cond == "true" || strings.HasSuffix(cond, ".Err() == nil") || isFlag.MatchString(cond)
}

// isFlag matches conditions that ask whether others want the loop to end.
var isFlag = regexp.MustCompile(`^!?[\w.]*(?i:clos|stop|quit|exit|done|running|shut|kill|alive|active)\w*(\(\)|\.Load\(\))?( == false| == true)?$`)

// own returns the call in the function where the analysis began that sends, or
// leads to what sends.
func own(ev *resend.Event) *ast.CallExpr { return lastIn(ev.Entry, ev) }

// lastIn returns the last call in fn that leads to what sends.
func lastIn(fn ast.Node, ev *resend.Event) (last *ast.CallExpr) {
	for _, n := range ev.Calls {
		if call, ok := n.(*ast.CallExpr); ok && syntax.Within(n, fn) && !callsLiteral(call) {
			last = call
		}
	}
	return last
}

// looped returns the call in the loop itself that sends, or leads to what sends.
func looped(ev *resend.Event) *ast.CallExpr {
	if ev.Loop == nil {
		return own(ev)
	}
	for i, n := range ev.Calls {
		if call, ok := n.(*ast.CallExpr); ok && syntax.Within(n, ev.Loop) && !callsLiteral(call) {
			if n == ev.Loop && i+1 < len(ev.Calls) { // a library's call
				if next, ok := ev.Calls[i+1].(*ast.CallExpr); ok {
					return next
				}
			}
			return call
		}
	}
	return own(ev)
}

// callsLiteral reports whether call calls a function literal where it stands.
func callsLiteral(call *ast.CallExpr) bool {
	_, ok := ast.Unparen(call.Fun).(*ast.FuncLit)
	return ok
}

// nearest returns the call in the function where the analysis began that sends, or
// else that in the function that holds the loop.
func (c *checker) nearest(ev *resend.Event) *ast.CallExpr {
	if ev.Loop == nil || syntax.Within(ev.Loop, ev.Entry) || syntax.Within(ev.Calls[len(ev.Calls)-1], ev.Entry) {
		return own(ev)
	}
	for _, decl := range c.index.Decls() {
		if call := lastIn(decl, ev); call != nil && syntax.Within(ev.Loop, decl) {
			return call
		}
	}
	return looped(ev)
}

// comesBack reports whether the loop, which is elsewhere, calls what stands in the function
// where the analysis began: a literal that it was given.
func comesBack(ev *resend.Event) bool {
	looped := false
	for _, n := range ev.Calls {
		if looped && syntax.Within(n, ev.Entry) {
			return true
		}
		looped = looped || syntax.Within(n, ev.Loop)
	}
	return false
}

// name returns a call's function as the user wrote it.
func name(call *ast.CallExpr) string {
	s := types.ExprString(ast.Unparen(call.Fun))
	if i := strings.LastIndexAny(s, "()"); i >= 0 || len(s) > 60 {
		s = strings.TrimLeft(s[i+1:], ".")
	}
	return s
}

// failed reports whether the attempt before failed: without a response, or with a
// status that says to come again.
func failed(ev *resend.Event) bool {
	if ev.Errs&^resend.Canceled != 0 {
		return true
	}
	again := ev.Status.Where(func(n int) bool { return n >= 500 || n == 429 || n == 408 || n == 425 })
	return again != 0 && (again == ev.Status || refused(ev) && !ev.Unsure && !ev.Doubt)
}

// refused reports whether the status of the attempt before was one that is not
// wanted: one of the common successes, at least, leads elsewhere.
func refused(ev *resend.Event) bool {
	good := 0
	for status := ev.Status.Where(func(n int) bool { return n == 200 || n == 201 || n == 202 || n == 204 }); status != 0; status &= status - 1 {
		good++
	}
	return ev.Status != 0 && good < 4
}

// repeats returns the place that repeats a request, if it is another one.
func (c *checker) repeats(ev *resend.Event, at ast.Node) []analysis.RelatedInformation {
	if ev.Loop == nil || c.line(ev.Loop) == c.line(at) {
		return nil
	}
	return []analysis.RelatedInformation{{Pos: ev.Loop.Pos(), End: ev.Loop.Pos() + 3, Message: "this repeats it"}}
}

// line returns the line that n begins on.
func (c *checker) line(n ast.Node) int { return c.pass.Fset.Position(n.Pos()).Line }
