package keyflow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// stringConst returns the value of a constant string expression.
func stringConst(info *types.Info, e ast.Expr) (string, bool) {
	value := info.Types[e].Value
	if value == nil || value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(value), true
}

// isHeader reports whether e is the name of a key: a constant, or a variable that the
// package assigns once.
func (c *checker) isHeader(e ast.Expr) bool {
	if name, ok := stringConst(c.info, e); ok {
		return c.names.IsHeader(name)
	}
	v := typeset.VarOf(c.info, e)
	return v != nil && c.holdsHeader(v)
}

// holdsHeader reports whether v is a variable that the package assigns once, the name of
// a key.
func (c *checker) holdsHeader(v *types.Var) bool {
	if v.IsField() || !typeset.IsString(v.Type()) {
		return false
	}
	name, ok := stringConst(c.info, c.index.OnlyDef(v))
	return ok && c.names.IsHeader(name)
}

// isKeyField reports whether a field holds a key, by its name or its tag.
func (c *checker) isKeyField(v *types.Var) bool {
	is, known := c.keyFields[v]
	if !known {
		is = c.names.IsField(v.Name()) || c.index.KeyTag(v, c.names.IsHeader)
		c.keyFields[v] = is
	}
	return is
}

// nameOfThing matches the names of fields of which another value makes another
// thing: what a server refuses twice.
var nameOfThing = regexp.MustCompile(`(?i)(name|slug|code|alias|label|domain|handle)$`)

func namesThing(name string) bool {
	return nameOfThing.MatchString(name) && !httpmodel.IsTraceName(name)
}

// eval returns what is known of e, and takes note of what evaluating it does.
func (t *tracer) eval(w *work, e ast.Expr) value {
	if tv := t.info.Types[e]; tv.Value != nil || tv.IsNil() {
		v := value{raw: origin{flags: outside}}
		if tv.IsNil() || tv.Value.Kind() == constant.String && constant.StringVal(tv.Value) == "" {
			v.raw.flags |= zero
		}
		return v
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		switch obj := t.info.ObjectOf(e).(type) {
		case *types.Var:
			return t.lookup(w, place{obj, ""})
		case *types.Func:
			return value{raw: origin{flags: outside}, key: t.keyOfFunc(e, obj)}
		}
	case *ast.SelectorExpr:
		return t.evalSelector(w, e)
	case *ast.StarExpr:
		return t.eval(w, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			t.eval(w, e.X)
			return value{raw: origin{flags: unknown}}
		}
		return t.eval(w, e.X)
	case *ast.IndexExpr:
		v := t.eval(w, e.X)
		if t.isHeader(e.Index) {
			return value{raw: v.key}
		}
		if x := t.eval(w, e.Index); x.raw.flags&made != 0 && x.raw.isMade() && !x.raw.site.count {
			v.raw = mix(v, value{raw: x.raw}).raw // letters[rand.Intn(len(letters))]
		}
		if v.key.none() && t.mayBringKey(e) {
			v.key.flags = unknown
		}
		return value{raw: v.raw, key: v.key}
	case *ast.SliceExpr:
		return t.eval(w, e.X)
	case *ast.TypeAssertExpr:
		return t.eval(w, e.X)
	case *ast.BinaryExpr:
		x, y := t.eval(w, e.X), t.eval(w, e.Y)
		switch e.Op {
		case token.ADD:
			return mix(x, y)
		case token.QUO, token.REM, token.AND, token.SHR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
			if x.raw.flags&made != 0 && (x.raw.site.clock || e.Op == token.EQL) || typeset.IsBool(t.info.TypeOf(e)) {
				return value{raw: origin{flags: outside}} // the hour, say: not new each time
			}
		}
		return mix(x, y)
	case *ast.CompositeLit:
		return t.evalLit(w, e)
	case *ast.FuncLit:
		return t.evalFuncLit(w, e)
	case *ast.CallExpr:
		return t.evalMulti(w, e, 1)[0]
	}
	return value{raw: origin{flags: outside}}
}

// mix returns what is known of a value that is put together from others: it is new
// if one of them is.
func mix(values ...value) value {
	v := value{}
	for _, x := range values {
		if x.raw.flags&made != 0 && x.raw.isMade() && v.raw.flags&made == 0 {
			v.raw = origin{flags: made, site: x.raw.site}
		} else if v.raw.flags != made {
			v.raw = v.raw.with(x.raw)
		}
		v.key = v.key.beside(x.key)
	}
	return v
}

func (t *tracer) evalSelector(w *work, e *ast.SelectorExpr) value {
	p, ok := t.placeOf(e)
	field := typeset.VarOf(t.info, e)
	if field == nil { // a method value, or a function of another package
		v := t.eval(w, e.X)
		if fn, ok := t.info.Uses[e.Sel].(*types.Func); ok {
			v.key = v.key.beside(t.keyOfFunc(e, fn))
		}
		return value{raw: origin{flags: outside}, key: v.key}
	}
	if ok && p.path == "" { // a variable of another package
		return t.lookup(w, p)
	}
	if ok {
		if v, known := w.vars[p]; known {
			return v
		}
		_, isParam := t.params[p.root]
		if t.assigned[p] && !t.isInside(p.root) || isParam && !t.isKeyField(field) {
			return t.initial(p)
		}
	}
	v := t.eval(w, e.X)
	if field.IsField() && t.isKeyField(field) && !v.key.none() {
		return value{raw: v.key}
	}
	v.born = false
	return v
}

