package resend

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A frame is one call of a function that is followed.
type frame struct {
	*engine
	fn      ast.Node   // *ast.FuncDecl or *ast.FuncLit
	calls   []ast.Node // from one in the entry to that of fn
	parents []*frame   // the frames around it
	ctx     bool       // a context is in scope
	ranges  map[ast.Expr]*ast.RangeStmt
	polls   map[ast.Node]bool // the communications of selects that do not wait
	timed   map[ast.Node]bool // those of selects that something else can end
	returns map[ast.Node][]*exit
	again   []*world // with which fn is called by itself
}

// An exit is a way out of a function.
type exit struct {
	w       *world
	results []val
}

// runEntry analyses a function for which nothing is given.
func (e *engine) runEntry(decl *ast.FuncDecl) {
	f := e.frame(decl, nil, nil)
	f.run(newWorld())
}

// frame returns the frame of a function.
func (e *engine) frame(fn ast.Node, calls []ast.Node, parents []*frame) *frame {
	f := &frame{engine: e, fn: fn, calls: calls, parents: parents, returns: make(map[ast.Node][]*exit)}
	f.ranges, f.polls, f.timed = make(map[ast.Expr]*ast.RangeStmt), make(map[ast.Node]bool), make(map[ast.Node]bool)
	_, body := e.retries.CFG(fn)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			f.ranges[n.X] = n
		case *ast.SelectStmt:
			hasDefault := slices.ContainsFunc(n.Body.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil })
			for _, c := range n.Body.List {
				comm := c.(*ast.CommClause).Comm
				if comm == nil {
					continue
				}
				if hasDefault {
					f.polls[comm] = true
				} else if len(n.Body.List) > 1 {
					f.timed[comm] = true
				}
			}
		}
		return true
	})
	return f
}

// run follows the function from a world, and returns how it is left.
func (f *frame) run(w *world) (exits []*exit) {
	g, body := f.retries.CFG(f.fn)
	if g == nil || f.overflow {
		f.overflow = true
		return nil
	}
	entry := state{w}
	for range 3 { // a function that calls itself begins again
		f.again = nil
		clear(f.returns)
		if !f.solve(g, body, entry) {
			f.overflow = true
			return nil
		}
		for _, b := range g.Blocks {
			for _, n := range b.Nodes {
				exits = append(exits, f.returns[n]...)
			}
		}
		if len(f.again) == 0 {
			break
		}
		entry = f.join(f.again, nil)
	}
	return exits
}

// Node implements flow.Problem.
func (f *frame) Node(s state, n ast.Node) state {
	if f.budget -= 1 + len(s); f.budget < 0 {
		f.overflow = true
	}
	if f.overflow {
		return nil
	}
	if _, ok := n.(ast.Stmt); ok {
		s = f.flatMap(s, func(w *world) state { return state{w.dropTemps()} })
	}
	if x, ok := n.(ast.Expr); ok {
		if rng := f.ranges[x]; rng != nil {
			s = f.startRange(s, rng)
		}
	}
	if !f.polls[n] {
		s = f.waits(s, n)
	}
	s = f.makeCalls(s, n)
	switch n := n.(type) {
	case *ast.AssignStmt:
		s = f.flatMap(s, func(w *world) state { return f.assignStmt(w, n) })
	case *ast.ValueSpec:
		s = f.flatMap(s, func(w *world) state { return f.valueSpec(w, n) })
	case *ast.IncDecStmt:
		s = f.flatMap(s, func(w *world) state {
			op := token.ADD
			if n.Tok == token.DEC {
				op = token.SUB
			}
			return f.set(w, n.X, addConst(f.eval(w, n.X), op, 1))
		})
	case *ast.ReturnStmt:
		f.returns[n] = nil
		for _, w := range s {
			f.returns[n] = append(f.returns[n], f.exits(w, n)...)
		}
		return nil
	}
	return s
}

// dropTemps forgets the values of calls.
func (w *world) dropTemps() *world {
	c := w
	for r := range w.m {
		if call, ok := r.obj.(*ast.CallExpr); ok && len(r.path) == 1 && call != nil {
			if c == w {
				c = w.clone()
			}
			delete(c.m, r)
		}
	}
	return c
}

// startRange forgets the number of the round.
func (f *frame) startRange(s state, rng *ast.RangeStmt) state {
	if rng.Key == nil {
		return s
	}
	v := typeset.VarOf(f.info, rng.Key)
	if v == nil {
		return s
	}
	return f.flatMap(s, func(w *world) state { return state{w.assign(ref{v, ""}, val{})} })
}

