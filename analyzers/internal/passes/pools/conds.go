package pools

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A cond is what a tuple knows of: that a parameter, or a field of it, is the zero
// value, or is not.
type cond struct {
	param int
	path  string
	pool  bool // it is a client or transport, or may hold one
}

// maxConds is what fits in a tuple.
const maxConds = 12

// conditionsOf collects what the conditions in f say of its parameters.
func (c *checker) conditionsOf(f *function) {
	if f.ready {
		return
	}
	f.ready = true
	inspectBody(f.body, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if x, _, ok := c.zeroTest(f, e); ok && len(f.conds) < maxConds && !slices.Contains(f.conds, x) {
			f.conds = append(f.conds, x)
		}
		return true
	})
}

// testOf returns the number of the condition that an expression tests, or -1, and
// whether the zero value is what it means if it is truth.
func (t *trace) testOf(e ast.Expr, truth bool) (i int, zero bool) {
	x, zero, ok := t.zeroTest(t.fn, e)
	if !ok {
		return -1, false
	}
	return slices.Index(t.fn.conds, x), zero == truth
}

// zeroTest reports whether e compares a parameter, or a field of it, with its zero
// value, and whether it is that if e is true.
func (c *checker) zeroTest(f *function, e ast.Expr) (x cond, zero, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		left := e.X
		if call, isCall := ast.Unparen(left).(*ast.CallExpr); isCall && len(call.Args) == 1 && c.pass.TypesInfo.Types[call.Fun].IsBuiltin() {
			left = call.Args[0] // len
		}
		tv := c.pass.TypesInfo.Types[e.Y]
		if !tv.IsNil() && (tv.Value == nil || !isZero(tv.Value)) {
			return x, false, false
		}
		x.param, x.path, ok = c.aliasPath(f, left)
		x.pool = ok && c.poolish(c.pass.TypesInfo.TypeOf(left))
		switch e.Op {
		case token.EQL, token.LEQ:
			return x, true, ok
		case token.NEQ, token.GTR:
			return x, false, ok
		}
	case *ast.Ident, *ast.SelectorExpr:
		if basic, isBasic := typeOf(c, e).(*types.Basic); isBasic && basic.Info()&types.IsBoolean != 0 {
			x.param, x.path, ok = c.aliasPath(f, e)
			return x, false, ok
		}
	}
	return x, false, false
}

// typeOf returns the underlying type of e, or nil.
func typeOf(c *checker, e ast.Expr) types.Type {
	if t := c.pass.TypesInfo.TypeOf(e); t != nil {
		return t.Underlying()
	}
	return nil
}

// aliasPath is paramPath, also for a local variable that starts out as a copy.
func (c *checker) aliasPath(f *function, e ast.Expr) (param int, path string, ok bool) {
	if param, path, ok = c.paramPath(f, e); ok {
		return param, path, ok
	}
	if v := c.variable(e); v != nil && isIdent(e) && c.isLocal(v) {
		if d := c.valuesOf(v); len(d.values) > 0 && d.values[0].index == 0 {
			if _, isCall := ast.Unparen(d.values[0].expr).(*ast.CallExpr); !isCall {
				return c.paramPath(f, d.values[0].expr)
			}
		}
	}
	return 0, "", false
}

// conditions lists what a tuple's bits say.
func (t *trace) conditions(bits uint32) []Condition {
	var list []Condition
	for i, x := range t.fn.conds {
		for j, zero := range []bool{true, false} {
			if bits>>(2*i+j)&1 != 0 {
				list = append(list, Condition{Param: x.param, Path: x.path, Zero: zero})
			}
		}
	}
	return list
}

// A verdict is what a call says about a condition on its parameters.
type verdict uint8

const (
	unknown verdict = iota
	holds
	fails
)

// decide returns what the arguments of a call in f say about cond. Where they hand
// on a parameter of f, it returns that condition on f's parameter.
func (c *checker) decide(f *function, call *ast.CallExpr, cond Condition) (verdict, *Condition) {
	arg := c.argument(call, cond.Param)
	if arg == nil {
		if cond.Param > 0 && cond.Path == "" { // a variadic parameter that gets nothing
			return verdictOf(cond.Zero && !cond.Maker), nil
		}
		return unknown, nil
	}
	if cond.Maker {
		for _, t := range c.targets(arg, nil) {
			if len(c.makes(t)) > 0 {
				return holds, nil
			}
		}
		if v := c.variable(arg); v != nil && f.index(v) >= 0 && !isSelector(arg) {
			return unknown, &Condition{Param: f.index(v), Maker: true}
		}
		return fails, nil
	}
	switch zero := c.zero(f, arg, cond.Path, 0); zero {
	case holds:
		return verdictOf(cond.Zero), nil
	case fails:
		return verdictOf(!cond.Zero), nil
	}
	if param, path, ok := c.paramPath(f, arg); ok && c.untouched(f, param, path+cond.Path) {
		return unknown, &Condition{Param: param, Path: path + cond.Path, Zero: cond.Zero}
	}
	return unknown, nil
}

