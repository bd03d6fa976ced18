package timeoutstatus

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/passes/neterr"

	"golang.org/x/tools/go/analysis"
)

// report reports that status answers f.
func (c *checker) report(status neterr.Status, f neterr.Failure) {
	what, known := "the error", "it is a failure of the network: more is not known of it"
	switch x := c.errs.Why(f).(type) {
	case *ast.CallExpr:
		what = "any failure of " + types.ExprString(x.Fun)
		known = types.ExprString(x.Fun) + " fails"
	case ast.Expr:
		what = types.ExprString(x)
		known = what + " is a failure of the network: more is not known of it"
	}
	c.reporter.Report(analysis.Diagnostic{
		Pos:     status.Pos,
		Message: fmt.Sprintf("%s is answered %d without asking Timeout() (a refused connection passes for a timeout)", what, status.Code),
		Related: []analysis.RelatedInformation{{Pos: f.Why, Message: known}},

		SuggestedFixes: c.fixes(status.Pos, f.Why),
	})
}

// checkTable checks lit, of a struct or a map, that pairs a function that asks
// about an error with a status.
func (c *checker) checkTable(lit *ast.CompositeLit) {
	t := c.info.TypeOf(lit)
	if t == nil {
		return
	}
	switch t.Underlying().(type) {
	case *types.Struct:
		var values []ast.Expr
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			values = append(values, elt)
		}
		c.checkPair(values)
	case *types.Map:
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				c.checkPair([]ast.Expr{kv.Key, kv.Value})
			}
		}
	}
}

// checkRow checks a call that adds a row to a table: it is given a function that asks
// about an error, and one status. What it adds is no answer if it is about retries.
func (c *checker) checkRow(call *ast.CallExpr) {
	if len(call.Args) < 2 {
		return
	}
	statuses := 0
	for _, arg := range call.Args {
		if _, ok := c.status(arg); ok {
			statuses++
		}
	}
	if statuses == 1 && !strings.Contains(strings.ToLower(types.ExprString(call.Fun)), "retr") {
		c.checkPair(call.Args)
	}
}

// checkPair checks the values of one row of a table.
func (c *checker) checkPair(values []ast.Expr) {
	for _, status := range values {
		code, ok := c.status(status)
		if !ok || c.reported[status.Pos()] {
			continue
		}
		for _, x := range values {
			if c.errs.AsksNet(x) {
				c.reported[status.Pos()] = true
				c.reporter.Report(analysis.Diagnostic{
					Pos:     status.Pos(),
					Message: fmt.Sprintf("an error of which %s holds is answered %d without asking Timeout() (a refused connection passes for a timeout)", name(x), code),
					Related: []analysis.RelatedInformation{{Pos: x.Pos(), Message: "it asks for a failure of the network, and no more"}},
				})
				break
			}
		}
	}
}

// name returns how to call the function x in a message.
func name(x ast.Expr) string {
	if _, ok := ast.Unparen(x).(*ast.FuncLit); ok {
		return "the function beside it"
	}
	return types.ExprString(x)
}
