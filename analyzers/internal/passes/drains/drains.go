// Package drains follows how a program's servers are started, shut down and waited
// for.
//
// # How
//
// A function that shuts a server down, by itself or through others of its package,
// is followed with all that it calls, defers and starts, on the solver of package
// flow. It is a may-analysis of paths: a state is a set of worlds, one for each way
// to a point that is told apart, and a world holds what variables and fields are and
// what has surely happened on that way: which contexts are done, which servers have
// come back from Serve, which shutdowns are through. A fault is found in one world.
//
// A goroutine is followed where it is started, from what is known there. What it
// does that others can wait for (a send, a close, the end of a group's member, a
// cancel) is an event, with the world in which it comes; who receives it knows all
// of that world's facts. So "main returns before the shutdown is through" is: the
// shutdown has begun (Serve came back with ErrServerClosed, or all that the goroutine
// waited for has happened), and that it came back is no fact.
//
// A server that is not shut down fails or serves for ever: the world in which Serve
// fails is not followed. Worlds beyond a bound are forgotten. Both only hide faults.
//
// A helper is followed again from each caller, with what the caller gives it; one of
// another package as a fact tells it (fact.go). A fault is reported in the innermost
// function that shows it without its callers.
//
// Refused: summaries of helpers as transfer functions (what a helper does depends on
// what its channels and contexts are), happens-before as a graph of events without
// paths (loses errors.Is(err, http.ErrServerClosed), on which most programs depend).
package drains

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/cfgs"
	"github.com/httpvet/httpvet/analyzers/internal/passes/index"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// Analyzer prepares a package. Its result is an *Info.
var Analyzer = &analysis.Analyzer{
	Name:       "drains",
	Doc:        "follow how servers are shut down",
	URL:        "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/internal/passes/drains",
	Requires:   []*analysis.Analyzer{inspect.Analyzer, cfgs.Analyzer, index.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Info](),
	FactTypes:  []analysis.Fact{new(bodyFact), new(saysFact), new(probeFact)},
}

// An Info finds the faults of a package.
type Info struct {
	pass    *analysis.Pass
	info    *types.Info
	inspect *inspector.Inspector
	index   *typeset.Index
	cfgs    *ctrlflow.CFGs
	grace   time.Duration
	foreign *foreign

	units    map[ast.Node]*unit // functions and function literals
	lits     []*unit
	saying   map[*types.Package]bool   // other packages: whether their functions have facts
	hooks    map[ast.Node]bool         // literals that a framework calls at a signal
	cancels  map[*types.Var]string     // what ends a context that is a field or variable of the package
	fields   map[*types.Var]*types.Var // contexts, and the field that each is put into
	followed map[*ast.FuncLit]bool
	ready    readiness
	used     map[*types.Var]bool // what handlers mention
	served   []ast.Node          // what handlers run, known when used is
	told     map[*types.Var]bool // see findTold
	heard    map[*types.Var]bool // fields that may be waited for
	vars     map[token.Pos]*types.Var
	places   map[string]*types.Var // fields, by place
	reported map[reportKey]bool
	faults   []*Fault
}

func run(pass *analysis.Pass) (any, error) {
	p := &Info{
		pass:     pass,
		info:     pass.TypesInfo,
		inspect:  pass.ResultOf[inspect.Analyzer].(*inspector.Inspector),
		index:    pass.ResultOf[index.Analyzer].(*typeset.Index),
		cfgs:     pass.ResultOf[cfgs.Analyzer].(*ctrlflow.CFGs),
		saying:   make(map[*types.Package]bool),
		hooks:    make(map[ast.Node]bool),
		cancels:  make(map[*types.Var]string),
		fields:   make(map[*types.Var]*types.Var),
		places:   make(map[string]*types.Var),
		followed: make(map[*ast.FuncLit]bool),
		ready:    readiness{abroad: make(map[string]bool)},
		reported: make(map[reportKey]bool),
	}
	p.export()
	return p, nil
}

// Faults returns the faults of the package, for processes that have the time grace
// between the signal and the kill.
func (p *Info) Faults(grace time.Duration) []*Fault {
	if !typeset.Imports(p.pass.Pkg, httpmodel.LifecyclePaths()...) {
		return nil
	}
	p.grace = grace
	p.survey()
	roots := p.roots()
	if len(roots) == 0 {
		return nil
	}
	p.findReadiness()
	for _, root := range roots {
		p.follow(root)
	}
	return p.faults
}

// follow follows a function from nothing known.
func (p *Info) follow(root ast.Node) {
	if !isAbroad(root) && p.isTest(root) {
		return
	}
	if lit, ok := root.(*ast.FuncLit); ok && p.followed[lit] {
		return // Have: the function that it lies in runs it.
	}
	f := &follower{
		Info:     p,
		info:     p.infoOf(root),
		root:     root,
		done:     make(map[string]*thread),
		ended:    make(map[token.Pos]site),
		oneShots: make(map[ast.Node]bool),
		answers:  make(map[ast.Node]bool),
	}
	w := newWorld()
	if p.hooks[root] {
		w = w.add("signalled", root.Pos())
	}
	a := f.run(w, root, nil)
	if a == nil {
		return
	}
	f.judge(f.steps <= maxSteps)
}
