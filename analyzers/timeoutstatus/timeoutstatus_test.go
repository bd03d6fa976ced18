package timeoutstatus_test

import (
	"path/filepath"
	"testing"

	"github.com/httpvet/httpvet/analyzers/timeoutstatus"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestFixtures(t *testing.T) {
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	analysistest.RunWithSuggestedFixes(t, dir, timeoutstatus.Analyzer, "./timeoutstatus/...")
}
