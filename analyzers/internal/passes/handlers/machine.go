package handlers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/failreach"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A machine runs the entries of one package.
type machine struct {
	pass  *analysis.Pass
	info  *types.Info
	reach *failreach.Result

	decls map[*types.Func]*ast.FuncDecl
	order []*ast.FuncDecl
	inits map[*types.Var]*ast.ValueSpec // of package variables
	holds map[types.Type]bool
	local map[*types.Func]serveFact

	visited map[ast.Node]bool // functions that ran
	inTest  map[ast.Node]bool // those that ran on a test's goroutine
	served  map[ast.Node]*Site
	calls   []*Call
}

func newMachine(pass *analysis.Pass) *machine {
	m := &machine{
		pass:    pass,
		info:    pass.TypesInfo,
		reach:   pass.ResultOf[failreach.Analyzer].(*failreach.Result),
		decls:   make(map[*types.Func]*ast.FuncDecl),
		inits:   make(map[*types.Var]*ast.ValueSpec),
		holds:   make(map[types.Type]bool),
		local:   make(map[*types.Func]serveFact),
		visited: make(map[ast.Node]bool),
		inTest:  make(map[ast.Node]bool),
		served:  make(map[ast.Node]*Site),
	}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if fn, ok := m.info.Defs[decl.Name].(*types.Func); ok && decl.Body != nil {
					m.decls[fn] = decl
					m.order = append(m.order, decl)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.ValueSpec); ok {
						for _, name := range spec.Names {
							if v, ok := m.info.Defs[name].(*types.Var); ok {
								m.inits[v] = spec
							}
						}
					}
				}
			}
		}
	}
	return m
}

// runAll runs the entries that may lead to a server: the tests first, each in a
// universe of its own, then what no test led to.
func (m *machine) runAll() {
	serving := m.reachServing()
	if len(serving) == 0 {
		return
	}
	used := m.references()
	var tests, mains, rest []*ast.FuncDecl
	mainServes := false
	for _, decl := range m.order {
		switch {
		case decl.Recv == nil && decl.Name.Name == "TestMain":
			mains = append(mains, decl)
			mainServes = mainServes || serving[decl]
		case m.isTest(decl):
			tests = append(tests, decl)
		default:
			rest = append(rest, decl)
		}
	}
	for _, decl := range tests {
		if !serving[decl] && !mainServes {
			continue
		}
		u := m.universe()
		u.start(decl, testThread, nil)
		for _, main := range mains {
			u.start(main, testThread, nil)
		}
		u.finish()
	}
	// Methods of one type that nobody here calls are those of a suite or a fixture:
	// they share their receiver.
	grouped := make(map[types.Object]bool)
	for _, pass := range []bool{true, false} {
		for _, decl := range rest {
			fn := m.info.Defs[decl.Name].(*types.Func)
			if m.visited[decl] || !serving[decl] || pass && used[fn] {
				continue
			}
			recv := receiverType(fn)
			if recv == nil {
				u := m.universe()
				u.start(decl, strayThread, nil)
				u.finish()
				continue
			}
			if grouped[recv] {
				continue
			}
			grouped[recv] = true
			u := m.universe()
			obj := u.object(objectKey{made: recv})
			obj.typ, obj.unknown = recv.Type(), true
			for _, decl := range m.group(rest, recv) {
				u.start(decl, strayThread, obj)
			}
			u.finish()
		}
	}
	slices.SortStableFunc(m.calls, func(a, b *Call) int { return int(a.Call.Pos() - b.Call.Pos()) })
}

// group returns the methods of a type that did not run.
func (m *machine) group(decls []*ast.FuncDecl, recv types.Object) (group []*ast.FuncDecl) {
	for _, decl := range decls {
		if fn := m.info.Defs[decl.Name].(*types.Func); receiverType(fn) == recv && !m.visited[decl] {
			group = append(group, decl)
		}
	}
	return group
}

// receiverType returns the type that fn is a method of, or nil.
func receiverType(fn *types.Func) types.Object {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	named, ok := types.Unalias(deref(recv.Type())).(*types.Named)
	if !ok {
		return nil
	}
	return named.Origin().Obj()
}

// references returns the functions of the package that something in it names.
func (m *machine) references() map[*types.Func]bool {
	used := make(map[*types.Func]bool)
	for _, obj := range m.info.Uses {
		if fn, ok := obj.(*types.Func); ok && fn.Pkg() == m.pass.Pkg {
			used[fn.Origin()] = true
		}
	}
	return used
}

