package golangci_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/httpvet/httpvet/internal/testenv"
)

// TestLint runs a golangci-lint with the plugin, built as "golangci-lint custom"
// builds it, on the fixtures: it finds what go vet finds, and so it does again
// after --fix, when it has the facts of dependencies from its cache.
func TestLint(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	root := testenv.Root(t)
	bin := t.TempDir()
	tool := build(t, filepath.Join(root, "cmd", "httpvet"), filepath.Join(bin, "httpvet.exe"))
	l := linter{
		exe:    build(t, filepath.Join(root, "testdata", "golangci"), filepath.Join(bin, "golangci-httpvet.exe")),
		config: filepath.Join(root, "docs", "golangci", ".golangci.yml"),
		dir:    t.TempDir(),
	}
	t.Setenv("GOLANGCI_LINT_CACHE", t.TempDir())
	if err := os.CopyFS(l.dir, os.DirFS(testenv.Testdata(t))); err != nil {
		t.Fatal(err)
	}

	same := func() (found []testenv.Finding) {
		t.Helper()
		found = l.findings(t)
		out, _ := run(t, l.dir, 0, "go", "vet", "-vettool="+tool, "-json", "./...")
		vet := testenv.VetFindings(t, l.dir, out)
		for _, f := range found {
			if !slices.Contains(vet, f) {
				t.Errorf("found by golangci-lint only: %+v", f)
			}
		}
		for _, f := range vet {
			if !slices.Contains(found, f) {
				t.Errorf("found by go vet only: %+v", f)
			}
		}
		t.Logf("%d findings", len(found))
		return found
	}
	before := same()
	left := slices.DeleteFunc(slices.Clone(before), func(f testenv.Finding) bool { return f.Fixable })
	if len(left) == 0 || len(left) == len(before) {
		t.Fatalf("%d of %d findings have no fix", len(left), len(before))
	}
	fixed := l.findings(t, "--fix")
	if len(fixed) != len(left) {
		t.Errorf("--fix leaves %d findings, want %d", len(fixed), len(left))
	}
	for _, f := range same() {
		if f.Fixable {
			t.Errorf("--fix leaves %+v", f)
		}
	}

	t.Run("nolint", l.testNolint)
	t.Run("page", l.testPage)
	t.Run("wrong", l.testWrong)
}

