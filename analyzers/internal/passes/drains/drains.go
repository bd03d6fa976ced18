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
// A helper is followed again from each caller, with what the caller gives it. A
// fault is reported in the innermost function that shows it without its callers.
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
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/cfgs"
	"github.com/httpvet/httpvet/analyzers/internal/passes/index"
	"github.com/httpvet/httpvet/analyzers/internal/report"
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
	FactTypes:  []analysis.Fact{new(bodyFact), new(saysFact)},
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

	units    map[*types.Func]*unit
	lits     []*unit
	saying   map[*types.Package]bool   // other packages: whether their functions have facts
	telling  map[*types.Func]bool      // functions to follow where they are called
	silent   map[ast.Node]bool         // function literals that need not be followed
	ending   map[ast.Node]bool         // functions and literals that end a server
	hooks    map[ast.Node]bool         // literals that a framework calls at a signal
	methods  map[string][]*types.Func  // by name: what a method of an interface may be
	cancels  map[*types.Var]string     // what ends a context that is a field or variable of the package
	fields   map[*types.Var]*types.Var // contexts, and the field that each is put into
	followed map[*ast.FuncLit]bool
	ready    readiness
	used     map[*types.Var]bool // what handlers mention
	heard    map[*types.Var]bool // fields that may be waited for
	vars     map[token.Pos]*types.Var
	reported map[reportKey]bool
	faults   []*Fault
}

