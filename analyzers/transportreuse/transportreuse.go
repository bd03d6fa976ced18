package transportreuse

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/pools"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

//go:embed doc.go
var doc string

// Analyzer reports connection pools that are made for each request and dropped.
var Analyzer = newAnalyzer()

// A pass holds the rule's flags.
type pass struct {
	tests bool
}

func newAnalyzer() *analysis.Analyzer {
	p := new(pass)
	a := &analysis.Analyzer{
		Name:     "transportreuse",
		Doc:      syntax.Doc(doc, "transportreuse"),
		URL:      "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/transportreuse",
		Requires: []*analysis.Analyzer{inspect.Analyzer, pools.Analyzer},
		Run:      p.run,
	}
	a.Flags.BoolVar(&p.tests, "tests", false, "report in test files and test helpers")
	return a
}

// What becomes of a pool is told by the helper pass pools: see there for the
// algorithm. What is left to this one is to judge which functions run more than once
// (see repeats), and to say it.
func (p *pass) run(pass *analysis.Pass) (any, error) {
	if !typeset.Imports(pass.Pkg, httpmodel.NetHTTP, httpmodel.FastHTTP) {
		return nil, nil
	}
	drops := pass.ResultOf[pools.Analyzer].(*pools.Result).Drops()
	if len(drops) == 0 {
		return nil, nil
	}
	c := &checker{
		pass:     pass,
		root:     pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root(),
		reporter: report.New(pass),
		names:    make(map[string]bool),
	}
	r := newRepeats(pass, c.root)
	for _, d := range drops {
		file := report.FileOf(pass, d.Node.Pos())
		if file == nil || !p.tests && report.ForTests(pass, file) {
			continue
		}
		perCall := r.perRequest(d.Func) && !pools.Outlives(pass.TypesInfo, d.Func)
		switch {
		case perCall && (d.End || d.Over != nil), d.Loop:
			c.report(d, file, !perCall || !d.End && d.Over == nil)
		}
	}
	return nil, nil
}

// A checker holds what the reports of one package share.
type checker struct {
	pass     *analysis.Pass
	root     inspector.Cursor
	reporter *report.Reporter
	names    map[string]bool // of the variables that fixes add
}

// report reports one drop: one that a loop causes, or one in each call of its function.
func (c *checker) report(d *pools.Drop, file *ast.File, loop bool) {
	when, remedy := c.callOf(d)
	if loop {
		when, remedy = "in each iteration of the loop", "make it before the loop"
	}
	diag := analysis.Diagnostic{
		Pos: d.Node.Pos(),
		End: d.Node.End(),
		Message: fmt.Sprintf("%s makes a connection pool %s, used and dropped: %s (each leaves its connections and goroutines behind)",
			maker(d.Node), when, remedy),
	}
	if d.Over != nil {
		diag.Message = fmt.Sprintf("%s gets a new connection pool %s, the one before is dropped: set it once (each leaves its connections and goroutines behind)",
			types.ExprString(d.Over), when)
		diag.Pos = d.Over.Pos()
	}
	if d.Made.IsValid() && d.Made != d.Node.Pos() {
		diag.Related = []analysis.RelatedInformation{{Pos: d.Made, Message: "the pool is made here"}}
	}
	if edits := c.hoist(d, file); edits != nil {
		diag.SuggestedFixes = []analysis.SuggestedFix{{Message: "make it once, in a package variable", TextEdits: edits}}
	}
	c.reporter.Report(diag)
}

// maker returns how the code writes what makes the pool.
func maker(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		return types.ExprString(n.Fun)
	case *ast.CompositeLit:
		if n.Type != nil {
			return types.ExprString(n.Type) + "{}"
		}
		return "the literal"
	case *ast.Ident:
		return "var " + n.Name
	}
	return "this"
}

// callOf says of which function a drop happens in each call, and what to do.
func (c *checker) callOf(d *pools.Drop) (when, remedy string) {
	remedy = "make it once and keep it in a package variable"
	decl, ok := d.Func.(*ast.FuncDecl)
	if !ok {
		return "in each call of this function", remedy
	}
	if fn, ok := c.pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
		if recv := fn.Signature().Recv(); recv != nil {
			if named := typeset.Named(recv.Type()); named != nil {
				if _, isPointer := types.Unalias(recv.Type()).(*types.Pointer); isPointer {
					remedy = "make it once and keep it in the " + named.Obj().Name()
				}
			}
		}
	}
	return "in each call of " + decl.Name.Name, remedy
}
