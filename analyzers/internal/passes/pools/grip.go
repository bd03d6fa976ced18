package pools

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A grip says whether, and how, a value holds the pool that a trace follows.
type grip uint8

const (
	held     grip = 1 << iota // it is the pool, or has it somewhere inside
	opaque                    // it is a RoundTripper that does not forward CloseIdleConnections
	blocked                   // it has a client whose transport is opaque
	inClient                  // it is in a client, as its transport
)

// or joins two ways in which a value may hold the pool. What hinders closing counts
// only if it does in both.
func (g grip) or(h grip) grip {
	switch {
	case g&held == 0:
		return h
	case h&held == 0:
		return g
	}
	return g & h
}

// asTransport returns the grip of a client whose Transport has the grip g.
func (g grip) asTransport() grip {
	if g&opaque != 0 {
		g = g&^opaque | blocked
	}
	return g | inClient
}

// holders collects the variables of the trace's function that may hold the pool.
func (t *trace) holders() {
	t.held = make(map[*types.Var]grip)
	switch {
	case t.src.param != nil:
		t.held[t.src.param] = held
	case t.src.v != nil:
		t.held[t.src.v] = held
	}
	for t.changed = true; t.changed; {
		t.changed = false
		ast.Inspect(t.fn.body, func(n ast.Node) bool {
			t.spread(n)
			return true
		})
	}
}

// spread adds the variables to which a statement gives the pool.
func (t *trace) spread(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		t.spreadAssign(n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			lhs[i] = name
		}
		t.spreadAssign(lhs, n.Values)
	case *ast.RangeStmt:
		if g := t.grip(n.X); g != 0 && n.Value != nil {
			t.hold(n.Value, g)
		} else if g != 0 && n.Key != nil {
			t.hold(n.Key, g)
		}
	case *ast.TypeSwitchStmt:
		assign, ok := n.Assign.(*ast.AssignStmt)
		if !ok {
			return
		}
		if g := t.grip(assign.Rhs[0]); g != 0 {
			for _, clause := range n.Body.List {
				if v, ok := t.pass.TypesInfo.Implicits[clause].(*types.Var); ok {
					t.add(v, g)
				}
			}
		}
	case *ast.CallExpr:
		t.spreadCall(n)
	}
}

// spreadAssign adds the variables to which an assignment gives the pool.
func (t *trace) spreadAssign(lhs, rhs []ast.Expr) {
	for i, l := range lhs {
		if len(lhs) == len(rhs) {
			if g := t.grip(rhs[i]); g != 0 {
				t.hold(l, g)
				if call, ok := ast.Unparen(rhs[i]).(*ast.CallExpr); ok && t.pass.TypesInfo.Types[call.Fun].IsBuiltin() {
					t.collections[t.root(l)] = true // append
				}
			}
			continue
		}
		if len(rhs) != 1 {
			return
		}
		if call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr); ok {
			if g := t.resultGrip(call, i); g != 0 {
				t.hold(l, g)
			}
		} else if i == 0 {
			if g := t.grip(rhs[0]); g != 0 {
				t.hold(l, g)
			}
		}
	}
}

// spreadCall adds the variables whose content a call gives the pool.
func (t *trace) spreadCall(call *ast.CallExpr) {
	if call == t.src.node {
		t.holdArguments(call, t.src.params, t.src.grip)
	}
	for i := range len(call.Args) + 1 {
		arg := t.argument(call, i)
		if arg == nil || t.grip(arg) == 0 {
			continue
		}
		for _, target := range t.callTargets(call) {
			if u := t.usesBy(target, i); u != nil {
				t.holdArguments(call, u.Params, t.grip(arg))
			}
		}
	}
	if t.isOption(call) {
		for _, arg := range call.Args {
			if t.poolish(t.pass.TypesInfo.TypeOf(arg)) {
				t.hold(arg, held)
			}
		}
	}
}

// isOption reports whether call calls a function value that holds the pool, to put
// it into an argument: an option.
func (t *trace) isOption(call *ast.CallExpr) bool {
	if tv := t.pass.TypesInfo.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() || typeset.Callee(t.pass.TypesInfo, call) != nil || t.grip(call.Fun) == 0 {
		return false
	}
	for _, arg := range call.Args {
		if typ := t.pass.TypesInfo.TypeOf(arg); typ != nil && isPointer(typ) && t.poolish(typ) {
			return true
		}
	}
	return false
}

