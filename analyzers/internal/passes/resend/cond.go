package resend

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// Join, Equal and Branch implement flow.Problem.
func (f *frame) Join(x, y state) state { return f.join(x, y) }

func (f *frame) Equal(x, y state) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if f.key(x[i]) != f.key(y[i]) {
			return false
		}
	}
	return true
}

func (f *frame) Branch(s state, cond ast.Expr, truth bool) (state, bool) {
	var out state
	for _, w := range s {
		if w := f.leaf(w, cond, truth); w != nil {
			out = append(out, w)
		}
	}
	out = f.join(out, nil)
	return out, len(out) > 0 || len(s) == 0
}

// TypeCase implements flow.TypeCaseProblem: the variable of a clause is the error.
func (f *frame) TypeCase(s state, c flow.TypeCase, truth bool) (state, bool) {
	var x ast.Expr
	switch stmt := c.Switch.Assign.(type) {
	case *ast.ExprStmt:
		x = stmt.X
	case *ast.AssignStmt:
		x = stmt.Rhs[0]
	}
	ta, ok := ast.Unparen(x).(*ast.TypeAssertExpr)
	if !ok {
		return s, true
	}
	target := f.info.TypeOf(c.Type)
	out := f.flatMap(s, func(w *world) state {
		v := f.eval(w, ta.X)
		w = f.isA(w, v, target, truth)
		if w == nil {
			return nil
		}
		if bound, ok := f.info.Implicits[c.Clause].(*types.Var); ok && truth {
			w = w.assign(ref{bound, ""}, v)
		}
		return state{w}
	})
	return out, len(out) > 0 || len(s) == 0
}

// assume returns the worlds in which a condition, of which the calls were made, is
// truth.
func (f *frame) assume(w *world, cond ast.Expr, truth bool) state {
	switch x := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return f.assume(w, x.X, !truth)
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND && truth || x.Op == token.LOR && !truth {
			return f.flatMap(f.assume(w, x.X, truth), func(w *world) state { return f.assume(w, x.Y, truth) })
		}
		if x.Op == token.LAND || x.Op == token.LOR {
			rest := f.flatMap(f.assume(w, x.X, !truth), func(w *world) state { return f.assume(w, x.Y, truth) })
			return f.join(f.assume(w, x.X, truth), rest)
		}
	}
	if w = f.leaf(w, cond, truth); w == nil {
		return nil
	}
	return state{w}
}

// leaf returns the world refined by a condition that holds no other, or nil.
func (f *frame) leaf(w *world, cond ast.Expr, truth bool) *world {
	cond = ast.Unparen(cond)
	if v := f.eval(w, cond); v.k == constant_ {
		if v.s == "true" != truth {
			return nil
		}
		return w
	}
	switch x := cond.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		name := lastName(x)
		if guard.MatchString(name) {
			w = f.doubts(w)
		}
		if r, ok := f.place(w, x); ok && isVar(r.obj) && r.path == "" {
			return w.with(r, boolVal(truth))
		}
	case *ast.IndexExpr:
		if v := f.eval(w, x.Index); v.k == statusOf {
			if set := f.literalSet(x.X); set != nil {
				return f.narrowStatus(w, v, func(n int) bool { return set[n] == truth })
			}
			w = f.unsure(w, v)
		}
	case *ast.CallExpr:
		return f.leafCall(w, x, truth)
	case *ast.BinaryExpr:
		return f.compare(w, x.X, x.Op, x.Y, truth)
	}
	return w
}

// guard matches the names of conditions that may say whether to send again.
var guard = regexp.MustCompile(`(?i)idem|safe|retr[yi]|wrote|sent|repeat|replay`)

func lastName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr:
		return lastName(e.Fun)
	}
	return ""
}

// doubts returns the world in doubt, if there was an attempt.
func (f *frame) doubts(w *world) *world {
	if w.doubt {
		return w
	}
	c := w.clone()
	c.doubt = true
	return c
}

