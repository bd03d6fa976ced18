package neterr

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"

	"golang.org/x/tools/go/cfg"
)

// problem is the dataflow problem of one function: which worlds reach a point.
type problem struct {
	*engine
	keep map[token.Pos]bool
}

func (p problem) Join(x, y State) State {
	if x.lost || y.lost {
		return State{lost: true}
	}
	return stateOf(append(slices.Clone(x.worlds), y.worlds...))
}

func (p problem) Equal(x, y State) bool {
	return x.lost == y.lost && slices.EqualFunc(x.worlds, y.worlds, func(x, y *world) bool { return x.key == y.key })
}

func (p problem) Branch(s State, cond ast.Expr, truth bool) (State, bool) {
	s = s.each(func(w *world) []*world {
		var out []*world
		for _, o := range p.eval(w, cond) {
			if o.truth == truth {
				out = append(out, o.w)
			}
		}
		return out
	})
	return s, s.lost || len(s.worlds) > 0
}

func (p problem) TypeCase(s State, c flow.TypeCase, truth bool) (State, bool) {
	subject := switchSubject(c.Switch)
	s = s.each(func(w *world) []*world {
		w2, ref, ok := p.subjectOf(w, subject)
		if !ok {
			return []*world{w}
		}
		var outs []outcome
		if p.isNil(c.Type) {
			outs = p.ask(w2, ref, question{of: func(error) bool { return true }, otherYes: true})
			for i := range outs {
				outs[i].truth = !outs[i].truth
			}
		} else {
			outs = p.askType(w2, ref, p.info.TypeOf(c.Type), false)
		}
		var out []*world
		for _, o := range outs {
			if o.truth == truth {
				out = append(out, o.w)
			}
		}
		return out
	})
	return s, s.lost || len(s.worlds) > 0
}

// Edge excuses what follows a wait for something that is done, such as a context. A
// wait for a timer does not count: it is how a retry pauses.
func (p problem) Edge(s State, from, to *cfg.Block) State {
	if to.Kind != cfg.KindSelectCaseBody {
		return s
	}
	comm, ok := to.Stmt.(*ast.CommClause)
	if !ok {
		return s
	}
	stmt, ok := comm.Comm.(*ast.ExprStmt)
	if !ok || p.isTime(stmt.X) {
		return s
	}
	return s.each(func(w *world) []*world { return []*world{w.excuse()} })
}

func (p problem) Node(s State, n ast.Node) State {
	return s.each(func(w *world) []*world { return p.step(w.prune(n.Pos(), p.keep), n) })
}

// step returns the worlds after n.
func (p problem) step(w *world, n ast.Node) []*world {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			return []*world{p.set(w, n.Lhs[0], value{})}
		}
		return p.assign(w, n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			lhs[i] = name
		}
		if len(n.Values) > 0 {
			return p.assign(w, lhs, n.Values)
		}
		for _, x := range lhs {
			v := value{}
			if t := p.info.TypeOf(x); IsError(t) && (types.IsInterface(t) || isPointer(t)) {
				id := x.Pos()
				w, v.err = w.fresh(id, Failure{Set: None}), id
			} else if isBool(t) {
				v.truth = no
			}
			w = p.set(w, x, v)
		}
	case *ast.ReturnStmt:
		if lhs := p.resultNames(); lhs != nil && len(n.Results) > 0 {
			return p.assign(w, lhs, n.Results)
		}
	case *ast.IncDecStmt:
		return []*world{p.set(w, n.X, value{})}
	case *ast.ExprStmt:
		if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok {
			if isBool(p.info.TypeOf(call)) {
				return worldsOf(p.eval(w, call))
			}
			return []*world{p.taken(w, call)}
		}
	case ast.Expr:
		// The key or the value of a range, or what a select received.
		if t := p.info.TypeOf(n); IsError(t) {
			if _, ok := n.(*ast.Ident); ok {
				return []*world{p.set(w, n, value{})}
			}
		}
	}
	return []*world{w}
}

