package neterr

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file follows classes: the constants by which a function names what it was
// asked, as in "func classify(err error) Class", for a caller to switch on.

// A class is a constant, as go/constant writes it; empty if it is not known.
type class string

// isClass reports whether t is a type of classes: a string, or a number with a name.
func isClass(t types.Type) bool {
	if t == nil || typeset.IsNamed(t, "time", "Duration") {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsString == 0 && typeset.Named(t) == nil {
		return false
	}
	return basic.Info()&(types.IsString|types.IsInteger) != 0
}

// namesErrors reports whether a function of the signature sig may tell the class of
// an error that it gets.
func namesErrors(sig *types.Signature) bool {
	asks, names := false, false
	for v := range sig.Params().Variables() {
		asks = asks || types.IsInterface(v.Type()) && IsError(v.Type())
	}
	for v := range sig.Results().Variables() {
		names = names || isClass(v.Type())
	}
	return asks && names
}

// classes returns the classes that x may be in w: of a constant, of a variable, or of a
// call of a function of which there is a summary.
func (e *engine) classes(w *world, x ast.Expr) []returned {
	x = ast.Unparen(x)
	if tv := e.info.Types[x]; tv.Value != nil {
		return []returned{{w, []value{{class: classOf(tv.Value)}}}}
	}
	if p, ok := e.placeOf(x); ok {
		c := w.vals[p].class
		if p.field != nil && c == "" {
			c = fieldOf(w.errs[w.vals[place{root: p.root}].err].name, p.field.Name())
		}
		return []returned{{w, []value{{class: c}}}}
	}
	if call, ok := x.(*ast.CallExpr); ok {
		if outs, ok := e.callSummary(w, call); ok {
			var rows []returned
			for _, o := range outs {
				rows = append(rows, returned(o))
			}
			return rows
		}
	}
	return []returned{{w, []value{{}}}}
}

// classOf returns a constant as a class.
func classOf(c constant.Value) class { return class(c.ExactString()) }

// zeroClass returns the class that is the zero value of t, or the empty one.
func zeroClass(t types.Type) class {
	switch {
	case !isClass(t):
		return ""
	case t.Underlying().(*types.Basic).Info()&types.IsString != 0:
		return classOf(constant.MakeString(""))
	}
	return classOf(constant.MakeInt64(0))
}

// compareClass returns the outcomes of x == c, c being a constant; false if nothing
// is known of x.
func (e *engine) compareClass(w *world, x ast.Expr, c constant.Value) (outs []outcome, ok bool) {
	if !isClass(e.info.TypeOf(x)) {
		return nil, false
	}
	for _, row := range e.classes(w, x) {
		switch k := row.results[0].class; k {
		case "":
			outs = append(outs, vaguely(row.w)...)
		default:
			ok = true
			outs = append(outs, outcome{w: row.w, truth: k == classOf(c)})
		}
	}
	return outs, ok
}
