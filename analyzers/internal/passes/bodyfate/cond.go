package bodyfate

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// refine returns t on the paths on which cond, a leaf of a condition, is truth,
// or false if there are none: because t knows better, or because there is no
// body on them.
func (tr *trace) refine(t *tuple, cond ast.Expr, truth bool) (*tuple, bool) {
	if t.old {
		return t, true
	}
	cond = ast.Unparen(cond)
	if call, ok := cond.(*ast.CallExpr); ok {
		r := t.results[call]
		if zero, ok := r.zero[0]; ok {
			return t, zero != truth
		}
		if e, ok := r.links[0]; ok && !truth {
			return tr.hit(t, e)
		}
		if err := tr.errorAsked(call); err != nil && truth {
			return tr.zero(t, err, false)
		}
	}
	t, ok := tr.refineNumbers(t, cond, truth)
	if !ok {
		return t, false
	}
	if v := tr.variable(cond); v != nil {
		return tr.zero(t, v, !truth)
	}
	if sel, ok := cond.(*ast.SelectorExpr); ok && truth && sel.Sel.Name == "Close" &&
		(tr.value(t, sel.X).kind() == response || httpmodel.IsRequest(tr.typeOf(sel.X))) {
		return t, false // resp.Close or req.Close: the connection ends with the response
	}
	if bin, ok := cond.(*ast.BinaryExpr); ok && (bin.Op == token.EQL || bin.Op == token.NEQ) {
		equal := (bin.Op == token.EQL) == truth
		if t, ok = tr.refineEqual(t, bin.X, bin.Y, equal); !ok {
			return t, false
		}
		if t, ok = tr.refineEqual(t, bin.Y, bin.X, equal); !ok {
			return t, false
		}
	}
	return tr.assumeCond(t, cond, truth)
}

// assumeCond returns t with cond known to be truth, or false if it is known not to be.
func (tr *trace) assumeCond(t *tuple, cond ast.Expr, truth bool) (*tuple, bool) {
	key, negated, ok := tr.condKey(cond)
	if !ok {
		return t, true
	}
	return t.assume(key, truth != negated)
}

// refineEqual refines t for x == y (or, equal being false, x != y) by what y is.
func (tr *trace) refineEqual(t *tuple, x, y ast.Expr, equal bool) (*tuple, bool) {
	x = ast.Unparen(x)
	switch {
	case tr.isNil(y):
		if call, ok := x.(*ast.CallExpr); ok {
			r := t.results[call]
			if zero, ok := r.zero[0]; ok {
				return t, zero == equal
			}
			if e, ok := r.links[0]; ok && !equal {
				return tr.hit(t, e)
			}
			if !equal && typeset.IsMethod(typeset.Callee(tr.pass.TypesInfo, call), "context", "Context", "Err") {
				return t.with(Drained, t.fate), true // nobody waits for the rest
			}
		}
		if tr.value(t, x).holds() {
			return t, !equal // a body that is nil is none
		}
		if v := tr.variable(x); v != nil {
			return tr.zero(t, v, equal)
		}
	case tr.isVar(y, "io", "EOF") || tr.isVar(y, "io", "ErrUnexpectedEOF"):
		if v := tr.variable(x); v != nil && equal {
			return tr.zero(t, v, false)
		}
	case tr.isErrorToken(y) && equal:
		for _, e := range tr.resultOf(t, x).links {
			return tr.hit(t, e)
		}
	case tr.isVar(y, httpmodel.NetHTTP, "NoBody"):
		if tr.value(t, x).holds() {
			return t, !equal
		}
	case tr.isNoBodyMethod(y) && equal:
		if t.fate == before {
			t = t.clone()
			t.bodyless = true
			return t, true
		}
		return t, false
	}
	return t, true
}

