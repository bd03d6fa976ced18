package keyflow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A tracer follows one round of a region, or one call of a function.
type tracer struct {
	*checker
	fn       ast.Node             // whose graph is followed
	region   *retries.Region      // nil for a call
	body     ast.Node             // the region's node, or the function
	params   map[*types.Var]int   // of a call: the bits of parameters
	assigned map[place]bool       // places that body assigns
	ifs      []*ast.IfStmt        // of body
	lits     []*litFrame          // function literals being followed, outermost first
	depth    int                  // of calls of function literals
	summary  *summary             // of a call
	rounds   map[*cfg.Block]state // with which a round of a loop ends, by place
	renewed  map[place]value      // places outside that each round leaves a new value in
	final    bool                 // the states are final: findings count
	findings []*Finding
}

// A litFrame collects what a function literal returns and does to its parameters.
type litFrame struct {
	lit     *ast.FuncLit
	results []value
	key     origin // of the keys that it sets on its parameters
}

func (c *checker) newTracer(fn ast.Node, g *retries.Region) *tracer {
	t := &tracer{checker: c, fn: fn, region: g, body: fn, assigned: make(map[place]bool), rounds: make(map[*cfg.Block]state)}
	if g != nil {
		t.body = g.Node
	}
	ast.Inspect(t.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if p, ok := c.placeOf(lhs); ok {
					t.assigned[p] = true
				}
			}
		case *ast.IncDecStmt:
			if p, ok := c.placeOf(n.X); ok {
				t.assigned[p] = true
			}
		case *ast.IfStmt:
			t.ifs = append(t.ifs, n)
		}
		return true
	})
	return t
}

// run follows the graph, twice: for its solution, and for what there is to find.
func (t *tracer) run() {
	g, body := t.retries.CFG(t.fn)
	if g == nil {
		return
	}
	entry := state{in: t.region == nil || t.body == t.fn}
	result := flow.Solve(g, body, entry, t)
	if result != nil && t.findRenewed() {
		result = flow.Solve(g, body, entry, t)
	}
	if result == nil {
		return
	}
	t.final = true
	t.replay(g, result)
}

// findRenewed notes the places outside of the region that each round leaves a
// value in which it made, for the next. It reports whether there are any.
func (t *tracer) findRenewed() bool {
	var end *state
	for _, s := range t.rounds {
		if end != nil {
			s = t.Join(*end, s)
		}
		end = &s
	}
	if end == nil || t.renewsOnConflict() {
		return false
	}
	renewed := make(map[place]value)
	for p, v := range end.vars {
		if v.raw.flags == made && !v.raw.site.count && !t.isInside(p.root) {
			renewed[p] = value{raw: v.raw}
		}
	}
	t.renewed = renewed
	return len(renewed) > 0
}

// conflict matches the names by which a server's refusal of a key is told.
var conflict = regexp.MustCompile(`(?i)conflict|duplicate|idem|replay|reused?|mismatch|exists`)

// renewsOnConflict reports whether a condition of the region asks whether the key
// was refused: then another one is right.
func (t *tracer) renewsOnConflict() bool {
	found := false
	ask := func(e ast.Node) {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				found = found || conflict.MatchString(id.Name)
			}
			return !found
		})
	}
	ast.Inspect(t.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			ask(n.Cond)
		case *ast.CaseClause:
			for _, e := range n.List {
				ask(e)
			}
		}
		return !found
	})
	return found
}

// replay visits each block once more, in its final state.
func (t *tracer) replay(g *cfg.CFG, result *flow.Result[state]) {
	for _, b := range g.Blocks {
		if s, ok := result.In(b); ok {
			for _, n := range b.Nodes {
				s = t.Node(s, n)
			}
		}
	}
}

func (t *tracer) Equal(x, y state) bool { return x.equal(y) }

func (t *tracer) Join(x, y state) state {
	if x.equal(y) {
		return x
	}
	w := work{state: state{in: x.in || y.in, vars: x.vars}}
	for p, v := range x.vars {
		w.set(p, v.with(t.lookup(&work{state: y}, p)))
	}
	for p, v := range y.vars {
		if _, ok := x.vars[p]; !ok {
			w.set(p, v.with(t.lookup(&work{state: x}, p)))
		}
	}
	for _, g := range x.gates {
		if slices.Contains(y.gates, g) {
			w.gates = append(w.gates, g)
		}
	}
	return w.state
}

