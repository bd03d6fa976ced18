package timeoutstatus

import (
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/neterr"
	"github.com/httpvet/httpvet/analyzers/internal/report"
)

// find looks through the package for what names a status. It notes the functions
// that do, to be followed, and returns them; it queues the error handlers of
// proxies, and checks tables.
func (c *checker) find() map[*types.Func]bool {
	answering := make(map[*types.Func]bool)
	for fileCur := range c.in.Root().Children() {
		file := fileCur.Node().(*ast.File)
		if report.IsTest(c.pass, file) {
			continue
		}
		for cur := range fileCur.Preorder((*ast.BasicLit)(nil), (*ast.Ident)(nil), (*ast.CompositeLit)(nil), (*ast.AssignStmt)(nil), (*ast.CallExpr)(nil)) {
			switch n := cur.Node().(type) {
			case *ast.BasicLit, *ast.Ident:
				if !c.names(n.(ast.Expr)) {
					continue
				}
				for decl := range cur.Enclosing((*ast.FuncDecl)(nil)) {
					decl := decl.Node().(*ast.FuncDecl)
					c.follow[decl] = true
					if fn, ok := c.info.Defs[decl.Name].(*types.Func); ok {
						answering[fn] = true
					}
				}
			case *ast.CompositeLit:
				c.checkTable(n)
				for _, elt := range n.Elts {
					if kv, ok := elt.(*ast.KeyValueExpr); ok {
						if key, ok := kv.Key.(*ast.Ident); ok {
							c.errorHandler(c.info.Uses[key], kv.Value)
						}
					}
				}
			case *ast.CallExpr:
				c.checkRow(n)
			case *ast.AssignStmt:
				for i, x := range n.Lhs {
					if sel, ok := x.(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) {
						c.errorHandler(c.info.Uses[sel.Sel], n.Rhs[i])
					}
				}
			}
		}
	}
	return answering
}

// names reports whether x names a status: a number, a constant, or a variable or
// function that stands for one.
func (c *checker) names(x ast.Expr) bool {
	if id, ok := x.(*ast.Ident); ok {
		switch obj := c.info.Uses[id].(type) {
		case *types.Const, *types.Func, *types.Var:
			if code, ok := c.errs.Answers(obj); ok {
				return c.codes.has(code)
			}
		default:
			return false
		}
	}
	_, ok := c.status(x)
	return ok
}

// status returns the status that x is.
func (c *checker) status(x ast.Expr) (int64, bool) {
	return neterr.StatusIn(c.info, x, c.codes.has)
}

// findCallers has the functions followed that pass an error to one in answering.
func (c *checker) findCallers(answering map[*types.Func]bool) {
	takes := false
	for fn := range answering {
		for v := range fn.Signature().Params().Variables() {
			takes = takes || neterr.IsError(v.Type())
		}
	}
	if !takes {
		return
	}
	for cur := range c.in.Root().Preorder((*ast.CallExpr)(nil)) {
		if _, fn := c.errs.Callee(cur.Node().(*ast.CallExpr)); fn == nil || !answering[fn] {
			continue
		}
		for decl := range cur.Enclosing((*ast.FuncDecl)(nil)) {
			c.follow[decl.Node().(*ast.FuncDecl)] = true
		}
	}
}

// errorHandler queues the functions that x may be, if it is set as the ErrorHandler
// of a proxy.
func (c *checker) errorHandler(field types.Object, x ast.Expr) {
	if v, ok := field.(*types.Var); !ok || !httpmodel.IsProxyErrorHandler(v) {
		return
	}
	for _, node := range c.errs.Functions(x) {
		if params := c.errs.Params(node); len(params) > 0 {
			c.enqueue(node, params[len(params)-1], neterr.Failure{Set: neterr.FromTransport() &^ neterr.None})
		}
	}
}

// enqueue queues the function node, whose parameter v is the failure f.
func (c *checker) enqueue(node ast.Node, v *types.Var, f neterr.Failure) {
	if c.queued[v] {
		return
	}
	c.queued[v] = true
	c.queue = append(c.queue, job{node, c.errs.Failed(v, f)})
}

// holdsStatus reports whether a status is named in lit.
func (c *checker) holdsStatus(lit *ast.FuncLit) bool {
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || c.names(n)
		case *ast.BasicLit:
			found = found || c.names(n)
		}
		return !found
	})
	return found
}

// holder returns obj if it is a variable or a constant, or nil.
func holder(obj types.Object) types.Object {
	switch obj.(type) {
	case *types.Var, *types.Const:
		return obj
	}
	return nil
}
