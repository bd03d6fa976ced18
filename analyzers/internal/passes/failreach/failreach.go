// Package failreach says which functions may end a test, and which of the testing
// values that they are given they end.
//
// # The analysis
//
// It is a may analysis that does not look at the order of statements. The root is
// runtime.Goexit, called by a method of a testing value, and each call of FailNow,
// Fatal, Skip and the like through an interface; of package testing there is a table,
// since not every driver shows its bodies. From there it goes back from callees to
// callers, in this package by a worklist, and over packages by facts:
//
//	func must(t testing.TB, err error) { if err != nil { t.Fatal(err) } }
//
// ends its parameter 0; (*require.Assertions).NoError ends its receiver. A local
// variable stands for the parameters that it was made from. A function literal is
// part of the function around it only where that function runs it: calls it, or
// hands it to one that calls its parameter. A field that holds a function that ends a
// test somewhere in its package ("armed") ends its holder where it is called; a
// constructor that fills all such fields of its result with harmless functions
// returns a value that ends nothing ("soft"); a function that returns a handler
// "makes" what ends a test when it is served.
//
// Refused: a list of assertion packages; call graphs through interfaces (the bodies
// behind a call are those of all types that fit).
package failreach

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

var Analyzer = &analysis.Analyzer{
	Name:       "failreach",
	Doc:        "find the functions that may end a test",
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(reachFact), new(reachingFact)},
}

// A Set is a set of what a function is given: its receiver and its parameters.
type Set uint32

const receiver Set = 1

// maxParams is the number of parameters that a Set can hold.
const maxParams = 30

// param returns the set of the i-th parameter.
func param(i int) Set {
	if i < 0 || i >= maxParams {
		return 0
	}
	return 2 << i
}

// Receiver reports whether the receiver is in s.
func (s Set) Receiver() bool { return s&receiver != 0 }

// Param reports whether the i-th parameter is in s.
func (s Set) Param(i int) bool { return s&param(i) != 0 }

// A reachFact is what is known of a function.
type reachFact struct {
	Ends  Set  // what holds a testing value that it may end
	Calls Set  // what holds a function that it may call
	Armed Set  // parameters that end a test if one of their armed fields does
	Made  Set  // what holds a testing value that a handler which it returns may end
	Lends Set  // testing values that a method uses and does not keep
	Soft  bool // its result is soft
}

func (*reachFact) AFact() {}

func (f *reachFact) String() string {
	return fmt.Sprintf("reach(ends=%b calls=%b armed=%b made=%b lends=%b soft=%t)", f.Ends, f.Calls, f.Armed, f.Made, f.Lends, f.Soft)
}

// A reachingFact says that a package has functions that end a test.
type reachingFact struct{}

func (*reachingFact) AFact() {}

// A Result answers questions about functions, of this package and those that it
// imports.
type Result struct {
	pass  *analysis.Pass
	local map[*types.Func]reachFact
	lits  map[*ast.FuncLit]*unit
}

// Ends returns what fn is given of which it may end the test.
func (r *Result) Ends(fn *types.Func) Set {
	fact := r.of(fn)
	return fact.Ends | fact.Armed
}

// Soft reports whether fn returns a value that ends nothing, where others of its
// type would.
func (r *Result) Soft(fn *types.Func) bool { return r.of(fn).Soft }

// Calls returns what fn is given that holds functions which it may call.
func (r *Result) Calls(fn *types.Func) Set { return r.of(fn).Calls }

// Made returns what fn is given of which a function or handler that is its first
// result may end the test.
func (r *Result) Made(fn *types.Func) Set { return r.of(fn).Made }

// Lends returns the testing values that fn, a method, is given for the time of the
// call: it does not keep them.
func (r *Result) Lends(fn *types.Func) Set { return r.of(fn).Lends }

// EndsLit reports whether a function literal of this package may end a test that the
// function around it is given.
func (r *Result) EndsLit(lit *ast.FuncLit) bool {
	u := r.lits[lit]
	return u != nil && u.fact.Ends != 0
}

// EndsType reports whether t is the type of testing values, or of values that hold
// one and may end its test.
func (r *Result) EndsType(t types.Type) bool {
	if httpmodel.IsTesting(t) {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "FailNow")
		fn, ok := obj.(*types.Func)
		return !ok || r.Ends(fn.Origin()).Receiver()
	}
	named := typeset.Named(t)
	if named == nil || types.IsInterface(named) {
		return false
	}
	for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if fn, ok := m.Obj().(*types.Func); ok && r.Ends(fn.Origin()).Receiver() {
			return true
		}
	}
	return false
}

// of returns what is known of fn.
func (r *Result) of(fn *types.Func) reachFact {
	fn = fn.Origin()
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		if httpmodel.EndsTest(fn) || httpmodel.EndsMaker(fn) {
			return reachFact{Ends: receiver}
		}
		return reachFact{}
	}
	if httpmodel.EndsOwnTest(fn) {
		return reachFact{Ends: receiver}
	}
	if fn.Pkg() == r.pass.Pkg {
		return r.local[fn]
	}
	var fact reachFact
	if fn.Pkg() != nil {
		r.pass.ImportObjectFact(fn, &fact)
	}
	if httpmodel.CallsExpected(fn) {
		fact.Calls = param(0)
	}
	return fact
}

func run(pass *analysis.Pass) (any, error) {
	res := &Result{pass: pass, local: make(map[*types.Func]reachFact)}
	if !relevant(pass) {
		return res, nil
	}
	solve(pass, res)
	found := false
	for fn, fact := range res.local {
		found = true
		if fn.Exported() && pass.Pkg.Name() != "main" {
			pass.ExportObjectFact(fn, &fact)
		}
	}
	if found {
		pass.ExportPackageFact(new(reachingFact))
	}
	return res, nil
}

// relevant reports whether the package may have a function that ends a test: it
// can see one, or names one in an interface.
func relevant(pass *analysis.Pass) bool {
	if typeset.IsStd(pass.Pkg, pass.Module) {
		return false // what package testing has, a table tells
	}
	for _, dep := range pass.Pkg.Imports() {
		if dep.Path() == "testing" || pass.ImportPackageFact(dep, new(reachingFact)) {
			return true
		}
	}
	scope := pass.Pkg.Scope()
	for _, name := range scope.Names() {
		if obj, ok := scope.Lookup(name).(*types.TypeName); ok && types.IsInterface(obj.Type()) && hasEnd(obj.Type()) {
			return true
		}
	}
	return false
}

// hasEnd reports whether an interface has a method that ends a test.
func hasEnd(iface types.Type) bool {
	u, ok := iface.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range u.Methods() {
		if httpmodel.EndsTest(m) {
			return true
		}
	}
	return false
}

// isGoexit reports whether fn is runtime.Goexit.
func isGoexit(fn *types.Func) bool { return typeset.IsFunc(fn, "runtime", "Goexit") }

// A unit is a function declaration, or a function literal that is part of one.
type unit struct {
	owner *unit // the declaration; itself
	fn    *types.Func
	body  *ast.BlockStmt
	fact  reachFact
	sites []*site
	rets  []ast.Expr // its first results
	from  []*unit    // units with a site that depends on this one
}
