package handlers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// evaluate does what the body of f does, in any order.
func (f *frame) evaluate() {
	switch fn := f.fn.(type) {
	case *ast.FuncDecl:
		f.body(fn.Body)
	case *ast.FuncLit:
		f.body(fn.Body)
	case *ast.ValueSpec:
		f.spec(fn)
	}
}

// body evaluates the statements in n.
func (f *frame) body(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			f.assignAll(n.Lhs, n.Rhs)
			return false
		case *ast.ValueSpec:
			f.spec(n)
			return false
		case *ast.RangeStmt:
			f.rangeOver(n)
			f.body(n.Body)
			return false
		case *ast.ReturnStmt:
			f.returns(n)
			return false
		case *ast.SendStmt:
			values := f.eval(n.Value)
			for _, ch := range f.eval(n.Chan) {
				f.store(ch, nil, values)
			}
			return false
		case *ast.GoStmt:
			th := f.thread
			if th == testThread {
				th = strayThread
			}
			f.call(n.Call, th)
			return false
		case *ast.DeferStmt:
			f.call(n.Call, f.thread)
			return false
		case *ast.TypeSwitchStmt:
			f.typeSwitch(n)
			return false
		case *ast.LabeledStmt:
			f.body(n.Stmt)
			return false
		case *ast.BranchStmt:
			return false
		case ast.Expr:
			f.eval(n)
			return false
		}
		return true
	})
}

// spec evaluates a declaration of variables.
func (f *frame) spec(n *ast.ValueSpec) {
	if len(n.Values) > 0 {
		lhs := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			lhs[i] = name
		}
		f.assignAll(lhs, n.Values)
		return
	}
	for _, name := range n.Names {
		if v, ok := f.info.Defs[name].(*types.Var); ok {
			f.zero(v)
		}
	}
}

// zero gives a variable of a struct type its zero value, an object.
func (f *frame) zero(v *types.Var) {
	if isStruct(v.Type()) && f.mayHold(v.Type()) {
		o := f.object(objectKey{made: v, frame: f})
		o.typ = v.Type()
		f.add(f.variable(v), []value{o})
	}
}

func (f *frame) assignAll(lhs, rhs []ast.Expr) {
	if len(lhs) == len(rhs) {
		for i := range lhs {
			f.assign(lhs[i], f.eval(rhs[i]))
		}
		return
	}
	results := f.multi(rhs[0])
	for i := range lhs {
		if i < len(results) {
			f.assign(lhs[i], results[i])
		} else {
			f.assign(lhs[i], nil)
		}
	}
}

// multi evaluates an expression of several values.
func (f *frame) multi(e ast.Expr) [][]value {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return f.call(call, f.thread)
	}
	return [][]value{f.eval(e)} // v, ok :=
}

// assign stores values in the place that lhs denotes.
func (f *frame) assign(lhs ast.Expr, values []value) {
	switch lhs := ast.Unparen(lhs).(type) {
	case *ast.Ident:
		if v, ok := f.info.ObjectOf(lhs).(*types.Var); ok && len(values) > 0 {
			f.add(f.variable(v), values)
		}
	case *ast.SelectorExpr:
		sel := f.info.Selections[lhs]
		if sel == nil {
			if v, ok := f.info.ObjectOf(lhs.Sel).(*types.Var); ok {
				f.add(f.variable(v), values)
			}
			return
		}
		base := f.eval(lhs.X)
		index := sel.Index()
		base = f.walk(base, sel.Recv(), index[:len(index)-1])
		field, _ := sel.Obj().(*types.Var)
		for _, o := range base {
			f.store(o, field, values)
		}
	case *ast.IndexExpr:
		f.eval(lhs.Index)
		for _, o := range f.eval(lhs.X) {
			f.store(o, nil, values)
		}
	case *ast.StarExpr:
		for _, o := range f.eval(lhs.X) {
			if o, ok := o.(*object); ok && o.typ != nil && !isStruct(o.typ) {
				f.store(o, nil, values)
			}
		}
	}
}

// store stores values in a field of o, or in its elements.
func (f *frame) store(o value, field *types.Var, values []value) {
	obj, ok := o.(*object)
	if !ok || len(values) == 0 {
		return
	}
	name, as := elem, types.Type(nil)
	if field != nil {
		name, as = field.Name(), field.Type()
	}
	f.add(obj.field(name), values)
	if obj.opaque {
		f.hold(obj, values, as)
	}
}

