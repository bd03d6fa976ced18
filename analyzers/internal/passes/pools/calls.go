package pools

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

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
	case w.lends(call):
		w.emit(w.sendEvent(call))
	case !isLit || !callsOnly(call, w.pass.TypesInfo.TypeOf(arg)):
		w.emit(event{kind: keep})
	}
}

// lends reports whether call calls a parameter of the function, to send a request: one that
// may fail is taken to give the pool back.
func (w *walker) lends(call *ast.CallExpr) bool {
	v := w.variable(call.Fun)
	if v == nil || !isIdent(call.Fun) || w.fn.index(v) <= 0 {
		return false
	}
	sig, ok := v.Type().Underlying().(*types.Signature)
	return ok && expectedSend(sig)
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
