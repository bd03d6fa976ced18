package bodyfate

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// An outcome is what a function may have done with a body that it was given,
// and what it returns then.
type outcome struct {
	read      Progress
	fate      fate
	streaming bool
	status    codes
	lengths   lengths
	result    callResult
	bodies    map[int]handle // by parameter (0 is the receiver's): what its response's Body is set to
	blame     *blame         // if the function closes unread what it owns
}

// A blame names the function, and its parameter, that is to be reported in place
// of its callers.
type blame struct {
	decl  *ast.FuncDecl
	param *types.Var
}

// outcomes returns the outcomes of a call on the body in the state of t. It
// reports false if nothing is known.
func (c *checker) outcomes(ops operands, t *tuple) ([]outcome, bool) {
	decl := c.decls[ops.fn]
	if decl == nil {
		return c.importedOutcomes(ops, t)
	}
	if decl.Body == nil {
		return nil, false
	}
	params := c.params(decl)
	held := make([]value, len(params))
	args := ops.args
	if decl.Recv != nil {
		if len(decl.Recv.List) == 1 && len(held) > 0 {
			args = append([]value{ops.recv}, args...)
		}
	}
	tr := c.trace(decl, nil)
	entry := &tuple{read: t.read, fate: open, streaming: t.streaming, status: t.status, lengths: t.lengths}
	for i, arg := range args {
		switch {
		case i < len(params) && !(ops.fn.Signature().Variadic() && i >= len(params)-1):
			if held[i] = arg; params[i] != nil {
				entry = tr.tell(entry.set(place{params[i], ""}, arg), params[i], ops.told, i-len(args)+len(ops.args))
			}
		case arg.holds():
			return nil, false // in the slice of a variadic parameter
		}
	}
	key := c.summaryKey(ops.fn, params, entry)
	if list, ok := c.summaries[key]; ok {
		return list, list != nil
	}
	if c.summarizing[decl] || len(c.summarizing) >= maxDepth {
		return nil, false // recursion
	}
	c.summarizing[decl] = true
	list := tr.summarize(decl, params, held, entry)
	delete(c.summarizing, decl)
	c.summaries[key] = list
	return list, list != nil
}

// summaryKey returns a key for a function and what its outcomes depend on: the state
// at its start.
func (c *checker) summaryKey(fn *types.Func, params []*types.Var, entry *tuple) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %d %x", c.id(fn), entry.key(c.id), entry.lengths, entry.status)
	for _, p := range params {
		for _, e := range entry.get(place{p, ""}) {
			fmt.Fprintf(&b, " %d", c.id(e.lit))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(entry.facts)) {
		fmt.Fprintf(&b, " %s=%t", key, entry.facts[key])
	}
	return b.String()
}

// summarize runs a function from entry, where its parameters hold a body. It returns
// nil if the function is beyond it.
func (tr *trace) summarize(decl *ast.FuncDecl, params []*types.Var, held []value, entry *tuple) []outcome {
	exits := tr.run(decl, entry)
	if tr.failed {
		return nil
	}
	list := []outcome{}
	for _, x := range exits {
		o := outcome{read: x.read, fate: x.fate, streaming: x.streaming, status: x.status, lengths: x.lengths, result: x.result}
		for i, p := range params {
			if p == nil || held[i].kind() != response || x.fate != open {
				continue
			}
			if h, ok := x.vars[place{p, ".Body"}]; ok {
				if o.bodies == nil {
					o.bodies = make(map[int]handle)
				}
				o.bodies[i] = h
			}
		}
		o.result = o.result.clone()
		for i, v := range o.result.values {
			var ok bool
			if o.result.values[i], ok = tr.settled(x.tuple, v); !ok {
				o.fate = escaped // into a function that the caller gets
			}
		}
		list = append(list, o)
	}
	if decl.Recv != nil && held[0].holds() {
		believe(list)
	}
	for i := range params {
		if k := held[i].kind(); (k == response || k == body) && tr.owns(decl, i) {
			for j := range list {
				if list[j].fate == closed && list[j].read < Drained {
					list[j].blame = &blame{decl, params[i]}
				}
			}
		}
	}
	return list
}

// settled returns v, a result of the function that t leaves, with the functions in
// it replaced by what they do to the body: their variables are not the caller's. It
// reports false if that is not known of one.
func (tr *trace) settled(t *tuple, v value) (value, bool) {
	if !v.callable() {
		return v, true
	}
	var kept value
	for _, e := range v {
		switch k := e.kind; {
		case k == closure || k == bound:
			if k = tr.does(t, v.at(e.path)); k == nothing {
				return nil, false
			}
			kept = append(kept, entry{e.path, handle{kind: k}})
		case !strings.Contains(e.path, "()"):
			kept = append(kept, e)
		}
	}
	return kept, true
}

