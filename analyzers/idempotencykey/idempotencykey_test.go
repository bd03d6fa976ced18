package idempotencykey_test

import (
	"testing"

	"github.com/httpvet/httpvet/analyzers/idempotencykey"
	"github.com/httpvet/httpvet/internal/testenv"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestFixtures(t *testing.T) {
	analysistest.Run(t, testenv.Testdata(t), idempotencykey.Analyzer, "./idempotencykey/...")
}

// TestFixes proves that the fixes are what the golden files say.
func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, testenv.Testdata(t), idempotencykey.Analyzer, "./idempotencykey/fixes")
}
