package idempotencykey

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/keyflow"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// hoist returns the edits that make the key before the first attempt, or nil where
// that would change the meaning: the key uses what an attempt makes, its making can
// fail, or it is made elsewhere or for the next attempt.
//
// A variable that is defined as the key is moved as it stands. Elsewhere the whole
// expression that is the key becomes a variable.
func hoist(pass *analysis.Pass, f *keyflow.Finding) []analysis.TextEdit {
	maker, ok := f.Maker.(*ast.CallExpr)
	file := report.FileOf(pass, f.Maker.Pos())
	if !ok || f.Count || f.Late || file == nil || !syntax.Within(maker, f.Region.Node) || !isText(pass.TypesInfo.TypeOf(maker)) {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, maker.Pos(), maker.End())
	before := stmtBefore(path, f.Region)
	if before == nil {
		return nil
	}
	key, parent := wholeKey(pass, path)
	if key == nil || !usesOnlyOutside(pass, key, before) {
		return nil
	}
	line := pass.Fset.Position(before.Pos())
	indent := bytes.Repeat([]byte("\t"), max(0, line.Column-1))
	text, err := source(pass, key)
	if err != nil {
		return nil
	}
	if assign, ok := parent.(*ast.AssignStmt); ok && assign.Tok == token.DEFINE && len(assign.Lhs) == 1 && inBlock(path, assign) {
		id := assign.Lhs[0].(*ast.Ident)
		if id.Name == "_" || !isFree(pass, file, before.Pos(), id.Name) || assigned(pass, f.Region.Node, id) {
			return nil
		}
		end := assign.End() // with its line
		if next := pass.Fset.File(assign.Pos()); next.Line(end) < next.LineCount() {
			end = next.LineStart(next.Line(end) + 1)
		}
		start := pass.Fset.File(assign.Pos()).LineStart(pass.Fset.Position(assign.Pos()).Line)
		if commentsIn(file, start, end) {
			return nil
		}
		return []analysis.TextEdit{
			{Pos: before.Pos(), End: before.Pos(), NewText: fmt.Appendf(nil, "%s := %s\n%s", id.Name, text, indent)},
			{Pos: start, End: end},
		}
	}
	name := freeName(pass, file, before.Pos(), key.Pos())
	return []analysis.TextEdit{
		{Pos: before.Pos(), End: before.Pos(), NewText: fmt.Appendf(nil, "%s := %s\n%s", name, text, indent)},
		{Pos: key.Pos(), End: key.End(), NewText: []byte(name)},
	}
}

// isText reports whether a value of type t can be a key: text, a number, bytes, an
// array like a UUID, a time. What makes a request, or sends it, is not to be moved.
func isText(t types.Type) bool {
	if t == nil {
		return false
	}
	if typeset.IsNamed(t, "time", "Time") {
		return true
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Array, *types.Slice:
		return true
	}
	return false
}

// stmtBefore returns the statement before which the key is to be made: the loop, or
// the statement that holds the function that is repeated. It stands in a block.
func stmtBefore(path []ast.Node, g *retries.Region) ast.Stmt {
	switch g.Kind {
	case retries.Loop, retries.Callback:
	default:
		return nil
	}
	for i, n := range path {
		if n != g.Node {
			continue
		}
		for j := i; j+1 < len(path); j++ {
			stmt, ok := path[j].(ast.Stmt)
			if !ok {
				if _, isFunc := path[j].(*ast.FuncDecl); isFunc {
					return nil
				}
				continue
			}
			switch path[j+1].(type) {
			case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
				return stmt
			case *ast.LabeledStmt: // a label stays with its loop
				continue
			}
		}
	}
	return nil
}

