package main

import (
	"encoding/json"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// edit replaces text in a file, which must be there.
func edit(t *testing.T, name, old, new string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s lacks %q", name, old)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(data), old, new, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// repo makes a git repository, with one commit, of the folder dir.
func repo(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "--all"},
		{"-c", "user.name=somebody", "-c", "user.email=somebody@example.com", "commit", "--quiet", "--message=old"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
}

// TestEngineVet proves that go vet finds the same, that what it remembers is told
// each time, and that its errors are.
func TestEngineVet(t *testing.T) {
	dir := write(t, shouting+`
-- broken/broken.go --
package broken

func f() int { return "" }
-- fails/fails.go --
package fails

const passFails = true
-- empty/page.txt --
`)
	for range 2 {
		httpvet(t, "fake", dir, "-engine=vet", "./a", "./b").expect(t, 1, foundA+foundB+foundTests)
		httpvet(t, "fake", dir, "-engine=vet", "./a", "./broken").expect(t, 2, foundA, "httpvet: example.com/m/broken: broken/broken.go:3:23: cannot use")
		httpvet(t, "fake", dir, "-engine=vet", "./a", "./fails").expect(t, 2, foundA, "httpvet: example.com/m/fails: faulty: it went wrong")
	}
	httpvet(t, "fake", dir, "-engine=vet", "-C", "a").expect(t, 1, strings.ReplaceAll(foundA, "a/a.go", "a.go"))
	httpvet(t, "fake", dir, "-engine=vet", "-shout=false", "./a").expect(t, 0, "")
	httpvet(t, "fake", dir, "-engine=vet", "a/a.go").expect(t, 1, foundA)
	httpvet(t, "fake", dir, "-engine=vet", "./nowhere").expect(t, 2, "", "nowhere")
	httpvet(t, "fake", dir, "-engine=vet", "./empty/...").expect(t, 2, "", "no packages match ./empty/...")
	httpvet(t, "fake", t.TempDir(), "-engine=vet", "./...").expect(t, 2, "", "main module")
	httpvet(t, "fake", dir, "-engine=vet", "-tests=false").expect(t, 2, "", "-tests=false does not go with -fix, -diff and -engine vet")
	httpvet(t, "fake", dir, "-engine=steam").expect(t, 2, "", "unknown engine steam; it is one of source, vet")
	t.Setenv("PATH", t.TempDir())
	httpvet(t, "fake", dir, "-engine=vet").expect(t, 2, "", "the go command is not in PATH")
}

// TestEngineVetPanics proves that the panic of a pass is an error in a line.
func TestEngineVetPanics(t *testing.T) {
	dir := write(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n-- m.go --\npackage m\n\nconst passPanics = true\n")
	httpvet(t, "fake", dir, "-engine=vet").expect(t, 2, "", "httpvet: example.com/m: panic: runtime error: index out of range")
}

// TestEngineVetTrimpath proves that the findings of one checkout are not taken for those of
// another, though the user has the go command forget where files are.
func TestEngineVetTrimpath(t *testing.T) {
	one, two := write(t, shouting), write(t, shouting)
	t.Setenv("GOCACHE", t.TempDir())
	for _, dir := range []string{one, two} {
		cmd := exec.Command(toolWith(t, "fake"), "-engine=vet", "./a")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath", asTool+"=1")
		if out, err := cmd.Output(); cmd.ProcessState.ExitCode() != exitFindings || string(out) != foundA {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestElsewhere proves that a finding of another checkout is refused, not dropped.
func TestElsewhere(t *testing.T) {
	out := &outcome{
		dirs: []string{"/here/a"},
		findings: []finding.Finding{
			{Rule: "r", Message: "mine", Pos: token.Position{Filename: "/here/a/a.go", Line: 1}},
			{Rule: "r", Message: "theirs", Pos: token.Position{Filename: "/there/a/a.go", Line: 1}},
		},
	}
	errs := new(tool).elsewhere(out)
	if len(out.findings) != 1 || out.findings[0].Message != "mine" || len(errs) != 1 || !strings.Contains(errs[0].Error(), "/there/a/a.go:1: theirs (r)") {
		t.Errorf("%v, %v", out.findings, errs)
	}
}

// TestDecodeVet proves what is made of the JSON of go vet.
func TestDecodeVet(t *testing.T) {
	list, errs := decodeVet(strings.NewReader(`{}
{"p": {"r": [{"posn": "C:\\p\\b.go:1:2", "end": "C:\\p\\b.go:1:4", "message": "m", "related": [{"posn": "x.go:7", "message": "n"}]}]}}
{"p": {"q": {"error": "it failed"}}, "o": {"r": [{"posn": "a.go", "message": "m"}]}}
{"p": {"r": "rubbish"}}
`))
	var got []string
	for _, f := range list {
		got = append(got, f.Pos.String())
		for _, r := range f.Related {
			got = append(got, r.Pos.String())
		}
	}
	if want := []string{`C:\p\b.go:1:2`, "x.go:7", "a.go"}; !slices.Equal(got, want) {
		t.Errorf("findings at %q, want %q", got, want)
	}
	if len(errs) != 2 || errs[0].Error() != "p: q: it failed" || !strings.Contains(errs[1].Error(), "p: r: json: ") {
		t.Errorf("errors %q", errs)
	}
	if _, errs := decodeVet(strings.NewReader("{}\nrubbish")); len(errs) != 1 {
		t.Errorf("of rubbish: %q", errs)
	}
}

// TestEnginesPrintTheSame proves that the formats have the same from both engines, on
// the real rules.
func TestEnginesPrintTheSame(t *testing.T) {
	dir := write(t, pinging)
	for _, format := range []string{"text", "json", "sarif", "github"} {
		source := httpvet(t, "real", dir, "-format="+format)
		vet := httpvet(t, "real", dir, "-format="+format, "-engine=vet")
		if source.status != 1 || source != vet {
			t.Errorf("-format=%s: from source %+v, by go vet %+v", format, source, vet)
		}
	}
}

// TestFormats proves that formats are chosen by name, and that the name of a file is
// relative to the repository where a code host reads it.
func TestFormats(t *testing.T) {
	dir := write(t, strings.ReplaceAll(shouting, "-- ", "-- sub/"))
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(dir, "sub")
	t.Setenv("GITHUB_WORKSPACE", "")
	r := httpvet(t, "fake", sub, "-format=github", "./a")
	if r.status != 1 || !strings.HasPrefix(r.stdout, "::error file=sub/a/a.go,line=13,endLine=13,col=2,endColumn=2,title=httpvet%3A shout::shout is called (it hurts)%0Asub/a/a.go:13: here it starts\n") {
		t.Errorf("-format github: %+v", r)
	}
	t.Setenv("GITHUB_WORKSPACE", sub)
	if r := httpvet(t, "fake", sub, "-format=github", "./a"); !strings.HasPrefix(r.stdout, "::error file=a/a.go,") {
		t.Errorf("-format github in a workspace: %+v", r)
	}
	t.Setenv("GITHUB_WORKSPACE", "/nowhere")
	if r := httpvet(t, "fake", sub, "-format=github", "./a"); !strings.HasPrefix(r.stdout, "::error file=sub/a/a.go,") {
		t.Errorf("-format github outside a workspace: %+v", r)
	}
	var doc struct{ Findings []struct{ File string } }
	if err := json.Unmarshal([]byte(httpvet(t, "fake", sub, "-format=json", "./a").stdout), &doc); err != nil || len(doc.Findings) != 2 || doc.Findings[0].File != "a/a.go" {
		t.Errorf("-format json: %+v, %v", doc, err)
	}
	httpvet(t, "fake", sub, "-format=xml", "./a").expect(t, 2, "", "unknown format xml; it is one of github, json, sarif, text")
	httpvet(t, "fake", sub, "-format=json", "-fix", "./a").expect(t, 2, "", "-format does not go with -fix and -diff")
}

// TestNew proves that findings are held back which a change does not touch.
func TestNew(t *testing.T) {
	dir := write(t, shouting)
	repo(t, dir)
	a := filepath.Join(dir, "a", "a.go")
	httpvet(t, "fake", dir, "-new-from-rev=HEAD", "./...").expect(t, 0, "")
	edit(t, a, "func A() {\n", "func A() {\n\tshout()\n")
	const fresh = "a/a.go:12:2: shout is called (it hurts) (shout)\n\ta/a.go:12:7: here it starts\n"
	httpvet(t, "fake", dir, "-new-from-rev=HEAD", "./...").expect(t, 1, fresh)
	httpvet(t, "fake", dir, "-new-from-rev=HEAD", "-engine=vet", "./...").expect(t, 1, fresh)
	httpvet(t, "fake", dir, "-new-from-rev=HEAD", "-C=a").expect(t, 1, strings.ReplaceAll(fresh, "a/a.go", "a.go"))

	patch := command(t, dir, "git", "diff").stdout
	if err := os.WriteFile(filepath.Join(dir, "change.patch"), []byte(patch), 0o666); err != nil {
		t.Fatal(err)
	}
	httpvet(t, "fake", dir, "-new-from-patch=change.patch", "./...").expect(t, 1, fresh)
	httpvet(t, "fake", dir, "-new-from-patch=../change.patch", "-C=a").expect(t, 1, strings.ReplaceAll(fresh, "a/a.go", "a.go"))
	cmd := exec.Command(toolWith(t, "fake"), "-new-from-patch=-", "./...")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", asTool+"=1")
	if out, err := cmd.Output(); string(out) != fresh {
		t.Errorf("of a patch on standard input: %s, %v", out, err)
	}

	httpvet(t, "fake", dir, "-new-from-rev=nowhere", "./...").expect(t, 2, "", "httpvet: -new-from-rev: nowhere is no revision of this repository")
	httpvet(t, "fake", write(t, shouting), "-new-from-rev=HEAD", "./...").expect(t, 2, "", "-new-from-rev: git: not a git repository")
	httpvet(t, "fake", dir, "-new-from-patch=nowhere", "./...").expect(t, 2, "", "-new-from-patch nowhere: no such file or directory")
	httpvet(t, "fake", dir, "-new-from-patch=a/a.go", "./...").expect(t, 2, "", "-new-from-patch a/a.go: it is no unified diff")
	httpvet(t, "fake", dir, "-new-from-patch=change.patch", "-new-from-rev=HEAD").expect(t, 2, "", "-new-from-rev does not go with -new-from-patch")
	httpvet(t, "fake", dir, "-new-from-rev=HEAD", "-fix").expect(t, 2, "", "-new-from-rev does not go with -fix")
	// What a change does not touch may be broken all the same.
	edit(t, filepath.Join(dir, "b", "b.go"), "shout()\n}", "shout(1)\n}")
	httpvet(t, "fake", dir, "-new-from-rev=HEAD", "./a").expect(t, 2, fresh, "example.com/m/b: ")
}

// TestBaseline proves that old findings are held back by a baseline, and new ones are
// not.
func TestBaseline(t *testing.T) {
	dir := write(t, shouting)
	repo(t, dir)
	a := filepath.Join(dir, "a", "a.go")
	httpvet(t, "fake", dir, "-baseline=base.json", "./...").expect(t, 2, "", "baseline: open base.json: no such file or directory")
	httpvet(t, "fake", dir, "-baseline=base.json", "-write-baseline", "./...").expect(t, 0, "", "httpvet: 5 findings in base.json")
	httpvet(t, "fake", dir, "-baseline=base.json", "./...").expect(t, 0, "")
	httpvet(t, "fake", dir, "-baseline=base.json", "-engine=vet", "./...").expect(t, 0, "")
	httpvet(t, "fake", dir, "-baseline=../base.json", "-C=a").expect(t, 0, "")
	httpvet(t, "fake", dir, "-baseline=base.json", "-dead", "./...").expect(t, 0, "")

	edit(t, a, "\tb.B()\n", "\tb.B()\n\tshout()\n")
	const fresh = "a/a.go:15:2: shout is called (it hurts) (shout)\n\ta/a.go:15:7: here it starts\n"
	httpvet(t, "fake", dir, "-baseline=base.json", "./...").expect(t, 1, fresh)
	httpvet(t, "fake", dir, "-baseline=base.json", "-new-from-rev=HEAD", "./...").expect(t, 1, fresh)

	edit(t, filepath.Join(dir, "b", "b.go"), "\tshout()\n", "")
	httpvet(t, "fake", dir, "-baseline=base.json", "./...").expect(t, 1, fresh, "httpvet: baseline base.json holds 1 finding no longer there; write it again with -write-baseline")
	httpvet(t, "fake", dir, "-baseline=base.json", "./a").expect(t, 1, fresh)
	httpvet(t, "fake", dir, "-baseline=base.json", "-tests=false", "./...").expect(t, 1, fresh)

	httpvet(t, "fake", dir, "-write-baseline").expect(t, 2, "", "-write-baseline needs -baseline")
	httpvet(t, "fake", dir, "-baseline=base.json", "-write-baseline", "-new-from-rev=HEAD").expect(t, 2, "", "-write-baseline does not go with -new-from-rev")
	httpvet(t, "fake", dir, "-baseline=base.json", "-write-baseline", "-tests=false").expect(t, 2, "", "-write-baseline does not go with -tests")
	httpvet(t, "fake", dir, "-baseline=a/a.go", "./...").expect(t, 2, "", "baseline a/a.go is unreadable")
	httpvet(t, "fake", dir, "-baseline=nowhere/base.json", "-write-baseline", "./...").expect(t, 2, "", "no such file or directory")

	edit(t, filepath.Join(dir, "b", "b.go"), "func B()", "func B() int")
	before, err := os.ReadFile(filepath.Join(dir, "base.json"))
	if err != nil {
		t.Fatal(err)
	}
	httpvet(t, "fake", dir, "-baseline=base.json", "-write-baseline", "./...").expect(t, 2, "", "example.com/m/b: ", "the baseline is not written")
	if after, err := os.ReadFile(filepath.Join(dir, "base.json")); err != nil || string(after) != string(before) {
		t.Errorf("the baseline became\n%s%v", after, err)
	}
}
