package resend

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

// maxWays bounds the ways of a summary.
const maxWays = 12

// A summarizer runs one function for its summary. Its operands stand for themselves: a
// text or function is given, an error or response is that of a site of its own. The
// site before stands for what the caller has sent.
type summarizer struct {
	*engine
	decl   *ast.FuncDecl
	fn     *types.Func
	before *site
	sites  map[*site]int // of operands
	named  map[any]int   // operands by their variables
}

// summarize returns the summary of a function, or nil if it has nothing to say.
func (e *engine) summarize(decl *ast.FuncDecl, fn *types.Func) *summary {
	z := &summarizer{engine: e, decl: decl, fn: fn, before: &site{calls: []ast.Node{decl.Name}}, sites: make(map[*site]int), named: make(map[any]int)}
	e.begins(decl, maxNodes/12) // helpers are small
	e.params, e.calledGiven = z.named, false
	defer func() { e.params = nil }()
	s := &summary{Names: e.scans[decl].names}
	var ways []way
	for _, w := range z.starts() {
		asked := z.asked(w)
		for _, x := range e.frame(decl, nil, nil).run(w) {
			if !x.w.unmade(decl) {
				ways = append(ways, z.way(x, asked))
			}
		}
	}
	for _, ev := range e.found {
		z.note(s, ev)
	}
	slices.Sort(s.Resends)
	slices.SortFunc(s.Repeats, func(a, b repeated) int { return a.Operand - b.Operand })
	switch scan := e.scans[decl]; {
	case e.calledGiven:
	case e.overflow:
		s.Opaque, s.Waits, s.Sends = true, scan.waits, scan.sends
	default:
		if s.Ways = merge(ways); len(s.Ways) > maxWays {
			s.Ways, s.Opaque, s.Waits, s.Sends = nil, true, scan.waits, scan.sends
		}
	}
	if len(s.Resends)+len(s.Repeats) == 0 && !s.Names && !s.Waits && !s.Sends && !slices.ContainsFunc(s.Ways, way.tells) {
		return nil
	}
	return s
}

// tells reports whether a way says something that a caller would not assume.
func (x way) tells() bool {
	if len(x.Asks)+len(x.Sends) > 0 || x.Waits || x.Doubt {
		return true
	}
	return slices.ContainsFunc(x.Results, func(v value) bool { return v.Kind == request || v.Of != 0 })
}

// operands returns the receiver and the parameters of the function.
func (z *summarizer) operands() (vars []*types.Var) {
	sig := z.fn.Signature()
	if sig.Recv() != nil {
		vars = append(vars, sig.Recv())
	}
	for p := range sig.Params().Variables() {
		vars = append(vars, p)
	}
	return vars
}

// starts returns the worlds in which the function is entered: an error or response may
// be nil.
func (z *summarizer) starts() []*world {
	w := newWorld()
	w.put(ref{z.before, "#sent"}, val{k: nonNil})
	sig := z.fn.Signature()
	for r := range sig.Results().Variables() {
		if r.Name() != "" {
			w.put(ref{r, ""}, zero(r.Type()))
		}
	}
	worlds := []*world{w}
	for i, v := range z.operands() {
		n := i + 1
		t := v.Type()
		z.named[v] = n
		if sig.Variadic() && n == len(z.operands()) {
			continue
		}
		_, isFunc := t.Underlying().(*types.Signature)
		basic, _ := t.Underlying().(*types.Basic)
		switch {
		case isFunc, basic != nil && basic.Info()&types.IsString != 0:
			for _, w := range worlds {
				w.put(ref{v, ""}, val{k: given, n: uint64(n)})
			}
		case httpmodel.IsRequest(t):
			for _, w := range worlds {
				w.put(ref{v, ".Method"}, val{k: given, n: uint64(n)})
			}
		case isJudged(v) && len(worlds) < 4:
			st := &site{calls: []ast.Node{z.decl.Name}}
			z.sites[st] = n
			for _, w := range slices.Clone(worlds) {
				if basic == nil {
					other := w.clone()
					other.put(ref{v, ""}, val{k: isNil})
					worlds = append(worlds, other)
				}
				if httpmodel.IsError(t) {
					w.put(ref{v, ""}, val{k: errOf, obj: st})
					w.put(ref{st, "#err"}, val{k: bits, n: uint64(allErrs)})
					continue
				}
				w.put(ref{v, ""}, val{k: respOf, obj: st})
				if basic != nil {
					w.put(ref{v, ""}, val{k: statusOf, obj: st})
				}
				w.put(ref{st, "#status"}, val{k: bits, n: uint64(allStatuses)})
			}
		}
	}
	return worlds
}