// load returns what a field of o, or its elements, hold.
func (f *frame) load(o value, field *types.Var) []value {
	obj, ok := o.(*object)
	if !ok {
		return nil
	}
	name := elem
	if field != nil {
		name = field.Name()
	}
	values := f.read(obj.field(name))
	if obj.opaque {
		values = union(values, []value{f.part(obj, field)})
		if field != nil && !isLocal(field.Type(), f.pass.Pkg) {
			return values
		}
		return f.heldLike(obj, field, values)
	}
	if len(values) == 0 && field != nil && isStruct(field.Type()) && f.mayHold(field.Type()) {
		part := f.object(objectKey{made: field, owner: obj})
		part.typ, part.unknown = field.Type(), obj.unknown
		f.add(obj.field(name), []value{part})
		return f.read(obj.field(name))
	}
	return values
}

// part returns what stands for the field of an opaque object: itself, or, of a
// parameter of the entry, an object for each of its fields.
func (f *frame) part(obj *object, field *types.Var) *object {
	if obj.param == 0 || obj.part != "" || field == nil {
		return obj
	}
	o := f.object(objectKey{made: field, owner: obj})
	o.typ, o.opaque, o.unknown = deref(field.Type()), true, true
	o.param, o.part = obj.param, field.Name()
	return o
}

// heldLike adds to values what an opaque object holds and was stored as elements.
func (f *frame) heldLike(obj *object, field *types.Var, values []value) []value {
	if field != nil {
		return values
	}
	var all set
	all.addAll(values)
	for _, h := range f.heldBy(obj) {
		all.add(h.value)
	}
	return all.values
}

// walk follows the embedded fields on the way of a selection from type t.
func (f *frame) walk(values []value, t types.Type, index []int) []value {
	for _, field := range typeset.Fields(t, index) {
		var next set
		for _, v := range values {
			next.addAll(f.load(v, field))
		}
		values = next.values
	}
	return values
}

// eval returns the values of e, and does what evaluating it does.
func (f *frame) eval(e ast.Expr) []value {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.eval(e.X)
	case *ast.Ident:
		return f.ident(e)
	case *ast.FuncLit:
		return []value{f.function(function{lit: e, env: f})}
	case *ast.CompositeLit:
		return f.composite(e)
	case *ast.UnaryExpr:
		return f.unary(e)
	case *ast.StarExpr:
		return f.star(f.eval(e.X))
	case *ast.SelectorExpr:
		return f.selector(e)
	case *ast.CallExpr:
		var all []value
		for _, values := range f.call(e, f.thread) {
			all = union(all, values)
		}
		return all
	case *ast.IndexExpr:
		if tv := f.info.Types[e.Index]; tv.IsType() {
			return f.eval(e.X) // an instance of a generic function
		}
		f.eval(e.Index)
		return f.elements(f.eval(e.X))
	case *ast.IndexListExpr:
		return f.eval(e.X)
	case *ast.SliceExpr:
		return f.eval(e.X)
	case *ast.TypeAssertExpr:
		if e.Type == nil {
			return f.eval(e.X)
		}
		t := f.info.TypeOf(e.Type)
		values := f.asserted(f.eval(e.X), t)
		if types.IsInterface(t) && httpmodel.IsTesting(t) && !slices.ContainsFunc(values, isSeen) {
			o := f.object(objectKey{made: e, frame: f})
			o.typ, o.opaque = t, true
			return []value{o}
		}
		return values
	case *ast.BinaryExpr:
		f.eval(e.X)
		f.eval(e.Y)
	case *ast.KeyValueExpr:
		f.eval(e.Key)
		return f.eval(e.Value)
	}
	return nil
}

func (f *frame) ident(e *ast.Ident) []value {
	switch obj := f.info.ObjectOf(e).(type) {
	case *types.Var:
		if obj.IsField() || !f.mayHold(obj.Type()) {
			return nil
		}
		return f.read(f.variable(obj))
	case *types.Func:
		return []value{f.function(function{fn: obj.Origin()})}
	}
	return nil
}

// elements returns the elements of containers.
func (f *frame) elements(containers []value) []value {
	var all set
	for _, c := range containers {
		all.addAll(f.load(c, nil))
	}
	return all.values
}

// star returns what pointers point to.
func (f *frame) star(pointers []value) []value {
	var all set
	for _, p := range pointers {
		if o, ok := p.(*object); ok && !o.opaque && isPointer(o.typ) {
			all.addAll(f.load(o, nil))
		} else {
			all.add(p)
		}
	}
	return all.values
}

func isPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// isSeen reports whether v was made where the machine can see.
func isSeen(v value) bool {
	o, ok := v.(*object)
	return !ok || !o.opaque
}

// asserted returns those of values that may be of type t.
func (f *frame) asserted(values []value, t types.Type) (left []value) {
	for _, v := range values {
		if o, ok := v.(*object); ok && !o.opaque && o.typ != nil && !types.IsInterface(t) && isStruct(deref(t)) &&
			!types.Identical(deref(t), o.typ) {
			continue
		}
		left = append(left, v)
	}
	return left
}

