package httpmodel

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/packages"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// TestNeverReturns proves that NeverReturns knows the functions of the standard
// library of which their bodies show that they never return, and no others.
func TestNeverReturns(t *testing.T) {
	patterns := []string{"std"}
	if testing.Short() {
		patterns = []string{"log", "os", "runtime", "syscall", "testing"}
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{ctrlflow.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for act := range graph.All() {
		path := act.Package.PkgPath
		if act.Analyzer != ctrlflow.Analyzer || strings.Contains(path, "internal/") || strings.HasPrefix(path, "vendor/") {
			continue
		}
		derived := make(map[types.Object]bool)
		for _, f := range act.AllObjectFacts() {
			derived[f.Object] = true
		}
		for _, obj := range act.Package.TypesInfo.Defs {
			fn, ok := obj.(*types.Func)
			if !ok || typeset.IsInterfaceMethod(fn) || !fn.Exported() {
				continue
			}
			if !typeset.IsExported(fn) && !strings.HasPrefix(fn.FullName(), "(*testing.common)") {
				continue // no user calls it
			}
			switch never := NeverReturns(fn); {
			case never && !derived[fn]:
				t.Errorf("%v returns", fn)
			case !never && derived[fn] && fn.FullName() != "runtime.CPUProfile": // it is deprecated and only panics
				t.Errorf("%v never returns", fn)
			case never:
				n++
			}
		}
	}
	if want := 22; n != want {
		t.Errorf("%d functions never return, want %d", n, want)
	}
}
