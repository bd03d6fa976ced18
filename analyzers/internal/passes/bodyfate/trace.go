package bodyfate

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A trace follows one body through one function: from the call that brings it,
// or from a parameter, to where it is closed, leaves the function or gets out of
// sight. It is the flow.Problem whose states are sets of tuples.
type trace struct {
	*checker
	root   ast.Node // *ast.FuncDecl or *ast.FuncLit: the function
	source *source  // the call that brings the body; nil if it is there from the start
	losses map[*ast.CallExpr]*Loss
	sent   map[string][]live // by element type: what is sent on channels
	frame  *frame
	depth  int // of function bodies being run: 1 is the function itself

	deferred *ast.DeferStmt // of the function, whose call is being made
	ret      token.Pos      // the return on whose way that is

	node   ast.Node // being visited
	steps  int      // nodes visited
	failed bool     // nothing is known of the function: it is too large, or too tangled
}

// A frame is one run of a function body: of the function itself, or of a function
// literal that it calls.
type frame struct {
	results []*types.Var // by result: the variable if it is named, else nil
	exits   map[*ast.ReturnStmt][]exit
}

// An exit is a way out of a function body.
type exit struct {
	*tuple
	result callResult
}

// Bounds: what exceeds them is left alone.
const (
	maxTuples = 48
	maxDepth  = 8
	maxBlocks = 1500
	maxSteps  = 20000 // nodes visited
	maxFields = 4     // in the path of a place
)

// A state of the solver: the tuples at a point.
type tuples struct{ set }

// Join implements flow.Problem: the union of both sets. It returns x itself where
// y adds nothing.
func (tr *trace) Join(x, y *tuples) *tuples {
	joined := x
	for key, t := range y.set {
		old, ok := joined.set[key]
		if ok && old.covers(t) {
			continue
		}
		if joined == x {
			joined = &tuples{maps.Clone(x.set)}
		}
		if ok {
			t = merge(old, t)
		}
		joined.set[key] = t
	}
	if len(joined.set) > maxTuples {
		tr.failed = true
		return x
	}
	return joined
}

// Equal implements flow.Problem.
func (tr *trace) Equal(x, y *tuples) bool { return x == y }

// collect makes a state of a list of tuples.
func (tr *trace) collect(list []*tuple) *tuples {
	all := &tuples{make(set, len(list))}
	for _, t := range list {
		key := t.key(tr.id)
		if old, ok := all.set[key]; ok {
			results := old.results
			t = merge(old, t)
			t.results = results
		}
		all.set[key] = t
	}
	return all
}

// Node implements flow.Problem.
func (tr *trace) Node(s *tuples, n ast.Node) *tuples {
	if tr.steps++; tr.failed || tr.steps > maxSteps {
		tr.failed = true
		return &tuples{}
	}
	tr.node = n
	var after []*tuple
	var exits []exit
	for _, t := range s.sorted() {
		for _, t := range tr.calls(t, n) {
			if ret, ok := n.(*ast.ReturnStmt); ok {
				exits = append(exits, tr.exit(t, ret)...)
			} else {
				after = append(after, tr.stmt(t, n))
			}
		}
	}
	if ret, ok := n.(*ast.ReturnStmt); ok {
		tr.frame.exits[ret] = exits
	}
	return tr.collect(after)
}

// Branch implements flow.Problem.
func (tr *trace) Branch(s *tuples, cond ast.Expr, truth bool) (*tuples, bool) {
	var after []*tuple
	for _, t := range s.sorted() {
		if t, ok := tr.refine(t, cond, truth); ok {
			if t.results != nil || t.branch != cond.Pos() {
				t = t.clone()
				t.results = nil
				t.branch = cond.Pos()
			}
			after = append(after, t)
		}
	}
	return tr.collect(after), len(after) > 0
}

