package pools

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A source is where a pool comes into a function.
type source struct {
	node     ast.Node     // the expression, the name in "var t http.Transport", or the function if param is set
	v        *types.Var   // the variable of that name, or nil
	param    *types.Var   // the parameter that holds it, or nil
	results  uint32       // of a call: the results that hold it
	params   uint32       // and the arguments that point to something that holds it
	grip     grip         // how they hold it
	twins    string       // the fields of theirs that have it, see trace
	when     []Condition  // what must hold of the function's parameters for there to be a pool
	concrete *types.Named // of a call: the type in a result that is an interface, or nil
	maker    *types.Func  // of a call: the function called, if it has a name
	made     token.Pos    // and where it makes the pool, if it is of this package
	used     bool         // and has sent a request with it
	handed   bool         // whether there is a pool hangs on a client, transport or setting that the function was given
}

// sources returns where the body of f makes pools, or gets new ones.
func (c *checker) sources(f *function) []source {
	var list []source
	inspectBody(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if t := c.pass.TypesInfo.TypeOf(n); isInline(t, 3) && !c.disabled(n) {
				list = append(list, source{node: n, results: 1, grip: held})
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				v := c.variable(name)
				if v != nil && len(n.Values) == 0 && isInline(v.Type(), 3) {
					list = append(list, source{node: name, v: v, grip: held})
				}
			}
		case *ast.CallExpr:
			list = append(list, c.callSources(f, n)...)
		}
		return true
	})
	return list
}

// disabled reports whether a literal makes a pool that keeps no idle connections,
// or has one in it that is a source by itself.
func (c *checker) disabled(lit *ast.CompositeLit) bool {
	negative, http2 := false, false
	dials, given := false, false
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return true // no literal of a pool is written so
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok {
			continue
		}
		tv := c.pass.TypesInfo.Types[kv.Value]
		switch key.Name {
		case "DisableKeepAlives":
			if !isFalse(tv) {
				return true
			}
		case "MaxIdleConnsPerHost":
			negative = tv.Value != nil && tv.Value.Kind() == constant.Int && constant.Sign(tv.Value) < 0
		case "ForceAttemptHTTP2":
			http2 = !isFalse(tv)
		case "Dial", "DialContext", "DialTLS", "DialTLSContext":
			dials, given = dials || !c.isGiven(kv.Value), true
		default:
			if isInline(tv.Type, 3) {
				return true
			}
		}
	}
	return negative && !http2 || given && !dials
}

// isGiven reports whether a dial function of a transport is a literal that makes no
// connection, which no call would: it hands out one that is there, and that whoever made
// it closes.
func (c *checker) isGiven(dial ast.Expr) bool {
	lit, ok := ast.Unparen(dial).(*ast.FuncLit)
	if !ok {
		return false
	}
	for n := range ast.Preorder(lit.Body) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		t := c.pass.TypesInfo.TypeOf(call)
		if tuple, ok := t.(*types.Tuple); !httpmodel.IsError(t) && (!ok || tuple.Len() > 0) {
			return false
		}
	}
	return true
}

// isFalse reports whether tv is the constant false.
func isFalse(tv types.TypeAndValue) bool {
	return tv.Value != nil && tv.Value.Kind() == constant.Bool && !constant.BoolVal(tv.Value)
}

// callSources returns the pools that a call in f brings.
func (c *checker) callSources(f *function, call *ast.CallExpr) []source {
	info := c.pass.TypesInfo
	if info.Types[call.Fun].IsBuiltin() {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && id.Name == "new" && isInline(info.TypeOf(call.Args[0]), 3) {
			return []source{{node: call, results: 1, grip: held}}
		}
		return nil
	}
	fn := typeset.Callee(info, call)
	if typeset.IsMethod(fn, httpmodel.NetHTTP, "Transport", "Clone") {
		return []source{{node: call, results: 1, grip: held, maker: fn}}
	}
	if v := c.variable(call.Fun); fn == nil && v != nil && isIdent(call.Fun) && f.index(v) > 0 {
		if sig, ok := v.Type().Underlying().(*types.Signature); ok && sig.Results().Len() > 0 && c.poolish(sig.Results().At(0).Type()) {
			when := []Condition{{Param: f.index(v), Maker: true}}
			return []source{{node: call, results: 1, grip: held, when: when, handed: true}}
		}
	}
	if !c.mayGive(call) {
		return nil
	}
	var list []source
	for _, t := range c.callTargets(call) {
		for _, m := range c.makes(t) {
			if src, ok := c.madeSource(f, call, t, m); ok {
				list = append(list, src)
			}
		}
	}
	return list
}

