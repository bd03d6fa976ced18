package neterr

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// An engine knows one function: it follows what its errors may be.
type engine struct {
	*Info
	info *types.Info
	node ast.Node // the *ast.FuncDecl or *ast.FuncLit

	// isCode tells the statuses that are followed; nil for none.
	isCode func(ast.Expr) (int64, bool)

	// own holds the variables that the body declares and that no function
	// literal in it assigns; shared those that one does.
	// captured holds those that one uses.
	own, shared, captured map[*types.Var]bool

	// lastSet holds where each variable is set for the last time, by position.
	lastSet map[*types.Var]token.Pos

	// derived holds the variables, other than errors, that are computed from an
	// error; body those from the body of a request.
	derived, body map[*types.Var]bool

	// contextErr maps the variables that hold ctx.Err() to whether that is all
	// that they hold.
	contextErr map[*types.Var]bool

	// subjects maps the variable of a type switch's clause to what is switched on.
	subjects map[*types.Var]ast.Expr

	// given maps the variable of a select's clause to what it receives, and the value of a
	// range to what is ranged over.
	given map[ast.Expr]ast.Expr

	// sent holds the answers of received.
	sent map[*types.Var]Failure

	// cause is the failure with which the function returns, whatever it says.
	cause token.Pos

	// whys holds the expression at each position in Failure.Why.
	whys map[token.Pos]ast.Expr
}

// newEngine returns the engine of the function node.
func (p *Info) newEngine(node ast.Node) *engine {
	e := &engine{
		Info:     p,
		info:     p.pass.TypesInfo,
		node:     node,
		own:      make(map[*types.Var]bool),
		shared:   make(map[*types.Var]bool),
		captured: make(map[*types.Var]bool),
		lastSet:  make(map[*types.Var]token.Pos),
		derived:  make(map[*types.Var]bool),
		body:     make(map[*types.Var]bool),

		contextErr: make(map[*types.Var]bool),
		subjects:   make(map[*types.Var]ast.Expr),
		given:      make(map[ast.Expr]ast.Expr),
		sent:       make(map[*types.Var]Failure),
		whys:       p.whys,
	}
	_, body := syntax.FuncParts(node)
	e.survey(body, false)
	e.survey(body, false) // a variable derived from one that comes later, in a loop
	for v := range e.shared {
		delete(e.own, v)
	}
	return e
}

// survey fills in what engine knows of variables, whatever the path.
func (e *engine) survey(n ast.Node, inLit bool) {
	assign := func(lhs, rhs []ast.Expr) {
		for i, x := range lhs {
			id, ok := ast.Unparen(x).(*ast.Ident)
			if !ok {
				continue
			}
			v, ok := e.info.ObjectOf(id).(*types.Var)
			if !ok {
				continue
			}
			if e.info.Defs[id] != nil && !inLit {
				e.own[v] = true
			}
			if inLit && e.info.Defs[id] == nil {
				e.shared[v] = true
			}
			e.lastSet[v] = max(e.lastSet[v], id.Pos())
			from := rhs
			if len(lhs) == len(rhs) {
				from = rhs[i : i+1]
			}
			for _, r := range from {
				only, seen := e.contextErr[v]
				e.contextErr[v] = e.isContextErr(r) && (only || !seen)
				if !IsError(v.Type()) && e.mentionsError(r) {
					e.derived[v] = true
				}
				if e.readsRequest(r) {
					e.body[v] = true
				}
			}
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if v, ok := e.info.Uses[n].(*types.Var); ok && inLit {
				e.captured[v] = true
			}
		case *ast.FuncLit:
			if !inLit {
				e.survey(n.Body, true)
				return false
			}
		case *ast.AssignStmt:
			assign(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			lhs := make([]ast.Expr, len(n.Names))
			for i, name := range n.Names {
				lhs[i] = name
			}
			assign(lhs, n.Values)
		case *ast.CommClause:
			if assign, ok := n.Comm.(*ast.AssignStmt); ok {
				e.given[assign.Lhs[0]] = assign.Rhs[0]
			}
		case *ast.RangeStmt:
			e.given[n.Key], e.given[n.Value] = nil, n.X
		case *ast.TypeSwitchStmt:
			if subject := syntax.SwitchSubject(n); subject != nil {
				for _, clause := range n.Body.List {
					if v, ok := e.info.Implicits[clause].(*types.Var); ok {
						e.subjects[v] = subject
					}
				}
			}
		}
		return true
	})
}

// placeOf returns the place that x denotes: a variable or a field of one.
func (e *engine) placeOf(x ast.Expr) (place, bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if v, ok := e.info.ObjectOf(x).(*types.Var); ok && !v.IsField() {
			return place{root: v}, true
		}
	case *ast.SelectorExpr:
		sel := e.info.Selections[x]
		if sel == nil || sel.Kind() != types.FieldVal {
			break
		}
		field, _ := sel.Obj().(*types.Var)
		root := x.X
		for {
			switch r := ast.Unparen(root).(type) {
			case *ast.SelectorExpr:
				root = r.X
				continue
			case *ast.StarExpr:
				root = r.X
				continue
			case *ast.Ident:
				if v, ok := e.info.ObjectOf(r).(*types.Var); ok && !v.IsField() {
					return place{v, field}, true
				}
			}
			break
		}
	}
	return place{}, false
}

// typ returns the type of what lies at p.
func (p place) typ() types.Type {
	if p.field != nil {
		return p.field.Type()
	}
	return p.root.Type()
}

// paramIndex returns which parameter of the function x is, or -1. A receiver
// counts as one, the first.
func (e *engine) paramIndex(x ast.Expr) int {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		return -1
	}
	v := e.info.Uses[id]
	for i, p := range e.params() {
		if p == v && v != nil {
			return i
		}
	}
	return -1
}

// params returns the receiver and the parameters of the function.
func (e *engine) params() []*types.Var {
	sig := e.signature()
	var all []*types.Var
	if sig.Recv() != nil {
		all = append(all, sig.Recv())
	}
	for p := range sig.Params().Variables() {
		all = append(all, p)
	}
	return all
}

func (e *engine) signature() *types.Signature { return typeset.SignatureOf(e.pass.TypesInfo, e.node) }
