package resend

import (
	"go/ast"
	"go/types"
	"strings"
)

// bodyOf describes a body that the site first read before.
func (f *frame) bodyOf(body, req val, first *site, w *world) *Body {
	b := &Body{First: first.calls[len(first.calls)-1], Of: OfReader}
	if req.k == request {
		by := w.get(ref{req.obj, "#by"})
		b.Clone = w.get(ref{req.obj, "#clone"}).k != unknown
		if by.k != unknown || b.Clone || isRequestObj(req.obj) {
			b.Of = OfRequest
		}
	}
	switch obj := body.obj.(type) {
	case *types.Var:
		b.Var = obj
	case ref:
		b.Var = f.fieldOf(obj)
	case bodyOf:
		switch v := obj.v.(type) {
		case *types.Var:
			b.Var = v
		case ref:
			b.Var = f.fieldOf(v)
		case ast.Node:
			b.Origin = v
		}
	case ast.Node:
		b.Origin = obj
	}
	return b
}

// fieldOf returns the variable or field that r denotes, or nil.
func (f *frame) fieldOf(r ref) *types.Var {
	v, ok := r.obj.(*types.Var)
	if !ok {
		return nil
	}
	t := v.Type()
	for name := range strings.SplitSeq(strings.TrimPrefix(r.path, "."), ".") {
		obj, _, _ := types.LookupFieldOrMethod(t, true, f.pass.Pkg, name)
		field, ok := obj.(*types.Var)
		if !ok {
			return nil
		}
		v, t = field, field.Type()
	}
	return v
}
