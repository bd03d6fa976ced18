package retries

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// taker and putter match the names of the methods of a queue.
var (
	taker  = regexp.MustCompile(`(?i)^(try)?(pop|next|recv|receive|dequeue|take|get|claim|lease|pull|fetch)`)
	putter = regexp.MustCompile(`(?i)^(re)?(push|enqueue|queue|add|put|submit|schedule|insert)`)
)

// requeued returns the variables that the loop, of the function fn, takes from a queue
// and puts back on it, and those that are copies of them; nil if there are none.
func (r *Result) requeued(fn, loop ast.Node) map[*types.Var]bool {
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
		case *ast.CallExpr: // j, ok := queue.Pop()
			if q := r.queueOf(rhs, taker); q != nil {
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
	if len(taken) == 0 {
		return nil
	}
	var p *loopProblem
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt: // queue.Push(j)
			call, _ := ast.Unparen(n.X).(*ast.CallExpr)
			q := r.queueOf(call, putter)
			if q == nil {
				break
			}
			if p == nil {
				if p = r.follow(fn, loop, nil); p == nil {
					break
				}
			}
			if p.calls[n] != failed { // a pool, to which all goes back
				break
			}
			for _, arg := range call.Args {
				putBack(arg, q)
			}
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

// queueOf returns the variable that call calls a method of that is called so, or nil.
func (r *Result) queueOf(call *ast.CallExpr, name *regexp.Regexp) *types.Var {
	if call == nil {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !name.MatchString(sel.Sel.Name) || r.pass.TypesInfo.Selections[sel] == nil {
		return nil
	}
	return typeset.VarOf(r.pass.TypesInfo, sel.X)
}

func orCall(call *ast.CallExpr) *ast.CallExpr {
	if call == nil {
		return &ast.CallExpr{Fun: &ast.BadExpr{}}
	}
	return call
}
