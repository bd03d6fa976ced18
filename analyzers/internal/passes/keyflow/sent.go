package keyflow

import (
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// sent takes note that a key is used at the node at, with the other expressions.
func (t *tracer) sent(w *work, at ast.Node, key origin, with ...ast.Expr) {
	if !t.final || key.site == nil {
		if t.final && t.summary != nil && key.raw != 0 {
			t.summary.sent = t.summary.sent.with(key)
		}
		return
	}
	if t.summary != nil {
		t.summary.sent = t.summary.sent.with(key)
		return
	}
	if !key.isMade() || key.site.set == nil {
		return
	}
	for _, e := range with {
		if t.isOtherThing(w, key.site, e) {
			return
		}
	}
	t.findings = append(t.findings, t.finding(at, key.site))
}

// finding blames the function that holds the retry.
// within reports whether y lies in x.
func (t *tracer) finding(at ast.Node, s *site) *Finding {
	f := &Finding{Region: t.region, Set: s.set, Maker: s.maker, Name: s.name, Count: s.count}
	f.Late = syntax.Within(s.maker, t.region.Node) && at.End() <= s.maker.Pos()
	if h := t.region.Holder; h != nil && !syntax.Within(s.set, h) {
		if f.Set = at; !syntax.Within(at, h) {
			f.Set = t.region.At
		}
	}
	return f
}

// isOtherThing reports whether e, which is sent with the key made at s, is another
// thing in each round.
func (t *tracer) isOtherThing(w *work, s *site, e ast.Expr) bool {
	if root := typeset.Root(t.info, e); root != nil {
		if v, ok := w.vars[place{root, ""}]; ok && v.other != nil && v.other.maker != s.maker {
			return true
		}
	}
	if lit := litOf(e); lit != nil {
		if v := t.evalLit(&work{state: w.state}, lit); v.other != nil && v.other.maker != s.maker {
			return true
		}
	}
	return t.dependsOnItem(w, s, e)
}

// dependsOnItem reports whether e uses what is another thing in each round of the
// region, but for keys, and for what only tells the attempts apart.
func (t *tracer) dependsOnItem(w *work, s *site, e ast.Node) bool {
	return t.region.DependsOn(t.info, e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return true
		case *ast.KeyValueExpr:
			name, ok := stringConst(t.info, n.Key)
			if id := identOf(n.Key); id != nil && !ok {
				name = id.Name
				if v, isVar := t.info.Uses[id].(*types.Var); isVar && v.IsField() && t.isKeyField(v) {
					return true
				}
			}
			return t.names.IsHeader(name) || httpmodel.IsTraceName(name)
		case *ast.CallExpr:
			fn := typeset.Callee(t.info, n)
			if fn == nil {
				return false
			}
			if httpmodel.IsHeaderSetter(fn) && len(n.Args) > 0 {
				if name, ok := stringConst(t.info, n.Args[0]); ok && (t.names.IsHeader(name) || httpmodel.IsTraceName(name)) {
					sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
					return !ok || !t.dependsOnItem(w, s, sel.X)
				}
			}
			return t.names.IsSetter(fn)
		case *ast.Ident: // a text with the number of the attempt in it, as the key has
			v := t.eval(&work{state: w.state}, n)
			return s.count && v.raw.flags&made != 0 && v.raw.site.count && typeset.IsString(t.info.TypeOf(n))
		}
		return false
	})
}
