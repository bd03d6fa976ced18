package resend

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// answer returns the answer that the reader or bytes e lead to, or nothing.
func (f *frame) answer(w *world, e ast.Expr) val {
	v := f.eval(w, e)
	if r, ok := v.obj.(ref); ok && v.k == reader {
		v = w.get(ref{r.obj, ""})
	}
	if v.k == respOf || v.k == answerOf {
		return val{k: answerOf, obj: v.obj}
	}
	return val{}
}

// decoded returns the worlds after a call of package encoding/json that takes an answer
// apart, or nil if it does not.
func (f *frame) decoded(w *world, call *ast.CallExpr, fn *types.Func) state {
	var from, to ast.Expr
	switch {
	case fn.Name() == "Unmarshal" && len(call.Args) == 2:
		from, to = call.Args[0], call.Args[1]
	case fn.Name() == "Decode" && len(call.Args) == 1:
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			if dec, ok := ast.Unparen(sel.X).(*ast.CallExpr); ok && len(dec.Args) == 1 {
				from, to = dec.Args[0], call.Args[0]
			}
		}
	}
	addr, ok := to.(*ast.UnaryExpr)
	if !ok {
		return nil
	}
	v := f.answer(w, from)
	r, ok := f.place(w, addr.X)
	if !ok || v.k == unknown {
		return nil
	}
	return state{f.results(w.assign(r, v), call, map[int]val{0: {k: readErr, obj: v.obj}})}
}

// asksAnswer returns the world after a condition, which may ask what was read of a
// response.
func (f *frame) asksAnswer(w *world, cond ast.Expr) *world {
	ast.Inspect(cond, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.info.Uses[id].(*types.Var); ok && !v.IsField() {
				if is := f.eval(w, id); is.k == answerOf {
					w = f.unsure(w, is)
				}
			}
		}
		return true
	})
	return w
}

// isThere reports whether a condition that asks whether something is longer than 0 says that
// it is: what may be an answer is there.
func isThere(cond ast.Expr, truth bool) bool {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok || !strings.HasPrefix(types.ExprString(b.X), "len(") || types.ExprString(b.Y) != "0" {
		return false
	}
	return truth == (b.Op == token.GTR || b.Op == token.NEQ)
}

// computed sets the results of a call that are computed from an answer that it is given.
func (f *frame) computed(w *world, call *ast.CallExpr, v val, of map[int]val) *world {
	tuple := resultsOf(f.info, call)
	for i := range tuple.Len() {
		switch t := tuple.At(i).Type(); {
		case typeset.IsBool(t):
			w = f.unsure(w, v)
		case !httpmodel.ImplementsError(t):
			of[i] = v
		}
	}
	return w
}
