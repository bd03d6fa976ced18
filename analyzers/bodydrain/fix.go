package bodydrain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/bodyfate"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
)

// drainFirst returns the edits that read the body before it is closed, in the
// form that the code has, or nil where that would change its meaning.
func drainFirst(pass *analysis.Pass, file *ast.File, loss *bodyfate.Loss) []analysis.TextEdit {
	body := bodyExpr(pass, loss)
	if body == nil || !isPath(body) {
		return nil
	}
	if t := pass.TypesInfo.TypeOf(body); t != nil { // else resp.Body, made for the fix
		if read, _, _ := types.LookupFieldOrMethod(t, true, pass.Pkg, "Read"); read == nil {
			return nil // it is held as an io.Closer
		}
	}
	if loss.Helper != "" && !slices.Contains(loss.Close.Args, body) {
		return nil // the helper takes the response, which may be nil
	}
	path, _ := astutil.PathEnclosingInterval(file, loss.Close.Pos(), loss.Close.End())
	stmt, inBlock := enclosingStmt(path)
	if stmt == nil || !inBlock {
		return nil
	}
	prefix, edits := syntax.AddImport(pass.TypesInfo, file, stmt.Pos(), "io", "io", "CopyN", "Discard")
	drain := fmt.Sprintf("_, _ = %[1]sCopyN(%[1]sDiscard, %s, %d<<10)", prefix, types.ExprString(body), httpmodel.DrainBound>>10)
	indent := strings.Repeat("\t", max(0, pass.Fset.Position(stmt.Pos()).Column-1))

	switch d := stmt.(type) {
	case *ast.DeferStmt:
		if d.Call != loss.Close || reassigned(pass, loss.Func, body, d.End()) {
			return nil
		}
		// defer body.Close()
		return append(edits,
			analysis.TextEdit{Pos: d.Call.Pos(), End: d.Call.Pos(), NewText: []byte(fmt.Sprintf("func() {\n%s\t%s\n%s\t", indent, drain, indent))},
			analysis.TextEdit{Pos: d.Call.End(), End: d.Call.End(), NewText: []byte(fmt.Sprintf("\n%s}()", indent))})
	case *ast.GoStmt:
		return nil
	}
	return append(edits, analysis.TextEdit{Pos: stmt.Pos(), End: stmt.Pos(), NewText: []byte(drain + "\n" + indent)})
}

// isPath reports whether e is a variable or a field of one: what can be
// evaluated again.
func isPath(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isPath(e.X)
	}
	return false
}

// enclosingStmt returns the innermost statement of the path, and whether it
// stands in a list of statements, so that another can be put before it. An if or
// switch whose header holds the expression is that statement.
func enclosingStmt(path []ast.Node) (stmt ast.Stmt, inBlock bool) {
	for i, n := range path {
		s, ok := n.(ast.Stmt)
		if !ok || i+1 == len(path) {
			continue
		}
		switch path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			switch s.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
				return s, false // evaluated more than once, or jumped to
			}
			return s, true
		case *ast.IfStmt:
			if ifs := path[i+1].(*ast.IfStmt); ifs.Else == s {
				return s, false
			}
		}
	}
	return nil, false
}

// reassigned reports whether the function fn assigns to the variable or a field
// in e after pos.
func reassigned(pass *analysis.Pass, fn ast.Node, e ast.Expr, pos token.Pos) bool {
	obj := baseOf(pass, e)
	if obj == nil {
		return true
	}
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || assign.Pos() < pos {
			return true
		}
		for _, lhs := range assign.Lhs {
			found = found || baseOf(pass, lhs) == obj
		}
		return true
	})
	return found
}

// baseOf returns the variable that e, a variable or a field of one, starts from, or
// nil.
func baseOf(pass *analysis.Pass, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return pass.TypesInfo.ObjectOf(e)
	case *ast.SelectorExpr:
		return baseOf(pass, e.X)
	}
	return nil
}
