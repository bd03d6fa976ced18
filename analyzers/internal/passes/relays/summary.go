package relays

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A summary is what callers need to know of a function.
type summary struct {
	Looks   []ref    // the parameters whose status it looks at
	Sends   []sends  // what it sends without a look
	Gives   []gives  // what its results, and its parameters afterwards, hold
	Calls   []calls  // what it gives to functions that it gets
	Answers []answer // the status that it sets on one path or another; implied where it sets none
}

// A sends says that data is sent to a client.
type sends struct {
	Client int // the parameter that is the client, or ownParam
	From   ref // fetched if the function fetches it
	Kind   kind
	Answer answer
	at     token.Pos // of the call that sends, and of the one that fetches
	fetch  token.Pos
}

// A gives says that a result, or a parameter, holds something of a response, or the status
// of a reply.
type gives struct {
	Result int // its index, or -1 - the parameter's
	Path   string
	From   ref // fetched if the function fetches it; of a number, Param is its value
	Kind   kind
	fetch  token.Pos
}

// A calls says that a parameter, which is a function, is called with something of a
// response that was not looked at, or with an own client.
type calls struct {
	Param, Arg int // the parameter, and the argument
	From       ref // fetched if the function fetches it
	Kind       kind
	fetch      token.Pos
}

// fetched is the ref of what the function fetches.
var fetched = ref{Param: -1}

// summaryOf returns the summary of a function, or nil if nothing is known.
func (c *checker) summaryOf(fn *types.Func) *summary {
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	if typeset.IsInterfaceMethod(fn) {
		return c.summaryBehind(fn)
	}
	decl := c.index.Decl(fn)
	if decl == nil {
		return c.imported(fn)
	}
	e := c.engineOf(decl)
	if e == nil {
		return nil
	}
	if e.sum == nil {
		e.sum = e.summary()
	}
	return e.sum
}

// refOf returns the ref of an origin.
func (e *engine) refOf(origin int) ref {
	if o := e.origins[origin]; o.call == nil {
		return o.ref
	}
	return fetched
}

// fetchPos returns where a response of an origin is asked for.
func (e *engine) fetchPos(origin int) token.Pos {
	switch o := e.origins[origin]; {
	case o.call == nil:
		return token.NoPos
	case o.at.IsValid():
		return o.at
	default:
		return o.call.Pos()
	}
}

// summary returns the summary of the function that has run. Where its paths differ,
// a look on one is a look.
func (e *engine) summary() *summary {
	var s summary
	var looked uint64
	for _, x := range e.exits {
		looked |= x.world.looked
		if !slices.Contains(s.Answers, x.world.answer) {
			s.Answers = append(s.Answers, x.world.answer)
		}
	}
	slices.Sort(s.Answers)
	for i, o := range e.origins {
		if o.call == nil && looked&(1<<i) != 0 {
			s.Looks = append(s.Looks, o.ref)
		}
	}
	add := func(result int, v value, except int) {
		for _, h := range v {
			g := gives{Result: result, Path: h.path, Kind: h.kind}
			switch {
			case h.kind == number && h.path != "":
				g.From.Param = h.from
			case !h.kind.ofResponse() || h.kind == header:
				continue
			default:
				if o := e.origins[h.from]; o.call != nil && looked&(1<<h.from) != 0 || o.call == nil && o.ref.Param == except {
					continue
				}
				g.From, g.fetch = e.refOf(h.from), e.fetchPos(h.from)
			}
			if !slices.Contains(s.Gives, g) {
				s.Gives = append(s.Gives, g)
			}
		}
	}
	for _, x := range e.exits {
		for i, v := range x.results {
			add(i, v, -1)
		}
		for i, v := range e.params {
			if !isReference(v.Type()) || httpmodel.IsOwnClient(v.Type()) {
				continue
			}
			add(-1-i, x.world.held[v], i)
		}
	}
	slices.SortFunc(s.Gives, compareGives)
	for _, t := range e.given {
		s.Calls = append(s.Calls, calls{t.param, t.arg, t.from, t.kind, t.fetch})
	}
	slices.SortFunc(s.Calls, compareCalls)
	for _, t := range e.sent {
		if e.reports(t) || looked&(1<<t.origin) != 0 && e.origins[t.origin].call == nil {
			continue
		}
		at := t.at
		if !at.IsValid() {
			at = t.call.Pos()
		}
		s.Sends = append(s.Sends, sends{t.client, e.refOf(t.origin), t.kind, t.answer, at, e.fetchPos(t.origin)})
	}
	return &s
}

// compareGives orders what a function gives.
func compareGives(x, y gives) int {
	return cmp.Or(cmp.Compare(x.Result, y.Result), strings.Compare(x.Path, y.Path), compareRefs(x.From, y.From), cmp.Compare(x.Kind, y.Kind))
}

// compareCalls orders what a function calls.
func compareCalls(x, y calls) int {
	return cmp.Or(cmp.Compare(x.Param, y.Param), cmp.Compare(x.Arg, y.Arg), compareRefs(x.From, y.From), cmp.Compare(x.Kind, y.Kind))
}

// compareRefs orders refs.
func compareRefs(x, y ref) int {
	return cmp.Or(cmp.Compare(x.Param, y.Param), strings.Compare(x.Path, y.Path))
}

// isReference reports whether what a function puts into a parameter of type t is
// there for its caller.
func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice, *types.Chan:
		return true
	}
	return false
}

