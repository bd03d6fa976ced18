package drains

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about what a single statement, function or field says.

// noteHooks notes the functions in n, a literal or a call, that a framework calls at a
// signal.
func (p *Info) noteHooks(n ast.Node) {
	var hook ast.Expr
	switch n := n.(type) {
	case *ast.CompositeLit:
		for _, elt := range n.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok && httpmodel.IsStopHook(typeset.VarOf(p.info, kv.Key), p.info.TypeOf(n)) {
				hook = kv.Value
			}
		}
	case *ast.CallExpr:
		if httpmodel.MakesStopHook(typeset.Callee(p.info, n)) && len(n.Args) > 0 {
			hook = n.Args[len(n.Args)-1]
		}
	}
	if hook == nil {
		return
	}
	if fn := p.index.FuncOf(hook); fn != nil {
		p.hooks[fn] = true
	}
}

// tellsAlone reports whether a statement or expression says something by its form.
func (p *Info) tellsAlone(n ast.Node) bool {
	if lit, ok := n.(*ast.BasicLit); ok {
		return lit.Kind == token.STRING && strings.Contains(lit.Value, "/read")
	}
	return passesOn(n) || p.makesServer(n) || p.overClosers(n)
}

// overClosers reports whether n is a loop over a list of what can be closed.
func (p *Info) overClosers(n ast.Node) bool {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Value == nil {
		return false
	}
	t := p.info.TypeOf(loop.Value)
	if t == nil || !types.IsInterface(t) {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, "Close")
	return obj != nil
}

// makesServer reports whether n makes a server.
func (p *Info) makesServer(n ast.Node) bool {
	lit, ok := n.(*ast.CompositeLit)
	return ok && httpmodel.IsServer(p.info.TypeOf(lit))
}

// passesOn reports whether n sends or receives, or starts a goroutine.
func passesOn(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	}
	return false
}

// keeps reports whether n puts a function, a channel, a context, a time or what can be
// shut down into a field, or adds it to a list there.
func (p *Info) keeps(n ast.Node) bool {
	assign, ok := n.(*ast.AssignStmt)
	if !ok {
		return false
	}
	for _, x := range assign.Lhs {
		v := typeset.VarOf(p.info, x)
		if v == nil || !v.IsField() {
			continue
		}
		t := v.Type()
		if list, ok := t.Underlying().(*types.Slice); ok {
			t = list.Elem()
		}
		if bringsFunc(t) || isChanType(t) || isContextType(t) || typeset.IsNamed(t, "time", "Duration") {
			return true
		}
	}
	return false
}

// bringsFunc reports whether a value of type t is, or has as a field, a function, or can be
// shut down, whatever it is.
func bringsFunc(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		return httpmodel.CanBeShutDown(t)
	case *types.Struct:
		for field := range t.Fields() {
			if _, ok := field.Type().Underlying().(*types.Signature); ok {
				return true
			}
		}
	}
	return false
}

// givesBack reports whether a part of a function literal returns something, sets a
// flag or calls a function that is a value.
func (p *Info) givesBack(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return typeset.VarOf(p.info, n.Fun) != nil
	case *ast.ReturnStmt:
		return len(n.Results) > 0
	case *ast.AssignStmt:
		for _, x := range n.Rhs {
			if t := p.info.TypeOf(x); t == nil || typeset.IsBool(t) || typeset.IsNamed(t, "time", "Duration") {
				return true
			}
		}
	}
	return false
}

// tellsOfOrder reports whether fn, of another package, says something about what
// comes after what.
func tellsOfOrder(fn *types.Func) bool {
	if httpmodel.EndsProcess(fn) || httpmodel.ClosesDatabase(fn) || httpmodel.GivesDatabase(fn) || httpmodel.ServesForever(fn) ||
		httpmodel.ActorCallOf(fn) != httpmodel.NoActorCall {
		return true
	}
	if fn.Pkg() == nil {
		return false
	}
	switch typeset.PkgPath(fn.Pkg()) {
	case "context", "os/signal", "sync", "sync/atomic", errgroup:
		return true
	case "time":
		return fn.Name() == "Sleep" || fn.Name() == "After" || fn.Name() == "AfterFunc" || fn.Name() == "NewTimer"
	}
	return false
}

// isKnown reports whether fn, of a package that keeps quiet, is one that a follower
// knows.
func isKnown(fn *types.Func) bool {
	return tellsOfOrder(fn) || typeset.IsFunc(fn, "errors", "Is", "New", "Join") || typeset.IsFunc(fn, "fmt", "Errorf") ||
		typeset.IsFunc(fn, "time", "Now") || typeset.IsMethod(fn, "time", "Time", "Add")
}

// isIdle reports whether a call of fn, of a package that tells of order, tells nothing:
// a lock's, or of package signal those that only set up a channel.
func isIdle(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch typeset.PkgPath(fn.Pkg()) {
	case "os/signal":
		return fn.Name() != "NotifyContext"
	case "sync/atomic":
		return true
	case "sync":
		return typeset.IsMethod(fn, "sync", "Mutex", "Lock", "Unlock") || typeset.IsMethod(fn, "sync", "RWMutex", "Lock", "Unlock", "RLock", "RUnlock")
	}
	return false
}

// tellingSignature reports whether a function of this signature may hand on what
// this package follows.
func tellingSignature(sig *types.Signature) bool {
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			t := v.Type()
			if isContextType(t) || isChanType(t) || httpmodel.IsServer(t) {
				return true
			}
			if bringsFunc(t) {
				return true
			}
		}
	}
	if recv := sig.Recv(); recv != nil {
		if _, ok := recv.Type().Underlying().(*types.Signature); ok {
			return true // Have: a method of a function, which it calls.
		}
	}
	return sig.Results().Len() == 1 && typeset.IsNamed(sig.Results().At(0).Type(), "time", "Duration")
}

// findCancels finds the fields and variables of the package that hold the cancel of
// a context in another.
func (p *Info) findCancels() {
	pairs := make(map[*types.Var]*types.Var) // cancel -> context
	name := func(ctx *types.Var) string {
		if ctx.IsField() {
			return ctx.Name()
		}
		return varPlace(ctx)
	}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) == 2 && len(n.Rhs) == 1 {
					ctx, cancel := typeset.VarOf(p.info, n.Lhs[0]), typeset.VarOf(p.info, n.Lhs[1])
					if ctx != nil && cancel != nil && isContextType(ctx.Type()) {
						if _, ok := cancel.Type().Underlying().(*types.Signature); ok {
							pairs[cancel] = ctx
							known := cancel.IsField() || cancel.Parent() == p.pass.Pkg.Scope() || len(p.index.Defs(cancel)) == 1 && len(p.index.Defs(ctx)) == 1
							if cancel.IsField() == ctx.IsField() && known {
								p.cancels[cancel] = name(ctx)
							}
						}
					}
				}
			case *ast.CompositeLit:
				fields := make(map[*types.Var]*types.Var) // what a field is set to -> the field
				for _, elt := range n.Elts {
					if kv, ok := elt.(*ast.KeyValueExpr); ok {
						if key, ok := kv.Key.(*ast.Ident); ok {
							field, _ := p.info.Uses[key].(*types.Var)
							if v := typeset.VarOf(p.info, kv.Value); v != nil && field != nil {
								fields[v] = field
							}
						}
					}
				}
				for v, field := range fields {
					if isContextType(v.Type()) {
						p.fields[v] = field
					}
					if ctx := cmp.Or(fields[pairs[v]], pairs[v]); ctx != nil {
						p.cancels[field] = ctx.Name()
					}
				}
			}
			return true
		})
	}
}
