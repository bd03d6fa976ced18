package drains

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about things of the package that handlers can no longer use when they are
// closed: channels to which they send, and types with a flag by which they fail.

// isTold reports whether handlers fail when the channel v is closed, or the flag v has
// the value that a method Close gives it.
func (p *Info) isTold(v *types.Var) bool {
	if p.told == nil {
		p.told = make(map[*types.Var]bool)
		p.inHandler(nil)
		for _, body := range p.served {
			p.findTold(body)
		}
	}
	return p.told[v]
}

// findTold notes the channels to which a function that handlers run sends, unless it takes
// a lock or recovers: it may know in time. And the flags for which it returns an error.
func (p *Info) findTold(body ast.Node) {
	guarded := false
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			guarded = guarded || id.Name == "Lock" || id.Name == "RLock" || id.Name == "recover"
		}
		return !guarded
	})
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt:
			if v := typeset.VarOf(p.info, n.Chan); v != nil && !guarded {
				p.told[v] = true
			}
		case *ast.IfStmt:
			if flag := p.flag(n.Cond); flag != nil && p.returnsError(n.Body) {
				p.told[flag] = true
			}
		}
		return true
	})
}

// flag returns the bool, or atomic one, that cond asks, or nil.
func (p *Info) flag(cond ast.Expr) *types.Var {
	cond = ast.Unparen(cond)
	if call, ok := cond.(*ast.CallExpr); ok && typeset.IsMethod(typeset.Callee(p.info, call), "sync/atomic", "Bool", "Load") {
		cond = call.Fun.(*ast.SelectorExpr).X
	}
	if v := typeset.VarOf(p.info, cond); v != nil && v.IsField() && isFlag(v.Type()) {
		return v
	}
	return nil
}

// returnsError reports whether a block does nothing but return an error.
func (p *Info) returnsError(block *ast.BlockStmt) bool {
	if len(block.List) != 1 {
		return false
	}
	ret, ok := block.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) == 0 {
		return false
	}
	last := ret.Results[len(ret.Results)-1]
	return httpmodel.ImplementsError(p.info.TypeOf(last)) && !p.info.Types[last].IsNil()
}

// closesNeed reports whether fn is a method Close that sets a flag by which other methods,
// which handlers run, fail from then on; or one of an interface, if all the methods of the
// package that may be meant are.
func (p *Info) closesNeed(fn *types.Func) bool {
	if fn == nil || fn.Name() != "Close" || fn.Signature().Recv() == nil {
		return false
	}
	if typeset.IsInterfaceMethod(fn) && fn.Pkg() == p.pass.Pkg {
		impls := p.index.Implementations(fn)
		return len(impls) > 0 && !slices.ContainsFunc(impls, func(m *types.Func) bool { return !p.closesNeed(m) })
	}
	decl := p.index.Decl(fn)
	if decl == nil {
		return false
	}
	sets := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				v := typeset.VarOf(p.info, x)
				sets = sets || v != nil && v.IsField() && typeset.IsBool(v.Type()) && p.isTold(v)
			}
		case *ast.CallExpr:
			if x := flagStored(p.info, n); x != nil {
				v := typeset.VarOf(p.info, x)
				sets = sets || v != nil && p.isTold(v)
			}
		}
		return !sets
	})
	return sets
}