// TestCustom proves that what the tests build is what .custom-gcl.yml asks for.
func TestCustom(t *testing.T) {
	read := func(name ...string) string {
		data, err := os.ReadFile(filepath.Join(append([]string{testenv.Root(t)}, name...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	custom := read("docs", "golangci", ".custom-gcl.yml")
	for _, test := range []struct{ file, pattern, want string }{
		{read("testdata", "golangci", "go.mod"), `golangci-lint/v2 (v\S+)`, "\nversion: %s\n"},
		{read("testdata", "golangci", "main.go"), `_ "(.*)"`, "import: %s\n"},
		{read("go.mod"), `module (.*)`, "module: %s\n"},
	} {
		m := regexp.MustCompile(test.pattern).FindStringSubmatch(test.file)
		if m == nil || !strings.Contains(custom, fmt.Sprintf(test.want, m[1])) {
			t.Errorf("%q is %q, of which .custom-gcl.yml says something else:\n%s", test.pattern, m, custom)
		}
	}
}

// A linter is a golangci-lint with the plugin, to be run in a module.
type linter struct{ exe, config, dir string }

// findings returns what httpvet alone finds, in the form of testenv.VetFindings.
func (l linter) findings(t *testing.T, args ...string) (found []testenv.Finding) {
	t.Helper()
	for _, i := range l.issues(t, append(args, "--enable-only=httpvet", "./...")...) {
		rule, message, _ := strings.Cut(i.Text, ": ")
		posn := fmt.Sprintf("%s:%d:%d", i.Pos.Filename, i.Pos.Line, i.Pos.Column)
		found = append(found, testenv.Finding{Posn: posn, Rule: rule, Message: message, Fixable: i.SuggestedFixes != nil})
	}
	if n := len(found); n == 0 || n != len(testenv.Sorted(slices.Clone(found))) {
		t.Errorf("%d findings, or some are there twice", n)
	}
	return testenv.Sorted(found)
}

// An issue is what golangci-lint says of a finding.
type issue struct {
	FromLinter, Text string
	Pos              struct {
		Filename     string
		Line, Column int
	}
	SuggestedFixes []any
}

// issues runs golangci-lint.
func (l linter) issues(t *testing.T, args ...string) []issue {
	t.Helper()
	all := []string{"run", "--config=" + l.config, "--allow-parallel-runners", "--issues-exit-code=0",
		"--path-mode=abs", "--output.json.path=stdout", "--show-stats=false"}
	out, _ := run(t, l.dir, 0, l.exe, append(all, args...)...)
	var report struct{ Issues []issue }
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in the output of golangci-lint:\n%s", err, out)
	}
	for i := range report.Issues {
		pos := &report.Issues[i].Pos
		name, err := filepath.Rel(l.dir, pos.Filename)
		if err != nil {
			t.Fatal(err)
		}
		pos.Filename = name
	}
	return report.Issues
}

// testNolint proves that nolint comments silence a rule by its name and by the
// tool's, that these count as used, that one that silences nothing does not, and that
// another linter's finding on a line hides none of httpvet's.
func (l linter) testNolint(t *testing.T) {
	const top = `package nolint

import "net/http"

`
	const fetch = `func %s(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() %s
	return nil
}

`
	src := top
	for i, comment := range []string{
		"//nolint:httpvet // a reason",
		"//nolint:bodydrain // a reason",
		"//nolint // a reason",
		"//nolint:failnow // want httpvet",
		"//nolint:httpvet,bodydrain // a reason",
		"// want httpvet",
	} {
		src += fmt.Sprintf(fetch, fmt.Sprintf("Fetch%d", i), comment)
	}
	src += "//nolint:httpvet // a reason\n" + fmt.Sprintf(fetch, "Above", "") +
		"//nolint:bodydrain // a reason\n" + fmt.Sprintf(fetch, "RuleAbove", "") +
		"func Nothing() {} //nolint:httpvet // want nolintlint\n"
	l.write(t, "nolint/nolint.go", src)

	var got, want []string
	for _, i := range l.issues(t, "--enable-only=httpvet,nolintlint,errcheck", "./nolint") {
		if i.FromLinter != "errcheck" {
			got = append(got, fmt.Sprintf("%d %s", i.Pos.Line, i.FromLinter))
		}
	}
	for i, line := range strings.Split(src, "\n") {
		if _, name, ok := strings.Cut(line, "// want "); ok {
			want = append(want, fmt.Sprintf("%d %s", i+1, name))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q in\n%s", got, want, src)
	}
}

// testPage proves that the settings that docs/golangci-lint.md shows do what it says.
func (l linter) testPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testenv.Root(t), "docs", "golangci-lint.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(linters:.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/golangci-lint.md shows no settings")
	}
	l.config = l.write(t, "page.yml", "version: \"2\"\n"+string(block[1]))
	l.write(t, "page/page.go", `package page

import (
	"net/http"

	"github.com/google/uuid"
)

func Fetch(url string) (err error) {
	for range 3 {
		req, _ := http.NewRequest("POST", url, nil)
		req.Header.Set("Idempotency-Key", uuid.NewString()) // of a rule that is disabled
		if _, err = http.DefaultClient.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func Serve(w http.ResponseWriter, r *http.Request) {
	resp, err := http.Get("http://upstream/")
	if err != nil {
		http.Error(w, "no answer", 503) // want timeoutstatus
		return
	}
	resp.Body.Close() // want bodydrain
}
`)
	l.write(t, "page/page_test.go", `package page

import (
	"net/http"
	"testing"
)

func TestFetch(t *testing.T) {
	resp, err := http.Get("http://upstream/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close() // want bodydrain
}
`)
	var got []string
	for _, i := range l.issues(t, "--enable-only=httpvet", "./page") {
		rule, _, _ := strings.Cut(i.Text, ": ")
		got = append(got, fmt.Sprintf("%s:%d %s", filepath.Base(i.Pos.Filename), i.Pos.Line, rule))
	}
	slices.Sort(got)
	if want := []string{"page.go:23 timeoutstatus", "page.go:26 bodydrain", "page_test.go:13 bodydrain"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// testWrong proves that golangci-lint refuses settings that are wrong, by one line.
func (l linter) testWrong(t *testing.T) {
	config, err := os.ReadFile(l.config)
	if err != nil {
		t.Fatal(err)
	}
	const last = "original-url: https://github.com/httpvet/httpvet\n"
	for settings, want := range map[string]string{
		"enabel: [bodydrain]":                    `unknown field "enabel": want enable, disable or rules`,
		"enable: [bodydrian]":                    `settings: unknown rule "bodydrian": want bodydrain, `,
		"rules: {bodydrain: {strikt: true}}":     `settings: rules.bodydrain: unknown flag "strikt": want always, strict, tests`,
		"rules: {bodydrain: {strict: 5}}":        "settings: rules.bodydrain: strict: 5: want true or false",
		"rules: {timeoutstatus: {codes: [4o8]}}": `settings: rules.timeoutstatus: codes: "4o8" is no status code`,
	} {
		changed := strings.Replace(string(config), last, last+"        settings:\n          "+settings+"\n", 1)
		name := l.write(t, "wrong.yml", changed)
		_, stderr := run(t, l.dir, 3, l.exe, "run", "--config="+name, "--allow-parallel-runners", "./nolint")
		for line := range strings.Lines(stderr) { // golangci-lint says all errors twice
			if !strings.Contains(line, want) {
				t.Errorf("%s: golangci-lint says\n%swant a line with\n%s", settings, stderr, want)
			}
		}
	}
}

// write writes a file below l.dir and returns its full name.
func (l linter) write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(l.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// build builds the command in dir as exe, and returns exe.
func build(t *testing.T, dir, exe string) string {
	t.Helper()
	run(t, dir, 0, "go", "build", "-ldflags=-s -w", "-o", exe, ".")
	return exe
}

// run runs a command that must exit with the given status, and returns what it
// prints.
func run(t *testing.T, dir string, status int, name string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		t.Fatalf("%v: %v, want exit status %d\n%s%s", cmd, err, status, out.String(), errs.String())
	}
	return out.String(), errs.String()
}
