// Package resend finds HTTP requests that are sent again after a failure, and says
// what is known of the attempt before.
//
// # The analysis
//
// It is a forward analysis over the control-flow graph that keeps the paths apart: a
// state is a set of worlds, and a world says what the variables hold on some paths,
// as far as that decides what happens after an attempt: constants, nil, the error,
// response or status of a request that was sent, requests, readers, functions. A
// request that is sent makes two worlds, one with an error from the transport and
// one with a response; conditions narrow which errors and statuses are left.
// Functions of the package are followed where they are called, with what the call
// gives them, and so are function literals, also those given to a library that
// repeats them.
//
// A world in which the same place sends a second time is a finding, and ends there:
// it says what the first attempt came to, whether time passed, and whether the body
// was read. So it may happen on some path, but that path was not seen to be closed:
// conditions that are not understood leave both ways open, and those that ask
// something unknown about the error put the world in doubt.
//
// A function of another package of the module is not followed, but told of by a fact: it
// is run once, its operands standing for themselves, and each way out of it says what it
// sent, how long it waited, what it asked of an error or response that it was given, and
// what it returns of all that (see summary).
//
// Refused: to follow functions of other modules, for the cost; to follow values through channels, slices and maps; to say
// anything where the worlds become too many.
package resend

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

var Analyzer = &analysis.Analyzer{
	Name:       "resend",
	Doc:        "find requests that are sent again after a failure",
	Requires:   []*analysis.Analyzer{retries.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(summary), new(sentinelFact)},
}

// An Event is an attempt that follows another one of the same request.
type Event struct {
	Entry  ast.Node      // the function in which the analysis began
	Calls  []ast.Node    // from a call in Entry to the one that sends
	Loop   ast.Node      // what repeats: a loop, a label, a function that calls itself, the call of one that repeats; nil if the code goes straight on
	Method string        // empty if unknown
	Dials  bool          // it opens a WebSocket
	Keyed  bool          // the request carries an idempotency key, or may
	Doubt  bool          // something unknown was asked about the failure
	Errs   Errs          // how the attempt before may have failed without a response
	Status Statuses      // the status that it may have been answered with
	Unsure bool          // something unknown was asked about that status
	Waited bool          // some time passed since
	Passed bool          // another request was sent since, whatever became of that attempt
	Sleep  *Sleep        // a wait since then that nothing can end
	Body   *Body         // set if the body was read by the attempt before
	Build  *ast.CallExpr // set if no attempt was made: this made no request

	given    int  // the operand that decides the method, or that is called; 0 for none
	callback bool // it is called
}

// A Sleep is a wait that nothing can end.
type Sleep struct {
	At    ast.Node
	Calls []ast.Node // from a call in the entry to the one that waits, without it
}

// A Body is one that was read before it is sent again.
type Body struct {
	Origin ast.Node   // what made it; nil for a variable
	Var    *types.Var // in which it came: a parameter or field that the code does not set
	First  ast.Node   // the call that read it
	Clone  bool       // the request is a copy of the one that was sent
	Of     BodyOf
}

// BodyOf says what was used again.
type BodyOf uint8

const (
	OfRequest BodyOf = iota // the request
	OfReader                // a reader, for a new request
)

// A Result holds the events of one package.
type Result struct {
	engine *engine
}

// Events returns the requests of the package that are sent again.
func (r *Result) Events() []*Event {
	if r.engine == nil {
		return nil
	}
	r.engine.all()
	return r.engine.events
}

// Posts returns the POST and PATCH requests that the package sends, once or again. Of
// each event, what is said of an attempt before is not set.
func (r *Result) Posts() []*Event {
	if r.engine == nil {
		return nil
	}
	r.engine.all()
	return r.engine.posts
}

