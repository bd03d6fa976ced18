package resend

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// compare refines a world by x op y.
func (f *frame) compare(w *world, x ast.Expr, op token.Token, y ast.Expr, truth bool) *world {
	if f.info.Types[x].Value != nil || f.info.Types[x].IsNil() {
		x, y, op = y, x, syntax.Flip(op)
	}
	if !truth {
		op = syntax.Negate(op)
	}
	a, b := f.eval(w, x), f.eval(w, y)
	if b.k != constant_ {
		w = f.lastRound(w, x, op, y)
	}
	switch {
	case b.k == constant_ && a.k == unknown && typeset.IsNamed(f.info.TypeOf(x), "time", "Duration"):
		if b.s == "0" && (op == token.EQL || op == token.LEQ) {
			return w.waited() // no wait is wanted
		}
		return w
	case b.k == isNil && (op == token.EQL || op == token.NEQ):
		return f.compareNil(w, x, a, op == token.EQL)
	case b.k == constant_ && a.k == constant_:
		c, d := constOf(a), constOf(b)
		if c.Kind() == d.Kind() && c.Kind() != constant.Unknown && (c.Kind() != constant.Bool || op == token.EQL || op == token.NEQ) && !constant.Compare(c, op, d) {
			return nil
		}
		return w
	case b.k == constant_ && b.s == `""` && a.k == nonNil:
		if op == token.EQL {
			return nil
		}
		return w
	case b.k == constant_ && a.k == nonNil && typeset.IsInteger(f.info.TypeOf(x)): // more than 0
		if b.s == "0" && (op == token.EQL || op == token.LEQ) || b.s == "1" && op == token.LSS {
			return nil
		}
		return w
	case b.k == constant_ && isText(x) && op == token.EQL:
		if sel, ok := ast.Unparen(ast.Unparen(x).(*ast.CallExpr).Fun).(*ast.SelectorExpr); ok && f.eval(w, sel.X).k == errOf {
			return nil // Have: the text of an error of net/http names the request.
		}
		return f.textSays(w, x, y, true)
	case b.k == constant_ && b.s == `""` && op == token.NEQ && f.keyAsked(x) != nil:
		return f.nameHeader(w, f.eval(w, f.keyAsked(x)), ast.Unparen(x).(*ast.CallExpr).Args[0])
	case b.k == constant_:
		if b.s == `""` && op == token.EQL && keyName.MatchString(lastName(x)) {
			w = w.with(mayKey, val{k: nonNil})
		}
		if s, eval := f.status(w, x); s != nil {
			want := constOf(b)
			if want.Kind() != constant.Int {
				return w
			}
			return f.narrowStatus(w, val{obj: s}, func(n int) bool {
				return constant.Compare(constant.MakeInt64(int64(eval(n))), op, want)
			})
		}
		if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && sel.Sel.Name == "Op" && typeset.IsNamed(f.info.TypeOf(sel.X), "net", "OpError") {
			if trimQuotes(b.s) == "dial" && (op == token.EQL || op == token.NEQ) {
				return f.narrow(w, f.eval(w, sel.X), Dial, op == token.EQL)
			}
			return w
		}
		if a.k == unknown && statusName.MatchString(lastName(x)) {
			w = f.doubts(w) // Have: perhaps the status, as a field of an error that another package made.
		}
		if op == token.EQL {
			if r, ok := f.place(w, x); ok && isVar(r.obj) && worthKeeping(f.info.TypeOf(x)) || ok && isRequestObj(r.obj) {
				return w.with(r, b)
			}
		}
		return w
	case a.k == errOf && (op == token.EQL || op == token.NEQ):
		return f.isSentinel(w, a, y, op == token.EQL)
	case (a.k == madeErr || a.k == buildErr || a.k == object) && (b.k == sentinel || f.isErrorVar(y)) && (op == token.EQL || op == token.NEQ):
		return whenFalse(w, op == token.EQL)
	case a.k == sentinel && b.k == sentinel && (op == token.EQL || op == token.NEQ):
		if (a.obj == b.obj) != (op == token.EQL) {
			return nil
		}
	case a.k == statusOf:
		return f.unsure(w, a)
	case b.k == statusOf:
		return f.unsure(w, b)
	}
	return w
}

// isErrorVar reports whether e is a variable of a package that holds an error.
func (f *frame) isErrorVar(e ast.Expr) bool {
	v := typeset.VarOf(f.info, e)
	return v != nil && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() && httpmodel.IsError(v.Type())
}

// isText reports whether e is the text of an error.
func isText(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && len(call.Args) == 0 && lastName(call.Fun) == "Error"
}

