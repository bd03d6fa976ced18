package timeoutstatus

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// A fix adds "&& ne.Timeout()" to the question that the choice depends on:
//
//	if errors.As(err, &ne) {
//	if ne, ok := err.(net.Error); ok {
//
// It needs a condition that is one question, or several joined by &&, and a way on
// for the failure that is no timeout: an answer after the condition, or another
// branch.

// fixes returns the fix for the status at pos, which is wrong because of what was
// asked at why.
func (c *checker) fixes(pos, why token.Pos) []analysis.SuggestedFix {
	cur, ok := c.in.Root().FindByPos(pos, pos)
	if !ok {
		return nil
	}
	for anc := range cur.Enclosing((*ast.IfStmt)(nil), (*ast.CaseClause)(nil), (*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		var cond ast.Expr
		switch n := anc.Node().(type) {
		case *ast.IfStmt:
			if n.Body.Pos() <= pos && pos < n.Body.End() {
				cond = n.Cond
			}
		case *ast.CaseClause:
			sw, ok := anc.Parent().Parent().Node().(*ast.SwitchStmt)
			if ok && sw.Tag == nil && len(n.List) == 1 {
				cond = n.List[0]
			}
		default:
			return nil
		}
		if cond == nil {
			continue
		}
		if asksTemporary(cond) {
			return nil // a timeout is temporary: what to ask instead is not known
		}
		for _, leaf := range conjuncts(cond) {
			edits := c.ask(leaf, why)
			if edits == nil {
				continue
			}
			if c.fixed[leaf.Pos()] || !c.goesOn(cur, anc) {
				return nil
			}
			c.fixed[leaf.Pos()] = true
			return []analysis.SuggestedFix{{Message: "Ask Timeout()", TextEdits: edits}}
		}
	}
	return nil
}

// asksTemporary reports whether cond calls Temporary.
func asksTemporary(cond ast.Expr) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		found = found || ok && sel.Sel.Name == "Temporary"
		return !found
	})
	return found
}

// conjuncts returns the operands of cond that are joined by &&.
func conjuncts(cond ast.Expr) []ast.Expr {
	cond = ast.Unparen(cond)
	if and, ok := cond.(*ast.BinaryExpr); ok && and.Op == token.LAND {
		return append(conjuncts(and.X), conjuncts(and.Y)...)
	}
	return []ast.Expr{cond}
}

// ask returns the edits that make leaf, if it is the question that was asked at
// why, ask for a timeout too.
func (c *checker) ask(leaf ast.Expr, why token.Pos) []analysis.TextEdit {
	switch leaf := leaf.(type) {
	case *ast.CallExpr: // errors.As(err, &ne)
		if len(leaf.Args) != 2 || leaf.Args[0].Pos() != why {
			return nil
		}
		target, ok := ast.Unparen(leaf.Args[1]).(*ast.UnaryExpr)
		if !ok || target.Op != token.AND {
			return nil
		}
		if id, ok := target.X.(*ast.Ident); ok && hasTimeout(c.info.TypeOf(id)) {
			return []analysis.TextEdit{insert(leaf.End(), " && "+id.Name+".Timeout()")}
		}
	case *ast.Ident: // ok, of: ne, ok := err.(net.Error)
		assign := c.assignment(leaf)
		if assign == nil || why < assign.Pos() || assign.End() <= why {
			return nil
		}
		id, ok := assign.Lhs[0].(*ast.Ident)
		if !ok {
			return nil
		}
		tuple := resultType(c.info, assign.Rhs[0])
		if !hasTimeout(tuple) {
			return nil
		}
		if id.Name != "_" {
			return []analysis.TextEdit{insert(leaf.End(), " && "+id.Name+".Timeout()")}
		}
		if name := c.freeName(assign.Pos(), "ne", "netErr"); name != "" && assign.Tok == token.DEFINE {
			return []analysis.TextEdit{
				{Pos: id.Pos(), End: id.End(), NewText: []byte(name)},
				insert(leaf.End(), " && "+name+".Timeout()"),
			}
		}
	}
	return nil
}

func insert(pos token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(text)}
}

// assignment returns the statement "x, ok := ..." that declares ok.
func (c *checker) assignment(ok *ast.Ident) *ast.AssignStmt {
	obj := c.info.Uses[ok]
	if obj == nil {
		return nil
	}
	cur, found := c.in.Root().FindByPos(obj.Pos(), obj.Pos())
	if !found {
		return nil
	}
	for anc := range cur.Enclosing((*ast.AssignStmt)(nil)) {
		assign := anc.Node().(*ast.AssignStmt)
		if len(assign.Lhs) == 2 && len(assign.Rhs) == 1 && assign.Lhs[1].Pos() == obj.Pos() {
			return assign
		}
	}
	return nil
}

// resultType returns the type of the first value of x, "v, ok" or a call.
func resultType(info *types.Info, x ast.Expr) types.Type {
	t := info.TypeOf(x)
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		return tuple.At(0).Type()
	}
	return t
}

// hasTimeout reports whether a value of type t has a method Timeout() bool.
func hasTimeout(t types.Type) bool {
	if t == nil {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, "Timeout")
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Signature()
	return sig.Params().Len() == 0 && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.Bool])
}

// freeName returns the first of names that means nothing at pos, or "".
func (c *checker) freeName(pos token.Pos, names ...string) string {
	scope := c.pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return ""
	}
	i := slices.IndexFunc(names, func(name string) bool {
		_, obj := scope.LookupParent(name, token.NoPos)
		return obj == nil
	})
	if i < 0 {
		return ""
	}
	return names[i]
}

// goesOn reports whether a failure that is no timeout is taken care of once the
// condition of branch, an if or a clause, does not hold for it: the choice only
// sets or returns a status, another branch follows, or it is in a branch for
// errors.
func (c *checker) goesOn(choice, branch inspector.Cursor) bool {
	for cur := range choice.Enclosing((*ast.ReturnStmt)(nil), (*ast.AssignStmt)(nil)) {
		if ret, ok := cur.Node().(*ast.ReturnStmt); !ok || len(ret.Results) > 0 {
			return branch.Contains(cur)
		}
	}
	if stmt, ok := branch.Node().(*ast.IfStmt); ok && stmt.Else != nil {
		return true
	}
	if _, ok := branch.Node().(*ast.CaseClause); ok {
		if _, more := branch.NextSibling(); more {
			return true
		}
	}
	for anc := range branch.Parent().Enclosing((*ast.IfStmt)(nil)) {
		for _, leaf := range conjuncts(anc.Node().(*ast.IfStmt).Cond) {
			if ne, ok := leaf.(*ast.BinaryExpr); ok && ne.Op == token.NEQ && c.info.Types[ne.Y].IsNil() {
				return true
			}
		}
	}
	next, ok := branch.NextSibling()
	if !ok {
		return false
	}
	stmt, ok := next.Node().(*ast.IfStmt)
	return ok && len(conjuncts(stmt.Cond)) == 1 && c.info.Types[nilOperand(stmt.Cond)].IsNil()
}

// nilOperand returns the right operand of cond, if it is a comparison with !=.
func nilOperand(cond ast.Expr) ast.Expr {
	if ne, ok := ast.Unparen(cond).(*ast.BinaryExpr); ok && ne.Op == token.NEQ {
		return ne.Y
	}
	return nil
}
