package retrypolicy

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/resend"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// checkBody reports a body that was read by the attempt before.
func (c *checker) checkBody(ev *resend.Event) {
	b := ev.Body
	if b.Var != nil && (!c.mayHold(b.Var, ev) || ev.Method == "" && c.asksForEvents(ev)) || c.isFoundBelow(ev) {
		return
	}
	call := c.nearest(ev)
	if call == nil {
		return
	}
	if by := own(ev); by != nil && (ev.Loop != nil && comesBack(ev) ||
		slices.ContainsFunc(by.Args, func(arg ast.Expr) bool { return c.isLiteral(arg) && c.isFrom(b, ev.Entry, arg) })) {
		call = by // Have: a function that is repeated takes the body from around it.
	}
	if b.Var != nil && ev.Loop != nil && !isBuffer(b.Var) { // whatever leads to it
		if c.sent[ev.Loop.Pos()] {
			return
		}
		c.sent[ev.Loop.Pos()] = true
	}
	var d analysis.Diagnostic
	if b.Origin != nil && c.line(b.Origin) != c.line(call) && c.inPackage(b.Origin) {
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: b.Origin.Pos(), End: b.Origin.End(), Message: "the body is made here, once"})
	}
	d.SuggestedFixes = c.rewindFix(ev, call)
	switch {
	case b.Clone:
		c.report("body", call, d, "%s sends a clone of a request whose body the attempt before has read (a clone shares the body: the retry fails, or goes out empty)", name(call))
	case b.Of == resend.OfRequest:
		c.report("body", call, d, "%s sends the same request again, whose body the attempt before has read (the retry fails with ContentLength=N with Body length 0, or goes out empty)", name(call))
	default:
		c.report("body", call, d, "%s sends a body again that the attempt before has read (the retry goes out without it)", name(call))
	}
}

// isBuffer reports whether v is a buffer itself, and no way to one that came from elsewhere.
func isBuffer(v *types.Var) bool {
	_, isStruct := v.Type().Underlying().(*types.Struct)
	return isStruct && !v.IsField()
}

// isLiteral reports whether e is a function literal.
func (c *checker) isLiteral(e ast.Expr) bool {
	_, ok := c.index.FuncOf(e).(*ast.FuncLit)
	return ok
}

// isFrom reports whether a body comes from entry, but for what lit is.
func (c *checker) isFrom(b *resend.Body, entry, lit ast.Node) bool {
	at := token.NoPos
	switch {
	case b.Var != nil:
		at = b.Var.Pos()
	case b.Origin != nil:
		at = b.Origin.Pos()
	}
	return entry.Pos() <= at && at < entry.End() && !(lit.Pos() <= at && at < lit.End())
}

// isFoundBelow reports whether the same is found where the analysis begins with a
// function that ev.Entry leads to.
func (c *checker) isFoundBelow(ev *resend.Event) bool {
	return ev.Body.Origin != nil && slices.ContainsFunc(c.resend.Events(), func(below *resend.Event) bool {
		return below.Entry != ev.Entry && below.Body != nil && below.Body.Origin == ev.Body.Origin && below.Calls[len(below.Calls)-1] == ev.Calls[len(ev.Calls)-1] &&
			slices.ContainsFunc(ev.Calls, func(n ast.Node) bool { return syntax.Within(n, below.Entry) })
	})
}

// inPackage reports whether n is of this package.
func (c *checker) inPackage(n ast.Node) bool { return report.FileOf(c.pass, n.Pos()) != nil }

// mayHold reports whether v, in which a body or a request came, may hold a body: a
// parameter of a function that others call, or a field that is set.
func (c *checker) mayHold(v *types.Var, ev *resend.Event) bool {
	if v.IsField() {
		if v.Pkg() != nil && v.Pkg().Path() == httpmodel.NetHTTP && httpmodel.IsRequest(v.Type()) {
			return false // Have: the request of a response.
		}
		if ev.Errs == 0 && !refused(ev) {
			return false // Have: sent before with success, perhaps a page.
		}
		if _, isStruct := v.Type().Underlying().(*types.Struct); isStruct {
			return true // Have: a buffer, which is written to where it is.
		}
		return v.Exported() || slices.ContainsFunc(c.index.Defs(v), func(e ast.Expr) bool {
			from := typeset.VarOf(c.info, e)
			if httpmodel.IsRequest(v.Type()) && from != nil && c.isParam(from) {
				return false // Have: perhaps never one with a body.
			}
			return e == nil || !c.info.Types[e].IsNil()
		})
	}
	decl, ok := ev.Entry.(*ast.FuncDecl)
	if !ok || !(decl.Pos() <= v.Pos() && v.Pos() < decl.Body.Pos()) {
		return !httpmodel.IsRequest(v.Type()) || c.isDecorator(v)
	}
	fn, _ := c.info.Defs[decl.Name].(*types.Func)
	return fn != nil && (fn.Exported() || !c.isUsed(fn)) && !(httpmodel.IsRequest(v.Type()) && c.leadsThrough(ev, named(getting)))
}

// isUsed reports whether the package uses fn: what it gives to it is seen there.
func (c *checker) isUsed(fn *types.Func) bool {
	for _, obj := range c.info.Uses {
		if obj == fn {
			return true
		}
	}
	return false
}

// isDecorator reports whether v, a request, is the parameter of a function literal that is
// made a client of some kind: it is converted to a type of such.
func (c *checker) isDecorator(v *types.Var) bool {
	found := false
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if ok && c.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
				lit, ok := ast.Unparen(call.Args[0]).(*ast.FuncLit)
				found = found || ok && lit.Type.Pos() <= v.Pos() && v.Pos() < lit.Type.End()
			}
			return !found
		})
	}
	return found
}

// getting matches the names of functions that send a request for GET.
var getting = regexp.MustCompile(`^(do|http|send|fetch|retry)?_?G(et|ET)([A-Z_]|$)`)

// asksForEvents reports whether the function that sends asks for a stream of events.
func (c *checker) asksForEvents(ev *resend.Event) bool { return c.says(ev, eventStream) }

// eventStream matches the content type of a stream of events.
var eventStream = regexp.MustCompile(`^"text/event-stream"$`)

// says reports whether the function that sends has a string literal that matches.
func (c *checker) says(ev *resend.Event, what *regexp.Regexp) bool {
	last := ev.Calls[len(ev.Calls)-1]
	return slices.ContainsFunc(c.index.Decls(), func(decl *ast.FuncDecl) bool {
		found := false
		if syntax.Within(last, decl) {
			ast.Inspect(decl, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				found = found || ok && what.MatchString(lit.Value)
				return !found
			})
		}
		return found
	})
}
