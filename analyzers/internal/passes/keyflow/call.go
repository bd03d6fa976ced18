package keyflow

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// An operand is the receiver or an argument of a call.
type operand struct {
	expr ast.Expr
	value
	bit int // of the parameter: 0 for the receiver
}

// evalMulti evaluates e, a call or another expression with n results.
func (t *tracer) evalMulti(w *work, e ast.Expr, n int) []value {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		values := make([]value, max(n, 1))
		v := t.eval(w, e) // x[i], x.(T), <-x: the second says nothing
		for i := range values {
			values[i] = value{raw: origin{flags: outside}}
		}
		values[0] = v
		return values
	}
	values := t.call(w, call)
	for len(values) < n {
		values = append(values, value{raw: origin{flags: unknown}})
	}
	if len(values) == 0 {
		values = append(values, value{raw: origin{flags: unknown}})
	}
	return values
}

// call evaluates a call.
func (t *tracer) call(w *work, call *ast.CallExpr) []value {
	tv := t.info.Types[call.Fun]
	if tv.IsType() && len(call.Args) == 1 { // a conversion
		return []value{t.eval(w, call.Args[0])}
	}
	if tv.IsBuiltin() {
		return []value{t.builtin(w, call)}
	}
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return t.callLit(w, call, lit)
	}
	fn := typeset.Callee(t.info, call)
	if fn == nil {
		if lit, ok := t.index.FuncOf(call.Fun).(*ast.FuncLit); ok {
			return t.callLit(w, call, lit)
		}
		if v := typeset.VarOf(t.info, call.Fun); v != nil {
			if def := t.index.OnlyDef(v); def != nil { // var newKey = uuid.NewString
				if fn = typeset.FuncObj(t.info, def); fn != nil {
					call = &ast.CallExpr{Fun: &ast.ParenExpr{Lparen: call.Pos(), X: def, Rparen: call.Lparen}, Lparen: call.Lparen, Args: call.Args, Ellipsis: call.Ellipsis, Rparen: call.Rparen}
				}
			}
		}
	}
	if typeset.IsMethod(fn, "sync", "Once", "Do") {
		return nil // once for all rounds
	}
	ops := t.operands(w, call, fn)
	if fn == nil {
		if f := t.eval(w, call.Fun); !f.key.none() { // a function that sets a key
			t.sent(w, call, f.key, exprsOf(ops)...)
		}
		return t.unknownCall(w, call, ops)
	}
	return t.callFunc(w, call, fn, ops)
}

// builtin evaluates a call of a builtin function.
func (t *tracer) builtin(w *work, call *ast.CallExpr) value {
	var args []value
	for _, arg := range call.Args {
		if !t.info.Types[arg].IsType() {
			args = append(args, t.eval(w, arg))
		}
	}
	switch id := identOf(call.Fun); {
	case id != nil && (id.Name == "append" || id.Name == "min" || id.Name == "max"):
		return mix(args...)
	case id != nil && id.Name == "copy" && len(args) == 2:
		if p, ok := t.placeOf(call.Args[0]); ok {
			w.set(place{p.root, ""}, mix(t.lookup(w, place{p.root, ""}), args[1]))
		}
	}
	return value{raw: origin{flags: outside}, born: true}
}

// callLit follows a function literal where it is called.
func (t *tracer) callLit(w *work, call *ast.CallExpr, lit *ast.FuncLit) []value {
	i := 0
	for _, field := range lit.Type.Params.List {
		for _, name := range field.Names {
			if v, ok := t.info.Defs[name].(*types.Var); ok && i < len(call.Args) {
				w.set(place{v, ""}, t.eval(w, call.Args[i]))
			}
			i++
		}
	}
	f := t.follow(w, lit)
	t.blur(w, lit)
	return f.results
}

// blur makes unknown what a function literal assigns to the variables around it.
func (t *tracer) blur(w *work, lit *ast.FuncLit) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if assign, ok := n.(*ast.AssignStmt); ok {
			for _, lhs := range assign.Lhs {
				if p, ok := t.placeOf(lhs); ok && !(lit.Pos() <= p.root.Pos() && p.root.Pos() < lit.End()) {
					old := t.lookup(w, p)
					old.raw.flags |= unknown
					w.set(p, old)
				}
			}
		}
		return true
	})
}

