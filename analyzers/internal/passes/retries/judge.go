package retries

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

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
func (p *loopProblem) isAttempt(call *ast.CallExpr) bool { return p.mayTry(call, 0) }

// mayTry is isAttempt, at a depth of functions that call each other.
func (p *loopProblem) mayTry(call *ast.CallExpr, depth int) bool {
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
		case "errors", "fmt", "context", "log", "log/slog", "time", "strconv", "strings", "encoding/json", "sync", "sync/atomic", "bytes", "math", "math/rand":
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
		if httpmodel.IsResponse(t) || httpmodel.ImplementsError(t) {
			return true
		}
		if types.Identical(t.Underlying(), types.Typ[types.Bool]) {
			return sig.Results().Len() > 1 || p.mayFail(call, depth)
		}
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && sig.Results().Len() == 1 && len(call.Args) > 0 && !typeset.IsNamed(t, "time", "Duration") {
			return true // a status
		}
	}
	return false
}

// mayFail reports whether a function that returns only a boolean may try something: one
// of the package that calls nothing of that kind asks for a state.
func (p *loopProblem) mayFail(call *ast.CallExpr, depth int) bool {
	var body *ast.BlockStmt
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		body = lit.Body
	} else if decl := p.index.Decl(typeset.Callee(p.pass.TypesInfo, call)); decl != nil {
		body = decl.Body
	}
	if body == nil || depth > 3 {
		return true
	}
	tries := false
	ast.Inspect(body, func(n ast.Node) bool {
		inner, ok := n.(*ast.CallExpr)
		tries = tries || ok && p.mayTry(inner, depth+1)
		return !tries
	})
	return tries
}

var (
	waitName  = regexp.MustCompile(`(?i)^(sleep|wait|pause|hold|back_?off|delay|after|log.*|print.*)`)
	retryName = regexp.MustCompile(`(?i)retr[yi]|again|fail|err|transient|temporary|throttl|busy|unavail|timeout|final|fatal|permanent|5xx|recoverable`)
	pollName  = regexp.MustCompile(`(?i)ready|finish|complete|exist|avail|pending|settled|running|active`)
	goodName  = regexp.MustCompile(`(?i)^(is_?)?(ok|success|succeeded|done|2xx|accepted|good|valid|complete|finished|sent|found)`)
)

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
	case *ast.IndexExpr: // retryable[resp.StatusCode]
		if v := typeset.VarOf(info, x.X); v != nil && p.usesOutcome(x.Index) {
			if retryName.MatchString(v.Name()) {
				return failed, nothing
			}
			return judged, judged
		}
	case *ast.CallExpr:
		return p.judgeCall(x)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			yes, no = p.judge(x.X)
			return no, yes
		}
	case *ast.BinaryExpr:
		switch {
		case isComparison(x.Op):
			return p.judgeComparison(x)
		case x.Op == token.LAND || x.Op == token.LOR:
			yes, no = p.judge(x.X)
			yes2, no2 := p.judge(x.Y)
			if x.Op == token.LAND {
				return max(yes, yes2), min(no, no2)
			}
			return min(yes, yes2), max(no, no2)
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
		onError = onError || httpmodel.ImplementsError(info.TypeOf(arg))
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
		x, y, op = y, x, syntax.Flip(op)
	}
	t := info.TypeOf(x)
	if t == nil {
		return nothing, nothing
	}
	isNil := info.Types[y].IsNil()
	equal, other := nothing, nothing
	switch {
	case isNil && httpmodel.ImplementsError(t):
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
	case info.Types[y].Value != nil && codesError(info, x):
		if isSuccess(info, y) {
			equal, other = nothing, failed
		} else {
			equal, other = failed, judged
		}
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

// codesError reports whether x is a call that gives the code of an error:
// status.Code(err).
func codesError(info *types.Info, x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	return ok && len(call.Args) == 1 && httpmodel.IsError(info.TypeOf(call.Args[0]))
}

// isSuccess reports whether y, a constant, is the code of no error: it is zero, or
// called so.
func isSuccess(info *types.Info, y ast.Expr) bool {
	name := types.ExprString(ast.Unparen(y))
	value := info.Types[y].Value
	return goodName.MatchString(name[strings.LastIndexByte(name, '.')+1:]) || value.Kind() == constant.Int && constant.Sign(value) == 0
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
	b, isBasic := typeset.Underlying(info, x).(*types.Basic)
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
