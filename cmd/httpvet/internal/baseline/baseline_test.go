package baseline

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// A world is a folder with packages, in which each line "bad" is a finding.
type world struct {
	t   *testing.T
	dir string
}

// write writes a file.
func (w world) write(name, text string) {
	w.t.Helper()
	name = filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// findings returns the findings in the packages in folders, and the scope of a run
// over them.
func (w world) findings(dirs ...string) (list []finding.Finding, scope Scope) {
	w.t.Helper()
	scope.Rules = []string{"rule"}
	for _, dir := range dirs {
		dir = filepath.Join(w.dir, dir)
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			w.t.Fatal(err)
		}
		if len(files) > 0 {
			scope.Dirs = append(scope.Dirs, dir)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				w.t.Fatal(err)
			}
			for i, line := range strings.Split(string(data), "\n") {
				if before, _, ok := strings.Cut(line, "bad"); ok {
					list = append(list, finding.Finding{
						Rule:    "rule",
						Message: fmt.Sprintf("it is bad because of line %d (<hurts>)", i),
						Pos:     token.Position{Filename: name, Line: i + 1, Column: len(before) + 1},
					})
				}
			}
		}
	}
	return finding.Sort(list), scope
}

// TestBaseline proves what a baseline holds back while code changes.
func TestBaseline(t *testing.T) {
	w := world{t, t.TempDir()}
	w.write("a/a.go", "package a\n\nfunc F() { bad() }\n\nfunc G() { bad() }\n")
	w.write("b/b.go", "package b\n\nfunc F() {\n\tbad()\n\tbad()\n}\n")
	file := filepath.Join(w.dir, "base.json")
	list, scope := w.findings("a", "b")
	if n, err := Write(file, list, scope, new(finding.Sources)); n != 4 || err != nil {
		t.Fatalf("wrote %d findings, %v", n, err)
	}

	for _, step := range []struct {
		does  string
		files map[string]string
		fresh []string
		stale int
	}{
		{"nothing changed", nil, nil, 0},
		{"lines above changed", map[string]string{"a/a.go": "package a\n\n// F\n// is bad no\nfunc H() {}\n\nfunc F() { bad() }\n\nfunc G() { bad() }\n"}, nil, 0},
		{"a function moved to another file", map[string]string{
			"a/a.go": "package a\n\nfunc G() { bad() }\n",
			"a/f.go": "package a\n\nfunc F() { bad() }\n",
		}, nil, 0},
		{"a second one in the same function", map[string]string{"a/f.go": "package a\n\nfunc F() {\n\tbad()\n\tbad()\n}\n"}, []string{"a/f.go:5"}, 0},
		{"one in another function", map[string]string{"a/f.go": "package a\n\nfunc F() { bad() }\nfunc K() { bad() }\n"}, []string{"a/f.go:4"}, 0},
		{"one mended", map[string]string{"a/f.go": "package a\n\nfunc F() {}\n"}, nil, 1},
		{"one of two mended", map[string]string{"b/b.go": "package b\n\nfunc F() {\n\tbad()\n}\n"}, nil, 2},
	} {
		for name, text := range step.files {
			w.write(name, strings.ReplaceAll(text, "is bad no", ""))
		}
		b, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		list, scope := w.findings("a", "b")
		fresh, stale := b.Filter(list, scope, new(finding.Sources))
		var got []string
		for _, f := range fresh {
			got = append(got, fmt.Sprintf("%s:%d", filepath.ToSlash(finding.Rel(w.dir, f.Pos.Filename)), f.Pos.Line))
		}
		if !slices.Equal(got, step.fresh) || stale != step.stale {
			t.Errorf("%s: fresh %q and %d stale, want %q and %d", step.does, got, stale, step.fresh, step.stale)
		}
	}
}

