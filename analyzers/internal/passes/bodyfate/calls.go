package bodyfate

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// The operands of a call, evaluated.
type operands struct {
	fn   *types.Func // the callee, if it is known
	fun  value       // what is called, if it is a variable
	recv value       // of a method
	args []value
	told []callResult // by argument: what else is known of it
}

// hold reports whether the body can be reached through an operand.
func (ops operands) hold() bool {
	return ops.fun.holds() || ops.recv.holds() || slices.ContainsFunc(ops.args, value.holds)
}

// cancels reports whether a call cancels a context, other than by "defer cancel()",
// which runs when the body was closed, or in the Close of a wrapper, which cleans up.
func (tr *trace) cancels(call *ast.CallExpr) bool {
	if tr.deferred != nil && tr.deferred.Call == call {
		return false
	}
	if decl, ok := tr.root.(*ast.FuncDecl); ok && decl.Recv != nil && decl.Name.Name == "Close" {
		return false
	}
	t := tr.typeOf(call.Fun)
	return typeset.IsNamed(t, "context", "CancelFunc") || typeset.IsNamed(t, "context", "CancelCauseFunc")
}

// judges reports whether a call says yes or no to the response's status code.
func (ops operands) judges() bool {
	return ops.fn != nil && decides(ops.fn) && slices.ContainsFunc(ops.args, func(v value) bool { return v.kind() == status })
}

// decides reports whether fn returns a bool and no more.
func decides(fn *types.Func) bool {
	results := fn.Signature().Results()
	return results.Len() == 1 && typeset.IsBool(results.At(0).Type())
}

// operands evaluates the operands of a call.
func (tr *trace) operands(t *tuple, call *ast.CallExpr) operands {
	ops := operands{fn: typeset.Callee(tr.pass.TypesInfo, call)}
	if ops.fn == nil {
		ops.fn = tr.namedBy(call.Fun)
	}
	args := call.Args
	fun := ast.Unparen(call.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		switch s := tr.pass.TypesInfo.Selections[sel]; {
		case s == nil: // pkg.Func
		case s.Kind() == types.MethodVal:
			index := s.Index()
			ops.recv = tr.value(t, sel.X).at(fieldPath(s.Recv(), index[:len(index)-1]))
		case s.Kind() == types.MethodExpr && len(args) > 0: // T.Method(recv, ...)
			ops.fn, _ = s.Obj().(*types.Func)
			ops.recv = tr.value(t, args[0])
			args = args[1:]
		default:
			ops.fun = tr.value(t, fun)
		}
	} else {
		ops.fun = tr.value(t, fun)
	}
	if len(args) == 1 {
		if _, ok := tr.typeOf(args[0]).(*types.Tuple); ok { // f(g())
			ops.args = tr.resultOf(t, args[0]).values
			return ops
		}
	}
	for _, arg := range args {
		ops.args = append(ops.args, tr.value(t, arg))
		ops.told = append(ops.told, tr.resultOf(t, arg))
	}
	return ops
}

// invoke returns the tuples after a call.
func (tr *trace) invoke(t *tuple, call *ast.CallExpr, ops operands) []*tuple {
	if tr.source != nil && call == tr.source.node && tr.source.captured == nil {
		return tr.acquire(t)
	}
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return tr.inline(t, call, lit, ops)
	}
	switch h, _ := ops.fun.self(); h.kind {
	case closure:
		return tr.inline(t, call, h.lit, ops)
	case bound:
		ops.fn, ops.recv, ops.fun = h.fn, ops.fun.at("()"), nil
	}
	if typeset.IsMethod(ops.fn, "sync", "Once", "Do") && len(ops.args) == 1 && ops.args[0].callable() {
		return tr.invoke(t, call, operands{fun: ops.args[0]}) // if it ran before, the body is closed
	}
	if t.fate == open && tr.cancels(call) {
		return []*tuple{t.with(Drained, t.fate)} // the connection is given up on purpose
	}
	if t.fate != open || !ops.hold() && !ops.judges() {
		return []*tuple{t}
	}
	fun := ops.fun.kind()
	if fun == nothing && ops.fn != nil && ops.fn.Signature().Params().Len() == 0 {
		fun = ops.recv.kind()
	}
	switch fun {
	case closing:
		return []*tuple{tr.close(t, call, types.ExprString(call.Fun))}
	case draining:
		return []*tuple{t.with(Drained, closed)}
	}
	if ops.fn == nil {
		if lit := tr.literalIn(call.Fun); lit != nil {
			return tr.helper(t, call, lit, ops)
		}
		return []*tuple{tr.unknown(t, call)}
	}
	if h, _ := ops.recv.self(); h.kind != nothing {
		if r, ok := tr.method(t, call, ops, h); ok {
			return []*tuple{r}
		}
	}
	if r, ok := tr.library(t, call, ops); ok {
		return []*tuple{r}
	}
	outcomes, ok := tr.outcomes(tr.passed(t, ops), t)
	switch {
	case !ok && !ops.hold():
		return []*tuple{t}
	case !ok:
		return []*tuple{tr.foreign(t, call, ops)}
	}
	var after []*tuple
	for _, o := range outcomes {
		after = append(after, tr.apply(t, call, ops, o))
	}
	return after
}

// passed returns the operands as a function of another package gets them: of the
// functions among them, it can know no more than what they do to the body.
func (tr *trace) passed(t *tuple, ops operands) operands {
	if tr.decls[ops.fn] != nil {
		return ops
	}
	ops.args = slices.Clone(ops.args)
	for i, arg := range ops.args {
		if settled, ok := tr.settled(t, arg); ok {
			ops.args[i] = settled
		}
	}
	return ops
}

