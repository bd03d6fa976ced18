package retries

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// producer matches the names of functions that return another thing on each call.
var producer = regexp.MustCompile(`(?i)^(try)?(pop|next|recv|receive|dequeue|read(msg|message|event|line)?|fetch(msg|message|next|batch|jobs?)?|poll|accept|scan|take|claim|lease|pull|consume|pick|choose|random)`)

// addItems adds the variables that hold another thing in each round of g.
func (r *Result) addItems(g *Region) {
	info := r.pass.TypesInfo
	if rng, ok := g.Node.(*ast.RangeStmt); ok {
		r.addRangeItems(g, rng)
	}
	for c := range g.Counters {
		g.Items[c] = true
	}
	ast.Inspect(g.Node, func(n ast.Node) bool {
		if assign, ok := n.(*ast.AssignStmt); ok {
			for i, lhs := range assign.Lhs {
				rhs := assign.Rhs[0]
				if len(assign.Lhs) == len(assign.Rhs) {
					rhs = assign.Rhs[i]
				}
				if v := typeset.Root(info, lhs); v != nil && i == 0 && (r.produces(rhs) || r.shortens(rhs, v) || r.follows(rhs, v) || assign.Tok == token.ASSIGN && r.isPlace(v, g.Node, rhs)) && !isAmbient(v.Type()) && !g.Queued[v] && !isKeyPlace(info, lhs) {
					g.Items[v] = true
				}
			}
		}
		return true
	})
	for range 4 { // what is computed from an item is one
		before := len(g.Items)
		ast.Inspect(g.Node, func(n ast.Node) bool {
			if v := r.setHeaderOf(g, n); v != nil {
				g.Items[v] = true
			}
			assign, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for i, lhs := range assign.Lhs {
				rhs := assign.Rhs[0]
				if len(assign.Lhs) == len(assign.Rhs) {
					rhs = assign.Rhs[i]
				}
				v := typeset.Root(info, lhs)
				if v == nil || isAmbient(v.Type()) || g.Queued[v] || isKeyPlace(info, lhs) || i > 0 && len(assign.Rhs) == 1 {
					continue
				}
				if g.DependsOn(info, rhs, r.notThing()) {
					g.Items[v] = true
				}
			}
			return true
		})
		if len(g.Items) == before {
			break
		}
	}
}

// setHeaderOf returns the request of which n sets a header to an item, or nil. The number of
// an attempt makes no other request.
func (r *Result) setHeaderOf(g *Region, n ast.Node) *types.Var {
	info := r.pass.TypesInfo
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || !typeset.IsMethod(typeset.Callee(info, call), httpmodel.NetHTTP, "Header", "Set", "Add") {
		return nil
	}
	v := typeset.Root(info, call.Fun)
	isCount := func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		counter, _ := info.Uses[id].(*types.Var)
		return ok && g.Counters[counter]
	}
	if v == nil || !httpmodel.IsRequest(v.Type()) || !g.DependsOn(info, call.Args[1], isCount) {
		return nil
	}
	return v
}

// follows reports whether e is what v, an element of a list, points to: the next one.
func (r *Result) follows(e ast.Expr, v *types.Var) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	info := r.pass.TypesInfo
	return ok && typeset.VarOf(info, sel.X) == v && info.TypeOf(sel) != nil && types.Identical(info.TypeOf(sel), v.Type())
}

// isPlace reports whether v, of before the loop, says where to go next, and e that it is
// elsewhere: the next page, another server.
func (r *Result) isPlace(v *types.Var, loop ast.Node, e ast.Expr) bool {
	if v.IsField() || loop.Pos() <= v.Pos() && v.Pos() < loop.End() || r.pass.TypesInfo.Types[e].Value != nil {
		return false
	}
	return typeset.IsNamed(v.Type(), "net/url", "URL") || typeset.IsString(v.Type()) && place.MatchString(v.Name())
}

// place matches the names of texts that say where to go next.
var place = regexp.MustCompile(`(?i)ur[il]|link|next|cursor|marker|offset|continu|page`)

