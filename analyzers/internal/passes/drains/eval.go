package drains

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// zero returns the zero value of a variable of type t.
func (f *follower) zero(t types.Type, place string) *value {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Pointer, *types.Chan, *types.Slice, *types.Signature:
		return &value{kind: isNil, id: "nil"}
	}
	return f.opaque(t, place)
}

// opaque returns a value of which nothing is known but its type and identity.
func (f *follower) opaque(t types.Type, id string) *value {
	v := &value{id: id, n: -1, typ: t}
	switch {
	case t == nil:
	case isContextType(t):
		v.kind = isContext
	case isChanType(t):
		v.kind = isChan
		if elem := t.Underlying().(*types.Chan).Elem(); typeset.IsNamed(elem, "os", "Signal") {
			v.how = bySignal
		}
	}
	return v
}

func isContextType(t types.Type) bool {
	_, ptr := types.Unalias(t).(*types.Pointer)
	return !ptr && typeset.IsNamed(t, "context", "Context")
}

func isChanType(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// evalAll evaluates a list of expressions.
func (f *follower) evalAll(w *world, list []ast.Expr) []outcome {
	outs := []outcome{{w: w, v: new(value)}}
	for _, x := range list {
		var next []outcome
		for _, o := range outs {
			for _, p := range f.eval(o.w, x) {
				values := p.values
				if len(values) < 2 || len(list) > 1 {
					values = []*value{p.v}
				}
				next = append(next, outcome{w: p.w, v: p.v, values: append(append([]*value(nil), o.values...), values...)})
			}
		}
		outs = next
	}
	return outs
}

// eval evaluates x.
func (f *follower) eval(w *world, x ast.Expr) []outcome {
	x = ast.Unparen(x)
	one := func(v *value) []outcome { return []outcome{{w: w, v: v}} }
	tv := f.info.Types[x]
	if tv.Value != nil {
		switch tv.Value.Kind() {
		case constant.Int:
			if n, ok := constant.Int64Val(tv.Value); ok {
				return one(number(n))
			}
		case constant.Bool:
			return one(truth(constant.BoolVal(tv.Value)))
		case constant.Float:
			if n, ok := constant.Int64Val(constant.ToInt(tv.Value)); ok {
				return one(number(n))
			}
		}
		return one(new(value))
	}
	if f.isNilExpr(x) {
		return one(&value{kind: isNil, id: "nil"})
	}
	switch x := x.(type) {
	case *ast.Ident:
		switch obj := f.info.ObjectOf(x).(type) {
		case *types.Var:
			return one(f.variable(w, obj))
		case *types.Func:
			return one(f.function(obj, nil))
		}
	case *ast.SelectorExpr:
		return f.selector(w, x)
	case *ast.IndexExpr:
		if fn := typeset.FuncObj(f.info, x); fn != nil {
			return one(f.function(fn, nil))
		}
		return f.part(f.evalAll(w, []ast.Expr{x.X, x.Index}), tv.Type)
	case *ast.IndexListExpr:
		if fn := typeset.FuncObj(f.info, x); fn != nil {
			return one(f.function(fn, nil))
		}
	case *ast.FuncLit:
		return one(&value{kind: isFunc, id: fmt.Sprintf("func@%d", x.Pos()), node: x})
	case *ast.StarExpr:
		return f.eval(w, x.X)
	case *ast.TypeAssertExpr:
		return f.eval(w, x.X)
	case *ast.SliceExpr:
		return f.eval(w, x.X)
	case *ast.UnaryExpr:
		switch x.Op {
		case token.AND:
			return f.eval(w, x.X)
		case token.ARROW:
			var outs []outcome
			for _, o := range f.eval(w, x.X) {
				outs = append(outs, f.receive(o.w, o.v, x, alone)...)
			}
			return outs
		case token.NOT:
			outs := f.eval(w, x.X)
			for i, o := range outs {
				if o.v.kind == isBool {
					outs[i].v = truth(o.v.n == 0)
				}
			}
			return outs
		}
		return f.eval(w, x.X)
	case *ast.BinaryExpr:
		outs := f.evalAll(w, []ast.Expr{x.X, x.Y})
		for i, o := range outs {
			outs[i] = outcome{w: o.w, v: binary(x.Op, o.values[0], o.values[1])}
		}
		return outs
	case *ast.CompositeLit:
		return f.literal(w, x)
	case *ast.CallExpr:
		var outs []outcome
		for _, o := range f.operands(w, x) {
			outs = append(outs, f.call(o, x)...)
		}
		return outs
	}
	return one(f.opaque(tv.Type, fmt.Sprintf("expr@%d", x.Pos())))
}

// part makes the value of an element of a list of each outcome.
func (f *follower) part(outs []outcome, t types.Type) []outcome {
	for i, o := range outs {
		list, index := o.values[0], o.values[1]
		v := f.opaque(t, fmt.Sprintf("%s[%s%d]", list.id, index.id, index.n))
		if index.kind == isNumber && 0 <= index.n && index.n < int64(len(list.values)) {
			v = list.values[index.n]
		}
		outs[i] = outcome{w: o.w, v: v}
	}
	return outs
}

// truth returns a bool.
func truth(b bool) *value {
	if b {
		return &value{kind: isBool, n: 1, id: "bool"}
	}
	return &value{kind: isBool, id: "bool"}
}

// binary returns the value of "x op y".
func binary(op token.Token, x, y *value) *value {
	switch op {
	case token.EQL, token.NEQ:
		isErr := func(v *value) bool { return v.kind == isNil || v.kind == isClosed || v.kind == isError }
		if isErr(x) && isErr(y) && (x.kind != isError || y.kind != isError) {
			return truth((x.kind == y.kind) == (op == token.EQL))
		}
		if x.kind == isBool && y.kind == isBool {
			return truth((x.n == y.n) == (op == token.EQL))
		}
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		if x.kind == isNumber && y.kind == isNumber {
			return truth(constant.Compare(constant.MakeInt64(x.n), op, constant.MakeInt64(y.n)))
		}
	case token.ADD, token.SUB, token.MUL, token.QUO:
		if x.kind == isNumber && y.kind == isNumber {
			switch op {
			case token.ADD:
				return number(x.n + y.n)
			case token.SUB:
				return number(x.n - y.n)
			case token.MUL:
				return number(x.n * y.n)
			case token.QUO:
				if y.n != 0 {
					return number(x.n / y.n)
				}
			}
		}
	case token.LAND, token.LOR:
		if x.kind == isBool && (x.n != 0) == (op == token.LOR) {
			return x
		}
		if x.kind == isBool {
			return y
		}
	}
	return new(value)
}

// isNilExpr reports whether x is nil.
func (f *follower) isNilExpr(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = f.info.ObjectOf(id).(*types.Nil)
	return ok
}

// rangePlace returns the place of what loop ranges over.
func rangePlace(loop *ast.RangeStmt) string { return fmt.Sprintf("range@%d", loop.Pos()) }

// element returns the worlds in which loop has an element.
func (a *activation) element(w *world, loop *ast.RangeStmt) []*world {
	v := w.env[rangePlace(loop)]
	if v == nil {
		return []*world{w}
	}
	outs := []outcome{{w: w}}
	elem := loop.Value
	switch {
	case v.kind == isChan:
		outs = a.receive(w, v, loop, alone)
		elem = loop.Key
	case len(v.values) > 0 && loop.Value != nil:
		_, count := loopPlaces(loop)
		if done := w.env[count]; done != nil && done.n < int64(len(v.values)) && len(v.values) <= maxRounds {
			outs[0].v = v.values[done.n]
			break
		}
		outs = nil
		for _, x := range v.values {
			outs = append(outs, outcome{w: w, v: x})
		}
	}
	var out []*world
	for _, o := range outs {
		w := o.w
		for _, x := range []ast.Expr{loop.Key, loop.Value} {
			if x == nil {
				continue
			}
			if place := a.place(w, x); place != "" {
				v := a.opaque(a.info.TypeOf(x), fmt.Sprintf("%s[%d]", v.id, x.Pos()))
				if x == elem && o.v != nil {
					v = o.v
				}
				w = w.set(place, v)
			}
		}
		out = append(out, w)
	}
	return out
}

// listed returns the number of elements that loop ranges over, if it is in view, or
// else 0.
func (a *activation) listed(w *world, loop *ast.RangeStmt) int {
	if v := w.env[rangePlace(loop)]; v != nil && v.values != nil {
		return len(v.values)
	}
	if v := typeset.VarOf(a.info, loop.X); v != nil {
		if lit, ok := a.index.OnlyDef(v).(*ast.CompositeLit); ok {
			return len(lit.Elts)
		}
	}
	return 0
}
