package bodydrain

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/passes/bodyfate"
)

// drainFirst returns the edits that read the body before it is closed, in the
// form that the code has, or nil where that would change its meaning.
func drainFirst(pass *analysis.Pass, file *ast.File, loss *bodyfate.Loss) []analysis.TextEdit {
	return nil
}