// Edge notes the loops that are entered.
func (f *frame) Edge(s state, from, to *cfg.Block) state {
	switch to.Kind {
	case cfg.KindForBody, cfg.KindRangeBody, cfg.KindLabel:
	case cfg.KindRangeDone:
		rng, ok := to.Stmt.(*ast.RangeStmt)
		if !ok || from.Kind != cfg.KindRangeLoop || !isGiven(f.info.TypeOf(rng.X)) {
			return s
		}
		return f.flatMap(s, func(w *world) state {
			if w.get(ref{rng, "#in"}).k == unknown && f.eval(w, rng.X).k != isNil {
				return nil // what is given is not empty
			}
			return state{w.with(ref{rng, "#in"}, val{})}
		})
	case cfg.KindSelectCaseBody:
		if clause, ok := to.Stmt.(*ast.CommClause); ok && f.polls[clause.Comm] {
			return f.flatMap(s, func(w *world) state { return state{w.waited()} })
		}
		return s
	default:
		return s
	}
	loop := to.Stmt
	counter := counterOf(f.info, loop)
	return f.flatMap(s, func(w *world) state {
		if counter != nil && w.get(ref{counter, "#last"}).k != unknown {
			return nil // there is no further round
		}
		if rng, ok := loop.(*ast.RangeStmt); ok && to.Kind == cfg.KindRangeBody {
			if isGiven(f.info.TypeOf(rng.X)) {
				if f.eval(w, rng.X).k == isNil {
					return nil
				}
				w = w.with(ref{rng, "#in"}, val{k: nonNil})
			}
			w = f.nextRound(w, rng)
			if w == nil {
				return nil
			}
		}
		if loop != nil && len(w.sent()) > 0 && !slices.Contains(w.loops, ast.Node(loop)) {
			c := w.clone()
			c.loops = append(slices.Clone(w.loops), loop)
			slices.SortFunc(c.loops, func(a, b ast.Node) int { return f.id(a) - f.id(b) })
			w = c
		}
		return state{w}
	})
}

// isGiven reports whether t is that of options and headers: a slice of functions, a
// map. Those that are not nil are taken to hold something.
func isGiven(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Slice:
		_, ok := u.Elem().Underlying().(*types.Signature)
		return ok
	}
	return false
}

// counterOf returns the variable that the head of a loop counts up, or nil.
func counterOf(info *types.Info, loop ast.Stmt) *types.Var {
	switch loop := loop.(type) {
	case *ast.ForStmt:
		if inc, ok := loop.Post.(*ast.IncDecStmt); ok && inc.Tok == token.INC && loop.Cond != nil {
			return typeset.VarOf(info, inc.X)
		}
	case *ast.RangeStmt:
		if loop.Key != nil {
			return typeset.VarOf(info, loop.Key)
		}
	}
	return nil
}

// nextRound sets the variables of a range.
func (f *frame) nextRound(w *world, rng *ast.RangeStmt) *world {
	if rng.Value != nil {
		if v := typeset.VarOf(f.info, rng.Value); v != nil {
			w = w.assign(ref{v, ""}, val{})
		}
	}
	if rng.Key == nil {
		return w
	}
	v := typeset.VarOf(f.info, rng.Key)
	if v == nil {
		return w
	}
	if !isInt(v.Type()) {
		if f.queued()[v] {
			return w
		}
		return w.assign(ref{v, ""}, val{})
	}
	old := w.get(ref{v, ""})
	w = w.with(ref{v, "#last"}, val{})
	next := val{k: constant_, s: "0"}
	if old.k == constant_ {
		next = addConst(old, token.ADD, 1)
	} else if old.k != unknown {
		next = old
	}
	if max := f.eval(w, rng.X); max.k == constant_ && next.k == constant_ && !lessConst(next, max) {
		return nil
	}
	if next.k == unknown {
		next = val{k: nonNil}
	}
	return w.assign(ref{v, ""}, next)
}

// queued returns the variables that hold what was put back on the queue that they
// are taken from.
func (e *engine) queued() map[*types.Var]bool {
	if e.requeued == nil {
		e.requeued = make(map[*types.Var]bool)
		for _, g := range e.retries.Regions() {
			for v := range g.Queued {
				e.requeued[v] = true
			}
		}
	}
	return e.requeued
}

// maxCount is the number up to which the analysis counts.
const maxCount = 2

// addConst returns the sum or difference of a number and n; unknown from a point on.
func addConst(v val, op token.Token, n int64) val {
	if v.k != constant_ {
		return val{}
	}
	c := constant.MakeFromLiteral(v.s, token.INT, 0)
	if len(v.s) > 0 && v.s[0] == '-' {
		c = constant.UnaryOp(token.SUB, constant.MakeFromLiteral(v.s[1:], token.INT, 0), 0)
	}
	if c.Kind() != constant.Int {
		return val{}
	}
	sum := constant.BinaryOp(c, op, constant.MakeInt64(n))
	if i, ok := constant.Int64Val(sum); !ok || op == token.ADD && i > maxCount && i-n <= maxCount {
		return val{}
	}
	return val{k: constant_, s: sum.ExactString()}
}