func run(pass *analysis.Pass) (any, error) {
	p := &Info{
		pass:     pass,
		info:     pass.TypesInfo,
		inspect:  pass.ResultOf[inspect.Analyzer].(*inspector.Inspector),
		cfgs:     pass.ResultOf[cfgs.Analyzer].(*ctrlflow.CFGs),
		foreign:  newForeign(),
		saying:   make(map[*types.Package]bool),
		silent:   make(map[ast.Node]bool),
		ending:   make(map[ast.Node]bool),
		hooks:    make(map[ast.Node]bool),
		methods:  make(map[string][]*types.Func),
		telling:  make(map[*types.Func]bool),
		cancels:  make(map[*types.Var]string),
		fields:   make(map[*types.Var]*types.Var),
		followed: make(map[*ast.FuncLit]bool),
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
		Info:   p,
		info:   p.infoOf(root),
		root:   root,
		done:   make(map[string]*thread),
		ended:  make(map[token.Pos]site),
		routes: make(map[token.Pos]*ast.CallExpr),
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

// isTest reports whether n lies in a test, or in no file.
func (p *Info) isTest(n ast.Node) bool {
	file := report.FileOf(p.pass, n.Pos())
	return file == nil || report.IsTest(p.pass, file)
}

// A unit is what survey knows of a declared function, or of a literal.
type unit struct {
	node  ast.Node
	tells bool // it says something about contexts, channels, servers or exits
	acts  bool // it does something with channels, groups or goroutines
	says  bool // it is about servers, signals or databases
	ends  bool // it ends a server
	calls []*types.Func
}

// add adds what a function that u calls does, and reports whether that is new.
func (u *unit) add(callee *unit) bool {
	old := *u
	u.tells, u.acts, u.says, u.ends = u.tells || callee.tells, u.acts || callee.acts, u.says || callee.says, u.ends || callee.ends
	return u.tells != old.tells || u.acts != old.acts || u.says != old.says || u.ends != old.ends
}

// survey looks through the functions of the package, once.
func (p *Info) survey() {
	if p.units != nil {
		return
	}
	p.index = p.pass.ResultOf[index.Analyzer].(*typeset.Index)
	p.units = make(map[*types.Func]*unit)
	p.findCancels()
	for _, decl := range p.index.Decls() {
		if fn, ok := p.info.Defs[decl.Name].(*types.Func); ok && decl.Recv != nil {
			p.methods[fn.Name()] = append(p.methods[fn.Name()], fn)
		}
	}
	for _, decl := range p.index.Decls() {
		u, inner := p.scan(decl)
		p.lits = append(p.lits, inner...)
		if fn, ok := p.info.Defs[decl.Name].(*types.Func); ok {
			p.units[fn] = u
		}
	}
	for changed := true; changed; {
		changed = false
		for _, u := range p.units {
			for _, fn := range u.calls {
				if callee := p.units[fn]; callee != nil && u.add(callee) {
					changed = true
				}
			}
		}
	}
	for fn, u := range p.units {
		p.telling[fn] = u.tells
		p.ending[u.node] = u.ends
	}
	for _, lit := range p.lits {
		for _, fn := range lit.calls {
			if u := p.units[fn]; u != nil {
				lit.add(u)
			}
		}
		p.silent[lit.node] = !lit.tells
		p.ending[lit.node] = lit.ends
	}
}

// roots returns the functions to follow by themselves, those that end a server:
// callees first.
func (p *Info) roots() (roots []ast.Node) {
	visited := make(map[*types.Func]bool)
	var visit func(fn *types.Func)
	visit = func(fn *types.Func) {
		if visited[fn] {
			return
		}
		visited[fn] = true
		u := p.units[fn]
		if u == nil {
			if decl := p.declOf(fn); decl != nil && p.foreign.facts[decl].Ends {
				roots = append(roots, p.readFrom(decl)...)
			}
			return
		}
		for _, callee := range u.calls {
			visit(callee)
		}
		if u.ends {
			roots = append(roots, u.node)
		}
	}
	for _, decl := range p.index.Decls() {
		if fn, ok := p.info.Defs[decl.Name].(*types.Func); ok && p.units[fn].ends {
			visit(fn)
		}
	}
	for _, lit := range p.lits {
		if lit.ends {
			roots = append(roots, lit.node)
		}
	}
	return roots
}

// scan looks through a function.
func (p *Info) scan(decl *ast.FuncDecl) (u *unit, lits []*unit) {
	u = &unit{node: decl}
	if fn, ok := p.info.Defs[decl.Name].(*types.Func); ok {
		u.tells = tellingSignature(fn.Signature())
	}
	open := []*unit{u}
	var stack []ast.Node
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if n == nil {
			if _, ok := stack[len(stack)-1].(*ast.FuncLit); ok {
				open = open[:len(open)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.FuncLit:
			lit := &unit{node: n}
			lits = append(lits, lit)
			open = append(open, lit)
		case *ast.Ident:
			var found unit
			switch obj := p.info.Uses[n].(type) {
			case *types.Func:
				obj = obj.Origin()
				if typeset.IsInterfaceMethod(obj) {
					found.ends = obj.Name() == "Shutdown" || obj.Name() == "GracefulStop" // Have: a server's, maybe.
					for _, u := range open {
						u.calls = append(u.calls, p.methods[obj.Name()]...)
					}
				} else if fact := p.factOf(obj); obj.Pkg() == p.pass.Pkg || fact != nil {
					for _, u := range open {
						u.calls = append(u.calls, obj)
						u.add(&unit{tells: fact != nil, says: fact != nil, ends: fact != nil && fact.Ends})
					}
					break
				}
				what, _ := httpmodel.ServerCallOf(obj)
				found.ends = found.ends || what == httpmodel.Shutdown || what == httpmodel.Close || what == httpmodel.OnShutdown
				found.tells = what != httpmodel.NoServerCall || tellsOfOrder(obj)
				found.says = found.ends || p.isAnchor(obj)
				found.acts = httpmodel.EndsProcess(obj) || typeset.IsMethod(obj, "sync", "WaitGroup", "Wait", "Done", "Go") ||
					typeset.IsFunc(obj, "context", "WithCancel", "WithCancelCause")
			case *types.Var:
				found.acts = p.cancels[obj] != "" && (obj.IsField() || obj.Parent() == p.pass.Pkg.Scope())
				found.tells = p.cancels[obj] != "" || httpmodel.IsErrServerClosed(obj)
			case *types.Builtin:
				found.acts = obj.Name() == "close"
				found.tells = found.acts || obj.Name() == "panic"
			}
			for _, u := range open {
				u.add(&found)
			}
		default:
			if lit, ok := n.(*ast.CompositeLit); ok {
				p.noteHooks(lit)
			}
			for i, u := range open {
				u.tells = u.tells || p.tellsAlone(n) || i > 0 && p.givesBack(n)
				u.acts = u.acts || passesOn(n) || p.keeps(n)
				u.says = u.says || p.makesServer(n)
			}
		}
		return true
	})
	return u, lits
}

// noteHooks notes the functions in lit that a framework calls at a signal.
func (p *Info) noteHooks(lit *ast.CompositeLit) {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if fn, ok := kv.Value.(*ast.FuncLit); ok && httpmodel.IsStopHook(typeset.VarOf(p.info, kv.Key), p.info.TypeOf(lit)) {
				p.hooks[fn] = true
			}
		}
	}
}

// tellsAlone reports whether a statement or expression says something by its form.
func (p *Info) tellsAlone(n ast.Node) bool {
	if lit, ok := n.(*ast.BasicLit); ok {
		return lit.Kind == token.STRING && strings.Contains(lit.Value, "/read")
	}
	return passesOn(n) || p.makesServer(n)
}

