package resend

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// solve solves the frame's graph, and reports whether it could.
func (f *frame) solve(g *cfg.CFG, body *ast.BlockStmt, entry state) bool {
	return flow.Solve(g, body, entry, f) != nil && !f.overflow
}

// makeCalls makes the calls in n, in their order.
func (f *frame) makeCalls(s state, n ast.Node) state {
	switch stmt := n.(type) {
	case *ast.DeferStmt:
		return s
	case *ast.GoStmt:
		return f.flatMap(s, func(w *world) state {
			if fn := f.funcOf(w, stmt.Call); fn != nil {
				f.spawn(f.bind(w, stmt.Call, fn), stmt.Call, fn)
				return state{f.forgetAssigned(w, fn)}
			}
			return state{w}
		})
	}
	var list []ast.Node
	var stack []ast.Node
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			switch last := stack[len(stack)-1].(type) {
			case *ast.CallExpr, *ast.CompositeLit:
				list = append(list, last)
			}
			stack = stack[:len(stack)-1]
			return true
		}
		if _, ok := n.(*ast.FuncLit); ok {
			list = append(list, n)
			return false
		}
		stack = append(stack, n)
		return true
	})
	for _, n := range list {
		switch n := n.(type) {
		case *ast.CallExpr:
			s = f.flatMap(s, func(w *world) state { return f.call(w, n) })
		case *ast.CompositeLit:
			s = f.flatMap(s, func(w *world) state { return state{f.composite(w, n)} })
		case *ast.FuncLit:
			if !isCalled(list, n) {
				for _, w := range s {
					f.spawn(w, n, n)
				}
			}
		}
	}
	return s
}

// isCalled reports whether the literal is called where it stands.
func isCalled(list []ast.Node, lit *ast.FuncLit) bool {
	return slices.ContainsFunc(list, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && ast.Unparen(call.Fun) == lit
	})
}

// composite sets the fields of a literal.
func (f *frame) composite(w *world, lit *ast.CompositeLit) *world {
	t := f.info.TypeOf(lit)
	if t == nil {
		return w
	}
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return w
	}
	c := w.clone()
	st := t.Underlying().(*types.Struct)
	for i, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			if i < st.NumFields() {
				c.put(ref{lit, "." + st.Field(i).Name()}, f.eval(w, elt))
			}
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok {
			c.put(ref{lit, "." + id.Name}, f.eval(w, kv.Value))
		}
	}
	return c
}

// spawn follows a function that is not called here, for what happens in it.
func (f *frame) spawn(w *world, at, fn ast.Node) {
	if len(f.calls) > maxDepth || slices.ContainsFunc(f.parents, func(p *frame) bool { return p.fn == fn }) || f.fn == fn {
		return
	}
	if lit, ok := fn.(*ast.FuncLit); ok && !f.sendsIn(lit.Body) {
		return
	}
	if decl, ok := fn.(*ast.FuncDecl); ok && !f.scans[decl].sends {
		return
	}
	f.child(fn, at).run(w)
}

// maxDepth bounds the calls that are followed into each other.
const maxDepth = 5

// child returns the frame of a function that is called at a place.
func (f *frame) child(fn, at ast.Node) *frame {
	return f.frame(fn, append(slices.Clone(f.calls), at), append(slices.Clone(f.parents), f))
}

// funcOf returns the function of the package that call calls, or nil.
func (f *frame) funcOf(w *world, call *ast.CallExpr) ast.Node {
	if fn := typeset.Callee(f.info, call); fn != nil {
		if d := f.index.Decl(fn); d != nil {
			return d
		}
		return nil
	}
	if v := f.eval(w, call.Fun); v.k == function {
		n, _ := v.obj.(ast.Node)
		return n
	}
	if n := f.index.FuncOf(call.Fun); n != nil {
		return n
	}
	return nil
}

