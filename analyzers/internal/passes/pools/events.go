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
			e.failing = !w.pass.TypesInfo.Types[ret.Results[n-1]].IsNil()
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
	return name == "DisableKeepAlives" && !isFalse(w.pass.TypesInfo.Types[x])
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

// call adds the events of a call, those of its operands apart.
func (w *walker) call(call *ast.CallExpr) {
	if call == w.src.node {
		w.emit(event{kind: create})
		if w.src.used {
			w.emit(w.sendEvent(call))
		}
		w.putIntoArguments(call, w.src.params)
		return
	}
	info := w.pass.TypesInfo
	if tv := info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return
	}
	fn := typeset.Callee(info, call)
	if recv := w.argument(call, 0); recv != nil {
		if g := w.grip(recv); g != 0 && !w.putsBack(call) {
			w.method(call, recv, fn, g)
			if w.replacedBy(call) {
				w.emit(event{kind: done})
			}
		}
	} else if sel := selector(call); fn == nil && sel != nil && w.grip(sel.X) != 0 && len(w.callTargets(call)) == 0 {
		if sig, ok := typeset.Underlying(info, sel).(*types.Signature); ok && expectedSend(sig) && !w.asksToClose() { // a function in a field
			w.emit(w.sendEvent(call))
		}
	} else if fn == nil && w.grip(call.Fun) != 0 && !w.isOption(call) {
		if _, isLit := ast.Unparen(call.Fun).(*ast.FuncLit); !isLit && len(w.targetsIn(call)) == 0 {
			w.emit(event{kind: send})
		}
	}
	if httpmodel.IgnoresPool(fn) || httpmodel.WrapsPool(fn) || w.isOption(call) {
		return
	}
	targets := w.callTargets(call)
	for i := range call.Args {
		if arg := w.argument(call, i+1); arg != nil {
			if g := w.grip(arg); g != 0 {
				w.given(call, targets, i+1, arg, g)
			}
		}
	}
}

// targetsIn returns the function literals of the function itself that a call may
// call: what they do to the pool was seen where they stand.
func (w *walker) targetsIn(call *ast.CallExpr) []target {
	return slices.DeleteFunc(w.callTargets(call), func(t target) bool {
		return t.fn == nil || !within(t.fn.node.Pos(), w.fn.node)
	})
}

// method adds the events of a call of a method of something that holds the pool.
func (w *walker) method(call *ast.CallExpr, x ast.Expr, fn *types.Func, g grip) {
	if fn == nil {
		return
	}
	recv := w.pass.TypesInfo.TypeOf(x)
	if ptr, ok := recv.Underlying().(*types.Pointer); ok {
		recv = ptr.Elem()
	}
	client := httpmodel.IsClientType(recv) || typeset.IsMethod(fn, httpmodel.NetHTTP, "Client", fn.Name())
	if client || httpmodel.IsPool(recv) || typeset.IsMethod(fn, httpmodel.NetHTTP, "Transport", fn.Name()) {
		switch {
		case isCloser(fn.Name()):
			if !client || g&blocked == 0 {
				w.emit(event{kind: done})
			}
		case expectedSend(fn.Signature()) && !w.asksToClose():
			w.emit(w.sendEvent(call))
		}
		return
	}
	if named := w.src.concrete; named != nil && types.IsInterface(fn.Signature().Recv().Type()) {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), fn.Name())
		if method, ok := obj.(*types.Func); ok {
			fn = method
		}
	}
	known := false
	for _, t := range w.declared(fn) {
		if u := w.usesBy(t, 0); u != nil {
			known = true
			w.use(call, u, g)
		}
	}
	if known {
		return
	}
	switch {
	case isCloser(fn.Name()):
		w.emit(event{kind: done})
	case isRunner(fn):
		w.emit(event{kind: keep})
	case expectedSend(fn.Signature()) && !w.asksToClose():
		w.emit(w.sendEvent(call))
	}
}

