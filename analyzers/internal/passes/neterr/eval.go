package neterr

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"net"
	"os"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// An outcome is a world on which a condition has the value truth. A vague one
// comes of a condition that may have asked for a timeout.
type outcome struct {
	w     *world
	truth bool
	vague bool
}

// eval returns the outcomes of the condition x in w.
func (e *engine) eval(w *world, x ast.Expr) []outcome {
	x = ast.Unparen(x)
	if tv := e.info.Types[x]; tv.Value != nil && tv.Value.Kind() == constant.Bool {
		return []outcome{{w: w, truth: constant.BoolVal(tv.Value)}}
	}
	switch x := x.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			outs := e.eval(w, x.X)
			for i := range outs {
				outs[i].truth = !outs[i].truth
			}
			return outs
		}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LAND, token.LOR:
			var outs []outcome
			for _, left := range e.eval(w, x.X) {
				if left.truth == (x.Op == token.LOR) {
					outs = append(outs, left)
				} else {
					outs = append(outs, e.eval(left.w, x.Y)...)
				}
			}
			return outs
		case token.EQL, token.NEQ:
			outs := e.compare(w, x)
			if x.Op == token.NEQ {
				for i := range outs {
					outs[i].truth = !outs[i].truth
				}
			}
			return outs
		default:
			if outs, ok := e.compareLen(w, x); ok {
				return outs
			}
			if e.isTime(x.X) || e.isTime(x.Y) || e.mentionsError(x) {
				return both(w.excuse(), w.excuse())
			}
			return both(w, w)
		}
	case *ast.Ident:
		if p, ok := e.placeOf(x); ok {
			switch t := w.vals[p].truth; {
			case t == yes || t == no:
				return []outcome{{w: w, truth: t == yes}}
			case t == 0 && e.own[p.root] && !e.derived[p.root]:
				return both(w, w) // what it was set from has nothing to do with errors
			}
		}
	case *ast.SelectorExpr:
		if w, ref, ok := e.errorOf(w, x.X); ok {
			if q, ok := fieldQuestion(x.Sel.Name); ok {
				return e.ask(w, ref, q)
			}
		}
	case *ast.CallExpr:
		if outs, ok := e.evalCall(w, x); ok {
			return outs
		}
	}
	return vaguely(w)
}

// both returns the outcomes of a condition that is true in yes and false in no.
func both(yes, no *world) []outcome {
	return []outcome{{w: yes, truth: true}, {w: no}}
}

// vaguely returns the outcomes of a condition of which nothing is known. Where it
// is true, it may be because somebody timed out.
func vaguely(w *world) []outcome {
	return []outcome{{w.excuse(), true, true}, {w, false, true}}
}

// fieldQuestion returns the question that a field of *net.DNSError answers.
func fieldQuestion(name string) (question, bool) {
	switch name {
	case "IsTimeout":
		return question{of: isDNS(func(err *net.DNSError) bool { return err.IsTimeout }), otherYes: true, otherNo: true}, true
	case "IsNotFound":
		return question{of: isDNS(func(err *net.DNSError) bool { return err.IsNotFound }), otherYes: true, otherNo: true}, true
	case "IsTemporary":
		return question{of: isDNS(func(err *net.DNSError) bool { return err.IsTemporary }), otherYes: true, otherNo: true}, true
	}
	return question{}, false
}

// ask puts q to the error ref in w.
func (e *engine) ask(w *world, ref errRef, q question) []outcome {
	f := w.failure(ref.id)
	yes, no := q.split(f.Set, ref.depth)
	var outs []outcome
	if yes != 0 {
		y := f
		y.Set = yes
		if q.net {
			y.Why = ref.asked
		}
		outs = append(outs, outcome{w: w.withErr(ref.id, y), truth: true})
	}
	if no != 0 {
		f.Set = no
		outs = append(outs, outcome{w: w.withErr(ref.id, f)})
	}
	return outs
}

// askIs asks whether an error is obj, or wraps it.
func (e *engine) askIs(w *world, ref errRef, obj types.Object, deep bool) []outcome {
	if name := w.failure(ref.id).name; name != "" && isOwn(obj) {
		return []outcome{{w: w, truth: name == nameOf(obj)}}
	}
	return e.ask(w, ref, sentinelQuestion(obj, deep))
}

