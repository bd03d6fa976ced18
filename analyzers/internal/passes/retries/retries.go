// Package retries says which code of a package is run again and again for one and
// the same operation, and what repeats it.
//
// # What is a retry
//
// A loop is one if it leaves on success and goes round on failure. Each round is
// followed over the control-flow graph with a verdict on what it called: nothing
// yet, ran (no failure is known), judged (decided by something in an answer), or
// failed. It is a must analysis: where paths meet, the verdict is the better one.
// The loop is a retry if no path goes round having merely run, some path goes round
// having failed, and some path leaves having not failed. So a consumer, a seeder, a
// poller and an accept loop, which go round on success, are none, whatever they
// look like.
//
// What runs for each attempt need not lie in a loop: it is also a function given to
// one that calls it in such a loop (a fact: it holds through other packages), a
// function that calls itself on failure, the code between a label and its goto, a
// consumer that puts its job back on the queue it came from, the handler of a queue
// that does so itself, a hook that a retrying client runs for each attempt, and the
// same call written out once more for when it fails.
//
// Whether all rounds work on the same thing is another question: a range over
// cards leaves on success too. A region names the variables that hold another
// thing in each round (Items), and DependsOn says whether an expression uses them.
//
// Refused: judging a loop by its shape (a counter, a sleep) or the names around
// it; a seeder has both.
package retries

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/passes/cfgs"
	"github.com/httpvet/httpvet/analyzers/internal/passes/index"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

var Analyzer = &analysis.Analyzer{
	Name:       "retries",
	Doc:        "find code that is repeated for the same operation",
	Requires:   []*analysis.Analyzer{cfgs.Analyzer, index.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(repeats)},
}

// A Kind says how a region is repeated.
type Kind uint8

const (
	Loop      Kind = iota // Node is the loop, an *ast.ForStmt or *ast.RangeStmt
	Goto                  // Node is the *ast.LabeledStmt to which a goto leads back
	Callback              // Node is a function given to one that repeats it
	Recursion             // Node is a function that calls itself on failure
	Requeue               // Node is a loop that puts what it took back on the queue, or a function that a queue calls again with a job that failed
	Again                 // Node is an *ast.IfStmt that makes a call once more that failed
	Hook                  // Node is a function that a retrying client runs for each attempt
	Assumed               // Node is a loop or function of which another analysis shows that it is a retry
)

// A Region is code that is run again and again for one operation.
type Region struct {
	Kind     Kind
	Node     ast.Node            // what is repeated
	Func     ast.Node            // the *ast.FuncDecl or *ast.FuncLit that Node lies in, or is
	Holder   *ast.FuncDecl       // the declared function that holds the repetition; nil for a variable
	At       ast.Node            // where the code says that it repeats: the loop, the call
	By       string              // what repeats, as a message calls it
	Counters map[*types.Var]bool // variables that count the attempts
	Items    map[*types.Var]bool // variables that hold another thing in each round
	Queued   map[*types.Var]bool // variables whose value comes round again: those put back
	Exits    []Exit              // how a loop is left; nil for others
}

// An Exit is a way out of a loop: a return, or nil for a break, the loop's
// condition and the end of what it ranges over.
type Exit struct {
	Return *ast.ReturnStmt
	Failed bool // only after a failure
}

// Bounded reports whether the region says in its own code how often it is repeated
// at most: a condition, a range, or a comparison with a counter.
func (r *Region) Bounded(info *types.Info) bool {
	switch n := r.Node.(type) {
	case *ast.RangeStmt:
		return true
	case *ast.ForStmt:
		if n.Cond != nil {
			return true
		}
	}
	bounded := false
	ast.Inspect(r.Node, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && isComparison(b.Op) {
			for _, e := range []ast.Expr{b.X, b.Y} {
				v := typeset.VarOf(info, e)
				bounded = bounded || v != nil && r.Counters[v]
			}
		}
		return !bounded
	})
	return bounded
}

// Waits returns the places in the region that wait for time to pass: calls of
// time.Sleep and receives from a timer.
func (r *Region) Waits(info *types.Info) (waits []ast.Node) {
	ast.Inspect(r.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if typeset.IsFunc(typeset.Callee(info, n), "time", "Sleep") {
				waits = append(waits, n)
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && isTimeChan(info.TypeOf(n.X)) {
				waits = append(waits, n)
			}
		}
		return true
	})
	return waits
}

// isTimeChan reports whether t is a channel of times: that of a timer.
func isTimeChan(t types.Type) bool {
	ch, ok := t.Underlying().(*types.Chan)
	return ok && typeset.IsNamed(ch.Elem(), "time", "Time")
}

// DependsOn reports whether e uses what is another thing in each round. It does
// not look at the parts for which skip reports true.
func (r *Region) DependsOn(info *types.Info, e ast.Node, skip func(ast.Node) bool) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if n == nil || found || skip != nil && skip(n) {
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := info.ObjectOf(id).(*types.Var); ok && r.Items[v] {
				found = true
			}
		}
		return true
	})
	return found
}

// A Result answers questions about the repeated code of one package. Several passes
// may ask at the same time.
type Result struct {
	mu      sync.Mutex // held while a question is answered
	pass    *analysis.Pass
	cfgs    *ctrlflow.CFGs
	index   *typeset.Index
	params  map[*types.Func]map[int]bool // functions of this package: the parameters that they repeat
	busy    map[*types.Func]bool
	regions []*Region
	known   bool // regions is complete
}

func run(pass *analysis.Pass) (any, error) {
	r := &Result{
		pass:   pass,
		cfgs:   pass.ResultOf[cfgs.Analyzer].(*ctrlflow.CFGs),
		index:  pass.ResultOf[index.Analyzer].(*typeset.Index),
		params: make(map[*types.Func]map[int]bool),
		busy:   make(map[*types.Func]bool),
	}
	if typeset.IsStd(pass.Pkg, pass.Module) {
		return r, nil
	}
	for _, decl := range r.index.Decls() {
		fn, _ := pass.TypesInfo.Defs[decl.Name].(*types.Func)
		if fn == nil || !fn.Exported() || !takesFunc(fn) {
			continue
		}
		if params := r.repeatedParams(fn); len(params) > 0 {
			pass.ExportObjectFact(fn, newRepeats(params))
		}
	}
	return r, nil
}

// Regions returns the repeated code of the package, in the order of the source.
func (r *Result) Regions() []*Region {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.known {
		r.known = true
		r.find()
	}
	return r.regions
}

// Assume returns the region of a loop, or of a function that calls itself, that is a
// retry for reasons of the caller's.
func (r *Result) Assume(loop ast.Node) *Region {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := &Region{Kind: Assumed, Node: loop, At: loop, By: "the loop", Counters: make(map[*types.Var]bool), Items: make(map[*types.Var]bool)}
	if decl, ok := loop.(*ast.FuncDecl); ok {
		if fn, ok := r.pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
			r.addArguments(g, callsOf(r.pass.TypesInfo, decl, fn), fn.Signature())
		}
	}
	r.addCounters(g)
	r.addItems(g)
	return g
}

// CFG returns the control-flow graph of an *ast.FuncDecl or *ast.FuncLit, and its
// body.
func (r *Result) CFG(fn ast.Node) (*cfg.CFG, *ast.BlockStmt) {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		return r.cfgs.FuncDecl(fn), fn.Body
	case *ast.FuncLit:
		return r.cfgs.FuncLit(fn), fn.Body
	}
	return nil, nil
}

// Index returns the index of the package.
func (r *Result) Index() *typeset.Index { return r.index }

// isComparison reports whether op compares.
func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}
