package retries

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// find fills in the regions of the package.
func (r *Result) find() {
	for _, file := range r.pass.Files {
		for _, decl := range file.Decls {
			holder, _ := decl.(*ast.FuncDecl)
			if holder != nil && holder.Body != nil {
				if self, ok := r.pass.TypesInfo.Defs[holder.Name].(*types.Func); ok {
					r.findRecursion(holder, holder, self, self.Signature())
				}
			}
			r.visit(holder, decl)
		}
	}
}

// visit adds the regions that n holds, outermost first.
func (r *Result) visit(holder *ast.FuncDecl, root ast.Node) {
	var funcs []ast.Node // that enclose the node at hand
	var stack []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if len(funcs) > 0 && funcs[len(funcs)-1] == last {
				funcs = funcs[:len(funcs)-1]
			}
			return true
		}
		stack = append(stack, n)
		var fn ast.Node
		if len(funcs) > 0 {
			fn = funcs[len(funcs)-1]
		}
		switch n := n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			funcs = append(funcs, n)
			r.findJob(holder, n)
		case *ast.BlockStmt:
			r.findAgain(holder, fn, n.List)
		case *ast.CaseClause:
			r.findAgain(holder, fn, n.Body)
		case *ast.ForStmt, *ast.RangeStmt:
			if fn != nil {
				r.findLoop(holder, fn, n)
			}
		case *ast.LabeledStmt:
			if fn != nil && r.jumpsBack(fn, n) {
				r.findLoop(holder, fn, n)
			}
		case *ast.CallExpr:
			r.findCallback(holder, n)
			r.findHookCall(holder, root, n)
			r.findBelow(holder, n)
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					v := typeset.VarOf(r.pass.TypesInfo, lhs)
					r.findHookField(holder, n, v, lhs, n.Rhs[i])
					if lit, ok := ast.Unparen(n.Rhs[i]).(*ast.FuncLit); ok && v != nil {
						if sig, ok := r.pass.TypesInfo.TypeOf(lit).(*types.Signature); ok {
							r.findRecursion(holder, lit, v, sig)
						}
					}
				}
			}
		case *ast.CompositeLit:
			r.findHooksIn(holder, n)
		}
		return true
	})
}

// add adds a region and fills in what all have.
func (r *Result) add(g *Region) {
	for _, old := range r.regions {
		if old.Node == g.Node && old.Kind == g.Kind && old.At == g.At {
			return
		}
	}
	if g.Counters == nil {
		g.Counters = make(map[*types.Var]bool)
	}
	if g.Items == nil {
		g.Items = make(map[*types.Var]bool)
	}
	r.addCounters(g)
	r.addItems(g)
	r.regions = append(r.regions, g)
}

// jumpsBack reports whether a goto after the label leads to it.
func (r *Result) jumpsBack(fn ast.Node, label *ast.LabeledStmt) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO && b.Label != nil && b.Pos() > label.Pos() &&
			r.pass.TypesInfo.Uses[b.Label] == r.pass.TypesInfo.Defs[label.Label] {
			found = true
		}
		return !found
	})
	return found
}

// findLoop adds the region of a loop if it is a retry, or puts back what it takes.
func (r *Result) findLoop(holder *ast.FuncDecl, fn, loop ast.Node) {
	if queued := r.requeued(fn, loop); queued != nil {
		r.add(&Region{Kind: Requeue, Node: loop, Func: fn, Holder: holder, At: loop, By: "the queue", Queued: queued})
		return
	}
	p := r.follow(fn, loop, nil)
	if p == nil || !p.isRetry() {
		return
	}
	g := &Region{Kind: Loop, Node: loop, Func: fn, Holder: holder, At: loop, By: "the loop"}
	if _, ok := loop.(*ast.LabeledStmt); ok {
		g.Kind, g.By = Goto, "goto"
	}
	for place, v := range p.exits {
		ret, _ := place.(*ast.ReturnStmt)
		g.Exits = append(g.Exits, Exit{ret, v == failed})
	}
	r.add(g)
}

