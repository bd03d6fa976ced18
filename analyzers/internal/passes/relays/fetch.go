package relays

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// fetch runs a call that brings a response. It reports whether the call is one.
func (e *engine) fetch(w *world, c *calling) ([]value, bool) {
	if !e.brings(c.CallExpr) {
		return nil, false
	}
	id := e.acquire(w, c, token.NoPos)
	if e.isStrict(c.CallExpr) {
		w.looked |= 1 << id
	}
	sig, ok := typeset.Underlying(e.info, c.Fun).(*types.Signature)
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
	if httpmodel.DecodesArgs(c.fn) {
		for _, arg := range c.Args {
			e.fill(w, arg, value{{"", decoded, id}})
		}
	}
	var results []value
	for v := range sig.Results().Variables() {
		var held value
		switch t := v.Type(); {
		case httpmodel.IsUpstream(t):
			held = value{{"", response, id}}
		case httpmodel.IsError(t):
			held = value{{"", failure, id}}
		case isBytes(t), typeset.IsString(t):
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

// isBytes reports whether t is a slice of bytes.
func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isByte(s.Elem())
}

// isIntType reports whether t is an int.
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
	if results := c.fn.Signature().Results(); results.Len() == 1 && typeset.IsBool(results.At(0).Type()) {
		return []value{resp.as(status)}, true // IsError, IsSuccess ...
	}
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
			e.send(w, sending{call: c.CallExpr, answer: w.answer, by: w.by, client: v.client()}, resp.as(body))
		case v.has(own): // all of it, with its status
			w.look(resp)
			w.answer = other
		case strings.HasPrefix(c.fn.Name(), "Unmarshal"), strings.HasPrefix(c.fn.Name(), "Into"):
			e.fill(w, arg, resp.as(decoded))
		}
	}
	return nil, true
}