// Any reports whether a function of the package sends requests: one that calls helpers of
// other packages need not import what they send with.
func (r *Result) Any() bool {
	if r.engine == nil {
		return false
	}
	r.engine.scanAll()
	for _, s := range r.engine.scans {
		if s.sends {
			return true
		}
	}
	return false
}

// Sends reports whether n, of the function fn, sends a request, or calls a function
// of the package that does.
func (r *Result) Sends(n ast.Node) bool { return r.engine != nil && r.engine.sendsIn(n) }

// CalledFunc returns the function of the package that e is, or nil.
func (r *Result) CalledFunc(e ast.Expr) ast.Node { return r.engine.index.FuncOf(e) }

// run prepares the analysis, which is made when it is asked for.
func run(pass *analysis.Pass) (any, error) {
	if typeset.IsStd(pass.Pkg, pass.Module) || pass.Module != nil && pass.Module.Version != "" {
		return &Result{}, nil
	}
	res := pass.ResultOf[retries.Analyzer].(*retries.Result)
	e := &engine{
		pass:      pass,
		info:      pass.TypesInfo,
		retries:   res,
		index:     res.Index(),
		ids:       make(map[any]int),
		sites:     make(map[string]*site),
		tooMuch:   make(map[*ast.FuncDecl]bool),
		memo:      make(map[callID][]*exit),
		summaries: make(map[*types.Func]*summary),
		foreigns:  make(map[string]*foreign),
	}
	e.export()
	return &Result{e}, nil
}

// A callID tells a call of a function, in a world, from others.
type callID struct {
	site string
	in   worldID
}

// An engine holds what the analyses of one package share.
type engine struct {
	pass        *analysis.Pass
	info        *types.Info
	retries     *retries.Result
	index       *typeset.Index
	scans       map[*ast.FuncDecl]*scan
	counters    map[*types.Var]bool         // that are counted up or down
	guards      map[ast.Expr]*ast.BlockStmt // conditions, and what they lead to
	ids         map[any]int                 // of objects, to name sites by
	sites       map[string]*site
	requeued    map[*types.Var]bool
	texts       *bool                  // whether the package asks about the text of errors; nil: to be found
	careless    map[*ast.CallExpr]bool // whose error is dropped; nil: to be found
	memo        map[callID][]*exit
	summaries   map[*types.Func]*summary // of functions of other packages; nil for none
	foreigns    map[string]*foreign      // by the call and the result
	params      map[any]int              // the operands of the function that is summarized; nil if none is
	calledGiven bool                     // that function calls one of them
	entry       ast.Node
	overflow    bool // the entry has too many worlds
	budget      int  // of nodes, for the entry
	found       []*Event
	sentOnce    []*Event // each POST and PATCH that is sent
	events      []*Event
	posts       []*Event
	done        bool
	tooMuch     map[*ast.FuncDecl]bool // functions that have too many paths to be followed
}

// all analyses each function that sends in a loop.
func (e *engine) all() {
	if e.done {
		return
	}
	e.done = true
	e.scanAll()
	generated := make(map[*token.File]bool)
	for _, file := range e.pass.Files {
		generated[e.pass.Fset.File(file.Package)] = ast.IsGenerated(file)
	}
	total := maxTotal
	for _, decl := range e.calleesFirst() {
		if total < 0 {
			break
		}
		s := e.scans[decl]
		if !s.sends || report.IsTest(e.pass, decl) || generated[e.pass.Fset.File(decl.Pos())] {
			continue
		}
		e.begins(decl, maxNodes)
		e.frame(decl, nil, nil).run(newWorld())
		visited := maxNodes - e.budget
		total -= visited
		e.tooMuch[decl] = e.overflow || visited > maxFollowed
		if e.overflow {
			continue
		}
		e.events = append(e.events, e.found...)
		e.posts = append(e.posts, e.sentOnce...)
	}
}

// begins makes decl the function in which the analysis begins, of no more nodes than
// budget.
func (e *engine) begins(decl *ast.FuncDecl, budget int) {
	e.entry, e.overflow, e.budget, e.found, e.sentOnce = decl, false, budget, nil, nil
	clear(e.memo)
}

