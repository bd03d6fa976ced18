package neterr

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// taken returns w without what variables hold whose address call gets.
func (p problem) taken(w *world, call *ast.CallExpr) *world {
	for _, arg := range call.Args {
		if addr, ok := ast.Unparen(arg).(*ast.UnaryExpr); ok && addr.Op == token.AND {
			w = p.set(w, addr.X, value{})
		}
	}
	return w
}

// set returns w with v at the place that x denotes.
func (p problem) set(w *world, x ast.Expr, v value) *world {
	place, ok := p.placeOf(x)
	if !ok {
		return w
	}
	if place.field == nil {
		w = w.clear(place.root)
		if v.part != nil {
			place.field, v.part = v.part, nil
		}
	}
	if p.shared[place.root] && (v.err == token.NoPos || w.failure(v.err).Set == None) {
		v = value{} // a function literal sets it too, whenever it runs
	}
	if v == (value{}) && IsError(place.typ()) {
		id := x.Pos()
		return w.fresh(id, Failure{Set: All}).with(place, value{err: id})
	}
	return w.with(place, v)
}

// assign returns the worlds after lhs = rhs.
func (p problem) assign(w *world, lhs, rhs []ast.Expr) []*world {
	if len(lhs) != len(rhs) {
		return p.assignTuple(w, lhs, rhs[0])
	}
	worlds := []*world{w}
	for i, x := range rhs {
		var next []*world
		for _, w := range worlds {
			next = append(next, p.assignOne(w, lhs[i], x)...)
		}
		worlds = next
	}
	return worlds
}

// assignOne returns the worlds after lhs = rhs, of one value.
func (p problem) assignOne(w *world, lhs, rhs ast.Expr) []*world {
	rhs = ast.Unparen(rhs)
	t := p.info.TypeOf(rhs)
	if w, v, ok := p.received(w, rhs); ok {
		return []*world{p.set(w, lhs, v)}
	}
	switch {
	case typeset.IsBool(t):
		outs := p.eval(w, rhs)
		if p.info.Types[rhs].Value == nil && sayNothing(w, outs) {
			break
		}
		var worlds []*world
		for _, o := range outs {
			v := value{truth: truthOf(o.truth)}
			if o.vague {
				v.truth = vague
			}
			worlds = append(worlds, p.set(o.w, lhs, v))
		}
		return worlds
	case p.isNil(rhs):
		if IsError(p.info.TypeOf(lhs)) {
			id := rhs.Pos()
			return []*world{p.set(w.fresh(id, Failure{Set: None}), lhs, value{err: id})}
		}
	case errorPart(t) != nil:
		if call, ok := rhs.(*ast.CallExpr); ok && !p.info.Types[call.Fun].IsType() {
			return p.assignTuple(w, []ast.Expr{lhs}, call)
		}
	case IsError(t):
		if call, ok := rhs.(*ast.CallExpr); ok && !p.info.Types[call.Fun].IsType() {
			if _, fn := p.Callee(call); !httpmodel.Wraps(fn) && !isErrorsFunc(fn, "Unwrap") {
				return p.assignTuple(w, []ast.Expr{lhs}, call)
			}
		}
		if w2, ref, ok := p.errorOf(w, rhs); ok {
			w2 = p.set(w2, lhs, value{err: ref.id})
			return []*world{p.fields(w2, lhs, rhs)}
		}
	}
	if s, ok := p.statusOf(w, rhs); ok {
		return []*world{p.set(w, lhs, value{status: s})}
	}
	if _, isCall := rhs.(*ast.CallExpr); isClass(t) && (isCall || namesErrors(p.signature())) {
		var worlds []*world
		for _, row := range p.classes(w, rhs) {
			worlds = append(worlds, p.set(row.w, lhs, row.results[0]))
		}
		return worlds
	}
	return []*world{p.fields(p.set(w, lhs, value{}), lhs, rhs)}
}

// sayNothing reports whether outs tell nothing apart in w, and are not vague.
func sayNothing(w *world, outs []outcome) bool {
	return len(outs) > 1 && !slices.ContainsFunc(outs, func(o outcome) bool { return o.vague || o.w != w })
}

// statusOf returns the status that x is.
func (p problem) statusOf(w *world, x ast.Expr) (Status, bool) {
	if p.isCode == nil {
		return Status{}, false
	}
	if code, ok := p.isCode(x); ok {
		return Status{code, x.Pos()}, true
	}
	if place, ok := p.placeOf(x); ok {
		s := w.vals[place].status
		return s, s != Status{}
	}
	return Status{}, false
}

// fields returns w after lhs = rhs, a struct literal or its address, with the
// statuses that the literal puts into fields.
func (p problem) fields(w *world, lhs, rhs ast.Expr) *world {
	lit := structLit(p.info, rhs)
	target, ok := p.placeOf(lhs)
	if lit == nil || !ok || target.field != nil {
		return w
	}
	for i := range lit.Elts {
		field, x := typeset.Element(p.info, lit, i)
		if s, ok := p.statusOf(w, x); ok && field != nil {
			w = w.with(place{target.root, field}, value{status: s})
		}
	}
	return w
}

// structLit returns the struct literal that x is, or is the address of, or nil.
func structLit(info *types.Info, x ast.Expr) *ast.CompositeLit {
	x = ast.Unparen(x)
	if addr, ok := x.(*ast.UnaryExpr); ok && addr.Op == token.AND {
		x = ast.Unparen(addr.X)
	}
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	if _, ok := typeset.Underlying(info, lit).(*types.Struct); !ok {
		return nil
	}
	return lit
}

// assignTuple returns the worlds after the assignment of all results of x: of a
// call, or of the form "v, ok".
func (p problem) assignTuple(w *world, lhs []ast.Expr, x ast.Expr) []*world {
	x = ast.Unparen(x)
	var worlds []*world
	switch x := x.(type) {
	case *ast.TypeAssertExpr:
		w2, ref, ok := p.subjectOf(w, x.X)
		if !ok || x.Type == nil {
			break
		}
		for _, o := range p.askType(w2, ref, p.info.TypeOf(x.Type), false) {
			results := []value{{err: ref.id}, {truth: truthOf(o.truth)}}
			if !o.truth {
				o.w, results[0] = p.nilError(o.w, x.Lparen)
			}
			worlds = append(worlds, p.setAll(o.w, lhs, results))
		}
		return worlds
	case *ast.CallExpr:
		for _, o := range p.call(w, x) {
			worlds = append(worlds, p.setAll(p.taken(o.w, x), lhs, o.results))
		}
		return worlds
	}
	return []*world{p.setAll(w, lhs, make([]value, len(lhs)))}
}

// nilError returns w with a nil error of the name id, and that.
func (p problem) nilError(w *world, id token.Pos) (*world, value) {
	return w.fresh(id, Failure{Set: None}), value{err: id}
}

// setAll returns w with values at lhs. Of a call whose type is not known, C's, there
// may be too few.
func (p problem) setAll(w *world, lhs []ast.Expr, values []value) *world {
	for i, x := range lhs {
		v := value{}
		if i < len(values) {
			v = values[i]
		}
		w = p.set(w, x, v)
	}
	return w
}
