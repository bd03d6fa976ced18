package main

import (
	"go/ast"
	source "go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// TestTables proves that a table that is emptied leaves every type and constant
// what it was, and that what is more than a table is left alone.
func TestTables(t *testing.T) {
	list := strings.Repeat("1, ", minTable)
	src := `package p

import "math"

type point struct{ x, y int }

const first, third = 3, iota

var (
	counted   = [...]int{` + list + `}
	ascending = [...]uint16{0: 1, ` + list + `}
	keyed     = [...]uint16{900 - 890: 1, 'a' - 0x20: 2, ` + list + `}
	back      = [...]uint16{500: 1, 0: ` + list + `}
	named     = [...]uint16{` + list + ` first<<2 | third<<4}
	byName    = [...]int{first: 0, ` + list + `}
	fixed     = [1000]int{7: ` + list + `}
	slice     = []int{` + list + `-1, +2, ^3}
	runes     = map[rune]string{` + runeTable() + `}
	points    = []point{` + strings.Repeat("{1, 2}, ", minTable) + `}
	pairs     = [...][2]byte{` + strings.Repeat("{1, 2}, ", minTable) + `}
	nested    = struct{ name string; table [minTable]int }{"n", [minTable]int{` + list + `}}
	floats    = []float64{` + list + `math.Pi}
	funcs     = []func(){` + strings.Repeat("nil, ", minTable) + `}
	inFunc    = func() int { t := [...]int{` + list + `}; return len(t) }()
	pointers  = []*point{` + strings.Repeat("{1, 2}, ", minTable) + `}
	one, two  = []int{` + list + `}, "two"
)

const minTable = 32

const length = len(counted) + len(ascending) + len(keyed) + len(back) + len(named) + len(byName)
`
	emptied := map[string]bool{"counted": true, "ascending": true, "keyed": true, "back": true, "named": true, "fixed": true,
		"slice": true, "runes": true, "points": true, "pairs": true, "pointers": true, "one": true}
	fset := token.NewFileSet()
	check := func(empty bool) (*types.Package, *ast.File) {
		file, err := parser.ParseFile(fset, "p.go", src, 0)
		if err != nil {
			t.Fatal(err)
		}
		if empty {
			emptyTables(file)
		}
		config := types.Config{Importer: source.ForCompiler(fset, "source", nil)}
		pkg, err := config.Check("p", fset, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return pkg, file
	}
	whole, _ := check(false)
	short, file := check(true)
	for _, name := range whole.Scope().Names() {
		a, b := whole.Scope().Lookup(name), short.Scope().Lookup(name)
		if a.String() != b.String() {
			t.Errorf("%v becomes %v", a, b)
		}
	}
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.VAR {
			for _, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec)
				name := spec.Names[0].Name
				lit, ok := spec.Values[0].(*ast.CompositeLit)
				if got := ok && len(lit.Elts) == 0; got != emptied[name] {
					t.Errorf("%s: emptied is %t, want %t", name, got, emptied[name])
				}
			}
		}
	}
}

// runeTable returns the elements of a table of characters.
func runeTable() string {
	var b strings.Builder
	for i := range minTable {
		b.WriteString("'" + string(rune('A'+i)) + "': \"x\", ")
	}
	return strings.ReplaceAll(b.String(), `'\'`, `'\\'`)
}