// isPointer reports whether t is a pointer.
func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// holdArguments notes that the arguments of a call, by a mask of parameters, hold
// the pool now.
func (t *trace) holdArguments(call *ast.CallExpr, params uint32, g grip) {
	for i := range len(call.Args) + 1 {
		if arg := t.argument(call, i); arg != nil && params&(1<<i) != 0 {
			if v := t.root(arg); v != nil && !t.originOf(t.fn, v).outside {
				t.add(v, g)
			}
		}
	}
}

// hold notes that what lhs denotes holds the pool.
func (t *trace) hold(lhs ast.Expr, g grip) {
	if sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr); ok {
		if t.isTransportOfClient(sel) {
			g = g.asTransport()
		}
		t.inField(t.pass.TypesInfo.TypeOf(sel.X), sel.Sel)
	}
	v := t.root(lhs)
	if v == nil {
		return
	}
	if _, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok {
		t.collections[v] = true
	}
	if isIdent(lhs) || !t.originOf(t.fn, v).outside {
		t.add(v, g)
	}
}

// isTransportOfClient reports whether sel selects the Transport of an http.Client.
func (t *trace) isTransportOfClient(sel *ast.SelectorExpr) bool {
	return sel.Sel.Name == "Transport" && httpmodel.IsClientType(t.pass.TypesInfo.TypeOf(sel.X))
}

// add notes that v holds the pool, if it is a variable of the function.
func (t *trace) add(v *types.Var, g grip) {
	if !t.isLocal(v) || !within(v.Pos(), t.fn.node) || !carries(v.Type(), 5) {
		return
	}
	if was := t.held[v]; was.or(g) != was {
		t.held[v] = was.or(g)
		t.changed = true
	}
}

// grip says how e holds the pool; 0 if it does not.
func (t *trace) grip(e ast.Expr) grip {
	g := t.gripOf(e)
	if g == 0 {
		return 0
	}
	typ := t.pass.TypesInfo.TypeOf(e)
	if typ == nil || types.IsInterface(typ) {
		return g
	}
	// Have: a concrete type, which tells whether it forwards.
	if obj, _, _ := types.LookupFieldOrMethod(typ, true, nil, "RoundTrip"); obj != nil && !forwards(typ) {
		return g | opaque
	}
	return g &^ opaque
}

// gripOf is grip, apart from what the type of e tells.
func (t *trace) gripOf(e ast.Expr) grip {
	if e == t.src.node {
		return t.src.grip * grip(t.src.results&1)
	}
	info := t.pass.TypesInfo
	switch x := e.(type) {
	case *ast.Ident:
		if v := t.variable(x); v != nil {
			return t.held[v]
		}
	case *ast.ParenExpr:
		return t.grip(x.X)
	case *ast.StarExpr:
		return t.grip(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.AND || x.Op == token.ARROW {
			return t.grip(x.X)
		}
	case *ast.TypeAssertExpr:
		return t.grip(x.X)
	case *ast.SliceExpr:
		return t.grip(x.X)
	case *ast.IndexExpr:
		if carries(info.TypeOf(x), 5) {
			return t.grip(x.X)
		}
	case *ast.SelectorExpr:
		if sel := info.Selections[x]; sel != nil && (sel.Kind() == types.MethodVal || (t.poolish(sel.Type()) || t.isService(sel)) && (slices.Contains(t.twins, x.Sel.Name) || !hasTwin(sel.Recv(), sel.Obj()))) {
			return t.grip(x.X)
		}
	case *ast.CompositeLit:
		return t.literalGrip(x)
	case *ast.FuncLit:
		if t.captures(x) {
			return held
		}
	case *ast.CallExpr:
		return t.resultGrip(x, 0)
	}
	return 0
}

// literalGrip is grip for a composite literal.
func (t *trace) literalGrip(lit *ast.CompositeLit) grip {
	var g grip
	client := httpmodel.IsClientType(t.pass.TypesInfo.TypeOf(lit))
	for _, elt := range lit.Elts {
		value := elt
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			value = kv.Value
		}
		h := t.grip(value)
		if h != 0 && client {
			h = h.asTransport()
		}
		if kv, ok := elt.(*ast.KeyValueExpr); ok && h != 0 {
			if name, ok := kv.Key.(*ast.Ident); ok {
				t.inField(t.pass.TypesInfo.TypeOf(lit), name)
			}
		}
		g = g.or(h)
	}
	return g
}

