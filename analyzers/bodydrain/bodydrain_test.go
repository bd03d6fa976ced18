package bodydrain_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/httpvet/httpvet/analyzers/bodydrain"
	"github.com/httpvet/httpvet/internal/testenv"
)

// byFlag names the fixtures that are run with a flag set.
var byFlag = map[string]string{
	"strict":    "strict",
	"testsflag": "tests",
}

// fixes names the fixtures whose fixes are held against golden files.
const fixes = "fixes"

func Test(t *testing.T) {
	testdata := testenv.Testdata(t)
	topics, err := os.ReadDir(filepath.Join(testdata, "bodydrain"))
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, topic := range topics {
		if name := topic.Name(); name != fixes && byFlag[name] == "" {
			patterns = append(patterns, "./bodydrain/"+topic.Name()+"/...")
		}
	}
	analysistest.Run(t, testdata, bodydrain.Analyzer, patterns...)
}

func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, testenv.Testdata(t), bodydrain.Analyzer, "./bodydrain/"+fixes)
}

func TestFlags(t *testing.T) {
	testdata := testenv.Testdata(t)
	for topic, flag := range byFlag {
		t.Run(flag, func(t *testing.T) {
			set(t, flag)
			analysistest.Run(t, testdata, bodydrain.Analyzer, "./bodydrain/"+topic+"/...")
		})
	}
}

// set sets a flag of the rule until the test ends.
func set(t *testing.T, flag string) {
	if err := bodydrain.Analyzer.Flags.Set(flag, "true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bodydrain.Analyzer.Flags.Set(flag, "false") })
}
