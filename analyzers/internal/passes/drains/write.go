package drains

import (
	"go/ast"
	"go/constant"
	"go/printer"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A writer writes functions down for other packages: as Go, without what says
// nothing, and with names of a table for all that is declared. What is left out of an
// expression is "_".
type writer struct {
	*Info
	table []string
	size  int            // of the table
	names map[any]string // by object, or by entry
	queue []*types.Func  // unexported functions that are called
}

// function writes the declaration of a function.
func (w *writer) function(decl *ast.FuncDecl) string {
	var b strings.Builder
	config := printer.Config{Mode: printer.RawFormat}
	written := w.copy(reflect.ValueOf(decl)).Interface()
	if w.size > maxFact || config.Fprint(&b, token.NewFileSet(), written) != nil {
		return ""
	}
	return strings.ReplaceAll(b.String(), "\t", "")
}

// copy returns v, a part of a syntax tree, as it is written: expressions and statements
// as expr and stmt have them, and the rest part by part, without comments and positions.
func (w *writer) copy(v reflect.Value) reflect.Value {
	if v.IsZero() {
		return v
	}
	switch v.Kind() {
	case reflect.Interface:
		switch n := v.Interface().(type) {
		case ast.Expr:
			return reflect.ValueOf(w.expr(n))
		case ast.Stmt:
			if stmt := w.stmt(n); stmt != nil {
				return reflect.ValueOf(stmt)
			}
			return reflect.Zero(v.Type())
		}
		return w.copy(v.Elem())
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), 0, v.Len())
		for i := range v.Len() {
			if part := w.copy(v.Index(i)); !part.IsZero() {
				list = reflect.Append(list, part)
			}
		}
		return list
	case reflect.Pointer:
		switch n := v.Interface().(type) {
		case *ast.CommentGroup, *ast.Object:
			return reflect.Zero(v.Type())
		case *ast.Ident:
			return reflect.ValueOf(w.expr(n))
		case *ast.CallExpr:
			if call, ok := w.expr(n).(*ast.CallExpr); ok {
				return reflect.ValueOf(call)
			}
			return reflect.ValueOf(&ast.CallExpr{Fun: blank()})
		}
		c := reflect.New(v.Type().Elem())
		for i := range c.Elem().NumField() {
			if part := v.Elem().Field(i); part.Type() != reflect.TypeFor[token.Pos]() {
				c.Elem().Field(i).Set(w.copy(part))
			}
		}
		return c
	}
	return v
}

// stmt returns a statement as it is written, or nil if it says nothing.
func (w *writer) stmt(stmt ast.Stmt) ast.Stmt {
	if w.size > maxFact {
		return new(ast.EmptyStmt) // Have: a function that will not be told.
	}
	stmt = w.copy(reflect.ValueOf(stmt)).Interface().(ast.Stmt)
	if labeled, ok := stmt.(*ast.LabeledStmt); ok && labeled.Stmt == nil || !acts(stmt) {
		return nil
	}
	return stmt
}

// acts reports whether n, as it is written, does something: it calls, waits, sets or
// makes something, or goes elsewhere.
func acts(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit, *ast.TypeAssertExpr, *ast.SendStmt, *ast.SelectStmt, *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		case *ast.CallExpr:
			found = found || !isBlank(n.Fun)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				found = found || !isBlank(x)
			}
		case *ast.IncDecStmt:
			found = found || !isBlank(n.X)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				found = found || !isBlank(name)
			}
		case *ast.ForStmt:
			found = found || n.Cond == nil || acts(n.Cond) || acts(n.Body)
			return false
		case *ast.RangeStmt:
			found = found || !isBlank(n.X) || acts(n.Body)
			return false
		}
		return !found
	})
	return found
}

// blank returns what stands for an expression that is left out.
func blank() *ast.Ident { return ast.NewIdent("_") }

// isBlank reports whether x is left out.
func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// exprs returns a list of expressions as they are written.
func (w *writer) exprs(list []ast.Expr) []ast.Expr {
	written := make([]ast.Expr, len(list))
	for i, x := range list {
		written[i] = w.expr(x)
	}
	return written
}

