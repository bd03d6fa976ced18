package drains

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about statements.

// step returns the worlds after n, a node of the graph.
func (a *activation) step(w *world, n ast.Node) []*world {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			worlds := worldsOf(a.evalAll(w, append(append([]ast.Expr(nil), n.Rhs...), n.Lhs...)))
			for i, w := range worlds {
				worlds[i] = a.set(w, n.Lhs[0], nil)
			}
			return worlds
		}
		return a.assign(w, n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			lhs[i] = name
		}
		if len(n.Values) > 0 {
			return a.assign(w, lhs, n.Values)
		}
		for _, name := range n.Names {
			place := varPlace(a.info.Defs[name])
			w = w.set(place, a.zero(a.info.TypeOf(name), place))
		}
	case *ast.ExprStmt:
		return worldsOf(a.eval(w, n.X))
	case *ast.IncDecStmt:
		return []*world{a.count(w, n)}
	case *ast.SendStmt:
		var out []*world
		for _, o := range a.evalAll(w, []ast.Expr{n.Chan, n.Value}) {
			a.emit(o.w, "send:"+o.values[0].id, o.values[1], n)
			out = append(out, o.w.add("sent:"+o.values[0].id, n.Pos()))
		}
		return out
	case *ast.GoStmt:
		var out []*world
		for _, o := range a.operands(w, n.Call) {
			if fun := o.values[0]; fun.kind != isFunc || fun.node == nil {
				for _, v := range o.values[1:] {
					o.w = o.w.escape(v)
				}
			}
			out = append(out, a.start(o.w, launch{at: n, run: func(w *world) []outcome {
				return a.call(outcome{w: w, values: o.values}, n.Call)
			}}))
		}
		return out
	case *ast.DeferStmt:
		for _, d := range w.defers {
			if d.stmt == n {
				return []*world{w}
			}
		}
		var out []*world
		for _, o := range a.operands(w, n.Call) {
			o.w = o.w.clone()
			o.w.defers = append(append([]deferred(nil), o.w.defers...), deferred{n, o.values[0], o.values[1:]})
			out = append(out, o.w)
		}
		return out
	case *ast.ReturnStmt:
		a.leave(w, n)
		return nil
	case ast.Expr:
		var out []*world
		for _, o := range a.eval(w, n) {
			v := o.v
			if loop := a.over[n]; loop != nil {
				o.w = o.w.set(rangePlace(loop), v)
			}
			if v.kind != isBool {
				v = nil
			}
			out = append(out, o.w.set(cond, v))
		}
		return out
	}
	return []*world{w}
}

// count returns w after "x++" or "x--". Numbers that are small are known, so that a
// loop over a list that is in view goes through it, in its order.
func (a *activation) count(w *world, n *ast.IncDecStmt) *world {
	v := w.env[a.place(w, n.X)]
	if v == nil || v.kind != isNumber {
		return w
	}
	next := number(v.n + 1)
	if n.Tok == token.DEC {
		next.n = v.n - 1
	}
	if next.n < -1 || maxList < next.n {
		return a.set(w, n.X, nil)
	}
	return a.set(w, n.X, next)
}

// worldsOf returns the worlds of outcomes.
func worldsOf(outs []outcome) []*world {
	worlds := make([]*world, len(outs))
	for i, o := range outs {
		worlds[i] = o.w
	}
	return worlds
}

// leave has w return: its deferred calls run, the last first.
func (a *activation) leave(w *world, n *ast.ReturnStmt) {
	outs := []outcome{{w: w}}
	switch {
	case len(n.Results) == 1:
		outs = a.eval(w, n.Results[0])
		for i, o := range outs {
			if len(o.values) < 2 {
				outs[i].values = []*value{o.v}
			}
		}
	case len(n.Results) > 1:
		outs = a.evalAll(w, n.Results)
	default:
		for _, place := range a.names {
			v := w.env[place]
			if v == nil {
				v = &value{id: place}
			}
			outs[0].values = append(outs[0].values, v)
		}
	}
	for _, o := range outs {
		worlds := state{o.w}
		for i := len(o.w.defers) - 1; i >= 0; i-- {
			d := o.w.defers[i]
			worlds = worlds.each(func(w *world) []*world {
				w = w.clone()
				w.defers = w.defers[:i]
				return worldsOf(a.call(outcome{w: w, values: append([]*value{d.fun}, d.args...)}, d.stmt.Call))
			})
		}
		for _, end := range worlds {
			end = end.clone()
			end.defers, end.results = nil, o.values
			a.ends = append(a.ends, end)
			if len(a.stack) == 1 && a.thread == nil {
				a.exits = append(a.exits, exit{site: a.here(n), world: end, returns: true})
			}
		}
	}
}

