package retries

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
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
	self     types.Object        // in the place of loop: the function, or the variable that holds it
	outcomes map[*types.Var]bool // variables that the loop assigns from calls
	back     map[any]round       // with which a round is followed by another, by place
	exits    map[any]verdict     // with which the loop is left, by place: a return or *cfg.Block
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

// findOutcomes notes the variables that n assigns from a call.
func (p *loopProblem) findOutcomes(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, lhs := range n.Lhs {
			rhs := n.Rhs[0]
			if len(n.Lhs) == len(n.Rhs) {
				rhs = n.Rhs[i]
			}
			if call, ok := ast.Unparen(rhs).(*ast.CallExpr); ok && p.isAttempt(call) {
				if v := typeset.Root(p.pass.TypesInfo, lhs); v != nil {
					p.outcomes[v] = true
				}
			}
		}
	case *ast.ValueSpec:
		if len(n.Values) == 1 {
			if call, ok := ast.Unparen(n.Values[0]).(*ast.CallExpr); ok && p.isAttempt(call) {
				for _, name := range n.Names {
					if v, ok := p.pass.TypesInfo.Defs[name].(*types.Var); ok {
						p.outcomes[v] = true
					}
				}
			}
		}
	}
	return true
}

// isAttempt reports whether call may be what is tried: it is a call of a function
// that can say that it failed, and that is not known to be something else.
func (p *loopProblem) isAttempt(call *ast.CallExpr) bool {
	tv := p.pass.TypesInfo.Types[call.Fun]
	sig, ok := tv.Type.(*types.Signature)
	if !ok && tv.Type != nil {
		sig, ok = tv.Type.Underlying().(*types.Signature)
	}
	if !ok || tv.IsType() || tv.IsBuiltin() {
		return false
	}
	if fn := typeset.Callee(p.pass.TypesInfo, call); fn != nil && fn.Pkg() != nil {
		switch fn.Pkg().Path() {
		case "errors", "fmt", "context", "log", "log/slog", "time", "strconv", "strings", "encoding/json", "sync", "bytes", "math", "math/rand":
			return false
		case httpmodel.NetHTTP:
			if fn.Name() == "NewRequest" || fn.Name() == "NewRequestWithContext" || fn.Name() == "StatusText" {
				return false
			}
		}
		if fn.Name() == "Close" || fn.Name() == "Err" || waitName.MatchString(fn.Name()) {
			return false
		}
	}
	for v := range sig.Results().Variables() {
		t := v.Type()
		if httpmodel.IsError(t) || httpmodel.IsResponse(t) || types.Identical(t.Underlying(), types.Typ[types.Bool]) || implementsError(t) {
			return true
		}
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && sig.Results().Len() == 1 && len(call.Args) > 0 && !typeset.IsNamed(t, "time", "Duration") {
			return true // a status
		}
	}
	return false
}

// implementsError reports whether t is a type of errors.
func implementsError(t types.Type) bool {
	return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

var (
	waitName  = regexp.MustCompile(`(?i)^(sleep|wait|pause|hold|back_?off|delay|after|log.*|print.*)`)
	retryName = regexp.MustCompile(`(?i)retr[yi]|again|fail|err|transient|temporary|throttl|busy|unavail|timeout|final|fatal|permanent|5xx|recoverable`)
	pollName  = regexp.MustCompile(`(?i)ready|finish|complete|exist|avail|pending|settled|running|active`)
	goodName  = regexp.MustCompile(`(?i)^(is_?)?(ok|success|succeeded|done|2xx|accepted|good|valid|complete|finished|sent|found)`)
)

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
	if ret, ok := n.(*ast.ReturnStmt); ok {
		p.exits[ret] = s.verdict()
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
// boolean constant is remembered.
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
	case p.loop == nil || to.Stmt != p.loop:
	case to.Kind == cfg.KindForBody, to.Kind == cfg.KindRangeBody, to.Kind == cfg.KindLabel:
		if len(s) > 0 {
			p.back[from] = s
		}
		return start()
	case to.Kind == cfg.KindForDone, to.Kind == cfg.KindRangeDone:
		if len(s) > 0 {
			p.exits[from] = s.verdict()
		}
		return nil
	}
	return s
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
	var x ast.Expr
	switch stmt := c.Switch.Assign.(type) {
	case *ast.ExprStmt:
		x = stmt.X
	case *ast.AssignStmt:
		x = stmt.Rhs[0]
	}
	if ta, ok := ast.Unparen(x).(*ast.TypeAssertExpr); ok && httpmodel.IsError(p.pass.TypesInfo.TypeOf(ta.X)) {
		if isNil := p.pass.TypesInfo.Types[c.Type].IsNil(); isNil != truth {
			s = s.atLeast(failed)
		}
	}
	return s, true
}

// judge returns what it says of the attempt that cond is true, and that it is not.
func (p *loopProblem) judge(cond ast.Expr) (yes, no verdict) {
	info := p.pass.TypesInfo
	switch x := ast.Unparen(cond).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		v := typeset.VarOf(info, x)
		root := typeset.Root(info, x)
		if v == nil || !p.outcomes[root] {
			break
		}
		switch {
		case retryName.MatchString(v.Name()):
			return failed, nothing
		case pollName.MatchString(v.Name()):
			return judged, judged
		}
		return nothing, failed
	case *ast.CallExpr:
		return p.judgeCall(x)
	case *ast.BinaryExpr:
		if isComparison(x.Op) {
			return p.judgeComparison(x)
		}
	}
	return nothing, nothing
}

