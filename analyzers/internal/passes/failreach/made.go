package failreach

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
)

// This file finds the functions that make a handler which ends a test.

// applyMade adds to fact what the value of e does that u returns, once it is called: a
// literal, what another function makes, a variable that holds either, or a handler.
func (s *solver) applyMade(u *unit, e ast.Expr, fact *reachFact) {
	e = s.unconverted(e)
	if fn := httpmodel.ServeHTTP(s.info.TypeOf(e)); fn != nil && s.look(u, fn.Origin()).Ends.Receiver() {
		fact.Made |= s.rootsOf(e)
		return
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		lit := s.lits[e]
		s.depend(u, lit)
		fact.Made |= lit.fact.Ends | lit.fact.Made
	case *ast.Ident:
		if v, ok := s.info.ObjectOf(e).(*types.Var); ok && !v.IsField() {
			for _, value := range s.bound[v] {
				if _, ok := s.unconverted(value).(*ast.Ident); !ok {
					s.applyMade(u, value, fact)
				}
			}
		}
	case *ast.CallExpr:
		fact.Made |= s.madeBy(u, e)
	}
}

// madeBy returns what call is given of which the function or handler that it makes may
// end the test.
func (s *solver) madeBy(u *unit, call *ast.CallExpr) (set Set) {
	fn, ok := typeutil.Callee(s.info, call).(*types.Func)
	if !ok {
		return 0
	}
	made := s.look(u, fn.Origin()).Made
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && made.Receiver() {
		set |= s.rootsOf(sel.X)
	}
	for i, arg := range call.Args {
		if made.Param(i) {
			set |= s.rootsOf(arg)
		}
	}
	return set
}

// unconverted returns e without parentheses and conversions.
func (s *solver) unconverted(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok && s.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		return s.unconverted(call.Args[0])
	}
	return e
}
