package neterr

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/cfg"
)

// A summary says what a call of a function tells of the error that it gets, its
// subject, and what its results are: in cases, one of which applies.
type summary struct {
	Subject int // which parameter (the receiver counts as the first); -1 if none
	Cases   []summaryCase

	field *types.Var // the subject is this field of the parameter
}

type summaryCase struct {
	Mask    Set  // what the subject may be
	Net     bool // it was asked whether it is a failure of the network
	Excused bool
	Generic generic
	Results []result
}

// A result is what a function returns.
type result struct {
	Kind  resultKind
	Set   Set // of a fresh error
	Net   bool
	Const class // of a constant

	Name string // of the program's own error as which a fresh one is returned
	From int    // the parameter, a function, that a fresh one comes from: 1 for the first
	Part string // the field of the result, a struct, that holds the error
}

type resultKind uint8

const (
	anyResult resultKind = iota
	trueResult
	falseResult
	vagueResult
	nilResult
	sameResult  // the subject, or what wraps it
	freshResult // another error
	constResult // a constant
)

// maxCases bounds the cases of a summary; a function with more says nothing.
const maxCases = 12

// summarize returns the summary of the function node, or nil.
func (p *Info) summarize(node ast.Node) *summary {
	e := p.newEngine(node)
	sig := e.signature()
	useful := namesErrors(sig)
	for v := range sig.Results().Variables() {
		useful = useful || typeset.IsBool(v.Type()) || IsError(v.Type()) || errorPart(v.Type()) != nil
	}
	if !useful {
		return nil
	}
	start := new(world)
	for v := range sig.Results().Variables() {
		if v.Name() != "" {
			start = start.with(place{root: v}, value{class: zeroClass(v.Type())})
		}
	}
	f := e.solve(State{worlds: []*world{start}})
	if f == nil {
		return nil
	}
	s := &summary{Subject: -1}
	var rows []returned
	lost := false
	f.Walk(func(_ *cfg.Block, n ast.Node, st State) {
		lost = lost || st.lost
		if ret, ok := n.(*ast.ReturnStmt); ok {
			e.cause = st.cause()
			for _, w := range st.worlds {
				rows = append(rows, e.returns(w, ret)...)
			}
		}
	})
	if lost || len(rows) == 0 {
		return nil
	}
	subject := e.subject(rows)
	s.Subject, s.field = subject.index, subject.field
	for _, row := range rows {
		s.add(e.caseOf(row, subject))
	}
	if len(s.Cases) > maxCases {
		return nil
	}
	slices.SortFunc(s.Cases, func(x, y summaryCase) int { return strings.Compare(x.key(), y.key()) })
	return s
}

// add adds c, or widens the case that has the same results.
func (s *summary) add(c summaryCase) {
	i := slices.IndexFunc(s.Cases, func(other summaryCase) bool { return other.key() == c.key() })
	if i < 0 {
		s.Cases = append(s.Cases, c)
		return
	}
	s.Cases[i].Mask |= c.Mask
	for k, r := range c.Results {
		s.Cases[i].Results[k].Set |= r.Set
		s.Cases[i].Results[k].Net = s.Cases[i].Results[k].Net || r.Net
	}
}

// key says what tells c from the other cases of its summary.
func (c summaryCase) key() string {
	kinds := make([]result, len(c.Results))
	for i, r := range c.Results {
		kinds[i] = result{Kind: r.Kind, Const: r.Const, Name: r.Name, From: r.From, Part: r.Part}
	}
	return fmt.Sprint(c.Net, c.Excused, c.Generic, kinds)
}

// A returned is one way in which a function returns.
type returned struct {
	w       *world
	results []value
}

