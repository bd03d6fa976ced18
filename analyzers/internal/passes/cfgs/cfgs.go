// Package cfgs makes the control flow graphs of functions, in any driver.
//
// The graphs are those of x/tools' ctrlflow, which ends a path where a function is
// called that never returns. It learns of such functions by facts, from the root
// (os.Exit, runtime.Goexit) on. Some drivers have no facts of the standard library
// (nogo, of Bazel's rules_go): there a path would go on after log.Fatal, and a
// finding at its end would be false. So this pass runs ctrlflow with a table of these
// functions at hand, and the convention of loggers; what calls them in other modules is
// still derived.
//
// The facts are of a type of this package, since one type cannot be that of two
// passes, and a driver may run ctrlflow beside this one.
package cfgs

import (
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
)

var Analyzer = &analysis.Analyzer{
	Name:       "cfgs",
	Doc:        "make control flow graphs, in which functions of the standard library and of loggers may end a path",
	Run:        run,
	Requires:   []*analysis.Analyzer{inspect.Analyzer},
	ResultType: reflect.TypeFor[*ctrlflow.CFGs](),
	FactTypes:  []analysis.Fact{new(noReturnFact)},
}

// A noReturnFact says that a function never returns.
type noReturnFact struct{}

func (*noReturnFact) AFact() {}

func (*noReturnFact) String() string { return "noReturn" }

func run(pass *analysis.Pass) (any, error) {
	inner := *pass
	inner.Analyzer = ctrlflow.Analyzer
	inner.ImportObjectFact = func(obj types.Object, _ analysis.Fact) bool {
		fn, ok := obj.(*types.Func)
		return ok && (httpmodel.NeverReturns(fn) || httpmodel.LogsAndEnds(fn)) || pass.ImportObjectFact(obj, new(noReturnFact))
	}
	inner.ExportObjectFact = func(obj types.Object, _ analysis.Fact) {
		if obj.Exported() {
			pass.ExportObjectFact(obj, new(noReturnFact))
		}
	}
	return ctrlflow.Analyzer.Run(&inner)
}
