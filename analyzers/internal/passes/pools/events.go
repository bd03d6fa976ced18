package pools

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// An event is something that happens to the pool, or to what is known of it.
type event struct {
	kind    kind
	mask    uint32 // store: parameters; leave: results; forget: conditions
	grip    grip   // leave: how the results hold it
	typ     string // leave: the type that is in a result that is an interface
	failing bool   // leave: an error is returned; send: whether it failed is asked later
}

type kind uint8

const (
	create kind = iota // it is made
	send               // a request is sent with it, which leaves a connection
	done               // its connections are closed, or not kept
	keep               // it is put where it outlives the function, perhaps
	store              // it is put into what a parameter points to
	leave              // the function returns
	forget             // a condition on a parameter is no longer known
)

// eventsOf returns the events of a node of the control-flow graph, in order.
func (t *trace) eventsOf(n ast.Node) []event {
	events, ok := t.events[n]
	if !ok {
		w := &walker{trace: t}
		w.walk(n)
		events = w.list
		t.events[n] = events
	}
	return events
}

// A walker collects the events of a node.
type walker struct {
	*trace
	list  []event
	inLit bool // in a function literal that uses the pool
}

// emit adds an event.
func (w *walker) emit(e event) { w.list = append(w.list, e) }

// walk adds the events of n, those of its parts first.
func (w *walker) walk(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			w.literal(m)
			return false
		case *ast.CallExpr:
			w.walk(calledOn(m))
			for _, arg := range m.Args {
				w.walk(arg)
			}
			w.call(m)
			return false
		case *ast.GoStmt:
			if w.outlives(m.Call) {
				w.emit(event{kind: keep})
				return false
			}
		case *ast.CompositeLit:
			for _, elt := range m.Elts {
				w.walk(elt)
			}
			if m == w.src.node {
				w.emit(event{kind: create})
			}
			return false
		case *ast.ValueSpec:
			for _, value := range m.Values {
				w.walk(value)
			}
			if id, ok := w.src.node.(*ast.Ident); ok && slices.Contains(m.Names, id) {
				w.emit(event{kind: create})
			}
			return false
		case *ast.AssignStmt:
			for _, rhs := range m.Rhs {
				w.walk(rhs)
			}
			w.assign(m)
			return false
		case *ast.SendStmt:
			w.walk(m.Value)
			if w.grip(m.Value) != 0 {
				w.emit(event{kind: keep})
			}
			return false
		case *ast.ReturnStmt:
			for _, result := range m.Results {
				w.walk(result)
			}
			if !w.inLit {
				w.leave(m)
			}
			return false
		case *ast.SelectorExpr: // not called, or else calledOn has left it out
			if sel := w.pass.TypesInfo.Selections[m]; sel != nil && sel.Kind() == types.MethodVal && isCloser(m.Sel.Name) && w.grip(m.X) != 0 {
				w.emit(event{kind: done}) // to be called later
			}
		}
		return true
	})
}

// outlives reports whether a goroutine that has the pool runs as long as something else
// does.
func (w *walker) outlives(call *ast.CallExpr) bool {
	has := w.grip(call.Fun) != 0
	for _, arg := range call.Args {
		has = has || w.grip(arg) != 0
	}
	return has && slices.ContainsFunc(w.callTargets(call), func(t target) bool {
		return t.fn != nil && Outlives(w.pass.TypesInfo, t.fn.node)
	})
}

// calledOn returns what is evaluated to know which function a call calls.
func calledOn(call *ast.CallExpr) ast.Node {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		return fun.X
	default:
		return fun
	}
}

// literal adds what a function literal does to the pool, as if it were run in place.
func (w *walker) literal(lit *ast.FuncLit) {
	if !w.captures(lit) {
		return
	}
	was := w.inLit
	w.inLit = true
	w.walk(lit.Body)
	w.inLit = was
}

// leave adds the end of the function.
func (w *walker) leave(ret *ast.ReturnStmt) {
	e := event{kind: leave}
	results := w.fn.sig.Results()
	add := func(i int, g grip) {
		if g != 0 {
			e.mask |= 1 << i
			e.grip = e.grip.or(g)
		}
	}
	switch {
	case len(ret.Results) == results.Len():
		for i, x := range ret.Results {
			if g := w.grip(x); g != 0 {
				add(i, g)
				e.typ = w.typeIn(results.At(i).Type(), x)
			}
		}
		if n := results.Len(); n > 0 && httpmodel.IsError(results.At(n-1).Type()) {
			e.failing = !w.pass.TypesInfo.Types[ret.Results[n-1]].IsNil() && !w.uses(ret.Results[n-1])
		}
	case len(ret.Results) == 1:
		if call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr); ok {
			for i := range results.Len() {
				add(i, w.resultGrip(call, i))
			}
		}
	default:
		for i := range results.Len() {
			add(i, w.held[results.At(i)])
		}
	}
	w.emit(e)
}