// does returns what calling the function fun, without arguments, does to the body of
// t: closing, draining, records if it is an iterator over it, or nothing that is known.
func (tr *trace) does(t *tuple, fun value) kind {
	h, _ := fun.self()
	iterates := h.lit != nil && isIterator(tr.typeOf(h.lit))
	if h.lit != nil && !iterates && h.lit.Type.Params.NumFields() > 0 || h.fn != nil && h.fn.Signature().Params().Len() > 0 {
		return nothing
	}
	quiet := *tr
	quiet.losses, quiet.sent = nil, nil
	k := draining
	for _, after := range quiet.invoke(t, &ast.CallExpr{Fun: ast.NewIdent("_")}, operands{fun: fun}) {
		switch {
		case iterates && after.fate == open:
			k = records
		case after.fate != closed:
			return nothing
		case after.read < Decoded:
			k = closing
		}
	}
	if quiet.failed {
		return nothing
	}
	return k
}

// isIterator reports whether t is the type of a function that can be ranged over.
func isIterator(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok || sig.Params().Len() != 1 || sig.Results().Len() > 0 {
		return false
	}
	yield, ok := sig.Params().At(0).Type().Underlying().(*types.Signature)
	return ok && yield.Results().Len() == 1 && typeset.IsBool(yield.Results().At(0).Type())
}

// believe takes what a method that reads through its receiver read for all, where
// its results do not tell whether it got to the end: its type remembers.
func believe(list []outcome) {
	for i, o := range list {
		if o.read != Partial {
			continue
		}
		for _, other := range list {
			if other.read == Drained && maps.Equal(o.result.zero, other.result.zero) && maps.Equal(o.result.links, other.result.links) {
				list[i].read = Drained
			}
		}
	}
}

// apply returns t after a call had the outcome o.
func (tr *trace) apply(t *tuple, call *ast.CallExpr, ops operands, o outcome) *tuple {
	if o.fate == closed {
		c := t.clone()
		c.read, c.status, c.lengths = o.read, o.status, o.lengths
		if o.blame != nil && tr.losses != nil && !httpmodel.IsResponse(o.blame.param.Type()) {
			// A response is looked for in each function that is given one; of what
			// else may be a body, only calls like this one tell.
			addLosses(tr.losses, tr.paramLosses(o.blame.decl, o.blame.param))
		}
		if o.blame != nil {
			c.read = Drained
		}
		t = tr.close(c, call, helperName(ops.fn, tr.pass.Pkg))
		return t.returned(call, o.result)
	}
	r := t.returned(call, o.result)
	r.read, r.fate, r.streaming, r.status, r.lengths = o.read, o.fate, o.streaming, o.status, o.lengths
	for i, h := range o.bodies {
		v := ops.recv
		if tr.hasReceiver(ops) {
			i--
		}
		if i >= 0 && i < len(ops.args) {
			v = ops.args[i]
		}
		if v.kind() != response {
			continue
		}
		for p, q := range t.vars {
			if q.kind == response {
				r = r.set(place{p.v, p.path + ".Body"}, value{{"", h}})
			}
		}
	}
	return r
}

func (tr *trace) hasReceiver(ops operands) bool { return ops.fn.Signature().Recv() != nil }

// helperName returns how a function is called from pkg.
func helperName(fn *types.Func, pkg *types.Package) string {
	switch {
	case fn.Signature().Recv() != nil:
		if named := typeset.Named(fn.Signature().Recv().Type()); named != nil {
			return named.Obj().Name() + "." + fn.Name()
		}
	case fn.Pkg() != nil && fn.Pkg() != pkg:
		return fn.Pkg().Name() + "." + fn.Name()
	}
	return fn.Name()
}

// owns reports whether the function fn treats the body in its parameter i as its
// own to read and close, so that what it closes unread is its own doing: it reads
// on some path, or looks at the response before it closes. One that does nothing
// but close is blamed on its callers, who may have read before, and so is one that
// they tell by a bool what to do.
func (c *checker) owns(fn ast.Node, i int) bool {
	params := c.params(fn)
	told := func(p *types.Var) bool { return p != nil && typeset.IsBool(p.Type()) }
	if params[i] == nil || natural(params[i].Type()) == nil || slices.ContainsFunc(params, told) {
		return false
	}
	key := fmt.Sprintf("owns %d %d", c.id(fn), i)
	if list, ok := c.summaries[key]; ok {
		return len(list) > 0
	}
	c.summaries[key] = nil
	tr := c.trace(fn, nil)
	exits := tr.run(fn, given(params[i]))
	if tr.failed {
		return false
	}
	lost := slices.ContainsFunc(exits, func(x exit) bool { return x.fate == closed && x.read < Drained })
	_, isLit := fn.(*ast.FuncLit)
	own := isLit && httpmodel.IsResponse(params[i].Type()) || slices.ContainsFunc(exits, func(x exit) bool {
		return x.fate != escaped && x.read > Unread || x.fate == closed && x.read < Drained && x.status != allCodes()
	})
	if lost && own {
		c.summaries[key] = []outcome{{}}
	}
	return lost && own
}

// given returns the state at the start of a function that is given a body in p.
func given(p *types.Var) *tuple {
	return (&tuple{fate: open, status: allCodes(), lengths: allLengths}).set(place{p, ""}, natural(p.Type()))
}

// paramLosses returns the losses of the body in the parameter p.
func (c *checker) paramLosses(fn ast.Node, p *types.Var) map[*ast.CallExpr]*Loss {
	tr := c.trace(fn, nil)
	tr.losses = make(map[*ast.CallExpr]*Loss)
	if tr.run(fn, given(p)); tr.failed {
		return nil
	}
	return tr.losses
}