// Edge starts the round where the region is a loop, and ends it.
func (t *tracer) Edge(s state, from, to *cfg.Block) state {
	if t.region == nil || len(t.lits) > 0 || to.Stmt == nil || ast.Node(to.Stmt) != t.region.Node {
		return s
	}
	start := cfg.KindForBody
	if loop, ok := to.Stmt.(*ast.ForStmt); ok && loop.Cond != nil {
		start = cfg.KindForLoop
	}
	switch to.Kind {
	case cfg.KindRangeLoop:
		if s.in {
			t.rounds[from] = s
		}
		return state{}
	case start, cfg.KindRangeBody, cfg.KindLabel:
		if s.in {
			t.rounds[from] = s
		}
		return state{in: true}
	case cfg.KindForDone, cfg.KindRangeDone:
		return state{}
	}
	return s
}

// Branch adds what a condition says to the gates.
func (t *tracer) Branch(s state, cond ast.Expr, truth bool) (state, bool) {
	if !s.in {
		return s, true
	}
	var more []gate
	if root, ok := t.asksForKey(cond); ok {
		more = append(more, gate{cond, truth, root, root != nil && t.lookup(&work{state: s}, place{root, ""}).born})
	} else if !t.isHead(cond) && t.isGate(cond, truth) {
		more = append(more, gate{cond: cond, truth: truth})
	}
	for _, g := range more {
		if !slices.Contains(s.gates, g) {
			s.gates = append(slices.Clip(s.gates), g)
		}
	}
	return s, true
}

// isHead reports whether cond is of the head of the region's loop.
func (t *tracer) isHead(cond ast.Expr) bool {
	if t.region == nil {
		return false
	}
	loop, ok := t.region.Node.(*ast.ForStmt)
	return ok && loop.Cond != nil && within(loop.Cond, cond)
}

// asksForKey reports whether cond depends on whether an object has a key, and
// which: r.Header.Get("Idempotency-Key") == "", in.ClientToken == nil.
func (t *tracer) asksForKey(cond ast.Expr) (root *types.Var, ok bool) {
	ast.Inspect(cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, arg := range n.Args {
				if name, isConst := stringConst(t.info, arg); isConst && t.names.IsHeader(name) {
					root, ok = typeset.Root(t.info, recvOf(n)), true
				}
			}
		case *ast.IndexExpr:
			if name, isConst := stringConst(t.info, n.Index); isConst && t.names.IsHeader(name) {
				root, ok = typeset.Root(t.info, n.X), true
			}
		case *ast.SelectorExpr:
			if v := typeset.VarOf(t.info, n); v != nil && v.IsField() && t.isKeyField(v) {
				root, ok = typeset.Root(t.info, n.X), true
			}
		case *ast.Ident: // _, ok := h["Idempotency-Key"]; if !ok
			if v, isVar := t.info.Uses[n].(*types.Var); isVar && !ok && !v.IsField() && t.isInside(v) {
				if def := t.tupleDef(v); def != nil {
					root, ok = t.asksForKey(def)
				}
			}
		}
		return !ok
	})
	return root, ok
}

// recvOf returns what a method is called on, or the first argument of a function.
func recvOf(call *ast.CallExpr) ast.Expr {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return sel.X
	}
	return call.Args[0]
}

// tupleDef returns the expression of which v, a local variable, is the value, if
// it is assigned once.
func (t *tracer) tupleDef(v *types.Var) (def ast.Expr) {
	n := 0
	ast.Inspect(t.body, func(node ast.Node) bool {
		if assign, ok := node.(*ast.AssignStmt); ok && assign.Tok == token.DEFINE {
			for i, lhs := range assign.Lhs {
				if id, ok := lhs.(*ast.Ident); ok && t.info.Defs[id] == v {
					n++
					def = assign.Rhs[min(i, len(assign.Rhs)-1)]
				}
			}
		}
		return true
	})
	if n != 1 {
		return nil
	}
	return def
}

