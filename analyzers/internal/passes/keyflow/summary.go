package keyflow

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A summary says what a call of a function does.
type summary struct {
	results []value
	sent    origin         // of the keys that it uses
	params  map[int]origin // by bit: of the key that it sets on what a parameter refers to
}

// says reports whether a caller has anything to learn.
func (s *summary) says() bool {
	if !s.sent.none() || len(s.params) > 0 {
		return true
	}
	for _, v := range s.results {
		if v.raw.flags&made != 0 || v.raw.raw != 0 || v.key.flags != 0 || v.key.raw != 0 || v.born {
			return true
		}
	}
	return false
}

// summaryOf returns the summary of fn, which call calls, or nil if nothing is
// known of it.
func (c *checker) summaryOf(fn *types.Func, call *ast.CallExpr) *summary {
	fn = fn.Origin()
	if fn.Pkg() != c.pass.Pkg {
		var fact keyFact
		if fn.Pkg() == nil || !c.pass.ImportObjectFact(fn, &fact) {
			return nil
		}
		return fact.summary(c, call)
	}
	decl := c.index.Decl(fn)
	if decl == nil {
		return nil
	}
	if s, ok := c.summaries[decl]; ok {
		return s
	}
	if c.busy[decl] {
		return nil
	}
	c.busy[decl] = true
	defer delete(c.busy, decl)
	t := c.newTracer(decl, nil)
	t.summary = &summary{params: make(map[int]origin)}
	t.params = make(map[*types.Var]int)
	sig := fn.Signature()
	if recv := sig.Recv(); recv != nil {
		t.params[recv] = 0
	}
	for i := range min(sig.Params().Len(), 60) {
		t.params[sig.Params().At(i)] = i + 1
	}
	t.run()
	c.summaries[decl] = t.summary
	return t.summary
}

// apply evaluates a call by a summary.
func (t *tracer) apply(w *work, call *ast.CallExpr, fn *types.Func, ops []operand, sum *summary) []value {
	t.namedParams(w, call, fn, ops)
	out := make([]value, len(sum.results))
	for i, r := range sum.results {
		out[i] = value{raw: t.via(t.resolve(w, r.raw, ops), call, false), key: t.via(t.resolve(w, r.key, ops), call, true), born: r.born, other: r.other}
	}
	for _, op := range ops {
		effect, ok := sum.params[op.bit]
		if !ok {
			if !op.key.none() {
				t.sent(w, call, op.key, exprsOf(ops)...)
			}
			continue
		}
		root := t.rootOf(op.expr)
		key := t.via(t.resolve(w, effect, ops), call, true)
		if root == nil {
			t.sent(w, call, key, exprsOf(ops)...)
			continue
		}
		whole := t.lookup(w, place{root, ""})
		key = t.keyOf(w, root, whole.born, key, call)
		whole.key = key
		w.set(place{root, ""}, whole)
		if i, ok := t.params[root]; ok && t.summary != nil && t.final {
			t.summary.params[i] = key
		}
	}
	if !sum.sent.none() {
		key := t.keyOf(w, nil, true, t.via(t.resolve(w, sum.sent, ops), call, true), call)
		var rest []ast.Expr
		for _, op := range ops {
			if op.bit > 0 && sum.sent.raw&(1<<op.bit) != 0 {
				continue // the key itself
			}
			rest = append(rest, op.expr)
		}
		t.sent(w, call, key, rest...)
	}
	if len(sum.results) == 0 || !sum.says() {
		t.lose(w, ops)
	}
	return out
}

// via says of a key or value that a call brings that the call makes it, if it does,
// and sets it.
func (t *tracer) via(o origin, call *ast.CallExpr, isKey bool) origin {
	if o.site == nil {
		return o
	}
	s := *o.site
	if !syntax.Within(s.maker, t.fn) {
		s.name = types.ExprString(ast.Unparen(call.Fun))
		s.set = nil
	}
	if isKey && s.set == nil {
		s.set = call
	}
	o.site = t.site(s)
	return o
}

// resolve returns the origin, at a call, of what has origin o in the function
// called.
func (t *tracer) resolve(w *work, o origin, ops []operand) origin {
	if o.raw == 0 && o.key == 0 {
		return o
	}
	out := origin{flags: o.flags, site: o.site}
	given := false
	for _, op := range ops {
		bit := uint64(1) << op.bit
		if o.raw&bit != 0 {
			given = true
			raw := op.raw
			if o.path != "" {
				raw = origin{}
				for path := range strings.SplitSeq(o.path, ",") {
					raw = raw.with(t.fieldOf(w, op, path))
				}
			}
			switch {
			case o.flags&made == 0 || raw.isMade() || raw.raw != 0:
				out = out.with(raw)
			case raw.flags&zero == 0: // it may be given
				out.flags |= unknown
			}
		}
		if o.key&bit != 0 {
			given = true
			switch {
			case o.flags&made == 0 || op.key.isMade() || op.key.raw != 0 || op.key.key != 0:
				out = out.with(op.key)
			case op.key.flags&zero == 0 && !(op.key.none() && op.born): // it may have one
				out.flags |= unknown
			}
		}
	}
	if !given && o.flags&made == 0 {
		out.flags |= outside // an optional parameter that is left out
	}
	return out
}

