// Package flow solves forward dataflow problems over the control-flow graph of
// one function (golang.org/x/tools/go/cfg).
//
// A condition of an if, a for or a switch is one node of such a graph, however
// many && and || it holds. The solver splits it: a leaf of the condition is
// evaluated only on the paths that reach it, and each of its outcomes refines
// the state that goes on. So in "if err != nil || resp.StatusCode >= 400", the
// second leaf is seen with err known to be nil, and a call inside a leaf has its
// effect only where the leaf is reached.
package flow

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/cfg"
)

// A Problem is a forward dataflow problem over states of type S.
//
// States are values: a method never modifies the state it is given, and returns
// it unchanged where nothing changes. For the solver to end, the states that
// Join builds must not grow for ever.
type Problem[S any] interface {
	// Join merges the states of two paths that meet.
	Join(x, y S) S

	// Equal reports whether two states say the same.
	Equal(x, y S) bool

	// Node returns the state after n: a statement, an *ast.ValueSpec, or an
	// expression that the graph evaluates by itself (a condition's leaf, a
	// switch's tag or a value it is compared with, a range's operand). The graph
	// evaluates all communications of a select before the choice among them.
	Node(s S, n ast.Node) S

	// Branch refines the state after cond, a leaf of a condition that Node has
	// seen already, for the path on which cond is truth. It reports false if
	// there is no such path. A value of a switch with a tag arrives as the
	// comparison "tag == value", which has no entry in types.Info and which Node
	// has not seen: it saw the tag and the value.
	Branch(s S, cond ast.Expr, truth bool) (S, bool)
}

// An EdgeProblem also wants to see the edges, above all those that no condition
// decides: of ranges, selects and type switches.
type EdgeProblem[S any] interface {
	Problem[S]

	// Edge refines the state on the way from one block to another; the kinds and
	// statements of both say which way that is. An edge to KindRangeDone from
	// KindRangeLoop is the end of what is ranged over, one from elsewhere a break.
	Edge(s S, from, to *cfg.Block) S
}

// A TypeCase is one question of a type switch: is x (of "switch x.(type)") a Type?
// A clause of several types is several questions.
type TypeCase struct {
	Switch *ast.TypeSwitchStmt
	Clause *ast.CaseClause
	Type   ast.Expr // as written; the identifier nil for case nil
}

// A TypeCaseProblem also wants the outcomes of type switches.
type TypeCaseProblem[S any] interface {
	Problem[S]

	// TypeCase refines the state for the path on which the question's answer is
	// truth. It reports false if there is no such path.
	TypeCase(s S, c TypeCase, truth bool) (S, bool)
}

// A Result holds the solution: the state at the start of each block that can be
// reached.
type Result[S any] struct {
	problem Problem[S]
	in      []S
	reached []bool
}

// In returns the state at the start of b, and whether b is reached at all.
func (r *Result[S]) In(b *cfg.Block) (S, bool) {
	return r.in[b.Index], r.reached[b.Index]
}

// maxVisits bounds how often a block is visited, on average, before the solver
// gives up. Real functions need fewer than ten.
const maxVisits = 200

// Solve returns the solution of problem over the graph g of the function body,
// from the state entry at its start. It returns nil where the solution does not
// settle; the caller then knows nothing of the function.
func Solve[S any](g *cfg.CFG, body *ast.BlockStmt, entry S, problem Problem[S]) *Result[S] {
	r := &Result[S]{
		problem: problem,
		in:      make([]S, len(g.Blocks)),
		reached: make([]bool, len(g.Blocks)),
	}
	if len(g.Blocks) == 0 {
		return r
	}
	sv := solver[S]{
		Result:   r,
		switches: switchesOf(g, body),
		order:    reversePostorder(g),
		queued:   make([]bool, len(g.Blocks)),
	}
	sv.flowTo(g.Blocks[0], entry)
	budget := maxVisits * len(g.Blocks)
	for len(sv.queue) > 0 {
		if budget--; budget < 0 {
			return nil
		}
		b := sv.pop()
		sv.block(b)
	}
	return r
}

