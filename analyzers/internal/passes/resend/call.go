package resend

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// solve solves the frame's graph, and reports whether it could.
func (f *frame) solve(g *cfg.CFG, body *ast.BlockStmt, entry state) bool {
	return flow.Solve(g, body, entry, f) != nil && !f.overflow
}

// makeCalls makes the calls in n, in their order.
func (f *frame) makeCalls(s state, n ast.Node) state {
	switch stmt := n.(type) {
	case *ast.DeferStmt:
		return s
	case *ast.GoStmt:
		return f.flatMap(s, func(w *world) state {
			if fn := f.funcOf(w, stmt.Call); fn != nil {
				f.spawn(f.bind(w, stmt.Call, fn), stmt.Call, fn)
				return state{f.forgetAssigned(w, fn)}
			}
			return state{w}
		})
	}
	var list []ast.Node
	parts := f.conditions(n)
	var stack []ast.Node
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			switch last := stack[len(stack)-1].(type) {
			case *ast.CallExpr, *ast.CompositeLit:
				list = append(list, last)
			}
			stack = stack[:len(stack)-1]
			return true
		}
		if e, ok := n.(ast.Expr); ok && slices.Contains(parts, e) {
			return false
		}
		if _, ok := n.(*ast.FuncLit); ok {
			list = append(list, n)
			return false
		}
		stack = append(stack, n)
		return true
	})
	for _, n := range list {
		switch n := n.(type) {
		case *ast.CallExpr:
			s = f.flatMap(s, func(w *world) state { return f.call(w, n) })
		case *ast.CompositeLit:
			s = f.flatMap(s, func(w *world) state { return state{f.composite(w, n)} })
		case *ast.FuncLit:
			if !isCalled(list, n) {
				later := f.runsLater(list, n)
				for _, w := range s {
					if later {
						w = w.waited()
					}
					f.spawn(w, n, n)
				}
			}
		}
	}
	return s
}

// conditions returns the conditions with parts that a statement assigns or returns: their
// calls are made where each is assumed to be true, or false.
func (f *frame) conditions(n ast.Node) (list []ast.Expr) {
	var values []ast.Expr
	switch n := n.(type) {
	case *ast.ReturnStmt:
		values = n.Results
	case *ast.AssignStmt:
		values = n.Rhs
	}
	for _, e := range values {
		if hasParts(e) {
			list = append(list, e)
		}
	}
	return list
}

// composite sets the fields of a literal.
func (f *frame) composite(w *world, lit *ast.CompositeLit) *world {
	if isBuffer(f.info.TypeOf(lit)) {
		return w.buffer(lit)
	}
	st, ok := typeset.Underlying(f.info, lit).(*types.Struct)
	if !ok {
		return w
	}
	c := w.clone()
	for field := range st.Fields() {
		if isReader(field.Type()) {
			c.put(ref{lit, "." + field.Name()}, zero(field.Type())) // unless it is given
		}
	}
	for i := range lit.Elts {
		if field, x := typeset.Element(f.info, lit, i); field != nil {
			c.put(ref{lit, "." + field.Name()}, f.eval(w, x))
		}
	}
	return c
}

// call returns the worlds after a call whose arguments are evaluated.
func (f *frame) call(w *world, call *ast.CallExpr) state {
	if tv := f.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		if isBuffer(f.info.TypeOf(call)) {
			w = w.buffer(call)
		}
		return state{w}
	}
	fn := typeset.Callee(f.info, call)
	if s := f.imported(fn); s != nil && (len(s.Ways) > 0 || len(s.Resends) > 0) {
		return f.apply(w, call, fn, s)
	}
	if spec := f.sendOf(call, fn); spec != nil {
		if fn != nil || f.funcOf(w, call) == nil {
			return f.send(w, call, spec)
		}
	}
	if s, ok := f.known(w, call, fn); ok {
		return s
	}
	if set, _ := f.asksOneOf(w, call); set != nil {
		return state{w}
	}
	target := f.funcOf(w, call)
	if target == nil {
		if v := f.eval(w, call.Fun); fn == nil && v.k == given {
			return f.callGiven(w, call, v)
		}
		for i, arg := range call.Args {
			lit := f.callback(w, arg)
			if lit != nil && lit == f.fn && f.isLater(call) {
				f.beginsAgain(w.waited(), lit)
			}
			if lit != nil && f.retries.RepeatsArg(call, fn, i) && len(f.calls) < maxDepth {
				return f.repeat(w, call, fn, i, lit)
			}
		}
		return f.unknownCall(w, call, fn)
	}
	if target == f.fn || f.apart && target == f.parents[len(f.parents)-1].fn {
		if f.leavesOut(call) || !f.beginsAgain(f.bind(w, call, target), target) {
			return f.unknownCall(w, call, fn)
		}
		return nil
	}
	if len(f.calls) >= maxDepth || !f.worthFollowing(target) || slices.ContainsFunc(f.parents, func(p *frame) bool { return p.fn == target }) {
		return f.unknownCall(w, call, fn)
	}
	return f.inline(w, call, target)
}

