package failnow

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/handlers"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

//go:embed doc.go
var doc string

var Analyzer = &analysis.Analyzer{
	Name:     "failnow",
	Doc:      syntax.Doc(doc, "failnow"),
	URL:      "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/failnow",
	Requires: []*analysis.Analyzer{handlers.Analyzer},
	Run:      run,
}

// The two helper passes do the work: failreach knows which functions end a test, and
// handlers finds their calls on a server's goroutine. What is left is to say it in
// the right place: where the code that only a server runs leaves for code that the
// test runs too.

func run(pass *analysis.Pass) (any, error) {
	if !typeset.Imports(pass.Pkg, "testing") || !typeset.Imports(pass.Pkg, httpmodel.ServerPaths()...) {
		return nil, nil
	}
	c := &checker{
		pass:     pass,
		handlers: pass.ResultOf[handlers.Analyzer].(*handlers.Result),
		reporter: report.New(pass),
		seen:     make(map[token.Pos]bool),
	}
	for _, call := range c.handlers.Calls() {
		c.check(call)
	}
	return nil, nil
}

type checker struct {
	pass     *analysis.Pass
	handlers *handlers.Result
	reporter *report.Reporter
	seen     map[token.Pos]bool // of calls that were reported
}

// check reports call, once a place.
func (c *checker) check(call *handlers.Call) {
	at, in, chain := c.place(call)
	if c.seen[at.Pos()] || c.standIn(at) {
		return
	}
	c.seen[at.Pos()] = true
	c.report(call, at, in, chain)
}

// standIn reports whether at, in code that knows of no test, calls what a test put in
// place of the real thing, such as a mock.
func (c *checker) standIn(at *ast.CallExpr) bool {
	fn, ok := typeutil.Callee(c.pass.TypesInfo, at).(*types.Func)
	if !ok || fn.Signature().Recv() == nil || report.IsTest(c.pass, at) {
		return false
	}
	iface := fn.Signature().Recv().Type()
	return types.IsInterface(iface) && !httpmodel.IsTesting(iface)
}

// place returns the call to report: the one that ends the test, or, while the
// function around it is a helper of the handler (its caller gives it the test, or does so
// to the function that makes it, or a test runs it too), the call of that. The chain
// names the functions between.
func (c *checker) place(call *handlers.Call) (at *ast.CallExpr, in ast.Node, chain []string) {
	at, in = call.Call, call.In
	value := call.Value
	name := callName(at.Fun)
	if call.Makes {
		return at, in, nil
	}
	for _, step := range call.Steps {
		if !step.Static {
			break
		}
		i := c.param(value, in)
		if i < 0 && !c.handlers.InTest(in) && !c.madeAt(step.Call.Fun, in, value) {
			break
		}
		chain = append(chain, name)
		at, in = step.Call, step.In
		name = callName(at.Fun)
		if i >= 0 && i < len(at.Args) {
			value = at.Args[i]
		} else {
			value = at.Fun
		}
	}
	return at, in, chain
}

// madeAt reports whether fun, as in must(t)(err), calls the function that makes the
// literal lit, and gives it the test that value is.
func (c *checker) madeAt(fun ast.Expr, lit ast.Node, value ast.Expr) bool {
	call, ok := ast.Unparen(fun).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn, ok := typeutil.Callee(c.pass.TypesInfo, call).(*types.Func)
	if !ok {
		return false
	}
	for _, file := range c.pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && c.pass.TypesInfo.Defs[decl.Name] == fn.Origin() {
				return syntax.Within(lit, decl) && c.param(value, decl) >= 0
			}
		}
	}
	return false
}

// param returns the index of the parameter of fn that value is, or -1.
func (c *checker) param(value ast.Expr, fn ast.Node) int {
	id, ok := ast.Unparen(value).(*ast.Ident)
	if !ok {
		return -1
	}
	var t *ast.FuncType
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		t = fn.Type
	case *ast.FuncLit:
		t = fn.Type
	default:
		return -1
	}
	obj := c.pass.TypesInfo.ObjectOf(id)
	i := 0
	for _, field := range t.Params.List {
		for _, name := range field.Names {
			if c.pass.TypesInfo.Defs[name] == obj {
				return i
			}
			i++
		}
	}
	return -1
}

// report reports the call at, which by way of chain ends a test in call.Served's
// handler.
func (c *checker) report(call *handlers.Call, at *ast.CallExpr, in ast.Node, chain []string) {
	name := callName(at.Fun)
	if name == "" {
		name = call.Func.Name()
	}
	what := name + " ends"
	switch {
	case len(chain) > 0:
		what = name
		for i, name := range slices.Backward(chain) {
			if i < len(chain)-1 {
				what += ", which"
			}
			what += " calls " + name
		}
		what += ": it ends"
	case call.Makes:
		what = name + " makes a handler that may call FailNow, which ends"
	case !httpmodel.EndsTest(call.Func) && call.Func.Name() != "FailNow":
		what = name + " may call FailNow, which ends"
	}
	outcome := "the test goes on and its client sees EOF"
	if strings.HasPrefix(call.Func.Name(), "Skip") && httpmodel.EndsTest(call.Func) {
		outcome = "a test that runs on is marked as skipped"
	}
	c.reporter.Report(analysis.Diagnostic{
		Pos:     at.Pos(),
		End:     at.End(),
		Message: fmt.Sprintf("%s the server's goroutine and not the test (%s)", what, outcome),
		Related: []analysis.RelatedInformation{{
			Pos:     call.Served.Call.Pos(),
			End:     call.Served.Call.End(),
			Message: "the handler is served here",
		}},
		SuggestedFixes: c.fixes(at, in),
	})
}

// callName returns how a message calls a function: as it is written, without
// arguments; empty if it is no name.
func callName(fun ast.Expr) string {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		switch ast.Unparen(fun.X).(type) {
		case *ast.Ident, *ast.SelectorExpr:
			return callName(fun.X) + "." + fun.Sel.Name
		case *ast.CallExpr:
			return callName(fun.X.(*ast.CallExpr).Fun) + "()." + fun.Sel.Name
		}
		return fun.Sel.Name
	case *ast.IndexExpr:
		return callName(fun.X)
	case *ast.IndexListExpr:
		return callName(fun.X)
	case *ast.CallExpr:
		return callName(fun.Fun) + "()"
	}
	return ""
}
