package shutdowndrain

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/passes/drains"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
)

//go:embed doc.go
var doc string

// Analyzer reports shutdowns that cannot drain.
var Analyzer = newAnalyzer()

func newAnalyzer() *analysis.Analyzer {
	grace := 30 * time.Second
	a := &analysis.Analyzer{
		Name:     "shutdowndrain",
		Doc:      syntax.Doc(doc, "shutdowndrain"),
		URL:      "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/shutdowndrain",
		Requires: []*analysis.Analyzer{drains.Analyzer},
		Run:      func(pass *analysis.Pass) (any, error) { return run(pass, grace) },
	}
	a.Flags.DurationVar(&grace, "grace", grace, "how long the process has from the signal to the kill")
	return a
}

// The algorithm is that of the helper pass drains. What is left to this pass is to
// say it, and to give a shutdown a context of its own.
func run(pass *analysis.Pass, grace time.Duration) (any, error) {
	reporter := report.New(pass)
	for _, fault := range pass.ResultOf[drains.Analyzer].(*drains.Info).Faults(grace) {
		if report.NamedForTests(pass, fault.Node) {
			continue
		}
		reportFault(pass, reporter, fault, grace)
	}
	return nil, nil
}

// reportFault reports one fault.
func reportFault(pass *analysis.Pass, reporter *report.Reporter, f *drains.Fault, grace time.Duration) {
	name := nameOf(f.Node)
	inner := f.Call != f.Node // in a helper that f.Node calls
	d := analysis.Diagnostic{Pos: f.Node.Pos(), End: f.Node.End()}
	if lit, ok := f.Node.(*ast.FuncLit); ok {
		d.End = lit.Type.End()
	}
	back := "" // what is at f.Back
	switch f.Kind {
	case drains.Done:
		d.Message = fmt.Sprintf("%s shuts down on a context that is already done (requests in flight are cut off)", name)
		if ctx := contextOf(f.Node); ctx != nil && !inner {
			d.Message = fmt.Sprintf("%s is already done when %s is called (requests in flight are cut off)", types.ExprString(ctx), name)
		}
		back = "the context is done here"
	case drains.Aged:
		d.Message = fmt.Sprintf("the deadline for %s runs from the start of the program (it is over when the signal comes, and requests in flight are cut off)", name)
		back = "the time begins to run here"
	case drains.Unawaited:
		d.Message = fmt.Sprintf("nobody waits for %s to return (requests in flight are cut off)", name)
		back = "this returns while it is at work"
	case drains.Cancelled:
		d.Message = fmt.Sprintf("the context of %s is cancelled while it is at work, for nobody waits for it (requests in flight are cut off)", name)
		back = "the context is cancelled here"
	case drains.Skips:
		d.Message = fmt.Sprintf("%s ends the process, so the deferred shutdown does not run (requests in flight are cut off)", name)
		back = "the deferred shutdown"
	case drains.Exits:
		d.Message = fmt.Sprintf("%s ends the process while a shutdown is at work (requests in flight are cut off)", name)
		back = "this is at work"
	case drains.Cut:
		d.Message = fmt.Sprintf("%s stops the server without draining it (requests in flight are cut off)", name)
		back = "the signal comes here"
	case drains.BaseDone:
		d.Message = fmt.Sprintf("the server's base context is already done when %s is called (requests in flight are cancelled)", name)
		back = "the context is done here"
	case drains.BaseEnds:
		d.Message = fmt.Sprintf("%s ends the server's base context while it is being shut down (requests in flight are cancelled)", name)
		back = "the shutdown"
	case drains.NeedClosed:
		d.Message = fmt.Sprintf("%s comes before the server is drained (requests in flight still need it)", name)
		back = "the shutdown"
	case drains.HookEnds:
		d.Message = fmt.Sprintf("%s ends the server's base context at the start of the shutdown (requests in flight are cancelled)", name)
	case drains.HookCloses:
		d.Message = fmt.Sprintf("%s runs at the start of the shutdown (requests in flight still need it)", name)
	case drains.WaitCut:
		d.Message = fmt.Sprintf("the wait before the shutdown is over at once: %s is already done (clients still send requests)", name)
		back = "the shutdown"
	case drains.NoNotice:
		d.Message = fmt.Sprintf("%s comes right after the readiness was turned (clients still send requests)", name)
		back = "the readiness is turned here"
	case drains.AlwaysReady:
		d.Message = fmt.Sprintf("%s comes while the readiness probe %s still answers well (clients still send requests)", name, f.What)
		back = "the probe never fails"
	case drains.Budget:
		d.Message = fmt.Sprintf("%s may return %s after the signal, later than the grace period of %s (the process is killed while it drains)", name, f.What, grace)
	}
	if f.Back.IsValid() && back != "" && f.Back != f.Node.Pos() {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: f.Back, Message: back})
	}
	if inner && pass.Fset.File(f.Call.Pos()) != nil { // else it is in another package
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: f.Call.Pos(), Message: "in this call"})
	}
	if f.Kind == drains.Done && !inner {
		d.SuggestedFixes = fixes(pass, f)
	}
	reporter.Report(d)
}

// nameOf returns how to call n in a message.
func nameOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		if lit, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
			return nameOf(lit)
		}
		return types.ExprString(n.Fun)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return types.ExprString(n.X)
		}
	case ast.Expr:
		if _, ok := n.(*ast.FuncLit); !ok {
			return types.ExprString(n)
		}
	}
	return "this func"
}

// contextOf returns the argument of the call n, if it has one only.
func contextOf(n ast.Node) ast.Expr {
	if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
		return call.Args[0]
	}
	return nil
}
