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
	start := w
	exits := child.run(start)
	var out state
	for _, x := range exits {
		c := x.w.clone()
		f.leave(c, fn)
		if retried(lib, x.results) {
			again := c.clone()
			if !how.Hot {
				again = c.waited().clone()
			}
			if how.Sleeps {
				again = f.sleeps(again, call)
			}
			again.doubt = again.doubt || f.givesJudge(call, lib) || isTyped(lib, x.results)
			child.run(again.enters(call))
		}
		out = append(out, f.results(c, call, nil))
	}
	return f.join(nil, out)
}

// givesJudge reports whether a call gives a helper, of which no body is in view, a
// function that says of an error whether to call again: by itself, or in an option.
func (f *frame) givesJudge(call *ast.CallExpr, helper *types.Func) bool {
	if httpmodel.IsFailsafeRun(helper) {
		return f.retries.HasConditions()
	}
	return httpmodel.RepeatedArg(helper) < 0 && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		if option, ok := ast.Unparen(arg).(*ast.CallExpr); ok && f.givesJudge(option, nil) {
			return true
		}
		sig, ok := typeset.Underlying(f.info, arg).(*types.Signature)
		return ok && sig.Params().Len() > 0 && sig.Results().Len() == 1 && typeset.IsBool(sig.Results().At(0).Type())
	})
}

// isTyped reports whether a helper, of which no body is in view, gets an error by whose
// type it may tell whether to call again.
func isTyped(helper *types.Func, results []val) bool {
	return httpmodel.RepeatedArg(helper) < 0 && len(results) > 0 && results[len(results)-1].k == object
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