// untouched reports whether f assigns neither to its parameter nor to the field of
// it at path, other than a value in which the field is zero.
func (c *checker) untouched(f *function, param int, path string) bool {
	v := f.params[param]
	if v == nil {
		return false
	}
	for _, def := range c.valuesOf(v).values {
		if path == "" || c.zero(f, def.expr, path, 0) != holds {
			return false
		}
	}
	assigned, _ := c.fieldValue(f, v, path)
	return !assigned
}

// verdictOf returns the verdict for what is known to be so, or not.
func verdictOf(b bool) verdict {
	if b {
		return holds
	}
	return fails
}

// argument returns the argument for parameter i of a call (0 is the receiver), or nil.
func (c *checker) argument(call *ast.CallExpr, i int) ast.Expr {
	sel := c.pass.TypesInfo.Selections[selector(call)]
	switch {
	case sel != nil && sel.Kind() == types.MethodExpr:
		i++
	case i > 0:
	case sel != nil && sel.Kind() == types.MethodVal:
		return selector(call).X
	default:
		return nil
	}
	if i-1 < len(call.Args) {
		return call.Args[i-1]
	}
	return nil
}

// zero reports whether the field of e at path is the zero value of its type.
func (c *checker) zero(f *function, e ast.Expr, path string, depth int) verdict {
	e = ast.Unparen(e)
	if depth > 5 {
		return unknown
	}
	if tv := c.pass.TypesInfo.Types[e]; path == "" {
		switch {
		case tv.IsNil():
			return holds
		case tv.Value != nil:
			return verdictOf(isZero(tv.Value))
		}
	}
	switch x := e.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			if path == "" {
				return fails
			}
			return c.zero(f, x.X, path, depth+1)
		}
	case *ast.FuncLit:
		return fails
	case *ast.CallExpr:
		if path == "" && c.isConstructor(x) {
			return fails
		}
	case *ast.CompositeLit:
		if path == "" {
			return fails
		}
		name, rest := cutPath(path)
		for _, elt := range x.Elts {
			kv, ok := elt.(*ast.KeyValueExpr)
			if !ok {
				return unknown
			}
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == name {
				return c.zero(f, kv.Value, rest, depth+1)
			}
		}
		return holds
	case *ast.SelectorExpr:
		if v := c.variable(x); v != nil && !v.IsField() && path == "" && v.Pkg() != c.pass.Pkg {
			return fails // a variable of another package: http.DefaultClient
		}
	case *ast.Ident:
		v := c.variable(x)
		if v == nil || !c.isLocal(v) || f.index(v) >= 0 {
			return unknown
		}
		if path != "" {
			if assigned, value := c.fieldValue(f, v, path); assigned {
				if value == nil {
					return unknown
				}
				return c.zero(f, value, "", depth+1)
			}
		}
		d := c.valuesOf(v)
		switch {
		case len(d.values) == 0 && !d.opaque:
			return holds // var cfg Config
		case len(d.values) == 1 && !d.opaque && d.values[0].index == 0:
			return c.zero(f, d.values[0].expr, path, depth+1)
		}
	}
	return unknown
}

// fieldValue reports whether f assigns to v's field at path, and the value, if
// there is only one.
func (c *checker) fieldValue(f *function, v *types.Var, path string) (assigned bool, value ast.Expr) {
	name, _ := cutPath(path)
	ast.Inspect(f.body, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, lhs := range assign.Lhs {
			sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != name || c.root(sel) != v || !isIdent(sel.X) {
				continue
			}
			if !assigned && len(assign.Lhs) == len(assign.Rhs) && "."+name == path {
				value = assign.Rhs[i]
			} else {
				value = nil
			}
			assigned = true
		}
		return true
	})
	return assigned, value
}

// isIdent reports whether e is a name.
func isIdent(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.Ident)
	return ok
}

// cutPath splits a path like ".Config.Transport" after its first name.
func cutPath(path string) (name, rest string) {
	name = strings.TrimPrefix(path, ".")
	if i := strings.IndexByte(name, '.'); i >= 0 {
		return name[:i], name[i:]
	}
	return name, ""
}

// isZero reports whether v is the zero value of its type.
func isZero(v constant.Value) bool {
	switch v.Kind() {
	case constant.Bool:
		return !constant.BoolVal(v)
	case constant.String:
		return constant.StringVal(v) == ""
	case constant.Int, constant.Float:
		return constant.Sign(v) == 0
	}
	return false
}

// paramPath reports whether e is a path of fields from a parameter of f, and which.
func (c *checker) paramPath(f *function, e ast.Expr) (param int, path string, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := c.variable(e); v != nil {
			if i := f.index(v); i >= 0 {
				return i, "", true
			}
		}
	case *ast.SelectorExpr:
		if v := c.variable(e); v != nil && v.IsField() {
			param, path, ok = c.paramPath(f, e.X)
			return param, path + "." + e.Sel.Name, ok
		}
	case *ast.StarExpr:
		return c.paramPath(f, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return c.paramPath(f, e.X)
		}
	}
	return 0, "", false
}