// isRunner reports whether a method, of which no more is known, is taken to run as long
// as the process: it is called so, and takes nothing but a context.
func isRunner(fn *types.Func) bool {
	return takesContextOnly(fn.Signature()) && slices.Contains([]string{"Run", "Start", "Serve", "Listen", "ListenAndServe", "Watch", "Loop"}, fn.Name())
}

// takesContextOnly reports whether a function takes nothing, or nothing but contexts.
func takesContextOnly(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		if !typeset.IsNamed(p.Type(), "context", "Context") {
			return false
		}
	}
	return true
}

// expectedSend reports whether a method with the signature sig, of which no more is
// known, is taken to send a request: it may fail, or has to do with requests.
func expectedSend(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		if httpmodel.IsRequest(p.Type()) {
			return true
		}
	}
	n := sig.Results().Len()
	return sends(sig) || n > 0 && httpmodel.IsError(sig.Results().At(n-1).Type())
}

// sendEvent returns the event of a call that sends a request, and notes the
// variable that its error is assigned to.
func (w *walker) sendEvent(call *ast.CallExpr) event {
	w.definitions()
	if lhs := w.assigned[call]; len(lhs) > 1 && !w.inLit {
		last := lhs[len(lhs)-1]
		if v := w.variable(last); v != nil && isIdent(last) {
			if id := ast.Unparen(last).(*ast.Ident); id.Name != "_" {
				w.errs[v] = true
				return event{kind: send, failing: true}
			}
		}
	}
	return event{kind: send}
}

// use adds what a callee does with the pool of a parameter.
func (w *walker) use(call *ast.CallExpr, u *use, g grip) {
	if u.Sends {
		w.emit(event{kind: send})
	}
	if u.Keeps {
		w.emit(event{kind: keep})
	}
	if u.Closes && g&blocked == 0 {
		w.emit(event{kind: done})
	}
	w.putIntoArguments(call, u.Params)
}

// putIntoArguments adds that the pool is put into what arguments of a call point to.
func (w *walker) putIntoArguments(call *ast.CallExpr, params uint32) {
	for i := range len(call.Args) + 1 {
		if arg := w.argument(call, i); arg != nil && params&(1<<i) != 0 {
			if v := w.root(arg); v != nil {
				w.putInto(v)
			}
		}
	}
}

// given adds what becomes of the pool that argument i of a call holds.
func (w *walker) given(call *ast.CallExpr, targets []target, i int, arg ast.Expr, g grip) {
	_, isLit := ast.Unparen(arg).(*ast.FuncLit)
	known := false
	for _, t := range targets {
		u := w.usesBy(t, i)
		if u == nil {
			continue
		}
		known = true
		if isLit {
			u = &use{Keeps: u.Keeps, Params: u.Params} // the rest was seen in the literal
		}
		w.use(call, u, g)
	}
	switch fn := typeset.Callee(w.pass.TypesInfo, call); {
	case known:
	case w.takesClientOf(fn, arg):
		if expectedSend(fn.Signature()) {
			w.emit(w.sendEvent(call))
		}
	case w.constructs(fn, arg):
	case !isLit || !callsOnly(call, w.pass.TypesInfo.TypeOf(arg)):
		w.emit(event{kind: keep})
	}
}

// callsOnly reports whether a call of which nothing is known is taken to call the
// function literal that it is given, and not to keep it: the literal takes nothing
// but a context, and the callee is not named as one that registers it.
func callsOnly(call *ast.CallExpr, lit types.Type) bool {
	sig, ok := lit.Underlying().(*types.Signature)
	if !ok || !takesContextOnly(sig) {
		return false
	}
	name := ""
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	return !slices.ContainsFunc([]string{"Handle", "Register", "On", "Add", "Set", "Hook", "Use", "New", "With", "Subscribe", "AfterFunc"}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, "Once")
	})
}
