package statusrelay

import (
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/relays"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
)

// passOn returns the edit that inserts w.WriteHeader(resp.StatusCode) before
// io.Copy(w, resp.Body), where nothing was answered before.
func passOn(pass *analysis.Pass, file *ast.File, r *relays.Relay) (edit analysis.TextEdit, ok bool) {
	if r.Code != 0 || r.Wrote || !typeset.IsFunc(typeset.Callee(pass.TypesInfo, r.Send), "io", "Copy") {
		return edit, false
	}
	w, ok := ast.Unparen(r.Send.Args[0]).(*ast.Ident)
	if !ok || !typeset.IsNamed(pass.TypesInfo.TypeOf(w), httpmodel.NetHTTP, "ResponseWriter") {
		return edit, false
	}
	body, ok := ast.Unparen(r.Send.Args[1]).(*ast.SelectorExpr)
	if !ok || body.Sel.Name != "Body" || !httpmodel.IsResponse(pass.TypesInfo.TypeOf(body.X)) {
		return edit, false
	}
	// Have: io.Copy(w, resp.Body)
	stmt := statement(file, r.Send)
	if stmt == nil {
		return edit, false
	}
	return analysis.TextEdit{
		Pos:     stmt.Pos(),
		End:     stmt.Pos(),
		NewText: []byte(w.Name + ".WriteHeader(" + types.ExprString(body.X) + ".StatusCode)\n"),
	}, true
}

// statement returns the statement of a list that begins with evaluating call, or
// nil: before it, another can be inserted.
func statement(file *ast.File, call *ast.CallExpr) ast.Stmt {
	path, _ := astutil.PathEnclosingInterval(file, call.Pos(), call.End())
	for i := 1; i < len(path); i++ {
		switch n := path[i].(type) {
		case *ast.ExprStmt, *ast.AssignStmt:
		case *ast.IfStmt:
			if n.Init != path[i-1] {
				return nil
			}
		case *ast.ReturnStmt:
			if len(n.Results) != 1 {
				return nil
			}
		case *ast.ParenExpr:
			continue
		default:
			return nil
		}
		switch path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if inHeader(path[i+1], path[i]) {
				return nil
			}
			return path[i].(ast.Stmt)
		case *ast.IfStmt:
		default:
			return nil
		}
	}
	return nil
}

// inHeader reports whether stmt is no statement of the list of n: a case's own.
func inHeader(n, stmt ast.Node) bool {
	switch n := n.(type) {
	case *ast.CommClause:
		return n.Comm == stmt
	case *ast.CaseClause:
		return stmt.Pos() < n.Colon
	}
	return false
}
