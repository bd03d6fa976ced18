package drains

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// step returns the worlds after n, a node of the graph.
func (a *activation) step(w *world, n ast.Node) []*world {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			return worldsOf(a.evalAll(w, append(append([]ast.Expr(nil), n.Rhs...), n.Lhs...)))
		}
		return a.assign(w, n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			lhs[i] = name
		}
		if len(n.Values) > 0 {
			return a.assign(w, lhs, n.Values)
		}
		for _, name := range n.Names {
			place := varPlace(a.info.Defs[name])
			w = w.set(place, a.zero(a.info.TypeOf(name), place))
		}
	case *ast.ExprStmt:
		return worldsOf(a.eval(w, n.X))
	case *ast.SendStmt:
		var out []*world
		for _, o := range a.evalAll(w, []ast.Expr{n.Chan, n.Value}) {
			a.emit(o.w, "send:"+o.values[0].id, o.values[1], n)
			out = append(out, o.w.add("sent:"+o.values[0].id, n.Pos()))
		}
		return out
	case *ast.GoStmt:
		var out []*world
		for _, o := range a.operands(w, n.Call) {
			if fun := o.values[0]; fun.kind != isFunc || fun.node == nil {
				for _, v := range o.values[1:] {
					o.w = o.w.escape(v)
				}
			}
			out = append(out, a.start(o.w, launch{at: n, run: func(w *world) []outcome {
				return a.call(outcome{w: w, values: o.values}, n.Call)
			}}))
		}
		return out
	case *ast.DeferStmt:
		for _, d := range w.defers {
			if d.stmt == n {
				return []*world{w}
			}
		}
		var out []*world
		for _, o := range a.operands(w, n.Call) {
			o.w = o.w.clone()
			o.w.defers = append(append([]deferred(nil), o.w.defers...), deferred{n, o.values[0], o.values[1:]})
			out = append(out, o.w)
		}
		return out
	case *ast.ReturnStmt:
		a.leave(w, n)
		return nil
	case ast.Expr:
		var out []*world
		for _, o := range a.eval(w, n) {
			v := o.v
			if loop := a.over[n]; loop != nil {
				o.w = o.w.set(rangePlace(loop), v)
			}
			if v.kind != isBool {
				v = nil
			}
			out = append(out, o.w.set(cond, v))
		}
		return out
	}
	return []*world{w}
}

// worldsOf returns the worlds of outcomes.
func worldsOf(outs []outcome) []*world {
	worlds := make([]*world, len(outs))
	for i, o := range outs {
		worlds[i] = o.w
	}
	return worlds
}

// leave has w return: its deferred calls run, the last first.
func (a *activation) leave(w *world, n *ast.ReturnStmt) {
	outs := []outcome{{w: w}}
	switch {
	case len(n.Results) == 1:
		outs = a.eval(w, n.Results[0])
		for i, o := range outs {
			if len(o.values) < 2 {
				outs[i].values = []*value{o.v}
			}
		}
	case len(n.Results) > 1:
		outs = a.evalAll(w, n.Results)
	default:
		for _, place := range a.names {
			v := w.env[place]
			if v == nil {
				v = &value{id: place}
			}
			outs[0].values = append(outs[0].values, v)
		}
	}
	for _, o := range outs {
		worlds := state{o.w}
		for i := len(o.w.defers) - 1; i >= 0; i-- {
			d := o.w.defers[i]
			worlds = worlds.each(func(w *world) []*world {
				w = w.clone()
				w.defers = w.defers[:i]
				return worldsOf(a.call(outcome{w: w, values: append([]*value{d.fun}, d.args...)}, d.stmt.Call))
			})
		}
		for _, end := range worlds {
			end = end.clone()
			end.defers, end.results = nil, o.values
			a.ends = append(a.ends, end)
			if len(a.stack) == 1 && a.thread == nil {
				a.exits = append(a.exits, exit{site: a.here(n), world: end, returns: true})
			}
		}
	}
}

// assign returns the worlds after an assignment.
func (a *activation) assign(w *world, lhs, rhs []ast.Expr) []*world {
	var outs []outcome
	if len(rhs) == 1 && len(lhs) > 1 {
		outs = a.eval(w, rhs[0])
	} else {
		outs = a.evalAll(w, rhs)
	}
	var out []*world
	for _, o := range outs {
		w := o.w
		for i, x := range lhs {
			var v *value
			if i < len(o.values) {
				v = o.values[i]
			} else if i == 0 {
				v = o.v // v, ok := <-c
			}
			w = a.set(w, x, v)
			if field := typeset.VarOf(a.info, x); field != nil && a.ready.flags[field] && v != nil && v.kind == isBool {
				w = w.drop("paused").add("turned", x.Pos())
			}
		}
		out = append(out, w)
	}
	return out
}

