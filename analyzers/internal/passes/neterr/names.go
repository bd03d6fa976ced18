package neterr

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file follows failures that a function returns in another form: as an error of
// the program's own, "return ErrTimeout", for a caller to ask for with errors.Is; and in
// a field of a struct.

// cause returns a failure with which all worlds of s fail, and one of them with the
// network; or NoPos.
func (s State) cause() token.Pos {
	if s.lost || len(s.worlds) == 0 {
		return token.NoPos
	}
	for _, id := range slices.Sorted(maps.Keys(s.worlds[0].errs)) {
		if !slices.ContainsFunc(s.worlds, func(w *world) bool { return w.failure(id).Set&None != 0 }) &&
			slices.ContainsFunc(s.worlds, func(w *world) bool { return w.errs[id].open() }) {
			return id
		}
	}
	return token.NoPos
}

// renamed returns the failure as which x, an error that is returned, is the cause under
// a name of the program's own.
func (e *engine) renamed(w *world, x ast.Expr) (out *world, id token.Pos, ok bool) {
	f, failed := w.errs[e.cause]
	name := e.ownError(x)
	if !failed || name == nil {
		return w, token.NoPos, false
	}
	if _, ok := name.(*types.TypeName); ok {
		f.Set |= f.Set.wrap(false)
	}
	f.Set, f.name = f.Set.wrap(true), nameOf(name)
	if lit := structLit(e.info, x); lit != nil {
		for i := range lit.Elts {
			if field, y := typeset.Element(e.info, lit, i); field != nil && e.info.Types[y].Value != nil {
				f.name += "\n" + field.Name() + "=" + string(classOf(e.info.Types[y].Value))
			}
		}
	}
	return w.fresh(x.Pos(), f), x.Pos(), true
}

// ownError returns the variable of the program's own that holds the error x, or that x
// wraps; or the type of x, if that is the program's own.
func (e *engine) ownError(x ast.Expr) types.Object {
	if t := ownType(e.info.TypeOf(x)); t != nil {
		return t
	}
	if obj := e.objectOf(x); isOwn(obj) {
		return obj
	}
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && httpmodel.Wraps(typeset.Callee(e.info, call)) {
		for _, arg := range call.Args {
			if obj := e.objectOf(arg); isOwn(obj) && IsError(obj.Type()) {
				return obj
			}
		}
	}
	return nil
}

// isOwn reports whether obj is a package's variable, and none of the standard library.
func isOwn(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && isSentinelVar(v) && !typeset.IsStd(v.Pkg(), nil)
}

// ownType returns the type name of t, or of what it points to, if that is an error, no
// interface and none of the standard library; or nil.
func ownType(t types.Type) types.Object {
	named := typeset.Named(t)
	if named == nil || named.Obj().Pkg() == nil || types.IsInterface(named) || !IsError(named) || typeset.IsStd(named.Obj().Pkg(), nil) {
		return nil
	}
	return named.Obj()
}

// fieldOf returns the class that the name of an error, a type, says of a field: what the
// literal put there.
func fieldOf(name, field string) class {
	for part := range strings.SplitSeq(name, "\n") {
		if c, ok := strings.CutPrefix(part, field+"="); ok {
			return class(c)
		}
	}
	return ""
}

func nameOf(obj types.Object) string { return obj.Pkg().Path() + "." + obj.Name() }

// errorPart returns the only field of t, a struct that is no error or a pointer to one,
// that holds an error; nil if there is none.
func errorPart(t types.Type) *types.Var {
	st, ok := typeset.StructOf(t)
	if !ok || IsError(t) {
		return nil
	}
	var part *types.Var
	for f := range st.Fields() {
		if httpmodel.IsError(f.Type()) {
			if part != nil {
				return nil
			}
			part = f
		}
	}
	return part
}

// parts returns the values that x, a struct with the error in field, may have in w.
func (e *engine) parts(w *world, x ast.Expr, field *types.Var) []returned {
	v := value{}
	if lit := structLit(e.info, x); lit != nil {
		w, v = problem{engine: e}.nilError(w, x.Pos())
		for i := range lit.Elts {
			if f, y := typeset.Element(e.info, lit, i); f == field && !e.isNil(y) {
				if w2, id, ok := e.renamed(w, y); ok {
					w, v.err = w2, id
				} else if w2, ref, ok := e.errorOf(w, y); ok {
					w, v.err = w2, ref.id
				}
			}
		}
	} else if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
		var rows []returned
		for _, o := range e.call(w, call) {
			rows = append(rows, returned(o))
		}
		return rows
	} else if p, ok := e.placeOf(x); ok && p.field == nil {
		v = w.vals[place{p.root, field}]
	}
	if v.err != token.NoPos {
		v.part = field
	}
	return []returned{{w, []value{v}}}
}
