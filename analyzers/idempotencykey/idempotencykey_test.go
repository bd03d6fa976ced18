package idempotencykey_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/httpvet/httpvet/analyzers/idempotencykey"
	"github.com/httpvet/httpvet/internal/testenv"

	"golang.org/x/tools/go/analysis/analysistest"
)

// headersflag names the fixtures that are run with the flag -headers.
const headersflag = "headersflag"

func TestFixtures(t *testing.T) {
	testdata := testenv.Testdata(t)
	topics, err := os.ReadDir(filepath.Join(testdata, "idempotencykey"))
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, topic := range topics {
		if topic.Name() != headersflag {
			patterns = append(patterns, "./idempotencykey/"+topic.Name()+"/...")
		}
	}
	analysistest.Run(t, testdata, idempotencykey.Analyzer, patterns...)
}

// TestFixes proves that the fixes are what the golden files say.
func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, testenv.Testdata(t), idempotencykey.Analyzer, "./idempotencykey/fixes")
}

// TestHeaders proves what the flag -headers adds.
func TestHeaders(t *testing.T) {
	flags := &idempotencykey.Analyzer.Flags
	if err := flags.Set("headers", "X-Dedup, x-request-id"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flags.Set("headers", "") })
	analysistest.Run(t, testenv.Testdata(t), idempotencykey.Analyzer, "./idempotencykey/"+headersflag)
}