// Edge implements flow.EdgeProblem: each round of a range sets its variables, one over
// an iterator reads a part of the body, and where a context is done, nobody waits for
// the rest of it.
func (tr *trace) Edge(s *tuples, from, to *cfg.Block) *tuples {
	var after []*tuple
	if clause, ok := to.Stmt.(*ast.CommClause); ok && to.Kind == cfg.KindSelectCaseBody && tr.isDone(clause.Comm) {
		for _, t := range s.sorted() {
			after = append(after, t.with(Drained, t.fate))
		}
		return tr.collect(after)
	}
	loop, ok := to.Stmt.(*ast.RangeStmt)
	if !ok || from.Kind != cfg.KindRangeLoop {
		return s // no range, or one that is left early
	}
	iterator := tr.iterator(loop.X)
	for _, t := range s.sorted() {
		read := Partial
		if to.Kind == cfg.KindRangeDone {
			read = Drained
		}
		if t.get(iterator).holds() {
			t = t.with(max(t.read, read), t.fate)
		}
		if to.Kind == cfg.KindRangeDone {
			after = append(after, t)
			continue
		}
		for _, x := range []ast.Expr{loop.Key, loop.Value} {
			if v := tr.variable(x); v != nil && !t.old {
				t = t.set(place{v, ""}, nil).assigned(v, tr.depends)
			}
		}
		if tr.source != nil && tr.source.node == ast.Node(loop) {
			after = append(after, tr.acquire(t)...)
		} else {
			after = append(after, t)
		}
	}
	return tr.collect(after)
}

// iterator returns the place of the iterator that a range statement makes of x.
func (c *checker) iterator(x ast.Expr) place {
	v := c.iterators[x]
	if v == nil {
		v = types.NewVar(x.Pos(), c.pass.Pkg, "", c.typeOf(x))
		c.iterators[x] = v
	}
	return place{v, ""}
}

// isDone reports whether comm receives from the Done channel of a context.
func (tr *trace) isDone(comm ast.Stmt) bool {
	stmt, ok := comm.(*ast.ExprStmt)
	if !ok {
		return false
	}
	recv, ok := ast.Unparen(stmt.X).(*ast.UnaryExpr)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(recv.X).(*ast.CallExpr)
	return ok && typeset.IsMethod(typeset.Callee(tr.pass.TypesInfo, call), "context", "Context", "Done")
}

// sorted returns the tuples in the order of their keys, so that every run does
// the same.
func (s *tuples) sorted() []*tuple {
	list := make([]*tuple, 0, len(s.set))
	for _, key := range slices.Sorted(maps.Keys(s.set)) {
		list = append(list, s.set[key])
	}
	return list
}

// run runs a function body from t, and returns the ways out of it.
func (tr *trace) run(fn ast.Node, t *tuple) []exit {
	g, typ, body := tr.graph(fn)
	if g == nil || len(g.Blocks) > maxBlocks || tr.depth >= maxDepth {
		tr.failed = true
		return nil
	}
	saved, node := tr.frame, tr.node
	tr.frame = &frame{results: tr.resultVars(typ), exits: make(map[*ast.ReturnStmt][]exit)}
	tr.depth++
	defer func() { tr.frame, tr.node = saved, node; tr.depth-- }()

	entry := t.clone()
	entry.defers, entry.results = nil, nil
	if flow.Solve(g, body, tr.collect([]*tuple{entry}), tr) == nil {
		tr.failed = true
		return nil
	}
	var exits []exit
	for _, b := range g.Blocks {
		if ret := b.Return(); ret != nil {
			exits = append(exits, tr.frame.exits[ret]...)
		}
	}
	return exits
}

// graph returns the parts of a *ast.FuncDecl or *ast.FuncLit; its graph is nil
// if it has no body.
func (c *checker) graph(fn ast.Node) (*cfg.CFG, *ast.FuncType, *ast.BlockStmt) {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		return c.cfgs.FuncDecl(fn), fn.Type, fn.Body
	case *ast.FuncLit:
		return c.cfgs.FuncLit(fn), fn.Type, fn.Body
	}
	return nil, nil, nil
}

// resultVars returns the results of a function type, nil for those without name.
func (c *checker) resultVars(typ *ast.FuncType) []*types.Var {
	return c.fieldVars(typ.Results)
}

// params returns the parameters of a function, receiver first if it has one; nil
// for those without name.
func (c *checker) params(fn ast.Node) []*types.Var {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		return c.fieldVars(fn.Recv, fn.Type.Params)
	case *ast.FuncLit:
		return c.fieldVars(fn.Type.Params)
	}
	return nil
}

