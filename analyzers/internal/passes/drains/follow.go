package drains

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

const (
	maxDepth = 12   // of calls that are followed
	maxSteps = 3000 // functions entered from one root
	maxWork  = 3000 // statements run from one root, in one world each
)

// A follower follows one function, the root, with all that it calls and starts.
type follower struct {
	*Info
	info   *types.Info // of the function at hand
	root   ast.Node
	stack  []frame
	thread *thread            // nil in the root's goroutine
	done   map[string]*thread // goroutines that were followed
	steps  int
	work   int

	shuts    []*shutdown
	exits    []exit
	finds    []find
	cuts     []closing
	ended    map[token.Pos]site // where a database was closed or a wait cut short
	oneShots map[ast.Node]bool  // shutdowns that come when a result is there, too
	answers  map[ast.Node]bool  // closes that come when a result, or a notice, is there, too
	hook     *value             // the server whose shutdown hook is being followed
}

// An exit is where the process, or the root, ends.
type exit struct {
	site    site
	thread  *thread
	world   *world
	returns bool // the root returns
}

// An activation is one function that is being followed, from one state.
type activation struct {
	*follower
	body    *ast.BlockStmt
	comms   map[ast.Node]bool // statements of select clauses
	over    map[ast.Expr]*ast.RangeStmt
	choices map[*ast.CommClause]*ast.SelectStmt
	looped  map[*ast.SelectStmt]bool // those in a loop
	ends    []*world                 // where it returns, its deferred calls done
	names   []string                 // the places of its named results
	seen    map[moment][]*world      // what Node made of it
}

// run follows a function from a world, and returns the activation, or nil if it
// cannot be followed.
func (f *follower) run(w *world, fn, call ast.Node) *activation {
	f.steps++
	if f.steps > maxSteps || len(f.stack) >= maxDepth {
		return nil
	}
	for _, fr := range f.stack {
		if fr.fn == fn {
			return nil // Have: recursion.
		}
	}
	g := f.graph(fn)
	if g == nil {
		return nil
	}
	if lit, ok := fn.(*ast.FuncLit); ok {
		f.followed[lit] = true
	}
	outer := f.info
	f.info = f.infoOf(fn)
	defer func() { f.info = outer }()
	typ, body := syntax.FuncParts(fn)
	a := &activation{
		follower: f,
		body:     body,
		comms:    make(map[ast.Node]bool),
		over:     make(map[ast.Expr]*ast.RangeStmt),
		choices:  make(map[*ast.CommClause]*ast.SelectStmt),
		looped:   make(map[*ast.SelectStmt]bool),
		seen:     make(map[moment][]*world),
	}
	a.survey()
	if typ.Results != nil {
		for _, field := range typ.Results.List {
			for _, name := range field.Names {
				place := varPlace(f.info.Defs[name])
				a.names = append(a.names, place)
				w = w.set(place, f.zero(f.info.TypeOf(name), place))
			}
		}
	}
	w = w.clone()
	w.defers, w.results = nil, nil

	f.stack = append(f.stack, frame{fn, call})
	flow.Solve(g, body, state{w}, flow.Problem[state](problem{a}))
	f.stack = f.stack[:len(f.stack)-1]
	return a
}

// survey notes what the graph does not say of its nodes.
func (a *activation) survey() {
	ast.Inspect(a.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectStmt:
			for _, clause := range n.Body.List {
				clause := clause.(*ast.CommClause)
				a.choices[clause] = n
				if clause.Comm != nil {
					a.comms[clause.Comm] = true
					if assign, ok := clause.Comm.(*ast.AssignStmt); ok {
						a.comms[assign.Lhs[0]] = true
					}
				}
			}
		case *ast.RangeStmt:
			a.over[n.X] = n
		case *ast.ForStmt:
			ast.Inspect(n.Body, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectStmt); ok {
					a.looped[sel] = true
				}
				return true
			})
		}
		return true
	})
}

// here returns the site of a node in the function at hand.
func (f *follower) here(n ast.Node) site { return site{n, slices.Clone(f.stack)} }

// A moment is a node about to run in a world.
type moment struct {
	n     ast.Node
	world uint64
}

// A problem is the dataflow problem of one activation.
type problem struct{ *activation }

func (p problem) Join(x, y state) state { return x.join(y) }