// TestScope proves that a run over a part of the packages, or of the rules, neither
// calls the rest stale nor drops it, and that a package that is gone is stale.
func TestScope(t *testing.T) {
	w := world{t, t.TempDir()}
	w.write("a/a.go", "package a\n\nfunc F() { bad() }\n")
	w.write("b/b.go", "package b\n\nvar V = bad()\n")
	file := filepath.Join(w.dir, "base.json")
	list, scope := w.findings("a", "b")
	if _, err := Write(file, list, scope, new(finding.Sources)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	w.write("b/b.go", "package b\n")
	stale := func(scope Scope) int {
		b, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		_, n := b.Filter(nil, scope, new(finding.Sources))
		return n
	}
	onlyA, scopeA := w.findings("a")
	if n := stale(scopeA); n != 1 {
		t.Errorf("%d stale in a, want 1", n)
	}
	if n := stale(Scope{scopeA.Dirs, []string{"other"}}); n != 0 {
		t.Errorf("%d stale of another rule, want 0", n)
	}
	if n, err := Write(file, onlyA, scopeA, new(finding.Sources)); n != 2 || err != nil {
		t.Errorf("wrote %d findings, %v; want 2", n, err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("after a run over a part, the file is\n%s%v, was\n%s", after, err, before)
	}
	if err := os.RemoveAll(filepath.Join(w.dir, "b")); err != nil {
		t.Fatal(err)
	}
	if n := stale(Scope{nil, scopeA.Rules}); n != 1 {
		t.Errorf("%d stale in a package that is gone, want 1", n)
	}
}

// TestFile proves the form of the file: sorted, a line an entry, the same each time.
func TestFile(t *testing.T) {
	w := world{t, t.TempDir()}
	w.write("b/b.go", "package b\n\nfunc F() { bad(); bad() }\nfunc (*T) F() {\n\tbad()\n\tbad()\n}\n")
	w.write("a.go", "package a\n\nvar V = bad()\n")
	file := filepath.Join(w.dir, "base.json")
	list, scope := w.findings(".", "b")
	slices.Reverse(list)
	if _, err := Write(file, list, scope, new(finding.Sources)); err != nil {
		t.Fatal(err)
	}
	const want = `{
	"version": 1,
	"findings": [
		{"dir":".","func":"V","rule":"rule","message":"it is bad because of line N (<hurts>)"},
		{"dir":"b","func":"(*T).F","rule":"rule","message":"it is bad because of line N (<hurts>)","count":2},
		{"dir":"b","func":"F","rule":"rule","message":"it is bad because of line N (<hurts>)"}
	]
}
`
	if data, err := os.ReadFile(file); err != nil || string(data) != want {
		t.Errorf("the file is\n%s%v, want\n%s", data, err, want)
	}
	if _, err := Write(file, nil, scope, new(finding.Sources)); err != nil {
		t.Fatal(err)
	}
	if b, err := Read(file); err != nil || len(b.count) != 0 {
		t.Errorf("of no findings: %v, %v", b, err)
	}
}

// TestUnreadable proves that a file which is not understood is an error, for a run
// that would hide by it and for one that would overwrite it.
func TestUnreadable(t *testing.T) {
	w := world{t, t.TempDir()}
	for text, want := range map[string]string{
		"":                              "unreadable",
		"rubbish":                       "unreadable",
		`{"version": 2}`:                "version 2",
		`{}`:                            "version 0",
		`{"version": 1, "finding": []}`: "unreadable",
		`{"version": 1, "findings": [{"dir": "a", "rule": "r"}]}`:                              "lacks",
		`{"version": 1, "findings": [{"dir": "a", "rule": "r", "message": "m", "count": -1}]}`: "below 0",
	} {
		w.write("base.json", text)
		file := filepath.Join(w.dir, "base.json")
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
		if _, err := Write(file, nil, Scope{}, new(finding.Sources)); err == nil {
			t.Errorf("%s: overwritten", text)
		}
	}
	if _, err := Read(filepath.Join(w.dir, "nowhere.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
