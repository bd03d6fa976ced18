package report

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// findings reports one finding at each call of f in src and returns those that
// get through, by line. The pass can be adapted to a driver.
func findings(t *testing.T, name, src string, adapt ...func(*analysis.Pass) *analysis.Pass) []analysis.Diagnostic {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []analysis.Diagnostic
	pass := &analysis.Pass{
		Analyzer: &analysis.Analyzer{Name: "bodydrain", URL: "https://example.com/bodydrain"},
		Fset:     fset,
		Files:    []*ast.File{file},
		Report:   func(d analysis.Diagnostic) { got = append(got, d) },
	}
	for _, f := range adapt {
		pass = f(pass)
	}
	r := New(pass)
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			r.Report(analysis.Diagnostic{
				Pos:            call.Pos(),
				Message:        fmt.Sprint(fset.PositionFor(call.Pos(), false).Line),
				SuggestedFixes: []analysis.SuggestedFix{{Message: "fix"}},
			})
		}
		return true
	})
	return got
}

// TestNolint runs sources in which the calls that must be reported are those of
// loud, and the calls that must not are those of quiet.
func TestNolint(t *testing.T) {
	tests := []struct{ name, src string }{
		{"every rule", `
	quiet() //nolint
	loud()`},
		{"all", `
	quiet() //nolint:all
	quiet() //nolint:failnow,all
	quiet() //nolint:allow`}, // golangci-lint asks for the prefix only
		{"by name", `
	quiet() //nolint:bodydrain
	loud() //nolint:failnow
	quiet() //nolint:failnow,bodydrain
	quiet() //nolint:bodydrain // a reason
	quiet() //nolint:bodydrain,failnow // a reason, and more
	loud() //nolint:failnow // not bodydrain, that is
	loud() //nolint:bodydrainer`},
		{"by the tool's name", `
	quiet() //nolint:httpvet
	quiet() //nolint:errcheck,httpvet // a reason
	quiet() //nolint:HTTPVet`},
		{"spaces and case", `
	quiet() // nolint
	quiet() //  nolint:bodydrain
	quiet() //nolint: bodydrain , failnow
	quiet() //nolint:BodyDrain
	quiet() //nolint :failnow
	quiet() //nolint a reason without a colon
	loud() //NOLINT
	loud() //nolintlint
	loud() //no lint
	loud() // see //nolint
	loud() /* nolint */
	loud() //	nolint`},
		{"nothing named", `
	loud() //nolint:
	loud() //nolint: // a reason`},
		{"the line above", `
	//nolint:bodydrain // a reason
	quiet()
	loud()
	//nolint:bodydrain

	loud()
	loud()
	//nolint:bodydrain`},
		{"the line above, in another column", `
	//nolint:bodydrain
		loud()
	x = loud() //nolint:failnow`},
		{"a group of comments", `
	// Have: a reason that takes a line of its own.
	//nolint:bodydrain
	// And one after it.
	quiet()
	loud()`},
		{"the statement that starts below", `
	//nolint:bodydrain
	if quiet() {
		quiet()
		for {
			quiet()
		}
	}
	loud()`},
		{"the first line of a statement is not the statement", `
	if quiet() { //nolint:bodydrain
		loud()
	}`},
		{"a statement of many lines", `
	//nolint:bodydrain
	x = a.
		b(quiet(),
			quiet())
	x = a.
		//nolint:bodydrain
		b
	x = []int{
		//nolint:bodydrain
		quiet(),
		loud()}`},
		{"a case", `
	switch {
	//nolint:bodydrain
	case quiet():
		quiet()
	case loud():
		loud()
	}`},
		{"two comments", `
	//nolint:failnow
	//nolint:bodydrain
	quiet()
	loud() //nolint:failnow //nolint:bodydrain`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			check(t, "p.go", "package p\n\nfunc _() {"+test.src+"\n}\n")
		})
	}
}

