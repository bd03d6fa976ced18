package bodyfate

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says what methods and functions of libraries do to a body: read it, as far
// as they do, hold it, close it.

// method returns t after a method was called on the handle h. It reports
// false if the method's own body must tell.
func (tr *trace) method(t *tuple, call *ast.CallExpr, ops operands, h handle) (*tuple, bool) {
	name, k := ops.fn.Name(), h.kind
	if r, ok := httpmodel.ReadingOf(ops.fn); ok && r.Arg == httpmodel.Receiver {
		t = tr.reads(t, call, h, r.Does)
		if k == response && r.Does == httpmodel.ReadsAll {
			t = t.with(t.read, closed) // Response.Write closes the body
		}
		return t, true
	}
	read := httpmodel.ReadsSome
	switch {
	case k == response || k == closure || k == bound:
		return nil, false
	case name == "Close":
		switch k {
		case body:
			return tr.close(t, call, ""), true
		case opaque:
			return t.with(t.read, escaped), true
		}
		return t, true
	case name == "WriteTo":
		read = httpmodel.ReadsAll
	case k == decoder:
		switch {
		case strings.HasPrefix(name, "Decode"):
			read = httpmodel.ReadsValue
		case name == "Token":
			read = httpmodel.ReadsToken
		case name == "More":
			read = httpmodel.MoreValues
		default:
			return t, true
		}
	case k == records:
		switch {
		case name == "ReadAll":
			read = httpmodel.ReadsAll
		case !strings.HasPrefix(name, "Read") && !strings.HasPrefix(name, "Next"):
			return t, true
		}
	case k == scanner:
		return t, true
	case k == opaque && name != "Read":
		return t.with(t.read, escaped), true
	case !strings.HasPrefix(name, "Read") && name != "Peek" && name != "Discard":
		if types.IsInterface(ops.fn.Signature().Recv().Type()) || tr.decls[ops.fn] == nil {
			return t.with(t.read, escaped), true
		}
		return nil, false
	}
	return tr.reads(t, call, h, read), true
}

// reads returns t after the body was read through the handle h.
func (tr *trace) reads(t *tuple, call *ast.CallExpr, h handle, does httpmodel.Reading) *tuple {
	var links map[int]effect
	read := t.read
	switch does {
	case httpmodel.Leaves:
		return t
	case httpmodel.ReadsAll:
		read = Drained
	case httpmodel.ReadsSome:
		read, links = Partial, tr.errorLink(call, atEnd)
	case httpmodel.ReadsMore, httpmodel.ReadsTag:
		read, links = Partial, map[int]effect{0: atEnd}
	case httpmodel.ReadsToken:
		read, links = Partial, tr.errorLink(call, atEnd)
		if !t.streaming {
			t = t.clone()
			t.streaming = true
		}
	case httpmodel.ReadsValue:
		read, links = Decoded, tr.errorLink(call, atEnd)
		if t.streaming || tr.oneOfMany(call) {
			read = Partial
		}
	case httpmodel.MoreValues:
		links = map[int]effect{0: atEndish}
	}
	result := callResult{links: links}
	if h.kind == limited {
		read, result.links = min(read, Partial), tr.errorLink(call, atEnd)
		if does == httpmodel.ReadsAll && h.max > 0 {
			result.values = []value{{{"", handle{kind: taken, max: h.max}}}}
		}
	}
	t = t.with(max(t.read, read), t.fate)
	if h.kind == records && does == httpmodel.ReadsSome && tr.yieldsReader(call) {
		result.values = []value{one(limited)} // the part, to be read
	}
	return t.returned(call, result)
}

// yieldsReader reports whether the first result of call is a reader.
func (tr *trace) yieldsReader(call *ast.CallExpr) bool {
	results, ok := tr.typeOf(call).(*types.Tuple)
	return ok && results.Len() > 0 && hasMethod(results.At(0).Type(), "Read")
}

// oneOfMany reports whether a decoder's method is called in a loop that the
// decoder lives longer than.
func (tr *trace) oneOfMany(call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	p, ok := tr.place(sel.X)
	if !ok {
		return false
	}
	return slices.ContainsFunc(tr.loops(tr.root), func(loop ast.Node) bool {
		return syntax.Within(call, loop) && !declaredIn(p.v, loopBody(loop))
	})
}

// loopBody returns the body of a for or range statement.
func loopBody(loop ast.Node) *ast.BlockStmt {
	switch loop := loop.(type) {
	case *ast.ForStmt:
		return loop.Body
	case *ast.RangeStmt:
		return loop.Body
	}
	return nil
}

// loops returns the for and range statements of a function.
func (c *checker) loops(fn ast.Node) []ast.Node {
	if list, ok := c.loopsOf[fn]; ok {
		return list
	}
	list := []ast.Node{}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			list = append(list, n)
		}
		return true
	})
	c.loopsOf[fn] = list
	return list
}

