package resend

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A scan is what can be said of a function at a glance.
type scan struct {
	sends   bool // it sends a request, or calls a function of the package that does
	waits   bool // likewise: it waits
	loops   bool // likewise: it repeats something
	names   bool // likewise: it names a key other than as a header that it sets
	keyed   bool // it sets a header that is a key
	asks    bool // it asks something about an error, a response, a status, or makes a request
	size    int
	callees []*ast.FuncDecl
}

// onlyWaits reports whether a function waits and does not send: whoever calls it leaves it
// to the function how long to wait, if at all.
func (s *scan) onlyWaits() bool { return s.waits && !s.sends }

// scanAll scans all functions, and carries what they do to their callers.
func (e *engine) scanAll() {
	if e.scans != nil {
		return
	}
	e.scans = make(map[*ast.FuncDecl]*scan)
	e.counters, e.guards = make(map[*types.Var]bool), make(map[ast.Expr]*ast.BlockStmt)
	for _, decl := range e.index.Decls() {
		e.scans[decl] = e.scan(decl)
	}
	e.index.Spread(func(decl *ast.FuncDecl) []*ast.FuncDecl { return e.scans[decl].callees }, func(caller, callee *ast.FuncDecl) bool {
		s, t := e.scans[callee], e.scans[caller]
		old := *t
		t.sends, t.waits, t.loops, t.names = t.sends || s.sends, t.waits || s.waits, t.loops || s.loops, t.names || s.names
		return t.sends != old.sends || t.waits != old.waits || t.loops != old.loops || t.names != old.names
	})
}

// scan scans one function.
func (e *engine) scan(decl *ast.FuncDecl) *scan {
	s := new(scan)
	headers := make(map[ast.Node]bool) // names of headers that the analysis follows
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if n != nil {
			s.size++
		}
		if headers[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			fn := typeset.Callee(e.info, n)
			s.callees = append(s.callees, e.mayCall(fn)...)
			if name := e.headerName(n, fn); name != nil {
				headers[name] = true
				s.keyed = s.keyed || e.isKeyHeader(name)
			}
			far := e.imported(fn)
			s.sends = s.sends || far.sends() || e.sendOf(n, fn) != nil
			s.waits = s.waits || far.waits() || e.waitOf(n, fn) != notWait
			s.asks = s.asks || far != nil
			if name := lastName(n.Fun); len(n.Args) > 0 && (name == "Marshal" || name == "MarshalIndent" || name == "Encode") {
				s.names = s.names || e.identifies(e.info.TypeOf(n.Args[0]), 0)
			}
			s.names = s.names || far != nil && far.Names
			s.asks = s.asks || fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == "errors" || fn.Pkg().Path() == httpmodel.NetHTTP)
		case *ast.KeyValueExpr:
			if tv := e.info.Types[n.Key]; tv.Value != nil && tv.Value.Kind() == constant.String {
				s.names = s.names || httpmodel.IsIdentity(constant.StringVal(tv.Value))
			}
		case *ast.UnaryExpr, *ast.SelectStmt:
			s.waits = s.waits || isReceive(n)
		case *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt:
			s.loops = true
		case *ast.IncDecStmt:
			e.counters[typeset.VarOf(e.info, n.X)] = true
		case *ast.IfStmt:
			for _, cond := range conjuncts(n.Cond) {
				e.guards[cond] = n.Body
			}
		case *ast.CompositeLit:
			s.names = s.names || e.hasKeyField(n)
		case *ast.Ident:
			if fn, ok := e.info.Uses[n].(*types.Func); ok {
				s.names = s.names || httpmodel.SetsDedup(fn.Name())
				if d := e.index.Decl(fn); d != nil && d != decl {
					s.callees = append(s.callees, d)
				} else if d == decl {
					s.loops = true
				}
			}
			if v, ok := e.info.Uses[n].(*types.Var); ok && v.IsField() {
				s.names = s.names || httpmodel.IsDedupName(v.Name()) || e.index.KeyTag(v, httpmodel.IsDedupName)
			}
			if t, ok := e.info.Uses[n].(*types.TypeName); ok {
				s.names = s.names || httpmodel.IsDedupName(t.Name())
			}
			if c, ok := e.info.Uses[n].(*types.Const); ok && c.Val().Kind() == constant.String {
				s.names = s.names || httpmodel.IsDedupName(trimQuotes(c.Val().ExactString()))
			}
		case *ast.BasicLit:
			s.names = s.names || len(n.Value) < 4096 && httpmodel.NamesDedup(trimQuotes(n.Value))
		}
		return true
	})
	sig, _ := e.info.Defs[decl.Name].(*types.Func)
	if sig != nil {
		for _, tuple := range []*types.Tuple{sig.Signature().Params(), sig.Signature().Results()} {
			for v := range tuple.Variables() {
				s.asks = s.asks || isTold(v.Type())
			}
		}
	}
	return s
}

