package syntax

import (
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestAddImport writes io.EOF in place of the call of here, and checks what the
// import part of the file has become and that the file still compiles.
func TestAddImport(t *testing.T) {
	const body = "\n\nfunc _() { here() }\n"
	tests := []struct {
		name, src string
		want      string // what is written for io.EOF
		imports   string // what stands before the function; empty if nothing changes
	}{
		{"no import", `package p` + body, "io.EOF", "package p\n\nimport \"io\""},
		{"the doc of the first declaration", `package p

// f is documented.
func f() { here() }
`, "io.EOF", "package p\n\nimport \"io\"\n\n// f is documented."},
		{"present", `package p; import "io"; var _ io.Reader` + body, "io.EOF", ""},
		{"renamed", `package p; import stdio "io"; var _ stdio.Reader` + body, "stdio.EOF", ""},
		{"the second import of two", `package p
import (a "io"; b "io")
var a1, b1 = a.EOF, b.EOF
func _() { a := 1; _ = a; here() }`, "b.EOF", ""},
		{"dot", `package p; import . "io"; var _ Reader` + body, "EOF", ""},
		{"dot, shadowed", `package p

import . "io"

var _ Reader

func _() { EOF := 1; _ = EOF; here() }
`, "io.EOF", "package p\n\nimport \"io\"\nimport . \"io\"\n\nvar _ Reader"},
		{"blank", `package p

import _ "io"` + body, "io.EOF", "package p\n\nimport \"io\"\nimport _ \"io\""},
		{"one import", `package p

import "fmt" // a comment

var _ fmt.Stringer` + body, "io.EOF", "package p\n\nimport \"io\"\nimport \"fmt\" // a comment\n\nvar _ fmt.Stringer"},
		{"on the line of the package", `package p; import "fmt"; var _ fmt.Stringer; func _() { here() }`,
			"io.EOF", "package p\n\nimport \"io\"\nimport \"fmt\"\n\nvar _ fmt.Stringer"},
		{"a group", `package p

import (
	"fmt" // a comment
	"os"
)

var _, _ = fmt.Sprint, os.Args` + body, "io.EOF",
			"package p\n\nimport (\n\t\"fmt\" // a comment\n\t\"io\"\n\t\"os\"\n)\n\nvar _, _ = fmt.Sprint, os.Args"},
		{"first of a group", `package p

import (
	// For its arguments.
	"os"
)

var _ = os.Args` + body, "io.EOF",
			"package p\n\nimport (\n\t\"io\"\n\t// For its arguments.\n\t\"os\"\n)\n\nvar _ = os.Args"},
		{"last of a group on one line", `package p; import ("bytes"; "fmt"); var _, _ = bytes.Equal, fmt.Sprint` + body, "io.EOF",
			"package p\n\nimport (\n\t\"bytes\"\n\t\"fmt\"\n\t\"io\"\n)\n\nvar _, _ = bytes.Equal, fmt.Sprint"},
		{"a group without", `package p

import ()

import (
	"fmt"
)

var _ fmt.Stringer` + body, "io.EOF",
			"package p\n\nimport ()\n\nimport (\n\t\"fmt\"\n\t\"io\"\n)\n\nvar _ fmt.Stringer"},
		{"shadowed by a variable", `package p

import "io"

var _ io.Reader

func _() { io := 1; _ = io; here() }
`, "io1.EOF", "package p\n\nimport io1 \"io\"\nimport \"io\"\n\nvar _ io.Reader"},
		{"a variable that comes later", `package p; import "io"; var _ io.Reader
func _() { here(); io := 1; _ = io }`, "io.EOF", ""},
		{"a variable of another block", `package p; import "io"; var _ io.Reader
func _() { { io := 1; _ = io }; here() }`, "io.EOF", ""},
		{"a parameter, nothing imported", `package p

func _(io int) { here() }
`, "io1.EOF", "package p\n\nimport io1 \"io\""},
		{"a name of the package", `package p

var io, io1 int
` + body, "io2.EOF", "package p\n\nimport io2 \"io\"\n\nvar io, io1 int"},
		{"a name of the file", `package p

import io "fmt"

var _ io.Stringer` + body, "io1.EOF", "package p\n\nimport io1 \"io\"\nimport io \"fmt\"\n\nvar _ io.Stringer"},
		{"outside of functions", `package p

var x = here()
`, "io.EOF", "package p\n\nimport \"io\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := test.src + "\nfunc here() error { return nil }\n"
			file, info := typecheck(t, src)
			pos := callOfHere(t, file)
			prefix, edits := AddImport(info, file, pos, "io", "io", "EOF")
			if got := prefix + "EOF"; got != test.want {
				t.Fatalf("write %s, want %s", got, test.want)
			}
			if (len(edits) > 0) != (test.imports != "") {
				t.Fatalf("%d edits, want imports %q", len(edits), test.imports)
			}
			edits = append(edits, analysis.TextEdit{Pos: pos, End: pos + token.Pos(len("here()")), NewText: []byte("func(error) error { return nil }(" + prefix + "EOF)")})
			got := apply(t, src, edits)
			typecheck(t, got)
			if test.imports != "" && !strings.HasPrefix(got, test.imports+"\n") {
				t.Errorf("got\n%s\nwant a file that opens with\n%s", got, test.imports)
			}
		})
	}
}

// TestAddImportOthers checks where paths of other modules go.
func TestAddImportOthers(t *testing.T) {
	tests := []struct{ name, src, path, want string }{
		{"beside their like", `package p

import (
	"fmt"
	"os"

	"example.com/b"
	"example.com/d"
)
`, "example.com/c", `package p

import (
	"fmt"
	"os"

	"example.com/b"
	"example.com/c"
	"example.com/d"
)
`},
		{"not between them", `package p

import (
	"fmt"
	"os"

	"example.com/b"
)
`, "io", `package p

import (
	"fmt"
	"io"
	"os"

	"example.com/b"
)
`},
		{"the first of another module", `package p

import (
	"fmt"
	"os"
)
`, "example.com/c", `package p

import (
	"fmt"
	"os"

	"example.com/c"
)
`},
		{"the first of the standard library", `package p

import (
	"example.com/b"
)
`, "io", `package p

import (
	"io"

	"example.com/b"
)
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := parser.ParseFile(fset, "p.go", test.src, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			edit := insertImport(file, test.path, `"`+test.path+`"`)
			if got := apply(t, test.src, []analysis.TextEdit{edit}); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// Imported packages are checked once.
var (
	fset = token.NewFileSet()
	std  = importer.ForCompiler(fset, "source", nil)
)

// typecheck parses and checks the source of a file.
func typecheck(t *testing.T, src string) (*ast.File, *types.Info) {
	t.Helper()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	info := &types.Info{
		Scopes:    make(map[ast.Node]*types.Scope),
		Defs:      make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object),
	}
	conf := types.Config{Importer: std}
	if _, err := conf.Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return file, info
}

// callOfHere returns where here is called.
func callOfHere(t *testing.T, file *ast.File) (pos token.Pos) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "here" {
				pos = id.Pos()
			}
		}
		return true
	})
	if !pos.IsValid() {
		t.Fatal("here is not called")
	}
	return pos
}

// apply returns the formatted source after edits.
func apply(t *testing.T, src string, edits []analysis.TextEdit) string {
	t.Helper()
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(x, y analysis.TextEdit) int { return int(y.Pos - x.Pos) })
	for _, e := range edits {
		src = src[:fset.Position(e.Pos).Offset] + string(e.NewText) + src[fset.Position(e.End).Offset:]
	}
	out, err := format.Source([]byte(src))
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return string(out)
}