// calleesFirst returns the functions of the package, those that another one calls before
// it: what has too many paths by itself is not followed from elsewhere.
func (e *engine) calleesFirst() (order []*ast.FuncDecl) {
	seen := make(map[*ast.FuncDecl]bool)
	var visit func(decl *ast.FuncDecl)
	visit = func(decl *ast.FuncDecl) {
		if seen[decl] {
			return
		}
		seen[decl] = true
		for _, callee := range e.scans[decl].callees {
			visit(callee)
		}
		order = append(order, decl)
	}
	for _, decl := range e.index.Decls() {
		visit(decl)
	}
	return order
}

// maxNodes bounds the nodes that are visited for one entry, maxTotal those for all of a
// package: some twenty seconds. What takes more than maxFollowed by itself is not
// followed from elsewhere.
const (
	maxNodes    = 12000
	maxTotal    = 100 * maxNodes
	maxFollowed = maxNodes / 6
)

// TakesKey reports whether the function that holds n sets a key on requests, or can be
// told to.
func (r *Result) TakesKey(n ast.Node) bool {
	for decl, s := range r.engine.scans {
		if syntax.Within(n, decl) {
			return s.keyed || s.names
		}
	}
	return false
}

// id returns the number of an object, by which sites are named.
func (e *engine) id(obj any) int {
	if obj == nil {
		return 0
	}
	n, ok := e.ids[obj]
	if !ok {
		n = len(e.ids) + 1
		e.ids[obj] = n
	}
	return n
}

// enters returns the world after a loop, or the like, was entered that may repeat what
// was sent: of a request, the outermost one that holds the first of its calls counts.
func (w *world) enters(loop ast.Node) *world {
	c := w
	for _, s := range w.sent() {
		c = c.with(looped, val{k: nonNil})
		old := w.loopOf(s)
		for _, call := range s.calls {
			in := syntax.Within(call, loop)
			if old != nil && syntax.Within(call, old) && !(in && syntax.Within(old, loop)) {
				break
			}
			if in {
				c = c.with(ref{s, "#loop"}, val{k: nonNil, obj: loop})
				break
			}
		}
	}
	return c
}

// looped is set in a world in which a loop was entered after something was sent.
var looped = ref{nil, "#looped"}

// loopOf returns what was entered since s was sent and repeats it, or nil.
func (w *world) loopOf(s *site) ast.Node {
	loop, _ := w.get(ref{s, "#loop"}).obj.(ast.Node)
	return loop
}

// Region returns the region that loop repeats, or nil: then it is no retry.
func (r *Result) Region(loop ast.Node) *retries.Region {
	if loop == nil {
		return nil
	}
	regions := r.engine.retries.Regions()
	i := slices.IndexFunc(regions, func(g *retries.Region) bool {
		return g.Kind != retries.Hook && (g.Node == loop || g.At == loop)
	})
	switch {
	case i >= 0:
		return regions[i]
	case r.engine.onlyFails(loop):
		return r.engine.retries.Assume(loop)
	}
	return nil
}

// onlyFails reports whether a loop that counts, or does not say over what it goes, goes
// round after failures only: no success was among what came of an attempt that is
// followed by another one.
func (e *engine) onlyFails(loop ast.Node) bool {
	switch loop := loop.(type) {
	case *ast.ForStmt:
	case *ast.RangeStmt:
		if t := e.info.TypeOf(loop.X); t == nil || !typeset.IsInteger(t) {
			return false
		}
	default:
		return false
	}
	found := false
	for _, ev := range e.events {
		if ev.Loop != loop || ev.Build != nil {
			continue
		}
		if ev.Status.Where(func(n int) bool { return n < 300 }) != 0 {
			return false
		}
		found = true
	}
	return found
}
