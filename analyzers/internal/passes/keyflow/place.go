package keyflow

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// isInside reports whether v is declared in what is followed.
func (t *tracer) isInside(v *types.Var) bool {
	if _, ok := t.params[v]; ok {
		return false
	}
	if t.region != nil && t.region.Kind == retries.Recursion && t.isParam(v) {
		return false
	}
	return t.body.Pos() <= v.Pos() && v.Pos() < t.body.End()
}

// isParam reports whether v is a parameter, or the receiver, of the function at
// hand.
func (t *tracer) isParam(v *types.Var) bool {
	body := token.NoPos
	switch fn := t.fn.(type) {
	case *ast.FuncDecl:
		body = fn.Body.Pos()
	case *ast.FuncLit:
		body = fn.Body.Pos()
	}
	return t.fn.Pos() <= v.Pos() && v.Pos() < body
}

// isQueued reports whether v holds what comes round again.
func (t *tracer) isQueued(v *types.Var) bool { return t.region != nil && t.region.Queued[v] }

// placeOf returns the place that e denotes: a variable, or a field of one.
func (c *checker) placeOf(e ast.Expr) (place, bool) {
	path := ""
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, ok := c.info.ObjectOf(x).(*types.Var)
			return place{v, path}, ok && x.Name != "_"
		case *ast.SelectorExpr:
			if _, isPkg := c.info.Uses[identOf(x.X)].(*types.PkgName); isPkg {
				v, ok := c.info.Uses[x.Sel].(*types.Var)
				return place{v, path}, ok
			}
			path = "." + x.Sel.Name + path
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return place{}, false
			}
			e = x.X
		default:
			return place{}, false
		}
	}
}

// identOf returns e if it is an identifier, or nil.
func identOf(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}

// initial returns what is known of a place at the start.
func (t *tracer) initial(p place) value {
	if v, ok := t.renewed[p]; ok {
		return v
	}
	if p.path != "" {
		v := t.initial(place{p.root, ""})
		if _, isParam := t.params[p.root]; isParam && v.raw.raw != 0 {
			v.raw.path = p.path
		} else if t.assigned[p] && !t.isInside(p.root) {
			v.raw.flags |= carried
		}
		return v
	}
	if t.region != nil && t.region.Counters[p.root] {
		return value{raw: origin{flags: made, site: t.site(site{siteKey: siteKey{maker: t.region.Node, name: p.root.Name()}, count: true})}}
	}
	if i, ok := t.params[p.root]; ok {
		v := value{raw: origin{raw: 1 << i}}
		if carriesKey(p.root.Type()) {
			v.key = origin{key: 1 << i}
		}
		return v
	}
	if t.isInside(p.root) {
		if t.isQueued(p.root) {
			return value{raw: origin{flags: carried}}
		}
		return value{raw: origin{flags: outside}}
	}
	if t.assigned[p] {
		return value{raw: origin{flags: carried}}
	}
	return value{raw: origin{flags: outside}, key: t.appliedKey(p.root)}
}

// appliedKey returns the key that a function or option of before the region, v, makes
// whenever it is called.
func (t *tracer) appliedKey(v *types.Var) origin {
	if t.region == nil || !isApplied(v.Type()) {
		return origin{}
	}
	key, known := t.applied[v]
	if def := t.index.OnlyDef(v); !known && def != nil {
		t.applied[v] = origin{}
		t.aside(func(w *work) {
			if x := t.eval(w, def); x.key.flags&anew != 0 {
				key = x.key
			}
		})
		t.applied[v] = key
	}
	return key
}

// isApplied reports whether a value of type typ may be an option: a function, an
// interface, or a list of them.
func isApplied(typ types.Type) bool {
	switch u := typ.Underlying().(type) {
	case *types.Slice:
		return isApplied(u.Elem())
	case *types.Signature:
		return true
	case *types.Interface:
		return !typeset.IsNamed(typ, "context", "Context") && !httpmodel.IsError(typ)
	}
	return false
}

// carriesKey reports whether a value of type typ can be an object that carries a
// key.
func carriesKey(typ types.Type) bool {
	switch u := typ.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Slice:
		return carriesKey(u.Elem())
	case *types.Interface:
		return !typeset.IsNamed(typ, "context", "Context")
	}
	return true
}

// lookup returns what is known of a place.
func (t *tracer) lookup(w *work, p place) value {
	if v, ok := w.vars[p]; ok {
		return v
	}
	if p.path != "" {
		if v, ok := w.vars[place{p.root, ""}]; ok {
			return v
		}
	}
	return t.initial(p)
}

// rootOf returns the variable that target is part of: req in req.Header, and in h
// after h := req.Header.
func (t *tracer) rootOf(target ast.Expr) *types.Var {
	root := typeset.Root(t.info, target)
	if root == nil {
		if call, ok := ast.Unparen(target).(*ast.CallExpr); ok { // req.Header()
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				return t.rootOf(sel.X)
			}
		}
		return nil
	}
	if def := t.index.OnlyDef(root); def != nil {
		if sel, ok := ast.Unparen(def).(*ast.SelectorExpr); ok {
			if v := typeset.Root(t.info, sel); v != nil && v != root && !v.IsField() && isMapOrPointer(root.Type()) {
				return v
			}
		}
	}
	return root
}

// isMapOrPointer reports whether a value of type t stands for what it refers to.
func isMapOrPointer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Pointer:
		return true
	}
	return false
}
