package relays

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// exec runs a node of the graph in w.
func (e *engine) exec(w *world, n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			var values []value
			for _, x := range n.Rhs {
				values = append(values, e.eval(w, x))
			}
			for i, x := range n.Lhs {
				if n.Tok != token.ASSIGN && n.Tok != token.DEFINE { // s += line
					values[i] = values[i].join(e.peek(w, x)).filter(func(h holding) bool { return h.kind != number })
				}
				e.assign(w, x, values[i])
			}
			break
		}
		values := e.tuple(w, n.Rhs) // a call, or x, ok := of a map, an assertion, a channel
		for i, x := range n.Lhs {
			e.assign(w, x, nth(values, i))
		}
	case *ast.ValueSpec:
		values := e.tuple(w, n.Values)
		for i, name := range n.Names {
			e.assign(w, name, nth(values, i))
		}
	case *ast.ExprStmt:
		e.eval(w, n.X)
	case *ast.SendStmt:
		if v, path := e.place(n.Chan); v != nil {
			w.add(v, path, e.eval(w, n.Value))
		}
	case *ast.GoStmt:
		e.call(w, n.Call)
	case *ast.DeferStmt:
		// What it looks at, it looks at when all is sent, but before the function returns.
		looked, answer, by := w.looked, w.answer, w.by
		e.call(w, n.Call)
		w.defers |= w.looked &^ looked
		w.looked, w.answer, w.by = looked, answer, by
	case *ast.ReturnStmt:
		for _, x := range n.Results {
			e.eval(w, x)
		}
	case ast.Expr:
		if v := e.eval(w, n); !e.isIdle(n) && !e.isPatched(n) { // a condition, a tag, or what a select receives or a loop ranges over
			e.consume(w, v.filter(func(h holding) bool { return h.path == "" }))
		}
	}
}

// nth returns the element number i, if there is one.
func nth[S ~[]E, E any](values S, i int) (x E) {
	if i >= 0 && i < len(values) {
		x = values[i]
	}
	return x
}

// place returns the variable in which x lies, and the path to it; nil for a
// package's variable, or if x is no place.
func (e *engine) place(x ast.Expr) (*types.Var, string) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if v, ok := e.info.ObjectOf(x).(*types.Var); ok && v.Parent() != e.pass.Pkg.Scope() && !v.IsField() {
			return v, ""
		}
	case *ast.StarExpr:
		return e.place(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return e.place(x.X)
		}
	case *ast.SliceExpr:
		return e.place(x.X)
	case *ast.TypeAssertExpr:
		return e.place(x.X)
	case *ast.IndexExpr:
		if v, path := e.place(x.X); v != nil {
			return v, path + e.elementPath(x)
		}
	case *ast.SelectorExpr:
		if sel := e.info.Selections[x]; sel != nil && sel.Kind() == types.FieldVal {
			if v, path := e.place(x.X); v != nil {
				return v, path + fieldPath(sel)
			}
		}
	}
	return nil, ""
}

// elementPath returns the path of an element of a map, if its key is constant, or
// of any.
func (e *engine) elementPath(x *ast.IndexExpr) string {
	tv := e.info.Types[x.Index]
	if tv.Value != nil && tv.Value.Kind() == constant.String {
		return keyPath(constant.StringVal(tv.Value))
	}
	return anyElement
}

// keyPath returns the path of the element of a map with the given key.
func keyPath(key string) string { return "." + strings.ReplaceAll(key, ".", "_") }

// fieldPath returns the path of a selected field, through embedded ones.
func fieldPath(sel *types.Selection) string {
	path := ""
	for _, field := range typeset.Fields(sel.Recv(), sel.Index()) {
		path += "." + field.Name()
	}
	return path
}