// assign returns the worlds after an assignment.
func (a *activation) assign(w *world, lhs, rhs []ast.Expr) []*world {
	var outs []outcome
	if len(rhs) == 1 && len(lhs) > 1 {
		outs = a.eval(w, rhs[0])
	} else {
		outs = a.evalAll(w, rhs)
	}
	var out []*world
	for _, o := range outs {
		w := o.w
		for i, x := range lhs {
			var v *value
			if i < len(o.values) {
				v = o.values[i]
			} else if i == 0 {
				v = o.v // v, ok := <-c
			}
			w = a.set(w, x, v)
			if field := typeset.VarOf(a.info, x); field != nil && a.ready.flags[field] && v != nil && v.kind == isBool {
				w = w.drop("paused").add("turned", x.Pos())
			}
		}
		out = append(out, w)
	}
	return out
}

// set returns w with v in the place x.
func (a *activation) set(w *world, x ast.Expr, v *value) *world {
	place := a.place(w, x)
	if place == "" {
		if v != nil {
			w = w.escape(v)
		}
		return w
	}
	t := a.info.TypeOf(x)
	if v != nil && v.kind == unknown && v.id == "" {
		v = nil
	}
	switch {
	case v != nil && v.kind != unknown:
	case t == nil || !a.matters(t):
		return w.set(place, nil) // Have: what would tell worlds apart and say nothing.
	case httpmodel.IsError(t):
		v = &value{id: "error"}
	}
	if v == nil {
		// Have: a value not known, other than the one before.
		v = a.opaque(t, fmt.Sprintf("%s=%d", place, x.Pos()))
	}
	return w.set(place, v)
}

// matters reports whether it matters which value of type t a variable holds: it may
// be, or hold, something that servers and goroutines share.
func (p *Info) matters(t types.Type) bool {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		return p.matters(u.Elem())
	case *types.Named:
		pkg := u.Obj().Pkg()
		if pkg == nil || pkg == p.pass.Pkg || p.says(pkg) {
			break
		}
		switch typeset.PkgPath(pkg) {
		case "context", "sync", "time", "os", httpmodel.NetHTTP, errgroup:
			return true
		}
		if httpmodel.IsServer(u) || httpmodel.IsDatabase(u) {
			return true
		}
		_, isStruct := u.Underlying().(*types.Struct)
		return !isStruct && p.matters(u.Underlying())
	}
	switch u := t.Underlying().(type) {
	case *types.Struct, *types.Interface, *types.Chan, *types.Signature, *types.TypeParam:
		return true
	case *types.Slice:
		return p.matters(u.Elem())
	}
	return false
}

// place returns the place that x denotes, or "".
func (a *activation) place(w *world, x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return varPlace(a.info.ObjectOf(x))
	case *ast.StarExpr:
		return a.place(w, x.X)
	case *ast.SelectorExpr:
		if v, ok := a.info.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
			return varPlace(v)
		}
		if v, ok := a.info.Uses[x.Sel].(*types.Var); ok && v.IsField() && pure(x.X) {
			if outs := a.eval(w, x.X); len(outs) == 1 && outs[0].v.id != "" {
				return outs[0].v.id + "." + v.Name()
			}
		}
	}
	return ""
}

// placePos returns the position of the variable that place is of, or the part of
// which it is.
func placePos(place string) token.Pos {
	_, rest, ok := strings.Cut(place, "@")
	if !ok || strings.HasPrefix(place, "made@") || strings.HasPrefix(place, "server@") {
		return token.NoPos
	}
	if i := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || '9' < r }); i >= 0 {
		rest = rest[:i]
	}
	n, _ := strconv.Atoi(rest)
	return token.Pos(n)
}