// mayGive reports whether a call may give a pool: by a result, or through a pointer.
func (c *checker) mayGive(call *ast.CallExpr) bool {
	if c.pass.TypesInfo.Types[call.Fun].IsType() {
		return false
	}
	switch t := c.pass.TypesInfo.TypeOf(call).(type) {
	case *types.Tuple:
		for r := range t.Variables() {
			if mayHold(c, r.Type()) {
				return true
			}
		}
	case types.Type:
		if mayHold(c, t) {
			return true
		}
	}
	for i := range len(call.Args) + 1 {
		arg := c.argument(call, i)
		if arg == nil {
			continue
		}
		if t := c.pass.TypesInfo.TypeOf(arg); t != nil && (i == 0 || isPointer(t)) && c.poolish(t) {
			return true
		}
	}
	return false
}

// mayHold reports whether a result of type t may hold a pool: it is poolish, an option
// for what is, or an interface that does not tell.
func mayHold(c *checker, t types.Type) bool {
	if sig, ok := t.Underlying().(*types.Signature); ok && sig.Params().Len() == 1 {
		p := sig.Params().At(0).Type()
		return c.poolish(t) || isPointer(p) && c.poolish(p)
	}
	return c.poolish(t) || types.IsInterface(t) && !httpmodel.IsError(t)
}

// callTargets returns the functions that a call may call, as far as they are known.
func (c *checker) callTargets(call *ast.CallExpr) []target {
	if fn := typeset.Callee(c.pass.TypesInfo, call); fn != nil {
		return c.declared(fn)
	}
	if tv := c.pass.TypesInfo.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return nil
	}
	return c.targets(call.Fun, nil)
}

// madeSource returns the source that is m, made by the target t of a call in f, and
// whether the arguments leave it possible.
func (c *checker) madeSource(f *function, call *ast.CallExpr, t target, m made) (source, bool) {
	src := source{node: call, results: m.Results, params: m.Params, grip: m.Grip | held, twins: m.Twins, maker: t.decl, used: m.Used}
	if t.fn != nil {
		src.made = m.pos
	}
	if m.Type != "" {
		if obj := c.pkgOf(t).Scope().Lookup(m.Type); obj != nil {
			src.concrete = typeset.Named(obj.Type())
		}
	}
	if t.fn == nil && slices.ContainsFunc(call.Args, c.givesClient) {
		return src, false
	}
	sig := c.signature(t)
	for _, cond := range m.When {
		v, onward := c.decide(f, call, cond)
		given := cond.Maker || c.poolish(condType(sig, cond))
		asked := t.fn == nil && cond.Path != "" && !cond.Zero
		switch {
		case v == fails:
			return src, false
		case v == unknown && onward != nil:
			src.when = append(src.when, *onward)
			src.handed = src.handed || given && t.fn == nil || cond.Maker || asked
		case v == unknown && (given || asked):
			return src, false // a client or transport is handed in, perhaps, or none is asked for
		}
	}
	for i := range len(call.Args) + 1 {
		if m.Params&(1<<i) != 0 {
			arg := c.argument(call, i)
			v := c.root(arg)
			if v == nil {
				continue
			}
			if o := c.originOf(f, v); o.outside {
				return src, false // it is kept there
			}
		}
	}
	if sig.Variadic() {
		when, ok := c.withoutOptions(f, call, sig)
		src.when = append(src.when, when...)
		return src, ok
	}
	return src, true
}

