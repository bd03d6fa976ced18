package drains

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// needed reports whether handlers use the thing of the given id, on which call calls
// a method: it is mentioned in a handler, or by what makes one.
func (f *follower) needed(w *world, id string, call *ast.CallExpr) bool {
	vars := make(map[*types.Var]bool)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if v := typeset.VarOf(f.info, sel.X); v != nil {
			vars[v] = true
		}
	}
	ids := holders(w, id)
	for place, v := range w.env {
		if ids[v.id] {
			ids[place] = true
		}
	}
	for place := range ids {
		if field := f.places[place]; field != nil {
			vars[field] = true
		}
		if obj := f.varAt(placePos(place)); obj != nil && varPlace(obj) == place {
			vars[obj] = true
		}
	}
	for v := range vars {
		if f.inHandler(v) {
			return true
		}
	}
	return f.reachesServer(vars)
}

// holders returns the ids of the thing of the given id, and of what it is a field of.
func holders(w *world, id string) map[string]bool {
	ids := map[string]bool{id: true}
	for before := 0; before != len(ids); {
		before = len(ids)
		for place, v := range w.env {
			if i := strings.LastIndexByte(place, '.'); i > 0 && ids[v.id] {
				ids[place[:i]] = true
			}
		}
		for id := range ids {
			if i := strings.LastIndexByte(id, '.'); i > 0 {
				ids[id[:i]] = true
			}
		}
	}
	return ids
}

// inHandler reports whether a function that looks like a handler, or one that it
// calls, mentions v.
func (p *Info) inHandler(v *types.Var) bool {
	if p.used == nil {
		p.used = make(map[*types.Var]bool)
		visited := make(map[ast.Node]bool)
		var visit func(n ast.Node)
		visit = func(n ast.Node) {
			if visited[n] {
				return
			}
			visited[n] = true
			p.served = append(p.served, n)
			ast.Inspect(n, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					switch obj := p.info.Uses[id].(type) {
					case *types.Var:
						p.used[obj] = true
					case *types.Func:
						if decl := p.index.Decl(obj); decl != nil {
							visit(decl.Body)
						}
						for _, m := range p.index.Implementations(obj) {
							visit(p.index.Decl(m).Body)
						}
					}
				}
				return true
			})
		}
		for _, file := range p.pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if fn, ok := p.info.Defs[n.Name].(*types.Func); ok && n.Body != nil && httpmodel.LooksLikeHandler(fn.Signature()) {
						visit(n.Body)
					}
				case *ast.FuncLit:
					if sig, ok := p.info.TypeOf(n).(*types.Signature); ok && httpmodel.LooksLikeHandler(sig) {
						visit(n.Body)
					}
				}
				return true
			})
		}
	}
	return p.used[v]
}

// reachesServer reports whether one of vars is part of what the root makes a server
// of: it is followed through assignments and calls, in whatever order.
func (f *follower) reachesServer(vars map[*types.Var]bool) bool {
	info := f.infoOf(f.root)
	mentions := func(x ast.Expr) bool {
		found := false
		ast.Inspect(x, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := info.ObjectOf(id).(*types.Var); ok && vars[v] && !v.IsField() {
					found = true
				}
			}
			return !found
		})
		return found
	}
	reached := false
	taint := func(x ast.Expr) {
		if v := typeset.Root(info, x); v != nil {
			if httpmodel.IsServer(v.Type()) {
				reached = true
			}
			if !vars[v] && !httpmodel.IsError(v.Type()) {
				vars[v] = true
			}
		}
	}
	for before := -1; before != len(vars) && !reached; {
		before = len(vars)
		ast.Inspect(f.root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, x := range n.Rhs {
					if !mentions(x) {
						continue
					}
					if len(n.Lhs) == len(n.Rhs) {
						taint(n.Lhs[i])
						continue
					}
					for _, y := range n.Lhs {
						taint(y)
					}
				}
			case *ast.CallExpr:
				isServer := func(x ast.Expr) bool { return httpmodel.IsServer(info.TypeOf(x)) }
				if slices.ContainsFunc(n.Args, isServer) && slices.ContainsFunc(n.Args, func(x ast.Expr) bool { return !isServer(x) && mentions(x) }) {
					reached = true // Have: what registers it, as grpc's do.
				}
				sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
				if !ok {
					break
				}
				for _, x := range n.Args {
					if mentions(x) {
						taint(sel.X)
					}
				}
			case *ast.CompositeLit:
				if httpmodel.IsServer(info.TypeOf(n)) && mentions(n) {
					reached = true
				}
			}
			return !reached
		})
	}
	return reached
}

// varAt returns the variable declared at pos, or nil.
func (p *Info) varAt(pos token.Pos) *types.Var {
	if p.vars == nil {
		p.vars = make(map[token.Pos]*types.Var)
		for _, obj := range p.info.Defs {
			if v, ok := obj.(*types.Var); ok {
				p.vars[v.Pos()] = v
			}
		}
	}
	return p.vars[pos]
}
