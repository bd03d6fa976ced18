package resend

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// startRange forgets the number of the round.
func (f *frame) startRange(s state, rng *ast.RangeStmt) state {
	count := countOf(f.info, rng)
	return f.flatMap(s, func(w *world) state { return state{w.assign(count, val{})} })
}

// Edge notes the loops that are entered.
func (f *frame) Edge(s state, from, to *cfg.Block) state {
	switch to.Kind {
	case cfg.KindForBody, cfg.KindRangeBody, cfg.KindLabel:
	case cfg.KindIfDone, cfg.KindForDone:
		return f.forgets(s, to.Stmt)
	case cfg.KindRangeDone:
		s = f.forgets(s, to.Stmt)
		rng, ok := to.Stmt.(*ast.RangeStmt)
		if !ok || from.Kind != cfg.KindRangeLoop || !isGiven(f.info.TypeOf(rng.X)) {
			return s
		}
		return f.flatMap(s, func(w *world) state {
			if w.get(ref{rng, "#in"}).k == unknown && f.eval(w, rng.X).k != isNil {
				return nil // what is given is not empty
			}
			return state{w.with(ref{rng, "#in"}, val{})}
		})
	case cfg.KindSelectCaseBody:
		if clause, ok := to.Stmt.(*ast.CommClause); ok && f.polls[clause.Comm] {
			return f.flatMap(s, func(w *world) state { return state{w.waited()} })
		}
		return s
	default:
		return s
	}
	loop := to.Stmt
	counter := counterOf(f.info, loop)
	switch loop := loop.(type) { // what the last round declared is declared anew
	case *ast.ForStmt:
		s = f.forgets(s, loop.Body)
	case *ast.RangeStmt:
		s = f.forgets(s, loop.Body)
	}
	return f.flatMap(s, func(w *world) state {
		if counter != nil && w.get(ref{counter, "#last"}).k != unknown {
			return nil // there is no further round
		}
		if rng, ok := loop.(*ast.RangeStmt); ok && to.Kind == cfg.KindRangeBody {
			if isGiven(f.info.TypeOf(rng.X)) {
				if f.eval(w, rng.X).k == isNil {
					return nil
				}
				w = w.with(ref{rng, "#in"}, val{k: nonNil})
			}
			w = f.nextRound(w, rng)
			if w == nil {
				return nil
			}
			w = f.comes(w, rng)
		}
		if loop != nil {
			w = w.enters(loop)
		}
		return state{w}
	})
}

// forgets returns the state after stmt, without its variables: numbers, texts and what
// else does not go on in another one.
func (f *frame) forgets(s state, stmt ast.Stmt) state {
	if stmt == nil || len(s) == 0 {
		return s
	}
	return f.flatMap(s, func(w *world) state {
		c := w
		for r := range w.m {
			v, ok := r.obj.(*types.Var)
			if !ok || v.IsField() || v.Pos() < stmt.Pos() || v.Pos() >= stmt.End() || isRequest(v.Type()) || isReader(v.Type()) {
				continue
			}
			if c == w {
				c = w.clone()
			}
			c.forget(r)
		}
		return state{c}
	})
}

// Rounds returns how often a loop goes round at most, or 0.
func Rounds(info *types.Info, loop ast.Node) int {
	var limit ast.Expr
	add := 0
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		limit = loop.X
	case *ast.ForStmt:
		b, ok := loop.Cond.(*ast.BinaryExpr)
		init, ok2 := loop.Init.(*ast.AssignStmt)
		if !ok || !ok2 || len(init.Rhs) != 1 {
			return 0
		}
		limit = b.Y
		from := info.Types[init.Rhs[0]].Value
		if from == nil {
			return 0
		}
		switch from.ExactString() {
		case "0":
		case "1":
			add = -1
		default:
			return 0
		}
		switch b.Op {
		case token.LSS:
		case token.LEQ:
			add++
		default:
			return 0
		}
	}
	if limit == nil {
		return 0
	}
	tv := info.Types[limit]
	if tv.Value == nil || len(tv.Value.ExactString()) != 1 {
		return 0
	}
	return int(tv.Value.ExactString()[0]-'0') + add
}

