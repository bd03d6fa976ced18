package failreach

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A solver finds the facts of the functions of one package.
type solver struct {
	*Result
	info  *types.Info
	decls map[*types.Func]*unit
	lits  map[*ast.FuncLit]*unit
	units []*unit
	roots map[*types.Var]Set            // what a variable was made from
	bound map[*types.Var][]ast.Expr     // functions that a local variable, or a field, may hold
	armed map[*types.Var]bool           // fields that may hold a function that ends a test
	news  map[*unit][]*ast.CompositeLit // what a function returns, if only literals of structs
	other map[*unit]bool                // functions that return something else
	edges map[[2]*unit]bool             // of unit.from
}

// A site is a call.
type site struct {
	call   *ast.CallExpr
	callee *types.Func // or nil
	recv   ast.Expr    // the receiver, of a method's call
	args   []ast.Expr
}

// solve fills in res.local.
func solve(pass *analysis.Pass, res *Result) {
	s := &solver{
		Result: res,
		info:   pass.TypesInfo,
		decls:  make(map[*types.Func]*unit),
		lits:   make(map[*ast.FuncLit]*unit),
		roots:  make(map[*types.Var]Set),
		bound:  make(map[*types.Var][]ast.Expr),
		armed:  make(map[*types.Var]bool),
		news:   make(map[*unit][]*ast.CompositeLit),
		other:  make(map[*unit]bool),
		edges:  make(map[[2]*unit]bool),
	}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && decl.Body != nil {
				s.declare(decl)
			}
		}
	}
	for _, u := range s.units {
		if u.owner == u {
			s.trace(u)
		}
	}
	s.propagate()
	res.lits = s.lits
	for fn, u := range s.decls {
		u.fact.Lends = s.lends(u)
		if u.fact.Soft = s.isSoft(u); u.fact != (reachFact{}) {
			res.local[fn] = u.fact
		}
	}
}

// declare adds the units of a declaration.
func (s *solver) declare(decl *ast.FuncDecl) {
	fn, ok := s.info.Defs[decl.Name].(*types.Func)
	if !ok {
		return
	}
	u := &unit{fn: fn, body: decl.Body}
	u.owner = u
	s.decls[fn] = u
	s.units = append(s.units, u)
	sig := fn.Signature()
	if recv := sig.Recv(); recv != nil {
		s.roots[recv] = receiver
	}
	for i := range sig.Params().Len() {
		s.roots[sig.Params().At(i)] = param(i)
	}
	s.collect(u, decl.Body)
}

// collect adds the calls of u, whose body or part of it is n, and the units of the
// function literals in it.
func (s *solver) collect(u *unit, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			lit := &unit{owner: u.owner, body: n.Body}
			s.lits[n] = lit
			s.units = append(s.units, lit)
			s.collect(lit, n.Body)
			return false
		case *ast.GoStmt:
			// Have: another goroutine, which ends alone. Its function is not u's.
			s.collectGo(u, n.Call)
			return false
		case *ast.CallExpr:
			s.addSite(u, n)
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, lhs := range n.Lhs {
					s.bind(lhs, n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for i, name := range n.Names {
					s.bind(name, n.Values[i])
				}
			}
		case *ast.CompositeLit:
			s.bindFields(n)
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				u.rets = append(u.rets, n.Results[0])
			}
			if len(n.Results) == 0 || u.owner != u {
				break
			}
			if lit := structLit(n.Results[0]); lit != nil {
				s.news[u] = append(s.news[u], lit)
			} else {
				s.other[u] = true
			}
		}
		return true
	})
}

// collectGo adds what is evaluated before a goroutine starts, and the literal that
// it runs as a unit that nobody calls.
func (s *solver) collectGo(u *unit, call *ast.CallExpr) {
	for _, arg := range call.Args {
		s.collect(u, arg)
	}
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		s.collect(u, lit)
	}
}

