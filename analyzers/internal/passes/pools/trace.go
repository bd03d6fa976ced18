package pools

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
)

// A trace follows one pool through one function.
type trace struct {
	*checker
	fn  *function
	src source

	held        map[*types.Var]grip // the variables that may hold the pool
	changed     bool                // held has grown
	collections map[*types.Var]bool // those that hold others beside it: slices and maps
	twins       []string            // the fields that hold it, sorted, where the struct has others of their type
	errs        map[*types.Var]bool // errors of requests that are sent with it
	events      map[ast.Node][]event

	sent, kept bool // on some path
	loop       bool // another is made while the first is in use
	exits      []exit
	failed     bool
}

// A tuple is what is known on some paths to a point.
type tuple struct {
	live    bool   // there is a pool, and nobody else has it
	used    bool   // a request was sent with it
	pending bool   // a request was sent; that it did not fail is not known yet
	stored  uint32 // the parameters that point to something that holds it
	now     uint32 // before it is made: conditions that hold, two bits for each: zero, not zero
	at      uint32 // conditions that held when the pool was made, and, of clients and transports, on the way since
}

// An exit is a tuple at a return.
type exit struct {
	tuple
	results uint32 // the results that hold the pool
	grip    grip   // and how
	typ     string // the type of the package that is in a result that is an interface
	failing bool   // an error is returned
}

// maxTuples bounds the tuples at one point.
const maxTuples = 48

// trace follows the pool of src through f. It returns nil where that does not settle.
func (c *checker) trace(f *function, src source) *trace {
	g := c.cfg(f)
	if g == nil {
		return nil
	}
	t := &trace{
		checker:     c,
		fn:          f,
		src:         src,
		collections: make(map[*types.Var]bool),
		errs:        make(map[*types.Var]bool),
		events:      make(map[ast.Node][]event),
	}
	if src.twins != "" {
		t.twins = strings.Split(src.twins, ",")
	}
	t.conditionsOf(f)
	t.holders()
	entry := []tuple{{live: src.param != nil}}
	if flow.Solve(g, f.body, entry, t) == nil || t.failed {
		return nil
	}
	return t
}

// dropped reports whether the pool is used and dropped on some path to a return. If
// on another one it lives on, the paths that end in an error do not count.
func (t *trace) dropped() bool {
	livesOn := t.kept || slices.ContainsFunc(t.exits, func(e exit) bool { return e.results != 0 || e.stored != 0 })
	return slices.ContainsFunc(t.exits, func(e exit) bool {
		return e.live && (e.used || e.pending) && e.results == 0 && e.stored == 0 && !(livesOn && e.failing)
	})
}

// Join implements [flow.Problem]. Where there is no pool, only the conditions that
// hold on all paths are of interest, so that there is one tuple for all of them.
func (t *trace) Join(x, y []tuple) []tuple {
	z := slices.Concat(x, y)
	without := tuple{now: ^uint32(0)}
	for _, tup := range z {
		if !tup.live {
			without.now &= tup.now
		}
	}
	for i, tup := range z {
		if !tup.live {
			z[i] = without
		}
	}
	slices.SortFunc(z, compareTuples)
	z = slices.Compact(z)
	if len(z) > maxTuples {
		t.failed = true
		z = z[:maxTuples]
	}
	return z
}

// compareTuples orders tuples.
func compareTuples(a, b tuple) int {
	return cmp.Or(compareBools(a.live, b.live), compareBools(a.used, b.used), compareBools(a.pending, b.pending),
		cmp.Compare(a.stored, b.stored), cmp.Compare(a.now, b.now), cmp.Compare(a.at, b.at))
}

// compareBools orders true before false.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Equal implements [flow.Problem].
func (t *trace) Equal(x, y []tuple) bool { return slices.Equal(x, y) }

// Node implements [flow.Problem].
func (t *trace) Node(s []tuple, n ast.Node) []tuple {
	events := t.eventsOf(n)
	if len(events) == 0 {
		return s
	}
	next := make([]tuple, len(s))
	for i, tup := range s {
		for _, e := range events {
			tup = t.apply(tup, e)
		}
		next[i] = tup
	}
	return t.Join(next, nil)
}

// apply returns the tuple after an event.
func (t *trace) apply(tup tuple, e event) tuple {
	if e.kind == forget {
		tup.now &^= e.mask
		return tup
	}
	if e.kind == create {
		if tup.live && (tup.used || tup.pending) && tup.stored == 0 && !t.collected() {
			t.loop = true
		}
		return tuple{live: true, at: tup.now, stored: e.mask}
	}
	if e.kind == leave {
		x := exit{tuple: tup, results: e.mask, grip: e.grip, typ: e.typ, failing: e.failing}
		if !tup.live {
			x.results = 0
		}
		x.now = 0
		if (tup.live || t.src.param != nil) && !slices.Contains(t.exits, x) {
			t.exits = append(t.exits, x)
		}
		return tup
	}
	if !tup.live {
		return tup
	}
	switch e.kind {
	case send:
		t.sent = true
		tup.used = tup.used || tup.pending || !e.failing
		tup.pending = e.failing
	case done:
		tup = tuple{}
	case keep:
		t.kept = true
		tup = tuple{}
	case store:
		tup.stored |= e.mask
	}
	return tup
}

