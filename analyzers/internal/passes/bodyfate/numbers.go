package bodyfate

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says what conditions over numbers mean: of the status code, of the content
// length, of how much was read.

// refineNumbers refines the status codes and the content lengths of t.
func (tr *trace) refineNumbers(t *tuple, cond ast.Expr, truth bool) (*tuple, bool) {
	ev := evaluator{tr: tr, t: t, want: status}
	if _, ok := ev.eval(cond); ok && ev.used {
		kept := t.status.filter(func(code int) bool {
			ev.n = int64(code)
			n, ok := ev.eval(cond)
			return !ok || (n != 0) == truth
		})
		if kept == (codes{}) {
			return t, false
		}
		if kept != t.status {
			t = t.clone()
			t.status = kept
		}
	}
	ev = evaluator{tr: tr, t: t, want: length}
	if _, ok := ev.eval(cond); ok && ev.used {
		var kept lengths
		for l := unknownLength; l <= longLength; l <<= 1 {
			ev.n = l.sample()
			if n, ok := ev.eval(cond); t.lengths&l != 0 && (!ok || (n != 0) == truth) {
				kept |= l
			}
		}
		if kept == 0 {
			return t, false
		}
		if kept != t.lengths {
			t = t.clone()
			t.lengths = kept
		}
	}
	ev = evaluator{tr: tr, t: t, want: taken}
	if _, ok := ev.eval(cond); ok && ev.used {
		ev.n = ev.max
		if n, ok := ev.eval(cond); ok && (n != 0) != truth {
			t = t.with(Drained, t.fate) // less was there than the limit lets through
		}
	}
	return t, true
}

// An evaluator computes integer and boolean expressions over one unknown: the
// response's status code, its content length, or how much was taken of a body.
type evaluator struct {
	tr    *trace
	t     *tuple
	want  kind
	n     int64 // the unknown's value
	max   int64 // that it can have
	used  bool  // the unknown was met
	env   map[*types.Var]int64
	depth int
}

// someBound stands for the value of a bound that the code compares the content
// length with.
const someBound = 1 << 20

// eval returns the value of e, booleans as 0 and 1.
func (ev *evaluator) eval(e ast.Expr) (int64, bool) {
	e = ast.Unparen(e)
	info := ev.tr.pass.TypesInfo
	if tv, ok := info.Types[e]; ok && tv.Value != nil {
		switch tv.Value.Kind() {
		case constant.Bool:
			return boolInt(constant.BoolVal(tv.Value)), true
		case constant.Int, constant.Float:
			return constant.Int64Val(constant.ToInt(tv.Value))
		}
		return 0, false
	}
	if v := ev.tr.variable(e); v != nil {
		if n, ok := ev.env[v]; ok {
			return n, true
		}
	}
	if h, _ := ev.tr.value(ev.t, e).self(); h.kind == ev.want {
		ev.used, ev.max = true, h.max
		return ev.n, true
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		n, ok := ev.eval(e.X)
		switch {
		case e.Op == token.NOT && ok:
			return 1 - n, true
		case e.Op == token.SUB && ok:
			return -n, true
		}
	case *ast.BinaryExpr:
		x, ok := ev.eval(e.X)
		if e.Op == token.LAND && ok && x == 0 || e.Op == token.LOR && ok && x != 0 {
			return x, true
		}
		y, ok2 := ev.eval(e.Y)
		return binary(e.Op, x, y, ok && ok2)
	case *ast.CallExpr:
		return ev.call(e)
	}
	if ev.want == length && typeset.IsInteger(info.TypeOf(e)) {
		return someBound, true
	}
	return 0, false
}

// call evaluates a conversion, len, slices.Contains, or a call of a function of this
// package whose body is one return statement.
func (ev *evaluator) call(call *ast.CallExpr) (int64, bool) {
	tv := ev.tr.pass.TypesInfo.Types[call.Fun]
	if (tv.IsType() || tv.IsBuiltin() && ev.want == taken) && len(call.Args) == 1 {
		return ev.eval(call.Args[0]) // a conversion, or len
	}
	callee := typeset.Callee(ev.tr.pass.TypesInfo, call)
	if typeset.IsFunc(callee, "slices", "Contains") && len(call.Args) == 2 {
		return ev.contains(call.Args[0], call.Args[1])
	}
	decl := ev.tr.decls[callee]
	if decl == nil || decl.Recv != nil || decl.Body == nil || len(decl.Body.List) != 1 || ev.depth >= 4 {
		return 0, false
	}
	ret, ok := decl.Body.List[0].(*ast.ReturnStmt)
	params := ev.tr.params(decl)
	if !ok || len(ret.Results) != 1 || len(params) != len(call.Args) {
		return 0, false
	}
	env := make(map[*types.Var]int64)
	for i, arg := range call.Args {
		if n, ok := ev.eval(arg); ok && params[i] != nil {
			env[params[i]] = n
		}
	}
	inner := evaluator{tr: ev.tr, t: ev.t, want: ev.want, n: ev.n, env: env, depth: ev.depth + 1}
	return inner.eval(ret.Results[0])
}

// contains evaluates whether a slice literal, or the variable that is set to nothing
// else, has the element x.
func (ev *evaluator) contains(slice, x ast.Expr) (int64, bool) {
	want, ok := ev.eval(x)
	if v := typeset.VarOf(ev.tr.pass.TypesInfo, slice); v != nil {
		if defs := ev.tr.definitions(v); len(defs) == 1 {
			slice = defs[0]
		}
	}
	lit, isLit := ast.Unparen(slice).(*ast.CompositeLit)
	if !ok || !isLit {
		return 0, false
	}
	for _, elt := range lit.Elts {
		n, ok := ev.eval(elt)
		if !ok || n == want {
			return 1, ok
		}
	}
	return 0, true
}

// binary returns x op y.
func binary(op token.Token, x, y int64, ok bool) (int64, bool) {
	if !ok {
		return 0, false
	}
	switch op {
	case token.ADD:
		return x + y, true
	case token.SUB:
		return x - y, true
	case token.MUL:
		return x * y, true
	case token.QUO, token.REM:
		if y == 0 {
			return 0, false
		}
		if op == token.QUO {
			return x / y, true
		}
		return x % y, true
	case token.EQL:
		return boolInt(x == y), true
	case token.NEQ:
		return boolInt(x != y), true
	case token.LSS:
		return boolInt(x < y), true
	case token.LEQ:
		return boolInt(x <= y), true
	case token.GTR:
		return boolInt(x > y), true
	case token.GEQ:
		return boolInt(x >= y), true
	case token.LAND:
		return boolInt(x != 0 && y != 0), true
	case token.LOR:
		return boolInt(x != 0 || y != 0), true
	}
	return 0, false
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
