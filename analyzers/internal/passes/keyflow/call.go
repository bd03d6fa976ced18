package keyflow

import (
	"go/ast"
	"go/types"
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
		v := t.eval(w, orCommaOK(e))
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

// orCommaOK returns e: x[i], x.(T) and <-x yield a second value that says nothing.
func orCommaOK(e ast.Expr) ast.Expr { return e }

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
	ast.Inspect(lit.Body, func(n ast.Node) bool { // what it assigns
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
	return f.results
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
	if isRandMethod(fn) {
		return []value{{raw: origin{flags: made, site: t.site(site{siteKey: siteKey{maker: call, name: types.ExprString(ast.Unparen(call.Fun))}})}}}
	}
	if isWriter(fn) && len(ops) > 1 { // a strings.Builder, a hash
		if p, ok := t.placeOf(ops[0].expr); ok {
			v := t.lookup(w, place{p.root, ""})
			v.raw = mix(append(values(ops[1:]), v)...).raw
			w.set(place{p.root, ""}, v)
		}
		return nil
	}
	if httpmodel.IsMust(fn) && len(ops) > 0 {
		return []value{ops[0].value}
	}
	if v, ok := t.pure(call, fn, ops); ok {
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

// isWriter reports whether fn is a method of a buffer or hash of the standard
// library that adds to it.
func isWriter(fn *types.Func) bool {
	switch fn.Name() {
	case "Write", "WriteString", "WriteByte", "WriteRune":
	default:
		return false
	}
	recv := fn.Signature().Recv()
	return recv != nil && (typeset.IsNamed(recv.Type(), "strings", "Builder") || typeset.IsNamed(recv.Type(), "bytes", "Buffer") ||
		typeset.IsNamed(recv.Type(), "io", "Writer"))
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

// setter evaluates a call that sets a key: by its own name, or by the name of a
// header that it is given.
func (t *tracer) setter(w *work, call *ast.CallExpr, fn *types.Func, ops []operand) (value, bool) {
	recv := ast.Expr(nil)
	if len(ops) > 0 && ops[0].bit == 0 {
		recv, ops = ops[0].expr, ops[1:]
	}
	var key []value
	switch {
	case t.names.IsSetter(fn) && len(ops) > 0:
		for _, op := range ops {
			if isKeyType(t.info.TypeOf(op.expr)) {
				key = append(key, op.value)
			}
		}
	case httpmodel.IsHeaderSetter(fn) || fn.Pkg() != nil && fn.Pkg().Path() == "google.golang.org/grpc/metadata":
		for i, op := range ops {
			if name, ok := stringConst(t.info, op.expr); ok && t.names.IsHeader(name) {
				key = append(key, values(ops[i+1:])...)
				break
			}
		}
	case typeset.IsFunc(fn, "context", "WithValue") && len(ops) == 3:
		v := value{raw: origin{flags: outside}, key: ops[0].key}
		if t.namesContextKey(ops[1].expr) {
			v.key = t.keyOf(w, nil, true, ops[2].raw, call)
		}
		return v, true
	case typeset.IsFunc(fn, "fmt", "Sprintf", "Appendf", "Fprintf"):
		for i, op := range ops {
			if format, ok := stringConst(t.info, op.expr); ok {
				if verb := keyVerb(t.names, format); verb >= 0 && i+1+verb < len(ops) {
					key = append(key, ops[i+1+verb].value)
				}
				break
			}
		}
	}
	if len(key) == 0 {
		return value{}, false
	}
	raw := mix(key...).raw
	v := value{raw: origin{flags: outside}}
	if recv != nil {
		v = t.eval(w, recv)
	}
	for _, op := range ops {
		v.key = v.key.beside(op.key)
	}
	root := (*types.Var)(nil)
	if recv != nil {
		root = t.rootOf(recv)
	} else if len(ops) > 1 && isMapOrPointer(orInvalid(t.info.TypeOf(ops[0].expr))) { // setHeader(req, name, value)
		root = t.rootOf(ops[0].expr)
		recv = ops[0].expr
	}
	switch {
	case root != nil:
		t.setKey(w, recv, raw, call)
		v.key = t.lookup(w, place{root, ""}).key
	default:
		v.key = t.keyOf(w, nil, v.born || recv == nil, raw, call)
	}
	return v, true
}

// namesContextKey reports whether the key of a context's value is called like an
// idempotency key: by its text, its name or the name of its type.
func (t *tracer) namesContextKey(e ast.Expr) bool {
	names := []string{types.ExprString(e)}
	if name, ok := stringConst(t.info, e); ok {
		names = append(names, name)
	}
	if named := typeset.Named(t.info.TypeOf(e)); named != nil {
		names = append(names, named.Obj().Name())
	}
	for _, name := range names {
		name = strings.ToLower(strings.Trim(name[strings.LastIndex(name, ".")+1:], "{}"))
		for _, extra := range []string{"ctx", "context", "key", "type"} {
			if t.names.IsField(name) {
				return true
			}
			name = strings.TrimPrefix(strings.TrimSuffix(name, extra), extra)
		}
		if t.names.IsField(name) {
			return true
		}
	}
	return false
}

func orInvalid(typ types.Type) types.Type {
	if typ == nil {
		return types.Typ[types.Invalid]
	}
	return typ
}

// isKeyType reports whether a key may be of type typ: text, bytes, an array like
// a UUID, or a pointer to such.
func isKeyType(typ types.Type) bool {
	switch u := deref(orInvalid(typ)).Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsInteger) != 0
	case *types.Slice, *types.Array, *types.Interface, *types.Struct:
		return true
	}
	return false
}

// namedParams takes note of the keys given for parameters that are called so: of
// interface methods and functions without a summary.
func (t *tracer) namedParams(w *work, call *ast.CallExpr, fn *types.Func, ops []operand) {
	for i, op := range ops {
		if op.bit == 0 || op.bit > fn.Signature().Params().Len() {
			continue
		}
		p := fn.Signature().Params().At(op.bit - 1)
		if t.names.IsField(p.Name()) && isKeyType(p.Type()) && !op.raw.none() {
			key := t.keyOf(w, nil, true, op.raw, op.expr)
			t.sent(w, call, key, others(ops, i)...)
		}
	}
}

// others returns the expressions of all operands but one.
func others(ops []operand, i int) (exprs []ast.Expr) {
	for j, op := range ops {
		if j != i {
			exprs = append(exprs, op.expr)
		}
	}
	return exprs
}

// isPointerTo reports whether sig is func(x T) *T, or func[T ~string](x T) *string:
// it returns a pointer to what it is given.
func isPointerTo(sig *types.Signature) bool {
	if sig.Params().Len() != 1 || sig.Results().Len() != 1 {
		return false
	}
	ptr, ok := types.Unalias(sig.Results().At(0).Type()).(*types.Pointer)
	if !ok {
		return false
	}
	param := sig.Params().At(0).Type()
	_, isGeneric := types.Unalias(param).(*types.TypeParam)
	_, isBasic := ptr.Elem().Underlying().(*types.Basic)
	return types.Identical(ptr.Elem(), param) || isGeneric && isBasic
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
	t.lose(w, ops)
	return []value{v}
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

// sent takes note that a key is used at the node at, with the other expressions.
func (t *tracer) sent(w *work, at ast.Node, key origin, with ...ast.Expr) {
	if !t.final || key.site == nil {
		if t.final && t.summary != nil && key.raw != 0 {
			t.summary.sent = t.summary.sent.with(key)
		}
		return
	}
	if t.summary != nil {
		t.summary.sent = t.summary.sent.with(key)
		return
	}
	if !key.isMade() || key.site.set == nil {
		return
	}
	for _, e := range with {
		if t.isOtherThing(w, key.site, e) {
			return
		}
	}
	t.findings = append(t.findings, t.finding(at, key.site))
}

// finding blames the function that holds the retry.
func (t *tracer) finding(at ast.Node, s *site) *Finding {
	f := &Finding{Region: t.region, Set: s.set, Maker: s.maker, Name: s.name, Count: s.count}
	if h := t.region.Holder; h != nil && !within(h, s.set) {
		if f.Set = at; !within(h, at) {
			f.Set = t.region.At
		}
	}
	return f
}

// within reports whether y lies in x.
func within(x, y ast.Node) bool { return x.Pos() <= y.Pos() && y.End() <= x.End() }

// isOtherThing reports whether e, which is sent with the key made at s, is another
// thing in each round.
func (t *tracer) isOtherThing(w *work, s *site, e ast.Expr) bool {
	if root := typeset.Root(t.info, e); root != nil {
		if v, ok := w.vars[place{root, ""}]; ok && v.other != nil && v.other.maker != s.maker {
			return true
		}
	}
	if lit := litOf(e); lit != nil {
		if v := t.evalLit(&work{state: w.state}, lit); v.other != nil && v.other.maker != s.maker {
			return true
		}
	}
	return t.dependsOnItem(w, s, e)
}

// dependsOnItem reports whether e uses what is another thing in each round of the
// region, but for keys, and for what only tells the attempts apart.
func (t *tracer) dependsOnItem(w *work, s *site, e ast.Node) bool {
	return t.region.DependsOn(t.info, e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return true
		case *ast.KeyValueExpr:
			name, ok := stringConst(t.info, n.Key)
			if id := identOf(n.Key); id != nil && !ok {
				name = id.Name
				if v, isVar := t.info.Uses[id].(*types.Var); isVar && v.IsField() && t.isKeyField(v) {
					return true
				}
			}
			return t.names.IsHeader(name) || httpmodel.IsTraceName(name)
		case *ast.CallExpr:
			fn := typeset.Callee(t.info, n)
			if fn == nil {
				return false
			}
			if httpmodel.IsHeaderSetter(fn) && len(n.Args) > 0 {
				if name, ok := stringConst(t.info, n.Args[0]); ok && (t.names.IsHeader(name) || httpmodel.IsTraceName(name)) {
					sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
					return !ok || !t.dependsOnItem(w, s, sel.X)
				}
			}
			return t.names.IsSetter(fn)
		case *ast.Ident: // a text with the number of the attempt in it, as the key has
			v := t.eval(&work{state: w.state}, n)
			return s.count && v.raw.flags&made != 0 && v.raw.site.count && isString(t.info.TypeOf(n))
		}
		return false
	})
}

func isString(typ types.Type) bool {
	b, ok := orInvalid(typ).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