func (p problem) Equal(x, y state) bool { return x.equal(y) }

func (p problem) Node(s state, n ast.Node) state {
	if p.comms[n] {
		return s // Have: the choice is still to come.
	}
	if p.work > maxWork {
		p.steps = maxSteps + 1 // no function is entered any more
		return s
	}
	return s.each(func(w *world) []*world {
		key := moment{n, w.id()}
		out, ok := p.seen[key]
		if !ok {
			p.work++
			out = p.step(w, n)
			p.seen[key] = out
		}
		return out
	})
}

// cond is the place of what the condition at hand evaluated to.
const cond = "cond"

func (p problem) Branch(s state, x ast.Expr, truth bool) (state, bool) {
	s = s.each(func(w *world) []*world {
		v := w.env[cond]
		if _, ok := p.info.Types[x]; !ok {
			// Have: a case of a switch with a tag.
			v = nil
			if b, ok := x.(*ast.BinaryExpr); ok && pure(b.X) {
				if outs := p.eval(w, b); len(outs) == 1 {
					v = outs[0].v
				}
			}
		}
		w = w.set(cond, nil)
		if v != nil && v.kind == isBool && (v.n != 0) != truth {
			return nil
		}
		return p.assume(w, x, truth)
	})
	return s, len(s) > 0
}

// pure reports whether evaluating x calls nothing.
func pure(x ast.Expr) bool {
	calls := false
	ast.Inspect(x, func(n ast.Node) bool {
		if _, ok := n.(*ast.CallExpr); ok {
			calls = true
		}
		return !calls
	})
	return !calls
}

// assume returns the worlds of w in which x, whose value is not known, is truth:
// a context's Err says whether it is done, and a time to wait of zero is all that is
// wanted.
func (p problem) assume(w *world, x ast.Expr, truth bool) []*world {
	b, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if ok && typeset.IsNamed(p.info.TypeOf(b.X), "time", "Duration") && b.Op != token.LSS && b.Op != token.GEQ {
		if zero, ok := p.constant(b.Y); ok && zero == 0 && truth == (b.Op == token.EQL || b.Op == token.LEQ) {
			return []*world{w.add("waited", x.Pos()).add("paused", x.Pos())}
		}
	}
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return []*world{w}
	}
	call, ok := ast.Unparen(b.X).(*ast.CallExpr)
	if !ok || !p.isNilExpr(b.Y) {
		return []*world{w}
	}
	fn := typeset.Callee(p.info, call)
	if !typeset.IsMethod(fn, "context", "Context", "Err") {
		return []*world{w}
	}
	outs := p.eval(w, ast.Unparen(call.Fun).(*ast.SelectorExpr).X)
	if len(outs) == 0 || outs[0].v.kind != isContext {
		return []*world{w}
	}
	ctx := outs[0].v
	if (b.Op == token.NEQ) == truth {
		return p.awaited(w, ctx, call, alone)
	}
	if _, done := w.isDone(ctx); done {
		return nil
	}
	return []*world{w}
}

func (p problem) Edge(s state, from, to *cfg.Block) state {
	switch to.Kind {
	case cfg.KindSelectCaseBody:
		clause, ok := to.Stmt.(*ast.CommClause)
		if !ok || clause.Comm == nil {
			return s
		}
		return s.each(func(w *world) []*world { return p.comm(w, clause) })
	case cfg.KindRangeBody:
		if stmt, ok := to.Stmt.(*ast.RangeStmt); ok {
			return s.each(func(w *world) []*world {
				_, count := loopPlaces(stmt)
				if done := w.env[count]; done != nil && p.rounds(w, stmt) > 0 && done.n >= p.rounds(w, stmt) {
					return nil
				}
				return p.element(w, stmt)
			})
		}
	case cfg.KindForLoop, cfg.KindRangeLoop, cfg.KindForBody:
		if from.Kind != cfg.KindForLoop || from.Stmt != to.Stmt {
			return s.each(func(w *world) []*world { return []*world{p.repeat(w, to.Stmt)} })
		}
	case cfg.KindForDone, cfg.KindRangeDone:
		clock, count := loopPlaces(to.Stmt)
		waits := p.polls(to.Stmt)
		ends := from.Kind == cfg.KindForLoop || from.Kind == cfg.KindRangeLoop
		return s.each(func(w *world) []*world {
			if done := w.env[count]; ends && done != nil && done.n < p.rounds(w, to.Stmt) || ends && p.rangesSignals(w, to.Stmt) {
				return nil
			}
			inView := p.rounds(w, to.Stmt) > 0 // what the rounds wait for is known
			w = w.set(clock, nil).set(count, nil)
			if waits && !inView {
				w = w.drop("napped").add("waited", to.Stmt.Pos()).add("paused", to.Stmt.Pos())
			}
			return []*world{w}
		})
	}
	return s
}

