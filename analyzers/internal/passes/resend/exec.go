package resend

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A frame is one call of a function that is followed.
type frame struct {
	*engine
	fn      ast.Node   // *ast.FuncDecl or *ast.FuncLit
	calls   []ast.Node // from one in the entry to that of fn
	parents []*frame   // the frames around it
	ranges  map[ast.Expr]*ast.RangeStmt
	polls   map[ast.Node]bool // the communications of selects that do not wait
	timed   map[ast.Node]bool // those of selects that something else can end
	returns map[ast.Node][]*exit
	again   []*world // with which fn is called by itself, or by what it starts
	apart   bool     // fn runs apart from what started it
}

// An exit is a way out of a function.
type exit struct {
	w       *world
	results []val
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
		entry = f.join(nil, f.again)
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
	if len(f.queued()) > 0 {
		s = f.flatMap(s, func(w *world) state { return state{f.putsBack(w, n)} })
	}
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
			c.forget(r)
		}
	}
	return c
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
	return typeset.SignatureOf(f.info, f.fn)
}
