package keyflow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
)

// A tracer follows one round of a region, or one call of a function.
type tracer struct {
	*checker
	fn       ast.Node                // whose graph is followed
	region   *retries.Region         // nil for a call
	body     ast.Node                // the region's node, or the function
	params   map[*types.Var]int      // of a call: the bits of parameters
	assigned map[place]bool          // places that body assigns
	defs     map[*types.Var]ast.Expr // by variable that body declares by :=, its value, or the tuple
	ifs      []*ast.IfStmt           // of body
	lits     []*litFrame             // function literals being followed, outermost first
	summary  *summary                // of a call
	rounds   map[any]state           // with which a round ends that another may follow, by place
	applied  map[*types.Var]origin   // answers of appliedKey
	renewed  map[place]value         // places outside that each round leaves a new value in
	final    bool                    // the states are final: findings count
	findings []*Finding
}

// A litFrame collects what a function literal returns and does to its parameters.
type litFrame struct {
	lit     *ast.FuncLit
	results []value
	key     origin // of the keys that it sets on its parameters
}

func (c *checker) newTracer(fn ast.Node, g *retries.Region) *tracer {
	t := &tracer{checker: c, fn: fn, region: g, body: fn,
		assigned: make(map[place]bool), defs: make(map[*types.Var]ast.Expr), rounds: make(map[any]state), applied: make(map[*types.Var]origin)}
	if g != nil {
		t.body = g.Node
	}
	ast.Inspect(t.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if p, ok := c.placeOf(lhs); ok {
					t.assigned[p] = true
				}
				if id, ok := lhs.(*ast.Ident); ok && n.Tok == token.DEFINE {
					if v, ok := c.info.Defs[id].(*types.Var); ok {
						t.defs[v] = n.Rhs[min(i, len(n.Rhs)-1)]
					}
				}
			}
		case *ast.IncDecStmt:
			if p, ok := c.placeOf(n.X); ok {
				t.assigned[p] = true
			}
		case *ast.IfStmt:
			t.ifs = append(t.ifs, n)
		}
		return true
	})
	return t
}

// run follows the graph, twice: for its solution, and for what there is to find.
func (t *tracer) run() {
	g, body := t.retries.CFG(t.fn)
	if g == nil {
		return
	}
	entry := state{in: t.region == nil || t.body == t.fn}
	result := flow.Solve(g, body, entry, t)
	if result != nil && t.findRenewed() {
		result = flow.Solve(g, body, entry, t)
	}
	if result == nil {
		return
	}
	t.final = true
	t.replay(g, result)
}

// findRenewed notes the places outside of the region that each round leaves a
// value in which it made, for the next. It reports whether there are any.
func (t *tracer) findRenewed() bool {
	var end *state
	for _, s := range t.rounds {
		if end != nil {
			s = t.Join(*end, s)
		}
		end = &s
	}
	if end == nil || t.renewsOnConflict() {
		return false
	}
	renewed := make(map[place]value)
	for p, v := range end.vars {
		if t.isInside(p.root) {
			continue
		}
		next := t.initial(p)
		if v.raw.flags == made && !v.raw.site.count {
			next.raw = v.raw
			renewed[p] = next
		}
		if v.key.flags == made && !v.key.site.count {
			next.key = v.key
			renewed[p] = next
		}
	}
	t.renewed = renewed
	return len(renewed) > 0
}

// replay visits each block once more, in its final state.
func (t *tracer) replay(g *cfg.CFG, result *flow.Result[state]) {
	for _, b := range g.Blocks {
		if s, ok := result.In(b); ok {
			for _, n := range b.Nodes {
				s = t.Node(s, n)
			}
		}
	}
}

func (t *tracer) Equal(x, y state) bool { return x.equal(y) }

func (t *tracer) Join(x, y state) state {
	if x.equal(y) {
		return x
	}
	w := work{state: state{in: x.in || y.in, vars: x.vars}}
	for p, v := range x.vars {
		w.set(p, v.with(t.lookup(&work{state: y}, p)))
	}
	for p, v := range y.vars {
		if _, ok := x.vars[p]; !ok {
			w.set(p, v.with(t.lookup(&work{state: x}, p)))
		}
	}
	for _, g := range x.gates {
		if slices.Contains(y.gates, g) {
			w.gates = append(w.gates, g)
		}
	}
	return w.state
}

// Edge starts the round where the region is a loop, and ends it.
func (t *tracer) Edge(s state, from, to *cfg.Block) state {
	if t.region == nil || len(t.lits) > 0 || to.Stmt == nil {
		return s
	}
	if ast.Node(to.Stmt) != t.region.Node {
		if s.in && t.body != t.fn && flow.IsOutside(to, t.region.Node) { // by a label
			return state{}
		}
		return s
	}
	start := cfg.KindForBody
	if loop, ok := to.Stmt.(*ast.ForStmt); ok && loop.Cond != nil {
		start = cfg.KindForLoop
	}
	switch to.Kind {
	case cfg.KindRangeLoop:
		if s.in {
			t.rounds[from] = s
		}
		return state{}
	case start, cfg.KindRangeBody, cfg.KindLabel, cfg.KindIfThen:
		if s.in {
			t.rounds[from] = s
		}
		return state{in: true}
	case cfg.KindForDone, cfg.KindRangeDone, cfg.KindIfElse, cfg.KindIfDone:
		return state{}
	}
	return s
}

// Branch adds what a condition says to the gates.
func (t *tracer) Branch(s state, cond ast.Expr, truth bool) (state, bool) {
	if !s.in {
		return s, true
	}
	var more []gate
	if root, ok := t.asksForKey(cond); ok {
		more = append(more, gate{cond, truth, root, root != nil && t.lookup(&work{state: s}, place{root, ""}).born})
	} else if !t.isHead(cond) && t.isGate(cond, truth) {
		more = append(more, gate{cond: cond, truth: truth})
	}
	for _, g := range more {
		if !slices.Contains(s.gates, g) {
			s.gates = append(slices.Clip(s.gates), g)
		}
	}
	return s, true
}

// Node follows one statement or expression.
func (t *tracer) Node(s state, n ast.Node) state {
	if !s.in {
		return s
	}
	w := &work{state: s}
	switch n := n.(type) {
	case *ast.AssignStmt:
		t.assignStmt(w, n)
	case *ast.ValueSpec:
		t.valueSpec(w, n)
	case *ast.ReturnStmt:
		t.returnStmt(w, n)
		if t.region != nil && t.region.Kind == retries.Callback && len(t.lits) == 0 && !t.succeeds(n) {
			t.rounds[n] = w.state
		}
	case *ast.SendStmt:
		v := t.eval(w, n.Value)
		t.sent(w, n, v.key, n.Value)
	case *ast.ExprStmt:
		t.eval(w, n.X)
	case *ast.GoStmt:
		t.eval(w, n.Call)
	case *ast.DeferStmt:
		t.eval(w, n.Call)
	case ast.Expr:
		t.eval(w, n)
	}
	return w.state
}

// succeeds reports whether a return says that all went well: its error is nil.
func (t *tracer) succeeds(ret *ast.ReturnStmt) bool {
	n := len(ret.Results)
	return n > 0 && t.info.Types[ret.Results[n-1]].IsNil()
}