// isTest reports whether the testing package calls decl.
func (m *machine) isTest(decl *ast.FuncDecl) bool {
	if decl.Recv != nil || decl.Type.Params.NumFields() > 1 ||
		!strings.HasSuffix(m.pass.Fset.File(decl.Pos()).Name(), "_test.go") {
		return false
	}
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(decl.Name.Name, prefix) {
			return true
		}
	}
	return false
}

// Bounds on what is run. Real tests need a hundred frames.
const (
	maxFrames    = 3000 // in a universe
	maxDepth     = 25   // of calls
	framesPerLit = 4    // more, for each function literal of the entry
	maxSummary   = 300  // frames, for the summary of a function
	workPerFrame = 150  // values that are moved, for each frame that is allowed
)

// A universe holds what exists while one entry runs.
type universe struct {
	*machine
	objects   map[objectKey]*object
	functions map[function]*function
	globals   map[*types.Var]*node
	roots     map[frameKey]*frame
	started   map[*types.Var]bool // package variables whose initializers ran
	queue     []*frame
	frames    int
	work      int
	limit     int // of frames
	shared    map[frameKey]*frame
	events    map[eventKey]*event
	order     []*event
	servedFns map[*function]bool
}

func (m *machine) universe() *universe {
	return &universe{
		machine:   m,
		objects:   make(map[objectKey]*object),
		functions: make(map[function]*function),
		globals:   make(map[*types.Var]*node),
		roots:     make(map[frameKey]*frame),
		started:   make(map[*types.Var]bool),
		events:    make(map[eventKey]*event),
		servedFns: make(map[*function]bool),
		limit:     maxFrames,
		shared:    make(map[frameKey]*frame),
	}
}

// A thread says where a frame runs.
type thread int8

const (
	strayThread thread = iota
	testThread
	serverThread
)

// A frame is one call of a function, or of several where they are not told apart.
type frame struct {
	*universe
	fn     ast.Node // *ast.FuncDecl, *ast.FuncLit or, for an initializer, *ast.ValueSpec
	env    *frame   // where a literal was made
	recv   value    // a receiver, if there is one
	caller *frame   // nil for an entry and for what is served
	site   *ast.CallExpr
	static bool
	thread thread
	served *Site // if thread is serverThread: where its handler was served
	depth  int

	vars    map[*types.Var]*node
	results []*node
	kids    map[frameKey]*frame
	queued  bool
	reads   map[any]bool
}

// A frameKey tells apart the frames that a frame calls.
type frameKey struct {
	site   any
	fn     ast.Node
	env    *frame
	recv   value
	thread thread
}

// start adds a frame for an entry, with its parameters not known.
func (u *universe) start(decl *ast.FuncDecl, th thread, recv *object) *frame {
	if u.limit >= maxFrames {
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				u.limit += framesPerLit
			}
			return true
		})
	}
	f := u.newFrame(decl, nil, nil, th)
	f.bindUnknown(recv)
	return f
}

// newFrame returns a new frame that nobody calls.
func (u *universe) newFrame(fn ast.Node, env *frame, recv value, th thread) *frame {
	f := &frame{universe: u, fn: fn, env: env, recv: recv, thread: th}
	u.frames++
	u.push(f)
	return f
}

// push has f evaluated, again if it was before.
func (u *universe) push(f *frame) {
	if !f.queued {
		f.queued = true
		u.queue = append(u.queue, f)
	}
}

// run evaluates frames until nothing changes.
func (u *universe) run() {
	for len(u.queue) > 0 && u.work < u.limit*workPerFrame {
		f := u.queue[0]
		u.queue = u.queue[1:]
		f.queued = false
		u.visited[f.fn] = true
		if f.thread == testThread {
			u.inTest[f.fn] = true
		}
		f.evaluate()
	}
}

// finish runs the universe and keeps the calls that it found.
func (u *universe) finish() {
	u.run()
	for _, e := range u.order {
		if call := e.call(); call != nil {
			u.calls = append(u.calls, call)
		}
	}
}

// object returns the object of the given key, new or known.
func (u *universe) object(key objectKey) *object {
	o := u.objects[key]
	if o == nil {
		o = new(object)
		u.objects[key] = o
	}
	return o
}

// function returns the one value that is equal to v.
func (u *universe) function(v function) *function {
	f := u.functions[v]
	if f == nil {
		f = &v
		u.functions[v] = f
	}
	return f
}

// add adds values to n.
func (u *universe) add(n *node, values []value) {
	grown := false
	for _, v := range values {
		if u.work++; !n.set.add(v) {
			continue
		}
		grown = true
		if n.served != nil {
			u.serve(v, n.as, n.served)
		}
	}
	if !grown {
		return
	}
	for _, f := range n.readers {
		u.push(f)
	}
	for _, to := range n.to {
		u.add(to, n.values)
	}
}