// TestNolintDecl is TestNolint for comments on declarations and files.
func TestNolintDecl(t *testing.T) {
	tests := []struct{ name, src string }{
		{"a function", `package p

// F is documented.
//
//nolint:bodydrain // a reason
func F() {
	quiet()
	func() { quiet() }()
}

func _() { loud() }
`},
		{"the line of the func", `package p

func F() { //nolint:bodydrain
	loud()
}
`},
		{"a variable", `package p

//nolint:bodydrain
var (
	_ = quiet()
	_ = quiet()
)

var (
	//nolint:bodydrain
	_ = quiet()
	_ = loud()
)
`},
		{"a file", `//nolint:bodydrain
package p

func _() { quiet() }
`},
		{"not quite a file", `//nolint:bodydrain

package p

func _() { loud() }
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { check(t, "p.go", test.src) })
	}
}

// TestForGolangci proves that golangci-lint gets the findings that it silences
// itself, and no other that is silent.
func TestForGolangci(t *testing.T) {
	check(t, "p.go", `package p

func _() {
	loud() //nolint
	loud() //nolint:all
	loud() //nolint:httpvet
	loud() //nolint:bodydrain,httpvet
	quiet() //nolint:bodydrain
	loud() //nolint:failnow

	//nolint:httpvet
	if loud() {
		loud() //nolint:bodydrain
	}

	// Of two comments it gives only the first to the statement.
	//nolint:failnow
	//nolint:httpvet
	quiet()

	//nolint:httpvet
	//nolint:bodydrain
	loud()
}
`, ForGolangci)
}

func TestGenerated(t *testing.T) {
	tests := []struct{ name, src string }{
		{"generated", `// Code generated by protoc. DO NOT EDIT.

package p

func _() { quiet() }
`},
		{"a comment that only speaks of it", `// This is not: Code generated by protoc. DO NOT EDIT.

package p

func _() { loud() }
`},
		{"a copy by cgo", `// Code generated by cmd/cgo; DO NOT EDIT.

//line a.go:1:1
package p

// A comment.
func _() {
	loud()
	quiet() //nolint
	//nolint
	( /*line :9:2*/quiet /*line :9:6*/)( /*line :9:7*/quiet())
	loud()
}
`},
		{"a copy by cgo of a generated file", `// Code generated by cmd/cgo; DO NOT EDIT.

//line a.go:1:1
// Code generated by protoc. DO NOT EDIT.

package p

func _() { quiet() }
`},
		{"cgo's own file", `// Code generated by cmd/cgo; DO NOT EDIT.

package p

func _() { quiet() }
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { check(t, "a.cgo1.go", test.src) })
	}
}

// check compares the findings in src with its calls of loud.
func check(t *testing.T, name, src string, adapt ...func(*analysis.Pass) *analysis.Pass) {
	t.Helper()
	var got, want []string
	for _, d := range findings(t, name, src, adapt...) {
		got = append(got, d.Message)
	}
	for i, line := range strings.Split(src, "\n") {
		code, _, _ := strings.Cut(line, "//")
		for range strings.Count(code, "loud(") {
			want = append(want, fmt.Sprint(i+1))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("findings on lines %v, want %v in\n%s", got, want, src)
	}
}

func TestReportFillsIn(t *testing.T) {
	got := findings(t, "p.go", "package p\n\nvar _ = f()\n")
	if len(got) != 1 {
		t.Fatalf("%d findings, want 1", len(got))
	}
	d := got[0]
	if d.Category != "bodydrain" || d.URL != "https://example.com/bodydrain" || len(d.SuggestedFixes) != 1 {
		t.Errorf("got %+v", d)
	}
}

// TestReportFixesInCgo proves that no fix is offered for a file that the user
// does not have.
func TestReportFixesInCgo(t *testing.T) {
	got := findings(t, "a.cgo1.go", cgoHeader+"\n\n//line a.go:1:1\npackage p\n\nvar _ = f()\n")
	if len(got) != 1 {
		t.Fatalf("%d findings, want 1", len(got))
	}
	if len(got[0].SuggestedFixes) != 0 {
		t.Errorf("a fix in a copy: %+v", got[0].SuggestedFixes)
	}
}

// TestReportElsewhere proves that a finding outside of the Go files gets through.
func TestReportElsewhere(t *testing.T) {
	n := 0
	pass := &analysis.Pass{
		Analyzer: &analysis.Analyzer{Name: "bodydrain"},
		Fset:     token.NewFileSet(),
		Report:   func(analysis.Diagnostic) { n++ },
	}
	New(pass).Report(analysis.Diagnostic{Pos: token.NoPos})
	if n != 1 {
		t.Errorf("%d findings, want 1", n)
	}
}

func TestIsTest(t *testing.T) {
	for name, want := range map[string]bool{"a.go": false, "a_test.go": true, "test.go": false} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, "package p", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := IsTest(&analysis.Pass{Fset: fset}, file); got != want {
			t.Errorf("IsTest(%s) = %t, want %t", name, got, want)
		}
	}
}
