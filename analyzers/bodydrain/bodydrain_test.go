package bodydrain_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/httpvet/httpvet/analyzers/bodydrain"
	"github.com/httpvet/httpvet/internal/testenv"
)

func Test(t *testing.T) {
	analysistest.Run(t, testenv.Testdata(t), bodydrain.Analyzer, "./bodydrain/...")
}