// evalLit evaluates a composite literal.
func (t *tracer) evalLit(w *work, lit *ast.CompositeLit) value {
	v := value{raw: origin{flags: outside}, born: true}
	_, isStruct := deref(t.info.TypeOf(lit)).Underlying().(*types.Struct)
	for i, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			x := t.eval(w, elt)
			if name, isName := elementName(t.info, lit, i-1); isName && t.names.IsHeader(name) || isStruct && t.isKeyIndex(lit, i) {
				v.key = v.key.beside(t.keyOf(w, nil, true, x.raw, elt))
				continue
			}
			v.key = v.key.beside(x.key)
			if !isStruct {
				v.raw = mix(v, x).raw
			}
			continue
		}
		x := t.eval(w, kv.Value)
		name, isName := stringConst(t.info, kv.Key)
		field, _ := t.info.Uses[identOf(kv.Key)].(*types.Var)
		switch {
		case isName && t.names.IsHeader(name), isStruct && field != nil && t.isKeyField(field), isStruct && i > 0 && field != nil && field.Name() == "Value" && t.namedKey(lit):
			v.key = v.key.beside(t.keyOf(w, nil, true, x.raw, kv))
		default:
			v.key = v.key.beside(x.key)
			if isStruct && field != nil {
				name = field.Name()
			}
			if x.raw.flags == made && !x.raw.site.clock && namesThing(name) {
				v.other = x.raw.site
			}
			if x.other != nil {
				v.other = x.other
			}
			if !isStruct {
				v.raw = mix(v, x).raw
			}
		}
	}
	return v
}

// deref returns what typ points to, or else typ: the invalid type for none.
func deref(typ types.Type) types.Type {
	if typ == nil {
		return types.Typ[types.Invalid]
	}
	if ptr, ok := types.Unalias(typ).(*types.Pointer); ok {
		return ptr.Elem()
	}
	return typ
}

// elementName returns the i-th element of a literal if that is a constant string.
func elementName(info *types.Info, lit *ast.CompositeLit, i int) (string, bool) {
	if i < 0 {
		return "", false
	}
	return stringConst(info, lit.Elts[i])
}

// isKeyIndex reports whether the i-th field of a literal's struct holds a key.
func (t *tracer) isKeyIndex(lit *ast.CompositeLit, i int) bool {
	st, ok := deref(t.info.TypeOf(lit)).Underlying().(*types.Struct)
	return ok && i < st.NumFields() && t.isKeyField(st.Field(i))
}

// namedKey reports whether an element of a literal, Name or Key, is the name of a key.
func (t *tracer) namedKey(lit *ast.CompositeLit) bool {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if name, ok := stringConst(t.info, kv.Value); ok && t.names.IsHeader(name) {
				return true
			}
		}
	}
	return false
}

// evalFuncLit follows a function literal where it stands. Its value carries the
// key that it sets on its parameters, or returns.
func (t *tracer) evalFuncLit(w *work, lit *ast.FuncLit) value {
	v := value{raw: origin{flags: outside}, key: t.keyOfLit(w, lit)}
	if v.key.flags&made != 0 {
		t.aside(func(w *work) { // without what it captures
			if t.keyOfLit(w, lit).flags&made != 0 {
				v.key.flags |= anew
			}
		})
	}
	t.blur(w, lit) // when it runs is not known
	return v
}

// keyOfFunc returns the key that fn, which e names, makes and sets on a parameter
// whenever it is called, as a function literal does.
func (t *tracer) keyOfFunc(e ast.Expr, fn *types.Func) (key origin) {
	if len(t.lits) >= maxDepth {
		return key
	}
	call := &ast.CallExpr{Fun: e, Lparen: e.End(), Rparen: e.End()}
	sum := t.summaryOf(fn, call)
	if sum == nil {
		return key
	}
	for _, bit := range slices.Sorted(maps.Keys(sum.params)) {
		if set := sum.params[bit]; set.isMade() {
			key = t.via(set, call, true)
			key.flags |= anew
			break
		}
	}
	return key
}

// aside calls f with a state in which nothing is known, and finds nothing on the way.
func (t *tracer) aside(f func(w *work)) {
	defer func(final bool) { t.final = final }(t.final)
	t.final = false
	f(&work{state: state{in: true}})
}

// keyOfLit returns the key that a function literal sets on its parameters, or returns.
func (t *tracer) keyOfLit(w *work, lit *ast.FuncLit) origin {
	f := t.follow(w, lit)
	key := f.key
	for _, r := range f.results {
		key = key.with(r.key)
	}
	return key
}

// maxDepth bounds how deep calls of function literals are followed.
const maxDepth = 4

// follow follows the body of a function literal from the state at hand.
func (t *tracer) follow(w *work, lit *ast.FuncLit) *litFrame {
	f := &litFrame{lit: lit}
	g, body := t.retries.CFG(lit)
	if g == nil || len(t.lits) >= maxDepth {
		return f
	}
	for _, other := range t.lits {
		if other.lit == lit {
			return f
		}
	}
	final := t.final
	t.lits = append(t.lits, f)
	t.final = false
	if result := flow.Solve(g, body, w.state, t); result != nil {
		t.final = final
		t.replay(g, result)
	}
	t.final = final
	t.lits = t.lits[:len(t.lits)-1]
	return f
}

// keyVerb returns the index of the verb that a format gives to the member of a
// JSON object, or query, that holds a key, or -1.
func keyVerb(names httpmodel.KeyNames, format string) int {
	n := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		if i+1 < len(format) && format[i+1] == '%' {
			i++
			continue
		}
		before := strings.TrimRight(format[:i], "\"'\\ :=")
		if j := strings.LastIndexAny(before, "\"'{,?&;\n "); len(before) < i && names.IsHeader(strings.TrimSpace(before[j+1:])) {
			return n
		}
		n++
	}
	return -1
}
