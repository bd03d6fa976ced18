package relays

import (
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// isStrict reports whether the package has a client, a transport or a hook that makes
// errors of bad statuses, and call is of a client that may be it, or have it.
func (c *checker) isStrict(call *ast.CallExpr) bool {
	fn, recv := c.callee(call)
	if fn != nil && typeset.IsInterfaceMethod(fn) && c.strict[fn.Name()] {
		return true
	}
	if recv == nil || fn == nil || fn.Pkg() == nil {
		return false // http.Get
	}
	if v := typeset.VarOf(c.info, recv); v != nil && v.Pkg() != nil && v.Pkg().Path() == httpmodel.NetHTTP && !v.IsField() {
		return false // http.DefaultClient
	}
	return c.strict[typeset.PkgPath(fn.Pkg())] || c.strict[httpmodel.NetHTTP] && httpmodel.LooksLikeDo(fn.Signature())
}

// findStrict notes the packages whose clients this package makes strict. What was run
// before it was known is forgotten.
func (c *checker) findStrict() {
	c.strict = make(map[string]bool)
	defer func() {
		if len(c.strict) > 0 {
			clear(c.ran)
		}
	}()
	for _, decl := range c.index.Decls() {
		fn, ok := c.info.Defs[decl.Name].(*types.Func)
		if !ok || decl.Recv == nil || !httpmodel.LooksLikeDo(fn.Signature()) || !c.refuses(decl) {
			continue
		}
		c.strict[fn.Name()] = true // as the method of an interface
		if fn.Name() == "RoundTrip" {
			c.strict[httpmodel.NetHTTP] = true
		}
	}
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			fn := typeset.Callee(c.info, call)
			if fn == nil || fn.Pkg() == nil || fn.Name() != "OnAfterResponse" && fn.Name() != "OnError" {
				return true
			}
			if c.asksStatus(c.index.FuncOf(call.Args[0])) {
				c.strict[typeset.PkgPath(fn.Pkg())] = true
			}
			return true
		})
	}
}

// refuses reports whether a function that gets a response returns none on a path on
// which it has looked at its status.
func (c *checker) refuses(decl *ast.FuncDecl) bool {
	e := c.engineOf(decl)
	if e == nil {
		return false
	}
	for _, x := range e.exits {
		if len(x.results) != 2 || x.results[0].has(response) {
			continue
		}
		for i, o := range e.origins {
			if o.call != nil && x.world.hasLooked(i) {
				return true
			}
		}
	}
	return false
}

// asksStatus reports whether a function asks a response for its status.
func (c *checker) asksStatus(fn ast.Node) bool {
	if fn == nil {
		return false
	}
	asks := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && httpmodel.PartOf(sel.Sel.Name) == httpmodel.StatusPart && httpmodel.IsUpstream(c.info.TypeOf(sel.X)) {
			asks = true
		}
		return !asks
	})
	return asks
}
