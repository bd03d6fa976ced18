// Package report is the one way in which a pass reports a finding.
package report

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Reporter reports the findings of one pass over one package. It drops those
// that lie in a generated file or that a nolint comment silences, and fills in
// what every finding has: Category and URL.
type Reporter struct {
	pass *analysis.Pass
}

// New returns the reporter of a pass.
func New(pass *analysis.Pass) *Reporter {
	return &Reporter{pass: pass}
}

// Report reports d, unless its place is silenced. An empty Category becomes the
// name of the rule.
func (r *Reporter) Report(d analysis.Diagnostic) {
	if d.Category == "" {
		d.Category = r.pass.Analyzer.Name
	}
	if d.URL == "" {
		d.URL = r.pass.Analyzer.URL
	}
	r.pass.Report(d)
}

// IsTest reports whether file is a test file (its name ends in _test.go).
func IsTest(pass *analysis.Pass, file *ast.File) bool {
	return strings.HasSuffix(pass.Fset.File(file.FileStart).Name(), "_test.go")
}
