package bodyfate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says what an expression holds.

// value returns what the expression e holds; its calls have been made.
func (tr *trace) value(t *tuple, e ast.Expr) value {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := tr.variable(e); v != nil {
			return t.get(place{v, ""})
		}
	case *ast.StarExpr:
		return tr.value(t, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return tr.value(t, e.X)
		}
		if r := t.results[e]; len(r.values) > 0 { // <-c
			return r.values[0]
		}
	case *ast.TypeAssertExpr:
		return tr.value(t, e.X)
	case *ast.SelectorExpr:
		sel := tr.pass.TypesInfo.Selections[e]
		if sel == nil {
			break
		}
		index := sel.Index()
		switch sel.Kind() {
		case types.FieldVal:
			return tr.value(t, e.X).at(fieldPath(sel.Recv(), index))
		case types.MethodVal:
			recv := tr.value(t, e.X).at(fieldPath(sel.Recv(), index[:len(index)-1]))
			if fn, ok := sel.Obj().(*types.Func); ok && recv.holds() {
				return append(value{{"", handle{kind: bound, fn: fn.Origin()}}}, recv.under("()")...)
			}
		}
	case *ast.CallExpr:
		if tv := tr.pass.TypesInfo.Types[e.Fun]; tv.IsType() && len(e.Args) == 1 {
			return tr.value(t, e.Args[0])
		}
		if r := t.results[e]; len(r.values) > 0 {
			return r.values[0]
		}
	case *ast.CompositeLit:
		return tr.literal(t, e)
	case *ast.FuncLit:
		if tr.captures(t, e) {
			return value{{"", handle{kind: closure, lit: e}}}
		}
	}
	return nil
}

// literal returns what a struct literal holds.
func (tr *trace) literal(t *tuple, lit *ast.CompositeLit) value {
	typ := tr.typeOf(lit)
	if ptr, ok := typ.Underlying().(*types.Pointer); ok {
		typ = ptr.Elem() // &T elided within a composite literal
	}
	var held value
	for i := range lit.Elts {
		field, x := typeset.Element(tr.pass.TypesInfo, lit, i)
		if field == nil {
			continue
		}
		v := tr.value(t, x)
		if types.IsInterface(field.Type()) {
			v = tr.boxed(v, tr.typeOf(x))
		}
		if isLimitedReader(typ) && len(v) > 0 {
			return tr.limit(lit, v)
		}
		held = append(held, v.under("."+field.Name())...)
	}
	slices.SortFunc(held, func(a, b entry) int {
		switch {
		case a.path < b.path:
			return -1
		case a.path > b.path:
			return 1
		}
		return 0
	})
	return held
}

// captures reports whether a function literal mentions a variable that leads to
// the body.
func (tr *trace) captures(t *tuple, lit *ast.FuncLit) bool {
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !found {
			if v, ok := tr.pass.TypesInfo.Uses[id].(*types.Var); ok {
				found = t.get(place{v, ""}).holds()
			}
		}
		return !found
	})
	return found
}

// resultOf returns what is known of the results of an expression: those of a
// call, or its one value.
func (tr *trace) resultOf(t *tuple, e ast.Expr) callResult {
	e = ast.Unparen(e)
	if r, ok := t.results[e]; ok {
		return r
	}
	r := callResult{values: []value{tr.value(t, e)}}
	if zero, ok := tr.isZero(t, e); ok {
		r.zero = map[int]bool{0: zero}
	}
	if v := tr.variable(e); v != nil {
		for _, l := range t.links {
			if l.v == v {
				r.links = map[int]effect{0: l.effect}
			}
		}
	}
	return r
}