// operands evaluates the receiver and the arguments of a call.
func (t *tracer) operands(w *work, call *ast.CallExpr, fn *types.Func) (ops []operand) {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if _, isPkg := t.info.Uses[identOf(sel.X)].(*types.PkgName); !isPkg {
			ops = append(ops, operand{sel.X, t.eval(w, sel.X), 0})
		}
	}
	params := 1 << 10
	if fn != nil {
		params = fn.Signature().Params().Len()
	}
	if len(call.Args) == 1 && params > 1 { // f(g())
		if inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok {
			for i, v := range t.evalMulti(w, inner, 1) {
				ops = append(ops, operand{call.Args[0], v, min(i+1, params)})
			}
			return ops
		}
	}
	for i, arg := range call.Args {
		ops = append(ops, operand{arg, t.eval(w, arg), min(i+1, params)})
	}
	return ops
}

func values(ops []operand) (vs []value) {
	for _, op := range ops {
		vs = append(vs, op.value)
	}
	return vs
}

// callFunc evaluates a call of fn.
func (t *tracer) callFunc(w *work, call *ast.CallExpr, fn *types.Func, ops []operand) []value {
	if v, ok := t.setter(w, call, fn, ops); ok {
		return []value{v}
	}
	switch making := httpmodel.MakingOf(fn); making {
	case httpmodel.MakesValue, httpmodel.MakesTime:
		name := types.ExprString(ast.Unparen(call.Fun))
		return []value{{raw: origin{flags: made, site: t.site(site{siteKey: siteKey{maker: call, name: name}, clock: making == httpmodel.MakesTime})}}}
	case httpmodel.MakesBytes:
		t.fill(w, call, call.Args[0])
		return nil
	}
	if typeset.IsFunc(fn, "io", "ReadFull") && isRandReader(t.info, call.Args[0]) {
		t.fill(w, call, call.Args[1])
		return nil
	}
	if httpmodel.IsAttemptNumber(fn) && t.region != nil {
		name := types.ExprString(call)
		return []value{{raw: origin{flags: made, site: t.site(site{siteKey: siteKey{maker: t.region.Node, name: name}, count: true})}}}
	}
	if isRandMethod(fn) {
		return []value{{raw: origin{flags: made, site: t.site(site{siteKey: siteKey{maker: call, name: types.ExprString(ast.Unparen(call.Fun))}})}}}
	}
	if isWriter(fn) && len(ops) > 1 { // a strings.Builder, a hash
		t.write(w, ops[0].expr, ops[1:])
		return nil
	}
	if isEncode(fn) && len(ops) == 2 {
		t.write(w, t.encodesTo(ops[0].expr), ops[1:])
		return nil
	}
	if httpmodel.IsMust(fn) && len(ops) > 0 {
		return []value{ops[0].value}
	}
	if v, ok := t.pure(call, fn, ops); ok {
		if readsInto.MatchString(fn.Name()) {
			t.lose(w, ops)
		}
		return []value{v}
	}
	if sum := t.summaryOf(fn, call); sum != nil {
		return t.apply(w, call, fn, ops, sum)
	}
	t.namedParams(w, call, fn, ops)
	if isPointerTo(fn.Signature()) {
		return []value{ops[len(ops)-1].value} // aws.String
	}
	return t.unknownCall(w, call, ops)
}

// fill says that the bytes e are filled with random ones by call.
func (t *tracer) fill(w *work, call *ast.CallExpr, e ast.Expr) {
	if p, ok := t.placeOf(e); ok {
		w.set(place{p.root, ""}, value{raw: origin{flags: made, site: t.site(site{siteKey: siteKey{maker: call, name: types.ExprString(ast.Unparen(call.Fun))}})}})
	}
}