// A solver is the solution under way.
type solver[S any] struct {
	*Result[S]
	switches switches
	order    []int        // by block: its place in reverse postorder
	queue    []*cfg.Block // blocks to visit
	queued   []bool       // by block: whether it is in queue
}

// pop takes the queued block that comes first in reverse postorder, so that all
// paths to a block meet before it is visited.
func (sv *solver[S]) pop() *cfg.Block {
	first := 0
	for i, b := range sv.queue {
		if sv.order[b.Index] < sv.order[sv.queue[first].Index] {
			first = i
		}
	}
	b := sv.queue[first]
	last := len(sv.queue) - 1
	sv.queue[first] = sv.queue[last]
	sv.queue = sv.queue[:last]
	sv.queued[b.Index] = false
	return b
}

// reversePostorder numbers the blocks of g that can be reached, each before its
// successors but for back edges.
func reversePostorder(g *cfg.CFG) []int {
	order := make([]int, len(g.Blocks))
	seen := make([]bool, len(g.Blocks))
	next := len(g.Blocks)
	var visit func(b *cfg.Block)
	visit = func(b *cfg.Block) {
		seen[b.Index] = true
		for _, succ := range b.Succs {
			if !seen[succ.Index] {
				visit(succ)
			}
		}
		next--
		order[b.Index] = next
	}
	visit(g.Blocks[0])
	return order
}

// flowTo merges s into the state at the start of b.
func (sv *solver[S]) flowTo(b *cfg.Block, s S) {
	i := b.Index
	if sv.reached[i] {
		merged := sv.problem.Join(sv.in[i], s)
		if sv.problem.Equal(merged, sv.in[i]) {
			return
		}
		s = merged
	}
	sv.in[i], sv.reached[i] = s, true
	if !sv.queued[i] {
		sv.queued[i] = true
		sv.queue = append(sv.queue, b)
	}
}

// block carries the state at the start of b to its successors.
func (sv *solver[S]) block(b *cfg.Block) {
	s := sv.in[b.Index]
	nodes := b.Nodes
	cond := sv.switches.condition(b)
	if cond != nil {
		nodes = nodes[:len(nodes)-1]
	}
	for _, n := range nodes {
		s = sv.problem.Node(s, n)
	}
	switch {
	case cond != nil:
		var t, f outcome[S]
		if comparison, ok := sv.switches.values[cond]; ok {
			t, f = sv.branch(sv.problem.Node(s, cond), comparison)
		} else {
			t, f = sv.split(s, cond)
		}
		sv.flowOn(b, b.Succs[0], t)
		sv.flowOn(b, b.Succs[1], f)
	case len(b.Succs) == 2:
		if p, ok := sv.problem.(TypeCaseProblem[S]); ok {
			if c, ok := sv.switches.types[b]; ok {
				for i, truth := range []bool{true, false} {
					if s, ok := p.TypeCase(s, c, truth); ok {
						sv.flowOn(b, b.Succs[i], outcome[S]{s, true})
					}
				}
				return
			}
		}
		fallthrough
	default:
		for _, to := range b.Succs {
			sv.flowOn(b, to, outcome[S]{s, true})
		}
	}
}

// flowOn carries an outcome of from on to its successor to.
func (sv *solver[S]) flowOn(from, to *cfg.Block, o outcome[S]) {
	if !o.ok {
		return
	}
	if p, ok := sv.problem.(EdgeProblem[S]); ok {
		o.s = p.Edge(o.s, from, to)
	}
	sv.flowTo(to, o.s)
}

// An outcome is the state on the paths of one outcome of a condition; ok is
// false if there are none.
type outcome[S any] struct {
	s  S
	ok bool
}

