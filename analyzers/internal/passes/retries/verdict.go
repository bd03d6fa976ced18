package retries

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A verdict is what a path says of the attempt of its round. Where paths meet, the
// lesser holds, but that nothing gives way to anything.
type verdict uint8

const (
	nothing verdict = iota // no attempt was made
	ran                    // one was made, and for all that is known it succeeded
	judged                 // something in its answer was asked
	failed                 // it failed
)

func meet(a, b verdict) verdict {
	switch {
	case a == nothing:
		return b
	case b == nothing:
		return a
	}
	return min(a, b)
}

// A round is the state of the analysis of a loop: the paths through a round that
// lead to a point. It is empty outside of the loop.
type round []path

// A path is a group of paths of one verdict, and with the same values of boolean
// variables that were set to a constant on the way: "if err == nil { done = true }".
type path struct {
	v     verdict
	fails bool   // one of the paths at least failed
	flags string // of each such variable: its position, and + or -
}

// start is the round at its start.
func start() round { return round{{}} }

// verdict returns the least that all paths say.
func (s round) verdict() (v verdict) {
	for _, p := range s {
		v = meet(v, p.v)
	}
	return v
}

// fails reports whether one of the paths failed.
func (s round) fails() bool {
	return slices.ContainsFunc(s, func(p path) bool { return p.fails })
}

// flagOf returns what names v among the flags.
func flagOf(v *types.Var) string { return " " + strconv.Itoa(int(v.Pos())) + "=" }

// known returns the value of a variable, if known.
func (p path) known(v *types.Var) (value, ok bool) {
	_, rest, ok := strings.Cut(p.flags, flagOf(v))
	return ok && rest[0] == '+', ok
}

// without returns the path without the value of a variable.
func (p path) without(v *types.Var) path {
	if before, rest, ok := strings.Cut(p.flags, flagOf(v)); ok {
		p.flags = before + rest[1:]
	}
	return p
}

// with returns the path with the value of a variable.
func (p path) with(v *types.Var, value bool) path {
	p = p.without(v)
	sign := "-"
	if value {
		sign = "+"
	}
	p.flags += flagOf(v) + sign
	return p
}

// each returns the round after f of each path.
func (s round) each(f func(path) path) round {
	var out round
	for _, p := range s {
		out = out.add(f(p))
	}
	return out
}

// maxPaths bounds the paths of a round that are told apart.
const maxPaths = 16

// add returns the round with another path.
func (s round) add(p path) round {
	i, found := slices.BinarySearchFunc(s, p, func(q, p path) int { return strings.Compare(q.flags, p.flags) })
	s = slices.Clone(s)
	if found {
		s[i].v = meet(s[i].v, p.v)
		s[i].fails = s[i].fails || p.fails
		return s
	}
	if s = slices.Insert(s, i, p); len(s) > maxPaths {
		return round{{v: s.verdict(), fails: s.fails()}}
	}
	return s
}

// A loopProblem follows the rounds of one loop: n is the *ast.ForStmt,
// *ast.RangeStmt or *ast.LabeledStmt; nil for a function that calls itself.
type loopProblem struct {
	*Result
	loop     ast.Node
	self     types.Object         // in the place of loop: the function, or the variable that holds it
	outcomes map[*types.Var]bool  // variables that the loop assigns from calls
	back     map[any]round        // with which a round is followed by another, by place
	calls    map[ast.Node]verdict // with which a call is come to that is a statement
	exits    map[any]verdict      // with which the loop is left, by place: a return or *cfg.Block
}

// follow returns the problem of a loop, solved, or nil.
func (r *Result) follow(fn ast.Node, loop ast.Node, self types.Object) *loopProblem {
	g, body := r.CFG(fn)
	if g == nil {
		return nil
	}
	p := &loopProblem{
		Result:   r,
		loop:     loop,
		self:     self,
		outcomes: make(map[*types.Var]bool),
		back:     make(map[any]round),
		calls:    make(map[ast.Node]verdict),
		exits:    make(map[any]verdict),
	}
	within := loop
	if within == nil {
		within = body
	}
	ast.Inspect(within, p.findOutcomes)
	var entry round
	if loop == nil {
		entry = start()
	}
	if flow.Solve(g, body, entry, p) == nil {
		return nil
	}
	return p
}

// isRetry reports whether the loop leaves on success and goes round on failure.
func (p *loopProblem) isRetry() bool {
	fails := false
	for _, s := range p.back {
		if s.verdict() == ran {
			return false
		}
		fails = fails || s.fails()
	}
	if !fails {
		return false
	}
	for _, v := range p.exits {
		if v == ran || v == judged {
			return true
		}
	}
	return false
}

func (p *loopProblem) Join(x, y round) round {
	for _, q := range y {
		x = x.add(q)
	}
	return x
}

func (p *loopProblem) Equal(x, y round) bool { return slices.Equal(x, y) }