// leafCall refines the world by a call.
func (f *frame) leafCall(w *world, call *ast.CallExpr, truth bool) *world {
	fn := typeset.Callee(f.info, call)
	switch {
	case f.errorsFunc(call) == "Is" && len(call.Args) == 2:
		v := f.eval(w, call.Args[0])
		switch v.k {
		case isNil:
			return whenFalse(w, truth)
		case errOf:
			return f.isSentinel(w, v, call.Args[1], truth)
		case sentinel:
			if f.isOwnSentinel(call.Args[1]) && (v.obj == typeset.VarOf(f.info, call.Args[1])) != truth {
				return nil
			}
		case buildErr, object, madeErr:
			if f.isOwnSentinel(call.Args[1]) {
				return whenFalse(w, truth)
			}
			if typeset.VarOf(f.info, call.Args[1]) != nil && isContextError(f.info, call.Args[1]) {
				return whenFalse(w, truth)
			}
		}
		return w
	case f.errorsFunc(call) == "As" && len(call.Args) == 2:
		v := f.eval(w, call.Args[0])
		if v.k == isNil {
			return whenFalse(w, truth)
		}
		ptr, ok := f.info.TypeOf(call.Args[1]).(*types.Pointer)
		if !ok {
			return w
		}
		if w = f.isA(w, v, ptr.Elem(), truth); w != nil && truth {
			if addr, ok := ast.Unparen(call.Args[1]).(*ast.UnaryExpr); ok {
				if target := typeset.VarOf(f.info, addr.X); target != nil {
					w = w.assign(ref{target, ""}, v)
				}
			}
		}
		return w
	case typeset.IsFunc(fn, "os", "IsTimeout") && len(call.Args) == 1:
		return f.narrow(w, f.eval(w, call.Args[0]), Timeout, truth)
	case typeset.IsFunc(fn, "strings", "Contains", "HasSuffix", "HasPrefix", "EqualFold") && len(call.Args) == 2:
		return f.textSays(w, call, truth)
	case fn != nil && fn.Name() == "Timeout" && len(call.Args) == 0:
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			return f.narrow(w, f.eval(w, sel.X), Timeout, truth)
		}
	case fn != nil && fn.Name() == "Temporary" && len(call.Args) == 0:
		return w
	}
	if typeset.IsFunc(fn, "slices", "Contains") && len(call.Args) == 2 {
		if v := f.eval(w, call.Args[1]); v.k == statusOf {
			if set := f.literalSet(call.Args[0]); set != nil {
				return f.narrowStatus(w, v, func(n int) bool { return set[n] == truth })
			}
			w = f.unsure(w, v)
		}
	}
	asksErr := false
	for _, arg := range call.Args {
		asksErr = asksErr || f.eval(w, arg).k == errOf
	}
	if asksErr || guard.MatchString(lastName(call.Fun)) {
		w = f.doubts(w)
	}
	return w.with(ref{call, "0"}, boolVal(truth))
}

func whenFalse(w *world, truth bool) *world {
	if truth {
		return nil
	}
	return w
}

// isContextError reports whether e is context.Canceled or DeadlineExceeded.
func isContextError(info *types.Info, e ast.Expr) bool {
	v := typeset.VarOf(info, e)
	return v != nil && v.Pkg() != nil && v.Pkg().Path() == "context"
}

// isSentinel refines a world by errors.Is(v, target), v the error of a site.
func (f *frame) isSentinel(w *world, v val, target ast.Expr, truth bool) *world {
	name := ""
	switch obj := f.info.ObjectOf(orSel(target)).(type) {
	case *types.Var:
		if obj.Pkg() != nil {
			name = obj.Pkg().Path() + "." + obj.Name()
		}
	case *types.Const:
		if obj.Pkg() != nil {
			name = obj.Pkg().Path() + "." + obj.Name()
		}
	}
	if f.isOwnSentinel(target) {
		return whenFalse(w, truth)
	}
	switch name {
	case "context.Canceled":
		return f.narrow(w, v, Canceled, truth)
	case "context.DeadlineExceeded", "os.ErrDeadlineExceeded":
		return f.narrow(w, v, Timeout, truth)
	case "syscall.ECONNREFUSED", "syscall.EHOSTUNREACH", "syscall.ENETUNREACH":
		if !truth {
			return w
		}
		return f.narrow(w, v, Dial, true)
	case "io.EOF", "io.ErrUnexpectedEOF", "syscall.ECONNRESET", "syscall.EPIPE", "net.ErrClosed", "syscall.ECONNABORTED":
		if !truth {
			return w
		}
		return f.narrow(w, v, Broken, true)
	case "syscall.ETIMEDOUT":
		return w
	}
	return f.doubts(w)
}

// isOwnSentinel reports whether e is an error that a package makes by errors.New, and
// that no request fails with.
func (f *frame) isOwnSentinel(e ast.Expr) bool {
	v := typeset.VarOf(f.info, e)
	if v == nil || v.Pkg() != f.pass.Pkg || v.Parent() != f.pass.Pkg.Scope() {
		return false
	}
	call, ok := f.index.OnlyDef(v).(*ast.CallExpr)
	return ok && f.errorsFunc(call) != ""
}

// orSel returns the identifier that e is, or selects.
func orSel(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return ast.NewIdent("")
}

// narrow refines a world by whether the error v is one of some.
func (f *frame) narrow(w *world, v val, some Errs, truth bool) *world {
	if v.k != errOf {
		return w
	}
	r := ref{v.obj, "#err"}
	have := Errs(w.get(r).n)
	if truth {
		have &= some
	} else {
		have &^= some
	}
	if have == 0 {
		return nil
	}
	return w.with(r, val{k: bits, n: uint64(have)})
}