// makesServer reports whether n makes a server.
func (p *Info) makesServer(n ast.Node) bool {
	lit, ok := n.(*ast.CompositeLit)
	return ok && httpmodel.IsServer(p.info.TypeOf(lit))
}

// passesOn reports whether n sends or receives, or starts a goroutine.
func passesOn(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	}
	return false
}

// keeps reports whether n puts a function, a channel, a context or a time into a field,
// or adds it to a list there.
func (p *Info) keeps(n ast.Node) bool {
	assign, ok := n.(*ast.AssignStmt)
	if !ok {
		return false
	}
	for _, x := range assign.Lhs {
		v := typeset.VarOf(p.info, x)
		if v == nil || !v.IsField() {
			continue
		}
		t := v.Type()
		if list, ok := t.Underlying().(*types.Slice); ok {
			t = list.Elem()
		}
		if _, ok := t.Underlying().(*types.Signature); ok || isChanType(t) || isContextType(t) || typeset.IsNamed(t, "time", "Duration") {
			return true
		}
	}
	return false
}

// givesBack reports whether a part of a function literal returns something, sets a
// flag or calls a function that is a value.
func (p *Info) givesBack(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return typeset.VarOf(p.info, n.Fun) != nil
	case *ast.ReturnStmt:
		return len(n.Results) > 0
	case *ast.AssignStmt:
		for _, x := range n.Rhs {
			if t := p.info.TypeOf(x); t == nil || typeset.IsBool(t) || typeset.IsNamed(t, "time", "Duration") {
				return true
			}
		}
	}
	return false
}

// tellsOfOrder reports whether fn, of another package, says something about what
// comes after what.
func tellsOfOrder(fn *types.Func) bool {
	if httpmodel.EndsProcess(fn) || httpmodel.ClosesDatabase(fn) || httpmodel.GivesDatabase(fn) || httpmodel.ServesForever(fn) ||
		httpmodel.ActorCallOf(fn) != httpmodel.NoActorCall {
		return true
	}
	if fn.Pkg() == nil {
		return false
	}
	switch typeset.PkgPath(fn.Pkg()) {
	case "context", "os/signal", "sync", "sync/atomic", errgroup:
		return true
	case "time":
		return fn.Name() == "Sleep" || fn.Name() == "After" || fn.Name() == "AfterFunc" || fn.Name() == "NewTimer"
	}
	return false
}

// tellingSignature reports whether a function of this signature may hand on what
// this package follows.
func tellingSignature(sig *types.Signature) bool {
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			t := v.Type()
			if isContextType(t) || isChanType(t) || httpmodel.IsServer(t) {
				return true
			}
			if _, ok := t.Underlying().(*types.Signature); ok {
				return true
			}
		}
	}
	return sig.Results().Len() == 1 && typeset.IsNamed(sig.Results().At(0).Type(), "time", "Duration")
}

// findCancels finds the fields and variables of the package that hold the cancel of
// a context in another.
func (p *Info) findCancels() {
	pairs := make(map[*types.Var]*types.Var) // cancel -> context
	name := func(ctx *types.Var) string {
		if ctx.IsField() {
			return ctx.Name()
		}
		return varPlace(ctx)
	}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) == 2 && len(n.Rhs) == 1 {
					ctx, cancel := typeset.VarOf(p.info, n.Lhs[0]), typeset.VarOf(p.info, n.Lhs[1])
					if ctx != nil && cancel != nil && isContextType(ctx.Type()) {
						if _, ok := cancel.Type().Underlying().(*types.Signature); ok {
							pairs[cancel] = ctx
							known := cancel.IsField() || cancel.Parent() == p.pass.Pkg.Scope() || len(p.index.Defs(cancel)) == 1 && len(p.index.Defs(ctx)) == 1
							if cancel.IsField() == ctx.IsField() && known {
								p.cancels[cancel] = name(ctx)
							}
						}
					}
				}
			case *ast.CompositeLit:
				fields := make(map[*types.Var]*types.Var) // what a field is set to -> the field
				for _, elt := range n.Elts {
					if kv, ok := elt.(*ast.KeyValueExpr); ok {
						if key, ok := kv.Key.(*ast.Ident); ok {
							field, _ := p.info.Uses[key].(*types.Var)
							if v := typeset.VarOf(p.info, kv.Value); v != nil && field != nil {
								fields[v] = field
							}
						}
					}
				}
				for v, field := range fields {
					if isContextType(v.Type()) {
						p.fields[v] = field
					}
					if ctx := fields[pairs[v]]; pairs[v] != nil && ctx != nil {
						p.cancels[field] = ctx.Name()
					}
				}
			}
			return true
		})
	}
}