// wholeKey returns the largest expression of text around the maker, which is the
// path's first node, and what holds it.
func wholeKey(pass *analysis.Pass, path []ast.Node) (key ast.Expr, parent ast.Node) {
	for i, n := range path {
		e, ok := n.(ast.Expr)
		if !ok {
			return key, n
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if i > 0 && !makesText(pass, n) {
				return key, n
			}
			if sig, ok := pass.TypesInfo.TypeOf(n.Fun).(*types.Signature); ok && sig.Results().Len() != 1 {
				return nil, nil // can fail
			}
			key = e
		case *ast.BinaryExpr:
			key = e
		case *ast.SelectorExpr, *ast.ParenExpr:
			if i+1 < len(path) {
				if _, ok := path[i+1].(*ast.CallExpr); !ok {
					return key, n
				}
			}
		default:
			return key, n
		}
	}
	return nil, nil
}

// makesText reports whether call turns a key into text, or adds to it.
func makesText(pass *analysis.Pass, call *ast.CallExpr) bool {
	if pass.TypesInfo.Types[call.Fun].IsType() {
		return true
	}
	fn := typeset.Callee(pass.TypesInfo, call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	path := typeset.PkgPath(fn.Pkg())
	return path == "fmt" || path == "strings" || path == "strconv" || path == "encoding/hex" || httpmodel.IsMakerPackage(path)
}

// usesOnlyOutside reports whether all that e uses is declared before stmt.
func usesOnlyOutside(pass *analysis.Pass, e ast.Expr, stmt ast.Stmt) bool {
	outside := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := pass.TypesInfo.Uses[id].(*types.Var); ok && !v.IsField() && v.Pkg() == pass.Pkg && v.Parent() != pass.Pkg.Scope() && v.Pos() > stmt.Pos() {
				outside = false
			}
		}
		_, isLit := n.(*ast.FuncLit)
		outside = outside && !isLit
		return outside
	})
	return outside
}

// inBlock reports whether stmt, a node of path, stands in a list of statements.
func inBlock(path []ast.Node, stmt ast.Node) bool {
	for i, n := range path {
		if n == stmt && i+1 < len(path) {
			switch path[i+1].(type) {
			case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
				return true
			}
		}
	}
	return false
}

// assigned reports whether the variable that id defines is assigned to again in n.
func assigned(pass *analysis.Pass, n ast.Node, id *ast.Ident) bool {
	v := pass.TypesInfo.Defs[id]
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if assign, ok := n.(*ast.AssignStmt); ok {
			for _, lhs := range assign.Lhs {
				if other, ok := lhs.(*ast.Ident); ok && other != id && pass.TypesInfo.ObjectOf(other) == v {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// isFree reports whether a variable called name can be declared at pos without
// hiding another, or being declared twice.
func isFree(pass *analysis.Pass, file *ast.File, pos token.Pos, name string) bool {
	scope := pass.TypesInfo.Scopes[file].Innermost(pos)
	if scope == nil {
		return false
	}
	_, obj := scope.LookupParent(name, pos)
	return obj == nil && scope.Lookup(name) == nil
}

// freeName returns a name for the key that is free at both places.
func freeName(pass *analysis.Pass, file *ast.File, before, use token.Pos) string {
	for _, name := range []string{"key", "idempotencyKey", "operationKey"} {
		scope := pass.TypesInfo.Scopes[file].Innermost(use)
		if _, obj := scope.LookupParent(name, use); obj == nil && isFree(pass, file, before, name) {
			return name
		}
	}
	for i := 2; ; i++ {
		if name := fmt.Sprintf("key%d", i); isFree(pass, file, before, name) {
			return name
		}
	}
}

// commentsIn reports whether a comment lies between start and end.
func commentsIn(file *ast.File, start, end token.Pos) bool {
	for _, group := range file.Comments {
		if group.Pos() < end && start < group.End() {
			return true
		}
	}
	return false
}

// source returns the text of e.
func source(pass *analysis.Pass, e ast.Expr) (string, error) {
	var buf bytes.Buffer
	err := format.Node(&buf, pass.Fset, e)
	return buf.String(), err
}
