package keyflow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// refusal matches the texts by which it is told, and pending those by which a server
// says that it is not done yet with the operation of the key: the same key is right
// then.
var (
	refusal = regexp.MustCompile(`(?i)idempot|duplicate|client.?token|key.?(conflict|reused?|in.?use|exists)`)
	pending = regexp.MustCompile(`(?i)processing|progress`)
)

// conflict matches the names by which a server's refusal of a key is told.
var conflict = regexp.MustCompile(`(?i)conflict|duplicate|idem|replay|reused?|mismatch|exists`)

// renewsOnConflict reports whether a condition of the region asks whether the key
// was refused: then another one is right.
func (t *tracer) renewsOnConflict() bool {
	found := false
	ask := func(e ast.Node) {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				found = found || conflict.MatchString(n.Name)
			case *ast.BasicLit:
				found = found || refusal.MatchString(n.Value) && !pending.MatchString(n.Value)
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

// isHead reports whether cond is of the head of the region's loop.
func (t *tracer) isHead(cond ast.Expr) bool {
	if t.region == nil {
		return false
	}
	loop, ok := t.region.Node.(*ast.ForStmt)
	return ok && loop.Cond != nil && syntax.Within(cond, loop.Cond)
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
				if def := t.defs[v]; def != nil {
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

// isGate reports whether it is the same in no two rounds that cond is truth: it
// asks for the first attempt, or for what an earlier round left, perhaps in a store.
func (t *tracer) isGate(cond ast.Expr, truth bool) bool {
	if t.isFirst(cond, truth) || t.isMissing(cond, truth) {
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
		switch u := typeset.Underlying(t.info, e).(type) {
		case *types.Pointer, *types.Slice, *types.Map:
			gate = !httpmodel.IsResponse(t.info.TypeOf(e))
		case *types.Basic:
			gate = u.Info()&types.IsString != 0 || u.Info()&types.IsBoolean != 0 && t.armSets(cond, p)
		}
		return true
	})
	return gate
}

// isMissing reports whether cond says, if it is truth, that an object that carries a key
// was looked for and is not there: row == nil, !ok, errors.Is(err, sql.ErrNoRows).
func (t *tracer) isMissing(cond ast.Expr, truth bool) bool {
	asked := ast.Unparen(cond)
	missing := !truth // ok
	switch x := asked.(type) {
	case *ast.BinaryExpr:
		asked = x.X
		isError := httpmodel.IsError(t.info.TypeOf(asked))
		missing = t.info.Types[x.Y].IsNil() && (x.Op == token.EQL) == truth != isError
	case *ast.CallExpr:
		missing = truth && len(x.Args) > 0 && httpmodel.IsError(t.info.TypeOf(x.Args[0]))
		if missing {
			asked = x.Args[0]
		}
	}
	v := typeset.VarOf(t.info, asked)
	return missing && v != nil && t.defs[v] != nil && t.mayBringKey(t.defs[v])
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
	if call, ok := ast.Unparen(cond).(*ast.CallExpr); ok {
		first, ok := httpmodel.IsFirstAttempt(typeset.Callee(t.info, call))
		return ok && first == truth
	}
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	value := t.info.Types[b.Y].Value
	if !t.isCounter(b.X) || value == nil || value.Kind() != constant.Int {
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

// isCounter reports whether e is the number of the attempt.
func (t *tracer) isCounter(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return httpmodel.IsAttemptNumber(typeset.Callee(t.info, call))
	}
	v := typeset.VarOf(t.info, e)
	return v != nil && t.region.Counters[v]
}