// keyAsked returns the request of which x is the value of a header, or nil.
func (f *frame) keyAsked(x ast.Expr) ast.Expr {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || !typeset.IsMethod(typeset.Callee(f.info, call), httpmodel.NetHTTP, "Header", "Get") || len(call.Args) != 1 {
		return nil
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if h, ok := ast.Unparen(sel.X).(*ast.SelectorExpr); ok && h.Sel.Name == "Header" {
			return h.X
		}
	}
	return nil
}

// narrowStatus refines a world by a question about a status.
func (f *frame) narrowStatus(w *world, v val, is func(int) bool) *world {
	r := ref{v.obj, "#status"}
	left := Statuses(w.get(r).n).Where(is)
	if left == 0 {
		return nil
	}
	return w.with(r, val{k: bits, n: uint64(left)})
}

// unsure notes that something unknown was asked about a status or response.
func (f *frame) unsure(w *world, v val) *world {
	return w.with(ref{v.obj, "#unsure"}, val{k: nonNil})
}

// literals returns the constants that a literal of a slice, or the keys of one of a map,
// holds, or nil if they are not all known.
func (f *frame) literals(e ast.Expr) (list []constant.Value) {
	if v := typeset.VarOf(f.info, e); v != nil {
		if e = f.index.OnlyDef(v); e == nil {
			return nil
		}
	}
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if tv := f.info.Types[kv.Value]; tv.Value != nil && tv.Value.ExactString() == "false" {
				continue
			}
			elt = kv.Key
		}
		tv := f.info.Types[elt]
		if tv.Value == nil {
			return nil
		}
		list = append(list, tv.Value)
	}
	return list
}

// literalSet returns the numbers among the literals of e, or nil.
func (f *frame) literalSet(e ast.Expr) map[int]bool {
	var set map[int]bool
	for _, c := range f.literals(e) {
		n, ok := int64Of(c)
		if !ok {
			return nil
		}
		if set == nil {
			set = make(map[int]bool)
		}
		set[int(n)] = true
	}
	return set
}

// asksOneOf returns the statuses of which call asks, by its name, whether that of a response,
// also returned, is one, or nil: those of a literal, or given one by one.
func (f *frame) asksOneOf(w *world, call *ast.CallExpr) (set map[int]bool, status val) {
	if !typeset.IsBool(f.info.TypeOf(call)) || !membership.MatchString(lastName(call.Fun)) {
		return nil, val{}
	}
	listed := make(map[int]bool)
	for _, arg := range call.Args {
		if n, ok := int64Of(constOf(f.eval(w, arg))); ok {
			listed[int(n)] = true
		} else if v := f.eval(w, arg); v.k == statusOf && status.k == unknown {
			status = v
		} else if set = f.literalSet(arg); set == nil {
			return nil, val{}
		}
	}
	if set == nil && len(listed) > 0 {
		set = listed
	}
	if status.k == unknown {
		return nil, val{}
	}
	return set, status
}

// membership matches the names of functions that ask whether something is one of several.
var membership = regexp.MustCompile(`(?i)contains|includes|one_?of|any_?of|^(is)?_?in([_A-Z]|$)|^has`)

// isMethodOf refines a world by whether x, the method of a request, is one of the texts
// among the literals of e. One of those without a body is taken for GET.
func (f *frame) isMethodOf(w *world, x, e ast.Expr, truth bool) *world {
	list := f.literals(e)
	if lastName(x) != "Method" || list == nil {
		return w
	}
	is := func(method string) bool {
		return slices.ContainsFunc(list, func(c constant.Value) bool { return trimQuotes(c.ExactString()) == method })
	}
	if v := f.eval(w, x); v.k == constant_ {
		if is(trimQuotes(v.s)) != truth {
			return nil
		}
		return w
	}
	r, ok := f.place(w, x)
	if !ok || !truth || slices.ContainsFunc(list, func(c constant.Value) bool { return !slices.Contains(bodiless, trimQuotes(c.ExactString())) }) {
		return w
	}
	return w.with(r, val{k: constant_, s: `"GET"`})
}

// bodiless are the methods of requests that have no body, as a rule.
var bodiless = []string{"GET", "HEAD", "OPTIONS", "TRACE", "DELETE"}

