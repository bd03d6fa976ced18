package bodyfate

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file makes the calls of a statement, in order, and decides its conditions.

// calls returns the tuples after the calls of n have been made, in order. The
// call that a go or defer statement names is not made here.
func (tr *trace) calls(t *tuple, n ast.Node) []*tuple {
	if t.results != nil {
		t = t.clone()
		t.results = nil
	}
	return tr.evaluate(t, n)
}

// evaluate is calls within a statement: it keeps the results of the calls before.
func (tr *trace) evaluate(t *tuple, n ast.Node) []*tuple {
	after := []*tuple{t}
	for _, x := range tr.evaluated(n) {
		var next []*tuple
		for _, t := range after {
			switch x := x.(type) {
			case *ast.CallExpr:
				made := tr.invoke(t, x, tr.operands(t, x))
				if tr.source != nil && x == tr.source.node && tr.source.captured != nil {
					made = tr.acquireEach(made)
				}
				next = append(next, made...)
			case *ast.UnaryExpr:
				if tr.source != nil && x == tr.source.node {
					next = append(next, tr.acquire(t)...)
				} else {
					next = append(next, t)
				}
			case *ast.BinaryExpr:
				if isComparison(x.Op) && !tr.comparesStatus(t, x) {
					next = append(next, t)
					break
				}
				yes, no := tr.decide(t, x)
				for _, t := range yes {
					next = append(next, t.returned(x, callResult{zero: map[int]bool{0: false}}))
				}
				for _, t := range no {
					next = append(next, t.returned(x, callResult{zero: map[int]bool{0: true}}))
				}
			case *ast.CompositeLit:
				next = append(next, tr.stored(t, x))
			}
		}
		after = next
	}
	return after
}

// comparesStatus reports whether a comparison is one of the response's status code.
func (tr *trace) comparesStatus(t *tuple, x *ast.BinaryExpr) bool {
	return tr.value(t, x.X).kind() == status || tr.value(t, x.Y).kind() == status
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// decide evaluates a condition that is not one of the graph's, as in
// "ok := x && f()": the tuples on the paths on which it is true, and false.
func (tr *trace) decide(t *tuple, cond ast.Expr) (yes, no []*tuple) {
	cond = ast.Unparen(cond)
	if bin, ok := cond.(*ast.BinaryExpr); ok && (bin.Op == token.LAND || bin.Op == token.LOR) {
		var undecided []*tuple
		if bin.Op == token.LAND {
			undecided, no = tr.decide(t, bin.X)
		} else {
			yes, undecided = tr.decide(t, bin.X)
		}
		for _, t := range undecided {
			y, n := tr.decide(t, bin.Y)
			yes, no = append(yes, y...), append(no, n...)
		}
		return yes, no
	}
	if not, ok := cond.(*ast.UnaryExpr); ok && not.Op == token.NOT {
		no, yes = tr.decide(t, not.X)
		return yes, no
	}
	for _, t := range tr.evaluate(t, cond) {
		if r, ok := tr.refine(t, cond, true); ok {
			yes = append(yes, r)
		}
		if r, ok := tr.refine(t, cond, false); ok {
			no = append(no, r)
		}
	}
	return yes, no
}

// stored returns t after a slice, array or map literal was made: what is put
// there is out of sight.
func (tr *trace) stored(t *tuple, lit *ast.CompositeLit) *tuple {
	if t.old {
		return t
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		if tr.value(t, elt).holds() {
			return t.with(t.read, escaped)
		}
	}
	return t
}

// acquireEach returns the tuples after the call that was made in each of made, a
// function literal of whose arguments brought the body.
func (tr *trace) acquireEach(made []*tuple) []*tuple {
	var after []*tuple
	for _, t := range made {
		after = append(after, tr.acquire(t)...)
	}
	return after
}

// evaluated returns the calls that n makes, each after those in its operands, the
// receives, the && and || (whose operands are not in the list by themselves), the
// comparisons, and the literals of slices and maps.
func (c *checker) evaluated(n ast.Node) []ast.Expr {
	if list, ok := c.calledBy[n]; ok {
		return list
	}
	var list []ast.Expr
	var skip *ast.CallExpr
	switch n := n.(type) {
	case *ast.DeferStmt:
		skip = n.Call
	case *ast.GoStmt:
		skip = n.Call
	}
	var visit func(m ast.Node)
	visit = func(m ast.Node) {
		ast.Inspect(m, func(child ast.Node) bool {
			switch x := child.(type) {
			case nil:
				return false
			case *ast.FuncLit, *ast.BlockStmt:
				return false
			case *ast.CallExpr:
				if x == m {
					return true
				}
				visit(x)
				if x != skip {
					list = append(list, x)
				}
				return false
			case *ast.BinaryExpr:
				if x != m && (x.Op == token.LAND || x.Op == token.LOR) {
					list = append(list, x)
					return false
				}
				if x != m && isComparison(x.Op) {
					visit(x)
					list = append(list, x)
					return false
				}
			case *ast.UnaryExpr:
				if x != m && x.Op == token.ARROW {
					visit(x)
					list = append(list, x)
					return false
				}
			case *ast.CompositeLit:
				if x == m {
					return true
				}
				visit(x)
				switch c.typeOf(x).Underlying().(type) {
				case *types.Slice, *types.Array, *types.Map:
					list = append(list, x)
				}
				return false
			}
			return true
		})
	}
	visit(n)
	switch n := n.(type) {
	case *ast.CallExpr:
		list = append(list, n)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			list = append(list, n)
		}
	}
	c.calledBy[n] = list
	return list
}
