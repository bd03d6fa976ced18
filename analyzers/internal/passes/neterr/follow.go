package neterr

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/cfg"
)

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
	_, body := syntax.FuncParts(e.node)
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
		for i := range lit.Elts {
			if field, value := typeset.Element(e.info, lit, i); field != nil && ast.Unparen(value) == x {
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

// Picked returns the state in which x, a part of n, goes somewhere, where s holds
// before n: it may be picked by a condition, as in pick(cond, x, y).
func (f *Flow) Picked(s State, n ast.Node, x ast.Expr) State {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && f.problem.picks(call) {
			for i, arg := range call.Args[1:] {
				if ast.Unparen(arg) == x {
					s, _ = f.problem.Branch(s, call.Args[0], i == 0)
				}
			}
		}
		return true
	})
	return s
}

// picks reports whether call calls a function that returns its second argument or
// its third, as its first says, as one knows by its signature.
func (e *engine) picks(call *ast.CallExpr) bool {
	sig, ok := typeset.Underlying(e.info, call.Fun).(*types.Signature)
	if !ok || sig.Params().Len() != 3 || sig.Results().Len() != 1 || len(call.Args) != 3 || sig.Variadic() {
		return false
	}
	t := sig.Results().At(0).Type()
	return typeset.IsBool(sig.Params().At(0).Type()) && types.Identical(sig.Params().At(1).Type(), t) && types.Identical(sig.Params().At(2).Type(), t)
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