// set returns w with v in the place x.
func (a *activation) set(w *world, x ast.Expr, v *value) *world {
	place := a.place(w, x)
	if place == "" {
		if v != nil {
			w = w.escape(v)
		}
		return w
	}
	if v != nil && v.kind == unknown && v.id == "" {
		v = nil
	}
	if v == nil {
		// Have: a value not known, other than the one before.
		v = a.opaque(a.info.TypeOf(x), fmt.Sprintf("%s=%d", place, x.Pos()))
	}
	return w.set(place, v)
}

// place returns the place that x denotes, or "".
func (a *activation) place(w *world, x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return varPlace(a.info.ObjectOf(x))
	case *ast.StarExpr:
		return a.place(w, x.X)
	case *ast.SelectorExpr:
		if v, ok := a.info.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
			return varPlace(v)
		}
		if sel := a.info.Selections[x]; sel != nil && sel.Kind() == types.FieldVal && pure(x.X) {
			if outs := a.eval(w, x.X); len(outs) == 1 && outs[0].v.id != "" {
				return outs[0].v.id + "." + x.Sel.Name
			}
		}
	}
	return ""
}

// placePos returns the position of the variable that place is of, or the part of
// which it is.
func placePos(place string) token.Pos {
	_, rest, ok := strings.Cut(place, "@")
	if !ok || strings.HasPrefix(place, "made@") || strings.HasPrefix(place, "server@") {
		return token.NoPos
	}
	if i := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || '9' < r }); i >= 0 {
		rest = rest[:i]
	}
	n, _ := strconv.Atoi(rest)
	return token.Pos(n)
}

// zero returns the zero value of a variable of type t.
func (f *follower) zero(t types.Type, place string) *value {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Pointer, *types.Chan, *types.Signature:
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
	if tv.IsNil() {
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
		if def := f.index.OnlyDef(v); def != nil {
			if lit, ok := ast.Unparen(def).(*ast.FuncLit); ok {
				return &value{kind: isFunc, id: fmt.Sprintf("func@%d", lit.Pos()), node: lit}
			}
			if c := f.info.Types[def].Value; c != nil && !v.Exported() {
				if n, ok := constant.Int64Val(c); ok {
					return number(n)
				}
			}
		}
	}
	if v.IsField() && !v.Exported() && v.Pkg() == f.pass.Pkg {
		if def := f.index.OnlyDef(v); def != nil && f.info.Types[def].Value != nil {
			if n, ok := f.constant(def); ok {
				return number(n)
			}
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

// function returns a declared function as a value.
func (f *follower) function(fn *types.Func, recv *value) *value {
	v := &value{kind: isFunc, id: "func " + fn.FullName(), parent: recv, fn: fn}
	if recv != nil {
		v.id += " of " + recv.id
	}
	if decl := f.index.Decl(fn); decl != nil && f.telling[fn.Origin()] {
		v.node = decl
	}
	return v
}

// selector evaluates x.
func (f *follower) selector(w *world, x *ast.SelectorExpr) []outcome {
	sel := f.info.Selections[x]
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
		var v *value
		recv := f.embedded(o.w, o.v, sel)
		switch obj := sel.Obj().(type) {
		case *types.Func:
			v = f.function(concrete(obj, recv), recv)
		case *types.Var:
			v = f.field(o.w, recv, obj)
		}
		if v == nil {
			v = new(value)
		}
		outs[i] = outcome{w: o.w, v: v}
	}
	return outs
}

// field returns the field of recv.
func (f *follower) field(w *world, recv *value, field *types.Var) *value {
	place := recv.id + "." + field.Name()
	if v := w.env[place]; v != nil {
		return v
	}
	if recv.id == "" {
		return f.opaque(field.Type(), "")
	}
	return f.unset(w, field, place)
}

// embedded returns the part of recv that has what sel selects: recv, or what it
// embeds.
func (f *follower) embedded(w *world, recv *value, sel *types.Selection) *value {
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return new(value)
		}
		recv = f.field(w, recv, st.Field(i))
		t = st.Field(i).Type()
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
	v := &value{id: fmt.Sprintf("made@%d", lit.Pos()), typ: t}
	outs := []outcome{{w: w, v: v}}
	for i, elt := range lit.Elts {
		name := ""
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				name = key.Name
			}
			elt = kv.Value
		} else if st, ok := t.Underlying().(*types.Struct); ok && i < st.NumFields() {
			name = st.Field(i).Name()
		}
		_, isStruct := t.Underlying().(*types.Struct)
		var next []outcome
		for _, o := range outs {
			for _, e := range f.eval(o.w, elt) {
				list := o.v
				if isStruct {
					e.w = e.w.set(v.id+"."+name, e.v)
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

// isNilExpr reports whether x is nil.
func (f *follower) isNilExpr(x ast.Expr) bool { return f.info.Types[x].IsNil() }

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