// isGate reports whether it is the same in no two rounds that cond is truth: it
// asks for the first attempt, or for what an earlier round left.
func (t *tracer) isGate(cond ast.Expr, truth bool) bool {
	if t.isFirst(cond, truth) {
		return true
	}
	gate := false
	ast.Inspect(cond, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || gate {
			return false
		}
		p, ok := t.placeOf(e)
		if !ok || t.isInside(p.root) && !t.isQueued(p.root) || !t.assigned[p] && !(t.isQueued(p.root) && p.path != "") {
			return true
		}
		switch u := t.info.TypeOf(e).Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map:
			gate = !httpmodel.IsResponse(t.info.TypeOf(e))
		case *types.Basic:
			gate = u.Info()&types.IsString != 0 || u.Info()&types.IsBoolean != 0 && t.armSets(cond, p)
		}
		return true
	})
	return gate
}

// armSets reports whether the if statement of cond assigns p.
func (t *tracer) armSets(cond ast.Expr, p place) bool {
	for _, stmt := range t.ifs {
		if stmt.Cond.Pos() <= cond.Pos() && cond.End() <= stmt.Cond.End() {
			sets := false
			ast.Inspect(stmt.Body, func(n ast.Node) bool {
				if assign, ok := n.(*ast.AssignStmt); ok {
					for _, lhs := range assign.Lhs {
						if q, ok := t.placeOf(lhs); ok && q == p {
							sets = true
						}
					}
				}
				return !sets
			})
			return sets
		}
	}
	return false
}

// isFirst reports whether cond says, if it is truth, that this is the first
// attempt.
func (t *tracer) isFirst(cond ast.Expr, truth bool) bool {
	if t.region == nil {
		return false
	}
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	v := typeset.VarOf(t.info, b.X)
	value := t.info.Types[b.Y].Value
	if v == nil || !t.region.Counters[v] || value == nil || value.Kind() != constant.Int {
		return false
	}
	n, _ := constant.Int64Val(value)
	switch b.Op {
	case token.EQL:
		return truth && n <= 1
	case token.NEQ:
		return !truth && n <= 1
	case token.LSS:
		return truth && n <= 2
	case token.LEQ:
		return truth && n <= 1
	case token.GTR:
		return !truth && n <= 1
	case token.GEQ:
		return !truth && n <= 2
	}
	return false
}

// isInside reports whether v is declared in what is followed.
func (t *tracer) isInside(v *types.Var) bool {
	if _, ok := t.params[v]; ok {
		return false
	}
	if t.region != nil && t.region.Kind == retries.Recursion && t.isParam(v) {
		return false
	}
	return t.body.Pos() <= v.Pos() && v.Pos() < t.body.End()
}

// isParam reports whether v is a parameter, or the receiver, of the function at
// hand.
func (t *tracer) isParam(v *types.Var) bool {
	body := token.NoPos
	switch fn := t.fn.(type) {
	case *ast.FuncDecl:
		body = fn.Body.Pos()
	case *ast.FuncLit:
		body = fn.Body.Pos()
	}
	return t.fn.Pos() <= v.Pos() && v.Pos() < body
}

// isQueued reports whether v holds what comes round again.
func (t *tracer) isQueued(v *types.Var) bool { return t.region != nil && t.region.Queued[v] }

// placeOf returns the place that e denotes: a variable, or a field of one.
func (c *checker) placeOf(e ast.Expr) (place, bool) {
	path := ""
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, ok := c.info.ObjectOf(x).(*types.Var)
			return place{v, path}, ok && x.Name != "_"
		case *ast.SelectorExpr:
			if _, isPkg := c.info.Uses[identOf(x.X)].(*types.PkgName); isPkg {
				v, ok := c.info.Uses[x.Sel].(*types.Var)
				return place{v, path}, ok
			}
			path = "." + x.Sel.Name + path
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return place{}, false
			}
			e = x.X
		default:
			return place{}, false
		}
	}
}

// identOf returns e if it is an identifier, or nil.
func identOf(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}

