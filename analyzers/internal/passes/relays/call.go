package relays

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// call runs a call in w, and returns its results.
func (e *engine) call(w *world, call *ast.CallExpr) []value {
	fun := ast.Unparen(call.Fun)
	if tv := e.info.Types[fun]; tv.IsType() {
		if len(call.Args) != 1 {
			return nil
		}
		return []value{e.eval(w, call.Args[0])}
	}
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := e.info.Uses[id].(*types.Builtin); ok {
			return []value{e.builtin(w, b.Name(), call)}
		}
	}
	c := &calling{CallExpr: call}
	var recv ast.Expr
	c.fn, recv = e.callee(call)
	if recv != nil {
		c.recv = e.eval(w, recv)
		c.operands = append(c.operands, recv)
		c.values = append(c.values, c.recv)
	}
	c.operands = append(c.operands, call.Args...)
	c.args = e.tuple(w, call.Args)
	if sig, ok := typeset.Underlying(e.info, call.Fun).(*types.Signature); ok {
		for i, v := range c.args {
			if i < sig.Params().Len() && typeset.IsNamed(sig.Params().At(i).Type(), "context", "Context") {
				c.args[i] = v.filter(func(h holding) bool { return h.kind != own }) // fasthttp's is both
			}
		}
	}
	c.values = append(c.values, c.args...)
	if httpmodel.IsLogging(c.fn) {
		return nil
	}
	if results, ok := e.fetch(w, c); ok {
		return results
	}
	if results, ok := e.part(w, c); ok {
		return results
	}
	if results, ok := e.answers(w, c); ok {
		return results
	}
	if lits := e.literals(call.Fun); lits != nil {
		var exits []exit
		for _, lit := range lits {
			exits = append(exits, e.inline(w, lit, c.args)...)
		}
		return joinResults(exits)
	}
	var s *summary
	std := c.fn != nil && c.fn.Pkg() != nil && (typeset.IsStd(c.fn.Pkg(), e.pass.Module) || carries(typeset.PkgPath(c.fn.Pkg())))
	if !std {
		s = e.summaryOf(c.fn)
	}
	given := e.callbacks(w, c, s)
	var results []value
	switch {
	case std:
		results = e.std(w, c)
	case s != nil:
		results = e.apply(w, c, s)
	default:
		e.give(w, c)
		results = e.unknown(w, c)
		e.taken(c, results)
	}
	for i, v := range given {
		if len(nth(results, i)) == 0 {
			results = append(results, make([]value, max(0, i+1-len(results)))...)
			results[i] = v
		}
	}
	return results
}

// give records with what a parameter, which is a function, is called, or the function
// that gets the values of an iterator.
func (e *engine) give(w *world, c *calling) {
	fun := typeset.VarOf(e.info, c.Fun)
	param := slices.Index(e.params, fun)
	for i, v := range c.args {
		if got, ok := e.yields[fun]; ok {
			e.yields[fun] = got.join(v.filter(func(h holding) bool { return h.path == "" && h.kind.ofResponse() && !w.hasLooked(h.from) }))
		}
		for _, h := range v {
			g := giving{param: param, arg: i, kind: h.kind}
			switch {
			case h.path != "":
				continue
			case h.kind == own && h.from != ownParam:
				g.from = ref{Param: h.from}
			case h.kind.ofResponse() && !w.hasLooked(h.from):
				g.from, g.fetch = e.refOf(h.from), e.fetchPos(h.from)
			default:
				continue
			}
			if param >= 0 && e.record && !slices.Contains(e.given, g) {
				e.given = append(e.given, g)
			}
		}
	}
}

// taken adds to the results of a call of a parameter, which is a function, the response
// that it brings: it is an origin of its own.
func (e *engine) taken(c *calling, results []value) {
	param := slices.Index(e.params, typeset.VarOf(e.info, c.Fun))
	if sig, ok := typeset.Underlying(e.info, c.Fun).(*types.Signature); ok && param >= 0 {
		for i, v := range slices.Collect(sig.Results().Variables()) {
			if httpmodel.IsUpstream(v.Type()) && i < len(results) {
				results[i] = value{{"", response, e.originOf(origin{ref: ref{param, resultPath}})}}
			}
		}
	}
}

