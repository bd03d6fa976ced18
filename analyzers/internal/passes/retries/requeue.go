package retries

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// requeued returns the variables that the loop takes from a queue and puts back
// on it, and those that are copies of them; nil if there are none.
func (r *Result) requeued(loop ast.Node) map[*types.Var]bool {
	info := r.pass.TypesInfo
	taken := make(map[*types.Var]*types.Var) // item -> queue
	if rng, ok := loop.(*ast.RangeStmt); ok && rng.Key != nil {
		if _, ok := typeset.Underlying(info, rng.X).(*types.Chan); ok {
			if v, q := typeset.VarOf(info, rng.Key), typeset.VarOf(info, rng.X); v != nil && q != nil {
				taken[v] = q
			}
		}
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		v := typeset.VarOf(info, assign.Lhs[0])
		if v == nil {
			return true
		}
		switch rhs := ast.Unparen(assign.Rhs[0]).(type) {
		case *ast.UnaryExpr:
			if q := typeset.VarOf(info, rhs.X); rhs.Op == token.ARROW && q != nil && !isTimeChan(q.Type()) {
				taken[v] = q
			}
		case *ast.IndexExpr: // j := queue[0]
			if q := typeset.VarOf(info, rhs.X); q != nil && info.Types[rhs.Index].Value != nil && assign.Tok == token.DEFINE {
				taken[v] = q
			}
		case *ast.Ident:
			if from := typeset.VarOf(info, rhs); from != nil && taken[from] != nil && assign.Tok == token.DEFINE {
				taken[v] = taken[from]
			}
		}
		return true
	})
	var queued map[*types.Var]bool
	putBack := func(item ast.Expr, queue *types.Var) {
		if v := typeset.Root(info, item); v != nil && taken[v] != nil && taken[v] == queue {
			if queued == nil {
				queued = make(map[*types.Var]bool)
			}
			for item, q := range taken {
				queued[item] = queued[item] || q == queue
			}
		}
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt:
			putBack(n.Value, typeset.VarOf(info, n.Chan))
		case *ast.AssignStmt:
			call, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
			if id, isIdent := orCall(call).Fun.(*ast.Ident); ok && isIdent && info.Uses[id] == types.Universe.Lookup("append") && len(call.Args) == 2 {
				putBack(call.Args[1], typeset.VarOf(info, n.Lhs[0]))
			}
		}
		return true
	})
	return queued
}

func orCall(call *ast.CallExpr) *ast.CallExpr {
	if call == nil {
		return &ast.CallExpr{Fun: &ast.BadExpr{}}
	}
	return call
}