// initial returns what is known of a place at the start.
func (t *tracer) initial(p place) value {
	if v, ok := t.renewed[p]; ok {
		return v
	}
	if p.path != "" {
		v := t.initial(place{p.root, ""})
		if t.assigned[p] && !t.isInside(p.root) {
			v.raw.flags |= carried
		}
		return v
	}
	if t.region != nil && t.region.Counters[p.root] {
		return value{raw: origin{flags: made, site: t.site(site{siteKey: siteKey{maker: t.region.Node, name: p.root.Name()}, count: true})}}
	}
	if i, ok := t.params[p.root]; ok {
		v := value{raw: origin{raw: 1 << i}}
		if carriesKey(p.root.Type()) {
			v.key = origin{key: 1 << i}
		}
		return v
	}
	if t.isInside(p.root) {
		if t.isQueued(p.root) {
			return value{raw: origin{flags: carried}}
		}
		return value{raw: origin{flags: outside}}
	}
	if t.assigned[p] {
		return value{raw: origin{flags: carried}}
	}
	return value{raw: origin{flags: outside}}
}

// carriesKey reports whether a value of type typ can be an object that carries a
// key.
func carriesKey(typ types.Type) bool {
	switch u := typ.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Slice:
		return carriesKey(u.Elem())
	case *types.Interface:
		return !typeset.IsNamed(typ, "context", "Context")
	}
	return true
}

// lookup returns what is known of a place.
func (t *tracer) lookup(w *work, p place) value {
	if v, ok := w.vars[p]; ok {
		return v
	}
	if p.path != "" {
		if v, ok := w.vars[place{p.root, ""}]; ok {
			return v
		}
	}
	return t.initial(p)
}

// Node follows one statement or expression.
func (t *tracer) Node(s state, n ast.Node) state {
	if !s.in {
		return s
	}
	w := &work{state: s}
	switch n := n.(type) {
	case *ast.AssignStmt:
		t.assignStmt(w, n)
	case *ast.ValueSpec:
		t.valueSpec(w, n)
	case *ast.ReturnStmt:
		t.returnStmt(w, n)
	case *ast.SendStmt:
		v := t.eval(w, n.Value)
		t.sent(w, n, v.key, n.Value)
	case *ast.ExprStmt:
		t.eval(w, n.X)
	case *ast.GoStmt:
		t.eval(w, n.Call)
	case *ast.DeferStmt:
		t.eval(w, n.Call)
	case ast.Expr:
		t.eval(w, n)
	}
	return w.state
}

func (t *tracer) assignStmt(w *work, n *ast.AssignStmt) {
	if len(n.Lhs) == len(n.Rhs) {
		values := make([]value, len(n.Rhs))
		for i, rhs := range n.Rhs {
			values[i] = t.eval(w, rhs)
		}
		for i, lhs := range n.Lhs {
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				values[i] = values[i].with(t.eval(w, lhs))
				values[i].raw.flags &^= outside
			}
			t.assign(w, lhs, values[i], n.Rhs[i])
		}
		return
	}
	values := t.evalMulti(w, n.Rhs[0], len(n.Lhs))
	for i, lhs := range n.Lhs {
		t.assign(w, lhs, values[i], nil)
	}
}

func (t *tracer) valueSpec(w *work, n *ast.ValueSpec) {
	switch len(n.Values) {
	case 0:
		for _, name := range n.Names {
			t.assign(w, name, value{raw: origin{flags: outside | zero}, born: true}, nil)
		}
	case len(n.Names):
		for i, name := range n.Names {
			t.assign(w, name, t.eval(w, n.Values[i]), n.Values[i])
		}
	default:
		values := t.evalMulti(w, n.Values[0], len(n.Names))
		for i, name := range n.Names {
			t.assign(w, name, values[i], nil)
		}
	}
}