// collected reports whether a loop that makes pools collects them in something from
// before the loop.
func (t *trace) collected() bool {
	var loop ast.Node
	inspectBody(t.fn.body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if within(t.src.node.Pos(), n) {
				loop = n
			}
		}
		return true
	})
	for v := range t.collections {
		if loop != nil && !within(v.Pos(), loop) {
			return true
		}
	}
	return false
}

// Branch implements [flow.Problem].
func (t *trace) Branch(s []tuple, cond ast.Expr, truth bool) ([]tuple, bool) {
	next := make([]tuple, 0, len(s))
	i, zero := t.testOf(cond, truth)
	v, isNil := t.nilTest(cond, truth)
	for _, tup := range s {
		if i >= 0 {
			bit := uint32(1) << (2 * i)
			if !zero {
				bit <<= 1
			}
			opposite := 3<<(2*i) - bit
			switch {
			case !tup.live && tup.now&opposite != 0:
				continue
			case !tup.live:
				tup.now |= bit
			case t.src.param == nil && t.fn.conds[i].pool && tup.at&opposite == 0:
				tup.at |= bit
			}
		}
		switch {
		case v == nil:
		case t.errs[v]:
			tup.used = tup.used || tup.pending && isNil
			tup.pending = false
		case t.held[v] != 0 && isNil && tup.live && t.src.param == nil:
			continue // it holds the pool
		}
		if tup.live && t.src.param != nil && t.isMissing(cond, truth) {
			continue
		}
		next = append(next, tup)
	}
	if v, ok := t.flag(cond, truth); ok && t.flagFollows(v) {
		next = slices.DeleteFunc(next, func(tup tuple) bool { return tup.live })
	}
	return t.Join(next, nil), len(next) > 0
}

// nilTest returns the variable that cond compares with nil, and whether it is nil
// if cond is truth.
func (t *trace) nilTest(cond ast.Expr, truth bool) (v *types.Var, isNil bool) {
	x, ok := cond.(*ast.BinaryExpr)
	if !ok || x.Op != token.EQL && x.Op != token.NEQ || !t.pass.TypesInfo.Types[x.Y].IsNil() || !isIdent(x.X) {
		return nil, false
	}
	return t.variable(x.X), (x.Op == token.EQL) == truth
}

// isMissing reports whether cond, if it is truth, says that a field that may hold the pool
// is nil.
func (t *trace) isMissing(cond ast.Expr, truth bool) bool {
	x, ok := cond.(*ast.BinaryExpr)
	if !ok || (x.Op == token.EQL) != truth || x.Op != token.EQL && x.Op != token.NEQ || !t.pass.TypesInfo.Types[x.Y].IsNil() {
		return false
	}
	_, isField := ast.Unparen(x.X).(*ast.SelectorExpr)
	return isField && t.grip(x.X) != 0
}

// flag returns the local bool that cond is, where it is false.
func (t *trace) flag(cond ast.Expr, truth bool) (*types.Var, bool) {
	if !isIdent(cond) || truth {
		return nil, false
	}
	v := t.variable(cond)
	return v, t.isLocal(v) && t.fn.index(v) < 0
}

// flagFollows reports whether v is true wherever there is a pool: it says whether
// the value of a variable that holds it has some type, or is set where it is made.
func (t *trace) flagFollows(v *types.Var) bool {
	for _, def := range t.valuesOf(v).values {
		if assert, ok := ast.Unparen(def.expr).(*ast.TypeAssertExpr); ok && def.index == 1 && t.grip(assert.X) != 0 {
			return true
		}
		if id, ok := ast.Unparen(def.expr).(*ast.Ident); ok && id.Name == "true" && sameBlock(t.fn.body, id, t.src.node) {
			return true
		}
	}
	return false
}

// sameBlock reports whether the innermost block around a is that around b.
func sameBlock(body *ast.BlockStmt, a, b ast.Node) bool {
	return innermost(body, a) == innermost(body, b)
}

// innermost returns the innermost block around n.
func innermost(body *ast.BlockStmt, n ast.Node) (block ast.Node) {
	ast.Inspect(body, func(m ast.Node) bool {
		if m == nil || !within(n.Pos(), m) {
			return false
		}
		switch m.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			block = m
		}
		return true
	})
	return block
}