// addSite adds a call to u.
func (s *solver) addSite(u *unit, call *ast.CallExpr) {
	if tv := s.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return
	}
	st := &site{call: call, args: call.Args}
	if fn, ok := typeutil.Callee(s.info, call).(*types.Func); ok {
		st.callee = fn.Origin()
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && s.info.Selections[sel] != nil {
			st.recv = sel.X
			if s.info.Selections[sel].Kind() == types.MethodExpr && len(call.Args) > 0 {
				st.recv, st.args = call.Args[0], call.Args[1:]
			}
		}
	}
	u.sites = append(u.sites, st)
}

// bind records that a variable or field may hold a function.
func (s *solver) bind(lhs, rhs ast.Expr) {
	var v *types.Var
	switch lhs := ast.Unparen(lhs).(type) {
	case *ast.Ident:
		v, _ = s.info.ObjectOf(lhs).(*types.Var)
	case *ast.SelectorExpr:
		v, _ = s.info.ObjectOf(lhs.Sel).(*types.Var)
	}
	if v != nil && isFunc(v.Type()) {
		s.bound[v.Origin()] = append(s.bound[v.Origin()], rhs)
	}
}

// bindFields records the functions that a literal of a struct puts into fields.
func (s *solver) bindFields(lit *ast.CompositeLit) {
	s.fields(lit, func(field *types.Var, value ast.Expr) {
		if isFunc(field.Type()) {
			s.bound[field.Origin()] = append(s.bound[field.Origin()], value)
		}
	})
}

// fields calls f for each field that a literal of a struct fills.
func (s *solver) fields(lit *ast.CompositeLit, f func(field *types.Var, value ast.Expr)) {
	for i := range lit.Elts {
		if field, value := typeset.Element(s.info, lit, i); field != nil {
			f(field, value)
		}
	}
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// structLit returns the literal in T{...} or &T{...}, or nil.
func structLit(e ast.Expr) *ast.CompositeLit {
	e = ast.Unparen(e)
	if addr, ok := e.(*ast.UnaryExpr); ok && addr.Op == token.AND {
		e = ast.Unparen(addr.X)
	}
	lit, _ := e.(*ast.CompositeLit)
	return lit
}

// trace finds what the local variables of a declaration were made from.
func (s *solver) trace(u *unit) {
	for changed := true; changed; {
		changed = false
		flow := func(lhs ast.Expr, set Set) {
			id, ok := ast.Unparen(lhs).(*ast.Ident)
			if !ok || set == 0 {
				return
			}
			if v, ok := s.info.ObjectOf(id).(*types.Var); ok && s.roots[v]|set != s.roots[v] {
				s.roots[v] |= set
				changed = true
			}
		}
		ast.Inspect(u.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, lhs := range n.Lhs {
					flow(lhs, s.rootsOf(n.Rhs[min(i, len(n.Rhs)-1)]))
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if len(n.Values) > 0 {
						flow(name, s.rootsOf(n.Values[min(i, len(n.Values)-1)]))
					}
				}
			case *ast.RangeStmt:
				set := s.rootsOf(n.X)
				if n.Key != nil {
					flow(n.Key, set)
				}
				if n.Value != nil {
					flow(n.Value, set)
				}
			case *ast.TypeSwitchStmt:
				assign, ok := n.Assign.(*ast.AssignStmt)
				if !ok {
					break
				}
				set := s.rootsOf(assign.Rhs[0])
				for _, clause := range n.Body.List {
					if v, ok := s.info.Implicits[clause].(*types.Var); ok && s.roots[v]|set != s.roots[v] {
						s.roots[v] |= set
						changed = true
					}
				}
			}
			return true
		})
	}
}