// assign puts v into the place x.
func (e *engine) assign(w *world, x ast.Expr, v value) {
	if id, ok := x.(*ast.Ident); x == nil || ok && id.Name == "_" {
		return
	}
	root, path := e.place(x)
	if root == nil {
		e.consume(w, v.only(status)) // it is kept where others see it
		return
	}
	if path != "" && v.has(decoded) && e.company(root) > 1 {
		v = mixed(v, w.held[root])
	}
	if _, ok := ast.Unparen(x).(*ast.IndexExpr); ok {
		w.add(root, path, e.gathered(root, v))
		return
	}
	w.set(root, path, v)
}

// gathered returns v, to be put into root beside others, without the bodies that a
// loop gathers there: the answer is about many, and no status is that of all.
func (e *engine) gathered(root *types.Var, v value) value {
	return v.filter(func(h holding) bool {
		return h.kind > failure || !e.inLoop(e.origins[h.from].call, root)
	})
}

// peek evaluates x without what it does.
func (e *engine) peek(w *world, x ast.Expr) value {
	record := e.record
	e.record = false
	defer func() { e.record = record }()
	return e.eval(w.clone(), x)
}

// eval evaluates x in w, which it modifies by what calls in x do.
func (e *engine) eval(w *world, x ast.Expr) value {
	if tv, ok := e.info.Types[x]; ok && tv.Value != nil {
		if n, ok := constant.Int64Val(constant.ToInt(tv.Value)); ok && tv.Value.Kind() == constant.Int && n >= 100 && n < 1000 {
			return value{{"", number, int(n)}}
		}
		return nil
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.eval(w, x.X)
	case *ast.StarExpr:
		return e.eval(w, x.X)
	case *ast.Ident:
		if v, ok := e.info.ObjectOf(x).(*types.Var); ok {
			return e.natural(w.held[v], v.Type())
		}
	case *ast.UnaryExpr:
		v := e.eval(w, x.X)
		if x.Op == token.ARROW {
			return v.join(v.at(anyElement))
		}
		return v
	case *ast.BinaryExpr:
		return e.binary(w, x)
	case *ast.IndexExpr:
		e.consume(w, e.eval(w, x.Index).only(status))
		v := e.eval(w, x.X)
		return e.element(v).join(v.at(e.elementPath(x)))
	case *ast.SliceExpr:
		return e.eval(w, x.X)
	case *ast.TypeAssertExpr:
		return e.eval(w, x.X)
	case *ast.SelectorExpr:
		return e.selector(w, x)
	case *ast.CompositeLit:
		return e.literal(w, x)
	case *ast.FuncLit:
		return e.yielded(w, x)
	case *ast.CallExpr:
		return nth(e.call(w, x), 0)
	}
	return nil
}

// natural returns v, which a value of type t holds. A value of the type of an own
// client is one, wherever it comes from.
func (e *engine) natural(v value, t types.Type) value {
	if httpmodel.IsOwnClient(t) && !v.has(own) {
		return v.join(value{{"", own, ownParam}})
	}
	return v
}

// binary evaluates an operation.
func (e *engine) binary(w *world, x *ast.BinaryExpr) value {
	v := e.eval(w, x.X).join(e.eval(w, x.Y))
	switch x.Op {
	case token.EQL, token.NEQ:
		if e.isNil(x.X) || e.isNil(x.Y) {
			if _, ok := typeset.Underlying(e.info, x.X).(*types.Pointer); ok {
				w.look(v.only(decoded)) // resp.JSON200 == nil
			}
			return nil
		}
		fallthrough
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		if e.isIdle(x) {
			return nil
		}
		e.consume(w, v)
		if e.isText(x.X) || e.isText(x.Y) {
			w.look(v.only(body)) // body == "ok"
		}
		return nil
	case token.LAND, token.LOR:
		e.consume(w, v)
		return nil
	}
	return v.filter(func(h holding) bool { return h.kind != number })
}

// isIdle reports whether x is of a condition that decides only what is logged.
func (e *engine) isIdle(x ast.Expr) bool {
	return slices.ContainsFunc(e.idle, func(cond ast.Node) bool { return syntax.Within(x, cond) })
}

