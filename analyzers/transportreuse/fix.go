package transportreuse

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/pools"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// hoist returns the edits that move the pool of d, and the client around it, to a
// package variable; nil where that is not the same: what makes it uses something
// that is local or may change, or it is changed after it is made.
func (c *checker) hoist(d *pools.Drop, file *ast.File) []analysis.TextEdit {
	lit, ok := d.Node.(*ast.CompositeLit)
	if !ok || d.Over != nil || !typeset.IsNamed(c.pass.TypesInfo.TypeOf(lit), httpmodel.NetHTTP, "Transport") {
		return nil
	}
	cur, ok := c.root.FindNode(lit)
	if !ok {
		return nil
	}
	e, name := c.outermost(cur)
	if e == nil {
		return nil
	}
	for _, v := range d.Vars {
		if !c.onlyRead(d.Func, v) {
			return nil
		}
	}
	src, err := report.Source(c.pass, file)
	if err != nil {
		return nil
	}
	// Have: e, in which the pool is made, can be made once.

	name = c.freeName(name)
	decl := enclosingDecl(file, e.Pos())
	text := string(src[c.offset(e.Pos()):c.offset(e.End())])
	return []analysis.TextEdit{
		{Pos: decl, End: decl, NewText: fmt.Appendf(nil, "var %s = %s\n\n", name, dedent(text, c.indent(src, e.Pos())))},
		{Pos: e.Pos(), End: e.End(), NewText: []byte(name)},
	}
}

// outermost returns the largest expression around the literal of a Transport that is
// the address of a literal and can be moved, and a name for what it makes; or nil.
func (c *checker) outermost(cur inspector.Cursor) (e ast.Expr, name string) {
	name = "httpTransport"
	for {
		addr, ok := cur.Parent().Node().(*ast.UnaryExpr)
		if !ok || addr.Op != token.AND || !c.movable(addr) {
			return e, name
		}
		if e != nil {
			name = "httpClient"
		}
		e = addr
		kv := cur.Parent().Parent()
		if _, ok := kv.Node().(*ast.KeyValueExpr); !ok {
			return e, name
		}
		client, ok := kv.Parent().Node().(*ast.CompositeLit)
		if !ok || !httpmodel.IsClientType(c.pass.TypesInfo.TypeOf(client)) {
			return e, name
		}
		cur = kv.Parent()
	}
}

// movable reports whether e gives the same wherever it stands: it uses constants,
// functions and types of packages only, but for what function literals in it do
// when they are called.
func (c *checker) movable(e ast.Expr) bool {
	ok := true
	inLit := 0
	ast.PreorderStack(e, nil, func(n ast.Node, stack []ast.Node) bool {
		inLit = 0
		for _, m := range stack {
			if _, isLit := m.(*ast.FuncLit); isLit {
				inLit++
			}
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = ok && (inLit > 0 || c.pass.TypesInfo.Types[n.Fun].IsType())
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.Ident:
			ok = ok && c.usable(n, e, inLit > 0)
		}
		return ok
	})
	return ok
}

// usable reports whether what id denotes is the same outside of the function.
func (c *checker) usable(id *ast.Ident, within ast.Expr, inLit bool) bool {
	obj := c.pass.TypesInfo.Uses[id]
	if obj == nil || obj.Pkg() == nil {
		return true
	}
	if within.Pos() <= obj.Pos() && obj.Pos() < within.End() {
		return true // declared in a function literal
	}
	switch obj := obj.(type) {
	case *types.PkgName:
		return true
	case *types.Var:
		return obj.IsField() || inLit && obj.Parent() == obj.Pkg().Scope()
	case *types.Func:
		return true
	}
	return obj.Parent() == obj.Pkg().Scope()
}

// onlyRead reports whether a function uses v, which holds the pool, as it is: it
// calls methods that send, or gives it to a client that it makes or to a function.
func (c *checker) onlyRead(fn ast.Node, v *types.Var) bool {
	ok := true
	var parents []ast.Node
	ast.Inspect(fn, func(n ast.Node) bool {
		if n == nil {
			parents = parents[:len(parents)-1]
			return true
		}
		parents = append(parents, n)
		id, isIdent := n.(*ast.Ident)
		if !isIdent || c.pass.TypesInfo.Uses[id] != v {
			return true
		}
		switch parent := parents[len(parents)-2].(type) {
		case *ast.SelectorExpr:
			sel := c.pass.TypesInfo.Selections[parent]
			ok = ok && sel != nil && sel.Kind() == types.MethodVal && parent.Sel.Name != "CloseIdleConnections"
		case *ast.KeyValueExpr, *ast.CompositeLit:
		case *ast.CallExpr:
			ok = ok && !typeset.IsNamed(v.Type(), httpmodel.NetHTTP, "Transport")
		default:
			ok = false
		}
		return true
	})
	return ok
}

// freeName returns name, or name with a number, such that no identifier of the
// package is called so.
func (c *checker) freeName(name string) string {
	if len(c.names) == 0 {
		for cur := range c.root.Preorder((*ast.Ident)(nil)) {
			c.names[cur.Node().(*ast.Ident).Name] = true
		}
	}
	free := name
	for i := 2; c.names[free]; i++ {
		free = fmt.Sprint(name, i)
	}
	c.names[free] = true
	return free
}

// enclosingDecl returns where the declaration around pos starts, its comment included.
func enclosingDecl(file *ast.File, pos token.Pos) token.Pos {
	i := slices.IndexFunc(file.Decls, func(d ast.Decl) bool { return d.Pos() <= pos && pos < d.End() })
	switch d := file.Decls[i].(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			return d.Doc.Pos()
		}
	case *ast.GenDecl:
		if d.Doc != nil {
			return d.Doc.Pos()
		}
	}
	return file.Decls[i].Pos()
}

// offset returns where pos is in its file.
func (c *checker) offset(pos token.Pos) int { return c.pass.Fset.File(pos).Offset(pos) }

// indent returns the white space that the line of pos starts with.
func (c *checker) indent(src []byte, pos token.Pos) string {
	f := c.pass.Fset.File(pos)
	line := string(src[f.Offset(f.LineStart(f.Line(pos))):])
	return line[:len(line)-len(strings.TrimLeft(line, "\t "))]
}

// dedent takes an indentation from each line of text but the first.
func dedent(text, indent string) string {
	return strings.ReplaceAll(text, "\n"+indent, "\n")
}
