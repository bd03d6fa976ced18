package transportreuse_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/httpvet/httpvet/analyzers/transportreuse"
	"github.com/httpvet/httpvet/internal/testenv"
)

func Test(t *testing.T) {
	analysistest.Run(t, testenv.Testdata(t), transportreuse.Analyzer, "./transportreuse/...")
}
