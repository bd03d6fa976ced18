package statusrelay

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"net/http"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/relays"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
)

// passOn returns the edits that pass the status of the response on wherever something
// of it is sent, or nil.
func passOn(pass *analysis.Pass, r *relays.Relay) (edits []analysis.TextEdit) {
	for _, p := range r.Places {
		file, code := report.FileOf(pass, p.Call.Pos()), statusOf(pass, p)
		if file == nil || code == "" {
			return nil
		}
		edit, ok := insert(pass, file, p.Call, code)
		if p.Status != nil {
			edit, ok = replace(pass, file, p.Status, code)
		}
		if !ok {
			return nil
		}
		edits = append(edits, edit)
	}
	return edits
}

// statusOf returns the expression of the status of a response, or "" if it cannot be
// named at the place.
func statusOf(pass *analysis.Pass, p relays.Place) string {
	pos := p.Call.Pos()
	if p.Status != nil {
		pos = p.Status.Pos()
	}
	scope := pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return ""
	}
	if _, obj := scope.LookupParent(p.Response.Name(), pos); obj != p.Response {
		return ""
	}
	member, _, _ := types.LookupFieldOrMethod(p.Response.Type(), true, pass.Pkg, "StatusCode")
	switch member := member.(type) {
	case *types.Var:
		if types.Identical(member.Type(), types.Typ[types.Int]) {
			return p.Response.Name() + ".StatusCode"
		}
	case *types.Func:
		if sig := member.Signature(); sig.Params().Len() == 0 && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.Int]) {
			return p.Response.Name() + ".StatusCode()"
		}
	}
	return ""
}

// replace returns the edit that puts code where the file says 200, if that is not the
// last use of an import.
func replace(pass *analysis.Pass, file *ast.File, status ast.Expr, code string) (edit analysis.TextEdit, ok bool) {
	if !isOK(pass.TypesInfo.Types[status]) {
		return edit, false
	}
	if sel, ok := ast.Unparen(status).(*ast.SelectorExpr); ok && !usesMore(pass.TypesInfo, file, sel.X) {
		return edit, false
	}
	return analysis.TextEdit{Pos: status.Pos(), End: status.End(), NewText: []byte(code)}, true
}

// isOK reports whether tv is the constant 200.
func isOK(tv types.TypeAndValue) bool {
	return tv.Value != nil && constant.Compare(constant.ToInt(tv.Value), token.EQL, constant.MakeInt64(http.StatusOK))
}

// usesMore reports whether the file uses more of the package pkg than what may be
// replaced: its name of 200.
func usesMore(info *types.Info, file *ast.File, pkg ast.Expr) bool {
	id, ok := pkg.(*ast.Ident)
	if !ok {
		return true
	}
	more := false
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			x, isID := sel.X.(*ast.Ident)
			more = more || isID && info.Uses[x] == info.Uses[id] && !isOK(info.Types[sel])
		}
		return !more
	})
	return more
}

// insert returns the edit that sets the status before call, which sends a body, as a
// statement or, with fiber, as a call before it: c.Status(code).Send(body).
func insert(pass *analysis.Pass, file *ast.File, call *ast.CallExpr, code string) (edit analysis.TextEdit, ok bool) {
	fn := typeset.Callee(pass.TypesInfo, call)
	if fn == nil || fn.Pkg() == nil || !sendsOnly(pass, fn) {
		return edit, false
	}
	var client ast.Expr
	setter := ""
	ast.Inspect(call, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && client == nil && isName(x) {
			if setter = httpmodel.StatusSetter(pass.TypesInfo.TypeOf(x)); setter != "" {
				client = x
			}
		}
		_, isLit := n.(*ast.FuncLit)
		return client == nil && !isLit
	})
	if client == nil {
		return edit, false
	}
	// Have: the call, and in it w, whose method setter sets the status.
	text := "." + setter + "(" + code + ")"
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && sel.X == client && httpmodel.IsBuffered(pass.TypesInfo.TypeOf(client)) && setter == "Status" {
		return analysis.TextEdit{Pos: client.End(), End: client.End(), NewText: []byte(text)}, true
	}
	stmt := statement(file, call)
	if stmt == nil {
		return edit, false
	}
	return analysis.TextEdit{Pos: stmt.Pos(), End: stmt.Pos(), NewText: []byte(types.ExprString(client) + text + "\n")}, true
}

// sendsOnly reports whether fn sends a body and sets neither the status nor a header:
// what it would set, it would set too late.
func sendsOnly(pass *analysis.Pass, fn *types.Func) bool {
	sig := fn.Signature()
	switch recv := sig.Recv(); {
	case recv != nil && httpmodel.IsOwnClient(recv.Type()):
		a, ok := httpmodel.AnswerOf(fn)
		return ok && a.Data >= 0
	case typeset.IsStd(fn.Pkg(), pass.Module):
		return fn.Pkg().Path() != httpmodel.NetHTTP
	}
	for v := range sig.Params().Variables() { // it gets an io.Writer
		if httpmodel.IsOwnClient(v.Type()) {
			return false
		}
	}
	return sig.Recv() == nil
}

// isName reports whether x is a name, a field of one, or what its method returns that
// needs nothing: w, c.Writer, c.Response().
func isName(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isName(x.X)
	case *ast.CallExpr:
		return len(x.Args) == 0 && isName(x.Fun)
	}
	return false
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
