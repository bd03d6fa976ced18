package shutdowndrain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/passes/drains"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
)

// A fix gives the shutdown a context that is not done: it keeps the values of the one
// that is, by context.WithoutCancel. Where a time was added to the context that is
// done, that is all:
//
//	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
//
// Else it gets ten seconds, in a statement before the one of the call.

// fixes returns the fix for f, a shutdown on a context that is done.
func fixes(pass *analysis.Pass, f *drains.Fault) []analysis.SuggestedFix {
	file := report.FileOf(pass, f.Call.Pos())
	ctx := contextOf(f.Call)
	if file == nil || ctx == nil {
		return nil
	}
	const message = "shut down on a context of its own"
	if f.Made != nil && report.FileOf(pass, f.Made.Pos()) == file && len(f.Made.Args) > 0 {
		parent := f.Made.Args[0]
		edits := keepAlive(pass, file, parent)
		return []analysis.SuggestedFix{{Message: message, TextEdits: edits}}
	}
	if !isPath(ctx) {
		return nil
	}
	stmt := statement(file, f.Call)
	if stmt == nil {
		return nil
	}
	const name, cancel = "shutdownCtx", "cancelShutdown"
	scope := pass.Pkg.Scope().Innermost(stmt.Pos())
	for _, taken := range []string{name, cancel} {
		if _, obj := scope.LookupParent(taken, token.NoPos); obj != nil {
			return nil
		}
	}
	ctxPkg, edits := syntax.AddImport(pass.TypesInfo, file, stmt.Pos(), "context", "context", "WithTimeout", "WithoutCancel")
	timePkg, more := syntax.AddImport(pass.TypesInfo, file, stmt.Pos(), "time", "time", "Second")
	indent := strings.Repeat("\t", max(pass.Fset.Position(stmt.Pos()).Column-1, 0))
	text := fmt.Sprintf("%s, %s := %sWithTimeout(%sWithoutCancel(%s), 10*%sSecond)\n%sdefer %s()\n%s",
		name, cancel, ctxPkg, ctxPkg, types.ExprString(ctx), timePkg, indent, cancel, indent)
	edits = append(append(edits, more...),
		analysis.TextEdit{Pos: stmt.Pos(), End: stmt.Pos(), NewText: []byte(text)},
		analysis.TextEdit{Pos: ctx.Pos(), End: ctx.End(), NewText: []byte(name)},
	)
	return []analysis.SuggestedFix{{Message: message, TextEdits: edits}}
}

// keepAlive returns the edits that put context.WithoutCancel around x.
func keepAlive(pass *analysis.Pass, file *ast.File, x ast.Expr) []analysis.TextEdit {
	prefix, edits := syntax.AddImport(pass.TypesInfo, file, x.Pos(), "context", "context", "WithoutCancel")
	return append(edits,
		analysis.TextEdit{Pos: x.Pos(), End: x.Pos(), NewText: []byte(prefix + "WithoutCancel(")},
		analysis.TextEdit{Pos: x.End(), End: x.End(), NewText: []byte(")")},
	)
}

// isPath reports whether x is a variable or a field of one: evaluating it again is the
// same.
func isPath(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isPath(x.X)
	}
	return false
}

// statement returns the statement of a list that holds call and evaluates it at once,
// or nil.
func statement(file *ast.File, call ast.Node) ast.Stmt {
	var found ast.Stmt
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || n.Pos() > call.Pos() || call.End() > n.End() {
			return n == ast.Node(file)
		}
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, stmt := range list {
			if syntax.Within(call, stmt) {
				found = stmt
			}
		}
		return true
	})
	switch s := found.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.ReturnStmt:
		return s
	case *ast.IfStmt:
		if s.Init != nil && syntax.Within(call, s.Init) || s.Init == nil && syntax.Within(call, s.Cond) {
			return s
		}
	}
	return nil
}
