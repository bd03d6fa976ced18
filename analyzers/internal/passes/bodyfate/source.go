package bodyfate

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A source is what brings a body from the wire, unread: a call, or a receive
// from a channel.
type source struct {
	node     ast.Node   // *ast.CallExpr, *ast.UnaryExpr (<-c) or *ast.RangeStmt
	live     []live     // what its results hold
	captured *types.Var // or the variable that a function literal among its arguments sets
}

// live says where in a function's results a body is that was not read to its end.
type live struct {
	index int   // of the result
	held  value // what the result holds of the body
	read  Progress
}

// fromWire is what a call like http.Client.Do brings.
var fromWire = []live{{0, one(response), Unread}}

// sources returns the calls in a function, outside the function literals in it,
// that bring a body.
func (c *checker) sources(fn ast.Node) []*source {
	_, _, fnBody := c.graph(fn)
	if fnBody == nil {
		return nil
	}
	var list []*source
	ast.Inspect(fnBody, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if found := c.brings(fn, n); len(found) > 0 {
				list = append(list, &source{node: n, live: found})
			}
			for _, arg := range n.Args {
				if lit, ok := ast.Unparen(arg).(*ast.FuncLit); ok {
					if v := c.captured(lit); v != nil {
						list = append(list, &source{node: n, captured: v})
					}
				}
			}
		case *ast.UnaryExpr:
			if found := c.received(n.X); n.Op == token.ARROW && len(found) > 0 {
				list = append(list, &source{node: n, live: found})
			}
		case *ast.RangeStmt:
			if found := c.received(n.X); len(found) > 0 {
				list = append(list, &source{node: n, live: found})
			}
		}
		return true
	})
	return list
}

// captured returns the variable of its surroundings in which a function literal
// leaves the response that a call in it returns, or nil.
func (c *checker) captured(lit *ast.FuncLit) *types.Var {
	var found *types.Var
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if assign, ok := n.(*ast.AssignStmt); ok && len(assign.Rhs) == 1 {
			v := c.variable(assign.Lhs[0])
			call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
			if ok && v != nil && httpmodel.IsResponse(v.Type()) && !declaredIn(v, lit) && len(c.brings(lit, call)) > 0 {
				found = v
			}
		}
		return found == nil
	})
	return found
}

// declaredIn reports whether v is declared in n.
func declaredIn(v *types.Var, n ast.Node) bool { return n.Pos() <= v.Pos() && v.Pos() < n.End() }

// received returns the bodies in what is received from ch: those that the
// functions of this package send on a channel of the type, if each was unread
// when it was sent.
func (c *checker) received(ch ast.Expr) []live {
	typ, ok := c.typeOf(ch).Underlying().(*types.Chan)
	if !ok || !mayHold(typ.Elem()) {
		return nil
	}
	if c.sent == nil {
		c.sent = make(map[string][]live)
		c.findSent()
	}
	found := c.sent[types.TypeString(typ.Elem(), nil)]
	if slices.ContainsFunc(found, func(l live) bool { return l.read != Unread }) {
		return nil
	}
	return found
}

// findSent records what the functions of the package send on channels.
func (c *checker) findSent() {
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(fn ast.Node) bool {
			switch fn.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
			default:
				return true
			}
			if _, _, fnBody := c.graph(fn); fnBody == nil || !sends(fnBody) {
				return true
			}
			for _, src := range c.sources(fn) {
				tr := c.trace(fn, src)
				tr.sent = make(map[string][]live)
				if tr.run(fn, start()); tr.failed {
					continue
				}
				for typ, list := range tr.sent {
					c.sent[typ] = append(c.sent[typ], list...)
				}
			}
			return true
		})
	}
}

// sends reports whether a function body sends on a channel.
func sends(fnBody *ast.BlockStmt) bool {
	found := false
	ast.Inspect(fnBody, func(n ast.Node) bool {
		_, ok := n.(*ast.SendStmt)
		found = found || ok
		return !found
	})
	return found
}

// returns returns the bodies that the results of a function of this package hold:
// those that come by a call in it, and are still to be read when it returns. It
// returns nil if there may be others.
func (c *checker) returns(fn ast.Node) []live {
	if found, ok := c.liveResults[fn]; ok {
		return found // nil while being computed: recursion brings nothing new
	}
	c.liveResults[fn] = nil
	found, all := []live{}, true
	for _, src := range c.sources(fn) {
		tr := c.trace(fn, src)
		exits := tr.run(fn, start())
		if tr.failed {
			all = false
			continue
		}
		for _, x := range exits {
			all = all && x.fate != escaped
			if x.old || x.fate != open && !x.lent || x.read == Drained || x.status.bodyless() || x.lengths.nothingToRead() {
				continue
			}
			for i, v := range x.result.values {
				v, _ = tr.settled(x.tuple, v)
				l := live{i, v, x.read}
				if v.holds() && !slices.ContainsFunc(found, func(m live) bool { return m.index == i && slices.Equal(m.held, v) }) {
					found = append(found, l)
				}
			}
		}
	}
	if len(found) == 0 && !all {
		return nil
	}
	c.liveResults[fn] = found
	return found
}

// start returns the state at the start of a function whose body comes by a call.
func start() *tuple {
	return &tuple{fate: before, status: allCodes(), lengths: allLengths}
}