// findRecursion adds the region of fn, of the type sig, if it calls itself on
// failure: by its name, or by the variable that holds it.
func (r *Result) findRecursion(holder *ast.FuncDecl, fn ast.Node, self types.Object, sig *types.Signature) {
	info := r.pass.TypesInfo
	calls := callsOf(info, fn, self)
	if len(calls) == 0 {
		return
	}
	p := r.follow(fn, nil, self)
	if p == nil || !p.isRetry() {
		return
	}
	g := &Region{
		Kind: Recursion, Node: fn, Func: fn, Holder: holder, At: calls[0], By: self.Name(),
		Counters: make(map[*types.Var]bool), Items: make(map[*types.Var]bool),
	}
	r.addArguments(g, calls, sig)
	r.add(g)
}

// addArguments adds the parameters of a function of the type sig, which calls itself, that
// are another thing in each call, or count them.
func (r *Result) addArguments(g *Region, calls []*ast.CallExpr, sig *types.Signature) {
	info := r.pass.TypesInfo
	for _, call := range calls {
		for i := range min(sig.Params().Len(), len(call.Args)) {
			param := sig.Params().At(i)
			switch arg := ast.Unparen(call.Args[i]).(type) {
			case *ast.Ident:
				if info.Uses[arg] != param && !isAmbient(param.Type()) {
					g.Items[param] = true
				}
			case *ast.BinaryExpr:
				if typeset.VarOf(info, arg.X) == param && typeset.IsInteger(param.Type()) {
					g.Counters[param] = true
				} else if !isAmbient(param.Type()) {
					g.Items[param] = true
				}
			default:
				if !isAmbient(param.Type()) {
					g.Items[param] = true
				}
			}
		}
	}
}

// isAmbient reports whether a value of type t is no part of what is sent: a
// context, a time to wait, an error.
func isAmbient(t types.Type) bool {
	return typeset.IsNamed(t, "context", "Context") || typeset.IsNamed(t, "time", "Duration") || typeset.IsNamed(t, "time", "Time") ||
		typeset.IsNamed(t, "time", "Timer") || typeset.IsNamed(t, "time", "Ticker") ||
		httpmodel.IsError(t) || httpmodel.IsResponse(t) || types.Identical(t.Underlying(), types.Typ[types.Bool])
}

// addCounters adds the variables that count the rounds of g: those that it, or the
// head of its loop, increments or decrements, and the number that a range yields.
func (r *Result) addCounters(g *Region) {
	info := r.pass.TypesInfo
	if rng, ok := g.Node.(*ast.RangeStmt); ok && rng.Key != nil {
		t := typeset.Underlying(info, rng.X)
		_, isFunc := t.(*types.Signature)
		if v := typeset.VarOf(info, rng.Key); v != nil && (typeset.IsInteger(t) || isFunc && typeset.IsInteger(v.Type())) {
			g.Counters[v] = true
		}
	}
	ast.Inspect(g.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return n == g.Node || !isLoopOver(info, n)
		case *ast.IncDecStmt:
			r.count(g, n.X)
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN {
				if info.Types[n.Rhs[0]].Value != nil {
					r.count(g, n.Lhs[0])
				}
			}
		}
		return true
	})
	fn, ok := g.Node.(*ast.FuncLit)
	if ok && (g.Kind == Callback || g.Kind == Hook) {
		for _, field := range fn.Type.Params.List {
			for _, name := range field.Names {
				if v, ok := info.Defs[name].(*types.Var); ok && typeset.IsInteger(v.Type()) && !typeset.IsNamed(v.Type(), "time", "Duration") {
					g.Counters[v] = true
				}
			}
		}
	}
}

// isLoopOver reports whether n is a loop over the items of a collection.
func isLoopOver(info *types.Info, n ast.Node) bool {
	rng, ok := n.(*ast.RangeStmt)
	return ok && !typeset.IsInteger(typeset.Underlying(info, rng.X))
}

// count makes a counter of the integer variable e.
func (r *Result) count(g *Region, e ast.Expr) {
	if v := typeset.VarOf(r.pass.TypesInfo, e); v != nil && typeset.IsInteger(v.Type()) && !typeset.IsNamed(v.Type(), "time", "Duration") {
		g.Counters[v] = true
	}
}
