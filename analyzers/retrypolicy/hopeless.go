package retrypolicy

import (
	"go/ast"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/resend"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// checkBuild reports a failure to make a request that is retried.
func (c *checker) checkBuild(ev *resend.Event) {
	direct := ev.Build
	if ev.Doubt || len(ev.Calls) > 0 && looped(ev) != direct || c.asksOthers(ev.Loop) {
		return
	}
	constant := true
	for _, arg := range direct.Args[max(0, len(direct.Args)-3) : len(direct.Args)-1] {
		constant = constant && c.info.Types[arg].Value != nil
	}
	if constant {
		return
	}
	c.report("hopeless", direct, analysis.Diagnostic{Related: c.repeats(ev, direct)},
		"an error of %s is retried (a request that cannot be made fails the same way each time)", name(direct))
}

// checkHopeless reports a retry of what cannot succeed.
func (c *checker) checkHopeless(ev *resend.Event) {
	call := nearest(ev)
	if call == nil {
		return
	}
	if ev.Errs == resend.Canceled {
		c.report("hopeless", call, analysis.Diagnostic{Related: c.repeats(ev, call)},
			"%s is retried after context.Canceled (the caller has gone, and each attempt fails at once)", name(call))
		return
	}
	if c.asksOthers(ev.Loop) {
		return
	}
	if ev.Errs != 0 || ev.Doubt || ev.Unsure || ev.Passed || ev.Loop == nil || !refused(ev) {
		return
	}
	if ev.Status.Where(func(n int) bool { return n == 400 || n == 422 }) == 0 || c.polls(ev.Loop) {
		return
	}
	if !slices.Contains([]string{"POST", "PUT", "PATCH"}, ev.Method) && !c.readsAnswer(ev) {
		return
	}
	c.report("hopeless", call, analysis.Diagnostic{Related: c.repeats(ev, call)},
		"%s is retried after a 4xx status (the server refuses the same request each time)", name(call))
}

// polls reports whether the function that holds loop says by its name that it waits for
// something to come.
func (c *checker) polls(loop ast.Node) bool {
	return slices.ContainsFunc(c.index.Decls(), func(decl *ast.FuncDecl) bool {
		return syntax.Within(loop, decl) && polling.MatchString(decl.Name.Name)
	})
}

var polling = regexp.MustCompile(`^(?i:wait|poll)|Until`)

// readsAnswer reports whether the loop reads the answer, and does not only ask whether
// something is there.
func (c *checker) readsAnswer(ev *resend.Event) bool {
	found := false
	ast.Inspect(ev.Loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fn := typeset.Callee(c.info, n)
			if typeset.IsFunc(fn, "io", "ReadAll") || typeset.IsFunc(fn, "encoding/json", "NewDecoder") || typeset.IsFunc(fn, "io/ioutil", "ReadAll") {
				found = true
			}
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				found = found || httpmodel.IsResponse(c.info.TypeOf(e))
			}
		}
		return !found
	})
	return found
}