// isGiven reports whether t is that of options and headers: a slice of functions, a
// map. Those that are not nil are taken to hold something.
func isGiven(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Slice:
		_, ok := u.Elem().Underlying().(*types.Signature)
		return ok
	}
	return false
}

// counterOf returns the variable that the head of a loop counts up, or nil.
func counterOf(info *types.Info, loop ast.Stmt) *types.Var {
	switch loop := loop.(type) {
	case *ast.ForStmt:
		if inc, ok := loop.Post.(*ast.IncDecStmt); ok && inc.Tok == token.INC && loop.Cond != nil {
			return typeset.VarOf(info, inc.X)
		}
	case *ast.RangeStmt:
		return keyOf(info, loop)
	}
	return nil
}

// countOf returns where the number of the round of a range is kept: its variable, if it
// has one.
func countOf(info *types.Info, rng *ast.RangeStmt) ref {
	if v := keyOf(info, rng); v != nil {
		return ref{v, ""}
	}
	return ref{rng, "#n"}
}

// keyOf returns the variable that the first result of a range goes to, or nil.
func keyOf(info *types.Info, rng *ast.RangeStmt) *types.Var {
	if id, ok := rng.Key.(*ast.Ident); ok && id.Name == "_" || rng.Key == nil {
		return nil
	}
	return typeset.VarOf(info, rng.Key)
}

// nextRound sets the variables of a range.
func (f *frame) nextRound(w *world, rng *ast.RangeStmt) *world {
	if rng.Value != nil {
		if v := typeset.VarOf(f.info, rng.Value); v != nil {
			w = w.assign(ref{v, ""}, val{})
		}
	}
	v, max := keyOf(f.info, rng), f.eval(w, rng.X)
	switch {
	case v == nil:
		if max.k != constant_ {
			return w
		}
	case !typeset.IsInteger(v.Type()):
		if f.queued()[v] {
			return f.taken(w, v)
		}
		return w.assign(ref{v, ""}, val{})
	default:
		w = w.with(ref{v, "#last"}, val{})
	}
	count := countOf(f.info, rng)
	old := w.get(count)
	next := val{k: constant_, s: "0"}
	if old.k == constant_ {
		next = addConst(old, token.ADD, 1)
	} else if old.k != unknown {
		next = old
	}
	if max.k == constant_ && next.k == constant_ && !lessConst(next, max) {
		return nil
	}
	if next.k == unknown {
		next = val{k: nonNil}
	}
	return w.assign(count, next)
}

// maxCount is the number up to which the analysis counts.
const maxCount = 2

// addConst returns the sum or difference of a number and n; from a point on only that it
// is more than 0.
func addConst(v val, op token.Token, n int64) val {
	if v.k == nonNil && op == token.ADD && n >= 0 {
		return v
	}
	if v.k != constant_ {
		return val{}
	}
	c := constant.MakeFromLiteral(v.s, token.INT, 0)
	if len(v.s) > 0 && v.s[0] == '-' {
		c = constant.UnaryOp(token.SUB, constant.MakeFromLiteral(v.s[1:], token.INT, 0), 0)
	}
	if c.Kind() != constant.Int {
		return val{}
	}
	sum := constant.BinaryOp(c, op, constant.MakeInt64(n))
	if i, ok := constant.Int64Val(sum); !ok || op == token.ADD && i > maxCount && i-n <= maxCount {
		return val{k: nonNil}
	}
	return val{k: constant_, s: sum.ExactString()}
}

// constOf returns a constant as a value of package constant.
func constOf(v val) constant.Value {
	switch {
	case v.k != constant_ || v.s == "":
		return constant.MakeUnknown()
	case v.s == "true", v.s == "false":
		return constant.MakeBool(v.s == "true")
	case v.s[0] == '"':
		return constant.MakeFromLiteral(v.s, token.STRING, 0)
	case v.s[0] == '-':
		return constant.UnaryOp(token.SUB, constant.MakeFromLiteral(v.s[1:], token.INT, 0), 0)
	}
	return constant.MakeFromLiteral(v.s, token.INT, 0)
}

// lessConst reports whether x and y are numbers, and x is less.
func lessConst(x, y val) bool {
	a, b := constOf(x), constOf(y)
	return a.Kind() == constant.Int && b.Kind() == constant.Int && constant.Compare(a, token.LSS, b)
}
