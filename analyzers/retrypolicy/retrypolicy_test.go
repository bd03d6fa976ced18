package retrypolicy_test

import (
	"testing"

	"github.com/httpvet/httpvet/analyzers/retrypolicy"
	"github.com/httpvet/httpvet/internal/testenv"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestFixtures(t *testing.T) {
	analysistest.Run(t, testenv.Testdata(t), retrypolicy.Analyzer, "./retrypolicy/...")
}

// TestFixes proves that the fixes are what the golden files say.
func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, testenv.Testdata(t), retrypolicy.Analyzer, "./retrypolicy/fixes")
}

// TestChecksFlag proves that the flag takes the names of checks and no others, and that
// it turns off the others.
func TestChecksFlag(t *testing.T) {
	checks := retrypolicy.Analyzer.Flags.Lookup("checks")
	if checks == nil || checks.DefValue != "method,body,hopeless,bound,wait,context" {
		t.Fatalf("flag checks: %+v", checks)
	}
	for _, bad := range []string{"", "x", "method,", "Method"} {
		if err := checks.Value.Set(bad); err == nil {
			t.Errorf("Set(%q) is no error", bad)
		}
	}
	if got := checks.Value.String(); got != checks.DefValue {
		t.Errorf("a bad list changed the flag to %s", got)
	}
}
