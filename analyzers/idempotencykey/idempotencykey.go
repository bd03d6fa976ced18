package idempotencykey

import (
	_ "embed"
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/keyflow"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
)

//go:embed doc.go
var doc string

// Analyzer reports idempotency keys that are made anew for each attempt.
var Analyzer = newAnalyzer()

// A pass holds the rule's flags.
type pass struct {
	headers string // further headers, separated by commas
}

func newAnalyzer() *analysis.Analyzer {
	p := new(pass)
	a := &analysis.Analyzer{
		Name:     "idempotencykey",
		Doc:      syntax.Doc(doc, "idempotencykey"),
		URL:      "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/idempotencykey",
		Requires: []*analysis.Analyzer{keyflow.Analyzer},
		Run:      p.run,
	}
	a.Flags.StringVar(&p.headers, "headers", "", "further `headers` that carry a key, separated by commas")
	return a
}

// The algorithm is that of two helper passes: retries finds the code that is
// repeated for one operation, keyflow the keys made in it. What is left to this
// pass is to say it, and to hoist the key.
func (p *pass) run(pass *analysis.Pass) (any, error) {
	var names httpmodel.KeyNames
	for name := range strings.SplitSeq(p.headers, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names.Extra = append(names.Extra, name)
		}
	}
	reporter := report.New(pass)
	for _, f := range pass.ResultOf[keyflow.Analyzer].(*keyflow.Result).Made(names) {
		reportKey(pass, reporter, f)
	}
	return nil, nil
}

// reportKey reports one key.
func reportKey(pass *analysis.Pass, reporter *report.Reporter, f *keyflow.Finding) {
	what := f.Name + " makes a new idempotency key"
	if f.Count {
		what = "the idempotency key holds " + f.Name + ", which is another number"
	}
	d := analysis.Diagnostic{
		Pos:     f.Set.Pos(),
		End:     f.Set.End(),
		Message: fmt.Sprintf("%s in each attempt of %s (the server takes the retry for another operation)", what, repeats(pass, f.Region)),
	}
	if f.Maker.Pos().IsValid() && pass.Fset.Position(f.Maker.Pos()).Line != pass.Fset.Position(f.Set.Pos()).Line {
		message := "the key is made here"
		if f.Count {
			message = "this repeats the attempt"
		}
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: f.Maker.Pos(), End: f.Maker.End(), Message: message})
	}
	if edits := hoist(pass, f); edits != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: "make the key before the first attempt", TextEdits: edits}}
	}
	reporter.Report(d)
}

// repeats says what repeats a region.
func repeats(pass *analysis.Pass, g *retries.Region) string {
	line := pass.Fset.Position(g.At.Pos()).Line
	switch g.Kind {
	case retries.Loop:
		return fmt.Sprintf("the loop at line %d", line)
	case retries.Goto:
		return fmt.Sprintf("the goto to line %d", line)
	case retries.Recursion:
		return fmt.Sprintf("%s, which calls itself", g.By)
	case retries.Requeue:
		return "a job that goes back to its queue"
	case retries.Again:
		return g.By + ", which is called again"
	case retries.Hook:
		return "the retrying client"
	}
	return g.By
}
