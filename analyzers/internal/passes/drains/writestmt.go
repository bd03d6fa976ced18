package drains

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// This file writes statements: see writer.

// block writes a block.
func (w *writer) block(block *ast.BlockStmt) string { return "{" + w.stmts(block.List) + "}" }

// stmts writes a list of statements.
func (w *writer) stmts(list []ast.Stmt) string {
	var texts []string
	for _, stmt := range list {
		if s := w.stmt(stmt); s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, ";")
}

// stmt writes a statement: nothing if it says nothing.
func (w *writer) stmt(stmt ast.Stmt) string {
	switch stmt := stmt.(type) {
	case *ast.ExprStmt:
		if s := w.expr(stmt.X); acts(s) {
			return s
		}
	case *ast.AssignStmt:
		return w.assign(stmt)
	case *ast.DeclStmt:
		return w.vars(stmt)
	case *ast.IncDecStmt:
		if x := w.expr(stmt.X); x != "_" {
			return x + stmt.Tok.String()
		}
	case *ast.SendStmt:
		return w.expr(stmt.Chan) + "<-" + w.expr(stmt.Value)
	case *ast.GoStmt:
		if s := w.call(stmt.Call); acts(s) {
			return "go " + s
		}
	case *ast.DeferStmt:
		if s := w.call(stmt.Call); acts(s) {
			return "defer " + s
		}
	case *ast.ReturnStmt:
		return strings.TrimSpace("return " + w.list(stmt.Results, 0))
	case *ast.BranchStmt:
		if stmt.Label != nil {
			return stmt.Tok.String() + " l_" + stmt.Label.Name
		}
		return stmt.Tok.String()
	case *ast.BlockStmt:
		return w.stmts(stmt.List) // Have: its variables have names of their own.
	case *ast.LabeledStmt:
		return w.control(stmt.Stmt, "l_"+stmt.Label.Name+":")
	default:
		return w.control(stmt, "")
	}
	return ""
}

// assign writes an assignment.
func (w *writer) assign(stmt *ast.AssignStmt) string {
	lhs, rhs := w.list(stmt.Lhs, 0), w.list(stmt.Rhs, 0)
	if strings.Trim(lhs, "_,") == "" && !acts(rhs) {
		return ""
	}
	if stmt.Tok == token.DEFINE {
		return lhs + "=" + rhs
	}
	return lhs + stmt.Tok.String() + rhs
}

// vars writes a declaration of variables.
func (w *writer) vars(stmt *ast.DeclStmt) string {
	var texts []string
	for _, spec := range stmt.Decl.(*ast.GenDecl).Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok || stmt.Decl.(*ast.GenDecl).Tok != token.VAR {
			continue
		}
		var names []string
		says := false
		for _, name := range spec.Names {
			names = append(names, w.expr(name))
			says = says || names[len(names)-1] != "_"
		}
		switch values := w.list(spec.Values, 0); {
		case values != "" && (says || acts(values)):
			texts = append(texts, strings.Join(names, ",")+"="+values)
		case values == "" && says:
			texts = append(texts, "var "+strings.Join(names, ",")+" _")
		}
	}
	return strings.Join(texts, ";")
}

// control writes a statement of several blocks, after its label. What it begins with
// stands before it.
func (w *writer) control(stmt ast.Stmt, label string) string {
	init := ""
	with := func(s ast.Stmt) {
		if s != nil {
			if init = w.stmt(s); init != "" {
				init += ";"
			}
		}
	}
	cond := func(x ast.Expr) string {
		if x == nil {
			return ""
		}
		s := w.expr(x)
		if strings.Contains(s, "{") {
			s = "(" + s + ")"
		}
		return s
	}
	switch stmt := stmt.(type) {
	case *ast.IfStmt:
		with(stmt.Init)
		body, test, other := w.block(stmt.Body), cond(stmt.Cond), ""
		if stmt.Else != nil {
			if s := w.stmt(stmt.Else); s != "" {
				other = "else{" + s + "}"
			}
		}
		if body != "{}" || other != "" || acts(test) {
			return init + label + "if " + test + body + other
		}
	case *ast.ForStmt:
		post := ""
		if stmt.Post != nil {
			post = w.stmt(stmt.Post)
		}
		if assign, ok := stmt.Init.(*ast.AssignStmt); ok {
			init = w.assign(assign)
		}
		test, body := cond(stmt.Cond), w.block(stmt.Body)
		if strings.Contains(init+post, "{") {
			init, post = "", "" // Have: odd, and hard to write.
		}
		if test == "" || body != "{}" || acts(test) {
			return label + "for " + init + ";" + test + ";" + post + body
		}
		return ""
	case *ast.RangeStmt:
		x, body := cond(stmt.X), w.block(stmt.Body)
		if t := w.info.TypeOf(stmt.X); body == "{}" && !acts(x) && (t == nil || !isChanType(t)) {
			return ""
		}
		head := ""
		switch {
		case stmt.Value != nil:
			head = w.list([]ast.Expr{stmt.Key, stmt.Value}, 0) + "="
		case stmt.Key != nil:
			head = w.expr(stmt.Key) + "="
		}
		return label + "for " + head + "range " + x + body
	case *ast.SwitchStmt:
		with(stmt.Init)
		return init + label + "switch " + cond(stmt.Tag) + w.clauses(stmt.Body)
	case *ast.TypeSwitchStmt:
		with(stmt.Init)
		return init + label + "switch _.(type)" + w.clauses(stmt.Body)
	case *ast.SelectStmt:
		return label + "select" + w.clauses(stmt.Body)
	}
	if label != "" {
		return init + label + "{" + w.stmt(stmt) + "}"
	}
	return init
}

// clauses writes the clauses of a switch or select.
func (w *writer) clauses(body *ast.BlockStmt) string {
	var b strings.Builder
	b.WriteByte('{')
	for _, clause := range body.List {
		switch clause := clause.(type) {
		case *ast.CaseClause:
			if clause.List == nil {
				b.WriteString("default:")
			} else {
				fmt.Fprintf(&b, "case %s:", w.list(clause.List, 0))
			}
			b.WriteString(w.stmts(clause.Body))
		case *ast.CommClause:
			if clause.Comm == nil {
				b.WriteString("default:")
			} else {
				fmt.Fprintf(&b, "case %s:", w.comm(clause.Comm))
			}
			b.WriteString(w.stmts(clause.Body))
		}
		b.WriteByte(';')
	}
	b.WriteByte('}')
	return b.String()
}

// comm writes what a clause of a select waits for.
func (w *writer) comm(stmt ast.Stmt) string {
	switch stmt := stmt.(type) {
	case *ast.ExprStmt:
		return w.expr(stmt.X)
	case *ast.AssignStmt:
		return w.list(stmt.Lhs, 0) + "=" + w.list(stmt.Rhs, 0)
	}
	return w.stmt(stmt)
}