// mayCall returns the functions of the package that a call of fn may call.
func (e *engine) mayCall(fn *types.Func) (decls []*ast.FuncDecl) {
	if d := e.index.Decl(fn); d != nil {
		return []*ast.FuncDecl{d}
	}
	if fn != nil && fn.Pkg() == e.pass.Pkg {
		for _, m := range e.index.Implementations(fn) {
			decls = append(decls, e.index.Decl(m))
		}
	}
	return decls
}

// conjuncts returns the conditions that && joins to cond, and cond.
func conjuncts(cond ast.Expr) []ast.Expr {
	cond = ast.Unparen(cond)
	if b, ok := cond.(*ast.BinaryExpr); ok && b.Op == token.LAND {
		return append(append(conjuncts(b.X), conjuncts(b.Y)...), cond)
	}
	return []ast.Expr{cond}
}

// identifies reports whether a value of type t that is sent tells the server what it
// is by a key or an ID; or may, as the package gives IDs to what it sends.
func (e *engine) identifies(t types.Type, depth int) bool {
	if t == nil || depth > 4 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return e.identifies(u.Elem(), depth+1)
	case *types.Slice:
		if depth > 0 && typeset.IsNamed(t, "encoding/json", "RawMessage") {
			return e.givesIDs()
		}
		return e.identifies(u.Elem(), depth+1)
	case *types.Struct:
		if named := typeset.Named(t); named != nil && depth <= 1 && happening.MatchString(named.Obj().Name()) {
			for field := range u.Fields() {
				if strings.EqualFold(field.Name(), "ID") {
					return true
				}
			}
		}
		for i := range u.NumFields() {
			if isIdentity(u, i) || e.identifies(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// happening matches the names of types of what happens once: its ID tells it from all else.
var happening = regexp.MustCompile(`(Event|Delivery)$`)

// hasKeyField reports whether a literal sets a field that is a key by its place.
func (e *engine) hasKeyField(lit *ast.CompositeLit) bool {
	st, ok := typeset.Underlying(e.info, lit).(*types.Struct)
	if !ok || len(lit.Elts) != st.NumFields() {
		return false
	}
	for f := range st.Fields() {
		if httpmodel.IsDedupName(f.Name()) || e.index.KeyTag(f, httpmodel.IsDedupName) {
			return true
		}
	}
	return false
}

// givesIDs reports whether a type of the package has an ID.
func (e *engine) givesIDs() bool {
	scope := e.pass.Pkg.Scope()
	return slices.ContainsFunc(scope.Names(), func(name string) bool {
		st, ok := scope.Lookup(name).Type().Underlying().(*types.Struct)
		if !ok {
			return false
		}
		for i := range st.NumFields() {
			if isIdentity(st, i) {
				return true
			}
		}
		return false
	})
}

// isIdentity reports whether the i-th field of a struct is sent as a key or an ID.
func isIdentity(st *types.Struct, i int) bool {
	name, _, _ := strings.Cut(reflect.StructTag(st.Tag(i)).Get("json"), ",")
	name = cmp.Or(name, st.Field(i).Name())
	return httpmodel.IsDedupName(name) || httpmodel.IsIdentity(name)
}

// headerName returns the name of the header that call sets on a request, or nil.
func (e *engine) headerName(call *ast.CallExpr, fn *types.Func) ast.Expr {
	if !typeset.IsMethod(fn, httpmodel.NetHTTP, "Header", "Set", "Add", "Get") || len(call.Args) == 0 {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	h, ok := ast.Unparen(sel.X).(*ast.SelectorExpr)
	if !ok || h.Sel.Name != "Header" {
		return nil
	}
	return call.Args[0]
}

// isKeyHeader reports whether a header's name is that of a key, or unknown.
func (e *engine) isKeyHeader(name ast.Expr) bool {
	tv := e.info.Types[name]
	return tv.Value == nil || httpmodel.IsDedupName(trimQuotes(tv.Value.ExactString()))
}

// isTold reports whether a value of type t tells of an attempt, or goes into one.
func isTold(t types.Type) bool {
	return httpmodel.IsError(t) || httpmodel.IsResponse(t) || httpmodel.IsRequest(t) || typeset.IsBool(t) || isReader(t) || typeset.IsInteger(t)
}

// trimQuotes returns the text of a literal.
func trimQuotes(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '`') {
		return s[1 : len(s)-1]
	}
	return s
}

// sendsIn reports whether n sends a request.
func (e *engine) sendsIn(n ast.Node) bool {
	e.scanAll()
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !found {
			fn := typeset.Callee(e.info, call)
			found = e.sendOf(call, fn) != nil || e.imported(fn).sends() ||
				slices.ContainsFunc(e.mayCall(fn), func(d *ast.FuncDecl) bool { return e.scans[d].sends })
		}
		return !found
	})
	return found
}