func (p *loopProblem) Node(s round, n ast.Node) round {
	if len(s) == 0 {
		return s
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if p.isAttempt(n) {
				s = s.atLeast(ran)
			}
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					s = p.assign(s, lhs, n.Rhs[i])
				}
			}
		}
		return true
	})
	// What is noted of a place last is what its final state says.
	switch n := n.(type) {
	case *ast.ReturnStmt:
		p.exits[n] = s.verdict()
	case *ast.ExprStmt:
		p.calls[n] = s.verdict()
	}
	if p.self != nil && p.callsSelf(n) {
		p.back[n] = s
	}
	return s
}

// atLeast returns the round with no lesser verdict than v.
func (s round) atLeast(v verdict) round {
	return s.each(func(q path) path {
		q.v = max(q.v, v)
		q.fails = q.fails || v == failed
		return q
	})
}

// assign returns the state after an assignment: a new error is a failure, a
// boolean constant is remembered, and a condition is as if it were asked here.
func (p *loopProblem) assign(s round, lhs, rhs ast.Expr) round {
	info := p.pass.TypesInfo
	if call, ok := ast.Unparen(rhs).(*ast.CallExpr); ok {
		fn := typeset.Callee(info, call)
		if typeset.IsFunc(fn, "errors", "New") || typeset.IsFunc(fn, "fmt", "Errorf") {
			s = s.atLeast(failed)
		}
	}
	v := typeset.VarOf(info, lhs)
	if v == nil {
		return s
	}
	value := info.Types[rhs].Value
	if value == nil && typeset.IsBool(v.Type()) {
		if yes, no := p.judge(rhs); yes != nothing || no != nothing {
			without := s.each(func(q path) path { return q.without(v) })
			with := func(value bool) round { return without.each(func(q path) path { return q.with(v, value) }) }
			return p.Join(with(true).atLeast(yes), with(false).atLeast(no))
		}
	}
	return s.each(func(q path) path {
		if value != nil && value.Kind() == constant.Bool {
			return q.with(v, constant.BoolVal(value))
		}
		return q.without(v)
	})
}

// Edge starts a round at the start of the loop's body, and ends the last one where
// the loop is left.
func (p *loopProblem) Edge(s round, from, to *cfg.Block) round {
	switch {
	case p.loop == nil:
	case to.Stmt != p.loop:
		if flow.IsOutside(to, p.loop) { // by a label
			return p.leave(s, from)
		}
	case to.Kind == cfg.KindForBody, to.Kind == cfg.KindRangeBody, to.Kind == cfg.KindLabel:
		if len(s) > 0 {
			p.back[from] = s
		}
		return start()
	case to.Kind == cfg.KindForDone, to.Kind == cfg.KindRangeDone:
		return p.leave(s, from)
	}
	return s
}

// leave ends the last round where the loop is left from a block.
func (p *loopProblem) leave(s round, from *cfg.Block) round {
	if len(s) > 0 {
		p.exits[from] = s.verdict()
	}
	return nil
}

// Branch takes what a condition says of the attempt.
func (p *loopProblem) Branch(s round, cond ast.Expr, truth bool) (round, bool) {
	if len(s) == 0 {
		return s, true
	}
	if v := typeset.VarOf(p.pass.TypesInfo, cond); v != nil {
		s = slices.DeleteFunc(slices.Clone(s), func(q path) bool {
			value, ok := q.known(v)
			return ok && value != truth
		})
		if len(s) == 0 {
			return s, false
		}
	}
	yes, no := p.judge(cond)
	if !truth {
		yes = no
	}
	return s.atLeast(yes), true
}

// TypeCase takes what a case of a switch over an error's type says.
func (p *loopProblem) TypeCase(s round, c flow.TypeCase, truth bool) (round, bool) {
	if len(s) == 0 {
		return s, true
	}
	if httpmodel.IsError(p.pass.TypesInfo.TypeOf(syntax.SwitchSubject(c.Switch))) {
		if isNil := p.pass.TypesInfo.Types[c.Type].IsNil(); isNil != truth {
			s = s.atLeast(failed)
		}
	}
	return s, true
}

// callsSelf reports whether n calls the function at hand.
func (p *loopProblem) callsSelf(n ast.Node) bool {
	return len(callsOf(p.pass.TypesInfo, n, p.self)) > 0
}

// callsOf returns the calls in n of the function that self is, or holds: those after a time
// included.
func callsOf(info *types.Info, n ast.Node, self types.Object) (calls []*ast.CallExpr) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fn, called := typeset.Callee(info, call), call.Fun
		if typeset.IsFunc(fn, "time", "AfterFunc") && len(call.Args) == 2 {
			fn, called = typeset.FuncObj(info, call.Args[1]), call.Args[1]
		}
		if v := typeset.VarOf(info, called); fn != nil && fn == self || v != nil && v == self {
			calls = append(calls, call)
		}
		return true
	})
	return calls
}