// isA refines a world by whether v, or what it wraps, is of the type target.
func (f *frame) isA(w *world, v val, target types.Type, truth bool) *world {
	switch v.k {
	case isNil:
		return whenFalse(w, truth)
	case statusOf: // an error that is a status
		if target != nil && isInt(target) {
			return whenFalse(w, !truth)
		}
	case object:
		t := f.info.TypeOf(v.obj.(ast.Expr))
		if t == nil || target == nil {
			return w
		}
		same := types.Identical(t, target) || types.Identical(types.NewPointer(t), target)
		if iface, ok := target.Underlying().(*types.Interface); ok {
			same = types.Implements(t, iface) || types.Implements(types.NewPointer(t), iface)
		}
		if same != truth {
			return nil
		}
		return w
	case errOf:
		switch {
		case typeset.IsNamed(target, "net/url", "Error"), typeset.IsNamed(target, "net", "Error"), isTimeouter(target):
			if !truth {
				return nil
			}
			return w
		case typeset.IsNamed(target, "net", "OpError"):
			if truth {
				return f.narrow(w, v, Dial|Broken|Timeout, true)
			}
			return w
		case typeset.IsNamed(target, "net", "DNSError"):
			if truth {
				return f.narrow(w, v, Dial, true)
			}
			return w
		}
		if named := typeset.Named(target); named != nil && named.Obj().Pkg() == f.pass.Pkg {
			return whenFalse(w, truth)
		}
		return f.doubts(w)
	}
	return w
}

// isTimeouter reports whether t is an interface with only Timeout.
func isTimeouter(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0 && i.Method(0).Name() == "Timeout" && i.NumMethods() == 1
}

// textSays refines a world by a question about the text of an error.
func (f *frame) textSays(w *world, call *ast.CallExpr, truth bool) *world {
	asked := val{}
	ast.Inspect(call.Args[0], func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && asked.k != errOf {
			if v := f.eval(w, e); v.k == errOf {
				asked = v
			}
		}
		return true
	})
	text := f.eval(w, call.Args[1])
	if asked.k != errOf || text.k != constant_ {
		return w
	}
	if !truth {
		return w
	}
	lower := strings.ToLower(text.s)
	for _, x := range []struct {
		errs  Errs
		words []string
	}{
		{Dial, []string{"refused", "no such host", "no route", "dial", "lookup", "unreachable"}},
		{Timeout, []string{"timeout", "deadline", "timed out"}},
		{Broken, []string{"eof", "reset", "broken pipe", "closed", "goaway"}},
		{Canceled, []string{"context canceled"}},
	} {
		for _, word := range x.words {
			if strings.Contains(lower, word) {
				return f.narrow(w, asked, x.errs, true)
			}
		}
	}
	return f.doubts(w)
}

// compare refines a world by x op y.
func (f *frame) compare(w *world, x ast.Expr, op token.Token, y ast.Expr, truth bool) *world {
	if f.info.Types[x].Value != nil || f.info.Types[x].IsNil() {
		x, y, op = y, x, flip(op)
	}
	if !truth {
		op = negate(op)
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
		if op == token.EQL {
			if r, ok := f.place(w, x); ok && isVar(r.obj) && worthKeeping(f.info.TypeOf(x)) || ok && isRequestObj(r.obj) {
				return w.with(r, b)
			}
		}
		return w
	case a.k == errOf && (op == token.EQL || op == token.NEQ):
		return f.isSentinel(w, a, y, op == token.EQL)
	case (a.k == madeErr || a.k == buildErr || a.k == object) && b.k == sentinel && (op == token.EQL || op == token.NEQ):
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

// literalSet returns the numbers that a literal of a slice, or the keys of one of a
// map, holds, or nil.
func (f *frame) literalSet(e ast.Expr) map[int]bool {
	if v := typeset.VarOf(f.info, e); v != nil {
		if e = f.index.OnlyDef(v); e == nil {
			return nil
		}
	}
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return nil
	}
	set := make(map[int]bool)
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
		n, ok := int64Of(tv.Value)
		if !ok {
			return nil
		}
		set[int(n)] = true
	}
	return set
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
	if v == nil || v.IsField() || !isInt(v.Type()) {
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
		if want {
			if r, ok := f.place(w, x); ok {
				return w.with(r, val{k: isNil})
			}
		}
		return w
	case request:
		return w
	default:
		if want {
			return nil
		}
		return w
	}
	r, ok := f.place(w, x)
	if !ok {
		if call, isCall := ast.Unparen(x).(*ast.CallExpr); isCall {
			r, ok = ref{call, "0"}, true
		}
	}
	if !ok || !isVar(r.obj) && r.path != "0" {
		return w
	}
	if want {
		return w.with(r, val{k: isNil})
	}
	return w.with(r, val{k: nonNil})
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

func int64Of(c constant.Value) (int64, bool) {
	if c.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c)
}

func flip(op token.Token) token.Token {
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

func negate(op token.Token) token.Token {
	switch op {
	case token.EQL:
		return token.NEQ
	case token.NEQ:
		return token.EQL
	case token.LSS:
		return token.GEQ
	case token.LEQ:
		return token.GTR
	case token.GTR:
		return token.LEQ
	case token.GEQ:
		return token.LSS
	}
	return op
}