// call returns the worlds after a call whose arguments are evaluated.
func (f *frame) call(w *world, call *ast.CallExpr) state {
	if tv := f.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return state{w}
	}
	fn := typeset.Callee(f.info, call)
	if spec := f.sendOf(call, fn); spec != nil {
		if fn != nil || f.funcOf(w, call) == nil {
			return f.send(w, call, spec)
		}
	}
	if s, ok := f.known(w, call, fn); ok {
		return s
	}
	target := f.funcOf(w, call)
	if target == nil {
		for i, arg := range call.Args {
			lit := f.callback(w, arg)
			if lit != nil && f.retries.Repeats(fn, i) && len(f.calls) < maxDepth {
				return f.repeat(w, call, fn, lit)
			}
		}
		return f.unknownCall(w, call, fn)
	}
	if target == f.fn {
		c := f.bind(w, call, target).clone()
		if !slices.Contains(c.loops, target) {
			c.loops = append(slices.Clone(c.loops), target)
		}
		if len(c.sent()) > 0 {
			f.again = append(f.again, c)
			return nil
		}
		return f.unknownCall(w, call, fn)
	}
	if len(f.calls) >= maxDepth || !f.worthFollowing(target) || slices.ContainsFunc(f.parents, func(p *frame) bool { return p.fn == target }) {
		return f.unknownCall(w, call, fn)
	}
	return f.inline(w, call, target)
}

// callback returns the function that arg is, if it is of the package.
func (f *frame) callback(w *world, arg ast.Expr) ast.Node {
	t := f.info.TypeOf(arg)
	if t == nil {
		return nil
	}
	if _, ok := t.Underlying().(*types.Signature); !ok {
		return nil
	}
	if v := f.eval(w, arg); v.k == function {
		n, _ := v.obj.(ast.Node)
		return n
	}
	return f.index.FuncOf(arg)
}

// worthFollowing reports whether what a function does can matter.
func (f *frame) worthFollowing(fn ast.Node) bool {
	decl, ok := fn.(*ast.FuncDecl)
	if !ok {
		return true
	}
	s := f.scans[decl]
	return s != nil && s.size < 3000 && !f.tooMuch[decl] && (s.sends || s.waits || s.asks)
}

// inline returns the worlds after a call of a function that is followed.
func (f *frame) inline(w *world, call *ast.CallExpr, target ast.Node) state {
	w = f.bind(w, call, target)
	child := f.child(target, call)
	key := f.siteKey(call) + "|" + f.key(w)
	exits, ok := f.memo[key]
	if !ok {
		exits = child.run(w)
		if f.overflow {
			return nil
		}
		f.memo[key] = exits
	}
	var out state
	for _, x := range exits {
		c := x.w.clone()
		for i, v := range x.results {
			c.put(ref{call, digit(i)}, v)
		}
		f.leave(c, target)
		if _, ok := target.(*ast.FuncDecl); ok && c.unmade(target) {
			continue
		}
		c.collect()
		out = append(out, c)
	}
	return f.join(out, nil)
}

// leave forgets the variables of a function.
func (f *frame) leave(c *world, fn ast.Node) {
	for r := range c.m {
		if v, ok := r.obj.(*types.Var); ok && !v.IsField() && fn.Pos() <= v.Pos() && v.Pos() < fn.End() {
			delete(c.m, r)
		}
		if call, ok := r.obj.(*ast.CallExpr); ok && len(r.path) == 1 && syntax.Within(call, fn) {
			delete(c.m, r)
		}
	}
}

// operands returns the parameters of a function and what a call gives them.
func (f *frame) operands(call *ast.CallExpr, target ast.Node) (params []*types.Var, args []ast.Expr) {
	var sig *types.Signature
	switch t := target.(type) {
	case *ast.FuncDecl:
		obj, _ := f.info.Defs[t.Name].(*types.Func)
		if obj == nil {
			return nil, nil
		}
		sig = obj.Signature()
		if recv := sig.Recv(); recv != nil {
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				params, args = append(params, recv), append(args, sel.X)
			}
		}
	case *ast.FuncLit:
		sig, _ = f.info.TypeOf(t).(*types.Signature)
	}
	if sig == nil {
		return params, args
	}
	for i := range min(sig.Params().Len(), len(call.Args)) {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		params, args = append(params, sig.Params().At(i)), append(args, call.Args[i])
	}
	return params, args
}