// number returns a number.
func number(n int64) *value { return &value{kind: isNumber, n: n} }

// apply calls fun with args.
func (f *follower) apply(w *world, fun *value, args []*value, at ast.Node) []outcome {
	opaque := &value{id: fmt.Sprintf("call@%d", at.Pos())}
	unfollowed := func() []outcome {
		w := w
		for _, v := range args {
			w = w.escape(v)
		}
		return []outcome{{w: w, v: opaque}}
	}
	if fun.kind == isCancel {
		return f.cancel(w, fun, at)
	}
	if call, ok := at.(*ast.CallExpr); ok && fun.fn != nil && fun.node == nil {
		if outs, ok := f.known(w, fun.fn, fun, args, call, opaque); ok {
			return outs
		}
	}
	switch {
	case fun.kind != isFunc || fun.node == nil:
		return unfollowed()
	case f.silent(fun.node):
		return []outcome{{w: w, v: opaque}}
	}
	a := f.run(f.bind(w, fun, args, at), fun.node, at)
	if a == nil {
		return unfollowed()
	}
	typ, body := syntax.FuncParts(fun.node)
	var out []outcome
	for _, end := range stateOf(a.ends) {
		o := outcome{w: end.clone(), v: opaque, values: end.results}
		if len(end.results) == 1 {
			o.v = end.results[0]
		}
		o.w.defers, o.w.results = w.defers, w.results
		o.w = f.forget(o.w, body, typ, end.results)
		out = append(out, o)
	}
	return out
}

// bind returns w with the receiver and the parameters of fun, as the call at sets them.
func (f *follower) bind(w *world, fun *value, args []*value, at ast.Node) *world {
	defs := f.infoOf(fun.node).Defs
	if decl, ok := fun.node.(*ast.FuncDecl); ok && decl.Recv != nil && len(decl.Recv.List[0].Names) == 1 && fun.parent != nil {
		w = w.set(varPlace(defs[decl.Recv.List[0].Names[0]]), fun.parent)
	}
	typ, _ := syntax.FuncParts(fun.node)
	i := 0
	for _, field := range typ.Params.List {
		_, variadic := field.Type.(*ast.Ellipsis)
		for _, name := range field.Names {
			place := varPlace(defs[name])
			switch {
			case place == "":
			case variadic:
				list := &value{id: fmt.Sprintf("list@%d", at.Pos()), values: args[min(i, len(args)):]}
				if call, ok := at.(*ast.CallExpr); ok && call.Ellipsis.IsValid() && i < len(args) {
					list = args[i]
				}
				w = w.set(place, list)
			case i < len(args):
				w = w.set(place, args[i])
			}
			i++
		}
		if len(field.Names) == 0 {
			i++
		}
	}
	return w
}

// forget returns w without the variables of a function that has returned, unless
// a function among its results may still use them.
func (f *follower) forget(w *world, body *ast.BlockStmt, typ *ast.FuncType, results []*value) *world {
	for _, v := range results {
		if v.kind == isFunc || v.kind == unknown {
			return w
		}
	}
	for place := range w.env {
		if pos := placePos(place); typ.Pos() <= pos && pos < body.End() {
			w = w.set(place, nil)
		}
	}
	return w
}

// idOf returns the id of what n makes, in this call of the function that it lies in.
func (f *follower) idOf(what string, n ast.Node) string {
	id := fmt.Sprintf("%s@%d", what, n.Pos())
	for _, fr := range f.stack[1:] {
		id += fmt.Sprintf("/%d", fr.call.Pos())
	}
	return id
}

// varPlace returns the place of a variable.
func varPlace(obj types.Object) string {
	if v, ok := obj.(*types.Var); ok && v.Name() != "_" {
		return fmt.Sprintf("%s@%d", v.Name(), v.Pos())
	}
	return ""
}
