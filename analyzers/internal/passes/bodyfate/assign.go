package bodyfate

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file follows statements: what they put where.

// stmt returns t after the statement n, whose calls have been made.
func (tr *trace) stmt(t *tuple, n ast.Node) *tuple {
	if t.old {
		return t
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		t = tr.assignAll(t, n.Lhs, n.Rhs, n.Tok)
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			lhs[i] = name
		}
		t = tr.assignAll(t, lhs, n.Values, token.DEFINE)
	case *ast.IncDecStmt:
		if v := tr.variable(n.X); v != nil {
			t = t.assigned(v, tr.depends)
		}
	case *ast.SendStmt:
		if v := tr.value(t, n.Value); v.holds() {
			tr.send(t, n, v)
			t = t.with(t.read, escaped)
		}
	case *ast.GoStmt:
		ops := tr.operands(t, n.Call)
		if ops.hold() && !tr.awaitsDone(n.Call) {
			t = t.with(t.read, escaped)
		}
	case ast.Expr:
		if _, ok := tr.typeOf(n).Underlying().(*types.Signature); !ok { // it is not the iterator of a range
			break
		}
		if v := tr.value(t, n); v.kind() == records {
			t = t.set(tr.iterator(n), v)
		} else if v.holds() {
			t = t.with(t.read, escaped)
		}
	case *ast.DeferStmt:
		t = t.clone()
		t.defers = slices.DeleteFunc(slices.Clone(t.defers), func(d deferred) bool { return d.stmt == n })
		t.defers = append(t.defers, deferred{n, tr.operands(t, n.Call)})
	}
	if _, ok := n.(ast.Stmt); ok && t.results != nil {
		t = t.clone()
		t.results = nil
	}
	return t
}

// awaitsDone reports whether what call runs first waits for the end of a context: it
// closes the body then, when nobody waits for the rest.
func (tr *trace) awaitsDone(call *ast.CallExpr) bool {
	lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit)
	if !ok || len(lit.Body.List) == 0 {
		return false
	}
	sel, ok := lit.Body.List[0].(*ast.SelectStmt)
	if !ok {
		return tr.isDone(lit.Body.List[0])
	}
	return slices.ContainsFunc(sel.Body.List, func(clause ast.Stmt) bool {
		return tr.isDone(clause.(*ast.CommClause).Comm)
	})
}

// send records that v is sent on a channel.
func (tr *trace) send(t *tuple, n *ast.SendStmt, v value) {
	ch, ok := tr.typeOf(n.Chan).Underlying().(*types.Chan)
	if tr.sent == nil || !ok || t.fate != open {
		return
	}
	typ := types.TypeString(ch.Elem(), nil)
	if !slices.ContainsFunc(tr.sent[typ], func(l live) bool { return l.read == t.read && slices.Equal(l.held, v) }) {
		tr.sent[typ] = append(tr.sent[typ], live{0, v, t.read})
	}
}

// assignAll returns t after an assignment or a declaration.
func (tr *trace) assignAll(t *tuple, lhs, rhs []ast.Expr, tok token.Token) *tuple {
	switch {
	case len(rhs) == 0: // var x T
		for _, l := range lhs {
			t = tr.assign(t, l, nil, nil)
			if v := tr.variable(l); v != nil && nilable(v.Type()) {
				t, _ = t.assume(tr.zeroKey(v), true)
			}
		}
	case len(lhs) == len(rhs):
		before := t
		for i, l := range lhs {
			if tok != token.ASSIGN && tok != token.DEFINE { // x += y
				t = tr.assign(t, l, nil, nil)
				continue
			}
			t = tr.assign(t, l, tr.value(before, rhs[i]), rhs[i])
			if v := tr.variable(l); v != nil {
				t = tr.learn(t, v, tr.resultOf(before, rhs[i]), 0)
			}
		}
	default: // a, b = f(), or v, ok = x.(T)
		result := tr.resultOf(t, rhs[0])
		for i, l := range lhs {
			var held value
			if i < len(result.values) {
				held = result.values[i]
			}
			t = tr.assign(t, l, held, rhs[0])
			if v := tr.variable(l); v != nil {
				t = tr.learn(t, v, result, i)
			}
		}
	}
	return t
}

// learn returns t with what is known of result i, which v now holds.
func (tr *trace) learn(t *tuple, v *types.Var, result callResult, i int) *tuple {
	if zero, ok := result.zero[i]; ok {
		if known, ok := t.assume(tr.zeroKey(v), zero == tr.zeroMeansTrue(v)); ok {
			t = known
		}
	}
	if e, ok := result.links[i]; ok {
		t = t.clone()
		t.links = append(slices.Clone(t.links), link{v, e})
	}
	return t
}

// assign returns t after held, the value of the expression rhs, was assigned to lhs.
func (tr *trace) assign(t *tuple, lhs ast.Expr, held value, rhs ast.Expr) *tuple {
	lhs = ast.Unparen(lhs)
	if id, ok := lhs.(*ast.Ident); ok && id.Name == "_" {
		return t
	}
	if rhs != nil && len(held) > 0 && types.IsInterface(tr.typeOf(lhs)) {
		held = tr.boxed(held, tr.typeOf(rhs))
	}
	p, ok := tr.place(lhs)
	if ok && p.path == "" && tr.local(p.v) {
		return t.set(p, held).assigned(p.v, tr.depends)
	}
	if ok && (t.get(place{p.v, ""}) != nil || tr.local(p.v) && !tr.isParam(p.v)) {
		return t.set(p, held)
	}
	if held.holds() {
		return t.with(t.read, escaped)
	}
	return t
}

// place returns the place that an expression denotes, through pointers.
func (tr *trace) place(e ast.Expr) (place, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := tr.variable(e); v != nil {
			return place{v, ""}, true
		}
	case *ast.StarExpr:
		return tr.place(e.X)
	case *ast.SelectorExpr:
		sel := tr.pass.TypesInfo.Selections[e]
		if sel == nil || sel.Kind() != types.FieldVal {
			break
		}
		if p, ok := tr.place(e.X); ok {
			p.path += fieldPath(sel.Recv(), sel.Index())
			return p, true
		}
	}
	return place{}, false
}

// fieldPath returns the path of the fields that a selection goes through.
func fieldPath(t types.Type, index []int) string {
	path := ""
	fields := typeset.Fields(t, index)
	for _, field := range fields {
		path += "." + field.Name()
	}
	if len(fields) < len(index) {
		path += ".?"
	}
	return path
}

// variable returns the variable that an expression names, or nil.
func (c *checker) variable(e ast.Expr) *types.Var {
	if e == nil {
		return nil
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := c.pass.TypesInfo.ObjectOf(id).(*types.Var)
	return v
}

// typeOf returns the type of an expression, or the invalid type.
func (c *checker) typeOf(e ast.Expr) types.Type {
	if t := c.pass.TypesInfo.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// local reports whether v is a variable of the function that is traced, or of
// one around it.
func (tr *trace) local(v *types.Var) bool {
	return !v.IsField() && v.Parent() != tr.pass.Pkg.Scope() && v.Pkg() == tr.pass.Pkg
}

// isParam reports whether v is a parameter or the receiver of the function that
// is traced, of a type that refers to what is outside.
func (tr *trace) isParam(v *types.Var) bool {
	return slices.Contains(tr.params(tr.root), v)
}