// givesClient reports whether an argument is a literal, or a variable that is one, with a
// client or transport in it: for all that is known, it takes the place of what is made.
func (c *checker) givesClient(arg ast.Expr) bool {
	if v := c.variable(arg); v != nil && isIdent(arg) && c.isLocal(v) {
		if d := c.valuesOf(v); len(d.values) == 1 {
			arg = d.values[0].expr
		}
	}
	if addr, ok := ast.Unparen(arg).(*ast.UnaryExpr); ok && addr.Op == token.AND {
		arg = addr.X
	}
	lit, ok := ast.Unparen(arg).(*ast.CompositeLit)
	return ok && slices.ContainsFunc(lit.Elts, func(elt ast.Expr) bool {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		tv := c.pass.TypesInfo.Types[kv.Value]
		return !tv.IsNil() && tv.Type != nil && (httpmodel.IsClientType(tv.Type) || types.IsInterface(tv.Type) && c.poolish(tv.Type))
	})
}

// pkgOf returns the package of a target.
func (c *checker) pkgOf(t target) *types.Package {
	if t.fn != nil {
		return c.pass.Pkg
	}
	return t.decl.Pkg()
}

// signature returns the signature of a target.
func (c *checker) signature(t target) *types.Signature {
	if t.fn != nil {
		return t.fn.sig
	}
	return t.decl.Signature()
}

// condType returns the type of what a condition is about, or nil.
func condType(sig *types.Signature, cond Condition) types.Type {
	var t types.Type
	switch {
	case cond.Param > 0 && cond.Param <= sig.Params().Len():
		t = sig.Params().At(cond.Param - 1).Type()
	case cond.Param == 0 && sig.Recv() != nil:
		t = sig.Recv().Type()
	default:
		return nil
	}
	for path := cond.Path; path != ""; {
		var name string
		name, path = cutPath(path)
		st, ok := typeset.StructOf(t)
		if !ok {
			return nil
		}
		t = nil
		for f := range st.Fields() {
			if f.Name() == name {
				t = f.Type()
			}
		}
		if t == nil {
			return nil
		}
	}
	return t
}

// withoutOptions returns the conditions on parameters of f under which no option among
// the variadic arguments of a call was given a client or a transport, which it may put
// in place of the pool. It reports false if that cannot be told.
func (c *checker) withoutOptions(f *function, call *ast.CallExpr, sig *types.Signature) (when []Condition, ok bool) {
	options := call.Args[min(sig.Params().Len()-1, len(call.Args)):]
	if call.Ellipsis.IsValid() {
		if options, ok = c.collectedIn(f, options[0]); !ok {
			return nil, false // options from elsewhere
		}
	}
	for _, x := range options {
		option, isCall := ast.Unparen(x).(*ast.CallExpr)
		if !isCall {
			if call.Ellipsis.IsValid() {
				return nil, false
			}
			continue
		}
		for _, arg := range option.Args {
			tv := c.pass.TypesInfo.Types[arg]
			if tv.IsNil() || !c.poolish(tv.Type) {
				continue
			}
			param, path, isParam := c.paramPath(f, arg)
			if !isParam || !call.Ellipsis.IsValid() || !c.untouched(f, param, path) {
				return nil, false
			}
			when = append(when, Condition{Param: param, Path: path, Zero: true})
		}
	}
	return when, true
}

// collectedIn returns what f puts into a slice, its own variable, by a literal and by
// append. It reports false if that may not be all.
func (c *checker) collectedIn(f *function, slice ast.Expr) (elts []ast.Expr, ok bool) {
	v := c.variable(slice)
	if v == nil || !isIdent(slice) || !c.isLocal(v) || f.index(v) >= 0 {
		return nil, false
	}
	d := c.valuesOf(v)
	for _, def := range d.values {
		switch x := ast.Unparen(def.expr).(type) {
		case *ast.CompositeLit:
			elts = append(elts, x.Elts...)
		case *ast.CallExpr:
			if !c.pass.TypesInfo.Types[x.Fun].IsBuiltin() || x.Ellipsis.IsValid() || len(x.Args) == 0 || c.variable(x.Args[0]) != v {
				return nil, false
			}
			elts = append(elts, x.Args[1:]...)
		default:
			return nil, false
		}
	}
	return elts, !d.opaque
}
