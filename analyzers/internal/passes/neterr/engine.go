package neterr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// An engine knows one function: it follows what its errors may be.
type engine struct {
	*Info
	info *types.Info
	node ast.Node // the *ast.FuncDecl or *ast.FuncLit

	// isCode tells the statuses that are followed; nil for none.
	isCode func(ast.Expr) (int64, bool)

	// own holds the variables that the body declares and that no function
	// literal in it assigns; shared those that one does.
	// captured holds those that one uses.
	own, shared, captured map[*types.Var]bool

	// lastSet holds where each variable is set for the last time, by position.
	lastSet map[*types.Var]token.Pos

	// derived holds the variables, other than errors, that are computed from an
	// error; body those from the body of a request.
	derived, body map[*types.Var]bool

	// contextErr maps the variables that hold ctx.Err() to whether that is all
	// that they hold.
	contextErr map[*types.Var]bool

	// subjects maps the variable of a type switch's clause to what is switched on.
	subjects map[*types.Var]ast.Expr

	// whys holds the expression at each position in Failure.Why.
	whys map[token.Pos]ast.Expr
}

// newEngine returns the engine of the function node.
func (p *Info) newEngine(node ast.Node) *engine {
	e := &engine{
		Info:     p,
		info:     p.pass.TypesInfo,
		node:     node,
		own:      make(map[*types.Var]bool),
		shared:   make(map[*types.Var]bool),
		captured: make(map[*types.Var]bool),
		lastSet:  make(map[*types.Var]token.Pos),
		derived:  make(map[*types.Var]bool),
		body:     make(map[*types.Var]bool),

		contextErr: make(map[*types.Var]bool),
		subjects:   make(map[*types.Var]ast.Expr),
		whys:       p.whys,
	}
	_, body := funcParts(node)
	e.survey(body, false)
	e.survey(body, false) // a variable derived from one that comes later, in a loop
	for v := range e.shared {
		delete(e.own, v)
	}
	return e
}

// funcParts returns the type and the body of a function.
func funcParts(node ast.Node) (*ast.FuncType, *ast.BlockStmt) {
	if decl, ok := node.(*ast.FuncDecl); ok {
		return decl.Type, decl.Body
	}
	lit := node.(*ast.FuncLit)
	return lit.Type, lit.Body
}

// survey fills in what engine knows of variables, whatever the path.
func (e *engine) survey(n ast.Node, inLit bool) {
	assign := func(lhs, rhs []ast.Expr) {
		for i, x := range lhs {
			id, ok := ast.Unparen(x).(*ast.Ident)
			if !ok {
				continue
			}
			v, ok := e.info.ObjectOf(id).(*types.Var)
			if !ok {
				continue
			}
			if e.info.Defs[id] != nil && !inLit {
				e.own[v] = true
			}
			if inLit && e.info.Defs[id] == nil {
				e.shared[v] = true
			}
			e.lastSet[v] = max(e.lastSet[v], id.Pos())
			from := rhs
			if len(lhs) == len(rhs) {
				from = rhs[i : i+1]
			}
			for _, r := range from {
				only, seen := e.contextErr[v]
				e.contextErr[v] = e.isContextErr(r) && (only || !seen)
				if !IsError(v.Type()) && e.mentionsError(r) {
					e.derived[v] = true
				}
				if e.readsRequest(r) {
					e.body[v] = true
				}
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if v, ok := e.info.Uses[n].(*types.Var); ok && inLit {
				e.captured[v] = true
			}
		case *ast.FuncLit:
			if !inLit {
				e.survey(n.Body, true)
				return false
			}
		case *ast.AssignStmt:
			assign(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			lhs := make([]ast.Expr, len(n.Names))
			for i, name := range n.Names {
				lhs[i] = name
			}
			assign(lhs, n.Values)
		case *ast.TypeSwitchStmt:
			if subject := switchSubject(n); subject != nil {
				for _, clause := range n.Body.List {
					if v, ok := e.info.Implicits[clause].(*types.Var); ok {
						e.subjects[v] = subject
					}
				}
			}
		}
		return true
	})
}

// switchSubject returns x of "switch x.(type)".
func switchSubject(n *ast.TypeSwitchStmt) ast.Expr {
	var x ast.Expr
	switch a := n.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	if assert, ok := ast.Unparen(x).(*ast.TypeAssertExpr); ok {
		return assert.X
	}
	return nil
}

// placeOf returns the place that x denotes: a variable or a field of one.
func (e *engine) placeOf(x ast.Expr) (place, bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if v, ok := e.info.ObjectOf(x).(*types.Var); ok && !v.IsField() {
			return place{root: v}, true
		}
	case *ast.SelectorExpr:
		sel := e.info.Selections[x]
		if sel == nil || sel.Kind() != types.FieldVal {
			break
		}
		field, _ := sel.Obj().(*types.Var)
		root := x.X
		for {
			switch r := ast.Unparen(root).(type) {
			case *ast.SelectorExpr:
				root = r.X
				continue
			case *ast.StarExpr:
				root = r.X
				continue
			case *ast.Ident:
				if v, ok := e.info.ObjectOf(r).(*types.Var); ok && !v.IsField() {
					return place{v, field}, true
				}
			}
			break
		}
	}
	return place{}, false
}