// resultPath is the path, of a function, of the response that it returns.
const resultPath = ".()"

// yielded returns what an iterator holds: the values that it yields.
func (e *engine) yielded(w *world, lit *ast.FuncLit) value {
	params := e.paramsOf(lit)
	if len(params) != 1 {
		return nil
	}
	yield := params[0]
	sig, ok := yield.Type().Underlying().(*types.Signature)
	if !ok || sig.Results().Len() != 1 || !typeset.IsBool(sig.Results().At(0).Type()) {
		return nil
	}
	e.yields[yield] = nil
	e.inline(w.clone(), lit, nil)
	return e.yields[yield].under(anyElement)
}

// A calling is a call whose operands have been evaluated.
type calling struct {
	*ast.CallExpr
	fn       *types.Func // or nil
	recv     value
	args     []value
	operands []ast.Expr // the receiver, if there is one, and the arguments
	values   []value    // of these
	origin   int        // of what the function fetches, if fetched
	fetched  bool
}

// builtin runs a call of a builtin function.
func (e *engine) builtin(w *world, name string, call *ast.CallExpr) value {
	values := e.tuple(w, call.Args)
	if len(values) < len(call.Args) || len(call.Args) == 0 {
		return nil
	}
	switch name {
	case "append":
		v := values[0]
		root, _ := e.place(call.Args[0])
		slice, _ := typeset.Underlying(e.info, call).(*types.Slice)
		for _, elt := range values[1:] {
			if slice != nil && !isByte(slice.Elem()) && !call.Ellipsis.IsValid() {
				elt = elt.under(anyElement)
			}
			if root != nil {
				elt = e.gathered(root, elt)
			}
			v = v.join(elt)
		}
		return v
	case "copy":
		e.write(w, call.Args[0], nth(values, 1))
	case "len", "cap":
		return values[0].filter(func(h holding) bool { return h.kind == decoded || h.kind == part }).as(part)
	case "min", "max":
		var v value
		for _, x := range values {
			v = v.join(x.only(status))
		}
		return v
	}
	return nil
}

// isByte reports whether t is a byte.
func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// inline runs a function literal in the middle of w, with the given arguments. It
// returns nil if that cannot be done.
func (e *engine) inline(w *world, lit *ast.FuncLit, args []value) []exit {
	entry := w.clone()
	for i, v := range e.paramsOf(lit) {
		entry.put(v, nth(args, i))
	}
	exits := e.run(lit, entry)
	if len(exits) == 0 {
		return nil
	}
	var worlds []*world
	for _, x := range exits {
		worlds = append(worlds, x.world)
	}
	*w = *merge(worlds)
	return exits
}

// joinResults returns the results of all exits.
func joinResults(exits []exit) (results []value) {
	for _, x := range exits {
		for i, v := range x.results {
			if i == len(results) {
				results = append(results, nil)
			}
			results[i] = results[i].join(v)
		}
	}
	return results
}

// callbacks runs the functions among the arguments of a call of a function with the
// summary s or nil, but for handlers that get no own client of it, which are run by
// themselves. It returns what the call is taken to return if nothing better is known:
// what a function with results of the same types does.
func (e *engine) callbacks(w *world, c *calling, s *summary) (results []value) {
	for i, arg := range c.operands {
		args := e.givenTo(w, c, s, i)
		skipped := w.clone()
		var got []value
		if lit, ok := e.index.FuncOf(arg).(*ast.FuncLit); ok {
			if e.isHandler(lit) && !slices.ContainsFunc(args, func(v value) bool { return v.has(own) }) {
				continue
			}
			exits := e.inline(w, lit, args)
			if exits == nil {
				continue
			}
			got = joinResults(exits)
		} else if got, ok = e.callback(w, c, arg, args); !ok {
			continue
		}
		*w = *merge([]*world{w, skipped})
		for _, v := range got {
			c.values[i] = c.values[i].join(v.only(response).under(resultPath))
		}
		if e.sameResults(c, arg) {
			results = got
		}
	}
	return results
}