// unknown returns t after a builtin, a conversion or a function value was called.
func (tr *trace) unknown(t *tuple, call *ast.CallExpr) *tuple {
	if tr.pass.TypesInfo.Types[call.Fun].IsType() {
		return t // a conversion; see value
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := tr.pass.TypesInfo.Uses[id].(*types.Builtin); ok && b.Name() != "append" && b.Name() != "copy" {
			return t
		}
	}
	return tr.giveAway(t, call)
}

// giveAway returns t after the body was given to a function of which nothing is
// known.
func (tr *trace) giveAway(t *tuple, call *ast.CallExpr) *tuple {
	if tr.isPolicy(call) {
		return t
	}
	t = t.with(t.read, escaped)
	result := tr.typeOf(call)
	if results, ok := result.(*types.Tuple); ok && results.Len() > 0 {
		result = results.At(0).Type()
	}
	if typeset.IsBool(result) && !t.lent {
		t = t.clone()
		t.lent = true
	}
	return t
}

// isPolicy reports whether a call asks a function value, or an interface, what to do
// about a response: whether to try again, given the error of the attempt too, or how
// long to wait, or until when. It has no need of the body; one that this package sets
// and that reads it has.
func (tr *trace) isPolicy(call *ast.CallExpr) bool {
	sig, ok := tr.typeOf(call.Fun).Underlying().(*types.Signature)
	callee := typeset.Callee(tr.pass.TypesInfo, call)
	if !ok || sig.Results().Len() == 0 || callee != nil && !typeset.IsInterfaceMethod(callee) {
		return false
	}
	result := sig.Results().At(0).Type()
	takesResponse, takesError := false, isTime(result)
	for v := range sig.Params().Variables() {
		takesResponse = takesResponse || httpmodel.IsResponse(v.Type())
		takesError = takesError || httpmodel.IsError(v.Type())
	}
	if !takesResponse || !takesError || !typeset.IsBool(result) && !isTime(result) {
		return false
	}
	v := typeset.VarOf(tr.pass.TypesInfo, call.Fun)
	return v == nil || !slices.ContainsFunc(tr.definitions(v), mentionsBody)
}

// isTime reports whether t is time.Duration or time.Time.
func isTime(t types.Type) bool {
	return typeset.IsNamed(t, "time", "Duration") || typeset.IsNamed(t, "time", "Time")
}

// mentionsBody reports whether e has the selector Body.
func mentionsBody(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		found = found || ok && sel.Sel.Name == "Body"
		return !found
	})
	return found
}

// foreign returns t after a call of which no more is known than its signature.
func (tr *trace) foreign(t *tuple, call *ast.CallExpr, ops operands) *tuple {
	results := ops.fn.Signature().Results()
	if results.Len() > 0 && !ops.recv.holds() {
		if _, ok := tr.reading(ops); ok && hasMethod(results.At(0).Type(), "Read") {
			return t.returned(call, callResult{values: []value{one(opaque)}, links: tr.errorLink(call, atEnd)})
		}
	}
	return tr.giveAway(t, call)
}

// returned returns t with the results of a call (or receive).
func (t *tuple) returned(call ast.Expr, r callResult) *tuple {
	t = t.clone()
	results := make(map[ast.Expr]callResult, len(t.results)+1)
	for c, r := range t.results {
		results[c] = r
	}
	results[call] = r
	t.results = results
	return t
}

// errorLink links the error that call returns last to an effect.
func (tr *trace) errorLink(call *ast.CallExpr, e effect) map[int]effect {
	typ := tr.typeOf(call)
	if httpmodel.IsError(typ) {
		return map[int]effect{0: e}
	}
	if results, ok := typ.(*types.Tuple); ok && results.Len() > 0 && httpmodel.IsError(results.At(results.Len()-1).Type()) {
		return map[int]effect{results.Len() - 1: e}
	}
	return nil
}

// helper is inline for a function literal that a variable holds: what one outside of the
// function closes, the call closes.
func (tr *trace) helper(t *tuple, call *ast.CallExpr, lit *ast.FuncLit, ops operands) []*tuple {
	if syntax.Within(lit, tr.root) {
		return tr.inline(t, call, lit, ops)
	}
	losses := tr.losses
	tr.losses = nil
	after := tr.inline(t, call, lit, ops)
	tr.losses = losses
	for i, t := range after {
		if t.fate == closed {
			after[i] = tr.close(t.with(t.read, open), call, types.ExprString(call.Fun))
		}
	}
	return after
}

// tell returns t with what is known of argument i for the parameter p.
func (tr *trace) tell(t *tuple, p *types.Var, told []callResult, i int) *tuple {
	if i < 0 || i >= len(told) || !typeset.IsBool(p.Type()) && !nilable(p.Type()) {
		return t
	}
	return tr.learn(t, p, told[i], 0)
}

// inline runs a function literal as part of the function.
func (tr *trace) inline(t *tuple, call *ast.CallExpr, lit *ast.FuncLit, ops operands) []*tuple {
	entry := t
	for i, p := range tr.params(lit) {
		if p == nil {
			continue
		}
		var held value
		if i < len(ops.args) {
			held = ops.args[i]
		}
		if !t.old {
			entry = entry.set(place{p, ""}, held).assigned(p, tr.depends)
			entry = tr.tell(entry, p, ops.told, i)
		}
	}
	var after []*tuple
	for _, x := range tr.run(lit, entry) {
		t2 := x.tuple.clone()
		t2.defers, t2.results = t.defers, t.results
		after = append(after, t2.returned(call, x.result))
	}
	return after
}
