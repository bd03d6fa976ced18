package shutdowndrain_test

import (
	"path/filepath"
	"testing"

	"github.com/httpvet/httpvet/analyzers/shutdowndrain"

	"golang.org/x/tools/go/analysis/analysistest"
)

func fixtures(t *testing.T) string {
	dir, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFixtures(t *testing.T) {
	analysistest.Run(t, fixtures(t), shutdowndrain.Analyzer, "./shutdowndrain/...")
}

func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, fixtures(t), shutdowndrain.Analyzer, "./shutdowndrain/fixes")
}