// isPatched reports whether x is what a loop ranges over that only changes it in place:
// that says nothing of whether it is good.
func (e *engine) isPatched(x ast.Expr) bool {
	for _, n := range e.loops {
		if loop, ok := n.(*ast.RangeStmt); ok && loop.X == x {
			root, _ := e.place(x)
			return root != nil && !slices.ContainsFunc(loop.Body.List, func(stmt ast.Stmt) bool {
				assign, ok := stmt.(*ast.AssignStmt)
				return !ok || slices.ContainsFunc(assign.Lhs, func(lhs ast.Expr) bool {
					v, _ := e.place(lhs)
					return v == nil || v != root && !(loop.Pos() <= v.Pos() && v.Pos() < loop.End())
				})
			})
		}
	}
	return false
}

// consume notes that something was decided by v: the status is looked at, and so it
// is if a part of what was decoded says whether there is anything to answer.
func (e *engine) consume(w *world, v value) {
	w.look(v.filter(func(h holding) bool {
		return h.kind == status || h.kind == part || h.kind == body && e.origins[h.from].ref.Path != ""
	}))
}

// isText reports whether x is a constant text that says something.
func (e *engine) isText(x ast.Expr) bool {
	tv := e.info.Types[x]
	return tv.Value != nil && tv.Value.Kind() == constant.String && constant.StringVal(tv.Value) != ""
}

// selector evaluates the selection of a field. A method is none.
func (e *engine) selector(w *world, x *ast.SelectorExpr) value {
	sel := e.info.Selections[x]
	if sel == nil {
		return e.natural(nil, e.info.TypeOf(x))
	}
	if sel.Kind() != types.FieldVal {
		return nil
	}
	v := e.eval(w, x.X)
	t := sel.Recv()
	for _, i := range sel.Index() {
		st, ok := typeset.StructOf(t)
		if !ok {
			return nil
		}
		v = e.field(v, st.Field(i))
		t = st.Field(i).Type()
	}
	return e.natural(v, e.info.TypeOf(x))
}

// field returns what the field f of a struct that holds v holds.
func (e *engine) field(v value, f *types.Var) value {
	out := v.at("." + f.Name())
	for _, h := range v {
		if h.path != "" {
			continue
		}
		switch h.kind {
		case response:
			out = out.join(partOf(h, f.Name()))
		case own:
			if t := f.Type(); httpmodel.IsOwnClient(t) || httpmodel.IsUpstream(types.NewPointer(t)) {
				out = append(out, h)
			}
		case body, decoded, piece, part:
			if o := e.origins[h.from]; o.call == nil && h.kind == body {
				// A field of a parameter is an origin of its own.
				if strings.Count(o.ref.Path, ".") < maxFields-1 {
					out = append(out, e.paramValue(ref{o.ref.Param, o.ref.Path + "." + f.Name()}, f.Type())...)
				}
				continue
			}
			out = append(out, holding{"", part, h.from})
		}
	}
	return valueOf(out)
}

// partOf returns what the field or method name of the response h holds.
func partOf(h holding, name string) value {
	k := response
	switch httpmodel.PartOf(name) {
	case httpmodel.BodyPart:
		k = body
	case httpmodel.ValuePart:
		k = decoded
	case httpmodel.StatusPart:
		k = status
	case httpmodel.HeaderPart:
		k = header
	case httpmodel.WholePart:
	default:
		return nil
	}
	return value{{"", k, h.from}}
}

// fill makes what x points to, or what x is, hold v too.
func (e *engine) fill(w *world, x ast.Expr, v value) {
	if root, path := e.place(x); root != nil {
		w.add(root, path, v)
	}
}

// write makes x, a writer or a buffer, hold v behind what it holds. What is written to
// one end of a pipe is read from the other.
func (e *engine) write(w *world, x ast.Expr, v value) {
	root, path := e.place(x)
	if root == nil {
		return
	}
	w.add(root, path, e.gathered(root, v))
	if reader := e.pipes[root]; reader != nil {
		w.add(reader, "", e.gathered(reader, v))
	}
}
