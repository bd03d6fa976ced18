package drains

import (
	"fmt"
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
	var results []string
	says := false
	for v := range fn.Signature().Results().Variables() {
		says = says || w.matters(v.Type())
		results = append(results, w.typ(v.Type()))
	}
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
	if says {
		s += " " + strings.Join(results, ",")
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
	t := w.info.TypeOf(x)
	if tuple, ok := t.(*types.Tuple); ok {
		if len(does) == 0 && !tupleMatters(w.Info, tuple) {
			return "_"
		}
		var list []string
		for v := range tuple.Variables() {
			list = append(list, w.typ(v.Type()))
		}
		return w.entry("f  "+strings.Join(list, ",")) + "(" + strings.Join(does, ",") + ")"
	}
	if len(does) == 0 && (t == nil || !w.matters(t)) {
		return "_"
	}
	return w.entry("f  "+w.typ(t)) + "(" + strings.Join(does, ",") + ")"
}

// tupleMatters reports whether a type of a tuple matters.
func tupleMatters(p *Info, tuple *types.Tuple) bool {
	for v := range tuple.Variables() {
		if p.matters(v.Type()) {
			return true
		}
	}
	return false
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
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return "_"
		}
		s += "." + w.object(st.Field(i))
		t = st.Field(i).Type()
	}
	switch name := w.object(sel.Obj()); {
	case name == "_":
		return "_"
	case name[0] < 'A':
		return name // Have: a number.
	default:
		return s + "." + name
	}
}

// literal writes a composite literal.
func (w *writer) literal(lit *ast.CompositeLit) string {
	t := w.info.TypeOf(lit)
	var elts []string
	st, isStruct := t.Underlying().(*types.Struct)
	does := false
	for i, elt := range lit.Elts {
		key := ""
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && isStruct {
				key = w.object(w.info.Uses[id])
			}
			elt = kv.Value
		} else if isStruct && i < st.NumFields() {
			key = w.object(st.Field(i))
		}
		s := w.expr(elt)
		switch {
		case !isStruct:
			elts = append(elts, s)
		case s != "_" && key != "_":
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

// isKnown reports whether fn, of a package that keeps quiet, is one that a follower
// knows.
func isKnown(fn *types.Func) bool {
	return tellsOfOrder(fn) || typeset.IsFunc(fn, "errors", "Is", "New", "Join") || typeset.IsFunc(fn, "fmt", "Errorf") ||
		typeset.IsFunc(fn, "time", "Now") || typeset.IsMethod(fn, "time", "Time", "Add")
}

// isIdle reports whether a call of fn, of a package that tells of order, tells nothing:
// a lock's, or of package signal those that only set up a channel.
func isIdle(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch typeset.PkgPath(fn.Pkg()) {
	case "os/signal":
		return fn.Name() != "NotifyContext"
	case "sync/atomic":
		return true
	case "sync":
		return typeset.IsMethod(fn, "sync", "Mutex", "Lock", "Unlock") || typeset.IsMethod(fn, "sync", "RWMutex", "Lock", "Unlock", "RLock", "RUnlock")
	}
	return false
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
