package drains

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about readiness: a route by whose name a balancer asks whether to send
// requests here, and the flags that its handler answers by.

// A readiness is what the package shows of its readiness probes.
type readiness struct {
	flags   map[*types.Var]bool  // what a probe's handler looks at
	abroad  map[string]bool      // and what of other packages: the path and the name
	always  map[token.Pos]string // where calls register a probe that never fails, and its route
	outside bool                 // a route gives the notice, before the signal
}

// findReadiness finds the readiness probes that the package registers.
func (p *Info) findReadiness() {
	p.ready = readiness{flags: make(map[*types.Var]bool), abroad: make(map[string]bool), always: make(map[token.Pos]string)}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 1 {
				p.findProbe(call, call.Args[:len(call.Args)-1], call.Args[len(call.Args)-1])
			}
			return true
		})
	}
}

// findProbe notes what call shows of readiness if it registers a handler for a route
// that is one of args.
func (p *Info) findProbe(call *ast.CallExpr, args []ast.Expr, handler ast.Expr) {
	for _, arg := range args {
		c := p.info.Types[arg].Value
		if c == nil || c.Kind() != constant.String {
			continue
		}
		route := constant.StringVal(c)
		p.ready.outside = p.ready.outside || httpmodel.IsPreStop(route)
		if !httpmodel.IsReadiness(route) {
			continue
		}
		obj := p.serveHTTP(handler)
		p.asksAbroad(obj)
		fn := p.index.FuncOf(handler)
		if decl := p.index.Decl(obj); fn == nil && decl != nil {
			fn = decl
		}
		maps.Copy(p.ready.flags, p.flagsIn(handler, math.MaxInt))
		if fn != nil {
			maps.Copy(p.ready.flags, p.flagsIn(fn, math.MaxInt))
		}
		if fact := p.probeFactOf(obj); fn != nil && p.neverFails(fn) || fact != nil && fact.Always {
			p.ready.always[call.Pos()] = route
		}
	}
}

// serveHTTP returns the function that answers for handler: the one that it names, or the
// method ServeHTTP of its type; or nil.
func (p *Info) serveHTTP(handler ast.Expr) *types.Func {
	if fn := typeset.FuncObj(p.info, handler); fn != nil {
		return fn
	}
	return httpmodel.ServeHTTP(p.info.TypeOf(handler))
}

// flagsIn returns the variables and fields that n, or a function of the package that it
// names and that has no more than max statements, looks at: flags, and contexts that it
// asks whether they are done. It notes those of other packages.
func (p *Info) flagsIn(n ast.Node, max int) map[*types.Var]bool {
	flags := make(map[*types.Var]bool)
	visited := make(map[ast.Node]bool)
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if v := typeset.VarOf(p.info, n.X); v != nil && isContextType(v.Type()) && (n.Sel.Name == "Err" || n.Sel.Name == "Done") {
					flags[v] = true
				}
			case *ast.Ident:
				switch obj := p.info.Uses[n].(type) {
				case *types.Var:
					if isFlag(obj.Type()) {
						flags[obj] = true
					}
				case *types.Func:
					if decl := p.index.Decl(obj); decl != nil && !visited[decl] && len(decl.Body.List) <= max {
						visited[decl] = true
						visit(decl.Body)
					}
					p.asksAbroad(obj)
				}
			}
			return true
		})
	}
	visit(n)
	return flags
}

// isFlag reports whether t is the type of a flag: a bool, an atomic one, a number, or a
// channel to close.
func isFlag(t types.Type) bool {
	if typeset.IsNamed(t, "sync/atomic", "Bool") || typeset.IsNamed(t, "sync/atomic", "Int32") {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.Bool || t.Kind() == types.Int32
	case *types.Chan:
		st, ok := t.Elem().Underlying().(*types.Struct)
		return ok && st.NumFields() == 0
	}
	return false
}

// neverFails reports whether the handler fn answers well on every path: it has no
// conditions, and names no status but 200 and 204; or its only condition asks a flag
// that never has the value with which it fails once it was set.
func (p *Info) neverFails(fn ast.Node) bool {
	_, body := syntax.FuncParts(fn)
	ifs := 0
	plain := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			ifs++
			if !p.neverTrue(n.Cond) || n.Init != nil {
				plain = false
			}
			if n.Else != nil {
				plain = false
			}
			return false
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.ForStmt, *ast.RangeStmt, *ast.DeferStmt, *ast.FuncLit:
			plain = false
		case *ast.CallExpr:
			plain = plain && p.answersWell(n)
		}
		return plain
	})
	return plain && ifs <= 1
}

