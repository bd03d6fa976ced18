package drains

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A writer writes functions down for other packages: as Go, without what says
// nothing, and with names of a table for all that is declared. What the text leaves
// out of an expression is "_".
type writer struct {
	*Info
	table []string
	names map[any]string // by object, or by entry
	queue []*types.Func  // unexported functions that are called
}

// name returns the name of key, whose entry in the table is made by entry.
func (w *writer) name(key any, entry func() string) string {
	if name, ok := w.names[key]; ok {
		return name
	}
	i := len(w.table)
	w.table = append(w.table, "")
	name := nameAt(i)
	w.names[key] = name
	w.table[i] = entry()
	return name
}

// entry returns the name of an entry that is its own key.
func (w *writer) entry(text string) string {
	return w.name(text, func() string { return text })
}

// nameAt returns the name at an index of a table: A to Z, AA and so on.
func nameAt(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return nameAt(i/26-1) + string(rune('A'+i%26))
}

// isName reports whether a text is a name of the table.
func isName(text string) bool { return text != "" && 'A' <= text[0] && text[0] <= 'Z' }

// function writes the declaration of a function.
func (w *writer) function(fn *types.Func, decl *ast.FuncDecl) string {
	recv := ""
	if decl.Recv != nil && len(decl.Recv.List) == 1 {
		recv = "(" + w.params(decl.Recv) + ")"
	}
	return "func" + recv + " " + w.object(fn) + w.signature(decl.Type) + w.block(decl.Body)
}

// signature writes the parameters, and the results that have names.
func (w *writer) signature(typ *ast.FuncType) string {
	s := "(" + w.params(typ.Params) + ")"
	if typ.Results != nil && len(typ.Results.List) > 0 && len(typ.Results.List[0].Names) > 0 {
		s += "(" + w.params(typ.Results) + ")"
	}
	return s
}

// params writes a list of parameters. Their types are in the table.
func (w *writer) params(list *ast.FieldList) string {
	var params []string
	for _, field := range list.List {
		typ := " _"
		if _, ok := field.Type.(*ast.Ellipsis); ok {
			typ = " ..._"
		}
		if len(field.Names) == 0 {
			params = append(params, "_"+typ)
		}
		for _, name := range field.Names {
			text := "_"
			if obj := w.info.Defs[name]; obj != nil {
				text = w.object(obj)
			}
			params = append(params, text+typ)
		}
	}
	return strings.Join(params, ",")
}

// object writes a variable or function.
func (w *writer) object(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Var:
		if c := w.fixed(obj); c != nil {
			return constantText(c)
		}
		if !w.relevant(obj.Type()) || obj.Name() == "_" {
			return "_"
		}
		return w.name(obj.Origin(), func() string {
			typ := w.typ(obj.Type())
			switch {
			case obj.IsField():
				return strings.TrimSuffix("."+typ+" "+obj.Name()+" "+w.cancels[obj], " ")
			case obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope():
				return "g" + typ + " " + obj.Pkg().Path() + " " + obj.Name()
			}
			return "v" + typ
		})
	case *types.Func:
		obj = obj.Origin()
		return w.name(obj, func() string { return w.funcEntry(obj) })
	}
	return "_"
}

// funcEntry returns the table's entry of a function.
func (w *writer) funcEntry(fn *types.Func) string {
	s := "f"
	recv := fn.Signature().Recv()
	switch {
	case w.telling[fn] && !typeset.IsExported(fn):
		w.queue = append(w.queue, fn)
		s = "l"
		if recv != nil {
			s += w.typ(recv.Type())
		}
	case recv != nil:
		s = "m" + w.typ(recv.Type())
	case fn.Pkg() != nil:
		s += fn.Pkg().Path()
	}
	s += " " + fn.Name()
	if results, says := w.results(fn.Signature().Results()); says {
		s += " " + results
	}
	return s
}

// relevant reports whether it matters which value of type t a variable has, or whether
// it decides what comes after.
func (p *Info) relevant(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsNumeric) != 0 || httpmodel.IsError(t) || p.matters(t)
}

// typ writes what matters of a type: see reader.typ.
func (w *writer) typ(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return "*" + w.typ(t.Elem())
	case *types.Chan:
		return "c" + w.typ(t.Elem())
	case *types.Slice:
		return "[" + w.typ(t.Elem())
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return "e"
		}
		kind := "N"
		if types.IsInterface(t) {
			kind = "I"
		}
		return kind + t.Obj().Pkg().Path() + "." + t.Obj().Name()
	case *types.Signature:
		return "f"
	case *types.Basic:
		switch {
		case t.Info()&types.IsBoolean != 0:
			return "b"
		case t.Info()&types.IsNumeric != 0:
			return "n"
		}
	case *types.Struct:
		return "t"
	case *types.Interface, *types.TypeParam:
		return "a"
	}
	return "s"
}

// unknown writes an expression of which only the type, and what args do, is known.
func (w *writer) unknown(x ast.Expr, args []ast.Expr) string {
	var does []string
	for _, arg := range args {
		if s := w.expr(arg); acts(s) {
			does = append(does, s)
		}
	}
	results, says := w.results(w.info.TypeOf(x))
	if len(does) == 0 && !says {
		return "_"
	}
	return w.entry("f  "+results) + "(" + strings.Join(does, ",") + ")"
}

// results writes the types of results, and reports whether one of them matters.
func (w *writer) results(t types.Type) (text string, says bool) {
	var texts []string
	for _, t := range typesOf(t) {
		texts = append(texts, w.typ(t))
		says = says || w.matters(t)
	}
	return strings.Join(texts, ","), says
}

