package relays

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

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
	if c.fn == nil || c.fn.Pkg() == nil {
		return nil, false
	}
	client, ofClient := nth(c.args, 0), false
	recv := c.fn.Signature().Recv()
	known := httpmodel.IsFramework(typeset.PkgPath(c.fn.Pkg()))
	if recv != nil {
		client, ofClient = c.recv, httpmodel.IsOwnClient(recv.Type())
		if !typeset.IsInterfaceMethod(c.fn) && !known {
			return nil, false // its body tells
		}
	}
	if !client.has(own) && !ofClient {
		return nil, false
	}
	// Have: a call on an own client, or of a function that gets one.
	a, ok := httpmodel.AnswerOf(c.fn)
	if !ok {
		if recv == nil || !ofClient && !known {
			return nil, false
		}
		return e.accessor(w, c, client), true
	}
	s := sending{call: c.CallExpr, answer: w.answer, by: w.by, client: client.client()}
	if a.Status >= 0 {
		e.set(w, e.answerOf(w, nth(c.args, a.Status)), nth(c.Args, a.Status))
		s.answer, s.by = w.answer, w.by
	}
	if a.Steps >= 0 && a.Steps < len(c.Args) {
		if lit, ok := e.index.FuncOf(c.Args[a.Steps]).(*ast.FuncLit); ok {
			e.inline(w, lit, []value{{{"", own, s.client}}})
		}
	}
	if a.Data >= 0 {
		var data value
		for _, v := range c.args[min(a.Data, len(c.args)):] {
			data = data.join(v.flat())
		}
		w.look(data.only(status)) // it is in the content
		if a.Later {
			e.sendLater(w, s, data)
		} else {
			e.send(w, s, data)
		}
	}
	return []value{{{"", own, s.client}}}, true
}

// accessor runs a method of an own client that does nothing to the answer, and may
// return another form of the client: c.Response(), c.Type("json").
func (e *engine) accessor(w *world, c *calling, client value) (results []value) {
	for _, v := range c.args {
		w.look(v.flat().only(status))
	}
	for v := range c.fn.Signature().Results().Variables() {
		var held value
		if t := v.Type(); httpmodel.IsOwnClient(t) || httpmodel.IsUpstream(t) || types.IsInterface(t) && hasMethod(t, "Write") {
			held = value{{"", own, client.client()}}
		}
		results = append(results, held)
	}
	return results
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
	e.hold(w, s.call)
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
	e.hold(w, s.call)
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