// returns returns the ways in which ret returns from w.
func (e *engine) returns(w *world, ret *ast.ReturnStmt) []returned {
	sig := e.signature()
	if len(ret.Results) == 0 {
		row := returned{w: w}
		for v := range sig.Results().Variables() {
			row.results = append(row.results, w.vals[place{root: v}])
		}
		return []returned{row}
	}
	if len(ret.Results) == 1 && sig.Results().Len() > 1 {
		var rows []returned
		if call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr); ok {
			for _, o := range e.call(w, call) {
				rows = append(rows, returned(o))
			}
		}
		return rows
	}
	rows := []returned{{w: w}}
	for _, x := range ret.Results {
		var next []returned
		for _, row := range rows {
			for _, o := range e.resultOf(row.w, x) {
				next = append(next, returned{o.w, append(slices.Clone(row.results), o.results...)})
			}
		}
		rows = next
	}
	return rows
}

// resultOf returns the values that the result x may have in w.
func (e *engine) resultOf(w *world, x ast.Expr) []returned {
	one := func(w *world, v value) []returned { return []returned{{w, []value{v}}} }
	x = ast.Unparen(x)
	t := e.info.TypeOf(x)
	switch {
	case typeset.IsBool(t):
		var rows []returned
		for _, o := range e.eval(w, x) {
			v := value{truth: truthOf(o.truth)}
			if o.vague {
				v.truth = vague
			}
			rows = append(rows, one(o.w, v)...)
		}
		return rows
	case e.isNil(x):
		return one(w.fresh(x.Pos(), Failure{Set: None}), value{err: x.Pos()})
	case IsError(t):
		if call, ok := x.(*ast.CallExpr); ok && !e.info.Types[call.Fun].IsType() {
			if _, fn := e.Callee(call); !httpmodel.Wraps(fn) && !isErrorsFunc(fn, "Unwrap") {
				var rows []returned
				for _, o := range e.call(w, call) {
					rows = append(rows, returned(o))
				}
				return rows
			}
		}
		if w, id, ok := e.renamed(w, x); ok {
			return one(w, value{err: id})
		}
		if w, ref, ok := e.errorOf(w, x); ok {
			return one(w, value{err: ref.id})
		}
	case errorPart(t) != nil:
		return e.parts(w, x, errorPart(t))
	case isClass(t):
		return e.classes(w, x)
	}
	return one(w, value{})
}

// A subject is what a function asks about: a parameter, or a field of one.
type subject struct {
	index int
	place place
	field *types.Var
}

// subject returns what the function of rows asks about.
func (e *engine) subject(rows []returned) subject {
	for i, p := range e.params() {
		if IsError(p.Type()) {
			return subject{index: i, place: place{root: p}}
		}
	}
	for i, p := range e.params() {
		for _, row := range rows {
			for _, at := range slices.SortedFunc(maps.Keys(row.w.vals), comparePlaces) {
				if at.root == p && at.field != nil && row.w.vals[at].err != token.NoPos && IsError(at.field.Type()) {
					return subject{i, at, at.field}
				}
			}
		}
	}
	return subject{index: -1}
}

// caseOf returns the case that row is.
func (e *engine) caseOf(row returned, s subject) summaryCase {
	c := summaryCase{Mask: All}
	id := token.NoPos
	if s.index >= 0 {
		id = s.place.root.Pos()
		if s.field != nil {
			id = row.w.vals[s.place].err
		}
		f := row.w.failure(id)
		c.Mask, c.Net, c.Excused, c.Generic = f.Set, f.Why.IsValid(), f.Excused, f.generic
	}
	for _, v := range row.results {
		r := result{}
		switch {
		case v.truth == yes:
			r.Kind = trueResult
		case v.truth == no:
			r.Kind = falseResult
		case v.truth == vague:
			r.Kind = vagueResult
		case v.class != "":
			r = result{Kind: constResult, Const: v.class}
		case v.err == token.NoPos:
		case v.err == id:
			r.Kind = sameResult
		default:
			f := row.w.failure(v.err)
			if f.Set == None {
				r.Kind = nilResult
				break
			}
			r = result{Kind: freshResult, Set: f.Set, Net: f.Why.IsValid() && !f.Excused && f.Set&Dial != 0, Name: f.name, From: f.from}
		}
		if v.part != nil {
			r.Part = v.part.Name()
		}
		c.Results = append(c.Results, r)
	}
	return c
}