// expr returns an expression as it is written.
func (w *writer) expr(x ast.Expr) ast.Expr {
	x = ast.Unparen(x)
	switch tv := w.info.Types[x]; {
	case tv.Value != nil:
		return constantOf(tv.Value)
	case tv.IsType():
		if _, ok := x.(*ast.Ellipsis); ok {
			return &ast.Ellipsis{Elt: blank()}
		}
		return blank()
	}
	switch x := x.(type) {
	case *ast.Ident:
		return w.object(w.info.ObjectOf(x))
	case *ast.SelectorExpr:
		return w.selector(x)
	case *ast.IndexExpr:
		list := w.expr(x.X)
		if typeset.FuncObj(w.info, x) != nil {
			return list
		}
		if !isBlank(list) {
			return &ast.IndexExpr{X: list, Index: w.expr(x.Index)}
		}
	case *ast.IndexListExpr:
		return w.expr(x.X)
	case *ast.FuncLit:
		if !w.silent(x) {
			return w.copy(reflect.ValueOf(x)).Interface().(ast.Expr)
		}
	case *ast.StarExpr:
		return w.expr(x.X)
	case *ast.TypeAssertExpr:
		if x.Type == nil {
			return &ast.TypeAssertExpr{X: blank()} // Have: of a switch.
		}
		return w.expr(x.X)
	case *ast.SliceExpr:
		return w.expr(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.ARROW || x.Op == token.NOT {
			return &ast.UnaryExpr{Op: x.Op, X: w.expr(x.X)}
		}
		return w.expr(x.X)
	case *ast.BinaryExpr:
		l, r := w.expr(x.X), w.expr(x.Y)
		if isBlank(l) && isBlank(r) {
			return blank()
		}
		return &ast.BinaryExpr{X: l, Op: x.Op, Y: r}
	case *ast.CompositeLit:
		return w.literal(x)
	case *ast.CallExpr:
		return w.call(x)
	}
	return w.unknown(x, nil)
}

// selector returns x as it is written, with the names of what is embedded.
func (w *writer) selector(x *ast.SelectorExpr) ast.Expr {
	sel := w.info.Selections[x]
	if sel == nil || sel.Kind() == types.MethodExpr {
		return w.object(w.info.Uses[x.Sel])
	}
	part := w.object(sel.Obj())
	name, ok := part.(*ast.Ident)
	if !ok || isBlank(name) {
		return part // Have: a number, or nothing.
	}
	y := w.expr(x.X)
	for _, field := range embeddedFields(sel) {
		y = &ast.SelectorExpr{X: y, Sel: w.object(field).(*ast.Ident)}
	}
	return &ast.SelectorExpr{X: y, Sel: name}
}

// literal returns a composite literal as it is written.
func (w *writer) literal(lit *ast.CompositeLit) ast.Expr {
	t := w.info.TypeOf(lit)
	written := &ast.CompositeLit{}
	_, isStruct := t.Underlying().(*types.Struct)
	says := w.matters(t)
	for i := range lit.Elts {
		field, elt := typeset.Element(w.info, lit, i)
		x := w.expr(elt)
		says = says || acts(x)
		if isStruct && field != nil {
			key, ok := w.object(field).(*ast.Ident)
			if !ok || isBlank(key) || isBlank(x) {
				continue
			}
			x = &ast.KeyValueExpr{Key: key, Value: x}
		}
		written.Elts = append(written.Elts, x)
	}
	if !says {
		return blank()
	}
	written.Type = w.typeName(t)
	return &ast.ParenExpr{X: written}
}

// call returns a call as it is written.
func (w *writer) call(call *ast.CallExpr) ast.Expr {
	if w.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		return w.expr(call.Args[0])
	}
	switch name := builtinOf(w.info, call); name {
	case "":
	case "panic":
		return panics()
	case "make", "new":
		if t := w.info.TypeOf(call); w.matters(t) {
			return &ast.CallExpr{Fun: ast.NewIdent(name), Args: []ast.Expr{w.typeName(t)}}
		}
		return blank()
	case "close", "append", "len":
		return &ast.CallExpr{Fun: ast.NewIdent(name), Args: w.exprs(call.Args), Ellipsis: call.Ellipsis}
	default:
		return w.unknown(call, call.Args)
	}
	fn := typeset.Callee(w.info, call)
	switch what, _ := httpmodel.ServerCallOf(fn); {
	case fn == nil:
	case httpmodel.EndsProcess(fn):
	case w.cfgs.NoReturn(fn):
		return panics()
	case what == httpmodel.Close && isSide(call):
		return blank()
	case isIdle(fn), w.index.Decl(fn) != nil && !w.telling(fn), quiet(fn) && !isKnown(fn):
		return w.unknown(call, call.Args)
	}
	return &ast.CallExpr{Fun: w.expr(call.Fun), Args: w.exprs(call.Args), Ellipsis: call.Ellipsis}
}

// panics returns a call that does not return.
func panics() ast.Expr { return &ast.CallExpr{Fun: ast.NewIdent("panic")} }

// constantOf returns a constant as it is written: a number, or a boolean.
func constantOf(c constant.Value) ast.Expr {
	switch c.Kind() {
	case constant.Int, constant.Float:
		if c := constant.ToInt(c); c.Kind() == constant.Int {
			return &ast.BasicLit{Kind: token.INT, Value: c.ExactString()}
		}
	case constant.Bool:
		return ast.NewIdent(c.ExactString())
	}
	return blank()
}

// unknown returns an expression of which only the type, and what args do, is known.
func (w *writer) unknown(x ast.Expr, args []ast.Expr) ast.Expr {
	does := slices.DeleteFunc(w.exprs(args), func(x ast.Expr) bool { return !acts(x) })
	results := w.results(w.info.TypeOf(x))
	if len(does) == 0 && results == "" {
		return blank()
	}
	entry := w.entry('u', nil, nil, "", results)
	return &ast.CallExpr{Fun: w.name(entry, entry), Args: does}
}
