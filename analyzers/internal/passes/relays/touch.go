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
		for _, branch := range parts.Branches {
			switch n := branch.(type) {
			case *ast.IfStmt:
				if c.onlyLogs(n) || n.Else == nil && c.onlyParses(n.Body.List) {
					c.idle = append(c.idle, n.Cond)
				}
			case *ast.SwitchStmt:
				c.noteIdle(n)
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

// noteIdle notes the conditions of a switch that does nothing but log and parse.
func (c *checker) noteIdle(stmt *ast.SwitchStmt) {
	var conds []ast.Node
	if stmt.Tag != nil {
		conds = append(conds, stmt.Tag)
	}
	for _, clause := range stmt.Body.List {
		clause := clause.(*ast.CaseClause)
		if slices.ContainsFunc(clause.Body, func(s ast.Stmt) bool { return !c.onlyLogs(s) }) && !c.onlyParses(clause.Body) {
			return
		}
		for _, x := range clause.List {
			conds = append(conds, x)
		}
	}
	c.idle = append(c.idle, conds...)
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

// onlyParses reports whether statements do nothing but decode something, and leave it in
// a field, as the parsers that are generated for each status do: resp.JSON200 = &dest.
// What else there is of the response is there for all statuses.
func (c *checker) onlyParses(list []ast.Stmt) bool {
	leaves := false
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.DeclStmt:
		case *ast.IfStmt: // err := json.Unmarshal(b, &dest); err != nil
			if stmt.Init == nil || stmt.Else != nil || len(stmt.Body.List) != 1 {
				return false
			}
			if _, ok := stmt.Body.List[0].(*ast.ReturnStmt); !ok {
				return false
			}
		case *ast.AssignStmt:
			if len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 {
				return false
			}
			addr, ok := ast.Unparen(stmt.Rhs[0]).(*ast.UnaryExpr)
			field := typeset.VarOf(c.info, stmt.Lhs[0])
			if !ok || addr.Op != token.AND || field == nil || !field.IsField() {
				return false
			}
			leaves = true
		default:
			return false
		}
	}
	return leaves
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