// rootsOf returns what the value of e was made from.
func (s *solver) rootsOf(e ast.Expr) (set Set) {
	switch e := e.(type) {
	case *ast.Ident:
		if v, ok := s.info.ObjectOf(e).(*types.Var); ok {
			return s.roots[v]
		}
	case *ast.ParenExpr:
		return s.rootsOf(e.X)
	case *ast.SelectorExpr:
		if s.info.Selections[e] != nil {
			return s.rootsOf(e.X)
		}
	case *ast.StarExpr:
		return s.rootsOf(e.X)
	case *ast.UnaryExpr:
		return s.rootsOf(e.X)
	case *ast.IndexExpr:
		return s.rootsOf(e.X)
	case *ast.SliceExpr:
		return s.rootsOf(e.X)
	case *ast.TypeAssertExpr:
		return s.rootsOf(e.X)
	case *ast.CallExpr:
		if !s.info.Types[e.Fun].IsType() {
			set = s.rootsOf(e.Fun)
		}
		for _, arg := range e.Args {
			set |= s.rootsOf(arg)
		}
	case *ast.CompositeLit:
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			set |= s.rootsOf(elt)
		}
	}
	return set
}

// propagate carries what functions end from callees to callers, until nothing
// changes.
func (s *solver) propagate() {
	queued := make(map[*unit]bool)
	queue := append([]*unit(nil), s.units...)
	for _, u := range queue {
		queued[u] = true
	}
	for len(queue) > 0 {
		u := queue[0]
		queue, queued[u] = queue[1:], false
		fact := u.fact
		for _, st := range u.sites {
			s.apply(u, st, &fact)
		}
		for _, e := range u.rets {
			s.applyMade(u, e, &fact)
		}
		if fact == u.fact {
			continue
		}
		u.fact = fact
		for _, from := range u.from {
			if !queued[from] {
				queued[from] = true
				queue = append(queue, from)
			}
		}
	}
}

// apply adds to fact what a call in u does.
func (s *solver) apply(u *unit, st *site, fact *reachFact) {
	if isGoexit(st.callee) {
		if recv := u.owner.fn.Signature().Recv(); recv != nil && httpmodel.IsTesting(recv.Type()) {
			fact.Ends |= receiver
		}
		return
	}
	if st.callee == nil {
		s.applyValue(u, st.call.Fun, fact)
		return
	}
	callee := s.look(u, st.callee)
	if callee.Ends.Receiver() && st.recv != nil {
		fact.Ends |= s.rootsOf(st.recv)
	}
	if callee.Calls.Receiver() && st.recv != nil {
		fact.Calls |= s.rootsOf(st.recv)
	}
	if callee.Ends|callee.Calls|callee.Armed == 0 {
		return
	}
	params := st.callee.Signature().Params().Len()
	for i, arg := range st.args {
		i = min(i, params-1)
		if callee.Ends.Param(i) {
			fact.Ends |= s.rootsOf(arg)
		}
		if callee.Calls.Param(i) || callee.Armed.Param(i) && structLit(arg) != nil {
			s.applyHeld(u, arg, fact)
		} else if callee.Armed.Param(i) {
			fact.arm(s.rootsOf(arg))
		}
	}
}

// arm adds to f that an armed field of what set holds is called. A method's receiver
// is taken to end its test; a parameter only if its field, at the call, does.
func (f *reachFact) arm(set Set) {
	f.Ends |= set & receiver
	f.Armed |= set &^ receiver
}

// look returns what is known of fn, and has u looked at again when that changes.
func (s *solver) look(u *unit, fn *types.Func) reachFact {
	if callee := s.decls[fn]; callee != nil {
		s.depend(u, callee)
		return callee.fact
	}
	return s.of(fn)
}

// depend has u looked at again when what is known of callee changes.
func (s *solver) depend(u, callee *unit) {
	if key := [2]*unit{callee, u}; !s.edges[key] {
		s.edges[key] = true
		callee.from = append(callee.from, u)
	}
}