// fieldVars returns the variables that lists of parameters or results declare, in
// order; nil for those without name.
func (c *checker) fieldVars(lists ...*ast.FieldList) []*types.Var {
	var vars []*types.Var
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			if len(f.Names) == 0 {
				vars = append(vars, nil)
			}
			for _, name := range f.Names {
				v, _ := c.pass.TypesInfo.Defs[name].(*types.Var)
				vars = append(vars, v)
			}
		}
	}
	return vars
}

// exit returns the ways on from a return statement: the results are set, then
// the deferred calls run, last first.
func (tr *trace) exit(t *tuple, ret *ast.ReturnStmt) []exit {
	f := tr.frame
	result := callResult{values: make([]value, len(f.results))}
	switch {
	case t.old:
	case len(ret.Results) == len(f.results):
		before := t
		for i, x := range ret.Results {
			r := tr.resultOf(before, x)
			result.set(i, r, 0)
			if v := f.results[i]; v != nil {
				t = t.set(place{v, ""}, result.values[i]).assigned(v, tr.depends)
				t = tr.learn(t, v, r, 0)
			} else if len(result.values[i]) > 0 {
				result.values[i] = tr.boxedFor(result.values[i], i, x)
			}
		}
	case len(ret.Results) == 1: // return f()
		r := tr.resultOf(t, ret.Results[0])
		for i, v := range f.results {
			result.set(i, r, i)
			if v != nil {
				t = t.set(place{v, ""}, result.values[i]).assigned(v, tr.depends)
				t = tr.learn(t, v, r, i)
			}
		}
	}

	defers := t.defers
	t = t.clone()
	t.defers = nil
	after := []*tuple{t}
	for _, d := range slices.Backward(defers) {
		if tr.depth == 1 {
			tr.deferred, tr.ret = d.stmt, ret.Pos()
		}
		var next []*tuple
		for _, t := range after {
			next = append(next, tr.invoke(t, d.stmt.Call, d.ops)...)
		}
		after = next
	}
	if tr.depth == 1 {
		tr.deferred, tr.ret = nil, token.NoPos
	}

	var exits []exit
	for _, t := range after {
		r := result
		for i, v := range f.results {
			if v == nil || t.old {
				continue
			}
			r = r.clone()
			r.set(i, callResult{values: []value{t.get(place{v, ""})}}, 0)
			if zero, ok := t.facts[tr.zeroKey(v)]; ok {
				r.zero[i] = zero == tr.zeroMeansTrue(v)
			}
			for _, l := range t.links {
				if l.v == v {
					r.links[i] = l.effect
				}
			}
		}
		exits = append(exits, exit{t, r})
	}
	return exits
}

// boxedFor returns held as result i of the function that is run.
func (tr *trace) boxedFor(held value, i int, x ast.Expr) value {
	sig := tr.signature()
	if sig != nil && tr.depth == 1 && i < sig.Results().Len() && types.IsInterface(sig.Results().At(i).Type()) {
		return tr.boxed(held, tr.typeOf(x))
	}
	return held
}

// signature returns the signature of the function that is traced.
func (tr *trace) signature() *types.Signature {
	return typeset.SignatureOf(tr.pass.TypesInfo, tr.root)
}

// set sets result i of r to result j of s.
func (r *callResult) set(i int, s callResult, j int) {
	for len(r.values) <= i {
		r.values = append(r.values, nil)
	}
	if j < len(s.values) {
		r.values[i] = s.values[j]
	}
	if zero, ok := s.zero[j]; ok {
		if r.zero == nil {
			r.zero = make(map[int]bool)
		}
		r.zero[i] = zero
	}
	if e, ok := s.links[j]; ok {
		if r.links == nil {
			r.links = make(map[int]effect)
		}
		r.links[i] = e
	}
}

func (r callResult) clone() callResult {
	c := callResult{slices.Clone(r.values), maps.Clone(r.zero), maps.Clone(r.links)}
	if c.zero == nil {
		c.zero = make(map[int]bool)
	}
	if c.links == nil {
		c.links = make(map[int]effect)
	}
	return c
}