// typesOf returns the types of which t, a tuple, consists, or else t.
func typesOf(t types.Type) (list []types.Type) {
	tuple, ok := t.(*types.Tuple)
	if !ok && t != nil {
		return []types.Type{t}
	}
	for v := range tuple.Variables() {
		list = append(list, v.Type())
	}
	return list
}

// acts reports whether the text of an expression does something: a call, a receive, or
// a function.
func acts(text string) bool { return strings.ContainsAny(text, "(<{") }

// expr writes an expression.
func (w *writer) expr(x ast.Expr) string {
	x = ast.Unparen(x)
	if c := w.info.Types[x].Value; c != nil {
		return constantText(c)
	}
	switch x := x.(type) {
	case *ast.Ident:
		if obj := w.info.ObjectOf(x); obj != types.Universe.Lookup("nil") {
			return w.object(obj)
		}
		return "nil"
	case *ast.SelectorExpr:
		return w.selector(x)
	case *ast.IndexExpr:
		if typeset.FuncObj(w.info, x) != nil {
			return w.expr(x.X)
		}
		if list := w.expr(x.X); list != "_" {
			return list + "[" + w.expr(x.Index) + "]"
		}
	case *ast.IndexListExpr:
		return w.expr(x.X)
	case *ast.FuncLit:
		if !w.silent[x] {
			return "func" + w.signature(x.Type) + w.block(x.Body)
		}
	case *ast.StarExpr:
		return w.expr(x.X)
	case *ast.TypeAssertExpr:
		if x.Type != nil {
			return w.expr(x.X)
		}
	case *ast.SliceExpr:
		return w.expr(x.X)
	case *ast.UnaryExpr:
		s := w.expr(x.X)
		switch x.Op {
		case token.ARROW:
			return "<-" + s
		case token.NOT:
			return "!" + s
		}
		return s
	case *ast.BinaryExpr:
		l, r := w.operand(x.X), w.operand(x.Y)
		if l == "_" && r == "_" {
			return "_"
		}
		return l + " " + x.Op.String() + " " + r
	case *ast.CompositeLit:
		return w.literal(x)
	case *ast.CallExpr:
		return w.call(x)
	}
	return w.unknown(x, nil)
}

// operand writes an operand of a binary expression.
func (w *writer) operand(x ast.Expr) string {
	s := w.expr(x)
	if _, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && s != "_" {
		return "(" + s + ")"
	}
	return s
}

// constantText writes a constant: a number, or a boolean.
func constantText(c constant.Value) string {
	switch c.Kind() {
	case constant.Int, constant.Float:
		if c := constant.ToInt(c); c.Kind() == constant.Int {
			return c.ExactString()
		}
	case constant.Bool:
		return c.ExactString()
	}
	return "_"
}

// selector writes x, with the names of what is embedded.
func (w *writer) selector(x *ast.SelectorExpr) string {
	sel := w.info.Selections[x]
	if sel == nil {
		return w.object(w.info.Uses[x.Sel])
	}
	if sel.Kind() == types.MethodExpr {
		return w.object(sel.Obj())
	}
	s := w.expr(x.X)
	for _, field := range embeddedFields(sel) {
		s += "." + w.object(field)
	}
	name := w.object(sel.Obj())
	if !isName(name) {
		return name // Have: a number, or nothing.
	}
	return s + "." + name
}

// literal writes a composite literal.
func (w *writer) literal(lit *ast.CompositeLit) string {
	t := w.info.TypeOf(lit)
	var elts []string
	_, isStruct := t.Underlying().(*types.Struct)
	does := false
	for i := range lit.Elts {
		key := ""
		field, elt := typeset.Element(w.info, lit, i)
		if isStruct && field != nil {
			key = w.object(field)
		}
		s := w.expr(elt)
		switch {
		case !isStruct:
			elts = append(elts, s)
		case s != "_" && isName(key):
			elts = append(elts, key+":"+s)
		}
		does = does || acts(s)
	}
	if !w.matters(t) && !does {
		return "_"
	}
	return w.entry("t"+w.typ(t)) + "{" + strings.Join(elts, ",") + "}"
}

// call writes a call.
func (w *writer) call(call *ast.CallExpr) string {
	tv := w.info.Types[call.Fun]
	switch {
	case tv.IsType() && len(call.Args) == 1:
		return w.expr(call.Args[0])
	case tv.IsBuiltin():
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		if !ok {
			return "_"
		}
		switch id.Name {
		case "panic":
			return "panic()"
		case "make", "new":
			if t := w.info.TypeOf(call); w.matters(t) {
				return id.Name + "(" + w.entry("t"+w.typ(t)) + ")"
			}
			return "_"
		case "close", "append", "len":
			return id.Name + "(" + w.list(call.Args, call.Ellipsis) + ")"
		}
		return w.unknown(call, call.Args)
	}
	fn := typeset.Callee(w.info, call)
	switch what, _ := httpmodel.ServerCallOf(fn); {
	case fn == nil:
	case httpmodel.EndsProcess(fn):
	case w.cfgs.NoReturn(fn):
		return "panic()"
	case what == httpmodel.Close && isSide(call):
		return "_"
	case isIdle(fn), w.index.Decl(fn) != nil && !w.telling[fn], quiet(fn) && !isKnown(fn):
		return w.unknown(call, call.Args)
	}
	return w.expr(call.Fun) + "(" + w.list(call.Args, call.Ellipsis) + ")"
}

// list writes the arguments of a call.
func (w *writer) list(args []ast.Expr, ellipsis token.Pos) string {
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = w.expr(arg)
	}
	s := strings.Join(texts, ",")
	if ellipsis.IsValid() {
		s += "..."
	}
	return s
}
