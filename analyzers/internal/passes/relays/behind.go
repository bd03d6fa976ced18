package relays

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says what is behind the method of an interface: the methods that implement
// it in the package and in those of its module that it imports, if all of them agree.
// That others implement it elsewhere cannot be ruled out, but the fault is there with
// those that can be seen.

// dynamicType returns the type of what is in x, a variable or field of the type of an
// interface that is set once, or nil.
func (c *checker) dynamicType(x ast.Expr) types.Type {
	for range 4 {
		v := typeset.VarOf(c.info, x)
		if v == nil {
			return nil
		}
		x = c.index.OnlyDef(v)
		if call, ok := x.(*ast.CallExpr); ok {
			x = c.onlyResult(call)
		}
		if x == nil {
			return nil
		}
		if t := c.info.TypeOf(x); t != nil && !types.IsInterface(t) && !c.info.Types[x].IsNil() {
			return t
		}
	}
	return nil
}

// onlyResult returns what a call returns: what the one return of a function of the
// package does, or the call itself. It has one result.
func (c *checker) onlyResult(call *ast.CallExpr) (x ast.Expr) {
	decl := c.index.Decl(typeset.Callee(c.info, call))
	if decl == nil {
		return call
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if x != nil || len(n.Results) != 1 {
				x = call
			} else {
				x = n.Results[0]
			}
		}
		return true
	})
	return x
}

// implementations returns the methods that are known to implement fn, if an interface
// of the module declares it.
func (c *checker) implementations(fn *types.Func) []*types.Func {
	if !typeset.IsInterfaceMethod(fn) || fn.Pkg() == nil || !c.inModule(fn.Pkg()) {
		return nil
	}
	if fns, ok := c.behind[fn]; ok {
		return fns
	}
	if c.methods == nil {
		c.findMethods()
	}
	var fns []*types.Func
	iface := fn.Signature().Recv().Type().Underlying().(*types.Interface)
	for _, m := range c.methods[fn.Name()] {
		if named := typeset.Named(m.Signature().Recv().Type()); named != nil && types.Implements(types.NewPointer(named), iface) {
			fns = append(fns, m)
		}
	}
	c.behind[fn] = fns
	return fns
}

// findMethods notes, by their names, the methods of the types that may implement an
// interface: those of the package, but for its tests, and the exported ones of packages
// of its module that it imports.
func (c *checker) findMethods() {
	c.methods = make(map[string][]*types.Func)
	for _, pkg := range append(slices.Clip(c.pass.Pkg.Imports()), c.pass.Pkg) {
		if !c.inModule(pkg) {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || obj.IsAlias() || types.IsInterface(obj.Type()) || c.inTest(obj.Pos()) || pkg != c.pass.Pkg && !obj.Exported() {
				continue
			}
			if named, ok := obj.Type().(*types.Named); ok && named.TypeParams().Len() == 0 {
				for m := range named.Methods() {
					c.methods[m.Name()] = append(c.methods[m.Name()], m)
				}
			}
		}
	}
}

// inModule reports whether pkg is of the same module as the package.
func (c *checker) inModule(pkg *types.Package) bool {
	m := c.pass.Module
	return pkg == c.pass.Pkg || m != nil && m.Path != "" && (pkg.Path() == m.Path || strings.HasPrefix(pkg.Path(), m.Path+"/"))
}

// inTest reports whether pos is in a test file of the package.
func (c *checker) inTest(pos token.Pos) bool {
	file := c.pass.Fset.File(pos)
	return file != nil && strings.HasSuffix(file.Name(), "_test.go")
}

// summaryBehind returns what the implementations of fn, which an interface declares,
// have in common, or nil if nothing is known. One that is under way, as it calls fn
// itself, does what the others do.
func (c *checker) summaryBehind(fn *types.Func) *summary {
	if httpmodel.LooksLikeLogging(fn) {
		return nil
	}
	all := c.imported(fn)
	for _, impl := range c.implementations(fn) {
		if decl := c.index.Decl(impl); decl != nil && slices.Contains(c.active, ast.Node(decl)) {
			continue
		}
		s := c.summaryOf(impl)
		if s == nil {
			return nil
		}
		if all = all.meet(s); all == nil {
			return nil
		}
	}
	return all
}

// meet returns what functions with the summaries s, which is nil at first, and t are
// both known to do.
func (s *summary) meet(t *summary) *summary {
	if s == nil {
		return t
	}
	out := &summary{
		Looks:   slices.Concat(s.Looks, t.Looks),
		Sends:   common(s.Sends, t.Sends, compareSends),
		Gives:   common(s.Gives, t.Gives, compareGives),
		Calls:   common(s.Calls, t.Calls, compareCalls),
		Answers: slices.Concat(s.Answers, t.Answers),
	}
	slices.SortFunc(out.Looks, compareRefs)
	slices.Sort(out.Answers)
	out.Looks, out.Answers = slices.Compact(out.Looks), slices.Compact(out.Answers)
	return out
}

// common returns those of xs that are among ys.
func common[T any](xs, ys []T, compare func(x, y T) int) (both []T) {
	for _, x := range xs {
		if slices.ContainsFunc(ys, func(y T) bool { return compare(x, y) == 0 }) {
			both = append(both, x)
		}
	}
	return both
}