// An errRef names an error: the failure id, or what it wraps depth levels down.
type errRef struct {
	id    token.Pos
	depth int
	asked token.Pos // of the expression
}

// errorOf returns the error that x denotes, if it is one.
func (e *engine) errorOf(w *world, x ast.Expr) (*world, errRef, bool) {
	x = ast.Unparen(x)
	inner := func(y ast.Expr, depth int) (*world, errRef, bool) {
		w, ref, ok := e.errorOf(w, y)
		ref.depth += depth
		ref.asked = x.Pos()
		e.whys[x.Pos()] = x
		return w, ref, ok
	}
	e.whys[x.Pos()] = x
	switch x := x.(type) {
	case *ast.StarExpr:
		return inner(x.X, 0)
	case *ast.TypeAssertExpr:
		return inner(x.X, 0)
	case *ast.CompositeLit:
		return e.literal(w, x)
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && IsError(e.info.TypeOf(x)) {
			return e.literal(w, lit)
		}
		return w, errRef{}, false
	case *ast.CallExpr:
		if e.info.Types[x.Fun].IsType() && len(x.Args) == 1 {
			return inner(x.Args[0], 0)
		}
		fun, fn := e.Callee(x)
		switch {
		case isErrorsFunc(fn, "Unwrap"):
			return inner(x.Args[0], 1)
		case fn != nil && fn.Name() == "Unwrap" && len(x.Args) == 0:
			if sel, ok := fun.(*ast.SelectorExpr); ok {
				return inner(sel.X, 1)
			}
		case httpmodel.Wraps(fn):
			return e.wrapped(w, x)
		}
		if !IsError(e.info.TypeOf(x)) {
			return w, errRef{}, false
		}
		outs := e.call(w, x)
		if len(outs) == 0 {
			return w, errRef{}, false
		}
		// One of several: what follows must hold for each, and to take the first
		// would be a guess.
		if len(outs) > 1 || !outs[0].results[0].err.IsValid() {
			id := x.Lparen
			return w.fresh(id, e.union(outs)), errRef{id: id, asked: x.Pos()}, true
		}
		return outs[0].w, errRef{id: outs[0].results[0].err, asked: x.Pos()}, true
	case *ast.SelectorExpr:
		if x.Sel.Name == "Err" && (typeset.IsNamed(e.info.TypeOf(x.X), "net/url", "Error") || typeset.IsNamed(e.info.TypeOf(x.X), "net", "OpError")) {
			return inner(x.X, 1)
		}
	}
	p, ok := e.placeOf(x)
	if !ok {
		return w, errRef{}, false
	}
	if subject := e.subjects[p.root]; subject != nil && p.field == nil {
		w, ref, ok := e.subjectOf(w, subject)
		ref.asked = x.Pos()
		e.whys[x.Pos()] = x
		return w, ref, ok
	}
	if id := w.vals[p].err; id != token.NoPos {
		return w, errRef{id: id, asked: x.Pos()}, true
	}
	if !IsError(p.typ()) {
		return w, errRef{}, false
	}
	id := p.root.Pos()
	switch {
	case p.field != nil:
		id = x.Pos()
	case isSentinelVar(p.root):
		yes, _ := sentinelQuestion(p.root, false).split(All, 0)
		return w.withErr(id, Failure{Set: yes}), errRef{id: id, asked: x.Pos()}, true
	}
	return w.with(p, value{err: id}), errRef{id: id, asked: x.Pos()}, true
}

// subjectOf returns the error that x is, or may be: a value of type any too.
func (e *engine) subjectOf(w *world, x ast.Expr) (*world, errRef, bool) {
	if w, ref, ok := e.errorOf(w, x); ok {
		return w, ref, true
	}
	if t := e.info.TypeOf(x); t == nil || !types.IsInterface(t) {
		return w, errRef{}, false
	}
	return w, errRef{id: x.Pos(), asked: x.Pos()}, true
}

// typ returns the type of what lies at p.
func (p place) typ() types.Type {
	if p.field != nil {
		return p.field.Type()
	}
	return p.root.Type()
}

// union returns what the only result of outs may be.
func (e *engine) union(outs []callOutcome) Failure {
	var all Failure
	for _, o := range outs {
		f := Failure{Set: None}
		if id := o.results[0].err; id != token.NoPos {
			f = o.w.failure(id)
		}
		all.Set |= f.Set
		if f.Why.IsValid() && f.Set&Dial != 0 {
			all.Why = f.Why
		}
		all.Excused = all.Excused || f.Excused
	}
	return all
}