// fieldOf returns the origin of a field of an operand: nothing is in it if a literal
// of this round, which does not name it, made the operand.
func (t *tracer) fieldOf(w *work, op operand, path string) origin {
	root := typeset.Root(t.info, op.expr)
	if root == nil {
		if lit := litOf(op.expr); lit != nil {
			for i := range lit.Elts {
				if f, x := typeset.Element(t.info, lit, i); f != nil && "."+f.Name() == path {
					return t.eval(w, x).raw
				}
			}
		}
		return op.raw
	}
	if v, ok := w.vars[place{root, path}]; ok {
		return v.raw
	}
	if op.raw.raw != 0 {
		if strings.Contains(op.raw.path, ",") {
			return op.raw
		}
		return origin{flags: op.raw.flags, raw: op.raw.raw, path: op.raw.path + path}
	}
	if lit := litOf(t.index.OnlyDef(root)); lit != nil && t.isInside(root) && (len(lit.Elts) == 0 || isKeyed(lit)) {
		return origin{flags: outside | zero}
	}
	return op.raw
}

// isKeyed reports whether a literal names its fields.
func isKeyed(lit *ast.CompositeLit) bool {
	_, ok := lit.Elts[0].(*ast.KeyValueExpr)
	return ok
}

// A keyFact is the summary of an exported function of another package.
type keyFact struct {
	Results []resultFact
	Sent    originFact
	Params  []paramFact // sorted
}

// A paramFact is the key that is set on what a parameter refers to.
type paramFact struct {
	Bit int
	Key originFact
}

// A resultFact is what is known of one result.
type resultFact struct {
	Raw, Key originFact
	Born     bool
}

// An originFact is an origin, without its site.
type originFact struct {
	Flags    uint8
	Raw, Key uint64
	Path     string
}

func (*keyFact) AFact() {}

func (f *keyFact) String() string {
	return fmt.Sprintf("key(results=%v sent=%v params=%v)", f.Results, f.Sent, f.Params)
}

// setsKey reports whether the function sets or uses a key.
func (f *keyFact) setsKey() bool {
	if f.Sent != (originFact{}) || len(f.Params) > 0 {
		return true
	}
	return slices.ContainsFunc(f.Results, func(r resultFact) bool { return r.Key.Flags != 0 || r.Key.Raw != 0 })
}

// factOf returns an origin as a fact.
func factOf(o origin) originFact {
	return originFact{uint8(o.flags), o.raw, o.key, o.path}
}

// origin returns a fact about the function that call calls as an origin. For want
// of a better place, the key is made at the call.
func (f originFact) origin(c *checker, call *ast.CallExpr) origin {
	o := origin{flags: flags(f.Flags), raw: f.Raw, path: f.Path, key: f.Key}
	if o.flags&made != 0 {
		o.site = c.site(site{siteKey: siteKey{maker: call, name: types.ExprString(ast.Unparen(call.Fun))}})
	}
	return o
}

// summary returns a fact about the function that call calls as a summary.
func (f *keyFact) summary(c *checker, call *ast.CallExpr) *summary {
	s := &summary{sent: f.Sent.origin(c, call), params: make(map[int]origin)}
	for _, r := range f.Results {
		s.results = append(s.results, value{raw: r.Raw.origin(c, call), key: r.Key.origin(c, call), born: r.Born})
	}
	for _, p := range f.Params {
		s.params[p.Bit] = p.Key.origin(c, call)
	}
	return s
}

// exportFacts exports the summaries of the functions from which others learn.
func (c *checker) exportFacts() {
	for _, decl := range c.index.Decls() {
		fn, _ := c.info.Defs[decl.Name].(*types.Func)
		if fn == nil || !typeset.IsExported(fn) || !c.worthFact(decl, fn) {
			continue
		}
		s := c.summaryOf(fn, nil)
		if s == nil {
			continue
		}
		if f := s.fact(); f != nil {
			c.pass.ExportObjectFact(fn, f)
		}
	}
}

// fact returns the summary as a fact, or nil if there is nothing in it to tell.
func (s *summary) fact() *keyFact {
	f := &keyFact{}
	tells := false
	for _, v := range s.results {
		r := resultFact{Born: v.born}
		if v.raw.isMade() {
			r.Raw = factOf(v.raw)
			tells = true
		} else {
			r.Raw = originFact{Flags: uint8(unknown)}
		}
		if v.key.flags&made != 0 || v.key.raw != 0 {
			r.Key = factOf(v.key)
			tells = true
		}
		f.Results = append(f.Results, r)
	}
	if s.sent.flags&made != 0 || s.sent.raw != 0 {
		f.Sent = factOf(s.sent)
		tells = true
	}
	for _, bit := range slices.Sorted(maps.Keys(s.params)) {
		f.Params = append(f.Params, paramFact{bit, factOf(s.params[bit])})
		tells = true
	}
	if !tells {
		return nil
	}
	return f
}

// worthFact reports whether a function may have a summary to tell: it names a key,
// or it makes something that can be one.
func (c *checker) worthFact(decl *ast.FuncDecl, fn *types.Func) bool {
	s := c.scans[decl]
	if s.sets {
		return true
	}
	if !s.makes {
		return false
	}
	results := fn.Signature().Results()
	return results.Len() > 0 && isID(results.At(0).Type())
}

// isID reports whether a value of type typ can be an identifier: text, or bytes.
func isID(typ types.Type) bool {
	switch u := deref(typ).Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Array:
		return isByte(u.Elem())
	case *types.Slice:
		return isByte(u.Elem())
	}
	return false
}

func isByte(typ types.Type) bool {
	b, ok := typ.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}