// assign assigns v, the value of rhs if that is not nil, to lhs.
func (t *tracer) assign(w *work, lhs ast.Expr, v value, rhs ast.Expr) {
	lhs = ast.Unparen(lhs)
	if ix, ok := lhs.(*ast.IndexExpr); ok {
		if name, ok := stringConst(t.info, ix.Index); ok && t.names.IsHeader(name) {
			t.setKey(w, ix.X, v.raw, ix)
			return
		}
	}
	p, ok := t.placeOf(lhs)
	if !ok {
		return
	}
	if _, ok := lhs.(*ast.Ident); ok {
		w.forget(p.root)
		w.set(p, v)
		if lit := litOf(rhs); lit != nil {
			t.assignFields(w, p, lit)
		}
		return
	}
	if star, ok := lhs.(*ast.StarExpr); ok && identOf(star.X) != nil {
		w.set(p, v)
		return
	}
	sel, isField := lhs.(*ast.SelectorExpr)
	if isField {
		if field := typeset.VarOf(t.info, sel); field != nil && t.isKeyField(field) {
			t.setKey(w, sel.X, v.raw, sel)
			w.set(p, v)
			return
		}
		w.set(p, v)
	}
	// Have: a part of an object; it may bring a key with it.
	root := place{p.root, ""}
	whole := t.lookup(w, root)
	if !v.key.none() && v.key.flags|outside != outside {
		whole.key = whole.key.with(v.key)
		w.set(root, whole)
	}
	if _, ok := lhs.(*ast.IndexExpr); ok && v.raw.isMade() && !v.raw.site.count {
		whole.raw = mix(whole, v).raw
		w.set(root, whole)
	}
	if isField && v.raw.flags == made && namesThing(sel.Sel.Name) && !v.raw.site.clock {
		whole.other = v.raw.site
		w.set(root, whole)
	}
}

// litOf returns the composite literal of a struct that e is, or points to, or nil.
func litOf(e ast.Expr) *ast.CompositeLit {
	if e == nil {
		return nil
	}
	if addr, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && addr.Op == token.AND {
		e = addr.X
	}
	lit, _ := ast.Unparen(e).(*ast.CompositeLit)
	return lit
}

// assignFields remembers the fields of a literal that is assigned to p.
func (t *tracer) assignFields(w *work, p place, lit *ast.CompositeLit) {
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				if v, ok := t.info.Uses[id].(*types.Var); ok && v.IsField() {
					w.set(place{p.root, p.path + "." + id.Name}, t.eval(w, kv.Value))
				}
			}
		}
	}
}

// setKey puts a key of the given origin on the object that target denotes; at is
// where the code says so.
func (t *tracer) setKey(w *work, target ast.Expr, raw origin, at ast.Node) {
	root := t.rootOf(target)
	if root == nil {
		return
	}
	p := place{root, ""}
	whole := t.lookup(w, p)
	whole.key = t.keyOf(w, root, whole.born, raw, at)
	w.set(p, whole)
	for _, f := range t.lits { // a function literal that sets the key of its parameter
		if f.lit.Type.Pos() <= root.Pos() && root.Pos() < f.lit.Body.Pos() {
			f.key = f.key.with(whole.key)
		}
	}
	if t.region != nil && len(t.lits) == 0 && t.region.Node == t.fn && t.isParam(root) {
		t.sent(w, at, whole.key) // what repeats the region uses what it gave
	}
	if i, ok := t.params[root]; ok && t.summary != nil && t.final {
		if _, again := t.summary.params[i]; again {
			whole.key = whole.key.with(t.summary.params[i])
		}
		t.summary.params[i] = whole.key
	}
}

// keyOf returns the origin of a key of the given origin that is set at a place,
// on the object root, made in this round if born.
func (t *tracer) keyOf(w *work, root *types.Var, born bool, raw origin, at ast.Node) origin {
	key := raw
	if key.none() {
		key.flags = unknown
	}
	if raw.site != nil {
		s := *raw.site
		s.set = at
		key.site = t.site(s)
	}
	if key.flags&made == 0 {
		return key
	}
	for _, g := range w.gates {
		switch {
		case g.root == nil && g.cond != nil:
			if _, asks := t.asksForKey(g.cond); !asks {
				key.flags |= unknown
				continue
			}
			key.flags |= unknown // asked, of what cannot be told
		case g.root == root && born, g.root != root && g.born:
			// The object is new: it has no key to keep.
		case g.root != root && born && t.region != nil && !t.assigned[place{g.root, ""}] && !t.setsKeyOn(g.root):
			// Asked of an object that gets no key in the round.
		default:
			i, isParam := t.params[g.root]
			if isParam {
				key.key |= 1 << i
			} else {
				key.flags |= unknown
			}
		}
	}
	return key
}