// read returns what n holds, and has f evaluated again when that grows.
func (f *frame) read(n *node) []value {
	if !f.reads[n] {
		if f.reads == nil {
			f.reads = make(map[any]bool)
		}
		f.reads[n] = true
		n.readers = append(n.readers, f)
	}
	return n.values
}

// hold makes o hold values, as values of the type as.
func (u *universe) hold(o *object, values []value, as types.Type) {
	for _, v := range values {
		u.holdAll(o, holding{value: v, as: as})
	}
}

// holdAll makes o hold more.
func (u *universe) holdAll(o *object, more ...holding) {
	grown := false
	for _, h := range more {
		if u.work++; h.value == value(o) || o.holds[h] {
			continue
		}
		if o.holds == nil {
			o.holds = make(map[holding]bool)
		}
		grown, o.holds[h] = true, true
		o.held = append(o.held, h)
		if o.served != nil {
			u.serve(h.value, h.as, o.served)
		}
	}
	if grown {
		for _, f := range o.watch {
			u.push(f)
		}
	}
}

// heldBy returns what o holds, and has f evaluated again when that grows.
func (f *frame) heldBy(o *object) []holding {
	if !f.reads[o] {
		if f.reads == nil {
			f.reads = make(map[any]bool)
		}
		f.reads[o] = true
		o.watch = append(o.watch, f)
	}
	return o.held
}

// variable returns the node of v, seen from f.
func (f *frame) variable(v *types.Var) *node {
	for g := f; g != nil && v.Parent() != f.pass.Pkg.Scope(); g = g.env {
		if g.fn.Pos() <= v.Pos() && v.Pos() < g.fn.End() {
			n := g.vars[v]
			if n == nil {
				n = new(node)
				if g.vars == nil {
					g.vars = make(map[*types.Var]*node)
				}
				g.vars[v] = n
			}
			return n
		}
	}
	n := f.globals[v]
	if n == nil {
		n = new(node)
		f.globals[v] = n
		f.initialize(v, n)
	}
	return n
}

// initialize gives a package variable its first value.
func (u *universe) initialize(v *types.Var, n *node) {
	if v.Pkg() != u.pass.Pkg {
		o := u.object(objectKey{made: v})
		o.typ, o.opaque = deref(v.Type()), true
		u.add(n, []value{o})
		return
	}
	spec := u.inits[v]
	if spec == nil || u.started[v] {
		return
	}
	for _, name := range spec.Names {
		if v, ok := u.info.Defs[name].(*types.Var); ok {
			u.started[v] = true
		}
	}
	u.newFrame(spec, nil, nil, strayThread)
}

// bindUnknown binds the parameters of f to objects of which nothing is known.
func (f *frame) bindUnknown(recv *object) {
	sig := f.signature()
	if sig == nil {
		return
	}
	if v := sig.Recv(); v != nil {
		if recv == nil {
			recv = f.unknown(v, 0)
		}
		f.add(f.variable(v), []value{recv})
		f.recv = recv
	}
	for i := range sig.Params().Len() {
		if v := sig.Params().At(i); f.mayHold(v.Type()) && len(f.variable(v).values) == 0 {
			f.add(f.variable(v), []value{f.unknown(v, i+1)})
		}
	}
}

// unknown returns an object for a parameter of which nothing is known. What servers
// give to their handlers is one object for each type: thousands of requests that
// handlers store in one variable would be as many values.
func (f *frame) unknown(v *types.Var, bit int) *object {
	key := objectKey{made: v, frame: f}
	if named := typeset.Named(v.Type()); named != nil && f.caller == nil && f.served != nil {
		key = objectKey{made: named}
	}
	o := f.object(key)
	o.typ, o.opaque, o.unknown = deref(v.Type()), true, true
	if f.caller == nil && f.served == nil {
		o.param = bit + 1
	}
	return o
}

// signature returns the signature of the function of f, or nil.
func (f *frame) signature() *types.Signature {
	return typeset.SignatureOf(f.info, f.fn)
}

// result returns the node of f's i-th result.
func (f *frame) result(i int) *node {
	for len(f.results) <= i {
		f.results = append(f.results, new(node))
	}
	return f.results[i]
}

// isServerPackage reports whether a package of the standard library may keep a
// function that it is given and run it on a server's goroutine.
func isServerPackage(path string) bool {
	return path == httpmodel.NetHTTP || strings.HasPrefix(path, httpmodel.NetHTTP+"/") || path == "expvar" || path == "net/rpc"
}