// judgeCall is judge for a call that returns a boolean.
func (p *loopProblem) judgeCall(call *ast.CallExpr) (yes, no verdict) {
	info := p.pass.TypesInfo
	fn := typeset.Callee(info, call)
	if typeset.IsFunc(fn, "errors", "Is", "As") {
		return failed, nothing
	}
	name := ""
	if fn != nil {
		name = fn.Name()
	} else if v := typeset.VarOf(info, call.Fun); v != nil {
		name = v.Name()
	}
	asks := p.usesOutcome(call)
	onError := false
	for _, arg := range call.Args {
		onError = onError || httpmodel.IsError(info.TypeOf(arg)) || implementsError(info.TypeOf(arg))
	}
	switch {
	case goodName.MatchString(name) && (asks || onError):
		return nothing, failed
	case retryName.MatchString(name) && (asks || onError):
		return failed, nothing
	case onError:
		return failed, nothing
	case asks:
		return judged, judged
	case p.isAttempt(call):
		return nothing, failed
	}
	return nothing, nothing
}

// usesOutcome reports whether e uses what the loop was answered.
func (p *loopProblem) usesOutcome(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, ok := p.pass.TypesInfo.Uses[id].(*types.Var)
			found = found || ok && p.outcomes[v]
		}
		return !found
	})
	return found
}

// judgeComparison is judge for x op y.
func (p *loopProblem) judgeComparison(b *ast.BinaryExpr) (yes, no verdict) {
	info := p.pass.TypesInfo
	x, y, op := b.X, b.Y, b.Op
	if info.Types[x].Value != nil || info.Types[x].IsNil() {
		x, y, op = y, x, flipped(op)
	}
	t := info.TypeOf(x)
	if t == nil {
		return nothing, nothing
	}
	isNil := info.Types[y].IsNil()
	equal, other := nothing, nothing
	switch {
	case isNil && (httpmodel.IsError(t) || implementsError(t)):
		equal, other = nothing, failed
		if typeset.VarOf(info, x) != nil {
			equal = ran // wherever the error came from
		}
	case isNil && httpmodel.IsResponse(t):
		equal, other = failed, nothing
	case httpmodel.IsError(t):
		equal, other = failed, nothing
	case info.Types[y].Value != nil && info.Types[y].Value.Kind() == constant.Int && isStatus(info, x, info.Types[y].Value):
		return statusVerdict(op, info.Types[y].Value)
	case info.Types[y].Value != nil && info.Types[y].Value.Kind() == constant.Bool:
		yes, no = p.judge(x)
		if constant.BoolVal(info.Types[y].Value) != (op == token.EQL) {
			yes, no = no, yes
		}
		return yes, no
	case p.usesOutcome(x) || p.usesOutcome(y):
		return judged, judged
	}
	switch op {
	case token.EQL:
		return equal, other
	case token.NEQ:
		return other, equal
	}
	return nothing, nothing
}

// flipped returns the comparison that holds of (y, x) if op does of (x, y).
func flipped(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GTR
	case token.LEQ:
		return token.GEQ
	case token.GTR:
		return token.LSS
	case token.GEQ:
		return token.LEQ
	}
	return op
}

// isStatus reports whether x is compared with c as an HTTP status, or its first
// digit (x/100 == 2).
func isStatus(info *types.Info, x ast.Expr, c constant.Value) bool {
	n, ok := constant.Int64Val(c)
	if !ok {
		return false
	}
	if q, isDiv := ast.Unparen(x).(*ast.BinaryExpr); isDiv && q.Op == token.QUO {
		return n >= 1 && n <= 5
	}
	b, isBasic := info.TypeOf(x).Underlying().(*types.Basic)
	return isBasic && b.Info()&types.IsInteger != 0 && n >= 100 && n <= 599
}

// statusVerdict returns what it says of an attempt that "status op c" is true, and
// that it is not: a failure if no success is among the statuses left.
func statusVerdict(op token.Token, c constant.Value) (yes, no verdict) {
	n, _ := constant.Int64Val(c)
	step := int64(1)
	if n < 100 {
		n, step = n*100, 100
	}
	yes, no = failed, failed
	for status := int64(200); status < 300; status += step {
		if constant.Compare(constant.MakeInt64(status), op, constant.MakeInt64(n)) {
			yes = nothing
		} else {
			no = nothing
		}
	}
	if op == token.EQL && n/100 == 2 {
		no = failed // the other successes are not expected
	}
	if op == token.NEQ && n/100 == 2 {
		yes = failed
	}
	return yes, no
}

// callsSelf reports whether n calls the function at hand.
func (p *loopProblem) callsSelf(n ast.Node) bool {
	return len(callsOf(p.pass.TypesInfo, n, p.self)) > 0
}

// callsOf returns the calls in n of the function that self is, or holds.
func callsOf(info *types.Info, n ast.Node, self types.Object) (calls []*ast.CallExpr) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if fn := typeset.Callee(info, call); fn != nil && fn == self {
			calls = append(calls, call)
		} else if v := typeset.VarOf(info, call.Fun); v != nil && v == self {
			calls = append(calls, call)
		}
		return true
	})
	return calls
}