// constOf returns a constant as a value of package constant.
func constOf(v val) constant.Value {
	switch {
	case v.k != constant_ || v.s == "":
		return constant.MakeUnknown()
	case v.s == "true", v.s == "false":
		return constant.MakeBool(v.s == "true")
	case v.s[0] == '"':
		return constant.MakeFromLiteral(v.s, token.STRING, 0)
	case v.s[0] == '-':
		return constant.UnaryOp(token.SUB, constant.MakeFromLiteral(v.s[1:], token.INT, 0), 0)
	}
	return constant.MakeFromLiteral(v.s, token.INT, 0)
}

func lessConst(x, y val) bool {
	a, b := constOf(x), constOf(y)
	return a.Kind() == constant.Int && b.Kind() == constant.Int && constant.Compare(a, token.LSS, b)
}

// waits returns the state after the receives in n, which wait.
func (f *frame) waits(s state, n ast.Node) state {
	if _, ok := n.(*ast.SendStmt); ok {
		return f.flatMap(s, func(w *world) state { return state{w.waited()} })
	}
	if x, ok := n.(ast.Expr); ok && f.ranges[x] != nil {
		if t := f.info.TypeOf(x); t != nil {
			if _, isChan := t.Underlying().(*types.Chan); isChan {
				return f.flatMap(s, func(w *world) state { return state{w.waited()} })
			}
		}
	}
	var at ast.Node
	timer := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				at, timer = n, isTimer(f.info, n.X)
			}
		}
		return true
	})
	if at == nil {
		return s
	}
	return f.flatMap(s, func(w *world) state {
		w = w.waited()
		if timer && !f.timed[n] {
			w = f.sleeps(w, at)
		}
		return state{w}
	})
}

// isTimer reports whether e is the channel of a timer, that of time.After included.
func isTimer(info *types.Info, e ast.Expr) bool {
	t := info.TypeOf(e)
	if t == nil {
		return false
	}
	ch, ok := t.Underlying().(*types.Chan)
	return ok && typeset.IsNamed(ch.Elem(), "time", "Time")
}

// sleeps notes a wait that nothing can end.
func (f *frame) sleeps(w *world, at ast.Node) *world {
	if len(w.sent()) == 0 {
		return w
	}
	c := w.clone()
	c.sleep = &Sleep{At: at, Calls: f.calls}
	return c
}

// assignStmt returns the worlds after an assignment.
func (f *frame) assignStmt(w *world, n *ast.AssignStmt) state {
	if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
		if (n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN) && f.info.Types[n.Rhs[0]].Value != nil {
			if i, ok := constant.Int64Val(constant.ToInt(f.info.Types[n.Rhs[0]].Value)); ok {
				op := token.ADD
				if n.Tok == token.SUB_ASSIGN {
					op = token.SUB
				}
				return f.set(w, n.Lhs[0], addConst(f.eval(w, n.Lhs[0]), op, i))
			}
		}
		return f.set(w, n.Lhs[0], val{})
	}
	if len(n.Lhs) != len(n.Rhs) {
		if len(n.Rhs) != 1 {
			return state{w}
		}
		call, _ := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
		s := state{w}
		for i, lhs := range n.Lhs {
			s = f.flatMap(s, func(w *world) state {
				v := val{}
				if call != nil {
					v = w.get(ref{call, digit(i)})
				} else if ta, ok := ast.Unparen(n.Rhs[0]).(*ast.TypeAssertExpr); ok && i == 0 {
					v = f.eval(w, ta.X)
				}
				return f.set(w, lhs, v)
			})
		}
		return s
	}
	if len(n.Rhs) == 1 {
		return f.assignOne(w, n.Lhs[0], n.Rhs[0])
	}
	vals := make([]val, len(n.Rhs))
	for i, rhs := range n.Rhs {
		vals[i] = f.eval(w, rhs)
	}
	s := state{w}
	for i, lhs := range n.Lhs {
		s = f.flatMap(s, func(w *world) state { return f.set(w, lhs, vals[i]) })
	}
	return s
}

// digit names the i-th result of a call.
func digit(i int) string { return string(rune('0' + min(i, 9))) }

// assignOne returns the worlds after lhs = rhs. A condition makes two of them.
func (f *frame) assignOne(w *world, lhs, rhs ast.Expr) state {
	v := f.eval(w, rhs)
	if v.k == unknown && typeset.IsBool(f.info.TypeOf(rhs)) {
		var s state
		for _, truth := range []bool{true, false} {
			for _, w := range f.assume(w, rhs, truth) {
				s = append(s, f.set(w, lhs, boolVal(truth))...)
			}
		}
		return s
	}
	return f.set(w, lhs, v)
}

