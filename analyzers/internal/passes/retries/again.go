package retries

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file finds what is repeated without a loop: a call that is written out once
// more for when it fails, and the handler of a queue that runs a failed job again.

// findAgain adds the regions in a list of statements that call again what failed:
//
//	err := send(x)
//	if err != nil {
//		err = send(x)
//	}
//
// The calls must be the same but for what is made in place: with other arguments, the
// second one may be another operation.
func (r *Result) findAgain(holder *ast.FuncDecl, fn ast.Node, list []ast.Stmt) {
	for i, stmt := range list {
		branch, ok := stmt.(*ast.IfStmt)
		if !ok || !r.isFailure(branch.Cond) {
			continue
		}
		first := r.callOf(branch.Init)
		if branch.Init == nil && i > 0 {
			first = r.callOf(list[i-1])
		}
		if first == nil {
			continue
		}
		// Have: the branch for when first failed.
		again := false
		ast.Inspect(branch.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			again = again || ok && r.same(first, call) && !r.assignsAny(branch.Body, call)
			return !again
		})
		if again {
			r.add(&Region{Kind: Again, Node: branch, Func: fn, Holder: holder, At: first, By: types.ExprString(first.Fun)})
		}
	}
}

// isFailure reports whether cond says that an error is not nil, or that the answer is
// no good either.
func (r *Result) isFailure(cond ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if ok && b.Op == token.LOR {
		return r.isFailure(b.X)
	}
	return ok && b.Op == token.NEQ && r.pass.TypesInfo.Types[b.Y].IsNil() && httpmodel.ImplementsError(r.pass.TypesInfo.TypeOf(b.X))
}

// callOf returns the call whose results stmt assigns, or nil.
func (r *Result) callOf(stmt ast.Stmt) *ast.CallExpr {
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 {
		return nil
	}
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	if !ok || typeset.Callee(r.pass.TypesInfo, call) == nil {
		return nil
	}
	return call
}

// same reports whether two calls are written alike, with names for the same things.
func (r *Result) same(x, y *ast.CallExpr) bool {
	return types.ExprString(x) == types.ExprString(y) && slices.Equal(r.parts(x), r.parts(y))
}

// parts returns what the identifiers in e denote, and its literals, in order.
func (r *Result) parts(e ast.Expr) (parts []any) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			parts = append(parts, r.pass.TypesInfo.ObjectOf(n))
		case *ast.BasicLit:
			parts = append(parts, n.Value)
		}
		return true
	})
	return parts
}

// assignsAny reports whether body assigns a variable that call is given.
func (r *Result) assignsAny(body *ast.BlockStmt, call *ast.CallExpr) bool {
	used := r.parts(call)
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if assign, ok := n.(*ast.AssignStmt); ok {
			for _, lhs := range assign.Lhs {
				id, ok := ast.Unparen(lhs).(*ast.Ident)
				found = found || ok && slices.Contains(used, any(r.pass.TypesInfo.ObjectOf(id)))
			}
		}
		return !found
	})
	return found
}

// findJob adds the region of fn, a function, if it is what a queue calls with a job,
// again if it returns an error.
func (r *Result) findJob(holder *ast.FuncDecl, fn ast.Node) {
	sig := typeset.SignatureOf(r.pass.TypesInfo, fn)
	_, body := syntax.FuncParts(fn)
	if sig == nil || body == nil || sig.Results().Len() == 0 || !httpmodel.IsError(sig.Results().At(sig.Results().Len()-1).Type()) {
		return
	}
	for p := range sig.Params().Variables() {
		if httpmodel.IsJob(p.Type()) && !r.endsJobs(body) {
			r.add(&Region{Kind: Requeue, Node: fn, Func: fn, Holder: holder, At: fn, By: "the queue"})
			return
		}
	}
}

// endsJobs reports whether each error that body returns tells the queue not to run the
// job again.
func (r *Result) endsJobs(body *ast.BlockStmt) bool {
	fails := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			fails = fails || len(n.Results) == 0 || !r.pass.TypesInfo.Types[n.Results[len(n.Results)-1]].IsNil() && !r.endsJob(n)
		}
		return true
	})
	return !fails
}

// endsJob reports whether a return names what tells a queue not to run a job again.
func (r *Result) endsJob(ret *ast.ReturnStmt) bool {
	ends := false
	ast.Inspect(ret, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		ends = ends || ok && httpmodel.EndsJob(r.pass.TypesInfo.Uses[id])
		return !ends
	})
	return ends
}
