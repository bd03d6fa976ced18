package relays

import (
	"go/ast"
	"go/token"
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
	given := e.callbacks(w, c)
	results := e.called(w, c)
	for i, v := range given {
		if len(nth(results, i)) == 0 {
			results = append(results, make([]value, max(0, i+1-len(results)))...)
			results[i] = v
		}
	}
	return results
}

// called runs a call of a function that is neither a literal nor in the tables.
func (e *engine) called(w *world, c *calling) []value {
	if c.fn != nil && c.fn.Pkg() != nil && httpmodel.IsStd(typeset.PkgPath(c.fn.Pkg())) && !e.sameModule(c.fn.Pkg()) {
		return e.std(w, c)
	}
	if s := e.summaryOf(c.fn); s != nil {
		return e.apply(w, c, s)
	}
	return e.unknown(w, c)
}

// A calling is a call whose operands have been evaluated.
type calling struct {
	*ast.CallExpr
	fn       *types.Func // or nil
	recv     value
	args     []value
	operands []ast.Expr // the receiver, if there is one, and the arguments
	values   []value    // of these
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
		slice, _ := e.info.TypeOf(call).Underlying().(*types.Slice)
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

// callbacks runs the function literals among the arguments of a call, but for
// handlers, which are run by themselves. It returns what the call is taken to return if
// nothing better is known: what a literal with results of the same types does.
func (e *engine) callbacks(w *world, c *calling) (results []value) {
	for _, arg := range c.Args {
		lit, ok := e.index.FuncOf(arg).(*ast.FuncLit)
		if !ok || e.isHandler(lit) {
			continue
		}
		skipped := w.clone()
		exits := e.inline(w, lit, nil)
		if exits == nil {
			continue
		}
		*w = *merge([]*world{w, skipped})
		if e.sameResults(c, lit) {
			results = joinResults(exits)
		}
	}
	return results
}

// sameResults reports whether a call returns values of the types that lit returns, and
// perhaps more.
func (e *engine) sameResults(c *calling, lit *ast.FuncLit) bool {
	outer, ok1 := e.info.TypeOf(c.Fun).Underlying().(*types.Signature)
	inner, ok2 := e.info.TypeOf(lit).(*types.Signature)
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

// fetch runs a call that brings a response. It reports whether the call is one.
func (e *engine) fetch(w *world, c *calling) ([]value, bool) {
	if !e.brings(c.CallExpr) {
		return nil, false
	}
	id := e.acquire(w, c, token.NoPos)
	if e.isStrict(c.CallExpr) {
		w.looked |= 1 << id
	}
	sig, ok := e.info.TypeOf(c.Fun).Underlying().(*types.Signature)
	if !ok {
		return nil, true
	}
	for i, arg := range c.Args {
		if t := e.info.TypeOf(arg); t != nil && httpmodel.IsUpstream(t) {
			if nth(c.args, i).has(own) {
				w.answer = other // the whole answer is the upstream's
			}
			e.fill(w, arg, value{{"", response, id}})
		}
	}
	e.decodesInto(w, c, value{{"", decoded, id}})
	var results []value
	for v := range sig.Results().Variables() {
		var held value
		switch t := v.Type(); {
		case httpmodel.IsUpstream(t):
			held = value{{"", response, id}}
		case httpmodel.IsError(t):
			held = value{{"", failure, id}}
		case isBytes(t), isString(t):
			held = value{{"", body, id}}
		case isIntType(t):
			held = value{{"", status, id}}
		}
		results = append(results, held)
	}
	return results, true
}

// decodesInto gives v to what a resty request decodes the body into:
// client.R().SetResult(&v).Get(url).
func (e *engine) decodesInto(w *world, c *calling, v value) {
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	for range 20 {
		if !ok {
			return
		}
		x := ast.Unparen(sel.X)
		if id, isID := x.(*ast.Ident); isID {
			if v, isVar := e.info.Uses[id].(*types.Var); isVar {
				if def := e.index.OnlyDef(v); def != nil {
					x = ast.Unparen(def)
				}
			}
		}
		call, isCall := x.(*ast.CallExpr)
		if !isCall {
			return
		}
		if fn := typeset.Callee(e.info, call); fn != nil && len(call.Args) == 1 &&
			(fn.Name() == "SetResult" || fn.Name() == "SetSuccessResult") {
			e.fill(w, call.Args[0], v)
		}
		sel, ok = ast.Unparen(call.Fun).(*ast.SelectorExpr)
	}
}

// acquire makes the call the origin of a new response in w.
func (e *engine) acquire(w *world, c *calling, at token.Pos) int {
	id := e.originOf(origin{call: c.CallExpr, at: at})
	w.drop(id)
	w.looked &^= 1 << id
	return id
}

// isBytes, isString and isIntType report whether t is of that kind.
func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isByte(s.Elem())
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isIntType(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Int
}

// part runs a method of a response. It reports whether the call is one.
func (e *engine) part(w *world, c *calling) ([]value, bool) {
	if c.fn == nil || c.fn.Signature().Recv() == nil || !httpmodel.IsUpstream(c.fn.Signature().Recv().Type()) {
		return nil, false
	}
	resp := c.recv.only(response)
	if httpmodel.PartOf(c.fn.Name()) != httpmodel.NoPart {
		var v value
		for _, h := range resp {
			v = v.join(partOf(h, c.fn.Name()))
		}
		return []value{v}, true
	}
	if c.recv.has(own) {
		return nil, false
	}
	for i, arg := range c.Args {
		v := nth(c.args, i)
		switch {
		case v.has(own) && strings.HasPrefix(c.fn.Name(), "Body"): // BodyWriteTo
			e.send(w, sending{call: c.CallExpr, answer: w.answer, client: v.client()}, resp.as(body))
		case v.has(own): // all of it, with its status
			w.look(resp)
			w.answer = other
		case strings.HasPrefix(c.fn.Name(), "Unmarshal"), strings.HasPrefix(c.fn.Name(), "Into"):
			e.fill(w, arg, resp.as(decoded))
		}
	}
	return nil, true
}

// client returns the own client in v.
func (v value) client() int {
	for _, h := range v {
		if h.kind == own {
			return h.from
		}
	}
	return ownParam
}

// answers runs a call that does something to the answer for an own client, by the
// tables. It reports whether the call is one.
func (e *engine) answers(w *world, c *calling) ([]value, bool) {
	client := c.recv
	if c.fn != nil && c.fn.Signature().Recv() == nil && len(c.args) > 0 {
		client = c.args[0]
	}
	if !client.has(own) && !(c.fn != nil && c.fn.Signature().Recv() != nil && httpmodel.IsOwnClient(c.fn.Signature().Recv().Type())) {
		return nil, false
	}
	if c.fn == nil || c.fn.Pkg() == nil {
		return nil, false
	}
	recv := c.fn.Signature().Recv()
	if recv != nil && !typeset.IsInterfaceMethod(c.fn) && !httpmodel.IsFramework(typeset.PkgPath(c.fn.Pkg())) {
		return nil, false // its body tells
	}
	a, ok := httpmodel.AnswerOf(c.fn)
	if !ok {
		if recv == nil || !httpmodel.IsOwnClient(recv.Type()) && !httpmodel.IsFramework(typeset.PkgPath(c.fn.Pkg())) {
			return nil, false
		}
		// An accessor: c.Response(), c.Type("json").
		for _, v := range c.args {
			w.look(v.flat().only(status))
		}
		var results []value
		for v := range c.fn.Signature().Results().Variables() {
			var held value
			if t := v.Type(); httpmodel.IsOwnClient(t) || httpmodel.IsUpstream(t) || types.IsInterface(t) && hasMethod(t, "Write") {
				held = value{{"", own, client.client()}}
			}
			results = append(results, held)
		}
		return results, true
	}
	s := sending{call: c.CallExpr, answer: w.answer, client: client.client()}
	if a.Status >= 0 {
		s.answer = e.answerOf(w, nth(c.args, a.Status))
		w.answer = s.answer
	}
	if a.Steps >= 0 && a.Steps < len(c.Args) {
		if lit, ok := e.index.FuncOf(c.Args[a.Steps]).(*ast.FuncLit); ok {
			e.inline(w, lit, []value{{{"", own, s.client}}})
		}
	}
	if a.Data >= 0 {
		for _, v := range c.args[min(a.Data, len(c.args)):] {
			w.look(v.flat().only(status)) // it is in the content
			if a.Later {
				e.sendLater(w, s, v)
			} else {
				e.send(w, s, v)
			}
		}
	}
	return []value{{{"", own, s.client}}}, true
}

// answerOf returns the status that v says, which is passed on.
func (e *engine) answerOf(w *world, v value) answer {
	a := other
	for _, h := range v {
		switch {
		case h.path != "":
		case h.kind == number:
			if a = answer(h.from); !a.good() && len(v) > 1 {
				a = other
			}
		case h.kind == status:
			w.look(value{h})
			if o := e.origins[h.from]; o.call == nil && o.ref.Path == "" && len(v) == 1 {
				return ofParam(o.ref.Param)
			}
			return other
		}
	}
	return a
}

// send notes that v is sent in w.
func (e *engine) send(w *world, s sending, v value) {
	s.wrote = w.wrote
	w.wrote = true
	for _, h := range v.data() {
		s.origin, s.kind = h.from, h.kind
		if e.record && !w.hasLooked(h.from) {
			e.note(s)
		}
	}
}

// sendLater is send where the status can still be set until the function ends.
func (e *engine) sendLater(w *world, s sending, v value) {
	for _, h := range v.data() {
		s := s
		s.origin, s.kind = h.from, h.kind
		if !w.hasLooked(h.from) && !slices.ContainsFunc(w.later, func(l *sending) bool { return l.call == s.call && l.origin == s.origin }) {
			w.later = append(slices.Clip(w.later), &s)
		}
	}
}

// note records s.
func (e *engine) note(s sending) {
	if !slices.Contains(e.sent, s) {
		e.sent = append(e.sent, s)
	}
}

// unknown runs a call of a function of which nothing is known: it may look at what
// it gets, and may answer. What decodes, encodes or wraps a reader is told by its
// name or its result.
func (e *engine) unknown(w *world, c *calling) []value {
	sig, _ := e.info.TypeOf(c.Fun).Underlying().(*types.Signature)
	if sig == nil {
		return nil
	}
	name := ""
	if c.fn != nil {
		name = c.fn.Name()
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
		}
		results = append(results, held)
	}
	if isDecoding(name) && len(c.Args) > 0 {
		carries = true
		e.fill(w, c.Args[len(c.Args)-1], decode(data))
	}
	judges, logs := e.judges(sig) && !carries, httpmodel.LooksLikeLogging(c.fn)
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
