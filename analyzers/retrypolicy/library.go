package retrypolicy

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// checkLibraries reports what retrying libraries repeat by themselves.
func (c *checker) checkLibraries() {
	for _, ev := range c.resend.Posts() {
		if ev.Keyed || len(ev.Calls) == 0 || c.onlyAsks(ev) {
			continue
		}
		sender, _ := ev.Calls[len(ev.Calls)-1].(*ast.CallExpr)
		if call := own(ev); call != nil && sender != nil && !c.isKnown("method", ev) && c.clients.RetriesByItself(sender) {
			c.report("method", call, analysis.Diagnostic{},
				"%s sends a %s through a client that retries it after a transport error, without an idempotency key (the server may carry it out twice)", name(call), ev.Method)
		}
	}
	for _, file := range c.pass.Files {
		if report.IsTest(c.pass, file) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				c.checkLibraryCall(n)
				if fn := typeset.Callee(c.info, n); fn != nil {
					c.checkUnits(fn.Pkg(), fn.Name(), n.Args...)
				}
			case *ast.AssignStmt:
				c.checkNext(n)
				if v := typeset.VarOf(c.info, n.Lhs[0]); v != nil && v.IsField() {
					c.checkUnits(v.Pkg(), v.Name(), n.Rhs...)
				}
			case *ast.CompositeLit:
				c.checkExponential(n)
				if named := typeset.Named(c.info.TypeOf(n)); named != nil {
					c.checkUnits(named.Obj().Pkg(), "", n.Elts...)
				}
			case *ast.ForStmt, *ast.RangeStmt:
				c.checkSleeps(n)
			}
			return true
		})
	}
}
