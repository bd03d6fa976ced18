package relays

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says which functions are worth a run, and what only logs.

// findTouching finds the functions of the package that may fetch, and the
// conditions that are idle.
func (c *checker) findTouching() {
	c.touches = make(map[types.Object]bool)
	users := make(map[types.Object][]types.Object)
	var queue []types.Object
	touch := func(obj types.Object) {
		if !c.touches[obj] {
			c.touches[obj] = true
			queue = append(queue, obj)
		}
	}
	for obj, root := range c.code() {
		parts := c.index.Parts(root)
		if slices.ContainsFunc(parts.Calls, c.brings) {
			touch(obj)
		}
		for _, used := range parts.Objects {
			switch used := used.(type) {
			case *types.Var:
				if used.Parent() == c.pass.Pkg.Scope() {
					users[used] = append(users[used], obj)
				}
			case *types.Func:
				for _, fn := range append(slices.Clip(c.implementations(used)), used.Origin()) {
					users[fn] = append(users[fn], obj)
					if c.imported(fn) != nil {
						touch(obj)
					}
				}
			}
		}
		for _, stmt := range parts.Ifs {
			if c.onlyLogs(stmt) {
				c.idle = append(c.idle, stmt.Cond)
			}
		}
	}
	for len(queue) > 0 {
		obj := queue[0]
		queue = queue[1:]
		for _, user := range users[obj] {
			touch(user)
		}
	}
}

// code returns the functions of the package, and what its variables hold.
func (c *checker) code() iter.Seq2[types.Object, ast.Node] {
	return func(yield func(types.Object, ast.Node) bool) {
		for _, decl := range c.index.Decls() {
			if obj := c.info.Defs[decl.Name]; !yield(obj, decl) {
				return
			}
		}
		for _, name := range c.pass.Pkg.Scope().Names() {
			v, ok := c.pass.Pkg.Scope().Lookup(name).(*types.Var)
			if !ok {
				continue
			}
			if def := c.index.OnlyDef(v); def != nil && !yield(v, def) {
				return
			}
		}
	}
}

// onlyLogs reports whether a statement does nothing but log or count.
func (c *checker) onlyLogs(stmt ast.Stmt) bool {
	switch stmt := stmt.(type) {
	case *ast.BlockStmt:
		return len(stmt.List) > 0 && !slices.ContainsFunc(stmt.List, func(s ast.Stmt) bool { return !c.onlyLogs(s) })
	case *ast.IfStmt:
		return c.onlyLogs(stmt.Body) && (stmt.Else == nil || c.onlyLogs(stmt.Else))
	case *ast.AssignStmt: // of what the block has for itself
		return stmt.Tok == token.DEFINE && !slices.ContainsFunc(stmt.Rhs, func(x ast.Expr) bool {
			call, ok := ast.Unparen(x).(*ast.CallExpr)
			return ok && c.givesClient(call)
		})
	case *ast.IncDecStmt:
		v := typeset.VarOf(c.info, stmt.X)
		return v != nil && (v.IsField() || v.Parent() == c.pass.Pkg.Scope())
	case *ast.ExprStmt:
		call, ok := stmt.X.(*ast.CallExpr)
		return ok && c.logs(call)
	}
	return false
}

// logs reports whether a call only logs or counts, as far as can be seen from outside.
func (c *checker) logs(call *ast.CallExpr) bool {
	fn := typeset.Callee(c.info, call)
	if httpmodel.IsLogging(fn) {
		return true
	}
	if !httpmodel.LooksLikeLogging(fn) || fn.Pkg() == c.pass.Pkg && !typeset.IsInterfaceMethod(fn) {
		return false
	}
	return !c.givesClient(call)
}

// givesClient reports whether an argument of a call is an own client.
func (c *checker) givesClient(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return httpmodel.IsOwnClient(c.info.TypeOf(arg)) })
}
