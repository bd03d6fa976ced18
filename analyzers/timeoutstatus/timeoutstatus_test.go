package timeoutstatus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/httpvet/httpvet/analyzers/timeoutstatus"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

func fixtures(t *testing.T) string {
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFixtures(t *testing.T) {
	analysistest.Run(t, fixtures(t), timeoutstatus.Analyzer, "./timeoutstatus/...")
}

// TestFixes applies the fixes, and checks that what they make compiles and that
// findings are left only where no fix was offered.
func TestFixes(t *testing.T) {
	dir := fixtures(t)
	analysistest.RunWithSuggestedFixes(t, dir, timeoutstatus.Analyzer, "./timeoutstatus/fixes")

	file := filepath.Join(dir, "timeoutstatus", "fixes", "fixes.go")
	fixed, err := os.ReadFile(file + ".golden")
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode:    packages.LoadAllSyntax,
		Dir:     dir,
		Env:     append(os.Environ(), "GOWORK=off", "GOPROXY=off"),
		Overlay: map[string][]byte{file: fixed},
	}, "./timeoutstatus/fixes")
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("the fixed file does not compile")
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{timeoutstatus.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := string(fixed)
	noFix := strings.Index(text, "func NothingElse")
	if noFix < 0 {
		t.Fatal("no function without a fix")
	}
	left := 0
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		for _, d := range act.Diagnostics {
			left++
			if pos := act.Package.Fset.Position(d.Pos); pos.Offset < noFix {
				t.Errorf("%s: still reported: %s", pos, d.Message)
			}
		}
	}
	if left == 0 {
		t.Error("nothing is reported where no fix was offered")
	}
}

func TestCodesFlag(t *testing.T) {
	codes := timeoutstatus.Analyzer.Flags.Lookup("codes")
	if codes == nil || codes.DefValue != "408,504" {
		t.Fatalf("flag codes: %+v", codes)
	}
	for _, bad := range []string{"", "x", "504,", "99", "1000"} {
		if err := codes.Value.Set(bad); err == nil {
			t.Errorf("Set(%q) is no error", bad)
		}
	}
	if got := codes.Value.String(); got != codes.DefValue {
		t.Errorf("a bad list changed the flag to %s", got)
	}
}
