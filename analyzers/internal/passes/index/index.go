// Package index makes the typeset.Index of a package, which several passes share.
package index

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

var Analyzer = &analysis.Analyzer{
	Name:       "index",
	Doc:        "index the functions and variables of a package",
	Run:        run,
	ResultType: reflect.TypeFor[*typeset.Index](),
}

func run(pass *analysis.Pass) (any, error) {
	return typeset.NewIndex(pass.TypesInfo, pass.Files), nil
}
