package statusrelay

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/passes/relays"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"

	"golang.org/x/tools/go/analysis"
)

//go:embed doc.go
var doc string

// Analyzer reports upstream bodies that are sent on without their status.
var Analyzer = &analysis.Analyzer{
	Name:     "statusrelay",
	Doc:      syntax.Doc(doc, "statusrelay"),
	URL:      "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/statusrelay",
	Requires: []*analysis.Analyzer{relays.Analyzer},
	Run:      run,
}

// The algorithm is that of the helper pass relays, which finds the places. What is
// left to this pass is to say them, and to pass the status on.
func run(pass *analysis.Pass) (any, error) {
	reporter := report.New(pass)
	for _, r := range pass.ResultOf[relays.Analyzer].(*relays.Result).Relays() {
		file := report.FileOf(pass, r.Send.Pos())
		if file == nil || report.IsTest(pass, file) || report.NamedForTests(pass, r.Send) {
			continue
		}
		reporter.Report(diagnose(pass, r))
	}
	return nil, nil
}

// diagnose returns the diagnostic of a relay.
func diagnose(pass *analysis.Pass, r *relays.Relay) analysis.Diagnostic {
	code := "200"
	if r.Code != 0 {
		code = fmt.Sprint(r.Code)
	}
	d := analysis.Diagnostic{
		Pos:     r.Send.Pos(),
		End:     r.Send.End(),
		Message: fmt.Sprintf("%s sends on what %s got, whatever its status (a failure of the upstream is answered %s)", name(r.Send), name(r.Fetch), code),
		Related: []analysis.RelatedInformation{{Pos: r.Fetch.Pos(), End: r.Fetch.End(), Message: "the response comes from here"}},
	}
	if r.Send == r.Fetch {
		d.Message = fmt.Sprintf("%s sends on an upstream's body, whatever its status (a failure of the upstream is answered %s)", name(r.Send), code)
		d.Related = nil
	}
	if r.FetchAt.IsValid() {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: r.FetchAt, Message: "the request is sent here, and nobody looks at the status of its response"})
	}
	if r.SentAt.IsValid() {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: r.SentAt, Message: "the body is sent here"})
	}
	if edits := passOn(pass, r); edits != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: "pass the status on", TextEdits: edits}}
	}
	return d
}

// name returns how to call, in a message, the function of a call, or what is returned.
func name(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "the reply"
	}
	fun := ast.Unparen(call.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if _, ok := ast.Unparen(sel.X).(*ast.CallExpr); ok { // c.Status(200).Send
			return sel.Sel.Name
		}
	}
	if _, ok := fun.(*ast.FuncLit); ok {
		return "the function"
	}
	return types.ExprString(fun)
}
