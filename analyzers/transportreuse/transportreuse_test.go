package transportreuse_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/httpvet/httpvet/analyzers/transportreuse"
	"github.com/httpvet/httpvet/internal/testenv"
)

func Test(t *testing.T) {
	analysistest.Run(t, testenv.Testdata(t), transportreuse.Analyzer, "./transportreuse/...")
}

// TestFixes proves that what the fixes make compiles, and that findings are left
// only where no fix was offered.
func TestFixes(t *testing.T) {
	dir := testenv.Testdata(t)
	results := analysistest.RunWithSuggestedFixes(t, dir, transportreuse.Analyzer, "./transportreuse/fixes")
	unfixed := 0
	for _, r := range results {
		for _, d := range r.Diagnostics {
			if len(d.SuggestedFixes) == 0 {
				unfixed++
			}
		}
	}
	file := filepath.Join(dir, "transportreuse", "fixes", "fixes.go")
	fixed, err := os.ReadFile(file + ".golden")
	if err != nil {
		t.Fatal(err)
	}
	left := findings(t, dir, "./transportreuse/fixes", map[string][]byte{file: fixed})
	if left == 0 || left != unfixed {
		t.Errorf("%d findings are left, want the %d without a fix", left, unfixed)
	}
}

// TestTestsFlag proves that -transportreuse.tests includes tests and their helpers.
func TestTestsFlag(t *testing.T) {
	dir := testenv.Testdata(t)
	tests := transportreuse.Analyzer.Flags.Lookup("tests")
	for value, want := range map[string]int{"false": 0, "true": 2} {
		if err := tests.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		if n := findings(t, dir, "./transportreuse/intests", nil); n != want {
			t.Errorf("tests=%s: %d findings, want %d", value, n, want)
		}
	}
	tests.Value.Set(tests.DefValue)
}

// findings returns how many places the pass reports in the packages of a pattern,
// whose files an overlay replaces.
func findings(t *testing.T, dir, pattern string, overlay map[string][]byte) int {
	pkgs, err := packages.Load(&packages.Config{
		Mode:    packages.LoadAllSyntax | packages.NeedModule,
		Dir:     dir,
		Tests:   true,
		Env:     append(os.Environ(), "GOWORK=off", "GOPROXY=off"),
		Overlay: overlay,
	}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			t.Error(err)
		}
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{transportreuse.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	places := make(map[string]bool)
	for _, act := range graph.Roots {
		for _, d := range act.Diagnostics {
			places[act.Package.Fset.Position(d.Pos).String()] = true
		}
	}
	return len(places)
}
