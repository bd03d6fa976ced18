package resend

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// repeat returns the worlds after a call of a library that calls fn until it
// succeeds: its i-th argument.
func (f *frame) repeat(w *world, call *ast.CallExpr, lib *types.Func, i int, fn ast.Node) state {
	child, how := f.child(fn, call), f.repeatedBy(lib, i)
	exits := child.run(w)
	once, judges := f.triesOnce(call), f.judges(call, lib)
	var out state
	for _, x := range exits {
		c := x.w.clone()
		f.leave(c, fn)
		if !once && retried(lib, x.results) {
			again := c.clone()
			if !how.Hot {
				again = c.waited().clone()
			}
			if how.Sleeps {
				again = f.sleeps(again, call)
			}
			again.doubt = again.doubt || httpmodel.IsFailsafeRun(lib) && f.retries.HasConditions(call.Fun) || f.isTyped(lib, x.results)
			for _, again := range f.judged(again, judges, x.results) {
				child.run(again.enters(call))
			}
		}
		out = append(out, f.results(c, call, nil))
	}
	return f.join(nil, out)
}

// triesOnce reports whether an option of a call says that there is to be one attempt.
func (f *frame) triesOnce(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		option, ok := ast.Unparen(arg).(*ast.CallExpr)
		if !ok || len(option.Args) != 1 || lastName(option.Fun) != "Attempts" && lastName(option.Fun) != "WithMaxTries" {
			return false
		}
		v := f.info.Types[option.Args[0]].Value
		return v != nil && v.ExactString() == "1"
	})
}

// judges returns the functions that a call gives a helper, of which no body is in view,
// that say of an error whether to call again: by themselves, or in options.
func (f *frame) judges(call *ast.CallExpr, helper *types.Func) (judges []ast.Expr) {
	if httpmodel.RepeatedArg(helper) >= 0 || httpmodel.IsFailsafeRun(helper) {
		return nil
	}
	for _, arg := range call.Args {
		if option, ok := ast.Unparen(arg).(*ast.CallExpr); ok {
			judges = append(judges, f.judges(option, nil)...)
		}
		sig, ok := typeset.Underlying(f.info, arg).(*types.Signature)
		if ok && sig.Params().Len() > 0 && sig.Results().Len() == 1 && typeset.IsBool(sig.Results().At(0).Type()) {
			judges = append(judges, arg)
		}
	}
	return judges
}

// judged returns the worlds in which the judges of a helper say to call a function again
// that returned results. Of more than one, or one that is not seen, nobody knows.
func (f *frame) judged(w *world, judges []ast.Expr, results []val) state {
	if len(judges) == 0 {
		return state{w}
	}
	judge := f.callback(w, judges[0])
	sig := typeset.SignatureOf(f.info, judge)
	if len(judges) > 1 || sig == nil || sig.Params().Len() != 1 || !httpmodel.IsError(sig.Params().At(0).Type()) || len(f.calls) >= maxDepth {
		return state{f.doubts(w)}
	}
	var out state
	for _, x := range f.child(judge, judges[0]).run(w.with(ref{sig.Params().At(0), ""}, results[len(results)-1])) {
		if x.results[0] == boolVal(false) {
			continue
		}
		c := x.w.clone()
		f.leave(c, judge)
		out = append(out, c)
	}
	return f.join(nil, out)
}

// isTyped reports whether a helper, of which no body is in view, gets an error by whose
// type it may tell whether to call again. Libraries know their own ones only.
func (f *frame) isTyped(helper *types.Func, results []val) bool {
	if httpmodel.RepeatedArg(helper) >= 0 || len(results) == 0 || results[len(results)-1].k != object {
		return false
	}
	named := typeset.Named(f.typeOf(results[len(results)-1].obj))
	return helper == nil || !httpmodel.IsRetryLibrary(helper.Pkg()) || named == nil || httpmodel.IsRetryLibrary(named.Obj().Pkg())
}

var permanent = regexp.MustCompile(`(?i)permanent|unrecover|non_?retr|not_?retr|abort|stop|fatal`)

// retried reports whether a library calls a function again that returned results.
func retried(lib *types.Func, results []val) bool {
	if len(results) == 0 {
		return false
	}
	last := results[len(results)-1]
	path := ""
	if lib != nil && lib.Pkg() != nil {
		path = typeset.PkgPath(lib.Pkg())
	}
	if len(results) == 2 && strings.HasSuffix(path, "/util/wait") {
		return (last.k == isNil || last.k == unknown) && results[0].s != "true"
	}
	if path == "github.com/sethvargo/go-retry" {
		return last.k == wrappedErr && last.s == "RetryableError"
	}
	if last.k == wrappedErr {
		return !permanent.MatchString(last.s)
	}
	return last.k != isNil && last.k != constant_
}
