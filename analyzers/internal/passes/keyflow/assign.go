package keyflow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

func (t *tracer) assignStmt(w *work, n *ast.AssignStmt) {
	if len(n.Lhs) == len(n.Rhs) {
		values := make([]value, len(n.Rhs))
		for i, rhs := range n.Rhs {
			values[i] = t.eval(w, rhs)
		}
		for i, lhs := range n.Lhs {
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				values[i] = values[i].with(t.eval(w, lhs))
				values[i].raw.flags &^= outside
			}
			t.assign(w, lhs, values[i], n.Rhs[i])
		}
		return
	}
	values := t.evalMulti(w, n.Rhs[0], len(n.Lhs))
	for i, lhs := range n.Lhs {
		t.assign(w, lhs, values[i], nil)
	}
}

func (t *tracer) valueSpec(w *work, n *ast.ValueSpec) {
	switch len(n.Values) {
	case 0:
		for _, name := range n.Names {
			t.assign(w, name, value{raw: origin{flags: outside | zero}, born: true}, nil)
		}
	case len(n.Names):
		for i, name := range n.Names {
			t.assign(w, name, t.eval(w, n.Values[i]), n.Values[i])
		}
	default:
		values := t.evalMulti(w, n.Values[0], len(n.Names))
		for i, name := range n.Names {
			t.assign(w, name, values[i], nil)
		}
	}
}

// assign assigns v, the value of rhs if that is not nil, to lhs.
func (t *tracer) assign(w *work, lhs ast.Expr, v value, rhs ast.Expr) {
	lhs = ast.Unparen(lhs)
	if ix, ok := lhs.(*ast.IndexExpr); ok {
		if t.isHeader(ix.Index) {
			t.setKey(w, ix.X, v.raw, ix)
			return
		}
	}
	p, ok := t.placeOf(lhs)
	if !ok {
		return
	}
	if _, ok := lhs.(*ast.Ident); ok {
		w.forget(p.root)
		w.set(p, v)
		if lit := litOf(rhs); lit != nil {
			t.assignFields(w, p, lit)
		}
		return
	}
	if star, ok := lhs.(*ast.StarExpr); ok && identOf(star.X) != nil {
		w.set(p, v)
		return
	}
	sel, isField := lhs.(*ast.SelectorExpr)
	if isField {
		if field := typeset.VarOf(t.info, sel); field != nil && t.isKeyField(field) {
			t.setKey(w, sel.X, v.raw, sel)
			w.set(p, v)
			return
		}
		w.set(p, v)
	}
	// Have: a part of an object; it may bring a key with it.
	root := place{p.root, ""}
	whole := t.lookup(w, root)
	if !v.key.none() && v.key.flags|outside != outside {
		whole.key = whole.key.with(v.key)
		w.set(root, whole)
	}
	if _, ok := lhs.(*ast.IndexExpr); ok && v.raw.isMade() && !v.raw.site.count {
		whole.raw = mix(whole, v).raw
		w.set(root, whole)
	}
	if isField && v.raw.flags == made && namesThing(sel.Sel.Name) && !v.raw.site.clock {
		whole.other = v.raw.site
		w.set(root, whole)
	}
}

// litOf returns the composite literal of a struct that e is, or points to, or nil.
func litOf(e ast.Expr) *ast.CompositeLit {
	if e == nil {
		return nil
	}
	if addr, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && addr.Op == token.AND {
		e = addr.X
	}
	lit, _ := ast.Unparen(e).(*ast.CompositeLit)
	return lit
}

// assignFields remembers the fields of a literal that is assigned to p.
func (t *tracer) assignFields(w *work, p place, lit *ast.CompositeLit) {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				if v, ok := t.info.Uses[id].(*types.Var); ok && v.IsField() {
					w.set(place{p.root, p.path + "." + id.Name}, t.eval(w, kv.Value))
				}
			}
		}
	}
}

// setKey puts a key of the given origin on the object that target denotes; at is
// where the code says so.
func (t *tracer) setKey(w *work, target ast.Expr, raw origin, at ast.Node) {
	root := t.rootOf(target)
	if root == nil {
		return
	}
	p := place{root, ""}
	whole := t.lookup(w, p)
	whole.key = t.keyOf(w, root, whole.born, raw, at)
	w.set(p, whole)
	for _, f := range t.lits { // a function literal that sets the key of its parameter
		if f.lit.Type.Pos() <= root.Pos() && root.Pos() < f.lit.Body.Pos() {
			f.key = f.key.with(whole.key)
		}
	}
	if t.region != nil && len(t.lits) == 0 && t.region.Node == t.fn && t.isParam(root) {
		t.sent(w, at, whole.key) // what repeats the region uses what it gave
	}
	if i, ok := t.params[root]; ok && t.summary != nil && t.final {
		if _, again := t.summary.params[i]; again {
			whole.key = whole.key.with(t.summary.params[i])
		}
		t.summary.params[i] = whole.key
	}
}

