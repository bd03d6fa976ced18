// Package handlers says which functions an HTTP server runs, and where they were
// given to it; and which calls there may end a test.
//
// # The analysis
//
// It is a may analysis: a small abstract machine runs each entry of the package (a
// test, or a function that nobody in the package calls) by itself, in a universe of
// its own. It does not look at the order of statements, but it tells apart the calls
// of a function by their place and receiver, and values by where they were made and
// in which call. So a fake that one test serves and another one calls with a recorder
// is two values.
//
// A value is a function (a literal with the frame it was made in, or a declared one
// with its receiver) or an object: what a composite literal, a variable of a struct
// type, or a call into another package made. A variable or field is a node that holds
// a set of values; a frame (one call of a function) is evaluated again when a node
// that it has read grows, until nothing grows.
//
// A frame runs on the test's goroutine, on a server's, or on one of which nothing is
// said (stray). What is called runs where the caller does. What is served (given to
// httptest.NewServer and so on) runs on a server's: of a function, itself; of an
// object of this package, the methods that the server asks for; of an object of
// another package (a mux, a router, an options value), all that it holds. A function
// that returns a function or a handler is middleware: what it returns is served.
//
// Functions of other packages are known by facts: which parameters they serve, or
// which fields of them, which functions they call before they return and do not keep,
// or find in fields of their receiver, whether their result is served. Otherwise the
// receiver and the result of a call hold its arguments; of a package without facts, only
// handlers. A mock runs what it holds where it is called.
//
// What the machine cannot follow is not served: what a library calls by reflection,
// what is kept in a place that nothing here reads, and what exceeds the bounds on
// frames (maxFrames) and depth (maxDepth). Refused: going by the signature, as an
// http.HandlerFunc that a test calls itself is none.
package handlers

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/failreach"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

var Analyzer = &analysis.Analyzer{
	Name:       "handlers",
	Doc:        "find the functions that an HTTP server runs",
	Requires:   []*analysis.Analyzer{failreach.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(serveFact), new(knownFact)},
}

// A Result answers questions about the handlers of one package. The package is
// looked at when the first question is asked.
type Result struct {
	once    sync.Once
	machine *machine
}

// A Site is a place where a handler is given to a server.
type Site struct {
	Call *ast.CallExpr
}

// A Call is a call on a server's goroutine that may end a test.
type Call struct {
	Call   *ast.CallExpr // in the function In
	In     ast.Node      // an *ast.FuncDecl or *ast.FuncLit
	Func   *types.Func   // what is called
	Value  ast.Expr      // the operand of Call that holds the test
	Served *Site
	Makes  bool   // Call only makes the function that does
	Steps  []Step // how In came to run, the last call first
}

// A Step is a call that leads to a Call.
type Step struct {
	Call   *ast.CallExpr // in the function In
	In     ast.Node
	Callee ast.Node // what it calls
	Static bool     // Call names Callee: a declared function, a variable that holds a literal
}

// Served reports whether fn, an *ast.FuncDecl or *ast.FuncLit, is run by a server,
// and where it was given to one. What such a function calls is not served.
func (r *Result) Served(fn ast.Node) (*Site, bool) {
	r.simulate()
	if r.machine == nil {
		return nil, false
	}
	site := r.machine.served[fn]
	return site, site != nil
}

// Calls returns the calls on servers' goroutines that may end a test.
func (r *Result) Calls() []*Call {
	r.simulate()
	if r.machine == nil {
		return nil
	}
	return r.machine.calls
}

// InTest reports whether fn, an *ast.FuncDecl or *ast.FuncLit, may also run on a
// test's own goroutine.
func (r *Result) InTest(fn ast.Node) bool {
	r.simulate()
	return r.machine != nil && r.machine.inTest[fn]
}

func (r *Result) simulate() {
	r.once.Do(func() {
		if r.machine != nil {
			r.machine.runAll()
		}
	})
}

// A serveFact is what is known of a function of another package. The bits are as in
// failreach.Set.
type serveFact struct {
	Serves uint32 // parameters that it serves
	Fields string // fields of parameters that it serves: "1.Handler 1.NotFound"
	Only   uint32 // parameters, functions or slices of them, that it only calls before it returns
	Later  uint32 // parameters, functions, that only the function calls which it returns
	Result uint32 // results that are served
	Hooks  string // fields of the receiver, functions, that it may call before it returns
}

func (*serveFact) AFact() {}

func (f *serveFact) String() string {
	return fmt.Sprintf("serve(serves=%b fields=%q only=%b later=%b result=%b hooks=%q)", f.Serves, f.Fields, f.Only, f.Later, f.Result, f.Hooks)
}

// A knownFact says that what is to be known of the functions of a package stands in
// facts: some drivers have none.
type knownFact struct{}

func (*knownFact) AFact() {}

func (*knownFact) String() string { return "known" }

func run(pass *analysis.Pass) (any, error) {
	if !typeset.Imports(pass.Pkg, httpmodel.ServerPaths()...) {
		return new(Result), nil
	}
	m := newMachine(pass)
	m.exportFacts()
	return &Result{machine: m}, nil
}
