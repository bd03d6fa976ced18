package main

import (
	"bufio"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/httpvet/httpvet/analyzers"
	"github.com/httpvet/httpvet/cmd/httpvet/internal/format"
	"github.com/httpvet/httpvet/internal/testenv"
)

var update = flag.Bool("update", false, "write docs/rules")

// TestDocs proves that the pages in docs/rules are those of the rules.
func TestDocs(t *testing.T) {
	dir := filepath.Join(testenv.Root(t), "docs", "rules")
	var want []string
	for _, a := range analyzers.All() {
		name := a.Name + ".md"
		want = append(want, name)
		page := "# " + a.Name + "\n\n" + format.Markdown(a.Doc)
		have, err := os.ReadFile(filepath.Join(dir, name))
		if string(have) == page {
			continue
		}
		if *update {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("docs/rules/%s is not the rule's page (%v); to mend it, run\n\n\tgo test -run TestDocs . ./cmd/httpvet -update\n", name, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(want, e.Name()) {
			t.Errorf("docs/rules/%s is of no rule", e.Name())
		}
	}
}

// TestLinks proves that what the pages link to in this repository is there.
func TestLinks(t *testing.T) {
	root := testenv.Root(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", filepath.Base(page), m[1], err)
			}
		}
	}
}

// TestFlagsInDocs proves that the flags which the pages tell are there.
func TestFlagsInDocs(t *testing.T) {
	tool := tool{analyzers: analyzers.All()}
	tool.defineFlags()
	goFlags := []string{"tool", "vettool", "n", "json", "trimpath"}
	names := regexp.MustCompile(`[^/]\bhttpvet((?: +(?:-[a-z.-]+(?:[= ][^ -][^ ]*)?))+)`)
	one := regexp.MustCompile(` -([a-z][a-z.-]*)`)
	pages, err := filepath.Glob(filepath.Join(testenv.Root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range append(pages, filepath.Join(testenv.Root(t), "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range names.FindAllStringSubmatch(string(text), -1) {
			for _, f := range one.FindAllStringSubmatch(m[1], -1) {
				if n++; tool.flags.Lookup(f[1]) == nil && !slices.Contains(goFlags, f[1]) {
					t.Errorf("%s tells httpvet -%s, which is no flag", filepath.Base(page), f[1])
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("%d flags in the pages", n)
	}
}

// TestEditors proves that the pattern which the page on editors gives matches what is
// printed, and nothing of its related places.
func TestEditors(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testenv.Root(t), "docs", "editors.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`"regexp": "(.*)"`).FindStringSubmatch(string(page))
	if m == nil {
		t.Fatal("no pattern")
	}
	pattern := regexp.MustCompile(strings.ReplaceAll(m[1], `\\`, `\`))
	var got []string
	for line := range strings.Lines(foundA) {
		if m := pattern.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			got = append(got, m[1:]...)
		}
	}
	if want := strings.Split("a/a.go|13|2|shout is called (it hurts)|shout|a/a.go|13|11|shout is called (it hurts)|shout", "|"); !slices.Equal(got, want) {
		t.Errorf("matched %q, want %q", got, want)
	}
}

// TestAction proves that the step of the GitHub action runs httpvet as its inputs say.
func TestAction(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	root := testenv.Root(t)
	dir := write(t, pinging)
	repo(t, dir)
	temp := t.TempDir()
	step := func(inputs ...string) result {
		t.Helper()
		for _, name := range []string{"FLAGS", "NEW_FROM_REV", "SARIF"} {
			t.Setenv("HTTPVET_"+name, "")
		}
		t.Setenv("HTTPVET_PACKAGES", "./...")
		t.Setenv("HTTPVET_DIR", ".")
		t.Setenv("GITHUB_ACTION_PATH", root)
		t.Setenv("GITHUB_WORKSPACE", dir)
		t.Setenv("RUNNER_TEMP", temp)
		for _, in := range inputs {
			name, value, _ := strings.Cut(in, "=")
			t.Setenv("HTTPVET_"+name, value)
		}
		return command(t, dir, filepath.Join(root, ".github", "action"))
	}
	if r := step(); r.status != 1 || !strings.HasPrefix(r.stdout, "::warning file=ping.go,line=13,") {
		t.Errorf("a finding: %+v", r)
	}
	step("NEW_FROM_REV=HEAD").expect(t, 0, "")
	step("NEW_FROM_REV=nowhere").expect(t, 2, "", "nowhere is no revision")
	step("FLAGS=-bodydrain=false -failnow.nothing").expect(t, 2, "", "unknown flag -failnow.nothing")
	step("FLAGS=-bodydrain=false -tests=false", "PACKAGES=. ./...").expect(t, 0, "")
	step("DIR=nowhere").expect(t, 2, "", "nowhere")
	step("SARIF=out.sarif").expect(t, 1, "")
	if data, err := os.ReadFile(filepath.Join(dir, "out.sarif")); err != nil || !strings.Contains(string(data), `"uri": "ping.go"`) {
		t.Errorf("the log is\n%s%v", data, err)
	}

	// The action hands on each input that the script reads.
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(root, ".github", "action"))
	if err != nil {
		t.Fatal(err)
	}
	set := func(text []byte) []string {
		list := regexp.MustCompile(`\bHTTPVET_[A-Z_]+`).FindAllString(string(text), -1)
		slices.Sort(list)
		return slices.Compact(list)
	}
	if got, want := set(text), slices.DeleteFunc(set(script), func(s string) bool { return s == "HTTPVET_" }); !slices.Equal(got, want) {
		t.Errorf("action.yml sets %q, the script reads %q", got, want)
	}
	for _, name := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(string(text), "\n  "+name[1]+":\n") {
			t.Errorf("action.yml has no input %s", name[1])
		}
	}
}

// TestPreCommit proves that the hooks work in pre-commit, where that is installed.
func TestPreCommit(t *testing.T) {
	if _, err := exec.LookPath("pre-commit"); err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("builds httpvet from nothing")
	}
	root := testenv.Root(t)
	dir := write(t, pinging)
	repo(t, dir)
	t.Setenv("PRE_COMMIT_HOME", t.TempDir())
	// A copy, for pre-commit takes what is committed: this is what would be.
	hooks := filepath.Join(t.TempDir(), "hooks")
	if r := command(t, root, "git", "clone", "--quiet", root, hooks); r.status != 0 {
		t.Skipf("no clone to be had: %s", r.stderr)
	}
	run := func(hook string) result {
		t.Helper()
		return command(t, dir, "pre-commit", "try-repo", "--all-files", hooks, hook)
	}
	if r := run("httpvet"); r.status != 1 || !hasLine(r.stdout, "ping.go:13:2: resp.Body is closed") {
		t.Errorf("httpvet: %+v", r)
	}
	if r := run("httpvet-new"); r.status != 0 {
		t.Errorf("httpvet-new: %+v", r)
	}
}

// hasLine reports whether a line of text begins so.
func hasLine(text, prefix string) bool {
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		if strings.HasPrefix(s.Text(), prefix) {
			return true
		}
	}
	return false
}