// keyOf returns the origin of a key of the given origin that is set at a place,
// on the object root, made in this round if born.
func (t *tracer) keyOf(w *work, root *types.Var, born bool, raw origin, at ast.Node) origin {
	key := raw
	if key.none() {
		key.flags = unknown
	}
	if raw.site != nil {
		s := *raw.site
		s.set = at
		key.site = t.site(s)
	}
	if key.flags&made == 0 {
		return key
	}
	for _, g := range w.gates {
		switch {
		case g.root == nil: // not in each round, or asked of what cannot be told
			key.flags |= unknown
		case g.root == root && born, g.root != root && g.born:
			// The object is new: it has no key to keep.
		case g.root != root && born && t.region != nil && !t.assigned[place{g.root, ""}] && !t.setsKeyOn(g.root):
			// Asked of an object that gets no key in the round.
		default:
			i, isParam := t.params[g.root]
			if isParam {
				key.key |= 1 << i
			} else {
				key.flags |= unknown
			}
		}
	}
	return key
}

// setsKeyOn reports whether what is followed may set the key of root: by a field,
// or a map or header that it holds.
func (t *tracer) setsKeyOn(root *types.Var) bool {
	for p := range t.assigned {
		if p.root == root {
			return true
		}
	}
	found := false
	ast.Inspect(t.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		if fn := typeset.Callee(t.info, call); fn != nil && (httpmodel.IsHeaderSetter(fn) || t.names.IsSetter(fn)) {
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && typeset.Root(t.info, sel.X) == root {
				found = true
			}
		}
		return !found
	})
	return found
}

func (t *tracer) returnStmt(w *work, n *ast.ReturnStmt) {
	var values []value
	if len(n.Results) == 1 {
		values = t.evalMulti(w, n.Results[0], t.resultCount())
	} else {
		for _, e := range n.Results {
			values = append(values, t.eval(w, e))
		}
	}
	if len(n.Results) == 0 { // named results
		for _, v := range t.namedResults() {
			values = append(values, t.lookup(w, place{v, ""}))
		}
	}
	if k := len(t.lits); k > 0 {
		t.lits[k-1].results = union(t.lits[k-1].results, values)
		return
	}
	switch {
	case t.summary != nil:
		if t.final {
			t.summary.results = union(t.summary.results, values)
		}
	case t.region.Node == t.fn: // what repeats it uses it, unless it came with an error
		mayFail := len(n.Results) > 1 && !t.succeeds(n)
		for i, v := range values {
			if i < len(n.Results) && !(mayFail && v.key.flags&outside != 0) {
				t.sent(w, n, v.key, n.Results[i])
			}
		}
	}
}

// resultCount returns the number of results of the function being followed.
func (t *tracer) resultCount() int {
	sig := t.signature()
	if sig == nil {
		return 1
	}
	return sig.Results().Len()
}

// signature returns the type of the function being followed.
func (t *tracer) signature() *types.Signature {
	if k := len(t.lits); k > 0 {
		return typeset.SignatureOf(t.info, t.lits[k-1].lit)
	}
	return typeset.SignatureOf(t.info, t.fn)
}

// namedResults returns the result variables of the function being followed.
func (t *tracer) namedResults() (vars []*types.Var) {
	if sig := t.signature(); sig != nil {
		for v := range sig.Results().Variables() {
			vars = append(vars, v)
		}
	}
	return vars
}

// union merges the values of two returns. The zero value that goes with an error
// says nothing.
func union(x, y []value) []value {
	if x == nil {
		return slices.Clone(y)
	}
	out := slices.Clone(x)
	for i := range min(len(x), len(y)) {
		switch {
		case y[i].raw.flags&zero != 0 && y[i].key.none():
		case x[i].raw.flags&zero != 0 && x[i].key.none():
			out[i] = y[i]
		default:
			out[i] = x[i].with(y[i])
		}
	}
	return out
}
