package main

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"
)

// TestBodies proves that a file without bodies declares what it declared with them:
// odd ones, and those of the standard library's largest packages.
func TestBodies(t *testing.T) {
	const odd = "package p\n" + `
func assembly(x int) int

var table = map[string]int{"}": 1}

func results() (a struct{ x int }, b interface{ M() }) { return }

func literal() struct{ x int } { return struct{ x int }{'{'} } // {

func generic[T interface{ ~int }](
	x T, // }
) (y [3]T) {
	if y := "}"; y == ` + "`\n}\n`" + ` { /* } */
		return
	}
	_ = '\''; _ = '}'; _ = "\"}"; _ = 4 / 2
	return
}

func (r *T) method() func() interface{} { return func() interface{} { return struct{}{} } }

type T struct { f func() }

func comment() /* { */ { { {} } }

var f = func() { println("{") }

func  spaced ()  {
}

func last() {}`
	check := func(name string, src []byte) {
		t.Helper()
		want, got := declarationsOf(t, name, src, true), declarationsOf(t, name, withoutBodies(src), false)
		if !bytes.Equal(want, got) {
			t.Errorf("%s without bodies is\n%swant\n%s", name, got, want)
		}
	}
	check("odd.go", []byte(odd))
	for _, broken := range []string{"", "func", "func f() {", "package p\nfunc f() { \"", "func f() { /*", "func f() { `", "func f() {'\\", "}}}", "func f(", "//"} {
		withoutBodies([]byte(broken)) // must not panic
	}

	n := 0
	for _, dir := range []string{"net/http", "runtime", "syscall", "reflect", "go/types", "strconv", "crypto/tls", "text/template", "regexp/syntax"} {
		names, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			check(name, src)
			n++
		}
	}
	if n == 0 {
		t.Error("no files")
	}
}

// declarationsOf parses a file and prints it without comments, and without the
// bodies of functions: those that it has, if they are to be removed, and otherwise
// what is left of them, which must be nothing.
func declarationsOf(t *testing.T, name string, src []byte, remove bool) []byte {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return nil
	}
	var out bytes.Buffer
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok && decl.Body != nil {
			if !remove && len(decl.Body.List) > 0 {
				t.Errorf("%s: the body of %s is still there", name, decl.Name.Name)
			}
			decl.Body = &ast.BlockStmt{}
		}
		if err := format.Node(&out, token.NewFileSet(), decl); err != nil {
			t.Fatal(err)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}
