package bodyfate

import (
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says which calls bring bodies.

// brings returns the bodies that the results of a call in the function fn hold.
func (c *checker) brings(fn ast.Node, call *ast.CallExpr) []live {
	if !mayHold(c.typeOf(call)) {
		return nil
	}
	callee := typeset.Callee(c.pass.TypesInfo, call)
	if callee == nil {
		callee = c.namedBy(call.Fun)
	}
	var found []live
	switch {
	case callee == nil:
		found = c.valueBrings(call)
	case httpmodel.SendsRequest(callee):
		if c.keepsNoConnection(fn, call) {
			return nil
		}
		found = fromWire
	case typeset.IsInterfaceMethod(callee):
		if callee.Name() != "Head" && httpmodel.LooksLikeSend(callee.Signature()) {
			found = fromWire
		}
	case c.decls[callee] != nil:
		found = c.returns(c.decls[callee])
	case !c.readsByItself(fn, callee):
		found = c.importedReturns(callee)
	}
	if len(found) == 0 || c.asksForNoBody(fn, call) {
		return nil
	}
	return found
}

// readsByItself reports whether callee, called in fn, reads the body of the response
// that it returns: resty does, unless the request is told not to, or a client.
func (c *checker) readsByItself(fn ast.Node, callee *types.Func) bool {
	if _, ok := httpmodel.RestySend(callee); !ok {
		return false
	}
	for id, obj := range c.pass.TypesInfo.Uses {
		told, ok := obj.(*types.Func)
		if !ok || told.Name() != "SetDoNotParseResponse" {
			continue
		}
		if syntax.Within(id, fn) || typeset.IsMethod(told, httpmodel.RestyPath, "Client", told.Name()) && !c.sendsByResty(id) {
			return false
		}
	}
	return true
}

// sendsByResty reports whether the function that n is in sends a request itself: it does
// not make a client for others.
func (c *checker) sendsByResty(n ast.Node) bool {
	sends := false
	for _, decl := range c.decls {
		if !syntax.Within(n, decl) {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && !sends {
				if fn := typeset.Callee(c.pass.TypesInfo, call); fn != nil {
					_, sends = httpmodel.RestySend(fn)
				}
			}
			return !sends
		})
	}
	return sends
}

// namedBy returns the function or method that is the only thing ever assigned to
// the variable fun, or nil.
func (c *checker) namedBy(fun ast.Expr) *types.Func {
	var id *ast.Ident
	switch def := c.onlyDefinition(fun).(type) {
	case *ast.Ident:
		id = def
	case *ast.SelectorExpr:
		id = def.Sel
	default:
		return nil
	}
	fn, _ := c.pass.TypesInfo.Uses[id].(*types.Func)
	return fn
}

// literalIn returns the function literal that is the only thing ever assigned to the
// variable fun, or nil.
func (c *checker) literalIn(fun ast.Expr) *ast.FuncLit {
	lit, _ := c.onlyDefinition(fun).(*ast.FuncLit)
	return lit
}

// onlyDefinition returns the only thing that is ever assigned to the variable e, or
// nil: others may assign to a parameter, and to an exported variable.
func (c *checker) onlyDefinition(e ast.Expr) ast.Expr {
	v := c.variable(e)
	if v == nil || c.isParameter(v) || v.Pkg() != c.pass.Pkg || v.Parent() == c.pass.Pkg.Scope() && v.Exported() {
		return nil
	}
	defs := c.definitions(v)
	if len(defs) != 1 {
		return nil
	}
	return ast.Unparen(defs[0])
}

// isParameter reports whether v is a parameter: then callers assign to it too.
func (c *checker) isParameter(v *types.Var) bool {
	return v.Kind() == types.ParamVar || v.Kind() == types.RecvVar || v.Kind() == types.ResultVar
}

// valueBrings is brings for a call of a function value.
func (c *checker) valueBrings(call *ast.CallExpr) []live {
	fun := ast.Unparen(call.Fun)
	if lit := c.literalIn(fun); lit != nil {
		return c.returns(lit)
	}
	if sig, ok := c.typeOf(fun).Underlying().(*types.Signature); ok && httpmodel.LooksLikeSend(sig) {
		return fromWire
	}
	if named := typeset.Named(c.typeOf(fun)); named != nil && named.Obj().Pkg() == c.pass.Pkg {
		return c.funcsReturn(named.Obj())
	} else if named != nil {
		return c.importedReturns(named.Obj())
	}
	return nil
}

// funcsReturn returns the bodies in the results of the functions of the type obj that
// this package makes, if the function that returns one is the only one to do so.
func (c *checker) funcsReturn(obj *types.TypeName) []live {
	sig, ok := obj.Type().Underlying().(*types.Signature)
	if !ok || !mayHold(sig.Results()) {
		return nil
	}
	if c.makers == nil {
		c.findMakers()
	}
	if lit := c.makers[obj]; lit != nil {
		return c.returns(lit)
	}
	return nil
}

// findMakers records the function literals that functions return as values of a type
// of this package, nil for a type that has several.
func (c *checker) findMakers() {
	c.makers = make(map[*types.TypeName]*ast.FuncLit)
	for fn, decl := range c.decls {
		results := fn.Signature().Results()
		if results.Len() != 1 || decl.Body == nil {
			continue
		}
		named := typeset.Named(results.At(0).Type())
		if named == nil || named.Obj().Pkg() != c.pass.Pkg {
			continue
		}
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				if len(n.Results) == 0 {
					break
				}
				if lit, ok := ast.Unparen(n.Results[0]).(*ast.FuncLit); ok {
					if _, several := c.makers[named.Obj()]; several {
						lit = nil
					}
					c.makers[named.Obj()] = lit
				}
			}
			return true
		})
	}
}

// mayHold reports whether a value of a call's type may hold a body: a response,
// a reader or closer, or a struct.
func mayHold(t types.Type) bool {
	switch u := t.(type) {
	case *types.Tuple:
		for v := range u.Variables() {
			if mayHold(v.Type()) {
				return true
			}
		}
		return false
	case nil:
		return false
	}
	if httpmodel.IsError(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		_, ok := u.Elem().Underlying().(*types.Struct)
		return ok
	case *types.Struct:
		return true
	case *types.Interface:
		return hasMethod(t, "Read") || hasMethod(t, "Close")
	}
	return false
}