func boolVal(b bool) val {
	if b {
		return val{k: constant_, s: "true"}
	}
	return val{k: constant_, s: "false"}
}

// set returns the world after an assignment of v to lhs.
func (f *frame) set(w *world, lhs ast.Expr, v val) state {
	if id, ok := lhs.(*ast.Ident); ok && id.Name == "_" {
		return state{w}
	}
	if ix, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok {
		return state{f.setHeader(w, ix.X, ix.Index)}
	}
	r, ok := f.place(w, lhs)
	if !ok {
		return state{w}
	}
	if v.k == unknown && f.queued()[typeset.VarOf(f.info, lhs)] {
		return state{w} // what was put back comes again
	}
	if v.k == errOf || v.k == buildErr || worthKeeping(f.info.TypeOf(lhs)) {
		return state{w.assign(r, v)}
	}
	return state{w.assign(r, val{})}
}

// worthKeeping reports whether the value of a variable of type t can decide what
// comes of an attempt.
func worthKeeping(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsInteger|types.IsString|types.IsBoolean) != 0
	case *types.Chan:
		return false
	}
	return true
}

// valueSpec returns the worlds after a declaration.
func (f *frame) valueSpec(w *world, n *ast.ValueSpec) state {
	s := state{w}
	for i, name := range n.Names {
		s = f.flatMap(s, func(w *world) state {
			switch {
			case len(n.Values) == len(n.Names):
				return f.assignOne(w, name, n.Values[i])
			case len(n.Values) == 1:
				if call, ok := ast.Unparen(n.Values[0]).(*ast.CallExpr); ok {
					return f.set(w, name, w.get(ref{call, digit(i)}))
				}
				return f.set(w, name, val{})
			}
			return f.set(w, name, zero(f.info.TypeOf(name)))
		})
	}
	return s
}

// zero returns the zero value of a type.
func zero(t types.Type) val {
	if t == nil {
		return val{}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return boolVal(false)
		case u.Info()&types.IsInteger != 0:
			return val{k: constant_, s: "0"}
		case u.Info()&types.IsString != 0:
			return val{k: constant_, s: `""`}
		}
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map, *types.Signature:
		return val{k: isNil}
	}
	return val{}
}

// exits returns how a return leaves the function.
func (f *frame) exits(w *world, ret *ast.ReturnStmt) []*exit {
	sig := f.signature()
	if sig == nil {
		return []*exit{{w: w}}
	}
	n := sig.Results().Len()
	if len(ret.Results) == 0 {
		x := &exit{w: w, results: make([]val, n)}
		for i := range n {
			x.results[i] = w.get(ref{sig.Results().At(i), ""})
		}
		return []*exit{x}
	}
	if len(ret.Results) == 1 && n > 1 {
		x := &exit{w: w, results: make([]val, n)}
		if call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr); ok {
			for i := range n {
				x.results[i] = w.get(ref{call, digit(i)})
			}
		}
		return []*exit{x}
	}
	exits := []*exit{{w: w}}
	for _, e := range ret.Results {
		var next []*exit
		for _, x := range exits {
			v := f.eval(x.w, e)
			if v.k == unknown && typeset.IsBool(f.info.TypeOf(e)) {
				for _, truth := range []bool{true, false} {
					for _, w := range f.assume(x.w, e, truth) {
						next = append(next, &exit{w, append(slices.Clone(x.results), boolVal(truth))})
					}
				}
				continue
			}
			next = append(next, &exit{x.w, append(slices.Clone(x.results), v)})
		}
		exits = next
	}
	return exits
}

// signature returns the type of the function.
func (f *frame) signature() *types.Signature {
	switch fn := f.fn.(type) {
	case *ast.FuncDecl:
		if obj, ok := f.info.Defs[fn.Name].(*types.Func); ok {
			return obj.Signature()
		}
	case *ast.FuncLit:
		sig, _ := f.info.TypeOf(fn).(*types.Signature)
		return sig
	}
	return nil
}

// setHeader returns the world after h[name] = value, where h may be the header of a
// request.
func (f *frame) setHeader(w *world, h, name ast.Expr) *world {
	sel, ok := ast.Unparen(h).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Header" {
		return w
	}
	req := f.eval(w, sel.X)
	if req.k != request {
		return w
	}
	return f.nameHeader(w, req, name)
}

// nameHeader returns the world after the header called name was set on a request.
func (f *frame) nameHeader(w *world, req val, name ast.Expr) *world {
	v := f.eval(w, name)
	if v.k == constant_ && v.s != "" && !httpmodel.IsDedupName(trimQuotes(v.s)) {
		return w
	}
	return w.with(ref{req.obj, "#key"}, val{k: nonNil})
}
