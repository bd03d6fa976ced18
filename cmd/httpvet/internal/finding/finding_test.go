package finding

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const source = `package p

import "fmt"

type T[K comparable, V any] struct{}

func F() { here() }

func (t *T[K, V]) M() {
	func() { here() }()
}

func (T[K, V]) N() { here() }

var a, b = here(), 1

var (
	c = func() int { return here() }
	d = here()
)

func init() { fmt.Println("日本 😀", here()) }

var _ = here()
`

// write writes a file and returns its name.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestFunc proves how the code around a finding is named.
func TestFunc(t *testing.T) {
	src := new(Sources).File(write(t, source))
	var got []string
	for offset := 0; ; offset += len("here") {
		i := strings.Index(source[offset:], "here()")
		if i < 0 {
			break
		}
		offset += i
		pos := src.Position("p.go", offset)
		if back := src.offset(pos); back != offset {
			t.Errorf("offset %d is at %v, which is at offset %d", offset, pos, back)
		}
		got = append(got, src.Func(pos))
	}
	if want := "F (*T).M T.N a c d init _"; strings.Join(got, " ") != want {
		t.Errorf("names %q, want %s", got, want)
	}
	if got := src.Func(token.Position{Line: 3, Column: 1}); got != "" {
		t.Errorf("an import is in %q", got)
	}
}

// TestColumn16 proves that columns are counted in UTF-16 code units for SARIF, and
// what becomes of a place that is not in the file.
func TestColumn16(t *testing.T) {
	src := new(Sources).File(write(t, source))
	pos := src.Position("p.go", strings.LastIndex(source, "here())"))
	if want := len(`func init() { fmt.Println("`) + 2 + 1 + 2 + len(`", `) + 1; src.Column16(pos) != want {
		t.Errorf("column %d in UTF-16, want %d", src.Column16(pos), want)
	}
	for _, pos := range []token.Position{{Line: 1000, Column: 7}, {Line: 2, Column: 7}, {Line: 7, Column: 1000}} {
		if got := src.Column16(pos); got != pos.Column {
			t.Errorf("column %d of a place that is not there, want %d", got, pos.Column)
		}
	}
}

// TestMissing proves that a file that is gone, or no Go, is no trouble.
func TestMissing(t *testing.T) {
	for _, name := range []string{"nowhere.go", write(t, "no Go\nat all"), write(t, "")} {
		src := new(Sources).File(name)
		if got := src.Func(token.Position{Line: 1, Column: 1}); got != "" {
			t.Errorf("%s: in function %q", name, got)
		}
		src.Position(name, 100)
		src.Column16(token.Position{Line: 1, Column: 1})
	}
}

// TestKey proves what stays of a finding when lines shift.
func TestKey(t *testing.T) {
	name := write(t, source)
	root := filepath.Dir(filepath.Dir(name))
	key := func(line int, message string) Key {
		return KeyOf(Finding{Rule: "r", Message: message, Pos: token.Position{Filename: name, Line: line, Column: 12}}, root, new(Sources))
	}
	if a, b := key(7, "the return at line 12 of 3"), key(7, "the return at line 9 of 3"); a != b {
		t.Errorf("%v and %v differ", a, b)
	}
	if a, b := key(7, "m"), key(10, "m"); a == b || a.Dir != filepath.Base(filepath.Dir(name)) {
		t.Errorf("%v and %v", a, b)
	}
}

// TestSort proves the order of findings, and that repetitions are dropped.
func TestSort(t *testing.T) {
	at := func(file string, line, column int, rule string) Finding {
		return Finding{Rule: rule, Pos: token.Position{Filename: file, Line: line, Column: column}}
	}
	got := Sort([]Finding{at("b", 1, 1, "x"), at("a", 10, 1, "x"), at("a", 9, 2, "y"), at("a", 9, 2, "x"), at("b", 1, 1, "x")})
	var list []string
	for _, f := range got {
		list = append(list, f.Pos.String()+f.Rule)
	}
	if want := "a:9:2x a:9:2y a:10:1x b:1:1x"; strings.Join(list, " ") != want {
		t.Errorf("sorted %q, want %s", list, want)
	}
}
