package golangci

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestAdapt proves that golangci-lint gets what it can show and apply: no related
// places, one fix a finding, and none that overlaps another or edits another file.
func TestAdapt(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range []string{"a.go", "b.go"} {
		file, err := parser.ParseFile(fset, name, "package p\n\nvar a, b, c = 1, 2, 3\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	at := func(file, from, to int, text string) analysis.TextEdit {
		start := files[file].FileStart
		return analysis.TextEdit{Pos: start + token.Pos(from), End: start + token.Pos(to), NewText: []byte(text)}
	}
	insert := func(from int, text string) analysis.TextEdit {
		e := at(0, from, from, text)
		e.End = token.NoPos
		return e
	}
	fix := func(edits ...analysis.TextEdit) analysis.SuggestedFix { return analysis.SuggestedFix{TextEdits: edits} }

	tests := []struct {
		name  string
		fixes []analysis.SuggestedFix
		kept  int // edits
	}{
		{"none", nil, 0},
		{"one", []analysis.SuggestedFix{fix(at(0, 10, 12, "x"), insert(20, "y"))}, 2},
		{"the same, as for an import that two fixes need", []analysis.SuggestedFix{fix(insert(20, "y"))}, 1},
		{"at the same place", []analysis.SuggestedFix{fix(insert(20, "z"))}, 1},
		{"beside another", []analysis.SuggestedFix{fix(at(0, 12, 13, "z"), insert(10, "z"))}, 2},
		{"within another", []analysis.SuggestedFix{fix(insert(11, "z"))}, 0},
		{"overlapping another, in part", []analysis.SuggestedFix{fix(insert(30, "z"), at(0, 9, 11, ""))}, 0},
		{"where one was left out", []analysis.SuggestedFix{fix(at(0, 30, 31, ""))}, 1},
		{"in another file", []analysis.SuggestedFix{fix(insert(15, "z"), at(1, 15, 16, ""))}, 0},
		{"alternatives", []analysis.SuggestedFix{fix(insert(16, "z")), fix(insert(17, "z"))}, 1},
	}
	rule := &analysis.Analyzer{Name: "rule", Run: func(pass *analysis.Pass) (any, error) {
		for _, test := range tests {
			pass.Report(analysis.Diagnostic{
				Pos:            files[0].Package,
				Message:        test.name,
				Related:        []analysis.RelatedInformation{{Pos: files[0].Package, Message: "here"}},
				SuggestedFixes: test.fixes,
			})
		}
		return len(tests), nil
	}}
	adapted := adapt(rule)
	if adapted == rule || adapted.Name != rule.Name {
		t.Fatalf("%v becomes %v", rule, adapted)
	}
	var got, want []string
	result, err := adapted.Run(&analysis.Pass{
		Analyzer: adapted,
		Fset:     fset,
		Report: func(d analysis.Diagnostic) {
			edits := 0
			for _, fix := range d.SuggestedFixes {
				edits += len(fix.TextEdits)
			}
			got = append(got, fmt.Sprintf("%s: %d edits, %d related places", d.Message, edits, len(d.Related)))
		},
	})
	if result != len(tests) || err != nil {
		t.Errorf("the rule returns %v, %v", result, err)
	}
	for _, test := range tests {
		want = append(want, fmt.Sprintf("%s: %d edits, 0 related places", test.name, test.kept))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}
