package failreach

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
)

// lends returns the testing values that u, if it is a method, uses and does not keep: it
// calls their methods, and hands them to plain functions.
func (s *solver) lends(u *unit) Set {
	sig := u.fn.Signature()
	var lent Set
	for i := range sig.Params().Len() {
		if sig.Recv() != nil && httpmodel.IsTesting(sig.Params().At(i).Type()) {
			lent |= param(i)
		}
	}
	if lent == 0 {
		return 0
	}
	keep := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if t := s.info.TypeOf(e); t == nil || !isBasic(t) {
				lent &^= s.rootsOf(e)
			}
		}
	}
	ast.Inspect(u.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if id, ok := ast.Unparen(lhs).(*ast.Ident); !ok || s.pass.Pkg.Scope().Lookup(id.Name) == s.info.ObjectOf(id) && id.Name != "_" {
					keep(n.Rhs[min(i, len(n.Rhs)-1)])
				}
			}
		case *ast.CompositeLit:
			keep(n)
		case *ast.ReturnStmt:
			keep(n.Results...)
		case *ast.SendStmt:
			keep(n.Value)
		case *ast.CallExpr:
			if fn, ok := typeutil.Callee(s.info, n).(*types.Func); !ok || fn.Signature().Recv() != nil {
				keep(n.Args...)
			}
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					lent &^= s.rootsOf(id)
				}
				return true
			})
			return false
		}
		return true
	})
	return lent
}

func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}