// callback runs the declared function or method that arg names, which the function that
// is called calls with args. It reports whether there is one of which something is known.
func (e *engine) callback(w *world, c *calling, arg ast.Expr, args []value) ([]value, bool) {
	fn := typeset.FuncObj(e.info, arg)
	if fn == nil || len(args) == 0 && e.index.Decl(fn) != nil && !e.touches[fn.Origin()] {
		return nil, false
	}
	s := e.summaryOf(fn.Origin())
	if s == nil {
		return nil, false
	}
	if sel, ok := ast.Unparen(arg).(*ast.SelectorExpr); ok && e.info.Selections[sel] != nil {
		args = append([]value{e.peek(w, sel.X)}, args...)
	}
	return e.apply(w, &calling{CallExpr: c.CallExpr, fn: fn.Origin(), values: args}, s), true
}

// givenTo returns the arguments with which the function that is called calls its
// operand number i.
func (e *engine) givenTo(w *world, c *calling, s *summary, i int) (args []value) {
	if s == nil {
		return nil
	}
	for _, t := range s.Calls {
		if t.Param != i {
			continue
		}
		for len(args) <= t.Arg {
			args = append(args, nil)
		}
		args[t.Arg] = args[t.Arg].join(e.from(w, c, t.From, t.Kind, t.fetch))
	}
	return args
}

// sameResults reports whether a call returns values of the types that its argument, a
// function, returns, and perhaps more.
func (e *engine) sameResults(c *calling, arg ast.Expr) bool {
	outer, ok1 := typeset.Underlying(e.info, c.Fun).(*types.Signature)
	inner, ok2 := typeset.Underlying(e.info, arg).(*types.Signature)
	if !ok1 || !ok2 || inner.Results().Len() > outer.Results().Len() {
		return false
	}
	for i := range inner.Results().Len() {
		if !types.Identical(inner.Results().At(i).Type(), outer.Results().At(i).Type()) {
			return false
		}
	}
	return true
}

// unknown runs a call of a function of which nothing is known: it may look at what
// it gets, and may answer. What decodes, encodes or wraps a reader is told by its
// name or its result.
func (e *engine) unknown(w *world, c *calling) []value {
	sig, _ := typeset.Underlying(e.info, c.Fun).(*types.Signature)
	if sig == nil {
		return nil
	}
	name := ""
	if c.fn != nil {
		name = c.fn.Name()
	} else if v := typeset.VarOf(e.info, c.Fun); v != nil {
		name = v.Name()
	}
	var data value
	for _, v := range c.values {
		data = data.join(v.data())
	}
	var results []value
	carries := strings.HasPrefix(name, "Marshal")
	for v := range sig.Results().Variables() {
		var held value
		if carries && isBytes(v.Type()) || hasMethod(v.Type(), "Read") {
			carries = true
			held = data
		} else if isIntType(v.Type()) {
			held = c.recv.filter(func(h holding) bool { return h.path != "" }).as(status) // resp.Code()
		}
		results = append(results, held)
	}
	if n := len(c.Args); n > 0 && (isDecoding(name) || strings.HasPrefix(name, "Decode") && isReference(typeset.Underlying(e.info, c.Args[n-1]))) {
		carries = true
		e.fill(w, c.Args[len(c.Args)-1], decode(data))
	}
	judges, logs := e.judges(sig) && !carries, httpmodel.LogsByName(name, sig)
	for _, v := range c.values {
		if v.has(own) {
			w.answer = other
		}
		w.look(v.filter(func(h holding) bool {
			switch h.kind {
			case response:
				return true
			case status, part:
				return !logs
			case body, decoded:
				return judges // it says whether the content is good
			}
			return false
		}))
	}
	return results
}

// judges reports whether a function returns an error or a bool: it may say whether what
// it gets is good.
func (e *engine) judges(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		if httpmodel.IsError(v.Type()) || typeset.IsBool(v.Type()) {
			return true
		}
	}
	return false
}