// askGeneric notes that a question was asked which only the caller knows.
func (e *engine) askGeneric(w *world, ref errRef, g generic) []outcome {
	f := w.failure(ref.id)
	if f.generic.Kind != noGeneric {
		return vaguely(w)
	}
	var outs []outcome
	for _, g.Yes = range []bool{true, false} {
		f.generic = g
		outs = append(outs, outcome{w: w.withErr(ref.id, f), truth: g.Yes})
	}
	return outs
}

// failure returns the failure id of w: without one, anything.
func (w *world) failure(id token.Pos) Failure {
	if f, ok := w.errs[id]; ok {
		return f
	}
	return Failure{Set: All}
}

// compare returns the outcomes of x.X == x.Y.
func (e *engine) compare(w *world, x *ast.BinaryExpr) []outcome {
	left, right := ast.Unparen(x.X), ast.Unparen(x.Y)
	if e.isNil(left) || e.info.Types[left].Value != nil {
		left, right = right, left
	}
	switch tv := e.info.Types[right]; {
	case e.isContextErr(left):
		if e.isNil(right) {
			return both(w, w.excuse())
		}
		return both(w.excuse(), w)
	case e.isNil(right):
		if w, ref, ok := e.errorOf(w, left); ok {
			outs := e.ask(w, ref, question{of: func(error) bool { return true }, otherYes: true})
			for i := range outs {
				outs[i].truth = !outs[i].truth
			}
			return outs
		}
		return both(w, w)
	case tv.Value != nil && tv.Value.Kind() == constant.Bool:
		outs := e.eval(w, left)
		if !constant.BoolVal(tv.Value) {
			for i := range outs {
				outs[i].truth = !outs[i].truth
			}
		}
		return outs
	case tv.Value != nil:
		if outs, ok := e.compareLen(w, &ast.BinaryExpr{X: left, Op: token.EQL, Y: right}); ok {
			return outs
		}
		if sel, ok := left.(*ast.SelectorExpr); ok {
			switch sel.Sel.Name {
			case "Op":
				if w, ref, ok := e.errorOf(w, sel.X); ok && constant.Compare(tv.Value, token.EQL, constant.MakeString("dial")) {
					return e.ask(w, ref, question{of: isDial, otherYes: true, otherNo: true})
				}
				return both(w, w)
			case "URL", "Net", "Name":
				return both(w, w) // of whatever error: where it happened, not what
			}
		}
		if p, ok := e.placeOf(left); ok {
			if s := w.vals[p].status; s != (Status{}) {
				return []outcome{{w: w, truth: constant.Compare(tv.Value, token.EQL, constant.MakeInt64(s.Code))}}
			}
		}
		if outs, ok := e.compareClass(w, left, tv.Value); ok {
			return outs
		}
	default:
		if w, ref, ok := e.errorOf(w, left); ok {
			return e.askIs(w, ref, e.objectOf(right), false)
		}
	}
	if e.isTime(left) || e.isTime(right) || e.mentionsError(left) || e.mentionsError(right) {
		return vaguely(w)
	}
	return both(w, w)
}

// compareLen returns the outcomes of a comparison of the length of a list of errors with
// a constant, which says whether it is empty.
func (e *engine) compareLen(w *world, x *ast.BinaryExpr) ([]outcome, bool) {
	call, ok := ast.Unparen(x.X).(*ast.CallExpr)
	c := e.info.Types[x.Y].Value
	if !ok || !e.info.Types[call.Fun].IsBuiltin() || !IsError(e.info.TypeOf(call.Args[0])) || c == nil || c.Kind() != constant.Int {
		return nil, false
	}
	w, ref, ok := e.errorOf(w, call.Args[0])
	if !ok {
		return nil, false
	}
	outs := e.ask(w, ref, question{of: func(error) bool { return true }, otherYes: true})
	for i, o := range outs {
		n := constant.MakeInt64(0)
		if o.truth {
			n = constant.MakeInt64(1)
		}
		outs[i].truth = constant.Compare(n, x.Op, c)
	}
	return outs, true
}

