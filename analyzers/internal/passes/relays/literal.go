package relays

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// literal evaluates a composite literal.
func (e *engine) literal(w *world, x *ast.CompositeLit) value {
	t := e.info.TypeOf(x)
	if t == nil {
		return nil
	}
	st, _ := typeset.StructOf(t)
	values := make([]value, len(x.Elts))
	for i, elt := range x.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		values[i] = e.eval(w, elt)
	}
	var v value
	for i, elt := range x.Elts {
		path := anyElement
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && st != nil {
				path = "." + id.Name
			} else if tv := e.info.Types[kv.Key]; tv.Value != nil && tv.Value.Kind() == constant.String {
				path = keyPath(constant.StringVal(tv.Value))
			}
		} else if st != nil && i < st.NumFields() {
			path = "." + st.Field(i).Name()
		}
		own := values[i]
		for j, other := range x.Elts {
			if j != i && e.varies(other) {
				own = mixed(own, values[j])
			}
		}
		v = v.join(own.under(path))
	}
	return v
}

// mixed returns v, beside which an answer has another value that varies: what was
// decoded is a part of the answer then, unless the other comes from it too.
func mixed(v, other value) value {
	out := slices.Clone(v)
	for i, h := range out {
		if h.kind == decoded && !slices.ContainsFunc(other, func(o holding) bool { return o.kind.ofResponse() && o.from == h.from }) {
			out[i].kind = part
		}
	}
	return valueOf(out)
}

// varies reports whether an element of a composite literal holds more than constants
// and times.
func (e *engine) varies(elt ast.Expr) bool {
	if kv, ok := elt.(*ast.KeyValueExpr); ok {
		elt = kv.Value
	}
	if tv := e.info.Types[elt]; tv.Value != nil || tv.IsNil() {
		return false
	}
	clock := false
	ast.Inspect(elt, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			clock = clock || typeset.IsFunc(typeset.Callee(e.info, call), "time", "Now")
		}
		return !clock
	})
	return !clock
}

// company returns how many values that vary the function puts into fields and elements
// of v; what v is from the start, if it is no literal, counts as one.
func (e *engine) company(v *types.Var) int {
	if e.companies == nil {
		e.companies = make(map[*types.Var]int)
		ast.Inspect(e.node, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for i, lhs := range assign.Lhs {
				root, path := e.place(lhs)
				switch {
				case root == nil || i >= len(assign.Rhs):
				case path != "":
					if e.varies(assign.Rhs[i]) {
						e.companies[root]++
					}
				default:
					rhs := ast.Unparen(assign.Rhs[i])
					if u, ok := rhs.(*ast.UnaryExpr); ok {
						rhs = ast.Unparen(u.X)
					}
					if lit, ok := rhs.(*ast.CompositeLit); ok {
						for _, elt := range lit.Elts {
							if e.varies(elt) {
								e.companies[root]++
							}
						}
					} else if !e.isMake(rhs) {
						e.companies[root]++
					}
				}
			}
			return true
		})
	}
	return e.companies[v]
}

// isMake reports whether x makes an empty value.
func (e *engine) isMake(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := e.info.Uses[id].(*types.Builtin)
	return ok && (b.Name() == "make" || b.Name() == "new")
}
