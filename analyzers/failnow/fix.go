package failnow

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/analysis"
)

// This file mends the calls that a handler makes itself: mark the test, and return.

// soft maps the methods of a test that end it to those that only mark it.
var soft = map[string]string{
	"Fatal":   "Error",
	"Fatalf":  "Errorf",
	"FailNow": "Fail",
}

const (
	requirePath = "github.com/stretchr/testify/require"
	assertPath  = "github.com/stretchr/testify/assert"
)

// fixes returns the fix of a call in the function in: none, unless the call is a
// statement of a function literal without results that is served itself, so that a
// return ends the handler.
func (c *checker) fixes(call *ast.CallExpr, in ast.Node) []analysis.SuggestedFix {
	lit, ok := in.(*ast.FuncLit)
	if !ok || lit.Type.Results.NumFields() > 0 {
		return nil
	}
	if _, ok := c.handlers.Served(lit); !ok || c.handlers.InTest(lit) {
		return nil
	}
	list, i := statement(lit.Body, call)
	if list == nil {
		return nil
	}
	// Have: call is list[i], a statement of the handler.
	last := i == len(list)-1 && sameList(list, lit.Body.List)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || call.Fun != ast.Expr(sel) {
		return nil
	}
	fn := typeset.Callee(c.pass.TypesInfo, call)
	if name := soft[sel.Sel.Name]; name != "" && fn != nil && httpmodel.EndsTest(fn) {
		edits := []analysis.TextEdit{{Pos: sel.Sel.Pos(), End: sel.Sel.End(), NewText: []byte(name)}}
		if _, returns := next(list, i).(*ast.ReturnStmt); !last && !returns {
			edits = append(edits, analysis.TextEdit{Pos: call.End(), End: call.End(), NewText: []byte("\n" + c.indent(call) + "return")})
		}
		return []analysis.SuggestedFix{{Message: "Mark the test with " + name + " and return", TextEdits: edits}}
	}
	if edits := c.assert(call, sel, fn, last); edits != nil {
		return []analysis.SuggestedFix{{Message: "Use assert, and return where it fails", TextEdits: edits}}
	}
	return nil
}

// assert returns the edits that make a call of package require one of assert, which
// has a function of the same name for each.
func (c *checker) assert(call *ast.CallExpr, sel *ast.SelectorExpr, fn *types.Func, last bool) []analysis.TextEdit {
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != requirePath || fn.Signature().Recv() != nil ||
		fn.Name() == "FailNow" || fn.Name() == "New" {
		return nil
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok || !c.usedElsewhere(c.pass.TypesInfo.Uses[pkg]) {
		return nil
	}
	file := c.file(call.Pos())
	if file == nil {
		return nil
	}
	prefix, edits := syntax.AddImport(c.pass.TypesInfo, file, call.Pos(), assertPath, "assert", fn.Name())
	before, after := prefix, ""
	if !last {
		indent := c.indent(call)
		before, after = "if !"+prefix, " {\n"+indent+"\treturn\n"+indent+"}"
	}
	return append(edits,
		analysis.TextEdit{Pos: pkg.Pos(), End: sel.Sel.Pos(), NewText: []byte(before)},
		analysis.TextEdit{Pos: call.End(), End: call.End(), NewText: []byte(after)})
}

// usedElsewhere reports whether an imported package is used outside the handlers,
// so that its import stays in use when they are all mended.
func (c *checker) usedElsewhere(imported types.Object) bool {
	for id, obj := range c.pass.TypesInfo.Uses {
		if obj == imported && !c.inHandler(id.Pos()) {
			return true
		}
	}
	return false
}

// inHandler reports whether pos is in a function literal that is served.
func (c *checker) inHandler(pos token.Pos) bool {
	found := false
	ast.Inspect(c.file(pos), func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		if lit, ok := n.(*ast.FuncLit); ok {
			if _, ok := c.handlers.Served(lit); ok {
				found = true
			}
		}
		return !found
	})
	return found
}

// statement returns the list of statements of body, nested blocks included but not
// function literals, that call is a statement of, and its index there.
func statement(body *ast.BlockStmt, call *ast.CallExpr) (list []ast.Stmt, index int) {
	find := func(stmts []ast.Stmt) {
		for i, s := range stmts {
			if s, ok := s.(*ast.ExprStmt); ok && s.X == ast.Expr(call) {
				list, index = stmts, i
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			find(n.List)
		case *ast.CaseClause:
			find(n.Body)
		case *ast.CommClause:
			find(n.Body)
		}
		return list == nil
	})
	return list, index
}

// sameList reports whether two lists of statements are one.
func sameList(x, y []ast.Stmt) bool {
	return len(x) > 0 && len(y) > 0 && x[0] == y[0]
}

// next returns the statement after the i-th, or nil.
func next(list []ast.Stmt, i int) ast.Stmt {
	if i+1 < len(list) {
		return list[i+1]
	}
	return nil
}

// file returns the file that pos is in.
func (c *checker) file(pos token.Pos) *ast.File {
	for _, file := range c.pass.Files {
		if file.FileStart <= pos && pos < file.FileEnd {
			return file
		}
	}
	return nil
}

// indent returns the tabs before the statement that call is.
func (c *checker) indent(call *ast.CallExpr) string {
	column := c.pass.Fset.Position(call.Pos()).Column
	return strings.Repeat("\t", max(column-1, 0))
}