// zero refines t for v being nil or false (or not).
func (tr *trace) zero(t *tuple, v *types.Var, zero bool) (*tuple, bool) {
	hit := zero != tr.zeroMeansTrue(v) // an error that is not nil, a bool that is false
	for _, l := range t.links {
		if l.v != v || !hit {
			continue
		}
		var ok bool
		if t, ok = tr.hit(t, l.effect); !ok {
			return t, false
		}
	}
	return t.assume(tr.zeroKey(v), zero == tr.zeroMeansTrue(v))
}

// hit returns t with the effect of a link, or false if there is no body then.
func (tr *trace) hit(t *tuple, e effect) (*tuple, bool) {
	switch e {
	case atEnd:
		return t.with(Drained, t.fate), true
	case atEndish:
		return t.with(max(t.read, Decoded), t.fate), true
	}
	return t, false
}

// errorAsked returns the variable of the error that a call asks about with
// errors.Is, errors.As or a predicate of the error alone; if the answer is yes,
// the error is not nil.
func (tr *trace) errorAsked(call *ast.CallExpr) *types.Var {
	if len(call.Args) == 0 || typeset.Callee(tr.pass.TypesInfo, call) == nil {
		return nil
	}
	fn := typeset.Callee(tr.pass.TypesInfo, call)
	if len(call.Args) > 1 && !typeset.IsFunc(fn, "errors", "Is", "As") {
		return nil
	}
	if v := tr.variable(call.Args[0]); v != nil && httpmodel.IsError(v.Type()) {
		return v
	}
	return nil
}

// condKey returns the key under which a condition is known, and whether the key
// stands for its negation. Conditions that a call decides have none.
func (c *checker) condKey(cond ast.Expr) (key string, negated, ok bool) {
	bin, isBin := ast.Unparen(cond).(*ast.BinaryExpr)
	if !isBin {
		key, ok = c.exprKey(cond)
		return key, false, ok
	}
	x, y, op := bin.X, bin.Y, bin.Op
	switch op {
	case token.NEQ:
		op, negated = token.EQL, true
	case token.GTR: // x > y is y < x
		x, y, op = y, x, token.LSS
	case token.GEQ: // x >= y is !(x < y)
		op, negated = token.LSS, true
	case token.LEQ: // x <= y is !(y < x)
		x, y, op, negated = y, x, token.LSS, true
	}
	xk, ok1 := c.exprKey(x)
	yk, ok2 := c.exprKey(y)
	if !ok1 || !ok2 {
		return "", false, false
	}
	if op == token.EQL && isConst(xk) {
		xk, yk = yk, xk
	}
	key = xk + op.String() + yk
	c.keyVars[key] = append(append([]*types.Var(nil), c.keyVars[xk]...), c.keyVars[yk]...)
	return key, negated, true
}

// exprKey returns a key that is the same for expressions of the same value, as
// long as nothing is assigned to the variables in it.
func (c *checker) exprKey(e ast.Expr) (string, bool) {
	e = ast.Unparen(e)
	info := c.pass.TypesInfo
	if tv, ok := info.Types[e]; ok && tv.Value != nil {
		return constPrefix + tv.Value.ExactString(), true
	}
	if c.isNil(e) {
		return constPrefix + "nil", true
	}
	var key string
	var vars []*types.Var
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := info.ObjectOf(e).(*types.Var)
		if !ok {
			return "", false
		}
		key, vars = fmt.Sprintf("v%d", c.id(v)), []*types.Var{v}
	case *ast.SelectorExpr:
		field, ok := info.ObjectOf(e.Sel).(*types.Var)
		if !ok {
			return "", false
		}
		if !field.IsField() {
			key = fmt.Sprintf("v%d", c.id(field))
			break
		}
		x, ok := c.exprKey(e.X)
		if !ok {
			return "", false
		}
		key, vars = fmt.Sprintf("%s.%d", x, c.id(field)), append(c.keyVars[x], field)
	case *ast.StarExpr:
		x, ok := c.exprKey(e.X)
		if !ok {
			return "", false
		}
		key, vars = "*"+x, c.keyVars[x]
	case *ast.BinaryExpr:
		x, ok1 := c.exprKey(e.X)
		y, ok2 := c.exprKey(e.Y)
		if !ok1 || !ok2 {
			return "", false
		}
		key = fmt.Sprintf("(%s %d %s)", x, e.Op, y)
		vars = append(append([]*types.Var(nil), c.keyVars[x]...), c.keyVars[y]...)
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		if !ok || info.Uses[id] != types.Universe.Lookup("len") {
			return "", false
		}
		x, ok := c.exprKey(e.Args[0])
		if !ok {
			return "", false
		}
		key, vars = "len("+x+")", c.keyVars[x]
	default:
		return "", false
	}
	c.keyVars[key] = vars
	return key, true
}