// asked returns what a world at the start says of the operands that are judged.
func (z *summarizer) asked(w *world) (asks []ask) {
	for i, v := range z.operands() {
		switch is := w.get(ref{v, ""}); {
		case is.k == isNil:
			asks = append(asks, ask{Operand: i + 1, Is: wasNil})
		case is.k == errOf, is.k == respOf:
			asks = append(asks, ask{Operand: i + 1})
		case is.k == statusOf: // it cannot be nil
			asks = append(asks, ask{Operand: i + 1, Is: wasNil | anyStatus})
		}
	}
	return asks
}

// cameOf returns what may have come of a site.
func cameOf(w *world, st *site) outcomes {
	return outcomes(w.get(ref{st, "#status"}).n) | outcomes(w.get(ref{st, "#err"}).n)<<errsShift
}

// way returns the way that ends in an exit, entered with what was asked.
func (z *summarizer) way(x *exit, asked []ask) way {
	w := x.w
	out := way{
		Asks:   slices.Clone(asked),
		Doubt:  w.doubt,
		Sleeps: w.sleep != nil,
		Waits:  w.get(ref{z.before, "#waited"}).k != unknown || w.get(ref{z.before, "#sent"}).k == unknown,
	}
	for st, n := range z.sites {
		i := slices.IndexFunc(out.Asks, func(a ask) bool { return a.Operand == n && a.Is != wasNil })
		if i >= 0 {
			out.Asks[i].Is = out.Asks[i].Is&wasNil | cameOf(w, st)
			out.Asks[i].Unsure = w.get(ref{st, "#unsure"}).k != unknown
		}
	}
	sites := slices.DeleteFunc(w.sent(), func(st *site) bool { return st == z.before || w.get(ref{st, "#unmade"}).k != unknown })
	slices.SortFunc(sites, compareSites)
	for _, st := range sites {
		t := sent{
			Keyed:  w.get(ref{st, "#key"}).k != unknown,
			Dials:  w.get(ref{st, "#dials"}).k != unknown,
			Body:   z.value(w, w.get(ref{st, "#body"}), sites, 0),
			Came:   cameOf(w, st),
			Unsure: w.get(ref{st, "#unsure"}).k != unknown,
			Waited: w.get(ref{st, "#waited"}).k != unknown,
		}
		switch m := w.get(ref{st, "#method"}); m.k {
		case given:
			t.Given = int(m.n)
		case constant_:
			t.Method = m.s
		}
		t.Req = z.named[w.get(ref{st, "#req"}).obj]
		out.Sends = append(out.Sends, t)
	}
	for _, v := range x.results {
		out.Results = append(out.Results, z.value(w, v, sites, 0))
	}
	return out
}

// compareSites orders sites by the calls that lead to them.
func compareSites(a, b *site) int {
	order := slices.CompareFunc(a.calls, b.calls, func(x, y ast.Node) int { return int(x.Pos() - y.Pos()) })
	return cmp.Or(order, strings.Compare(a.key, b.key))
}

// noteSent keeps in a world what an attempt sends, for a summary.
func (f *frame) noteSent(c *world, st *site, a *attempt, body val) {
	switch {
	case a.method != "":
		c.put(ref{st, "#method"}, val{k: constant_, s: a.method})
	case a.given != 0:
		c.put(ref{st, "#method"}, val{k: given, n: uint64(a.given)})
	}
	c.put(ref{st, "#body"}, body)
	if a.req.k == request {
		c.put(ref{st, "#req"}, a.req)
	}
	if a.keyed {
		c.put(ref{st, "#key"}, val{k: nonNil})
	}
	if a.dials {
		c.put(ref{st, "#dials"}, val{k: nonNil})
	}
}

