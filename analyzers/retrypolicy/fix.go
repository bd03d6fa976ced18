package retrypolicy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/httpvet/httpvet/analyzers/internal/passes/resend"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// waitFix returns the fix that lets a wait end with the context: the statement becomes
// a select. There is none where the function can not return the context's error.
func (c *checker) waitFix(wait ast.Node, ctx string) []analysis.SuggestedFix {
	path := c.pathTo(wait)
	stmt, ok := stmtOf(path).(*ast.ExprStmt)
	if !ok || ast.Unparen(stmt.X) != wait {
		return nil
	}
	timer := ""
	switch wait := wait.(type) {
	case *ast.CallExpr:
		if !typeset.IsFunc(typeset.Callee(c.info, wait), "time", "Sleep") {
			return nil
		}
		sel, ok := ast.Unparen(wait.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		timer = fmt.Sprintf("%s.After(%s)", c.source(sel.X), c.source(wait.Args[0]))
	case *ast.UnaryExpr:
		timer = c.source(wait.X)
	}
	results, ok := c.errorReturn(path, ctx+".Err()")
	if !ok {
		return nil
	}
	indent := c.indent(stmt)
	text := fmt.Sprintf("select {\n%[1]scase <-%[2]s.Done():\n%[1]s\treturn%[3]s\n%[1]scase <-%[4]s:\n%[1]s}", indent, ctx, results, timer)
	return []analysis.SuggestedFix{{
		Message:   "wait for " + ctx + " as well",
		TextEdits: []analysis.TextEdit{{Pos: stmt.Pos(), End: stmt.End(), NewText: []byte(text)}},
	}}
}

// errorReturn returns what a return of err is followed by in the innermost function of
// path; false if the function returns no error, or what has no short zero value.
func (c *checker) errorReturn(path []ast.Node, err string) (string, bool) {
	for _, n := range path {
		var sig *types.Signature
		switch n := n.(type) {
		case *ast.FuncLit:
			sig, _ = c.info.TypeOf(n).(*types.Signature)
		case *ast.FuncDecl:
			if fn, ok := c.info.Defs[n.Name].(*types.Func); ok {
				sig = fn.Signature()
			}
		default:
			continue
		}
		if sig == nil {
			return "", false
		}
		if sig.Results().Len() == 0 {
			return "", true
		}
		var values []string
		for i := range sig.Results().Len() {
			t := sig.Results().At(i).Type()
			if i == sig.Results().Len()-1 {
				if t.String() != "error" {
					return "", false
				}
				values = append(values, err)
				continue
			}
			zero, ok := zeroValue(t)
			if !ok {
				return "", false
			}
			values = append(values, zero)
		}
		return " " + strings.Join(values, ", "), true
	}
	return "", false
}

// zeroValue returns how the zero value of t is written, if that is short.
func zeroValue(t types.Type) (string, bool) {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return "", false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsNumeric != 0:
			return "0", true
		case u.Info()&types.IsString != 0:
			return `""`, true
		case u.Info()&types.IsBoolean != 0:
			return "false", true
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface, *types.Signature, *types.Chan:
		return "nil", true
	}
	return "", false
}

// rewindFix returns the fix that rewinds the body before each attempt, for a request
// in a variable that knows how to: its body was made from memory.
func (c *checker) rewindFix(ev *resend.Event, call *ast.CallExpr) []analysis.SuggestedFix {
	b := ev.Body
	origin, ok := b.Origin.(*ast.CallExpr)
	if !ok || b.Of != resend.OfRequest || b.Clone || ev.Loop == nil || !syntax.Within(call, ev.Loop) || ev.Calls[len(ev.Calls)-1] != ast.Node(call) || len(call.Args) != 1 {
		return nil
	}
	fn := typeset.Callee(c.info, origin)
	if !typeset.IsFunc(fn, "bytes", "NewReader", "NewBuffer", "NewBufferString") && !typeset.IsFunc(fn, "strings", "NewReader") {
		return nil
	}
	req, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := c.info.Uses[req].(*types.Var)
	if v == nil || v.Pos() >= ev.Loop.Pos() || !c.givenTo(origin, v) {
		return nil
	}
	path := c.pathTo(call)
	stmt := stmtOf(path)
	if stmt == nil || !syntax.Within(stmt, ev.Loop) || stmt == ev.Loop {
		return nil
	}
	indent := c.indent(stmt)
	text := fmt.Sprintf("if body, err := %[2]s.GetBody(); err == nil {\n%[1]s\t%[2]s.Body = body\n%[1]s}\n%[1]s", indent, req.Name)
	return []analysis.SuggestedFix{{
		Message:   "rewind the body before each attempt",
		TextEdits: []analysis.TextEdit{{Pos: stmt.Pos(), End: stmt.Pos(), NewText: []byte(text)}},
	}}
}

// givenTo reports whether the body that origin makes is an argument of the call whose
// result req is assigned, or the variable that such an argument is.
func (c *checker) givenTo(origin *ast.CallExpr, req *types.Var) bool {
	given := false
	for _, file := range c.pass.Files {
		if !syntax.Within(origin, file) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok || len(assign.Rhs) != 1 || typeset.VarOf(c.info, assign.Lhs[0]) != req {
				return true
			}
			call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
			if !ok || !typeset.IsFunc(typeset.Callee(c.info, call), "net/http", "NewRequest", "NewRequestWithContext") {
				return true
			}
			body := call.Args[len(call.Args)-1]
			if v := typeset.VarOf(c.info, body); v != nil && c.index.OnlyDef(v) != nil {
				body = c.index.OnlyDef(v)
			}
			given = given || ast.Unparen(body) == origin
			return true
		})
	}
	return given
}

// pathTo returns the nodes around n, from the innermost.
func (c *checker) pathTo(n ast.Node) []ast.Node {
	file := report.FileOf(c.pass, n.Pos())
	if file == nil {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(file, n.Pos(), n.End())
	return path
}

// stmtOf returns the innermost statement of path that stands in a block, or nil.
func stmtOf(path []ast.Node) ast.Stmt {
	for i, n := range path {
		stmt, ok := n.(ast.Stmt)
		if !ok || i+1 == len(path) {
			continue
		}
		switch path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return stmt
		}
	}
	return nil
}

// indent returns the white space before a statement.
func (c *checker) indent(stmt ast.Stmt) string {
	return strings.Repeat("\t", max(0, c.pass.Fset.Position(stmt.Pos()).Column-1))
}

// source returns the text of e.
func (c *checker) source(e ast.Expr) string {
	var buf bytes.Buffer
	if err := format.Node(&buf, c.pass.Fset, e); err != nil {
		return types.ExprString(e)
	}
	return buf.String()
}
