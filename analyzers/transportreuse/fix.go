package transportreuse

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/passes/pools"
)

// hoist returns the edits that make the pool of d once.
func (c *checker) hoist(d *pools.Drop, file *ast.File) []analysis.TextEdit { return nil }
