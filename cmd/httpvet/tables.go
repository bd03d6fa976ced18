package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"
	"strconv"
)

// Much of what is to be parsed and type-checked in dependencies are tables: of
// characters, encodings, system calls. No pass learns anything from a number in
// them. This file empties them before they are type-checked, in such a way that
// every type stays what it is.

// minTable is the least number of elements of a table that is worth emptying.
const minTable = 32

// emptyTables removes the elements of the tables in the package-level variables
// of a file: composite literals of nothing but numbers and strings.
func emptyTables(file *ast.File) {
	for _, spec := range file.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			return // a name in a table may be the only one that uses this import
		}
	}
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.VAR {
			ast.Inspect(decl, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok && len(lit.Elts) >= minTable {
					emptyTable(lit)
				}
				_, isFunc := n.(*ast.FuncLit)
				return !isFunc
			})
		}
	}
}

// emptyTable removes the elements of a composite literal if all are plain, and if
// the length of the array is known, should they decide it.
func emptyTable(lit *ast.CompositeLit) {
	for _, elt := range lit.Elts {
		if !isPlain(elt) {
			return
		}
	}
	if array, ok := lit.Type.(*ast.ArrayType); ok {
		if _, ok := array.Len.(*ast.Ellipsis); ok {
			n, ok := length(lit.Elts)
			if !ok {
				return
			}
			array.Len = &ast.BasicLit{ValuePos: array.Len.Pos(), Kind: token.INT, Value: strconv.FormatInt(n, 10)}
		}
	}
	lit.Elts = nil
}

// isPlain reports whether an element of a composite literal is made of literals
// only, and names no type of another package.
func isPlain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		return e.Op != token.AND && e.Op != token.ARROW && isPlain(e.X)
	case *ast.BinaryExpr:
		return isOperand(e.X) && isOperand(e.Y)
	case *ast.KeyValueExpr:
		return isPlain(e.Key) && isPlain(e.Value)
	case *ast.CompositeLit:
		return isLocal(e.Type) && !slices.ContainsFunc(e.Elts, func(elt ast.Expr) bool { return !isPlain(elt) })
	}
	return false
}

// isOperand reports whether an operand is plain, or a name: of a number or a
// string, since it is an operand.
func isOperand(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok || isPlain(e)
}

// isLocal reports whether the type of a composite literal is left out, or made of
// names of this package.
func isLocal(typ ast.Expr) bool {
	switch typ := typ.(type) {
	case nil, *ast.Ident:
		return true
	case *ast.ArrayType:
		_, ok := typ.Len.(*ast.BasicLit)
		return (ok || typ.Len == nil) && isLocal(typ.Elt)
	}
	return false
}

// length returns the length of an array with the given elements, if their indices
// are made of literals.
func length(elts []ast.Expr) (n int64, ok bool) {
	next := int64(0)
	for _, elt := range elts {
		if elt, ok := elt.(*ast.KeyValueExpr); ok {
			if next, ok = constant.Int64Val(constant.ToInt(eval(elt.Key))); !ok {
				return 0, false
			}
		}
		next++
		n = max(n, next)
	}
	return n, true
}

// eval returns the value of an expression that is made of literals; it may be
// unknown.
func eval(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.BinaryExpr:
		x, y := eval(e.X), eval(e.Y)
		if isInt(x) && isInt(y) && (e.Op == token.ADD || e.Op == token.SUB) {
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return constant.MakeUnknown()
}

// isInt reports whether v is an integer, or a character.
func isInt(v constant.Value) bool {
	return v.Kind() == constant.Int
}
