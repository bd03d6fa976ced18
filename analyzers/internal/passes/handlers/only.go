package handlers

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file finds the parameters that a function only calls, and keeps nowhere.

// A callUse says that a function gives its parameter to another one.
type callUse struct {
	fn, callee *types.Func
	bit, at    uint32
}

// onlyCalled returns the parameters, functions or slices of functions, that functions
// of this package call before they return and do nothing else with: the greatest such
// sets; and those that are called by nothing but the function that is returned.
func (m *machine) onlyCalled() (only, later map[*types.Func]uint32) {
	only, later = make(map[*types.Func]uint32), make(map[*types.Func]uint32)
	var uses []callUse
	for _, decl := range m.order {
		fn := m.info.Defs[decl.Name].(*types.Func)
		params := make(map[types.Object]uint32)
		for i := range fn.Signature().Params().Len() {
			if v := fn.Signature().Params().At(i); isFuncs(v.Type()) && v.Name() != "" && v.Name() != "_" {
				params[v] = bit(i)
				only[fn] |= bit(i)
			}
		}
		if len(params) > 0 {
			var kept uint32
			later[fn] = only[fn]
			uses, kept = m.callUses(uses, decl, fn, params, later)
			only[fn] &^= kept
		}
	}
	for changed := true; changed; {
		changed = false
		for _, u := range uses {
			calls := only[u.callee]
			if m.decls[u.callee] == nil {
				calls = m.factOf(u.callee).Only
			}
			if only[u.fn]&u.bit != 0 && calls&u.at == 0 {
				only[u.fn] &^= u.bit
				changed = true
			}
		}
	}
	return only, later
}

// isFuncs reports whether t is a type of functions, or of slices of functions.
func isFuncs(t types.Type) bool {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// callUses adds to uses what becomes of params, those of fn, but for calls of them;
// returns the ones with which more is done; and leaves in later[fn] those that only a
// function literal calls which fn returns.
func (m *machine) callUses(uses []callUse, decl *ast.FuncDecl, fn *types.Func, params map[types.Object]uint32, later map[*types.Func]uint32) (_ []callUse, kept uint32) {
	harmless := make(map[*ast.Ident]bool)
	returned := make(map[ast.Node]bool)
	allow := func(e ast.Expr) *ast.Ident {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if ok && params[m.info.Uses[id]] != 0 {
			harmless[id] = true
			return id
		}
		return nil
	}
	allowCompared := func(n *ast.BinaryExpr) {
		if n.Op == token.EQL || n.Op == token.NEQ {
			allow(n.X)
		}
	}
	literal := func(lit ast.Node) {
		ast.Inspect(lit, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if returned[lit] {
					allow(n.Fun)
				}
			case *ast.BinaryExpr:
				allowCompared(n)
			case *ast.Ident:
				kept |= params[m.info.Uses[n]]
				if !harmless[n] {
					later[fn] &^= params[m.info.Uses[n]]
				}
			}
			return true
		})
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok && !startsMore(lit) {
					returned[lit] = true
				}
			}
		case *ast.FuncLit, *ast.GoStmt:
			literal(n)
			return false
		case *ast.RangeStmt:
			if id := allow(n.X); id != nil && n.Value != nil {
				if v, ok := n.Value.(*ast.Ident); ok && m.info.Defs[v] != nil {
					params[m.info.Defs[v]] = params[m.info.Uses[id]]
				}
			}
		case *ast.CallExpr:
			if index, ok := ast.Unparen(n.Fun).(*ast.IndexExpr); ok {
				allow(index.X)
			}
			allow(n.Fun)
			callee := typeset.Callee(m.info, n)
			if callee == nil {
				break
			}
			for i, arg := range n.Args {
				if id := allow(arg); id != nil {
					at := min(i, callee.Signature().Params().Len()-1)
					uses = append(uses, callUse{fn, callee, params[m.info.Uses[id]], bit(at)})
					later[fn] &^= params[m.info.Uses[id]]
				}
			}
		case *ast.BinaryExpr:
			allowCompared(n)
		case *ast.Ident:
			if !harmless[n] {
				kept |= params[m.info.Uses[n]]
				later[fn] &^= params[m.info.Uses[n]]
			}
		}
		return true
	})
	return uses, kept
}

// startsMore reports whether a function literal has another one in it, or starts a
// goroutine.
func startsMore(lit *ast.FuncLit) bool {
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			found = true
		}
		return !found
	})
	return found
}
