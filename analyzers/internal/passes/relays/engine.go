package relays

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/cfg"
)

// An origin is what a response comes from: a call, or a parameter of the function
// that is run.
type origin struct {
	call *ast.CallExpr
	at   token.Pos // where the request is sent, if a helper of this package does it
	ref  ref       // if call is nil
}

// A ref names a parameter of a function, or a field of one. The receiver counts as
// a parameter, the first.
type ref struct {
	Param int
	Path  string
}

// A sending is a call, or a return of a reply, that sends data of an origin to a client.
type sending struct {
	call   ast.Node
	at     token.Pos // where it is sent, in a helper of this package
	origin int
	client int // the parameter that is the client, or ownParam
	kind   kind
	answer answer
	by     ast.Expr // what set the answer, if that is known
	wrote  bool
}

// A giving is a call of a parameter, a function, with something of an origin, or with
// an own client that is a parameter.
type giving struct {
	param, arg int
	from       ref
	kind       kind
	fetch      token.Pos
}

// An engine runs one function.
type engine struct {
	*checker
	node      ast.Node // *ast.FuncDecl or *ast.FuncLit
	params    []*types.Var
	origins   []origin
	sent      []sending
	given     []giving
	yields    map[*types.Var]value            // what iterators call their parameter with
	holders   map[ast.Node]map[*types.Var]int // see hold
	exits     []exit
	sum       *summary       // see summaryOf
	asked     map[string]int // conditions that can be told apart, and how often they are asked
	loops     []ast.Node
	pipes     map[*types.Var]*types.Var // the reading end of an io.Pipe, by the writing end
	companies map[*types.Var]int        // see company
	running   []ast.Node                // literals and the function, from the outermost
	record    bool                      // whether what is sent counts: the states are final
	steps     int
	lost      bool
}

// An exit is a way out of a function.
type exit struct {
	world   *world
	results []value
}

// engineOf returns the engine that has run a function, or nil if nothing is known.
func (c *checker) engineOf(node ast.Node) *engine {
	e, ok := c.ran[node]
	if ok {
		return e
	}
	c.ran[node] = nil
	c.active = append(c.active, node)
	defer func() { c.active = c.active[:len(c.active)-1] }()
	e = c.newEngine(node)
	if entry := e.entry(); !e.lost {
		e.record = true
		e.exits = e.run(node, entry)
		e.noteLater()
	}
	if e.lost {
		return nil
	}
	c.ran[node] = e
	return e
}

// newEngine returns an engine for a function, which has not run it yet.
func (c *checker) newEngine(node ast.Node) *engine {
	e := &engine{checker: c, node: node, params: c.paramsOf(node), asked: make(map[string]int), pipes: make(map[*types.Var]*types.Var), holders: make(map[ast.Node]map[*types.Var]int), yields: make(map[*types.Var]value)}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			e.loops = append(e.loops, n)
		case *ast.IfStmt:
			e.countConds(n.Cond)
		case *ast.AssignStmt:
			if len(n.Lhs) != 2 || len(n.Rhs) != 1 {
				break
			}
			if call, ok := n.Rhs[0].(*ast.CallExpr); ok && typeset.IsFunc(typeset.Callee(c.info, call), "io", "Pipe") {
				e.pipes[typeset.VarOf(c.info, n.Lhs[1])] = typeset.VarOf(c.info, n.Lhs[0])
			}
		}
		return true
	})
	return e
}

// noteLater records what was sent while the status could still be set, if it never was.
func (e *engine) noteLater() {
	for _, x := range e.exits {
		if n := len(x.results); n > 0 && x.results[n-1].has(problem) {
			continue // that is answered instead
		}
		for _, l := range x.world.later {
			if !x.world.hasLooked(l.origin) {
				s := *l
				s.answer, s.by = x.world.answer, x.world.by
				e.note(s)
			}
		}
	}
}

// paramsOf returns the receiver and the parameters of a function.
func (c *checker) paramsOf(node ast.Node) (params []*types.Var) {
	sig := typeset.SignatureOf(c.info, node)
	if sig == nil {
		return nil
	}
	if recv := sig.Recv(); recv != nil {
		params = append(params, recv)
	}
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	return params
}

// entry returns the world at the start of the function: each parameter may hold
// anything.
func (e *engine) entry() *world {
	w := new(world)
	for i, v := range e.params {
		w.put(v, e.paramValue(ref{i, ""}, v.Type()))
	}
	return w
}

// paramValue returns what a parameter of type t, or a field of one, may hold.
func (e *engine) paramValue(r ref, t types.Type) value {
	k := body
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.Int:
			k = status
		case u.Info()&types.IsString == 0:
			return nil
		}
	case *types.Signature, *types.Chan:
		return nil
	}
	switch {
	case httpmodel.IsError(t), typeset.IsNamed(t, "context", "Context"), httpmodel.IsRequest(t), typeset.IsNamed(t, "testing", "T"):
		return nil
	case httpmodel.IsOwnClient(t) && r.Path != "":
		return value{{"", own, ownParam}}
	case httpmodel.IsOwnClient(t), types.IsInterface(t) && hasMethod(t, "Write") && !hasMethod(t, "Read"):
		return value{{"", own, r.Param}}
	case httpmodel.IsUpstream(t):
		k = response
	case typeset.IsNamed(t, httpmodel.NetHTTP, "Client"):
		return nil
	}
	return value{{"", k, e.originOf(origin{ref: r})}}
}