// beginsAgain notes that fn, which runs, is called in w, and reports whether it may repeat
// what was sent.
func (f *frame) beginsAgain(w *world, fn ast.Node) bool {
	if f.fn != fn {
		f = f.parents[len(f.parents)-1]
	}
	c := w.enters(fn)
	if len(c.sent()) == 0 {
		return false
	}
	f.again = append(f.again, c)
	return true
}

// leavesOut reports whether a function calls itself without something that it was
// given: a text or pointer that is empty, a number that is 0. What it sends then is another request.
func (f *frame) leavesOut(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		tv := f.info.Types[arg]
		return tv.IsNil() || tv.Value != nil && (tv.Value.ExactString() == `""` || tv.Value.ExactString() == "0")
	})
}

// results returns the world with the results of a call that is not followed.
func (f *frame) results(w *world, call *ast.CallExpr, of map[int]val) *world {
	c := w.clone()
	tuple := resultsOf(f.info, call)
	for i := range tuple.Len() {
		v := of[i]
		if v.k == unknown && isReader(tuple.At(i).Type()) {
			v = val{k: reader, obj: call}
			c.forget(ref{call, "#used"})
		}
		if v.k == unknown && isRequest(tuple.At(i).Type()) {
			v = val{k: request, obj: call}
			f.freshRequest(c, call)
			c.put(ref{call, "#key"}, val{k: nonNil})
		}
		if b, ok := tuple.At(i).Type().Underlying().(*types.Basic); ok && v.k == unknown && b.Info()&types.IsString != 0 {
			v = val{k: nonNil} // some text
		}
		c.put(ref{call, digit(i)}, v)
	}
	return c
}

// resultsOf returns the results of a call.
func resultsOf(info *types.Info, call *ast.CallExpr) *types.Tuple {
	t := info.TypeOf(call.Fun)
	if t == nil {
		return types.NewTuple()
	}
	if sig, ok := t.Underlying().(*types.Signature); ok {
		return sig.Results()
	}
	return types.NewTuple()
}

// unknownCall returns the world after a call of which nothing is known.
func (f *frame) unknownCall(w *world, call *ast.CallExpr, fn *types.Func) state {
	switch f.waitOf(call, fn) {
	case waiting:
		w = w.waited()
	case sleeping:
		w = f.sleeps(w.waited(), call)
	}
	asked := false
	var wraps val
	of := make(map[int]val)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if v := f.eval(w, sel.X); v.k == answerOf {
			w = f.computed(w, call, v, of)
		}
	}
	for _, arg := range call.Args {
		v := f.eval(w, arg)
		switch v.k {
		case statusOf, respOf:
			for r := range resultsOf(f.info, call).Variables() {
				if typeset.IsBool(r.Type()) {
					w = f.unsure(w, v)
				}
			}
		case answerOf:
			w = f.computed(w, call, v, of)
		case errOf, buildErr, object, madeErr, sentinel:
			asked = asked || v.k == errOf
			wraps = v
		case reader:
			if !peeks(call) {
				w = w.filled(v.obj)
			}
		case request:
			w = w.with(ref{v.obj, "#key"}, val{k: nonNil})
		case function:
			if n, ok := v.obj.(ast.Node); ok {
				w = f.forgetAssigned(w, n)
			}
		default:
			if addr, ok := ast.Unparen(arg).(*ast.UnaryExpr); ok && addr.Op == token.AND {
				if r, ok := f.place(w, addr.X); ok {
					w = w.assign(r, val{})
				}
			}
		}
	}
	tuple := resultsOf(f.info, call)
	for i := range tuple.Len() {
		t := tuple.At(i).Type()
		if asked && typeset.IsBool(t) {
			w = f.doubts(w)
		}
		if tuple.Len() == 1 && (wraps.k != unknown && (httpmodel.ImplementsError(t) || httpmodel.IsRetryError(t)) || httpmodel.IsError(t) && permanent.MatchString(lastName(call.Fun))) {
			of[i] = val{k: wrappedErr, s: lastName(call.Fun), obj: wraps.obj}
		}
	}
	return state{f.results(w, call, of)}
}

// peeks reports whether a call only looks at a reader.
func peeks(call *ast.CallExpr) bool {
	switch lastName(call.Fun) {
	case "Println", "Printf", "Debug", "Info":
		return true
	}
	return false
}

// forgetAssigned forgets the variables that a function literal assigns.
func (f *frame) forgetAssigned(w *world, fn ast.Node) *world {
	lit, ok := fn.(*ast.FuncLit)
	if !ok {
		return w
	}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if assign, ok := n.(*ast.AssignStmt); ok && assign.Tok != token.DEFINE {
			for _, lhs := range assign.Lhs {
				if v := typeset.VarOf(f.info, lhs); v != nil && !v.IsField() && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End()) {
					w = w.assign(ref{v, ""}, val{})
				}
			}
		}
		return true
	})
	return w
}
