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
	return x.lost == y.lost && slices.EqualFunc(x.worlds, y.worlds, func(x, y *world) bool { return x == y || x.id() == y.id() })
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
	subject := syntax.SwitchSubject(c.Switch)
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
			} else if typeset.IsBool(t) {
				v.truth = no
			} else if namesErrors(p.signature()) {
				v.class = zeroClass(t)
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
			if typeset.IsBool(p.info.TypeOf(call)) {
				return worldsOf(p.eval(w, call))
			}
			return []*world{p.taken(w, call)}
		}
	case ast.Expr:
		rhs, isGiven := p.given[n]
		if !isGiven {
			break // a condition, or what is switched on
		}
		if w, v, ok := p.received(w, rhs); ok {
			return []*world{p.set(w, n, v)}
		}
		if IsError(p.info.TypeOf(n)) {
			if rhs != nil && IsError(p.info.TypeOf(rhs)) { // a list
				if w2, ref, ok := p.errorOf(w, rhs); ok {
					return []*world{p.set(w2, n, value{err: ref.id})}
				}
			}
			return []*world{p.set(w, n, value{})}
		}
	}
	return []*world{w}
}

// resultNames returns the names of the results, or nil.
func (p problem) resultNames() []ast.Expr {
	ftype, _ := syntax.FuncParts(p.node)
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

// Join returns the state that one of states holds.
func (f *Flow) Join(states []State) State {
	all := State{}
	for _, s := range states {
		all = f.problem.Join(all, s)
	}
	return all
}
