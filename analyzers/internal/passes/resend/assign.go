package resend

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

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
		if f.takes(n.Lhs[0], n.Rhs[0]) {
			w = f.taken(w, typeset.VarOf(f.info, n.Lhs[0]))
		}
		if ta, ok := ast.Unparen(n.Rhs[0]).(*ast.TypeAssertExpr); ok {
			return f.commaOK(w, n, ta.X, f.info.TypeOf(ta.Type))
		}
		call, _ := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
		if call != nil && f.errorsFunc(call) == "AsType" && len(call.Args) == 1 {
			return f.commaOK(w, n, call.Args[0], resultsOf(f.info, call).At(0).Type())
		}
		s := state{w}
		for i, lhs := range n.Lhs {
			s = f.flatMap(s, func(w *world) state {
				v := val{}
				if call != nil {
					v = w.get(ref{call, digit(i)})
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

// commaOK returns the worlds after v, ok := x.(T), or v, ok := errors.AsType[T](x): where
// x is an error, those in which ok tells what it is.
func (f *frame) commaOK(w *world, n *ast.AssignStmt, x ast.Expr, target types.Type) state {
	v := f.eval(w, x)
	if !httpmodel.IsError(f.info.TypeOf(x)) {
		return f.flatMap(f.set(w, n.Lhs[0], v), func(w *world) state { return f.set(w, n.Lhs[1], val{}) })
	}
	var s state
	for _, truth := range []bool{true, false} {
		if w := f.isA(w, v, target, truth); w != nil {
			s = append(s, f.flatMap(f.set(w, n.Lhs[0], v), func(w *world) state { return f.set(w, n.Lhs[1], boolVal(truth)) })...)
		}
	}
	return f.join(nil, s)
}

// digit names the i-th result of a call.
func digit(i int) string { return string(rune('0' + min(i, 9))) }

// assignOne returns the worlds after lhs = rhs. A condition makes two of them.
func (f *frame) assignOne(w *world, lhs, rhs ast.Expr) state {
	if f.takes(lhs, rhs) {
		w = f.taken(w, typeset.VarOf(f.info, lhs))
	}
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

// boolVal returns a boolean constant.
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
	if v.k == errOf || v.k == buildErr || v.k == answerOf || worthKeeping(f.info.TypeOf(lhs)) {
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
	switch {
	case v.k == constant_ && v.s != "" && !httpmodel.IsDedupName(trimQuotes(v.s)):
		return w
	case req.k == request:
		return w.with(ref{req.obj, "#key"}, val{k: nonNil})
	case v.k == constant_:
		return w.with(mayKey, val{k: nonNil}) // of a request that is not seen
	}
	return w
}
