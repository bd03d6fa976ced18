package httpmodel

import (
	"fmt"
	"go/types"
	"os"
	"testing"

	"github.com/httpvet/httpvet/internal/testenv"

	"golang.org/x/tools/go/packages"
)

// TestTables proves that each thing that a table names exists in the library, in
// the version that the fixtures use.
func TestTables(t *testing.T) {
	wanted := make(map[string][]Entry)
	var paths []string
	for _, e := range Tables() {
		if wanted[e.PkgPath] == nil {
			paths = append(paths, e.PkgPath)
		}
		wanted[e.PkgPath] = append(wanted[e.PkgPath], e)
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedExportFile | packages.NeedTypes,
		Dir:  testenv.Testdata(t),
		Env:  append(os.Environ(), "GOWORK=off"),
	}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			t.Errorf("%v\n(a library that a table names must be imported in testdata/deps.go)", err)
		}
		for _, e := range wanted[pkg.PkgPath] {
			if err := resolve(pkg.Types, e); err != nil && len(pkg.Errors) == 0 {
				t.Error(err)
			}
		}
		delete(wanted, pkg.PkgPath)
	}
	for path := range wanted {
		t.Errorf("package %s was not loaded", path)
	}
}

// TestTablesResolve proves that TestTables can fail.
func TestTablesResolve(t *testing.T) {
	p := types.NewPackage("p", "p")
	field := types.NewField(0, p, "F", types.Typ[types.Int], false)
	typ := types.NewTypeName(0, p, "T", nil)
	types.NewNamed(typ, types.NewStruct([]*types.Var{field}, nil), nil)
	p.Scope().Insert(typ)
	p.Scope().Insert(types.NewVar(0, p, "V", types.Typ[types.Int]))
	for e, want := range map[Entry]bool{
		{"p", "T", ""}:  true,
		{"p", "T", "F"}: true,
		{"p", "", "V"}:  true,
		{"p", "V", ""}:  false,
		{"p", "V", "F"}: false,
		{"p", "T", "M"}: false,
		{"p", "", "T"}:  false,
		{"p", "", "F"}:  false,
		{"p", "", ""}:   false,
	} {
		if err := resolve(p, e); (err == nil) != want {
			t.Errorf("resolve(%v) = %v", e, err)
		}
	}
}

// resolve returns an error if pkg has nothing of e's name.
func resolve(pkg *types.Package, e Entry) error {
	if e.Type == "" {
		obj := pkg.Scope().Lookup(e.Name)
		if _, ok := obj.(*types.TypeName); ok || obj == nil {
			return fmt.Errorf("%s has no function, variable or constant %s", e.PkgPath, e.Name)
		}
		return nil
	}
	typ, ok := pkg.Scope().Lookup(e.Type).(*types.TypeName)
	if !ok {
		return fmt.Errorf("%s has no type %s", e.PkgPath, e.Type)
	}
	if e.Name == "" {
		return nil
	}
	if obj, _, _ := types.LookupFieldOrMethod(typ.Type(), true, pkg, e.Name); obj == nil {
		return fmt.Errorf("%s.%s has no method or field %s", e.PkgPath, e.Type, e.Name)
	}
	return nil
}