// write adds to what target denotes what ops hold.
func (t *tracer) write(w *work, target ast.Expr, ops []operand) {
	if target == nil {
		return
	}
	if p, ok := t.placeOf(target); ok {
		root := place{p.root, ""}
		w.set(root, mix(append(values(ops), t.lookup(w, root))...))
	}
}

// isWriter reports whether fn adds to a buffer or hash of the standard library: to
// the one that it is a method of, or else to its first argument.
func isWriter(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil {
		return typeset.IsFunc(fn, "fmt", "Fprint", "Fprintf", "Fprintln") || typeset.IsFunc(fn, "io", "WriteString")
	}
	switch fn.Name() {
	case "Write", "WriteString", "WriteByte", "WriteRune":
		return typeset.IsNamed(recv.Type(), "strings", "Builder") || typeset.IsNamed(recv.Type(), "bytes", "Buffer") ||
			typeset.IsNamed(recv.Type(), "io", "Writer")
	}
	return false
}

// isEncode reports whether fn is the Encode of an encoder that writes elsewhere.
func isEncode(fn *types.Func) bool {
	return typeset.IsMethod(fn, "encoding/json", "Encoder", "Encode") || typeset.IsMethod(fn, "encoding/xml", "Encoder", "Encode")
}

// encodesTo returns what the encoder e, made here by its package's NewEncoder,
// writes to, or nil.
func (t *tracer) encodesTo(e ast.Expr) ast.Expr {
	if v := typeset.VarOf(t.info, e); v != nil {
		e = t.index.OnlyDef(v)
	}
	if e == nil {
		return nil
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil
	}
	return call.Args[0]
}

// isRandReader reports whether e is crypto/rand's Reader.
func isRandReader(info *types.Info, e ast.Expr) bool {
	v := typeset.VarOf(info, e)
	return v != nil && v.Name() == "Reader" && v.Pkg() != nil && v.Pkg().Path() == "crypto/rand"
}

// isRandMethod reports whether fn is a method of a source of random numbers.
func isRandMethod(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil || fn.Signature().Results().Len() == 0 {
		return false
	}
	return typeset.IsNamed(recv.Type(), "math/rand", "Rand") || typeset.IsNamed(recv.Type(), "math/rand/v2", "Rand")
}

// unknownCall evaluates a call of which nothing is known: it uses the keys that it
// is given, and what it returns may carry them.
func (t *tracer) unknownCall(w *work, call *ast.CallExpr, ops []operand) []value {
	v := value{raw: origin{flags: unknown}}
	for _, op := range ops {
		if op.key.none() {
			continue
		}
		t.sent(w, call, op.key, exprsOf(ops)...)
		v.key = v.key.beside(op.key)
	}
	if len(ops) == 1 && ops[0].bit == 0 && ops[0].raw.isMade() {
		v.raw = ops[0].raw // id.String()
	}
	if v.key.none() && t.mayBringKey(call) {
		v.key.flags = unknown
	}
	t.lose(w, ops)
	return []value{v}
}

// mayBringKey reports whether e, a call or an element, gives an object with a place for a
// key.
func (t *tracer) mayBringKey(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.CallExpr, *ast.IndexExpr:
		typ := t.info.TypeOf(e)
		if tuple, ok := typ.(*types.Tuple); ok && tuple.Len() > 0 {
			typ = tuple.At(0).Type()
		}
		return t.hasKeyField(deref(typ))
	}
	return false
}

// lose forgets what is known of the variables whose address a call is given.
func (t *tracer) lose(w *work, ops []operand) {
	for _, op := range ops {
		if addr, ok := ast.Unparen(op.expr).(*ast.UnaryExpr); ok && op.bit > 0 {
			if p, ok := t.placeOf(addr.X); ok {
				w.forget(p.root)
				v := t.lookup(w, place{p.root, ""})
				v.raw.flags |= unknown
				w.set(place{p.root, ""}, v)
			}
		}
	}
}

func exprsOf(ops []operand) (exprs []ast.Expr) {
	for _, op := range ops {
		exprs = append(exprs, op.expr)
	}
	return exprs
}