// setsKeyOn reports whether what is followed may set the key of root: by a field,
// or a map or header that it holds.
func (t *tracer) setsKeyOn(root *types.Var) bool {
	for p := range t.assigned {
		if p.root == root {
			return true
		}
	}
	found := false
	ast.Inspect(t.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		if fn := typeset.Callee(t.info, call); fn != nil && (httpmodel.IsHeaderSetter(fn) || t.names.IsSetter(fn)) {
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && typeset.Root(t.info, sel.X) == root {
				found = true
			}
		}
		return !found
	})
	return found
}

// rootOf returns the variable that target is part of: req in req.Header, and in h
// after h := req.Header.
func (t *tracer) rootOf(target ast.Expr) *types.Var {
	root := typeset.Root(t.info, target)
	if root == nil {
		if call, ok := ast.Unparen(target).(*ast.CallExpr); ok { // req.Header()
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				return t.rootOf(sel.X)
			}
		}
		return nil
	}
	if def := t.index.OnlyDef(root); def != nil {
		if sel, ok := ast.Unparen(def).(*ast.SelectorExpr); ok {
			if v := typeset.Root(t.info, sel); v != nil && v != root && !v.IsField() && isMapOrPointer(root.Type()) {
				return v
			}
		}
	}
	return root
}

// isMapOrPointer reports whether a value of type t stands for what it refers to.
func isMapOrPointer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Pointer:
		return true
	}
	return false
}

func (t *tracer) returnStmt(w *work, n *ast.ReturnStmt) {
	var values []value
	if len(n.Results) == 1 {
		values = t.evalMulti(w, n.Results[0], t.resultCount())
	} else {
		for _, e := range n.Results {
			values = append(values, t.eval(w, e))
		}
	}
	if len(n.Results) == 0 { // named results
		for _, v := range t.namedResults() {
			values = append(values, t.lookup(w, place{v, ""}))
		}
	}
	if k := len(t.lits); k > 0 {
		t.lits[k-1].results = union(t.lits[k-1].results, values)
		return
	}
	switch {
	case t.summary != nil:
		if t.final {
			t.summary.results = union(t.summary.results, values)
		}
	case t.region.Node == t.fn: // what repeats it uses it
		for i, v := range values {
			if i < len(n.Results) {
				t.sent(w, n, v.key, n.Results[i])
			}
		}
	}
}

// resultCount returns the number of results of the function being followed.
func (t *tracer) resultCount() int {
	sig := t.signature()
	if sig == nil {
		return 1
	}
	return sig.Results().Len()
}

// signature returns the type of the function being followed.
func (t *tracer) signature() *types.Signature {
	if k := len(t.lits); k > 0 {
		sig, _ := t.info.TypeOf(t.lits[k-1].lit).(*types.Signature)
		return sig
	}
	switch fn := t.fn.(type) {
	case *ast.FuncLit:
		sig, _ := t.info.TypeOf(fn).(*types.Signature)
		return sig
	case *ast.FuncDecl:
		if obj, ok := t.info.Defs[fn.Name].(*types.Func); ok {
			return obj.Signature()
		}
	}
	return nil
}

// namedResults returns the result variables of the function being followed.
func (t *tracer) namedResults() (vars []*types.Var) {
	if sig := t.signature(); sig != nil {
		for v := range sig.Results().Variables() {
			vars = append(vars, v)
		}
	}
	return vars
}

// union merges the values of two returns. The zero value that goes with an error
// says nothing.
func union(x, y []value) []value {
	if x == nil {
		return slices.Clone(y)
	}
	out := slices.Clone(x)
	for i := range min(len(x), len(y)) {
		switch {
		case y[i].raw.flags&zero != 0 && y[i].key.none():
		case x[i].raw.flags&zero != 0 && x[i].key.none():
			out[i] = y[i]
		default:
			out[i] = x[i].with(y[i])
		}
	}
	return out
}