// captures reports whether a function literal uses a variable that holds the pool
// and that is not its own.
func (t *trace) captures(lit *ast.FuncLit) bool {
	if t.src.param == nil && within(t.src.node.Pos(), lit) {
		return false
	}
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v := t.variable(id)
			found = found || v != nil && t.held[v] != 0 && !within(v.Pos(), lit)
		}
		return !found
	})
	return found
}

// resultGrip says how result i of a call holds the pool.
func (t *trace) resultGrip(call *ast.CallExpr, i int) grip {
	if call == t.src.node {
		return t.src.grip * grip(t.src.results>>i&1)
	}
	info := t.pass.TypesInfo
	if info.Types[call.Fun].IsType() {
		return t.grip(call.Args[0])
	}
	fn := typeset.Callee(info, call)
	var g grip
	if info.Types[call.Fun].IsBuiltin() || httpmodel.WrapsPool(fn) {
		if !carries(info.TypeOf(call), 5) {
			return 0
		}
		for _, arg := range call.Args {
			g = g.or(t.grip(arg))
		}
		return g
	}
	if typ := resultType(info, call, i); typ == nil || !carries(typ, 5) {
		return 0
	}
	targets := t.callTargets(call)
	for j := range len(call.Args) + 1 {
		arg := t.argument(call, j)
		if arg == nil {
			continue
		}
		h := t.grip(arg)
		if h == 0 {
			continue
		}
		known := false
		for _, target := range targets {
			if u := t.usesBy(target, j); u != nil {
				known = true
				if u.Results>>i&1 != 0 {
					if h&opaque != 0 && u.Grip&inClient != 0 {
						h |= blocked
					}
					g = g.or(h&blocked | u.Grip | held)
					t.inFields(u.Twins)
				}
			}
		}
		if !known && j == 0 && t.poolish(resultType(info, call, i)) {
			// A method of another package: what it returns is taken to be built
			// on the receiver.
			g = g.or(h)
		}
		if !known && (mayHold(t.checker, resultType(info, call, i)) && t.takesClientOf(fn, arg) || i == 0 && t.constructs(fn, arg)) {
			g = g.or(h)
		}
	}
	if fn == nil && len(targets) == 0 && t.grip(call.Fun) != 0 && t.poolish(resultType(info, call, i)) {
		g = g.or(held)
	}
	return g
}

// constructs reports whether fn, of another module and of which no more is known, is taken
// to return something that has arg inside: it is named as a constructor or an option, and
// arg is no handler.
func (t *trace) constructs(fn *types.Func, arg ast.Expr) bool {
	if fn == nil || fn.Pkg() == nil || fn.Pkg() == t.pass.Pkg || fn.Signature().Recv() != nil || fn.Signature().Results().Len() == 0 ||
		typeset.IsStd(fn.Pkg(), t.pass.Module) {
		return false
	}
	if sig, ok := typeset.Underlying(t.pass.TypesInfo, arg).(*types.Signature); ok && httpmodel.IsPerRequest(sig) {
		return false
	}
	_, isLit := ast.Unparen(arg).(*ast.FuncLit)
	return !isLit && (strings.HasPrefix(fn.Name(), "New") || strings.HasPrefix(fn.Name(), "With"))
}

// takesClientOf reports whether fn takes its client from arg, a context.
func (t *trace) takesClientOf(fn *types.Func, arg ast.Expr) bool {
	return httpmodel.TakesClientOfContext(fn) && typeset.IsNamed(t.pass.TypesInfo.TypeOf(arg), "context", "Context")
}

// selector returns the selector that call calls, or nil.
func selector(call *ast.CallExpr) *ast.SelectorExpr {
	sel, _ := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return sel
}

// resultType returns the type of result i of a call, or nil.
func resultType(info *types.Info, call *ast.CallExpr, i int) types.Type {
	switch t := info.TypeOf(call).(type) {
	case *types.Tuple:
		if i < t.Len() {
			return t.At(i).Type()
		}
	default:
		if i == 0 {
			return t
		}
	}
	return nil
}