// bind returns the world at the start of a function, given what a call gives it.
func (f *frame) bind(w *world, call *ast.CallExpr, target ast.Node) *world {
	params, args := f.operands(call, target)
	c := w.clone()
	if sig := f.frameSig(target); sig != nil {
		for r := range sig.Results().Variables() {
			if r.Name() != "" {
				c.put(ref{r, ""}, zero(r.Type()))
			}
		}
		for i := min(len(call.Args), sig.Params().Len()-1); i >= 0 && i < sig.Params().Len(); i++ {
			c.put(ref{sig.Params().At(i), ""}, val{})
			if sig.Variadic() && len(call.Args) < sig.Params().Len() {
				c.put(ref{sig.Params().At(i), ""}, val{k: isNil})
			}
		}
	}
	for i, p := range params {
		c.put(ref{p, ""}, f.eval(w, args[i]))
		if r, ok := f.place(w, args[i]); ok && isVar(r.obj) && r.obj != p {
			for k, v := range w.m {
				if rest, ok := strings.CutPrefix(k.path, r.path+"."); ok && k.obj == r.obj {
					c.put(ref{p, "." + rest}, v)
				}
			}
		}
	}
	return c
}

// unmade reports whether a function made no request on the way: whoever calls it can
// not tell that from other failures, and nothing was sent.
func (w *world) unmade(fn ast.Node) bool {
	for r := range w.m {
		if s, ok := r.obj.(*site); ok && r.path == "#unmade" && syntax.Within(s.calls[len(s.calls)-1], fn) {
			return true
		}
	}
	return false
}

// collect forgets the parts of requests, readers and literals that no value leads to:
// what makes them makes others the next time.
func (c *world) collect() {
	live := make(map[any]bool)
	var mark func(obj any)
	mark = func(obj any) {
		if obj == nil || live[obj] {
			return
		}
		live[obj] = true
		if b, ok := obj.(bodyOf); ok {
			mark(b.v)
		}
		for r, v := range c.m {
			if r.obj == obj {
				mark(v.obj)
			}
		}
	}
	for r, v := range c.m {
		switch r.obj.(type) {
		case *types.Var, *site, ref, bodyOf:
			mark(v.obj)
		case *ast.CallExpr:
			if len(r.path) == 1 { // a result that is still to be used
				mark(v.obj)
			}
		}
	}
	for r := range c.m {
		switch r.obj.(type) {
		case *ast.CallExpr:
			if len(r.path) > 1 && !live[r.obj] {
				delete(c.m, r)
			}
		case *ast.CompositeLit:
			if !live[r.obj] {
				delete(c.m, r)
			}
		}
	}
}

func (f *frame) frameSig(fn ast.Node) *types.Signature {
	return (&frame{engine: f.engine, fn: fn}).signature()
}

// repeat returns the worlds after a call of a library that calls fn until it
// succeeds.
func (f *frame) repeat(w *world, call *ast.CallExpr, lib *types.Func, fn ast.Node) state {
	child := f.child(fn, call)
	start := w
	exits := child.run(start)
	var out state
	for _, x := range exits {
		c := x.w.clone()
		f.leave(c, fn)
		if retried(lib, x.results) {
			again := c.waited().clone()
			if !slices.Contains(again.loops, ast.Node(call)) {
				again.loops = append(slices.Clone(again.loops), call)
			}
			child.run(again)
		}
		out = append(out, f.results(c, call, nil))
	}
	return f.join(out, nil)
}

var permanent = regexp.MustCompile(`(?i)permanent|unrecover|non_?retr|not_?retr|abort|stop|fatal`)

// retried reports whether a library calls a function again that returned results.
func retried(lib *types.Func, results []val) bool {
	if len(results) == 0 {
		return false
	}
	last := results[len(results)-1]
	path := ""
	if lib != nil && lib.Pkg() != nil {
		path = typeset.PkgPath(lib.Pkg())
	}
	if len(results) == 2 && strings.HasSuffix(path, "/util/wait") {
		return (last.k == isNil || last.k == unknown) && results[0].s != "true"
	}
	if path == "github.com/sethvargo/go-retry" {
		return last.k == wrappedErr && last.s == "RetryableError"
	}
	if last.k == wrappedErr {
		return !permanent.MatchString(last.s)
	}
	return last.k != isNil && last.k != constant_
}

// results returns the world with the results of a call that is not followed.
func (f *frame) results(w *world, call *ast.CallExpr, of map[int]val) *world {
	c := w.clone()
	tuple := resultsOf(f.info, call)
	for i := range tuple.Len() {
		v := of[i]
		if v.k == unknown && isReader(tuple.At(i).Type()) {
			v = val{k: reader, obj: call}
			delete(c.m, ref{call, "#used"})
		}
		if v.k == unknown && (httpmodel.IsRequest(tuple.At(i).Type()) || typeset.IsNamed(tuple.At(i).Type(), httpmodel.RetryablePath, "Request")) {
			v = val{k: request, obj: call}
			f.freshRequest(c, call)
			c.put(ref{call, "#key"}, val{k: nonNil})
		}
		if b, ok := tuple.At(i).Type().Underlying().(*types.Basic); ok && v.k == unknown && b.Info()&types.IsString != 0 {
			v = val{k: nonNil} // some text
		}
		c.put(ref{call, digit(i)}, v)
	}
	return c
}

