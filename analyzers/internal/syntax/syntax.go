// Package syntax answers questions about untyped syntax.
package syntax

import (
	"go/ast"
	"go/token"
	"strings"
	"unicode"
)

// Within reports whether the node n lies in outer, or is it.
func Within(n, outer ast.Node) bool {
	return outer.Pos() <= n.Pos() && n.End() <= outer.End()
}

// FuncParts returns the type and the body of fn, an *ast.FuncDecl or *ast.FuncLit.
func FuncParts(fn ast.Node) (*ast.FuncType, *ast.BlockStmt) {
	if decl, ok := fn.(*ast.FuncDecl); ok {
		return decl.Type, decl.Body
	}
	lit := fn.(*ast.FuncLit)
	return lit.Type, lit.Body
}

// SwitchSubject returns x of "switch x.(type)" and "switch v := x.(type)".
func SwitchSubject(stmt *ast.TypeSwitchStmt) ast.Expr {
	var x ast.Expr
	switch a := stmt.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	if assert, ok := ast.Unparen(x).(*ast.TypeAssertExpr); ok {
		return assert.X
	}
	return nil
}

// Flip returns the comparison that holds of (y, x) if op does of (x, y).
func Flip(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GTR
	case token.LEQ:
		return token.GEQ
	case token.GTR:
		return token.LSS
	case token.GEQ:
		return token.LEQ
	}
	return op
}

// Negate returns the comparison that holds if op does not.
func Negate(op token.Token) token.Token {
	switch op {
	case token.EQL:
		return token.NEQ
	case token.NEQ:
		return token.EQL
	case token.LSS:
		return token.GEQ
	case token.LEQ:
		return token.GTR
	case token.GTR:
		return token.LEQ
	case token.GEQ:
		return token.LSS
	}
	return op
}

// Words returns the words that a name is put together from, in lower case: http,
// log and tail for HTTPLogTail or http_log_tail.
func Words(name string) (words []string) {
	for part := range strings.SplitSeq(name, "_") {
		runes := []rune(part)
		start := 0
		for i := 1; i < len(runes); i++ {
			ends := !unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsUpper(runes[i]) && ends {
				words = append(words, strings.ToLower(string(runes[start:i])))
				start = i
			}
		}
		if start < len(runes) {
			words = append(words, strings.ToLower(string(runes[start:])))
		}
	}
	return words
}