// value returns what can be told of v elsewhere.
func (z *summarizer) value(w *world, v val, sites []*site, depth int) value {
	switch v.k {
	case isNil, nonNil, madeErr:
		return value{Kind: v.k}
	case constant_:
		if len(v.s) > 40 {
			return value{Kind: nonNil}
		}
		return value{Kind: constant_, Text: v.s}
	case given:
		return value{Kind: given, Of: int(v.n)}
	case buildErr:
		return value{Kind: madeErr}
	case function:
		return value{Kind: nonNil}
	case sentinel:
		if x, ok := v.obj.(*types.Var); ok && x.Exported() && x.Pkg() == z.pass.Pkg {
			return value{Kind: sentinel, Text: x.Name()}
		}
		return value{Kind: madeErr}
	case errOf, respOf, statusOf, wrappedErr, answerOf, readErr:
		st, _ := v.obj.(*site)
		of := z.sites[st]
		if i := slices.Index(sites, st); i >= 0 {
			of = -1 - i
		}
		if of == 0 {
			return value{Kind: nonNil}
		}
		return value{Kind: v.k, Text: v.s, Of: of}
	case request:
		if n := z.named[v.obj]; n != 0 {
			return value{Kind: request, Of: n}
		}
		return value{Kind: request, Parts: z.parts(w, v.obj, sites, depth)}
	case reader:
		if b, ok := v.obj.(bodyOf); ok {
			return value{Kind: reader, Of: z.named[b.v], Text: "body"}
		}
		return value{Kind: reader, Of: z.named[v.obj]}
	case object:
		lit, ok := v.obj.(*ast.CompositeLit)
		if !ok {
			return value{Kind: nonNil}
		}
		named := typeset.Named(z.info.TypeOf(lit))
		if named == nil || named.Obj().Pkg() != z.pass.Pkg || !named.Obj().Exported() || named.TypeArgs() != nil {
			return value{Kind: nonNil}
		}
		return value{Kind: object, Text: named.Obj().Name(), Parts: z.parts(w, lit, sites, depth)}
	}
	return value{}
}

// parts returns what is known of the parts of an object.
func (z *summarizer) parts(w *world, obj any, sites []*site, depth int) (parts []part) {
	if depth > 1 {
		return nil
	}
	for r, v := range w.m {
		name, isField := strings.CutPrefix(r.path, ".")
		if r.obj != obj || !(r.path == "#key" || isField && token.IsExported(name)) {
			continue
		}
		if is := z.value(w, v, sites, depth+1); is.Kind != unknown {
			parts = append(parts, part{r.path, is})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.Path, b.Path) })
	return parts
}

// note takes what an event says of the function: that it sends again what it is given,
// or how it repeats a function.
func (z *summarizer) note(s *summary, ev *Event) {
	if ev.given == 0 || ev.Build != nil || ev.Loop != nil && (&Result{z.engine}).Region(ev.Loop) == nil {
		return
	}
	switch {
	case ev.callback:
		if ev.Errs == 0 || Rounds(z.info, ev.Loop) == 2 {
			return
		}
		i := slices.IndexFunc(s.Repeats, func(r repeated) bool { return r.Operand == ev.given })
		if i < 0 {
			s.Repeats = append(s.Repeats, repeated{Operand: ev.given})
			i = len(s.Repeats) - 1
		}
		s.Repeats[i].Hot = s.Repeats[i].Hot || !ev.Waited
		s.Repeats[i].Sleeps = s.Repeats[i].Sleeps || ev.Sleep != nil
	case ev.Method == "" && !ev.Keyed && !ev.Doubt && ev.Errs&(Timeout|Broken) != 0 && !slices.Contains(s.Resends, ev.given):
		s.Resends = append(s.Resends, ev.given)
	}
}
