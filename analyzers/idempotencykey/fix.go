package idempotencykey

import (
	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/passes/keyflow"
)

func hoist(pass *analysis.Pass, f *keyflow.Finding) []analysis.TextEdit { return nil }