// applyHeld adds to fact what calling the functions that arg holds does.
func (s *solver) applyHeld(u *unit, arg ast.Expr, fact *reachFact) {
	if lit := structLit(arg); lit != nil {
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			s.applyHeld(u, elt, fact)
		}
		return
	}
	s.applyValue(u, arg, fact)
}

// applyValue adds to fact what calling the value of e does.
func (s *solver) applyValue(u *unit, e ast.Expr, fact *reachFact) {
	e = ast.Unparen(e)
	switch e := e.(type) {
	case *ast.FuncLit:
		lit := s.lits[e]
		s.depend(u, lit)
		fact.Ends |= lit.fact.Ends
		fact.Calls |= lit.fact.Calls
		fact.Armed |= lit.fact.Armed
		return
	case *ast.Ident:
		if v, ok := s.info.ObjectOf(e).(*types.Var); ok && !v.IsField() {
			for _, value := range s.bound[v] {
				if id, ok := ast.Unparen(value).(*ast.Ident); !ok || s.info.ObjectOf(id) != v {
					s.applyBound(u, value, fact)
				}
			}
		}
	case *ast.SelectorExpr:
		if fn, ok := s.info.ObjectOf(e.Sel).(*types.Func); ok {
			if s.look(u, fn.Origin()).Ends.Receiver() {
				fact.Ends |= s.rootsOf(e.X)
			}
			return
		}
		if field, ok := s.info.ObjectOf(e.Sel).(*types.Var); ok && field.IsField() && s.isArmed(u, field) {
			fact.arm(s.rootsOf(e.X))
		}
	case *ast.CallExpr:
		fact.Ends |= s.madeBy(u, e)
	}
	if t := s.info.TypeOf(e); t != nil && !types.IsInterface(t) {
		fact.Calls |= s.rootsOf(e)
	}
}

// applyBound is applyValue for a value that a local variable holds: one step, so
// that a variable that holds itself ends.
func (s *solver) applyBound(u *unit, value ast.Expr, fact *reachFact) {
	switch ast.Unparen(value).(type) {
	case *ast.FuncLit, *ast.SelectorExpr:
		s.applyValue(u, value, fact)
	}
}

// isArmed reports whether a field may hold a function that ends a test.
func (s *solver) isArmed(u *unit, field *types.Var) bool {
	field = field.Origin()
	if s.armed[field] {
		return true
	}
	for _, value := range s.bound[field] {
		if s.endsAny(u, value) {
			s.armed[field] = true
			return true
		}
	}
	return false
}

// endsAny reports whether value is a function that ends some test.
func (s *solver) endsAny(u *unit, value ast.Expr) bool {
	switch e := ast.Unparen(value).(type) {
	case *ast.FuncLit:
		s.depend(u, s.lits[e])
		return s.lits[e].fact.Ends != 0
	case *ast.SelectorExpr:
		fn, ok := s.info.ObjectOf(e.Sel).(*types.Func)
		return ok && s.look(u, fn.Origin()).Ends.Receiver()
	case *ast.Ident:
		v, ok := s.info.ObjectOf(e).(*types.Var)
		if !ok || v.IsField() {
			return false
		}
		for _, value := range s.bound[v] {
			if lit, ok := ast.Unparen(value).(*ast.FuncLit); ok {
				s.depend(u, s.lits[lit])
				if s.lits[lit].fact.Ends != 0 {
					return true
				}
			}
		}
	}
	return false
}

// isSoft reports whether u returns new structs of which each armed field is filled
// with something harmless, and at least one is.
func (s *solver) isSoft(u *unit) bool {
	if s.other[u] || len(s.news[u]) == 0 {
		return false
	}
	soft := true
	for _, lit := range s.news[u] {
		filled := false
		s.fields(lit, func(field *types.Var, value ast.Expr) {
			if s.armed[field.Origin()] {
				filled = true
				soft = soft && !s.endsAny(u, value)
			}
		})
		soft = soft && filled
	}
	return soft
}