// acquire returns the tuples after the call that brings the body.
func (tr *trace) acquire(t *tuple) []*tuple {
	if t.old {
		return []*tuple{t}
	}
	var after []*tuple
	if t.fate == open && slices.ContainsFunc(t.defers, tr.closesLater) {
		// The one of the round before waits for a deferred call.
		old := t.clone()
		old.old, old.results = true, nil
		after = append(after, old)
	} else if t.fate == open && tr.outlives(t) {
		after = append(after, t)
	}
	if t.bodyless {
		return after
	}
	fresh := &tuple{
		fate:    open,
		facts:   t.facts,
		status:  allCodes(),
		lengths: allLengths,
		results: t.results,
		branch:  tr.source.node.Pos(),
		defers:  slices.DeleteFunc(slices.Clone(t.defers), tr.closesLater),
	}
	switch node := tr.source.node.(type) {
	case *ast.CallExpr:
		result := callResult{links: tr.absentLink(node)}
		for _, l := range slices.Backward(tr.source.live) { // the first of a result wins
			result.set(l.index, callResult{values: []value{l.held}}, 0)
			fresh.read = l.read
		}
		if v := tr.source.captured; v != nil {
			fresh = fresh.set(place{v, ""}, one(response)).assigned(v, tr.depends)
		}
		fresh = fresh.returned(node, result)
	case *ast.UnaryExpr:
		fresh = fresh.returned(node, callResult{values: []value{tr.source.live[0].held}})
	case *ast.RangeStmt:
		if v := tr.variable(node.Key); v != nil {
			fresh = fresh.set(place{v, ""}, tr.source.live[0].held)
		}
	}
	return append(after, fresh)
}

// outlives reports whether a variable declared outside the loop that the source is in
// holds the body when the source brings the next, and is not what that one is put in.
func (tr *trace) outlives(t *tuple) bool {
	var put []ast.Expr
	if assign, ok := tr.node.(*ast.AssignStmt); ok {
		put = assign.Lhs
	}
	for p, h := range t.vars {
		if p.v != tr.source.captured && (value{{"", h}}).holds() && !slices.ContainsFunc(put, func(x ast.Expr) bool { return tr.variable(x) == p.v }) &&
			slices.ContainsFunc(tr.loops(tr.root), func(loop ast.Node) bool {
				return syntax.Within(tr.source.node, loop) && !declaredIn(p.v, loop)
			}) {
			return true
		}
	}
	return false
}

// absentLink links the error that the source returns last, or its bool, to there
// being no body.
func (tr *trace) absentLink(call *ast.CallExpr) map[int]effect {
	if links := tr.errorLink(call, absent); links != nil {
		return links
	}
	if results, ok := tr.typeOf(call).(*types.Tuple); ok && typeset.IsBool(results.At(results.Len()-1).Type()) {
		return map[int]effect{results.Len() - 1: absent}
	}
	return nil
}

// closesLater reports whether a deferred call belongs to one round of the loop
// that the source is in.
func (tr *trace) closesLater(d deferred) bool {
	return d.ops.hold() || slices.ContainsFunc(tr.loops(tr.root), func(loop ast.Node) bool {
		return syntax.Within(d.stmt, loop) && syntax.Within(tr.source.node, loop)
	})
}

func isFalse(info *types.Info, e ast.Expr) bool {
	tv := info.Types[e]
	return tv.Value != nil && tv.Value.Kind() == constant.Bool && !constant.BoolVal(tv.Value)
}

// unref returns e without parentheses and &.
func unref(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok {
		return ast.Unparen(u.X)
	}
	return e
}

// A setting is an assignment to a field of a variable.
type setting struct {
	field string
	value ast.Expr
}

// definitions returns the expressions that are assigned to v in this package,
// anywhere, whole: for one of several results of a call, the call.
func (c *checker) definitions(v *types.Var) []ast.Expr {
	c.index()
	return c.defs[v]
}

// settings returns what is assigned in this package to the fields of v, a variable
// or itself a field, through type assertions too.
func (c *checker) settings(v *types.Var) []setting {
	c.index()
	return c.sets[v]
}

// index collects the assignments of the package, once.
func (c *checker) index() {
	if c.defs != nil {
		return
	}
	c.defs = make(map[*types.Var][]ast.Expr)
	c.sets = make(map[*types.Var][]setting)
	for _, file := range c.pass.Files {
		ast.Inspect(file, c.define)
	}
}

// define records the definitions and settings that n makes.
func (c *checker) define(n ast.Node) bool {
	add := func(lhs ast.Expr, rhs []ast.Expr, i int) {
		v := typeset.VarOf(c.pass.TypesInfo, lhs)
		switch {
		case v == nil || len(rhs) == 0:
		case i < len(rhs):
			c.defs[v] = append(c.defs[v], rhs[i])
		default:
			c.defs[v] = append(c.defs[v], rhs[0])
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, lhs := range n.Lhs {
			add(lhs, n.Rhs, i)
			if sel, ok := ast.Unparen(lhs).(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) {
				if v := typeset.VarOf(c.pass.TypesInfo, unasserted(sel.X)); v != nil {
					c.sets[v] = append(c.sets[v], setting{sel.Sel.Name, n.Rhs[i]})
				}
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			add(name, n.Values, i)
		}
	case *ast.CompositeLit:
		st, ok := c.typeOf(n).Underlying().(*types.Struct)
		if !ok {
			break
		}
		for i, elt := range n.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				add(kv.Key, []ast.Expr{kv.Value}, 0)
			} else if i < st.NumFields() {
				c.defs[st.Field(i)] = append(c.defs[st.Field(i)], elt)
			}
		}
	}
	return true
}

// unasserted returns e without parentheses and type assertions.
func unasserted(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if assert, ok := e.(*ast.TypeAssertExpr); ok {
		return unasserted(assert.X)
	}
	return e
}