// evalCall returns the outcomes of a call that returns a bool.
func (e *engine) evalCall(w *world, call *ast.CallExpr) ([]outcome, bool) {
	fun, fn := e.Callee(call)
	switch {
	case isErrorsFunc(fn, "As") && len(call.Args) == 2:
		return e.askAs(w, call), true
	case isErrorsFunc(fn, "Is") && len(call.Args) == 2:
		if e.isContextErr(call.Args[0]) {
			return both(w.excuse(), w), true
		}
		w, ref, ok := e.errorOf(w, call.Args[0])
		if !ok {
			return nil, false
		}
		if i := e.paramIndex(call.Args[1]); i >= 0 {
			return e.askGeneric(w, ref, generic{Kind: isSentinel, Index: i}), true
		}
		return e.askIs(w, ref, e.objectOf(call.Args[1]), true), true
	case typeset.IsFunc(fn, "os", "IsTimeout"):
		if w, ref, ok := e.errorOf(w, call.Args[0]); ok {
			return e.ask(w, ref, question{of: os.IsTimeout, otherYes: true, otherNo: true}), true
		}
	case fn != nil && len(call.Args) == 0 && (fn.Name() == "Timeout" || fn.Name() == "Temporary"):
		if sel, ok := fun.(*ast.SelectorExpr); ok {
			if w, ref, ok := e.errorOf(w, sel.X); ok {
				says := saysTimeout
				if fn.Name() == "Temporary" {
					says = saysTemporary
				}
				return e.ask(w, ref, question{of: says, otherYes: true, otherNo: true}), true
			}
		}
	}
	if x := inlined(fun); x != nil {
		return e.eval(w, x), true
	}
	if outs, ok := e.callSummary(w, call); ok {
		var bools []outcome
		for _, o := range outs {
			switch t := o.results[0].truth; t {
			case yes, no:
				bools = append(bools, outcome{w: o.w, truth: t == yes})
			default:
				bools = append(bools, vaguely(o.w)...)
			}
		}
		return bools, true
	}
	mentions := e.mentionsError(call)
	if fn != nil && typeset.IsStd(fn.Pkg(), e.pass.Module) {
		switch fn.Pkg().Path() {
		case "strings":
			if mentions && len(call.Args) == 2 {
				if text := e.info.Types[call.Args[1]].Value; text != nil && text.Kind() == constant.String {
					if w, ref, ok := e.errorIn(w, call.Args[0]); ok {
						return e.ask(w, ref, textQuestion(constant.StringVal(text))), true
					}
				}
			}
		case "sync/atomic", "time", "context":
			mentions = true
		}
		if !mentions {
			return both(w, w), true // what it says has nothing to do with the error
		}
	}
	return nil, false
}

// inlined returns what fun returns, if it is a function literal without parameters
// that does nothing else.
func inlined(fun ast.Expr) ast.Expr {
	lit, ok := fun.(*ast.FuncLit)
	if !ok || lit.Type.Params.NumFields() > 0 || len(lit.Body.List) != 1 {
		return nil
	}
	if ret, ok := lit.Body.List[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
		return ret.Results[0]
	}
	return nil
}

// askAs returns the outcomes of errors.As(err, target).
func (e *engine) askAs(w *world, call *ast.CallExpr) []outcome {
	w, ref, ok := e.errorOf(w, call.Args[0])
	if !ok {
		return vaguely(w)
	}
	target := ast.Unparen(call.Args[1])
	if i := e.paramIndex(target); i >= 0 {
		return e.askGeneric(w, ref, generic{Kind: asTarget, Index: i})
	}
	ptr, ok := types.Unalias(e.info.TypeOf(target)).(*types.Pointer)
	if !ok {
		return vaguely(w)
	}
	outs := e.askType(w, ref, ptr.Elem(), true)
	if addr, ok := target.(*ast.UnaryExpr); ok && addr.Op == token.AND {
		if p, ok := e.placeOf(addr.X); ok {
			for i, o := range outs {
				if o.truth {
					outs[i].w = o.w.with(p, value{err: ref.id})
				}
			}
		}
	}
	return outs
}

// askType returns the outcomes of the question whether an error is a t.
func (e *engine) askType(w *world, ref errRef, t types.Type, deep bool) []outcome {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		return e.askGeneric(w, ref, generic{Kind: typeParam, Index: tp.Index()})
	}
	if name := w.failure(ref.id).name; name != "" {
		if obj := ownType(t); obj != nil {
			typ, _, _ := strings.Cut(name, "\n")
			return []outcome{{w: w, truth: typ == nameOf(obj)}}
		}
	}
	return e.ask(w, ref, typeQuestion(t, deep))
}

// isErrorsFunc reports whether fn is the function of package errors.
func isErrorsFunc(fn *types.Func, name string) bool { return typeset.IsFunc(fn, "errors", name) }