// resultsOf returns the results of a call.
func resultsOf(info *types.Info, call *ast.CallExpr) *types.Tuple {
	t := info.TypeOf(call.Fun)
	if t == nil {
		return types.NewTuple()
	}
	if sig, ok := t.Underlying().(*types.Signature); ok {
		return sig.Results()
	}
	return types.NewTuple()
}

// unknownCall returns the world after a call of which nothing is known.
func (f *frame) unknownCall(w *world, call *ast.CallExpr, fn *types.Func) state {
	switch f.waitOf(call, fn) {
	case waiting:
		w = w.waited()
	case sleeping:
		w = f.sleeps(w.waited(), call)
	}
	asked := false
	var wraps val
	for _, arg := range call.Args {
		v := f.eval(w, arg)
		switch v.k {
		case statusOf, respOf:
			for r := range resultsOf(f.info, call).Variables() {
				if typeset.IsBool(r.Type()) {
					w = f.unsure(w, v)
				}
			}
		case errOf, buildErr, object:
			asked = asked || v.k == errOf
			wraps = v
		case reader:
			if !peeks(call) {
				w = w.with(ref{v.obj, "#used"}, val{})
			}
		case request:
			w = w.with(ref{v.obj, "#key"}, val{k: nonNil})
		case function:
			if n, ok := v.obj.(ast.Node); ok {
				w = f.forgetAssigned(w, n)
			}
		default:
			if addr, ok := ast.Unparen(arg).(*ast.UnaryExpr); ok && addr.Op == token.AND {
				if r, ok := f.place(w, addr.X); ok {
					w = w.assign(r, val{})
				}
			}
		}
	}
	tuple := resultsOf(f.info, call)
	of := make(map[int]val)
	for i := range tuple.Len() {
		t := tuple.At(i).Type()
		if asked && typeset.IsBool(t) {
			w = f.doubts(w)
		}
		if wraps.k != unknown && httpmodel.IsError(t) && tuple.Len() == 1 {
			of[i] = val{k: wrappedErr, s: lastName(call.Fun), obj: wraps.obj}
		}
	}
	return state{f.results(w, call, of)}
}

// peeks reports whether a call only looks at a reader.
func peeks(call *ast.CallExpr) bool {
	switch lastName(call.Fun) {
	case "Println", "Printf", "Debug", "Info":
		return true
	}
	return false
}

// forgetAssigned forgets the variables that a function literal assigns.
func (f *frame) forgetAssigned(w *world, fn ast.Node) *world {
	lit, ok := fn.(*ast.FuncLit)
	if !ok {
		return w
	}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if assign, ok := n.(*ast.AssignStmt); ok && assign.Tok != token.DEFINE {
			for _, lhs := range assign.Lhs {
				if v := typeset.VarOf(f.info, lhs); v != nil && !v.IsField() && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End()) {
					w = w.assign(ref{v, ""}, val{})
				}
			}
		}
		return true
	})
	return w
}

// A waitKind says how a call waits.
type waitKind uint8

const (
	notWait  waitKind = iota
	waiting           // some time passes, or may
	sleeping          // and nothing can end it
)

var waitName = regexp.MustCompile(`(?i)^(do)?(sleep|wait|pause|hold|back_?off|delay|throttle|acquire|take$|block|idle|cool)`)

// waitOf returns how a call waits.
func (e *engine) waitOf(call *ast.CallExpr, fn *types.Func) waitKind {
	if typeset.IsFunc(fn, "time", "Sleep") {
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
	if fn == nil || fn.Signature().Results().Len() > 1 || yieldsTime(e.info, call) {
		return notWait
	}
	for p := range fn.Signature().Params().Variables() {
		if typeset.IsNamed(p.Type(), "time", "Duration") && fn.Signature().Recv() == nil {
			return waiting
		}
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
	if httpmodel.IsError(first) || typeset.IsBool(first) {
		return false
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
