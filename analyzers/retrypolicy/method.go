package retrypolicy

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/resend"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A caller is a finding in a function that gives a request to a helper, of which the call
// that repeats it was reported.
type caller struct {
	helper token.Pos
	d      analysis.Diagnostic
}

// checkMethod reports a POST or PATCH that is sent again though it may have been
// carried out.
func (c *checker) checkMethod(ev *resend.Event) {
	method := ev.Method
	if method == "" && c.takesAny(ev) {
		method = "POST"
	}
	if method != "POST" && method != "PATCH" || ev.Keyed || ev.Doubt || ev.Errs&(resend.Timeout|resend.Broken) == 0 {
		return
	}
	if ev.Loop == nil && ev.Passed {
		return // Have: asked again after something else was done.
	}
	call := own(ev)
	if call == nil || c.isKnown("method", ev) || c.onlyAsks(ev) || c.says(ev, part) || c.leadsThrough(ev, named(waitingFor)) {
		return
	}
	const twice = "%s sends a %s again after a transport error, without an idempotency key (the server may carry it out twice)"
	// A helper that repeats whatever it is given is at fault itself, unless it can be
	// given a key.
	at := looped(ev)
	if ev.Loop == nil || syntax.Within(ev.Calls[len(ev.Calls)-1], ev.Entry) || comesBack(ev) || at == call || c.resend.TakesKey(at) {
		c.report("method", call, analysis.Diagnostic{Related: c.repeats(ev, call)}, twice, name(call), method)
		return
	}
	if c.notes("method", call) {
		c.callers = append(c.callers, caller{at.Pos(), describe("method", call, analysis.Diagnostic{Related: c.repeats(ev, call)}, twice, name(call), ev.Method)})
	}
	c.blamed[at.Pos()] = true
	d := analysis.Diagnostic{Related: []analysis.RelatedInformation{{Pos: call.Pos(), End: call.End(), Message: "this gives it a " + ev.Method}}}
	c.report("method", at, d, twice, name(at), ev.Method)
}

// takesAny reports whether the function at hand sends whatever request it is given, as a
// RoundTripper does, one with a body too: it puts the body back, or keeps it, and neither
// it nor what it calls asks for the method.
func (c *checker) takesAny(ev *resend.Event) bool {
	decl, ok := ev.Entry.(*ast.FuncDecl)
	if !ok || !decl.Name.IsExported() || decl.Recv == nil || decl.Name.Name != "RoundTrip" && decl.Name.Name != "Do" {
		return false
	}
	fn, _ := c.info.Defs[decl.Name].(*types.Func)
	if fn == nil || !httpmodel.LooksLikeDo(fn.Signature()) || fn.Signature().Params().Len() != 1 {
		return false
	}
	bodies, methods := false, false
	seen := make(map[*ast.FuncDecl]bool)
	var visit func(decl *ast.FuncDecl)
	visit = func(decl *ast.FuncDecl) {
		if decl == nil || seen[decl] {
			return
		}
		seen[decl] = true
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if httpmodel.IsRequest(c.info.TypeOf(n.X)) {
					methods = methods || n.Sel.Name == "Method"
					bodies = bodies || n.Sel.Name == "Body" || n.Sel.Name == "GetBody"
				}
			case *ast.CallExpr:
				visit(c.index.Decl(typeset.Callee(c.info, n)))
			}
			return true
		})
	}
	visit(decl)
	return bodies && !methods
}

// onlyAsks reports whether a function that leads to the send says by its name or comment
// that it changes nothing.
func (c *checker) onlyAsks(ev *resend.Event) bool {
	if call, ok := ev.Calls[len(ev.Calls)-1].(*ast.CallExpr); ok {
		if fn := typeset.Callee(c.info, call); fn != nil && fn.Pkg() != c.pass.Pkg && asking.MatchString(fn.Name()) {
			return true // Have: a function of another package of the module.
		}
	}
	return c.leadsThrough(ev, func(decl *ast.FuncDecl) bool {
		return asking.MatchString(decl.Name.Name) || fetching.MatchString(decl.Doc.Text())
	})
}

// fetching matches the comments of functions that fetch something.
var fetching = regexp.MustCompile(`^\w+ (fetches|lists|retrieves|queries|searches|looks up|finds|describes)\b`)

// leadsThrough reports whether a function that leads to the send is such.
func (c *checker) leadsThrough(ev *resend.Event, is func(*ast.FuncDecl) bool) bool {
	return slices.ContainsFunc(c.index.Decls(), func(decl *ast.FuncDecl) bool {
		return slices.ContainsFunc(ev.Calls, func(n ast.Node) bool { return syntax.Within(n, decl) }) && is(decl)
	})
}

// named returns what reports whether the name of a function matches.
func named(names *regexp.Regexp) func(*ast.FuncDecl) bool {
	return func(decl *ast.FuncDecl) bool { return names.MatchString(decl.Name.Name) }
}

// asking matches the names of functions that only ask something, though by a POST, or
// put a part in its place.
var asking = regexp.MustCompile(strings.Join([]string{
	`(?i:search|presign|filter|query|queries|lookup|introspect|validate|verif(y|ies)|detect|exists?$)`,
	`^([gG]et|[fF]etch|[lL]ist|[fF]ind|[dD]escribe|[cC]ount)([A-Z_]|$)`, `^(do)?Fetch[A-Z]`, `[cC]heck([A-HJ-NP-Z_]|$)`,
	// Credentials and connections: another one does no harm.
	`(?i:^_?(access|auth|oauth2?|bearer|id)?_?tokens?$)`,
	`(?i:^_?(fetch|request|refresh|renew|update|obtain|generate|exchange|issue)[a-z_]*tokens?$)`,
	`(?i:assumerole|authenticate|(log|sign)_?[io]n$|(connect|dial)$)`, `(^|[a-z])STS`, `[lL]og[iI]n[A-Z_]`, `QRCode`,
	// What comes to the same place each time.
	`(?i:upsert|(upload|put|send)_?(part|slice|chunk|block|segment)s?$)`,
}, "|"))

// part matches what says which part of a whole is sent: it comes to the same place each time.
var part = regexp.MustCompile(`^"Content-Range"$|[?&](chunk|part|part_?[nN]umber|offset|block(id)?)=`)

// waitingFor matches the names of functions that ask again until something is there.
var waitingFor = regexp.MustCompile(`^(?i:wait_?(for|until|till))`)

// isKnown reports whether a check found fault with a function that leads to the send.
func (c *checker) isKnown(check string, ev *resend.Event) bool {
	return slices.ContainsFunc(ev.Calls, func(n ast.Node) bool {
		return !syntax.Within(n, ev.Entry) && c.found[finding{check, n.Pos()}] && !c.blamed[n.Pos()]
	})
}

// maxCallers is the number of callers up to which each is reported, besides the helper
// that they give their requests to: the fault is the helper's.
const maxCallers = 8

// reportCallers reports the callers of helpers that have few.
func (c *checker) reportCallers() {
	count := make(map[token.Pos]int)
	for _, x := range c.callers {
		count[x.helper]++
	}
	for _, x := range c.callers {
		if count[x.helper] <= maxCallers {
			c.reporter.Report(x.d)
		}
	}
}
