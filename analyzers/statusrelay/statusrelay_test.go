package statusrelay_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/httpvet/httpvet/analyzers/statusrelay"
	"github.com/httpvet/httpvet/internal/testenv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

func TestFixtures(t *testing.T) {
	analysistest.Run(t, testenv.Testdata(t), statusrelay.Analyzer, "./statusrelay/...")
}

// TestFixes proves that what the fixes make compiles, and that findings are left only
// where no fix was offered.
func TestFixes(t *testing.T) {
	dir := testenv.Testdata(t)
	unfixed := 0
	for _, r := range analysistest.RunWithSuggestedFixes(t, dir, statusrelay.Analyzer, "./statusrelay/fixes") {
		for _, d := range r.Diagnostics {
			if len(d.SuggestedFixes) == 0 {
				unfixed++
			}
		}
	}
	file := filepath.Join(dir, "statusrelay", "fixes", "fixes.go")
	fixed, err := os.ReadFile(file + ".golden")
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode:    packages.LoadAllSyntax | packages.NeedModule,
		Dir:     dir,
		Env:     append(os.Environ(), "GOWORK=off", "GOPROXY=off"),
		Overlay: map[string][]byte{file: fixed},
	}, "./statusrelay/fixes")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal("what the fixes make does not compile", err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{statusrelay.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, act := range graph.Roots {
		left += len(act.Diagnostics)
	}
	if left == 0 || left != unfixed {
		t.Errorf("%d findings are left, want the %d without a fix", left, unfixed)
	}
}