// split returns the states on the paths on which cond is true and false.
func (sv *solver[S]) split(s S, cond ast.Expr) (t, f outcome[S]) {
	switch x := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			t, f = sv.split(s, x.X)
			return f, t
		}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LAND:
			left, f1 := sv.split(s, x.X)
			if !left.ok {
				return left, f1
			}
			t, f2 := sv.split(left.s, x.Y)
			return t, sv.join(f1, f2)
		case token.LOR:
			t1, left := sv.split(s, x.X)
			if !left.ok {
				return t1, left
			}
			t2, f := sv.split(left.s, x.Y)
			return sv.join(t1, t2), f
		}
	}
	cond = ast.Unparen(cond)
	return sv.branch(sv.problem.Node(s, cond), cond)
}

// branch returns the states on the paths on which cond, which Node has seen, is
// true and false.
func (sv *solver[S]) branch(s S, cond ast.Expr) (t, f outcome[S]) {
	t.s, t.ok = sv.problem.Branch(s, cond, true)
	f.s, f.ok = sv.problem.Branch(s, cond, false)
	return t, f
}

// join merges two outcomes.
func (sv *solver[S]) join(x, y outcome[S]) outcome[S] {
	switch {
	case !x.ok:
		return y
	case !y.ok:
		return x
	}
	return outcome[S]{sv.problem.Join(x.s, y.s), true}
}

// switches says what the two-way blocks of a graph ask where the graph itself
// does not.
type switches struct {
	values map[ast.Expr]ast.Expr   // a case of a switch with a tag -> "tag == case"
	types  map[*cfg.Block]TypeCase // a block that asks for a type
}

// condition returns what decides between the two successors of b, or nil.
func (sw switches) condition(b *cfg.Block) ast.Expr {
	if len(b.Succs) != 2 || len(b.Nodes) == 0 {
		return nil
	}
	switch b.Succs[0].Kind {
	case cfg.KindIfThen, cfg.KindForBody, cfg.KindSwitchCaseBody:
	default:
		return nil // a range or a select
	}
	cond, ok := b.Nodes[len(b.Nodes)-1].(ast.Expr)
	if !ok {
		return nil
	}
	if _, ok := sw.types[b]; ok {
		return nil
	}
	return cond
}

// switchesOf finds the switches of a function body and of its graph.
func switchesOf(g *cfg.CFG, body *ast.BlockStmt) switches {
	sw := switches{
		values: make(map[ast.Expr]ast.Expr),
		types:  make(map[*cfg.Block]TypeCase),
	}
	typeSwitch := make(map[*ast.CaseClause]*ast.TypeSwitchStmt)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SwitchStmt:
			if n.Tag == nil {
				break
			}
			for _, cc := range n.Body.List {
				for _, value := range cc.(*ast.CaseClause).List {
					sw.values[value] = &ast.BinaryExpr{X: n.Tag, OpPos: value.Pos(), Op: token.EQL, Y: value}
				}
			}
		case *ast.TypeSwitchStmt:
			for _, cc := range n.Body.List {
				typeSwitch[cc.(*ast.CaseClause)] = n
			}
		}
		return true
	})
	if len(typeSwitch) == 0 {
		return sw
	}
	// The blocks that ask for a clause's types come in the order of the types.
	asked := make(map[*ast.CaseClause]int)
	for _, b := range g.Blocks {
		if len(b.Succs) != 2 || b.Succs[0].Kind != cfg.KindSwitchCaseBody {
			continue
		}
		clause, ok := b.Succs[0].Stmt.(*ast.CaseClause)
		if !ok || typeSwitch[clause] == nil || asked[clause] >= len(clause.List) {
			continue
		}
		sw.types[b] = TypeCase{typeSwitch[clause], clause, clause.List[asked[clause]]}
		asked[clause]++
	}
	return sw
}

// IsOutside reports whether a block belongs to a statement that is no part of loop, an
// *ast.ForStmt or *ast.RangeStmt: an edge from the loop leads there only by a label, or
// by way of the loop's own done block.
func IsOutside(b *cfg.Block, loop ast.Node) bool {
	switch loop.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return b.Stmt != nil && (b.Stmt.Pos() < loop.Pos() || loop.End() <= b.Stmt.Pos())
	}
	return false
}
