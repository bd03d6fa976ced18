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

	steps  int  // nodes visited
	failed bool // nothing is known of the function: it is too large, or too tangled
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

// Edge implements flow.EdgeProblem: each round of a range sets its variables, and
// where a context is done, nobody waits for the rest of the body.
func (tr *trace) Edge(s *tuples, _, to *cfg.Block) *tuples {
	var after []*tuple
	if clause, ok := to.Stmt.(*ast.CommClause); ok && to.Kind == cfg.KindSelectCaseBody && tr.isDone(clause.Comm) {
		for _, t := range s.sorted() {
			after = append(after, t.with(Drained, t.fate))
		}
		return tr.collect(after)
	}
	loop, ok := to.Stmt.(*ast.RangeStmt)
	if !ok || to.Kind != cfg.KindRangeBody || loop.Key == nil {
		return s
	}
	for _, t := range s.sorted() {
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
	saved := tr.frame
	tr.frame = &frame{results: tr.resultVars(typ), exits: make(map[*ast.ReturnStmt][]exit)}
	tr.depth++
	defer func() { tr.frame = saved; tr.depth-- }()

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

// stmt returns t after the statement n, whose calls have been made.
func (tr *trace) stmt(t *tuple, n ast.Node) *tuple {
	if t.old {
		return t
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		t = tr.assignAll(t, n.Lhs, n.Rhs, n.Tok)
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			lhs[i] = name
		}
		t = tr.assignAll(t, lhs, n.Values, token.DEFINE)
	case *ast.IncDecStmt:
		if v := tr.variable(n.X); v != nil {
			t = t.assigned(v, tr.depends)
		}
	case *ast.SendStmt:
		if v := tr.value(t, n.Value); v.holds() {
			tr.send(t, n, v)
			t = t.with(t.read, escaped)
		}
	case *ast.GoStmt:
		ops := tr.operands(t, n.Call)
		if ops.hold() {
			t = t.with(t.read, escaped)
		}
	case ast.Expr:
		if _, ok := tr.typeOf(n).Underlying().(*types.Signature); ok && tr.value(t, n).holds() {
			t = t.with(t.read, escaped) // the iterator of a range
		}
	case *ast.DeferStmt:
		t = t.clone()
		t.defers = slices.DeleteFunc(slices.Clone(t.defers), func(d deferred) bool { return d.stmt == n })
		t.defers = append(t.defers, deferred{n, tr.operands(t, n.Call)})
	}
	if _, ok := n.(ast.Stmt); ok && t.results != nil {
		t = t.clone()
		t.results = nil
	}
	return t
}

// send records that v is sent on a channel.
func (tr *trace) send(t *tuple, n *ast.SendStmt, v value) {
	ch, ok := tr.typeOf(n.Chan).Underlying().(*types.Chan)
	if tr.sent == nil || !ok || t.fate != open {
		return
	}
	typ := types.TypeString(ch.Elem(), nil)
	if !slices.ContainsFunc(tr.sent[typ], func(l live) bool { return l.read == t.read && slices.Equal(l.held, v) }) {
		tr.sent[typ] = append(tr.sent[typ], live{0, v, t.read})
	}
}

// assignAll returns t after an assignment or a declaration.
func (tr *trace) assignAll(t *tuple, lhs, rhs []ast.Expr, tok token.Token) *tuple {
	switch {
	case len(rhs) == 0: // var x T
		for _, l := range lhs {
			t = tr.assign(t, l, nil, nil)
			if v := tr.variable(l); v != nil && nilable(v.Type()) {
				t, _ = t.assume(tr.zeroKey(v), true)
			}
		}
	case len(lhs) == len(rhs):
		before := t
		for i, l := range lhs {
			if tok != token.ASSIGN && tok != token.DEFINE { // x += y
				t = tr.assign(t, l, nil, nil)
				continue
			}
			t = tr.assign(t, l, tr.value(before, rhs[i]), rhs[i])
			if v := tr.variable(l); v != nil {
				t = tr.learn(t, v, tr.resultOf(before, rhs[i]), 0)
			}
		}
	default: // a, b = f(), or v, ok = x.(T)
		result := tr.resultOf(t, rhs[0])
		for i, l := range lhs {
			var held value
			if i < len(result.values) {
				held = result.values[i]
			}
			t = tr.assign(t, l, held, rhs[0])
			if v := tr.variable(l); v != nil {
				t = tr.learn(t, v, result, i)
			}
		}
	}
	return t
}

// learn returns t with what is known of result i, which v now holds.
func (tr *trace) learn(t *tuple, v *types.Var, result callResult, i int) *tuple {
	if zero, ok := result.zero[i]; ok {
		if known, ok := t.assume(tr.zeroKey(v), zero == tr.zeroMeansTrue(v)); ok {
			t = known
		}
	}
	if e, ok := result.links[i]; ok {
		t = t.clone()
		t.links = append(slices.Clone(t.links), link{v, e})
	}
	return t
}

// assign returns t after held, the value of the expression rhs, was assigned to lhs.
func (tr *trace) assign(t *tuple, lhs ast.Expr, held value, rhs ast.Expr) *tuple {
	lhs = ast.Unparen(lhs)
	if id, ok := lhs.(*ast.Ident); ok && id.Name == "_" {
		return t
	}
	if rhs != nil && len(held) > 0 && types.IsInterface(tr.typeOf(lhs)) {
		held = tr.boxed(held, tr.typeOf(rhs))
	}
	p, ok := tr.place(lhs)
	if ok && p.path == "" && tr.local(p.v) {
		return t.set(p, held).assigned(p.v, tr.depends)
	}
	if ok && (t.get(place{p.v, ""}) != nil || tr.local(p.v) && !tr.isParam(p.v)) {
		return t.set(p, held)
	}
	if held.holds() {
		return t.with(t.read, escaped)
	}
	return t
}

// place returns the place that an expression denotes, through pointers.
func (tr *trace) place(e ast.Expr) (place, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := tr.variable(e); v != nil {
			return place{v, ""}, true
		}
	case *ast.StarExpr:
		return tr.place(e.X)
	case *ast.SelectorExpr:
		sel := tr.pass.TypesInfo.Selections[e]
		if sel == nil || sel.Kind() != types.FieldVal {
			break
		}
		if p, ok := tr.place(e.X); ok {
			p.path += fieldPath(sel.Recv(), sel.Index())
			return p, true
		}
	}
	return place{}, false
}