// reports reports whether t is to be reported in this very function: it has both the
// response and the own client.
func (e *engine) reports(t sending) bool {
	if e.origins[t.origin].call == nil {
		return false
	}
	return t.client == ownParam || t.client < len(e.params) && httpmodel.IsOwnClient(e.params[t.client].Type())
}

// apply runs a call of a function with the summary s.
func (e *engine) apply(w *world, c *calling, s *summary) []value {
	for _, r := range s.Looks {
		w.look(e.argument(c, r))
	}
	for _, t := range s.Sends {
		e.applySend(w, c, t, e.from(w, c, t.From, t.Kind, t.fetch))
	}
	e.answered(w, c, s)
	sig := c.fn.Signature()
	results := make([]value, sig.Results().Len())
	for _, g := range s.Gives {
		v := e.from(w, c, g.From, g.Kind, g.fetch).under(g.Path)
		switch {
		case g.Result >= 0 && g.Result < len(results):
			results[g.Result] = results[g.Result].join(v)
		case g.Result < 0 && -1-g.Result < len(c.operands):
			if g.Kind == response && nth(c.values, -1-g.Result).has(own) {
				w.answer = other // the whole answer is the upstream's
			}
			e.fill(w, c.operands[-1-g.Result], v)
		}
	}
	for i, v := range slices.Collect(sig.Results().Variables()) {
		if c.fetched && httpmodel.IsError(v.Type()) {
			results[i] = results[i].join(value{{"", failure, c.origin}})
		}
		results[i] = e.natural(results[i], v.Type())
	}
	return results
}

// from returns what the function that is called has of r, as a thing of kind k.
func (e *engine) from(w *world, c *calling, r ref, k kind, pos token.Pos) value {
	if k == number {
		return value{{"", number, r.Param}}
	}
	if r != fetched {
		return throughCall(e.argument(c, r), k)
	}
	if !c.fetched {
		c.origin, c.fetched = e.acquire(w, c, pos), true
	}
	return value{{"", k, c.origin}}
}

// applySend sends v, or writes it to what is no client, as a function that is called
// does.
func (e *engine) applySend(w *world, c *calling, t sends, v value) {
	client := ownParam
	if t.Client != ownParam {
		given := nth(c.values, t.Client)
		if !given.has(own) {
			if t.Client < len(c.operands) {
				e.write(w, c.operands[t.Client], v)
			}
			return
		}
		client = given.client()
	}
	s := sending{call: c.CallExpr, at: t.at, client: client, answer: t.Answer}
	if p, ok := t.Answer.param(); ok {
		s.answer, s.by = e.answerOf(w, nth(c.values, p)), nth(c.operands, p)
		e.hold(w, s.by)
	} else if t.Answer == implied {
		s.answer, s.by = w.answer, w.by
	}
	if e.isLater(client) {
		e.sendLater(w, s, v)
	} else {
		e.send(w, s, v)
	}
}

// isLater reports whether the status of the answer to client can still be set when
// its body is there.
func (e *engine) isLater(client int) bool {
	return client >= 0 && client < len(e.params) && httpmodel.IsBuffered(e.params[client].Type())
}

// argument returns what an operand of a call, or the field of it that r names, holds.
func (e *engine) argument(c *calling, r ref) value {
	v := nth(c.values, r.Param)
	var t types.Type
	if r.Param < len(c.operands) {
		t = e.info.TypeOf(c.operands[r.Param])
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(r.Path, "."), ".") {
		if name == "" {
			continue
		}
		f := fieldNamed(t, name)
		if f == nil {
			v, t = v.at("."+name), nil
			continue
		}
		v, t = e.field(v, f), f.Type()
	}
	return v
}

// fieldNamed returns the field of a struct, or of what t points to, or nil.
func fieldNamed(t types.Type, name string) *types.Var {
	if st, ok := typeset.StructOf(t); ok {
		for f := range st.Fields() {
			if f.Name() == name {
				return f
			}
		}
	}
	return nil
}

// throughCall returns what the function makes of an argument v, if it makes a
// response or the body of it a thing of kind k.
func throughCall(v value, k kind) value {
	var out value
	for _, h := range v {
		switch {
		case !h.kind.ofResponse():
			if k == response || k == body || k == h.kind || h.kind == number && k == status {
				out = append(out, h) // it is handed through
			}
			continue
		case k == response, k == body && h.kind != response:
			out = append(out, h)
		case h.kind == part, h.kind == status && k != status:
			out = append(out, holding{h.path, h.kind, h.from})
		case h.kind == piece && k == decoded:
			out = append(out, h)
		default:
			out = append(out, holding{"", k, h.from})
		}
	}
	return valueOf(out)
}

// answered sets the status of the own client to what a function with the summary s,
// which may get the client, answers. If there is a way through the function on which
// it does not answer, that is the way that goes on.
func (e *engine) answered(w *world, c *calling, s *summary) {
	if len(s.Answers) == 0 || slices.Contains(s.Answers, implied) ||
		!slices.ContainsFunc(c.values, func(v value) bool { return v.has(own) }) {
		return
	}
	a, by := s.Answers[0], ast.Expr(nil)
	if p, ok := a.param(); ok {
		a, by = e.answerOf(w, nth(c.values, p)), nth(c.operands, p)
	}
	if len(s.Answers) > 1 {
		a = other
	}
	e.set(w, a, by)
}
