package relays

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// Branch implements flow.Problem.
func (e *engine) Branch(s state, cond ast.Expr, truth bool) (state, bool) {
	if s.lost {
		return s, true
	}
	s = e.each(s, func(w *world) bool { return e.refine(w, cond, truth) })
	return s, s.lost || len(s.worlds) > 0
}

// refine refines w for the path on which cond is truth, and reports whether there
// is one.
func (e *engine) refine(w *world, cond ast.Expr, truth bool) bool {
	key := e.condKey(cond)
	if e.asked[key] > 1 && key != "" {
		if known, ok := w.conds[key]; ok {
			if known != truth {
				return false
			}
		} else {
			conds := make(map[string]bool, len(w.conds)+1)
			for k, v := range w.conds {
				conds[k] = v
			}
			conds[key] = truth
			w.conds = conds
		}
	}
	if truth {
		w.look(e.streaming(w, cond))
	}
	switch x := ast.Unparen(cond).(type) {
	case *ast.BinaryExpr:
		if x.Op != token.EQL && x.Op != token.NEQ {
			break
		}
		if _, typed := e.info.Types[x]; !typed && !e.isIdle(x.Y) { // a switch's tag and one of its values
			e.consume(w, e.peek(w, x.X).join(e.peek(w, x.Y)))
		}
		operand := x.X
		if e.isNil(x.X) {
			operand = x.Y
		} else if !e.isNil(x.Y) {
			break
		}
		isNil := truth == (x.Op == token.EQL)
		for _, h := range e.peek(w, operand) {
			if h.path == "" && (h.kind == failure && !isNil || h.kind == response && isNil && e.origins[h.from].call != nil) {
				w.drop(h.from)
			}
		}
		if root, path := e.place(operand); root != nil && !isNil && httpmodel.IsError(e.info.TypeOf(operand)) {
			w.set(root, path, value{{"", problem, 0}})
		}
	case *ast.CallExpr:
		fn := typeset.Callee(e.info, x)
		if truth && len(x.Args) == 2 && typeset.IsFunc(fn, "errors", "Is", "As") {
			for _, h := range e.peek(w, x.Args[0]) {
				if h.kind == failure {
					w.drop(h.from)
				}
			}
		}
	}
	return true
}

// streaming returns the header in w of which cond asks whether it says that the body is
// a stream of events. What fails does not answer with one.
func (e *engine) streaming(w *world, cond ast.Expr) value {
	if id, ok := ast.Unparen(cond).(*ast.Ident); ok {
		if v := typeset.VarOf(e.info, id); v != nil {
			cond = e.index.OnlyDef(v)
		}
	}
	call, ok := cond.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || !typeset.IsFunc(typeset.Callee(e.info, call), "strings", "HasPrefix", "Contains", "EqualFold") {
		return nil
	}
	tv := e.info.Types[call.Args[1]]
	if tv.Value == nil || tv.Value.Kind() != constant.String || !strings.Contains(constant.StringVal(tv.Value), "event-stream") {
		return nil
	}
	return e.peek(w, call.Args[0]).only(header)
}

// isNil reports whether x is nil.
func (e *engine) isNil(x ast.Expr) bool { return e.info.Types[ast.Unparen(x)].IsNil() }

// countConds counts how often each leaf of a condition is asked.
func (e *engine) countConds(cond ast.Expr) {
	switch x := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			e.countConds(x.X)
			return
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			e.countConds(x.X)
			e.countConds(x.Y)
			return
		}
	}
	if key := e.condKey(cond); key != "" {
		e.asked[key]++
	}
}

// condKey returns a text that is the same for conditions that have the same truth
// wherever they are asked: those of variables that are set once and of constants.
func (e *engine) condKey(cond ast.Expr) string {
	cond = ast.Unparen(cond)
	stable := true
	var vars strings.Builder
	ast.Inspect(cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			switch obj := e.info.Uses[n].(type) {
			case *types.Var:
				stable = stable && !obj.IsField() && obj.Parent() != e.pass.Pkg.Scope() && e.setOnce(obj)
				fmt.Fprintf(&vars, " %d", obj.Pos())
			case *types.Const, *types.Nil:
			default:
				stable = false
			}
		case *ast.BasicLit, *ast.BinaryExpr, *ast.ParenExpr, nil:
		case ast.Expr:
			stable = false
		}
		return stable
	})
	if !stable {
		return ""
	}
	return types.ExprString(cond) + vars.String()
}

// setOnce reports whether a variable keeps the value that it gets first.
func (e *engine) setOnce(v *types.Var) bool {
	if slices.ContainsFunc(e.loops, func(loop ast.Node) bool { return loop.Pos() <= v.Pos() && v.Pos() < loop.End() }) {
		return false
	}
	n := len(e.index.Defs(v))
	for _, p := range e.params {
		if p == v {
			return n == 0
		}
	}
	return n == 1
}

// inLoop reports whether a call lies in a loop that v outlives.
func (e *engine) inLoop(call *ast.CallExpr, v *types.Var) bool {
	return slices.ContainsFunc(e.loops, func(loop ast.Node) bool {
		return call != nil && syntax.Within(call, loop) && (v.Pos() < loop.Pos() || loop.End() <= v.Pos())
	})
}