// wrapped returns the error in the arguments of a call that wraps it: the same
// failure, of which more forms are possible then.
func (e *engine) wrapped(w *world, call *ast.CallExpr) (*world, errRef, bool) {
	for _, arg := range call.Args {
		if !IsError(e.info.TypeOf(arg)) {
			continue
		}
		w, ref, ok := e.errorOf(w, arg)
		if !ok {
			continue
		}
		f := w.failure(ref.id)
		f.Set = f.Set.wrap(false) | f.Set.wrap(true)
		return w.withErr(ref.id, f), ref, true
	}
	return w, errRef{}, false
}

// literal returns the error that a literal of an error type is: what its elements
// wrap, or one of the program's own.
func (e *engine) literal(w *world, lit *ast.CompositeLit) (*world, errRef, bool) {
	if !IsError(e.info.TypeOf(lit)) {
		return w, errRef{}, false
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		if IsError(e.info.TypeOf(elt)) && !e.isNil(elt) {
			if w, ref, ok := e.errorOf(w, elt); ok {
				f := w.failure(ref.id)
				f.Set = f.Set.wrap(false)
				return w.withErr(ref.id, f), ref, true
			}
		}
	}
	return w.fresh(lit.Lbrace, Failure{Set: Other}), errRef{id: lit.Lbrace, asked: lit.Pos()}, true
}

// errorIn returns the error that occurs in x, as in err.Error().
func (e *engine) errorIn(w *world, x ast.Expr) (out *world, ref errRef, ok bool) {
	out = w
	ast.Inspect(x, func(n ast.Node) bool {
		if sub, is := n.(ast.Expr); is && !ok {
			if tv, known := e.info.Types[sub]; known && tv.IsValue() && IsError(tv.Type) {
				out, ref, ok = e.errorOf(w, sub)
			}
		}
		return !ok
	})
	return out, ref, ok
}

// mentionsError reports whether an error, or what was computed from one, occurs in
// x.
func (e *engine) mentionsError(x ast.Node) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			if v, ok := e.info.Uses[n].(*types.Var); ok && (IsError(v.Type()) && !isSentinelVar(v) || e.derived[v]) {
				found = true
			}
		}
		return !found
	})
	return found
}

// isSentinelVar reports whether v is a variable of a package, such as io.EOF.
func isSentinelVar(v *types.Var) bool {
	return !v.IsField() && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// readsRequest reports whether the body of an *http.Request, or a reader made of
// one, occurs in x.
func (e *engine) readsRequest(x ast.Node) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			if n.Sel.Name == "Body" && httpmodel.IsRequest(e.info.TypeOf(n.X)) {
				found = true
			}
		case *ast.Ident:
			if v, ok := e.info.Uses[n].(*types.Var); ok && e.body[v] {
				found = true
			}
		}
		return !found
	})
	return found
}

// isTime reports whether x is a duration or a time.
func (e *engine) isTime(x ast.Expr) bool {
	t := e.info.TypeOf(x)
	return t != nil && !isPointer(t) && (typeset.IsNamed(t, "time", "Duration") || typeset.IsNamed(t, "time", "Time"))
}

// isContextErr reports whether x is ctx.Err() or context.Cause(ctx), or a variable
// that holds one of these.
func (e *engine) isContextErr(x ast.Expr) bool {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		v, _ := e.info.Uses[id].(*types.Var)
		return v != nil && e.contextErr[v]
	}
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := typeset.Callee(e.info, call)
	return typeset.IsMethod(fn, "context", "Context", "Err") || typeset.IsFunc(fn, "context", "Cause")
}

func (e *engine) isNil(x ast.Expr) bool { return e.info.Types[x].IsNil() }

// objectOf returns the variable or constant that x names.
func (e *engine) objectOf(x ast.Expr) types.Object {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return e.info.Uses[x]
	case *ast.SelectorExpr:
		return e.info.Uses[x.Sel]
	}
	return nil
}

// paramIndex returns which parameter of the function x is, or -1. A receiver
// counts as one, the first.
func (e *engine) paramIndex(x ast.Expr) int {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return -1
	}
	v := e.info.Uses[id]
	for i, p := range e.params() {
		if p == v && v != nil {
			return i
		}
	}
	return -1
}

// params returns the receiver and the parameters of the function.
func (e *engine) params() []*types.Var {
	sig := e.signatureOf(e.node)
	var all []*types.Var
	if sig.Recv() != nil {
		all = append(all, sig.Recv())
	}
	for p := range sig.Params().Variables() {
		all = append(all, p)
	}
	return all
}

func (e *engine) signature() *types.Signature { return e.signatureOf(e.node) }

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// IsError reports whether a value of type t is an error, or has the methods of
// net.Error only.
func IsError(t types.Type) bool {
	if t == nil {
		return false
	}
	if iface, ok := t.Underlying().(*types.Interface); ok {
		if _, ok := types.Unalias(t).(*types.TypeParam); ok {
			return types.Implements(t, errorType)
		}
		return types.Implements(t, errorType) || iface.NumMethods() > 0 && methodsOf(iface) == ofNetError
	}
	return types.Implements(t, errorType) || types.Implements(types.NewPointer(t), errorType)
}