// reading returns the argument through which a call is given the body to read.
func (tr *trace) reading(ops operands) (handle, bool) {
	for _, arg := range ops.args {
		if h, ok := arg.reader(); ok {
			return h, true
		}
	}
	return handle{}, false
}

// library returns t after a call of a function of a library that is known: by
// the table, or by a name and a shape that always mean the same.
func (tr *trace) library(t *tuple, call *ast.CallExpr, ops operands) (*tuple, bool) {
	fn := ops.fn
	if r, ok := httpmodel.ReadingOf(fn); ok && 0 <= r.Arg && r.Arg < len(ops.args) {
		if h, ok := ops.args[r.Arg].reader(); ok {
			return tr.reader(t, call, h, r.Does), true
		}
	}
	switch {
	case typeset.IsFunc(fn, "net/http/httputil", "DumpResponse") && len(call.Args) == 2:
		if tv := tr.pass.TypesInfo.Types[call.Args[1]]; tv.Value != nil && !constant.BoolVal(tv.Value) {
			return t, true
		}
		return t.with(Drained, closed), true // and leaves a copy in memory
	case typeset.IsFunc(fn, "io", "MultiReader"):
		return t.returned(call, callResult{values: []value{one(reader)}}), true
	case silentPackage(fn):
		return t, true
	case typeset.IsFunc(fn, "context", "AfterFunc") || typeset.IsFunc(fn, "time", "AfterFunc"):
		return t, true // where its time has come, nobody waits for the rest
	case typeset.IsFunc(fn, "fmt", "Fscan", "Fscanf", "Fscanln"):
		return tr.reads(t, call, handle{kind: reader}, httpmodel.ReadsSome), true
	}
	h, ok := tr.reading(ops)
	if !ok {
		return nil, false
	}
	results := fn.Signature().Results()
	switch {
	case fn.Name() == "ReadFrom" && fn.Signature().Recv() != nil && len(ops.args) == 1 && !ops.recv.holds():
		return tr.reader(t, call, h, httpmodel.ReadsAll), true
	case fn.Name() == "NewDecoder" && fn.Signature().Recv() == nil && results.Len() > 0 && hasMethod(results.At(0).Type(), "Decode"):
		return tr.reader(t, call, h, httpmodel.WrapsDecoder), true
	}
	return nil, false
}

// silentPackage reports whether fn only formats what it is given, or fills it, by
// reflection at most, and reads nothing.
func silentPackage(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "log", "log/slog", "errors":
		return true
	case "encoding/json", "encoding/xml":
		return fn.Name() == "Unmarshal"
	case "fmt":
		return !strings.HasPrefix(fn.Name(), "Fscan")
	}
	return false
}

// reader returns t after a function of the table was given the reader h.
func (tr *trace) reader(t *tuple, call *ast.CallExpr, h handle, does httpmodel.Reading) *tuple {
	wrap := handle{}
	switch does {
	case httpmodel.WrapsReader, httpmodel.WrapsClosing:
		wrap.kind = reader
		if does == httpmodel.WrapsClosing && h.kind == body {
			wrap.kind = body
		}
		if h.kind == limited {
			wrap.kind = limited
		}
	case httpmodel.WrapsLimited:
		wrap, _ = tr.limit(call, value{{"", h}}).self()
	case httpmodel.WrapsScanner:
		wrap.kind = scanner
	case httpmodel.WrapsDecoder:
		wrap.kind = decoder
	case httpmodel.WrapsRecords:
		wrap.kind = records
	default:
		if tr.discards(call) {
			return t.with(Drained, t.fate)
		}
		if does == httpmodel.ReadsSome && tr.wantsAll(call) {
			does = httpmodel.ReadsAll
		}
		if h.kind == records {
			h.kind = limited // a record, say a file of an archive
		}
		return tr.reads(t, call, h, does)
	}
	if (h.kind == limited || h.kind == records) && wrap.kind != limited {
		// A scanner or decoder over a part: what it says of the end is not the body's.
		return t.with(max(t.read, Partial), t.fate)
	}
	return t.returned(call, callResult{values: []value{{{"", wrap}}}, links: tr.errorLink(call, atEnd)})
}

// limit returns what a reader over held is whose limit the call or literal n
// sets: one that ends early, or, where the limit is not known or as large as
// anybody would drain, one that is meant to take all.
func (tr *trace) limit(n ast.Expr, held value) value {
	var bound ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		if len(n.Args) == 2 {
			bound = n.Args[1]
		}
	case *ast.CompositeLit:
		for i, elt := range n.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "N" {
					bound = kv.Value
				}
			} else if i == 1 {
				bound = elt
			}
		}
	}
	h, ok := held.reader()
	if !ok {
		return nil
	}
	if h.kind == limited {
		return one(limited)
	}
	if max, ok := tr.constant(bound); ok && max < httpmodel.DrainBound {
		return value{{"", handle{kind: limited, max: max}}}
	}
	return one(reader)
}

