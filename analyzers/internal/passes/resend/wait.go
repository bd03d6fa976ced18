package resend

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A waitKind says how a call waits.
type waitKind uint8

const (
	notWait  waitKind = iota
	waiting           // some time passes, or may
	sleeping          // and nothing can end it
)

// waitName matches the names of functions that wait.
var waitName = regexp.MustCompile(`(?i)^(do)?(sleep|wait|pause|hold|back_?off|delay|throttle|acquire|take$|block|idle|cool)`)

// waitOf returns how a call waits.
func (e *engine) waitOf(call *ast.CallExpr, fn *types.Func) waitKind {
	isSleep := func(x ast.Expr) bool { return typeset.IsFunc(typeset.FuncObj(e.info, x), "time", "Sleep") }
	if isSleep(call.Fun) || slices.ContainsFunc(e.index.Defs(typeset.VarOf(e.info, call.Fun)), isSleep) {
		return sleeping
	}
	if fn != nil && fn.Pkg() != nil {
		switch fn.Pkg().Path() {
		case "time", "context", "net/http", "fmt", "log", "log/slog", "math", "math/rand", "math/rand/v2", "net", "errors", "sync/atomic":
			return notWait
		}
	}
	if waitName.MatchString(lastName(call.Fun)) && resultsOf(e.info, call).Len() <= 1 && !yieldsTime(e.info, call) {
		return waiting
	}
	if d := e.index.Decl(fn); d != nil {
		if s := e.scans[d]; s != nil && s.waits {
			return waiting
		}
		return notWait
	}
	sig, ok := typeset.Underlying(e.info, call.Fun).(*types.Signature)
	if !ok || sig.Results().Len() > 1 || yieldsTime(e.info, call) {
		return notWait
	}
	ctx, number := false, false
	for p := range sig.Params().Variables() {
		if typeset.IsNamed(p.Type(), "time", "Duration") && (fn == nil || fn.Signature().Recv() == nil) {
			return waiting
		}
		ctx = ctx || typeset.IsNamed(p.Type(), "context", "Context")
		number = number || typeset.IsInteger(p.Type())
	}
	if fn != nil && ctx && !httpmodel.LooksLikeLogging(fn) && (!e.sameModule(fn.Pkg()) || number && typeset.IsInterfaceMethod(fn)) {
		return waiting // Have: what no summary tells of.
	}
	return notWait
}

// yieldsTime reports whether a call only says how long to wait.
func yieldsTime(info *types.Info, call *ast.CallExpr) bool {
	t := resultsOf(info, call)
	if t.Len() == 0 {
		return false
	}
	first := t.At(0).Type()
	if httpmodel.IsError(first) || typeset.IsBool(first) || typeset.IsNamed(first, "time", "Time") {
		return false // the last one is when the wait ended
	}
	return true
}

// isReceive reports whether n receives from a channel, or may.
func isReceive(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.SelectStmt:
		return true
	}
	return false
}

// waits returns the state after the receives in n, which wait.
func (f *frame) waits(s state, n ast.Node) state {
	if _, ok := n.(*ast.SendStmt); ok {
		return f.flatMap(s, func(w *world) state { return state{w.waited()} })
	}
	var at ast.Node
	timer, ticker := false, false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				at, timer, ticker = n, isTimer(f.info, n.X), isTicker(f.info, n.X)
			}
		}
		return true
	})
	if at == nil {
		return s
	}
	return f.flatMap(s, func(w *world) state {
		if ticker && w.get(looped).k != unknown {
			return state{w.unsent()} // Have: sent before the loop; what a tick starts is new work.
		}
		w = w.waited()
		if timer && !f.timed[n] {
			w = f.sleeps(w, at)
		}
		return state{w}
	})
}

// comes returns the world after a round of a range began: a channel or an iterator may
// have let it wait.
func (f *frame) comes(w *world, rng *ast.RangeStmt) *world {
	switch typeset.Underlying(f.info, rng.X).(type) {
	case *types.Chan:
		if isTicker(f.info, rng.X) {
			return w.unsent() // Have: what a tick starts is new work.
		}
		return w.waited()
	case *types.Signature:
		if call, ok := ast.Unparen(rng.X).(*ast.CallExpr); ok {
			if s := f.scans[f.index.Decl(typeset.Callee(f.info, call))]; s != nil && !s.waits {
				return w
			}
		}
		return w.waited()
	}
	return w
}

// isTimer reports whether e is the channel of a timer, that of time.After included.
func isTimer(info *types.Info, e ast.Expr) bool {
	t := info.TypeOf(e)
	if t == nil {
		return false
	}
	ch, ok := t.Underlying().(*types.Chan)
	return ok && typeset.IsNamed(ch.Elem(), "time", "Time")
}

// isTicker reports whether e is the channel of a time.Ticker, or that of time.Tick.
func isTicker(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return typeset.IsNamed(info.TypeOf(e.X), "time", "Ticker")
	case *ast.CallExpr:
		return typeset.IsFunc(typeset.Callee(info, e), "time", "Tick")
	}
	return false
}

// countsWaits reports whether b asks a count whether to wait: not after the last attempt,
// or only after some; or asks how much time has passed, to wait for the rest of it.
func (f *frame) countsWaits(b *ast.BinaryExpr) bool {
	body := f.guards[b]
	return body != nil && (f.isCount(b.X) || f.isCount(b.Y) || typeset.IsNamed(f.info.TypeOf(b.X), "time", "Duration")) && f.waitsIn(body)
}

// isCount reports whether e is a variable that is counted, but for a number that is added.
func (f *frame) isCount(e ast.Expr) bool {
	v := f.counted(e)
	return v != nil && f.engine.counters[v]
}

// waitsIn reports whether n waits.
func (e *engine) waitsIn(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || isReceive(n) || ok && e.waitOf(call, typeset.Callee(e.info, call)) != notWait
		return !found
	})
	return found
}

// sleeps notes a wait that nothing can end.
func (f *frame) sleeps(w *world, at ast.Node) *world {
	if len(w.sent()) == 0 {
		return w
	}
	c := w.clone()
	c.sleep = &Sleep{At: at, Calls: f.calls}
	return c
}
