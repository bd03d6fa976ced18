// Package typeset answers questions about typed syntax: which function a call
// calls, which object or type an expression denotes. It never compares by
// spelling: identity is that of types.Object, or of a package path and a name.
package typeset

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// Callee returns the function or method that call calls, through a concrete type
// or an interface, or nil: for a conversion, a builtin, a function value. For an
// instantiated generic it returns the generic function (Origin).
func Callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(info, call).(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// IsFunc reports whether fn is the package-level function of one of the names in
// the package pkgPath.
func IsFunc(fn *types.Func, pkgPath string, names ...string) bool {
	if fn == nil || fn.Pkg() == nil || PkgPath(fn.Pkg()) != pkgPath || fn.Signature().Recv() != nil {
		return false
	}
	return oneOf(fn.Name(), names)
}

// IsMethod reports whether fn is a method, of one of the names, of the named type
// pkgPath.typeName or of a pointer to it. For an interface the type is the one
// that declares the method.
func IsMethod(fn *types.Func, pkgPath, typeName string, names ...string) bool {
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	return IsNamed(fn.Signature().Recv().Type(), pkgPath, typeName) && oneOf(fn.Name(), names)
}

// IsNamed reports whether t, or what it points to, is the named type pkgPath.name
// (or an instance of it).
func IsNamed(t types.Type, pkgPath, name string) bool {
	named := Named(t)
	if named == nil {
		return false
	}
	obj := named.Obj()
	return obj.Name() == name && obj.Pkg() != nil && PkgPath(obj.Pkg()) == pkgPath
}

// Named returns the named type that t is or points to, or nil.
func Named(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// Underlying returns the underlying type of e. What has no type, as a call of C's
// that cgo has not rewritten, has an invalid one.
func Underlying(info *types.Info, e ast.Expr) types.Type {
	if t := info.TypeOf(e); t != nil {
		return t.Underlying()
	}
	return types.Typ[types.Invalid]
}

// Element returns the field of a struct that the i-th element of lit is for, and the
// element's value. The field is nil for the elements of all but structs.
func Element(info *types.Info, lit *ast.CompositeLit, i int) (field *types.Var, value ast.Expr) {
	t := Underlying(info, lit)
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem().Underlying() // &T, left out in a literal of such
	}
	st, ok := t.(*types.Struct)
	elt := lit.Elts[i]
	if kv, keyed := elt.(*ast.KeyValueExpr); keyed {
		if id, isName := kv.Key.(*ast.Ident); isName && ok {
			field, _ = info.Uses[id].(*types.Var)
		}
		return field, kv.Value
	}
	if ok && i < st.NumFields() {
		field = st.Field(i)
	}
	return field, elt
}

// StructOf returns the struct that t, which may be nil, is or points to.
func StructOf(t types.Type) (*types.Struct, bool) {
	if t == nil {
		return nil, false
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

// Fields returns the fields that an index, as of a selection from a value of type t,
// goes through: as far as they are fields.
func Fields(t types.Type, index []int) (fields []*types.Var) {
	for _, i := range index {
		st, ok := StructOf(t)
		if !ok || i >= st.NumFields() {
			break
		}
		fields = append(fields, st.Field(i))
		t = st.Field(i).Type()
	}
	return fields
}

// SignatureOf returns the signature of a function, an *ast.FuncDecl or *ast.FuncLit;
// nil if it has none, or is neither.
func SignatureOf(info *types.Info, fn ast.Node) *types.Signature {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		if obj, ok := info.Defs[fn.Name].(*types.Func); ok {
			return obj.Signature()
		}
	case *ast.FuncLit:
		sig, _ := info.TypeOf(fn).(*types.Signature)
		return sig
	}
	return nil
}

// IsBool reports whether t is a boolean type; false for nil.
func IsBool(t types.Type) bool { return isBasic(t, types.IsBoolean) }

// IsInteger reports whether t is an integer type; false for nil.
func IsInteger(t types.Type) bool { return isBasic(t, types.IsInteger) }

// IsString reports whether t is a string type; false for nil.
func IsString(t types.Type) bool { return isBasic(t, types.IsString) }

// isBasic reports whether t is a basic type of the given kind.
func isBasic(t types.Type, kind types.BasicInfo) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&kind != 0
}

// IsExported reports whether other packages can call fn by its name: it is exported
// and so is, for a method, the type that it is a method of.
func IsExported(fn *types.Func) bool {
	if !fn.Exported() {
		return false
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return true
	}
	named := Named(recv.Type())
	return named != nil && named.Obj().Exported()
}

// IsInterfaceMethod reports whether fn is declared by an interface.
func IsInterfaceMethod(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// IsStd reports whether pkg is of the standard library, or nil, as the package of
// what the language declares. The module is that of the pass, or nil: not every
// driver knows it, and no path of a user's needs to have a dot.
func IsStd(pkg *types.Package, module *analysis.Module) bool {
	return pkg == nil || std[firstElement(pkg.Path())] && !inModule(pkg.Path(), module)
}

// inModule reports whether a package's path lies in a module of a user.
func inModule(path string, module *analysis.Module) bool {
	if module == nil || module.Path == "" || module.Path == "std" {
		return false
	}
	rest, ok := strings.CutPrefix(path, module.Path)
	return ok && (rest == "" || rest[0] == '/')
}

// firstElement returns what stands before the first slash of a path.
func firstElement(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

// std holds the first elements of the paths of the standard library and of the
// commands beside it.
var std = map[string]bool{
	"archive": true, "bufio": true, "bytes": true, "cmd": true, "cmp": true, "compress": true,
	"container": true, "context": true, "crypto": true, "database": true, "debug": true,
	"embed": true, "encoding": true, "errors": true, "expvar": true, "flag": true, "fmt": true,
	"go": true, "hash": true, "html": true, "image": true, "index": true, "internal": true,
	"io": true, "iter": true, "log": true, "maps": true, "math": true, "mime": true, "net": true,
	"os": true, "path": true, "plugin": true, "reflect": true, "regexp": true, "runtime": true,
	"slices": true, "sort": true, "strconv": true, "strings": true, "structs": true, "sync": true,
	"syscall": true, "testing": true, "text": true, "time": true, "unicode": true, "unique": true,
	"unsafe": true, "vendor": true, "weak": true,
}

// PkgPath returns the path of pkg without the prefix of a vendor directory.
func PkgPath(pkg *types.Package) string {
	path := pkg.Path()
	for {
		_, inner, ok := strings.Cut(path, "/vendor/") // not LastIndex, which is slow
		if !ok {
			return strings.TrimPrefix(path, "vendor/")
		}
		path = inner
	}
}

// Imports reports whether pkg is, or imports directly or indirectly, one of the
// packages with the given paths.
func Imports(pkg *types.Package, paths ...string) bool {
	seen := make(map[*types.Package]bool)
	var visit func(p *types.Package) bool
	visit = func(p *types.Package) bool {
		if seen[p] {
			return false
		}
		seen[p] = true
		if oneOf(p.Path(), paths) {
			return true
		}
		for _, dep := range p.Imports() {
			if visit(dep) {
				return true
			}
		}
		return false
	}
	return visit(pkg)
}

func oneOf(s string, list []string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