// uses reports whether e is a call that has to do with the pool: its error may be nil.
func (w *walker) uses(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || httpmodel.IgnoresPool(typeset.Callee(w.pass.TypesInfo, call)) {
			return !found
		}
		for i := range len(call.Args) + 1 {
			arg := w.argument(call, i)
			found = found || arg != nil && w.grip(arg) != 0
		}
		return !found
	})
	return found
}

// typeIn returns the name of the type of this package that x, returned as a result of
// type t, has; or the empty string if t tells, or it is not known.
func (w *walker) typeIn(t types.Type, x ast.Expr) string {
	if !types.IsInterface(t) {
		return ""
	}
	named := typeset.Named(w.pass.TypesInfo.TypeOf(x))
	if x == w.src.node {
		named = w.src.concrete
	}
	if named == nil || types.IsInterface(named) || named.Obj().Parent() != w.pass.Pkg.Scope() {
		return ""
	}
	return named.Obj().Name()
}

// assign adds the events of an assignment.
func (w *walker) assign(n *ast.AssignStmt) {
	for i, lhs := range n.Lhs {
		var g grip
		var rhs ast.Expr
		if len(n.Lhs) == len(n.Rhs) {
			rhs = n.Rhs[i]
			g = w.grip(rhs)
		} else if call, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr); ok {
			g = w.resultGrip(call, i)
		} else if i == 0 {
			g = w.grip(n.Rhs[0])
		}
		if g != 0 {
			w.put(lhs)
		}
		sel, isSel := ast.Unparen(lhs).(*ast.SelectorExpr)
		if isSel && rhs != nil && w.grip(sel.X) != 0 && (w.disables(sel.Sel.Name, rhs) || w.replaces(sel, rhs)) {
			w.emit(event{kind: done})
		}
		w.forget(lhs)
	}
}

// disables reports whether a field of a pool, set to x, means that it keeps no
// connections.
func (w *walker) disables(name string, x ast.Expr) bool {
	return name == "DisableKeepAlives" && !isFalse(w.pass.TypesInfo.Types[x]) || strings.HasPrefix(name, "Dial") && w.isGiven(x)
}

// replaces reports whether x, put into a field of what holds the pool, is another
// client or transport that takes its place. In a function literal it may be one that
// is put in only where there is none.
func (w *walker) replaces(field *ast.SelectorExpr, x ast.Expr) bool {
	return !w.inLit && w.poolish(w.pass.TypesInfo.TypeOf(field)) && w.grip(x) == 0 && !w.pass.TypesInfo.Types[x].IsNil()
}

// replacedBy reports whether a method of what holds the pool puts an argument in its
// place: a client or transport that does not hold it.
func (w *walker) replacedBy(call *ast.CallExpr) bool {
	for i := range call.Args {
		arg := w.argument(call, i+1)
		if arg == nil || !w.poolish(w.pass.TypesInfo.TypeOf(arg)) || w.grip(arg) != 0 || w.pass.TypesInfo.Types[arg].IsNil() {
			continue
		}
		for _, t := range w.callTargets(call) {
			if u := w.usesBy(t, i+1); u != nil && u.Params&1 != 0 {
				return true
			}
		}
	}
	return false
}

// putsBack reports whether a method puts an argument that holds the pool into what it is
// called on: what it gives up is another.
func (w *walker) putsBack(call *ast.CallExpr) bool {
	for i := range call.Args {
		arg := w.argument(call, i+1)
		if arg == nil || w.grip(arg) == 0 {
			continue
		}
		for _, t := range w.callTargets(call) {
			if u := w.usesBy(t, i+1); u != nil && u.Params&1 != 0 {
				return true
			}
		}
	}
	return false
}

// put adds that the pool is put into lhs.
func (w *walker) put(lhs ast.Expr) {
	if id, ok := ast.Unparen(lhs).(*ast.Ident); ok {
		if id.Name == "_" {
			return
		}
		if v := w.variable(id); v != nil && w.isLocal(v) && within(v.Pos(), w.fn.node) {
			return
		}
		w.emit(event{kind: keep})
		return
	}
	v := w.root(lhs)
	if v == nil {
		w.emit(event{kind: keep})
		return
	}
	w.putInto(v)
}

// putInto adds that the pool is put into what v points to.
func (w *walker) putInto(v *types.Var) {
	switch o := w.originOf(w.fn, v); {
	case o.outside:
		w.emit(event{kind: keep})
	case o.param >= 0:
		w.emit(event{kind: store, mask: 1 << o.param})
	}
}

// forget adds that conditions on what lhs denotes are no longer known.
func (w *walker) forget(lhs ast.Expr) {
	param, path, ok := w.aliasPath(w.fn, lhs)
	if !ok {
		return
	}
	e := event{kind: forget}
	for i, x := range w.fn.conds {
		if x.param == param && (x.path == path || strings.HasPrefix(x.path, path+".")) {
			e.mask |= 3 << (2 * i)
		}
	}
	if e.mask != 0 {
		w.emit(e)
	}
}
