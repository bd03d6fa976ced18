package neterr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/cfg"
)

// This file follows the errors of functions that are given to others (what runs them,
// again or beside each other, fails with what they fail with), and of those that send
// them on a channel.

// callbacks returns the functions with whose errors call, of fn, fails: those that it is
// given, or that a group was given which it waits for. It returns nil for others.
func (e *engine) callbacks(call *ast.CallExpr, fn *types.Func) (funcs []ast.Expr) {
	if i := httpmodel.FailsWith(fn); i >= 0 && i < len(call.Args) {
		return call.Args[i : i+1]
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !httpmodel.IsGroupWait(fn) {
		return nil
	}
	group := typeset.VarOf(e.info, sel.X)
	ast.Inspect(e.node, func(n ast.Node) bool {
		other, ok := n.(*ast.CallExpr)
		if !ok || len(other.Args) != 1 || !httpmodel.IsGroupGo(typeset.Callee(e.info, other)) {
			return true
		}
		if sel, ok := ast.Unparen(other.Fun).(*ast.SelectorExpr); ok && group != nil && typeset.VarOf(e.info, sel.X) == group {
			funcs = append(funcs, other.Args[0])
		}
		return true
	})
	return funcs
}

// failureOf returns what the error of call may be, which is that of one of funcs, the
// last of its results.
func (e *engine) failureOf(call *ast.CallExpr, funcs ...ast.Expr) Failure {
	all := Failure{Set: None}
	for _, x := range funcs {
		f := e.failureOfFunc(x)
		all.Set |= f.Set
		if f.Why.IsValid() {
			all.Why = call.Pos()
		}
	}
	return all
}

// failureOfFunc returns what the error of the function x may be. It is not known why.
func (e *engine) failureOfFunc(x ast.Expr) Failure {
	if x == nil {
		return Failure{Set: All}
	}
	fun, fn := e.Callee(&ast.CallExpr{Fun: x})
	switch httpmodel.OriginOf(fn) {
	case httpmodel.Client:
		return Failure{Set: FromClient(), Why: x.Pos()}
	case httpmodel.Transport:
		return Failure{Set: FromTransport(), Why: x.Pos()}
	}
	s := e.summaryOf(fun, fn)
	if s == nil {
		return Failure{Set: All}
	}
	var f Failure
	for _, c := range s.Cases {
		r := c.Results[len(c.Results)-1]
		switch {
		case r.Kind == nilResult:
			f.Set |= None
		case r.Kind == freshResult && r.From == 0:
			f.Set |= r.Set
			if r.Net {
				f.Why = x.Pos()
			}
		default:
			f.Set |= All
		}
	}
	return f
}

// received returns what x, a receive from a channel of the function, gives: an error, or
// a struct with one, that its function literals send.
func (e *engine) received(w *world, x ast.Expr) (*world, value, bool) {
	if x == nil {
		return w, value{}, false
	}
	recv, ok := ast.Unparen(x).(*ast.UnaryExpr)
	if !ok || recv.Op != token.ARROW {
		return w, value{}, false
	}
	ch := typeset.VarOf(e.info, recv.X)
	part := errorPart(e.info.TypeOf(x))
	if ch == nil || !e.own[ch] || part == nil && !IsError(e.info.TypeOf(x)) {
		return w, value{}, false
	}
	f, known := e.sent[ch]
	if !known {
		f = e.sentOn(ch, part)
		e.sent[ch] = f
	}
	if f.Set == 0 {
		return w, value{}, false
	}
	return w.fresh(recv.OpPos, f), value{err: recv.OpPos, part: part}, true
}

// sentOn returns what the error may be that the function literals of the function send
// on ch, in the field part if that is not nil; the zero Failure if others may, too.
func (e *engine) sentOn(ch *types.Var, part *types.Var) (all Failure) {
	var lits []*ast.FuncLit
	count := 0
	ast.Inspect(e.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if n != e.node {
				lits = append(lits, n)
			}
		case *ast.SendStmt:
			if typeset.VarOf(e.info, n.Chan) == ch {
				count++
			}
		}
		return true
	})
	for _, lit := range lits {
		f := e.Follow(lit, Unknown(), nil)
		if f == nil {
			continue
		}
		f.Walk(func(_ *cfg.Block, n ast.Node, s State) {
			send, ok := n.(*ast.SendStmt)
			if !ok || typeset.VarOf(e.info, send.Chan) != ch || s.lost {
				return
			}
			count--
			for _, w := range s.worlds {
				one := f.problem.sends(w, send.Value, part)
				all.Set |= one.Set
				if one.Why.IsValid() && !one.Excused && one.Set&Dial != 0 {
					all.Why = one.Why
				}
			}
		})
	}
	if count > 0 {
		return Failure{}
	}
	return all
}

// sends returns what the error x, or that in the field part of x, may be in w.
func (e *engine) sends(w *world, x ast.Expr, part *types.Var) Failure {
	if part != nil {
		if rows := e.parts(w, x, part); len(rows) == 1 && rows[0].results[0].err != token.NoPos {
			return rows[0].w.failure(rows[0].results[0].err)
		}
	} else if w, ref, ok := e.errorOf(w, x); ok {
		return w.failure(ref.id)
	}
	return Failure{Set: All}
}