// resultNames returns the names of the results, or nil.
func (p problem) resultNames() []ast.Expr {
	ftype, _ := funcParts(p.node)
	if ftype.Results == nil {
		return nil
	}
	var names []ast.Expr
	for _, field := range ftype.Results.List {
		for _, name := range field.Names {
			names = append(names, name)
		}
	}
	return names
}

func worldsOf(outs []outcome) []*world {
	var all []*world
	for _, o := range outs {
		all = append(all, o.w)
	}
	return all
}

func isBool(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// taken returns w without what variables hold whose address call gets.
func (p problem) taken(w *world, call *ast.CallExpr) *world {
	for _, arg := range call.Args {
		if addr, ok := ast.Unparen(arg).(*ast.UnaryExpr); ok && addr.Op == token.AND {
			w = p.set(w, addr.X, value{})
		}
	}
	return w
}

// set returns w with v at the place that x denotes.
func (p problem) set(w *world, x ast.Expr, v value) *world {
	place, ok := p.placeOf(x)
	if !ok {
		return w
	}
	if place.field == nil {
		w = w.clear(place.root)
	}
	if p.shared[place.root] && v.err == token.NoPos {
		v = value{}
	}
	if p.shared[place.root] && v.err != token.NoPos && w.failure(v.err).Set == None {
		v = value{}
	}
	if v == (value{}) && IsError(place.typ()) {
		id := x.Pos()
		return w.fresh(id, Failure{Set: All}).with(place, value{err: id})
	}
	return w.with(place, v)
}

// assign returns the worlds after lhs = rhs.
func (p problem) assign(w *world, lhs, rhs []ast.Expr) []*world {
	if len(lhs) != len(rhs) {
		return p.assignTuple(w, lhs, rhs[0])
	}
	worlds := []*world{w}
	for i, x := range rhs {
		var next []*world
		for _, w := range worlds {
			next = append(next, p.assignOne(w, lhs[i], x)...)
		}
		worlds = next
	}
	return worlds
}

// assignOne returns the worlds after lhs = rhs, of one value.
func (p problem) assignOne(w *world, lhs, rhs ast.Expr) []*world {
	rhs = ast.Unparen(rhs)
	t := p.info.TypeOf(rhs)
	switch {
	case isBool(t):
		var worlds []*world
		for _, o := range p.eval(w, rhs) {
			v := value{truth: truthOf(o.truth)}
			if o.vague {
				v.truth = vague
			}
			worlds = append(worlds, p.set(o.w, lhs, v))
		}
		if len(worlds) == 2 && worlds[0] != nil && p.saysNothing(w, rhs) {
			return []*world{p.set(w, lhs, value{})}
		}
		return worlds
	case p.isNil(rhs):
		if IsError(p.info.TypeOf(lhs)) {
			id := rhs.Pos()
			return []*world{p.set(w.fresh(id, Failure{Set: None}), lhs, value{err: id})}
		}
	case IsError(t):
		if call, ok := rhs.(*ast.CallExpr); ok && !p.info.Types[call.Fun].IsType() {
			if _, fn := p.Callee(call); !httpmodel.Wraps(fn) && !isErrorsFunc(fn, "Unwrap") {
				return p.assignTuple(w, []ast.Expr{lhs}, call)
			}
		}
		if w2, ref, ok := p.errorOf(w, rhs); ok {
			w2 = p.set(w2, lhs, value{err: ref.id})
			return []*world{p.fields(w2, lhs, rhs)}
		}
	}
	if s, ok := p.statusOf(w, rhs); ok {
		return []*world{p.set(w, lhs, value{status: s})}
	}
	return []*world{p.fields(p.set(w, lhs, value{}), lhs, rhs)}
}

// saysNothing reports whether the condition x tells nothing apart in w, and is not
// vague.
func (p problem) saysNothing(w *world, x ast.Expr) bool {
	for _, o := range p.eval(w, x) {
		if o.vague || o.w != w {
			return false
		}
	}
	return p.info.Types[x].Value == nil
}

// statusOf returns the status that x is.
func (p problem) statusOf(w *world, x ast.Expr) (Status, bool) {
	if p.isCode == nil {
		return Status{}, false
	}
	if code, ok := p.isCode(x); ok {
		return Status{code, x.Pos()}, true
	}
	if place, ok := p.placeOf(x); ok {
		s := w.vals[place].status
		return s, s != Status{}
	}
	return Status{}, false
}

// fields returns w after lhs = rhs, a struct literal or its address, with the
// statuses that the literal puts into fields.
func (p problem) fields(w *world, lhs, rhs ast.Expr) *world {
	lit := structLit(p.info, rhs)
	target, ok := p.placeOf(lhs)
	if lit == nil || !ok || target.field != nil {
		return w
	}
	for i, elt := range lit.Elts {
		field, x := fieldOf(p.info, lit, i, elt)
		if s, ok := p.statusOf(w, x); ok && field != nil {
			w = w.with(place{target.root, field}, value{status: s})
		}
	}
	return w
}

// structLit returns the struct literal that x is, or is the address of, or nil.
func structLit(info *types.Info, x ast.Expr) *ast.CompositeLit {
	x = ast.Unparen(x)
	if addr, ok := x.(*ast.UnaryExpr); ok && addr.Op == token.AND {
		x = ast.Unparen(addr.X)
	}
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	if _, ok := info.TypeOf(lit).Underlying().(*types.Struct); !ok {
		return nil
	}
	return lit
}

// fieldOf returns the field that elt, the i'th of lit, is for, and its value.
func fieldOf(info *types.Info, lit *ast.CompositeLit, i int, elt ast.Expr) (*types.Var, ast.Expr) {
	if kv, ok := elt.(*ast.KeyValueExpr); ok {
		id, _ := kv.Key.(*ast.Ident)
		field, _ := info.Uses[id].(*types.Var)
		return field, kv.Value
	}
	s := info.TypeOf(lit).Underlying().(*types.Struct)
	if i < s.NumFields() {
		return s.Field(i), elt
	}
	return nil, elt
}

// assignTuple returns the worlds after the assignment of all results of x: of a
// call, or of the form "v, ok".
func (p problem) assignTuple(w *world, lhs []ast.Expr, x ast.Expr) []*world {
	x = ast.Unparen(x)
	var worlds []*world
	switch x := x.(type) {
	case *ast.TypeAssertExpr:
		w2, ref, ok := p.subjectOf(w, x.X)
		if !ok || x.Type == nil {
			break
		}
		for _, o := range p.askType(w2, ref, p.info.TypeOf(x.Type), false) {
			results := []value{{err: ref.id}, {truth: truthOf(o.truth)}}
			if !o.truth {
				o.w, results[0] = p.nilError(o.w, x.Lparen)
			}
			worlds = append(worlds, p.setAll(o.w, lhs, results))
		}
		return worlds
	case *ast.CallExpr:
		for _, o := range p.call(w, x) {
			worlds = append(worlds, p.setAll(p.taken(o.w, x), lhs, o.results))
		}
		return worlds
	}
	return []*world{p.setAll(w, lhs, make([]value, len(lhs)))}
}

// nilError returns w with a nil error of the name id, and that.
func (p problem) nilError(w *world, id token.Pos) (*world, value) {
	return w.fresh(id, Failure{Set: None}), value{err: id}
}

func (p problem) setAll(w *world, lhs []ast.Expr, values []value) *world {
	for i, x := range lhs {
		w = p.set(w, x, values[i])
	}
	return w
}

// A Flow is the solution for one function.
type Flow struct {
	problem problem
	graph   *cfg.CFG
	result  *flow.Result[State]
}

// solve follows the function of e from the state entry on. It returns nil if
// nothing can be said.
func (e *engine) solve(entry State) *Flow {
	g := e.graph(e.node)
	_, body := funcParts(e.node)
	if g == nil || body == nil {
		return nil
	}
	p := problem{e, make(map[token.Pos]bool)}
	for _, param := range e.params() {
		p.keep[param.Pos()] = true
	}
	res := flow.Solve(g, body, entry, p)
	if res == nil {
		return nil
	}
	return &Flow{p, g, res}
}

// Walk calls visit for each node that can be reached, with the state before it, in
// the order of the blocks.
func (f *Flow) Walk(visit func(b *cfg.Block, n ast.Node, s State)) {
	for _, b := range f.graph.Blocks {
		s, ok := f.result.In(b)
		if !ok {
			continue
		}
		for _, n := range b.Nodes {
			pruned := s.each(func(w *world) []*world { return []*world{w.prune(n.Pos(), f.problem.keep)} })
			visit(b, n, pruned)
			s = f.problem.Node(s, n)
		}
		if len(b.Succs) == 0 {
			visit(b, nil, s)
		}
	}
}

// A Chosen is a status that a place may hold, and the state in which it does.
type Chosen struct {
	Status Status
	State  State
}

// Statuses returns the statuses that x, a variable or a field of one, or a field of
// x, may hold in s.
func (f *Flow) Statuses(s State, x ast.Expr) []Chosen {
	at, ok := f.problem.placeOf(x)
	if !ok {
		return nil
	}
	return chosen(s, func(p place) bool { return p == at || at.field == nil && p.root == at.root })
}

// Left returns the statuses that outlive the function in s, its state at the end:
// in results, in fields, and in variables that a function literal uses.
func (f *Flow) Left(s State) []Chosen {
	results := f.problem.signature().Results()
	return chosen(s, func(p place) bool {
		for v := range results.Variables() {
			if v == p.root {
				return true
			}
		}
		return p.field != nil || f.problem.captured[p.root]
	})
}

func chosen(s State, in func(place) bool) []Chosen {
	var all []Chosen
	for _, w := range s.worlds {
		for p, v := range w.vals {
			if v.status == (Status{}) || !in(p) {
				continue
			}
			i := slices.IndexFunc(all, func(c Chosen) bool { return c.Status == v.status })
			if i < 0 {
				i = len(all)
				all = append(all, Chosen{Status: v.status})
			}
			all[i].State.worlds = append(all[i].State.worlds, w)
		}
	}
	slices.SortFunc(all, func(x, y Chosen) int { return int(x.Status.Pos - y.Status.Pos) })
	return all
}

// Tracks reports whether, in lhs = rhs, the status x is followed to its use: it is
// rhs, or a field of the struct that rhs is, and lhs is a variable of the function.
func (f *Flow) Tracks(lhs, rhs, x ast.Expr) bool {
	e := f.problem.engine
	p, ok := e.placeOf(lhs)
	if !ok || e.shared[p.root] || p.root.Pos() < e.node.Pos() || e.node.End() <= p.root.Pos() {
		return false
	}
	if lit := structLit(e.info, rhs); lit != nil && p.field == nil {
		for i, elt := range lit.Elts {
			if field, value := fieldOf(e.info, lit, i, elt); field != nil && ast.Unparen(value) == x {
				return true
			}
		}
	}
	return ast.Unparen(rhs) == x
}

// Enter returns the state at the start of lit, which is made in s: without the
// variables that are set later.
func (f *Flow) Enter(s State, lit *ast.FuncLit) State {
	return s.each(func(w *world) []*world {
		out := w
		for p := range w.vals {
			if f.problem.shared[p.root] || f.problem.lastSet[p.root] > lit.Pos() {
				out = out.with(p, value{})
			}
		}
		return []*world{out}
	})
}

// Join returns the state that one of states holds.
func (f *Flow) Join(states []State) State {
	all := State{}
	for _, s := range states {
		all = f.problem.Join(all, s)
	}
	return all
}

// WrongError returns the error that x is in s, if to answer it as a timeout is
// wrong.
func (f *Flow) WrongError(s State, x ast.Expr) (found Failure, ok bool) {
	for _, w := range s.worlds {
		w, ref, is := f.problem.errorOf(w, x)
		if !is {
			continue
		}
		if e := w.failure(ref.id); e.wrong() && ref.depth == 0 {
			e.Set |= found.Set
			found, ok = e, true
		}
	}
	return found, ok
}
