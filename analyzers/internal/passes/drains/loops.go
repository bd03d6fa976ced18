package drains

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"time"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about loops: the rounds that they take, and how long.

// polls reports whether loop waits, a little at a time, until its condition fails, or
// for as many rounds as it is to take.
func (p problem) polls(loop ast.Stmt) bool {
	var body *ast.BlockStmt
	switch loop := loop.(type) {
	case *ast.ForStmt:
		if loop.Cond == nil {
			return false
		}
		body = loop.Body
	case *ast.RangeStmt:
		body = loop.Body
	}
	waits := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			waits = waits || typeset.IsFunc(typeset.Callee(p.info, n), "time", "Sleep")
		case *ast.UnaryExpr:
			waits = waits || n.Op == token.ARROW
		}
		return true
	})
	return waits
}

// loopPlaces returns where a world keeps its clock at the start of a loop, and the
// number of rounds.
func loopPlaces(loop ast.Stmt) (clock, count string) {
	return fmt.Sprintf("clock@%d", loop.Pos()), fmt.Sprintf("count@%d", loop.Pos())
}

// maxList bounds the lists of which the elements are known.
const maxList = 8

// maxRounds bounds the rounds of a loop that are told apart.
const maxRounds = 4

// rounds returns how many rounds loop takes, if that is in view and not many, or 0.
func (p problem) rounds(w *world, loop ast.Stmt) int64 {
	n := int64(0)
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		n = int64(p.listed(w, loop))
		if v := w.env[rangePlace(loop)]; v != nil && v.kind == isNumber {
			n = v.n
		}
	case *ast.ForStmt: // i := 0; i < n; i++
		init, ok1 := loop.Init.(*ast.AssignStmt)
		cond, ok2 := loop.Cond.(*ast.BinaryExpr)
		post, ok3 := loop.Post.(*ast.IncDecStmt)
		if !ok1 || !ok2 || !ok3 || cond.Op != token.LSS || post.Tok != token.INC || len(init.Rhs) != 1 {
			return 0
		}
		zero, ok4 := p.constant(init.Rhs[0])
		end, ok5 := p.constant(cond.Y)
		if ok4 && ok5 && zero == 0 {
			n = end
		}
	}
	if n > maxRounds {
		return 0
	}
	return n
}

// rangesSignals reports whether loop is over the signals that come, which has no end.
func (p problem) rangesSignals(w *world, loop ast.Stmt) bool {
	stmt, ok := loop.(*ast.RangeStmt)
	if !ok {
		return false
	}
	c := w.env[rangePlace(stmt)]
	return c != nil && c.kind == isChan && c.how == bySignal && !w.has("closed:"+c.id) && len(w.eventsOf("close:"+c.id)) == 0
}

// constant returns the whole number that x is.
func (f *follower) constant(x ast.Expr) (int64, bool) {
	c := f.info.Types[x].Value
	if c == nil || c.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c)
}

// repeat returns w at the head of a loop. The time that a round takes is only
// known to be taken again where the number of rounds is.
func (p problem) repeat(w *world, loop ast.Stmt) *world {
	clock, count := loopPlaces(loop)
	entry := w.env[clock]
	if entry == nil {
		return w.set(clock, number(int64(w.clock))).set(count, number(0))
	}
	if n := p.rounds(w, loop); w.env[count].n < n {
		return w.set(count, number(w.env[count].n+1))
	}
	if int64(w.clock) != entry.n {
		w = w.clone()
		w.clock = time.Duration(entry.n)
	}
	return w
}