// small reports whether e is a constant below what is worth draining.
func (c *checker) small(e ast.Expr) bool {
	n, ok := c.constant(e)
	return ok && n < httpmodel.DrainBound
}

// constant returns the value of e, which may be nil, if it is an integer constant.
func (c *checker) constant(e ast.Expr) (int64, bool) {
	if e == nil {
		return 0, false
	}
	tv := c.pass.TypesInfo.Types[ast.Unparen(e)]
	if tv.Value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(tv.Value))
}

// discards reports whether call copies to io.Discard.
func (tr *trace) discards(call *ast.CallExpr) bool {
	return len(call.Args) > 1 && (tr.isVar(call.Args[0], "io", "Discard") || tr.isVar(call.Args[0], "io/ioutil", "Discard"))
}

// wantsAll reports whether call, io.CopyN, ReadFull or ReadAtLeast, is not known to
// want less than all of the body.
func (tr *trace) wantsAll(call *ast.CallExpr) bool {
	fn := typeset.Callee(tr.pass.TypesInfo, call)
	switch {
	case typeset.IsFunc(fn, "io", "CopyN") && len(call.Args) == 3:
		return !tr.small(call.Args[2])
	case typeset.IsFunc(fn, "io", "ReadFull", "ReadAtLeast") && len(call.Args) >= 2:
		return !tr.smallBuffer(call.Args[1])
	}
	return false
}

// smallBuffer reports whether e is a buffer known to be smaller than what is
// worth draining: an array, or a slice made with a constant length.
func (c *checker) smallBuffer(e ast.Expr) bool {
	e = unslice(e)
	switch typ := c.typeOf(e).Underlying().(type) {
	case *types.Array:
		return typ.Len() < httpmodel.DrainBound
	case *types.Pointer:
		if arr, ok := typ.Elem().Underlying().(*types.Array); ok {
			return arr.Len() < httpmodel.DrainBound
		}
	}
	if v := c.variable(e); v != nil {
		defs := c.definitions(v)
		return len(defs) == 1 && c.makesSmall(unslice(defs[0]))
	}
	return c.makesSmall(e)
}

// makesSmall reports whether e is make([]byte, n) with a small constant n.
func (c *checker) makesSmall(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && c.pass.TypesInfo.Uses[id] == types.Universe.Lookup("make") && c.small(call.Args[1])
}

// unslice returns e without parentheses and slicing.
func unslice(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if slice, ok := e.(*ast.SliceExpr); ok {
		return unslice(slice.X)
	}
	return e
}

// boxed returns held, of the concrete type typ, as an interface holds it: what
// the type's own methods do to the body decides what it is.
func (tr *trace) boxed(held value, typ types.Type) value {
	if len(held) == 0 {
		return nil
	}
	if _, ok := held.self(); ok || types.IsInterface(typ) {
		return held
	}
	if !held.holds() {
		return nil
	}
	if !hasMethod(typ, "Read") && !hasMethod(typ, "Close") {
		return held
	}
	obj, index, _ := types.LookupFieldOrMethod(typ, true, tr.pass.Pkg, "Close")
	fn, ok := obj.(*types.Func)
	if !ok {
		return one(reader) // no Close
	}
	if len(index) > 1 { // promoted
		if held.at(fieldPath(typ, index[:len(index)-1])).kind() == body {
			return one(body)
		}
		return one(reader)
	}
	outcomes, ok := tr.outcomes(operands{fn: fn.Origin(), recv: held}, &tuple{fate: open, status: allCodes(), lengths: allLengths})
	switch {
	case !ok:
		return one(opaque)
	case slices.ContainsFunc(outcomes, func(o outcome) bool { return o.fate == escaped }):
		return one(opaque)
	case slices.ContainsFunc(outcomes, func(o outcome) bool { return o.fate == closed && o.read < Drained }):
		return one(body)
	}
	return one(reader) // its Close does nothing to the body, or reads it first
}

// isLimitedReader reports whether t is io.LimitedReader.
func isLimitedReader(t types.Type) bool { return typeset.IsNamed(t, "io", "LimitedReader") }

// hasMethod reports whether t, or a pointer to it, has a method of the name.
func hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// close returns t after the body was closed by call: itself, or by the helper
// that it calls.
func (tr *trace) close(t *tuple, call *ast.CallExpr, helper string) *tuple {
	if t.fate != open {
		return t
	}
	if t.status.bodyless() || t.lengths.nothingToRead() {
		return t.with(Drained, closed)
	}
	if t.read < Drained {
		tr.lose(t, call, helper)
	}
	return t.with(t.read, closed)
}