// hasMethod reports whether t has a method of that name.
func hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// originOf returns the number of o.
func (e *engine) originOf(o origin) int {
	i := slices.IndexFunc(e.origins, func(x origin) bool { return x.call == o.call && x.ref == o.ref })
	if i < 0 {
		i = len(e.origins)
		e.origins = append(e.origins, o)
		if i >= maxOrigins {
			e.lost = true
			return 0
		}
	}
	return i
}

// run runs the body of a function from the world entry, and returns its exits.
func (e *engine) run(node ast.Node, entry *world) []exit {
	var g *cfg.CFG
	var fnBody *ast.BlockStmt
	switch node := node.(type) {
	case *ast.FuncDecl:
		g, fnBody = e.cfgs.FuncDecl(node), node.Body
	case *ast.FuncLit:
		g, fnBody = e.cfgs.FuncLit(node), node.Body
	}
	if g == nil || e.lost || len(e.running) >= maxDepth || slices.Contains(e.running, node) {
		return nil
	}
	e.running = append(e.running, node)
	defer func() { e.running = e.running[:len(e.running)-1] }()

	record := e.record
	e.record = false
	solved := flow.Solve(g, fnBody, stateOf([]*world{entry.clone()}), flow.Problem[state](e))
	e.record = record
	if solved == nil {
		e.lost = true
		return nil
	}
	var exits []exit
	for _, b := range g.Blocks {
		s, ok := solved.In(b)
		if !ok {
			continue
		}
		if s.lost {
			e.lost = true
			return nil
		}
		for _, w := range s.worlds {
			w := w.clone()
			var results []value
			for _, n := range b.Nodes {
				if ret, ok := n.(*ast.ReturnStmt); ok {
					results = e.returned(w, node, ret)
				} else {
					e.exec(w, n)
				}
			}
			if len(b.Succs) == 0 {
				w.looked |= w.defers
				exits = append(exits, exit{w, results})
			}
		}
	}
	return exits
}

// returned returns the results of a return statement.
func (e *engine) returned(w *world, fn ast.Node, ret *ast.ReturnStmt) (results []value) {
	if len(ret.Results) > 0 {
		results = e.tuple(w, ret.Results)
		for i, x := range ret.Results { // return v, Decode(v)
			if root, path := e.place(x); root != nil {
				results[i] = results[i].join(w.held[root].at(path))
			}
		}
	}
	sig := typeset.SignatureOf(e.info, fn)
	for v := range sig.Results().Variables() {
		if len(ret.Results) == 0 {
			results = append(results, w.held[v])
		}
	}
	for i, v := range slices.Collect(sig.Results().Variables()) {
		if httpmodel.IsReply(v.Type()) && !nth(results, len(results)-1).has(problem) {
			s := sending{call: ret, client: ownParam, answer: e.answerOf(w, nth(results, i).at(".StatusCode"))}
			e.send(w, s, nth(results, i).at(".Body"))
		}
	}
	return results
}

// tuple evaluates a list of expressions, or the one call that gives as many values.
func (e *engine) tuple(w *world, list []ast.Expr) (values []value) {
	if len(list) == 1 {
		if call, ok := ast.Unparen(list[0]).(*ast.CallExpr); ok {
			return e.call(w, call)
		}
	}
	for _, x := range list {
		values = append(values, e.eval(w, x))
	}
	return values
}

// Join implements flow.Problem.
func (e *engine) Join(x, y state) state {
	if x.lost || y.lost {
		return state{lost: true}
	}
	return stateOf(slices.Concat(x.worlds, y.worlds))
}

// Equal implements flow.Problem.
func (e *engine) Equal(x, y state) bool {
	return x.lost == y.lost && slices.EqualFunc(x.worlds, y.worlds, func(x, y *world) bool { return x == y || x.id() == y.id() })
}

// each returns the state of what f makes of copies of the worlds of s; f reports
// whether the path goes on.
func (e *engine) each(s state, f func(w *world) bool) state {
	if s.lost || e.lost {
		return state{lost: true}
	}
	var out []*world
	same := true
	for _, old := range s.worlds {
		w := old.clone()
		if !f(w) {
			same = false
			continue
		}
		if w.unchanged(old) {
			w = old
		} else {
			same = false
		}
		out = append(out, w)
	}
	if same {
		return s
	}
	return stateOf(out)
}

// Node implements flow.Problem.
func (e *engine) Node(s state, n ast.Node) state {
	return e.each(s, func(w *world) bool {
		if e.steps++; e.steps > maxSteps {
			e.lost = true
		}
		e.exec(w, n)
		return true
	})
}

// Edge implements flow.EdgeProblem: it gives the variables of a range their values.
func (e *engine) Edge(s state, from, to *cfg.Block) state {
	loop, ok := to.Stmt.(*ast.RangeStmt)
	if !ok || to.Kind != cfg.KindRangeBody || from.Kind != cfg.KindRangeLoop {
		return s
	}
	return e.each(s, func(w *world) bool {
		v := e.element(e.peek(w, loop.X))
		if t := e.info.TypeOf(loop.X); t != nil {
			if _, ok := t.Underlying().(*types.Chan); ok || loop.Value == nil {
				e.assign(w, loop.Key, v)
				return true
			}
		}
		e.assign(w, loop.Key, nil)
		e.assign(w, loop.Value, v)
		return true
	})
}

// element returns what an element of v, which is ranged over, holds.
func (e *engine) element(v value) value {
	var out value
	for _, h := range v {
		switch {
		case h.path == "" && h.kind == body:
			h.kind = piece
		case h.path == "" && h.kind == decoded:
			h.kind = part
		}
		out = append(out, h)
	}
	return valueOf(out).at("").join(v.at(anyElement))
}

// anyElement is the path of the elements of a slice or map.
const anyElement = ".*"