// purePackages hold functions whose result is made of their arguments, and that
// send nothing.
var purePackages = map[string]bool{
	"fmt": true, "strings": true, "strconv": true, "bytes": true, "encoding/hex": true, "encoding/base64": true, "encoding/base32": true,
	"encoding/json": true, "encoding/xml": true, "encoding/binary": true, "net/url": true, "crypto/sha256": true, "crypto/sha1": true, "crypto/sha512": true,
	"crypto/md5": true, "crypto/hmac": true, "hash": true, "hash/fnv": true, "path": true, "errors": true, "log": true, "log/slog": true, "slices": true,
	"maps": true, "math": true, "math/big": true, "unicode/utf8": true, "io": true, "bufio": true, "context": true, "sort": true, "cmp": true, "html": true, "time": true, "testing": true,
}

// readsInto matches the names of those that put what they read where an argument points.
var readsInto = regexp.MustCompile(`^(Unmarshal|Decode|Read|[FS]?[Ss]can)`)

// pure evaluates a call of a function of which the result is made of its arguments.
func (t *tracer) pure(call *ast.CallExpr, fn *types.Func, ops []operand) (value, bool) {
	if fn.Pkg() == nil {
		return value{raw: origin{flags: outside}}, true // error.Error
	}
	path := typeset.PkgPath(fn.Pkg())
	isMaker := isMakersPackage(fn)
	request := typeset.IsFunc(fn, httpmodel.NetHTTP, "NewRequest", "NewRequestWithContext") || typeset.IsFunc(fn, httpmodel.RetryablePath, "NewRequest", "NewRequestWithContext", "FromRequest")
	clone := fn.Name() == "Clone" && fn.Signature().Recv() != nil
	if !purePackages[path] && !isMaker && !request && !clone && !isHTTPHelper(fn) {
		return value{}, false
	}
	if path == "time" {
		return value{raw: timeMethod(call, fn, ops, t.info)}, true
	}
	if path == "io" && fn.Name() != "NopCloser" || path == "fmt" && strings.HasPrefix(fn.Name(), "Errorf") {
		return value{raw: origin{flags: outside}}, true
	}
	v := mix(values(ops)...)
	if typeset.IsFunc(fn, "cmp", "Or") { // one of them
		v = value{}
		for _, op := range ops {
			v = v.with(op.value)
		}
	}
	if len(ops) == 0 {
		v.raw = origin{flags: outside}
	}
	v.raw.flags &^= zero
	v.born = request || clone
	if request || clone {
		v.raw = origin{flags: outside}
	}
	return v, true
}

// isHTTPHelper reports whether fn is a method of net/http that only reads or
// changes what it is called on.
func isHTTPHelper(fn *types.Func) bool {
	return typeset.IsMethod(fn, httpmodel.NetHTTP, "Header", "Set", "Add", "Get", "Values", "Del", "Clone") ||
		typeset.IsMethod(fn, httpmodel.NetHTTP, "Request", "Context", "WithContext", "SetBasicAuth", "AddCookie", "UserAgent")
}

// isMakersPackage reports whether fn, no maker itself, is of a package of makers:
// uuid.NewSHA1, UUID.String.
func isMakersPackage(fn *types.Func) bool {
	path := typeset.PkgPath(fn.Pkg())
	return httpmodel.IsMakerPackage(path) && fn.Signature().Results().Len() > 0
}

// timeMethod returns the origin of the result of a function of package time: a
// time's day or hour is not new each time.
func timeMethod(call *ast.CallExpr, fn *types.Func, ops []operand, info *types.Info) origin {
	var o origin
	if len(ops) > 0 {
		o = ops[0].raw
	}
	switch fn.Name() {
	case "Unix", "UnixNano", "UnixMilli", "UnixMicro", "Nanosecond", "String", "Add", "UTC", "Local", "In", "MarshalText", "GoString":
		return o
	case "Format", "AppendFormat":
		layout, ok := stringConst(info, call.Args[len(call.Args)-1])
		if !ok || strings.Contains(layout, "05") {
			return o
		}
	}
	return origin{flags: outside}
}