// hasNoBody reports whether a request has no body where cond, which asks for one, is not
// true: what it guards rewinds it.
func (f *frame) hasNoBody(cond *ast.BinaryExpr) bool {
	guarded := f.guards[cond]
	if guarded == nil || !f.info.Types[cond.Y].IsNil() && types.ExprString(cond.Y) != "0" && !strings.HasSuffix(types.ExprString(cond.Y), ".NoBody") {
		return false
	}
	if v := typeset.VarOf(f.info, cond.X); v != nil && typeset.IsInteger(v.Type()) && !v.IsField() && !typeset.IsNamed(v.Type(), "time", "Duration") {
		return false // Have: the number of the attempt.
	}
	found := false
	ast.Inspect(guarded, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || lastName(n.Fun) == "Seek" || lastName(n.Fun) == "GetBody"
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(lhs ast.Expr) bool { return lastName(lhs) == "Body" || isRequest(f.info.TypeOf(lhs)) })
		}
		return !found
	})
	return found
}

// lastRound notes that x op y may be true only in the last round: x counts up to y.
func (f *frame) lastRound(w *world, x ast.Expr, op token.Token, y ast.Expr) *world {
	if v := f.counted(x); v != nil && (op == token.EQL || op == token.GEQ || op == token.GTR) {
		return w.with(ref{v, "#last"}, val{k: nonNil})
	}
	if v := f.counted(y); v != nil && (op == token.EQL || op == token.LEQ || op == token.LSS) {
		return w.with(ref{v, "#last"}, val{k: nonNil})
	}
	return w
}

// counted returns the variable that e is, but for a number that is added.
func (f *frame) counted(e ast.Expr) *types.Var {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && (b.Op == token.ADD || b.Op == token.SUB) && f.info.Types[b.Y].Value != nil {
		e = b.X
	}
	v := typeset.VarOf(f.info, e)
	if v == nil || v.IsField() || !typeset.IsInteger(v.Type()) {
		return nil
	}
	return v
}

// keyName matches the names of variables that may hold a key.
var keyName = regexp.MustCompile(`(?i)key|idem|dedup`)

// mayKey is set in a world in which a caller gave no key, but could have.
var mayKey = ref{nil, "#maykey"}

// compareNil refines a world by whether x, of value v, is nil.
func (f *frame) compareNil(w *world, x ast.Expr, v val, want bool) *world {
	if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && (sel.Sel.Name == "Body" || sel.Sel.Name == "GetBody") {
		// Have: req.Body == nil, req.GetBody == nil.
		if base := f.eval(w, sel.X); base.k == request {
			if want {
				return w.with(ref{base.obj, ".Body"}, val{k: isNil})
			}
			return w
		}
	}
	switch v.k {
	case isNil:
		if !want {
			return nil
		}
		return w
	case unknown:
	case reader:
		if want && f.isMade(v.obj) {
			return nil
		}
		if want {
			if r, ok := f.place(w, x); ok {
				return w.with(r, val{k: isNil})
			}
		}
		return w
	case request, answerOf:
		return w
	case readErr:
		if !want {
			return f.unsure(w, v) // Have: a failure of another kind.
		}
	default:
		if want {
			return nil
		}
		return w
	}
	r, ok := f.place(w, x)
	if !ok {
		if call, isCall := ast.Unparen(x).(*ast.CallExpr); isCall {
			r, ok = f.resultRef(call), true
		}
	}
	if !ok || !isVar(r.obj) && r.path != "0" || want && r.path == ".Err()" {
		return w
	}
	if want {
		return w.with(r, val{k: isNil})
	}
	return w.with(r, val{k: nonNil})
}

// isMade reports whether a reader comes from a function of the standard library that
// makes one, or from GetBody.
func (f *frame) isMade(obj any) bool {
	call, ok := obj.(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := typeset.Callee(f.info, call)
	return typeset.IsFunc(fn, "bytes", "NewReader", "NewBuffer", "NewBufferString") || typeset.IsFunc(fn, "strings", "NewReader") || lastName(call.Fun) == "GetBody"
}

// status returns the site whose status e is computed from, and how.
func (f *frame) status(w *world, e ast.Expr) (*site, func(int) int) {
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && (b.Op == token.QUO || b.Op == token.REM) {
		s, eval := f.status(w, b.X)
		n, ok := int64Of(constOf(f.eval(w, b.Y)))
		if s == nil || !ok || n == 0 {
			return nil, nil
		}
		if b.Op == token.REM {
			return s, func(x int) int { return eval(x) % int(n) }
		}
		return s, func(x int) int { return eval(x) / int(n) }
	}
	if v := f.eval(w, e); v.k == statusOf {
		return v.obj.(*site), func(x int) int { return x }
	}
	return nil, nil
}

// int64Of returns an integer constant, and whether it is one.
func int64Of(c constant.Value) (int64, bool) {
	if c.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c)
}

// statusName matches the names of what may hold a status.
var statusName = regexp.MustCompile(`(?i)status|code`)