// answersWell reports whether call, in a handler, says that all is well or nothing.
func (p *Info) answersWell(call *ast.CallExpr) bool {
	if p.info.Types[call.Fun].IsType() {
		return true
	}
	for _, arg := range call.Args {
		if c := p.info.Types[arg].Value; c != nil && c.Kind() == constant.Int {
			if n, ok := constant.Int64Val(c); ok && n != 200 && n != 204 {
				return false
			}
		}
	}
	fn := typeset.Callee(p.info, call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	if recv := fn.Signature().Recv(); recv != nil && httpmodel.IsHandlerContext(recv.Type()) {
		return true
	}
	switch typeset.PkgPath(fn.Pkg()) {
	case "fmt", "io":
		return true
	case httpmodel.NetHTTP:
		return fn.Signature().Recv() != nil
	}
	return false
}

// neverTrue reports whether cond asks a flag of the package that, once it was set,
// always has the value with which cond is false.
func (p *Info) neverTrue(cond ast.Expr) bool {
	want := false // the value of the flag with which cond is false
	cond = ast.Unparen(cond)
	if not, ok := cond.(*ast.UnaryExpr); ok && not.Op == token.NOT {
		want, cond = true, ast.Unparen(not.X)
	}
	if call, ok := cond.(*ast.CallExpr); ok {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || !typeset.IsMethod(typeset.Callee(p.info, call), "sync/atomic", "Bool", "Load") {
			return false
		}
		cond = sel.X
	}
	v := typeset.VarOf(p.info, cond)
	if v == nil || v.Exported() || !isFlag(v.Type()) {
		return false
	}
	stores, known := p.stores(v)
	for _, value := range stores {
		known = known && value == want
	}
	return known && (len(stores) > 0 || !want)
}

// stores returns the constants that the package stores in the flag v, and whether
// these are all.
func (p *Info) stores(v *types.Var) (values []bool, known bool) {
	known = true
	note := func(x ast.Expr) {
		c := p.info.Types[x].Value
		if c == nil || c.Kind() != constant.Bool {
			known = false
			return
		}
		values = append(values, constant.BoolVal(c))
	}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
				if !ok || typeset.VarOf(p.info, sel.X) != v {
					break
				}
				switch sel.Sel.Name {
				case "Load":
				case "Store":
					note(n.Args[0])
				default:
					known = false
				}
			case *ast.AssignStmt:
				for i, x := range n.Lhs {
					if typeset.VarOf(p.info, x) == v && len(n.Rhs) == len(n.Lhs) && typeset.IsBool(v.Type()) {
						note(n.Rhs[i])
					}
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND && typeset.VarOf(p.info, n.X) == v {
					known = false
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && p.info.Uses[key] == v {
					known = false
				}
			}
			return true
		})
	}
	return values, known
}

// turnedByEnd returns w, after a context has ended, with the readiness turned if a probe
// asks that context.
func (f *follower) turnedByEnd(w *world, pos token.Pos) *world {
	for v := range f.ready.flags {
		if ctx := w.env[varPlace(v)]; ctx != nil && ctx.kind == isContext {
			if _, done := w.isDone(ctx); done {
				return w.drop("paused").add("turned", pos)
			}
		}
	}
	return w
}

// turns reports whether call stores a constant in the flag of a readiness probe.
func (f *follower) turns(fn *types.Func, args []*value, call *ast.CallExpr) bool {
	flag := flagStored(f.info, call)
	if flag == nil || len(args) == 0 {
		return f.turnsAbroad(fn, args)
	}
	last := args[len(args)-1]
	v := typeset.VarOf(f.info, flag)
	return (last.kind == isBool || last.kind == isNumber) && v != nil && f.ready.flags[v]
}

// flagStored returns the atomic flag that call stores something in, or nil.
func flagStored(info *types.Info, call *ast.CallExpr) ast.Expr {
	fn := typeset.Callee(info, call)
	switch {
	case typeset.IsMethod(fn, "sync/atomic", "Bool", "Store"), typeset.IsMethod(fn, "sync/atomic", "Int32", "Store"):
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			return sel.X
		}
	case typeset.IsFunc(fn, "sync/atomic", "StoreInt32") && len(call.Args) == 2:
		if addr, ok := ast.Unparen(call.Args[0]).(*ast.UnaryExpr); ok {
			return addr.X
		}
	}
	return nil
}