func (f *frame) unary(e *ast.UnaryExpr) []value {
	switch e.Op {
	case token.ARROW:
		return f.elements(f.eval(e.X))
	case token.AND:
		t := f.info.TypeOf(e.X)
		if t == nil || !f.mayHold(t) {
			f.eval(e.X)
			return nil
		}
		if id, ok := ast.Unparen(e.X).(*ast.Ident); ok && !isStruct(t) {
			// Have: a pointer to a variable of a type that is no struct.
			if v, ok := f.info.ObjectOf(id).(*types.Var); ok {
				n := f.variable(v)
				o := f.object(objectKey{made: v, frame: f, name: "&"})
				if o.typ == nil {
					o.typ = types.NewPointer(t)
					o.fields = map[string]*node{elem: n}
				}
				return []value{o}
			}
		}
		return f.eval(e.X)
	}
	return f.eval(e.X)
}

// composite returns the object that a composite literal makes.
func (f *frame) composite(e *ast.CompositeLit) []value {
	t := f.info.TypeOf(e)
	if t == nil || !f.mayHold(t) {
		for _, elt := range e.Elts {
			f.eval(elt)
		}
		return nil
	}
	o := f.object(objectKey{made: e, frame: f})
	o.typ = deref(t)
	for i, elt := range e.Elts {
		if isStruct(o.typ) {
			if field, x := typeset.Element(f.info, e, i); field != nil {
				f.store(o, field, f.eval(x))
			}
			continue
		}
		if kv, keyed := elt.(*ast.KeyValueExpr); keyed {
			f.store(o, nil, f.eval(kv.Key))
			elt = kv.Value
		}
		f.store(o, nil, f.eval(elt))
	}
	return []value{o}
}

func (f *frame) selector(e *ast.SelectorExpr) []value {
	sel := f.info.Selections[e]
	if sel == nil {
		return f.ident(e.Sel)
	}
	switch sel.Kind() {
	case types.FieldVal:
		base := f.eval(e.X)
		if !f.mayHold(sel.Type()) {
			return nil
		}
		return f.walk(f.star(base), sel.Recv(), sel.Index())
	case types.MethodExpr:
		if fn, ok := sel.Obj().(*types.Func); ok {
			return []value{f.function(function{fn: fn.Origin()})}
		}
	case types.MethodVal:
		fn, ok := sel.Obj().(*types.Func)
		if !ok {
			return nil
		}
		index := sel.Index()
		recvs := f.walk(f.star(f.eval(e.X)), sel.Recv(), index[:len(index)-1])
		if len(recvs) == 0 {
			return []value{f.function(function{fn: fn.Origin()})}
		}
		var values []value
		for _, recv := range recvs {
			values = append(values, f.function(function{fn: fn.Origin(), recv: recv}))
		}
		return values
	}
	return nil
}

func (f *frame) rangeOver(n *ast.RangeStmt) {
	xs := f.eval(n.X)
	values := f.elements(xs)
	if n.Value != nil {
		f.assign(n.Value, values)
	}
	if n.Key == nil {
		return
	}
	// The keys of a map are stored as elements; a channel has only a "key".
	if t := f.info.TypeOf(n.Key); t != nil && f.mayHold(t) {
		f.assign(n.Key, values)
	}
}

func (f *frame) returns(n *ast.ReturnStmt) {
	sig := f.signature()
	if sig == nil {
		return
	}
	want := sig.Results().Len()
	if len(n.Results) == 0 {
		for i := range want {
			if v := sig.Results().At(i); v.Name() != "" && f.mayHold(v.Type()) {
				f.add(f.result(i), f.read(f.variable(v)))
			}
		}
		return
	}
	if len(n.Results) == want {
		for i, e := range n.Results {
			f.add(f.result(i), f.eval(e))
		}
		return
	}
	for i, values := range f.multi(n.Results[0]) {
		f.add(f.result(i), values)
	}
}

func (f *frame) typeSwitch(n *ast.TypeSwitchStmt) {
	if n.Init != nil {
		f.body(n.Init)
	}
	var values []value
	switch assign := n.Assign.(type) {
	case *ast.AssignStmt:
		values = f.eval(assign.Rhs[0])
	case *ast.ExprStmt:
		values = f.eval(assign.X)
	}
	for _, clause := range n.Body.List {
		clause := clause.(*ast.CaseClause)
		if v, ok := f.info.Implicits[clause].(*types.Var); ok {
			if len(clause.List) == 1 {
				f.add(f.variable(v), f.asserted(values, v.Type()))
			} else {
				f.add(f.variable(v), values)
			}
		}
		for _, stmt := range clause.Body {
			f.body(stmt)
		}
	}
}
