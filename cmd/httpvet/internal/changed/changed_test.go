package changed

import (
	"fmt"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// A repo is a git repository, or a folder that could be one.
type repo struct {
	t   *testing.T
	dir string
}

// newRepo returns a repository with a commit of files, on the branch main.
func newRepo(t *testing.T, files map[string]string) repo {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for _, name := range []string{"GIT_AUTHOR", "GIT_COMMITTER"} {
		t.Setenv(name+"_NAME", "somebody")
		t.Setenv(name+"_EMAIL", "somebody@example.com")
	}
	r := repo{t, t.TempDir()}
	r.git("init", "--quiet", "--initial-branch=main")
	r.commit(files)
	return r
}

// git runs git.
func (r repo) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// write writes files; one without text is removed.
func (r repo) write(files map[string]string) {
	r.t.Helper()
	for name, text := range files {
		name = filepath.Join(r.dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(name), 0o777)
		if err == nil && text == "" {
			err = os.Remove(name)
		} else if err == nil {
			err = os.WriteFile(name, []byte(text), 0o666)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// commit writes files and commits everything.
func (r repo) commit(files map[string]string) {
	r.t.Helper()
	r.write(files)
	r.git("add", "--all")
	r.git("commit", "--quiet", "--allow-empty", "--message=change")
}

// text returns n lines, the ones given in place of those with their numbers.
func text(n int, other map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if s, ok := other[i]; ok {
			b.WriteString(s + "\n")
		} else {
			fmt.Fprintf(&b, "// line %d\n", i)
		}
	}
	return b.String()
}

// in returns changed lines, as name:1-3,5 and name:all, the names relative to dir.
func (l *Lines) in(t *testing.T, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		f := l.files[name]
		text := filepath.ToSlash(finding.Rel(dir, name)) + ":"
		if f.all {
			text += "all"
		}
		for i, s := range f.ranges {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf("%d-%d", s.first, s.last)
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// TestSince proves which lines are new since a revision.
func TestSince(t *testing.T) {
	old := map[string]string{
		"a.go":              text(30, nil),
		"gone.go":           text(30, nil),
		"old.go":            text(30, nil),
		"moved.go":          text(30, nil),
		"sub/b.go":          text(30, nil),
		"text.txt":          text(30, nil),
		".gitignore":        "ignored.go\n",
		".gitattributes":    "binary.go -diff\n*.go linguist-generated\n",
		"binary.go":         text(30, nil),
		"sub/日本 \"quo\".go": text(30, nil),
	}
	change := map[string]string{
		"a.go":              text(30, map[int]string{3: "new", 4: "new", 30: "new\nnew"}),
		"gone.go":           "",
		"old.go":            "",
		"new name.go":       text(30, map[int]string{7: "++ new"}),
		"moved.go":          "",
		"sub/moved.go":      text(30, nil),
		"sub/b.go":          text(30, map[int]string{2: "-- new"}),
		"text.txt":          "new",
		"binary.go":         text(30, map[int]string{1: "new\x00"}),
		"added.go":          text(3, nil),
		"sub/日本 \"quo\".go": text(30, map[int]string{1: "new"}),
		"long.go":           "x\n" + strings.Repeat("y", 10000) + "\nz\n",
	}
	const want = `a.go:3-4,30-31 added.go:1-3 binary.go:1-1 long.go:1-3 new name.go:7-7 sub/b.go:2-2 sub/日本 "quo".go:1-1`

	r := newRepo(t, old)
	r.git("checkout", "--quiet", "-b", "feature")
	r.commit(change)
	r.git("checkout", "--quiet", "main")
	r.commit(map[string]string{"a.go": text(30, map[int]string{20: "somebody else's"})})
	r.git("checkout", "--quiet", "feature")
	check := func(name, dir, rev, want string) {
		t.Helper()
		got, err := Since(dir, rev)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s := got.in(t, r.dir); s != want {
			t.Errorf("%s: changed are\n%s, want\n%s", name, s, want)
		}
	}
	check("a branch, of which main has moved on", r.dir, "main", want)
	check("in a folder below", filepath.Join(r.dir, "sub"), "main", want)
	check("nothing", r.dir, "HEAD", "")
	check("a dirty tree", r.dir, "main~1", want)

	r.write(map[string]string{
		"a.go":       text(30, map[int]string{5: "not committed"}),
		"ignored.go": text(3, nil),
		"fresh.go":   text(3, nil),
	})
	check("a dirty tree", r.dir, "HEAD", "a.go:3-5,30-30 fresh.go:all")
	r.git("add", "--all")
	check("an index", r.dir, "HEAD", "a.go:3-5,30-30 fresh.go:1-3")

	for _, config := range []string{"diff.noprefix", "diff.mnemonicPrefix", "color.ui always", "diff.external false", "diff.relative",
		"diff.interHunkContext 5", "diff.context 5", "diff.renames false", "core.quotePath", "diff.algorithm histogram"} {
		key, value, _ := strings.Cut(config, " ")
		if value == "" {
			value = "true"
		}
		r.git("config", key, value)
	}
	check("a user's configuration", filepath.Join(r.dir, "sub"), "HEAD", "a.go:3-5,30-30 fresh.go:1-3")
	r.git("commit", "--quiet", "--all", "--message=all")
	check("a user's configuration", r.dir, "HEAD~1", "a.go:3-5,30-30 fresh.go:1-3")
}

// TestSymlink proves that a repository may be reached through a symbolic link.
func TestSymlink(t *testing.T) {
	r := newRepo(t, map[string]string{"a.go": text(3, nil)})
	r.write(map[string]string{"a.go": text(4, nil)})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.dir, link); err != nil {
		t.Skip(err)
	}
	l, err := Since(link, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if !l.Touch(finding.Finding{Pos: token.Position{Filename: filepath.Join(link, "a.go"), Line: 4}}) {
		t.Error("line 4 is not changed")
	}
}

// TestTouch proves which findings a change touches.
func TestTouch(t *testing.T) {
	l := newLines()
	l.file("/a.go").add(5)
	l.file("/a.go").add(6)
	l.file("/a.go").add(9)
	l.file("/b.go").all = true
	at := func(name string, line int) token.Position { return token.Position{Filename: name, Line: line} }
	for _, test := range []struct {
		name string
		f    finding.Finding
		want bool
	}{
		{"above", finding.Finding{Pos: at("/a.go", 4)}, false},
		{"first", finding.Finding{Pos: at("/a.go", 5)}, true},
		{"last", finding.Finding{Pos: at("/a.go", 6)}, true},
		{"between", finding.Finding{Pos: at("/a.go", 7), End: at("/a.go", 8)}, false},
		{"around", finding.Finding{Pos: at("/a.go", 4), End: at("/a.go", 7)}, true},
		{"related", finding.Finding{Pos: at("/a.go", 4), Related: []finding.Related{{Pos: at("/a.go", 9)}}}, true},
		{"related elsewhere", finding.Finding{Pos: at("/c.go", 5), Related: []finding.Related{{Pos: at("/c.go", 9)}}}, false},
		{"in a new file", finding.Finding{Pos: at("/b.go", 100)}, true},
	} {
		if got := l.Touch(test.f); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// TestSinceErrors proves what is said where a revision cannot be compared with.
func TestSinceErrors(t *testing.T) {
	r := newRepo(t, map[string]string{"a.go": text(3, nil)})
	r.commit(map[string]string{"a.go": text(4, nil)})
	r.git("branch", "base")
	r.git("checkout", "--quiet", "--orphan", "other")
	r.commit(nil)
	r.git("checkout", "--quiet", "main")
	r.commit(map[string]string{"a.go": text(5, nil)})

	shallow := repo{t, t.TempDir()}
	shallow.git("clone", "--quiet", "--depth=1", "file://"+filepath.ToSlash(r.dir), ".")
	empty := repo{t, t.TempDir()}
	empty.git("init", "--quiet")
	for _, test := range []struct{ name, dir, rev, want string }{
		{"no revision", r.dir, "nowhere", "nowhere is no revision of this repository"},
		{"an option", r.dir, "--all", "--all is no revision of this repository"},
		{"a branch never fetched", r.dir, "origin/main", "origin/main is no revision of this repository; if it is a branch of a remote, fetch it first, by git fetch origin main"},
		{"unrelated", r.dir, "other", "other has no ancestor in common with HEAD in this repository"},
		{"no commit", empty.dir, "HEAD", "HEAD is no revision of this repository"},
		{"a shallow clone", shallow.dir, "origin/base", "which is a shallow clone: fetch the history first, by git fetch --unshallow origin (in GitHub Actions: fetch-depth: 0)"},
		{"no repository", t.TempDir(), "HEAD", "git: not a git repository"},
		{"no directory", filepath.Join(r.dir, "nowhere"), "HEAD", "git: chdir"},
	} {
		if _, err := Since(test.dir, test.rev); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
	shallow.git("fetch", "--quiet", "--depth=1", "origin", "base:base")
	if _, err := Since(shallow.dir, "base"); err == nil || !strings.Contains(err.Error(), "no ancestor in common with HEAD in this repository, which is a shallow clone") {
		t.Errorf("a shallow clone without the common ancestor: %v", err)
	}
	shallow.git("fetch", "--quiet", "--unshallow", "origin")
	if l, err := Since(shallow.dir, "base"); err != nil || l.in(t, shallow.dir) != "a.go:5-5" {
		t.Errorf("after fetching: %v, %v", l, err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Since(r.dir, "HEAD"); err == nil || err.Error() != "git is not in PATH" {
		t.Errorf("without git: %v", err)
	}
}

// TestReadPatch proves which lines a patch adds, however it was made.
func TestReadPatch(t *testing.T) {
	dir := t.TempDir()
	repo{t, dir}.write(map[string]string{"a.go": "x", "b.go": "x", "c/a.go": "x", "a/a.go": "x", "日.go": "x"})
	const want = "a.go:2-2,12-13"
	const hunks = `@@ -1,3 +1,3 @@ func F() {
 // one
--- a
+++ b
 // three
@@ -10 +11,0 @@
-gone
@@ -11,0 +12,2 @@
+@@ -1 +1 @@
+twelve
\ No newline at end of file
`
	for _, test := range []struct{ name, patch, want string }{
		{"git diff", "diff --git a/a.go b/a.go\nindex 1..2 100644\n--- a/a.go\n+++ b/a.go\n" + hunks, want},
		{"git diff, with no prefix", "diff --git a.go a.go\n--- a.go\n+++ a.go\n" + hunks, want},
		{"git diff, with other prefixes", "diff --git i/a.go w/a.go\n--- i/a.go\n+++ w/a.go\n" + hunks, want},
		{"a folder named like a prefix", "--- a/a/a.go\n+++ b/a/a.go\n" + hunks, "a/" + want},
		{"a folder named like a prefix, and no prefix", "--- c/a.go\n+++ c/a.go\n@@ -0,0 +1 @@\n+x\n", "a.go:1-1"},
		{"diff -u", "--- old/a.go\t2020-01-02 03:04:05.000 +0000\n+++ a.go\t2020-01-02 03:04:05.000 +0000\n" + hunks, want},
		{"format-patch", "From 0123 Mon Sep 17 00:00:00 2001\nSubject: x\n\n---\n a.go | 3 +-\n\ndiff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n" + hunks + "-- \n2.39\n\n", want},
		{"CRLF", "--- a/a.go\r\n+++ b/a.go\r\n@@ -1 +1 @@\r\n-x\r\n+y\r\n", "a.go:1-1"},
		{"context without its space", "--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,3 @@\n\n+x\n \n", "a.go:2-2"},
		{"quoted", "--- \"a/\\346\\227\\245.go\"\n+++ \"b/\\346\\227\\245.go\"\n@@ -0,0 +1 @@\n+x\n", "日.go:1-1"},
		{"two files, one gone", "--- a/gone.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n--- a/b.go\n+++ b/b.go\n@@ -0,0 +5 @@\n+x\n", "b.go:5-5"},
		{"a file that is not there", "--- a/x.txt\n+++ b/x.txt\n@@ -0,0 +5 @@\n+x\n--- a/b.go\n+++ b/b.go\n@@ -0,0 +5 @@\n+x\n", "b.go:5-5"},
		{"renames and modes only", "diff --git a/x.go b/a.go\nsimilarity index 100%\nrename from x.go\nrename to a.go\n", ""},
		{"empty", "", ""},
	} {
		l, err := ReadPatch(strings.NewReader(test.patch), dir)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if got := l.in(t, dir); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestReadPatchErrors proves that what is no patch of this tree is an error, since it
// would hide all findings.
func TestReadPatchErrors(t *testing.T) {
	dir := t.TempDir()
	repo{t, dir}.write(map[string]string{"a.go": "x"})
	const head = "--- a/a.go\n+++ b/a.go\n"
	for _, test := range []struct{ name, patch, want string }{
		{"text", "hello\n", "it is no unified diff"},
		{"Go", "package p\n", "it is no unified diff"},
		{"cut off", head + "@@ -1,3 +1,3 @@\n x\n", "it ends in the middle of a hunk"},
		{"cut off behind the header", head + "@@ -1,3 +1,3 @@\n", "it ends in the middle of a hunk"},
		{"not a hunk's line", head + "@@ -1,3 +1,3 @@\nx\n", "line 4 is not a line of a hunk"},
		{"more than the header says", head + "@@ -1,3 +1 @@\n+x\n+y\n", "line 5 is one more than its hunk says"},
		{"a bad header", head + "@@ -1,x +1 @@\n+x\n", "line 3 is not the header of a hunk"},
		{"a header alone", "@@ -1 +1 @@\n+x\n", "line 1 is not the header of a hunk"},
		{"numbers too large", head + "@@ -1 +99999999999999999999 @@\n+x\n", "out of range"},
		{"a merge", "diff --cc a.go\n--- a/a.go\n+++ b/a.go\n@@@ -1 -1 +1 @@@\n++x\n", "line 4: it is the combined diff of a merge"},
		{"a bad quote", "--- x\n+++ \"x\n", "line 2: invalid syntax"},
		{"another tree", "--- a/other/x.go\n+++ b/other/x.go\n@@ -0,0 +1 @@\n+x\n", "it is about files such as b/other/x.go, and none of them is in " + dir},
	} {
		if _, err := ReadPatch(strings.NewReader(test.patch), dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
}
