// Package golangci is httpvet as a module plugin of golangci-lint. Imported by a
// golangci-lint of one's own, which "golangci-lint custom" builds, it adds the
// linter httpvet. docs/golangci-lint.md says how to build and to configure it.
package golangci

import (
	"go/token"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers"
	"github.com/httpvet/httpvet/analyzers/internal/report"
)

// A plugin has no other way to make itself known.
func init() { register.Plugin("httpvet", New) }

// New returns the linter with the settings that a configuration of golangci-lint
// has for it, or that are nil.
func New(conf any) (register.LinterPlugin, error) {
	rules, err := configure(analyzers.All(), conf)
	if err != nil {
		return nil, err
	}
	return linter(rules), nil
}

// A linter is the rules that are on.
type linter []*analysis.Analyzer

// GetLoadMode tells that the rules need types.
func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }

// BuildAnalyzers returns the rules, adapted to golangci-lint.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	var list []*analysis.Analyzer
	for _, rule := range l {
		list = append(list, adapt(rule))
	}
	return list, nil
}

// adapt returns a rule whose findings golangci-lint shows and fixes as other
// drivers do.
func adapt(rule *analysis.Analyzer) *analysis.Analyzer {
	a := *rule
	a.Run = func(pass *analysis.Pass) (any, error) {
		p := report.ForGolangci(pass)
		var edits []analysis.TextEdit // of the fixes so far
		p.Report = func(d analysis.Diagnostic) {
			d.Related = nil // each would be an issue of its own
			d.SuggestedFixes = applicable(pass.Fset, d, edits)
			for _, fix := range d.SuggestedFixes {
				edits = append(edits, fix.TextEdits...)
			}
			pass.Report(d)
		}
		return rule.Run(p)
	}
	return &a
}

// applicable returns the first fix of d, alone, or none if golangci-lint could not
// apply it beside the given edits. golangci-lint applies all fixes of a finding,
// though one is meant; leaves out edits of other files than the finding's; and where
// two fixes overlap leaves out all of the linter's in the file. In each case it takes
// the findings for fixed.
func applicable(fset *token.FileSet, d analysis.Diagnostic, edits []analysis.TextEdit) []analysis.SuggestedFix {
	if len(d.SuggestedFixes) == 0 {
		return nil
	}
	for _, e := range d.SuggestedFixes[0].TextEdits {
		if fset.File(e.Pos) != fset.File(d.Pos) || slices.ContainsFunc(edits, func(f analysis.TextEdit) bool { return overlap(e, f) }) {
			return nil
		}
	}
	return d.SuggestedFixes[:1]
}

// overlap reports whether two edits change the same text, in different ways.
func overlap(e, f analysis.TextEdit) bool {
	if e.Pos == f.Pos && e.End == f.End && string(e.NewText) == string(f.NewText) {
		return false
	}
	return e.Pos < max(f.Pos, f.End) && f.Pos < max(e.Pos, e.End)
}
