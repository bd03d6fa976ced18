package keyflow

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// setter evaluates a call that sets a key: by its own name, or by the name of a
// header that it is given.
func (t *tracer) setter(w *work, call *ast.CallExpr, fn *types.Func, ops []operand) (value, bool) {
	recv := ast.Expr(nil)
	if len(ops) > 0 && ops[0].bit == 0 {
		recv, ops = ops[0].expr, ops[1:]
	}
	var key []value
	switch {
	case t.names.IsSetter(fn) && len(ops) > 0:
		for _, op := range ops {
			if isKeyType(t.info.TypeOf(op.expr)) {
				key = append(key, op.value)
			}
		}
	case httpmodel.IsHeaderSetter(fn) || fn.Pkg() != nil && fn.Pkg().Path() == "google.golang.org/grpc/metadata":
		for i, op := range ops {
			if t.isHeader(op.expr) {
				key = append(key, values(ops[i+1:])...)
				break
			}
		}
	case typeset.IsFunc(fn, "context", "WithValue") && len(ops) == 3:
		v := value{raw: origin{flags: outside}, key: ops[0].key}
		if t.namesContextKey(ops[1].expr) {
			v.key = t.keyOf(w, nil, true, ops[2].raw, call)
		}
		return v, true
	case typeset.IsFunc(fn, "fmt", "Sprintf", "Appendf", "Fprintf"):
		for i, op := range ops {
			if format, ok := stringConst(t.info, op.expr); ok {
				if verb := keyVerb(t.names, format); verb >= 0 && i+1+verb < len(ops) {
					key = append(key, ops[i+1+verb].value)
				}
				break
			}
		}
	}
	if len(key) == 0 {
		return value{}, false
	}
	raw := mix(key...).raw
	v := value{raw: origin{flags: outside}}
	if recv != nil {
		v = t.eval(w, recv)
	}
	for _, op := range ops {
		v.key = v.key.beside(op.key)
	}
	root := (*types.Var)(nil)
	if recv != nil {
		root = t.rootOf(recv)
	} else if len(ops) > 1 && isMapOrPointer(orInvalid(t.info.TypeOf(ops[0].expr))) { // setHeader(req, name, value)
		root = t.rootOf(ops[0].expr)
		recv = ops[0].expr
	}
	switch {
	case root != nil:
		t.setKey(w, recv, raw, call)
		v.key = t.lookup(w, place{root, ""}).key
	default:
		v.key = t.keyOf(w, nil, v.born || recv == nil, raw, call)
	}
	return v, true
}

// namesContextKey reports whether the key of a context's value is called like an
// idempotency key: by its text, its name or the name of its type.
func (t *tracer) namesContextKey(e ast.Expr) bool {
	names := []string{types.ExprString(e)}
	if name, ok := stringConst(t.info, e); ok {
		names = append(names, name)
	}
	if named := typeset.Named(t.info.TypeOf(e)); named != nil {
		names = append(names, named.Obj().Name())
	}
	for _, name := range names {
		name = strings.ToLower(strings.Trim(name[strings.LastIndex(name, ".")+1:], "{}"))
		for _, extra := range []string{"ctx", "context", "key", "type"} {
			if t.names.IsField(name) {
				return true
			}
			name = strings.TrimPrefix(strings.TrimSuffix(name, extra), extra)
		}
		if t.names.IsField(name) {
			return true
		}
	}
	return false
}

func orInvalid(typ types.Type) types.Type {
	if typ == nil {
		return types.Typ[types.Invalid]
	}
	return typ
}

// isKeyType reports whether a key may be of type typ: text, bytes, an array like
// a UUID, or a pointer to such.
func isKeyType(typ types.Type) bool {
	switch u := deref(orInvalid(typ)).Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsInteger) != 0
	case *types.Slice, *types.Array, *types.Interface, *types.Struct:
		return true
	}
	return false
}

// namedParams takes note of the keys given for parameters that are called so: of
// interface methods and functions without a summary.
func (t *tracer) namedParams(w *work, call *ast.CallExpr, fn *types.Func, ops []operand) {
	for i, op := range ops {
		if op.bit == 0 || op.bit > fn.Signature().Params().Len() {
			continue
		}
		p := fn.Signature().Params().At(op.bit - 1)
		if t.names.IsField(p.Name()) && isKeyType(p.Type()) && !op.raw.none() {
			key := t.keyOf(w, nil, true, op.raw, op.expr)
			t.sent(w, call, key, others(ops, i)...)
		}
	}
}

// others returns the expressions of all operands but one.
func others(ops []operand, i int) (exprs []ast.Expr) {
	for j, op := range ops {
		if j != i {
			exprs = append(exprs, op.expr)
		}
	}
	return exprs
}

// isPointerTo reports whether sig is func(x T) *T, or func[T ~string](x T) *string:
// it returns a pointer to what it is given.
func isPointerTo(sig *types.Signature) bool {
	if sig.Params().Len() != 1 || sig.Results().Len() != 1 {
		return false
	}
	ptr, ok := types.Unalias(sig.Results().At(0).Type()).(*types.Pointer)
	if !ok {
		return false
	}
	param := sig.Params().At(0).Type()
	_, isGeneric := types.Unalias(param).(*types.TypeParam)
	_, isBasic := ptr.Elem().Underlying().(*types.Basic)
	return types.Identical(ptr.Elem(), param) || isGeneric && isBasic
}