// constPrefix starts the key of a constant.
const constPrefix = "#"

// isConst reports whether key is that of a constant.
func isConst(key string) bool { return strings.HasPrefix(key, constPrefix) }

// depends reports whether the condition key depends on v.
func (c *checker) depends(key string, v *types.Var) bool {
	for _, w := range c.keyVars[key] {
		if w == v {
			return true
		}
	}
	return false
}

// zeroKey returns the key of "v is nil", or for a bool of v itself.
func (c *checker) zeroKey(v *types.Var) string {
	key := fmt.Sprintf("v%d", c.id(v))
	if c.zeroMeansTrue(v) {
		key += "==" + constPrefix + "nil"
	}
	c.keyVars[key] = []*types.Var{v}
	return key
}

// zeroMeansTrue reports whether the condition of zeroKey(v) is true for v's zero
// value: it is, but for a bool.
func (c *checker) zeroMeansTrue(v *types.Var) bool { return !typeset.IsBool(v.Type()) }

// isZero reports whether e is known to be nil or false, and whether anything is known.
func (tr *trace) isZero(t *tuple, e ast.Expr) (zero, known bool) {
	e = ast.Unparen(e)
	if tr.isNil(e) {
		return true, true
	}
	if tv := tr.pass.TypesInfo.Types[e]; tv.Value != nil && tv.Value.Kind() == constant.Bool {
		return !constant.BoolVal(tv.Value), true
	}
	switch e := e.(type) {
	case *ast.Ident:
		if v := tr.variable(e); v != nil {
			truth, ok := t.facts[tr.zeroKey(v)]
			return truth == tr.zeroMeansTrue(v), ok
		}
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return false, true
		}
	case *ast.CompositeLit:
		return false, true
	case *ast.CallExpr:
		fn := typeset.Callee(tr.pass.TypesInfo, e)
		if typeset.IsFunc(fn, "errors", "New") || typeset.IsFunc(fn, "fmt", "Errorf") {
			return false, true
		}
	case *ast.SelectorExpr:
		// A package's error variable, as io.EOF: set once and not nil.
		if v, ok := tr.pass.TypesInfo.Uses[e.Sel].(*types.Var); ok && !v.IsField() && httpmodel.IsError(v.Type()) {
			return false, true
		}
	}
	return false, false
}

// isErrorToken reports whether e names html.ErrorToken.
func (c *checker) isErrorToken(e ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	obj := c.pass.TypesInfo.Uses[sel.Sel]
	return obj != nil && obj.Name() == "ErrorToken" && obj.Pkg() != nil && obj.Pkg().Path() == "golang.org/x/net/html"
}

// isNil reports whether e is the predeclared nil.
func (c *checker) isNil(e ast.Expr) bool {
	return c.pass.TypesInfo.Types[ast.Unparen(e)].IsNil()
}

// isVar reports whether e names the package-level variable pkgPath.name.
func (c *checker) isVar(e ast.Expr, pkgPath, name string) bool {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		id = e.Sel
	case *ast.Ident:
		id = e
	default:
		return false
	}
	v, ok := c.pass.TypesInfo.Uses[id].(*types.Var)
	return ok && v.Pkg() != nil && v.Pkg().Path() == pkgPath && v.Name() == name
}

// nilable reports whether the zero value of t is nil.
func nilable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice, *types.Chan, *types.Signature:
		return true
	}
	return false
}
