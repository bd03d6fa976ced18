package drains

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about variables, fields, functions and what is made of them.

// selector evaluates x.
func (f *follower) selector(w *world, x *ast.SelectorExpr) []outcome {
	sel := f.info.Selections[x]
	if sel == nil && isPart(f.info.Uses[x.Sel]) {
		// Have: a part, without what is embedded in between, in another package.
		outs := f.eval(w, x.X)
		for i, o := range outs {
			outs[i].v = f.partOf(o.w, o.v, f.info.Uses[x.Sel])
		}
		return outs
	}
	if sel == nil {
		switch obj := f.info.Uses[x.Sel].(type) {
		case *types.Var:
			return []outcome{{w: w, v: f.variable(w, obj)}}
		case *types.Func:
			return []outcome{{w: w, v: f.function(obj, nil)}}
		}
		return []outcome{{w: w, v: new(value)}}
	}
	if fn, ok := sel.Obj().(*types.Func); ok && sel.Kind() == types.MethodExpr {
		return []outcome{{w: w, v: f.function(fn.Origin(), nil)}}
	}
	outs := f.eval(w, x.X)
	for i, o := range outs {
		outs[i] = outcome{w: o.w, v: f.partOf(o.w, f.embedded(o.w, o.v, sel), sel.Obj())}
	}
	return outs
}

// isPart reports whether obj is a field or a method.
func isPart(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField()
	case *types.Func:
		return obj.Signature().Recv() != nil
	}
	return false
}

// partOf returns the method or field obj of recv.
func (f *follower) partOf(w *world, recv *value, obj types.Object) *value {
	switch obj := obj.(type) {
	case *types.Func:
		return f.function(concrete(obj, recv), recv)
	case *types.Var:
		return f.field(w, recv, obj)
	}
	return new(value)
}

// field returns the field of recv.
func (f *follower) field(w *world, recv *value, field *types.Var) *value {
	place := recv.id + "." + field.Name()
	f.places[place] = field
	if v := w.env[place]; v != nil {
		return v
	}
	if recv.id == "" {
		return f.opaque(field.Type(), "")
	}
	if _, ok := field.Type().Underlying().(*types.Slice); ok && strings.HasPrefix(recv.id, "made@") && !w.has("escaped:"+recv.id) {
		return &value{kind: isNil, id: "nil"} // Have: a list that nobody has added to.
	}
	return f.unset(w, field, place)
}

// embeddedFields returns the embedded fields that sel goes through.
func embeddedFields(sel *types.Selection) []*types.Var {
	return typeset.Fields(sel.Recv(), sel.Index()[:len(sel.Index())-1])
}

// embedded returns the part of recv that has what sel selects: recv, or what it
// embeds.
func (f *follower) embedded(w *world, recv *value, sel *types.Selection) *value {
	for _, field := range embeddedFields(sel) {
		recv = f.field(w, recv, field)
	}
	return recv
}

// concrete returns the method that a call of fn calls on recv: fn, or the one that
// implements it if fn is an interface's and the type of recv is known.
func concrete(fn *types.Func, recv *value) *types.Func {
	if recv.typ != nil && typeset.IsInterfaceMethod(fn) && !types.IsInterface(recv.typ) {
		if obj, _, _ := types.LookupFieldOrMethod(recv.typ, true, fn.Pkg(), fn.Name()); obj != nil {
			if m, ok := obj.(*types.Func); ok {
				return m.Origin()
			}
		}
	}
	return fn.Origin()
}

// literal evaluates a composite literal.
func (f *follower) literal(w *world, lit *ast.CompositeLit) []outcome {
	t := f.info.TypeOf(lit)
	v := &value{id: f.idOf("made", lit), typ: t}
	outs := []outcome{{w: w, v: v}}
	isServer := httpmodel.IsServer(t)
	st, isStruct := t.Underlying().(*types.Struct)
	for i, elt := range lit.Elts {
		var field *types.Var
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && isStruct {
				field, _ = f.info.Uses[key].(*types.Var)
			}
			elt = kv.Value
		} else if isStruct && i < st.NumFields() {
			field = st.Field(i)
		}
		var next []outcome
		for _, o := range outs {
			for _, e := range f.eval(o.w, elt) {
				list := o.v
				if isServer && e.v.kind == isFunc && e.v.node != nil {
					e.w = f.escapeUsed(e.w, e.v.node) // Have: a handler, maybe.
				}
				if field != nil {
					place := v.id + "." + field.Name()
					f.places[place] = field
					e.w = e.w.set(place, e.v)
				} else {
					c := *list
					c.values = append(append([]*value(nil), list.values...), e.v)
					list = &c
				}
				next = append(next, outcome{w: e.w, v: list})
			}
		}
		outs = next
	}
	return outs
}

// variable returns the value of a variable.
func (f *follower) variable(w *world, v *types.Var) *value {
	if httpmodel.IsErrServerClosed(v) {
		return &value{kind: isClosed, id: "closed"}
	}
	place := varPlace(v)
	if val := w.env[place]; val != nil {
		return val
	}
	return f.unset(w, v, place)
}

// unset returns the value of a variable or field that was not set in view.
func (f *follower) unset(w *world, v *types.Var, place string) *value {
	if v.Pkg() == f.pass.Pkg && v.Parent() == f.pass.Pkg.Scope() {
		if lit, ok := f.index.OnlyDef(v).(*ast.FuncLit); ok {
			return &value{kind: isFunc, id: fmt.Sprintf("func@%d", lit.Pos()), node: lit}
		}
	}
	if c := f.fixed(v); c != nil {
		if n, ok := constant.Int64Val(c); ok {
			return number(n)
		}
	}
	if ctx := f.cancels[v]; ctx != "" {
		base := place[:len(place)-len(v.Name())]
		if !v.IsField() {
			base = ""
		}
		return &value{kind: isCancel, id: "cancel " + base + ctx, parent: &value{kind: isContext, id: base + ctx, n: -1}}
	}
	return f.opaque(v.Type(), place)
}

// fixed returns the number that v, a field or variable of the package, always is, or nil.
func (p *Info) fixed(v *types.Var) constant.Value {
	if v.Exported() || v.Pkg() != p.pass.Pkg || !v.IsField() && v.Parent() != p.pass.Pkg.Scope() {
		return nil
	}
	def := p.index.OnlyDef(v)
	if def == nil {
		return nil
	}
	c := p.info.Types[def].Value
	if c == nil || c.Kind() != constant.Int {
		return nil
	}
	return c
}

// function returns a declared function as a value.
func (f *follower) function(fn *types.Func, recv *value) *value {
	if fn.Pkg() == f.pass.Pkg {
		if impls := f.index.Implementations(fn); len(impls) == 1 {
			fn = impls[0] // Have: what it must be.
		}
	}
	v := &value{kind: isFunc, id: "func " + fn.FullName(), parent: recv, fn: fn}
	if recv != nil {
		v.id += " of " + recv.id
	}
	if decl := f.declOf(fn); decl != nil {
		v.node = decl
	}
	return v
}