// fieldPath returns the path of the fields that a selection goes through.
func fieldPath(t types.Type, index []int) string {
	path := ""
	for _, i := range index {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok || i >= st.NumFields() {
			return path + ".?"
		}
		path += "." + st.Field(i).Name()
		t = st.Field(i).Type()
	}
	return path
}

// variable returns the variable that an expression names, or nil.
func (c *checker) variable(e ast.Expr) *types.Var {
	if e == nil {
		return nil
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := c.pass.TypesInfo.ObjectOf(id).(*types.Var)
	return v
}

// typeOf returns the type of an expression, or the invalid type.
func (c *checker) typeOf(e ast.Expr) types.Type {
	if t := c.pass.TypesInfo.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// local reports whether v is a variable of the function that is traced, or of
// one around it.
func (tr *trace) local(v *types.Var) bool {
	return !v.IsField() && v.Parent() != tr.pass.Pkg.Scope() && v.Pkg() == tr.pass.Pkg
}

// isParam reports whether v is a parameter or the receiver of the function that
// is traced, of a type that refers to what is outside.
func (tr *trace) isParam(v *types.Var) bool {
	return slices.Contains(tr.params(tr.root), v)
}

// value returns what the expression e holds; its calls have been made.
func (tr *trace) value(t *tuple, e ast.Expr) value {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := tr.variable(e); v != nil {
			return t.get(place{v, ""})
		}
	case *ast.StarExpr:
		return tr.value(t, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return tr.value(t, e.X)
		}
		if r := t.results[e]; len(r.values) > 0 { // <-c
			return r.values[0]
		}
	case *ast.TypeAssertExpr:
		return tr.value(t, e.X)
	case *ast.SelectorExpr:
		sel := tr.pass.TypesInfo.Selections[e]
		if sel == nil {
			break
		}
		index := sel.Index()
		switch sel.Kind() {
		case types.FieldVal:
			return tr.value(t, e.X).at(fieldPath(sel.Recv(), index))
		case types.MethodVal:
			recv := tr.value(t, e.X).at(fieldPath(sel.Recv(), index[:len(index)-1]))
			if fn, ok := sel.Obj().(*types.Func); ok && recv.holds() {
				return append(value{{"", handle{kind: bound, fn: fn.Origin()}}}, recv.under("()")...)
			}
		}
	case *ast.CallExpr:
		if tv := tr.pass.TypesInfo.Types[e.Fun]; tv.IsType() && len(e.Args) == 1 {
			return tr.value(t, e.Args[0])
		}
		if r := t.results[e]; len(r.values) > 0 {
			return r.values[0]
		}
	case *ast.CompositeLit:
		return tr.literal(t, e)
	case *ast.FuncLit:
		if tr.captures(t, e) {
			return value{{"", handle{kind: closure, lit: e}}}
		}
	}
	return nil
}

// literal returns what a struct literal holds.
func (tr *trace) literal(t *tuple, lit *ast.CompositeLit) value {
	typ := tr.typeOf(lit)
	if ptr, ok := typ.Underlying().(*types.Pointer); ok {
		typ = ptr.Elem() // &T elided within a composite literal
	}
	st, ok := typ.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var held value
	for i, elt := range lit.Elts {
		field, x := (*types.Var)(nil), elt
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			id, _ := kv.Key.(*ast.Ident)
			if id == nil {
				continue
			}
			field, _ = tr.pass.TypesInfo.ObjectOf(id).(*types.Var)
			x = kv.Value
		} else if i < st.NumFields() {
			field = st.Field(i)
		}
		if field == nil {
			continue
		}
		v := tr.value(t, x)
		if types.IsInterface(field.Type()) {
			v = tr.boxed(v, tr.typeOf(x))
		}
		if isLimitedReader(typ) && len(v) > 0 {
			return tr.limit(lit, v)
		}
		held = append(held, v.under("."+field.Name())...)
	}
	slices.SortFunc(held, func(a, b entry) int {
		switch {
		case a.path < b.path:
			return -1
		case a.path > b.path:
			return 1
		}
		return 0
	})
	return held
}

// captures reports whether a function literal mentions a variable that leads to
// the body.
func (tr *trace) captures(t *tuple, lit *ast.FuncLit) bool {
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !found {
			if v, ok := tr.pass.TypesInfo.Uses[id].(*types.Var); ok {
				found = t.get(place{v, ""}).holds()
			}
		}
		return !found
	})
	return found
}

// resultOf returns what is known of the results of an expression: those of a
// call, or its one value.
func (tr *trace) resultOf(t *tuple, e ast.Expr) callResult {
	e = ast.Unparen(e)
	if r, ok := t.results[e]; ok {
		return r
	}
	r := callResult{values: []value{tr.value(t, e)}}
	if zero, ok := tr.isZero(t, e); ok {
		r.zero = map[int]bool{0: zero}
	}
	if v := tr.variable(e); v != nil {
		for _, l := range t.links {
			if l.v == v {
				r.links = map[int]effect{0: l.effect}
			}
		}
	}
	return r
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