// addRangeItems adds the variables of a range, unless they are numbers, times to
// wait, or addresses of servers that offer the same.
func (r *Result) addRangeItems(g *Region, rng *ast.RangeStmt) {
	info := r.pass.TypesInfo
	if typeset.IsInteger(typeset.Underlying(info, rng.X)) {
		return
	}
	for _, e := range []ast.Expr{rng.Key, rng.Value} {
		v := typeset.VarOf(info, orNil(e))
		if v == nil || g.Counters[v] || isAmbient(v.Type()) || g.Queued[v] {
			continue
		}
		if e == rng.Value && r.isAddress(rng, v) {
			continue
		}
		g.Items[v] = true
	}
}

func orNil(e ast.Expr) ast.Expr {
	if e == nil {
		return &ast.BadExpr{}
	}
	return e
}

// addressName matches the names of lists of servers that offer the same.
var addressName = regexp.MustCompile(`(?i)(host|replica|mirror|endpoint|url|uri|addr|addresse|node|server|peer|upstream|backend|region|base|origin)(s|es|list)?$`)

// isAddress reports whether the variable of a range is the address of one of
// several servers, and used as nothing else: a string or URL, from a list that is
// called so, or that is the beginning of a request's URL.
func (r *Result) isAddress(rng *ast.RangeStmt, v *types.Var) bool {
	info := r.pass.TypesInfo
	if b, ok := v.Type().Underlying().(*types.Basic); (!ok || b.Info()&types.IsString == 0) && !typeset.IsNamed(v.Type(), "net/url", "URL") {
		return false
	}
	if x := typeset.VarOf(info, rng.X); x != nil && addressName.MatchString(x.Name()) || addressName.MatchString(v.Name()) {
		return true
	}
	address := false
	ast.Inspect(rng.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fn := typeset.Callee(info, call)
		for i, arg := range call.Args {
			if fn != nil && i < fn.Signature().Params().Len() && addressName.MatchString(fn.Signature().Params().At(i).Name()) && typeset.VarOf(info, leftmost(arg)) == v {
				address = true
			}
		}
		return true
	})
	return address
}

// leftmost returns what a concatenation begins with.
func leftmost(e ast.Expr) ast.Expr {
	for {
		b, ok := ast.Unparen(e).(*ast.BinaryExpr)
		if !ok {
			return e
		}
		e = b.X
	}
}

// produces reports whether e yields another thing each time: a receive from a
// channel other than a timer's, a call of a function called so.
func (r *Result) produces(e ast.Expr) bool {
	info := r.pass.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.ARROW && !isTimeChan(info.TypeOf(e.X))
	case *ast.CallExpr:
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
			fn := typeset.Callee(info, e)
			return producer.MatchString(sel.Sel.Name) && (fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "io")
		}
	}
	return false
}

// shortens reports whether e is a part of what v holds: the rest of a list, of a name.
func (r *Result) shortens(e ast.Expr, v *types.Var) bool {
	s, ok := ast.Unparen(e).(*ast.SliceExpr)
	return ok && s.Low != nil && typeset.VarOf(r.pass.TypesInfo, s.X) == v
}

// notThing returns what DependsOn is to skip: keys, times, contexts, errors, and
// what only tells the attempts apart.
func (r *Result) notThing() func(ast.Node) bool {
	info := r.pass.TypesInfo
	keys := make(map[ast.Expr]bool) // arguments that are keys
	return func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			id, ok := n.Key.(*ast.Ident)
			return ok && notThingName(id.Name)
		case *ast.FuncLit:
			return true
		case *ast.CallExpr:
			if fn := typeset.Callee(info, n); fn != nil {
				for i := range min(len(n.Args), fn.Signature().Params().Len()) {
					if name := fn.Signature().Params().At(i).Name(); name == "key" || notThingName(name) {
						keys[n.Args[i]] = true
					}
				}
			}
		}
		e, ok := n.(ast.Expr)
		if !ok {
			return false
		}
		t := info.TypeOf(e)
		return keys[e] || t != nil && isAmbient(t)
	}
}

// notThingName reports whether name is that of a key, or of what only tells the
// attempts apart.
func notThingName(name string) bool {
	return httpmodel.KeyNames{}.IsField(name) || httpmodel.IsTraceName(name)
}

// isKeyPlace reports whether e is a variable or field that holds a key by its name.
func isKeyPlace(info *types.Info, e ast.Expr) bool {
	v := typeset.VarOf(info, e)
	return v != nil && notThingName(v.Name())
}
