package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/httpvet/httpvet/internal/testenv"
)

// binary builds the tool, once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "httpvet")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "httpvet")
	out, err := exec.Command("go", "build", "-o", file, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %v\n%s", err, out)
	}
	return file, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if file, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(file))
	}
	os.Exit(status)
}

// httpvet returns the path of the built tool.
func httpvet(t testing.TB) string {
	t.Helper()
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// module writes a module of the given files, by name, and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if _, ok := files["go.mod"]; !ok {
		files["go.mod"] = "module example.com/m\n\ngo 1.26.0\n"
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs a command in dir and returns what it prints and its exit status.
func run(t testing.TB, dir, name string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// ping is a package with one finding, in line 13.
const ping = `package ping

import (
	"errors"
	"net/http"
)

func Ping(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}
`

// TestFindings checks the plain output: sorted, once for a package and its test
// variant, relative to the directory, related places below.
func TestFindings(t *testing.T) {
	dir := module(t, map[string]string{
		"ping.go":      ping,
		"ping_test.go": "package ping\n\nimport \"testing\"\n\nfunc TestPing(t *testing.T) {}\n",
		"sub/sub.go":   strings.Replace(ping, "package ping", "package sub", 1),
	})
	for _, args := range [][]string{{"./..."}, {"-C", dir, "./..."}} {
		from := dir
		if args[0] == "-C" {
			from = t.TempDir()
		}
		stdout, stderr, status := run(t, from, httpvet(t), args...)
		if status != exitFindings || stderr != "" {
			t.Errorf("httpvet %v: status %d, stderr %q", args, status, stderr)
		}
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		var heads []string
		for _, line := range lines {
			if !strings.HasPrefix(line, "\t") {
				heads = append(heads, line)
			}
		}
		if len(heads) != 2 || !strings.HasPrefix(heads[0], "ping.go:13:2: resp.Body is closed") ||
			!strings.HasSuffix(heads[0], "(bodydrain)") || !strings.HasPrefix(heads[1], filepath.Join("sub", "sub.go")+":13:2: ") {
			t.Errorf("httpvet %v printed\n%s", args, stdout)
		}
		if !strings.Contains(stdout, "\n\tping.go:15:3: ") {
			t.Errorf("httpvet %v: no related place\n%s", args, stdout)
		}
	}
	if stdout, _, status := run(t, dir, httpvet(t), "-bodydrain=false", "./..."); status != exitClean || stdout != "" {
		t.Errorf("with the rule off: status %d, %s", status, stdout)
	}
}

// TestBadInput checks that what cannot be done is said in one line, with status 2.
func TestBadInput(t *testing.T) {
	dir := module(t, map[string]string{"ping.go": ping, "empty/README": "nothing"})
	future := module(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.99.0\n", "ping.go": ping})
	for _, test := range []struct {
		name string
		dir  string
		args []string
		want string
	}{
		{"unknown flag", dir, []string{"-fxi", "./..."}, "unknown flag -fxi (did you mean -fix?)"},
		{"unknown rule's flag", dir, []string{"-bodydran.strict"}, "did you mean -bodydrain.strict?"},
		{"unknown rule", dir, []string{"help", "bodydran"}, "unknown rule bodydran (did you mean bodydrain?)"},
		{"bad value", dir, []string{"-bodydrain=maybe"}, "invalid boolean value"},
		{"no package matched", dir, []string{"./empty/..."}, "no packages match ./empty/..."},
		{"no such package", dir, []string{"./missing"}, "missing"},
		{"no module", t.TempDir(), []string{"./..."}, "module"},
		{"no such directory", dir, []string{"-C", "missing", "./..."}, "missing"},
		{"newer Go", future, []string{"./..."}, "1.99"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr, status := run(t, test.dir, httpvet(t), test.args...)
			if status != exitFailed || !strings.Contains(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("status %d, stderr %q, want one line with %q", status, stderr, test.want)
			}
			if stdout != "" {
				t.Errorf("stdout: %s", stdout)
			}
		})
	}
}

// TestNoGoCommand checks the error where the go command is missing.
func TestNoGoCommand(t *testing.T) {
	file := httpvet(t)
	t.Setenv("PATH", t.TempDir())
	for _, args := range [][]string{{"./..."}, {"-fix", "./..."}} {
		_, stderr, status := run(t, t.TempDir(), file, args...)
		if status != exitFailed || !strings.Contains(stderr, "the go command is not in PATH") {
			t.Errorf("httpvet %v: status %d, stderr %q", args, status, stderr)
		}
	}
}

// TestTooNew checks that a module for a newer Go than the tool's own is refused.
func TestTooNew(t *testing.T) {
	if err := tooNew(&packages.Module{Path: "m", GoVersion: "1.99.1"}); err == nil || !strings.Contains(err.Error(), "GOTOOLCHAIN=go1.99.1") {
		t.Errorf("go 1.99.1: %v", err)
	}
	current := strings.TrimPrefix(runtime.Version(), "go")
	for _, v := range []string{"", "1.20", "1.26.0", current} {
		if err := tooNew(&packages.Module{Path: "m", GoVersion: v}); err != nil {
			t.Errorf("go %s: %v", v, err)
		}
	}
}

// TestBrokenPackage checks that a package that does not compile is named, and
// that the findings of the others are printed.
func TestBrokenPackage(t *testing.T) {
	for name, broken := range map[string]string{
		"type error":   "package broken\n\nvar x int = \"text\"\n",
		"syntax error": "package broken\n\nfunc {\n",
		"no import":    "package broken\n\nimport _ \"example.com/m/missing\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, map[string]string{"ping.go": ping, "broken/broken.go": broken})
			stdout, stderr, status := run(t, dir, httpvet(t), "./...")
			if status != exitFailed || !strings.Contains(stderr, "example.com/m/broken") {
				t.Errorf("status %d, stderr %q", status, stderr)
			}
			if !strings.HasPrefix(stdout, "ping.go:13:2: ") {
				t.Errorf("stdout: %q", stdout)
			}
		})
	}
}

// TestFailingPass checks that a pass that fails or panics is named with the
// package, and that no finding of another is lost.
func TestFailingPass(t *testing.T) {
	dir := module(t, map[string]string{"ping.go": ping})
	names := &analysis.Analyzer{Name: "names", Doc: "names: report each file", Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			pass.Report(analysis.Diagnostic{Pos: file.Name.Pos(), Message: "package " + file.Name.Name})
		}
		return nil, nil
	}}
	for want, failing := range map[string]func(*analysis.Pass) (any, error){
		"example.com/m: failing: no luck":                func(*analysis.Pass) (any, error) { return nil, errors.New("no luck") },
		"example.com/m: failing: panic: it should never": func(*analysis.Pass) (any, error) { panic("it should never") },
	} {
		var stdout, stderr bytes.Buffer
		tl := tool{
			analyzers: []*analysis.Analyzer{{Name: "failing", Doc: "failing: fail", Run: failing}, names},
			stdout:    &stdout,
			stderr:    &stderr,
		}
		if status := tl.run([]string{"-C", dir, "./..."}); status != exitFailed {
			t.Errorf("status %d", status)
		}
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr %q, want %q", &stderr, want)
		}
		if want := "ping.go:1:9: package ping (names)\n"; stdout.String() != want {
			t.Errorf("stdout %q, want %q", &stdout, want)
		}
	}
}

// TestHelp checks that each flag and rule is on the page, and that a rule has one.
func TestHelp(t *testing.T) {
	stdout, _, status := run(t, ".", httpvet(t), "help")
	for _, want := range []string{"\tbodydrain ", "\t-C dir\n", "\t-tests\n", "(default true)", "\t-bodydrain.strict\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("httpvet help lacks %q", want)
		}
	}
	if status != exitClean {
		t.Errorf("status %d", status)
	}
	stdout, _, status = run(t, ".", httpvet(t), "help", "bodydrain")
	if status != exitClean || !strings.HasPrefix(stdout, "report response bodies") || !strings.Contains(stdout, "Not reported") {
		t.Errorf("httpvet help bodydrain: status %d\n%s", status, stdout)
	}
	if stdout, _, status := run(t, ".", httpvet(t), "version"); status != exitClean || !strings.HasPrefix(stdout, "httpvet ") {
		t.Errorf("httpvet version: status %d, %s", status, stdout)
	}
}

// TestFix checks that -diff shows and -fix applies the fixes, that what comes out
// compiles, and that nothing is left to find.
func TestFix(t *testing.T) {
	dir := module(t, map[string]string{"ping.go": ping})
	stdout, stderr, status := run(t, dir, httpvet(t), "-diff", "./...")
	if status != exitFindings || !strings.Contains(stdout, "+\t\t_, _ = io.CopyN(io.Discard, resp.Body, 256<<10)") {
		t.Errorf("-diff: status %d\n%s%s", status, stdout, stderr)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "ping.go")); string(text) != ping {
		t.Errorf("-diff changed the file:\n%s", text)
	}
	if stdout, stderr, status := run(t, dir, httpvet(t), "-fix", "./..."); status != exitClean {
		t.Errorf("-fix: status %d\n%s%s", status, stdout, stderr)
	}
	if _, stderr, status := run(t, dir, "go", "build", "./..."); status != 0 {
		t.Errorf("after -fix: %s", stderr)
	}
	if stdout, _, status := run(t, dir, httpvet(t), "./..."); status != exitClean {
		t.Errorf("after -fix: %s", stdout)
	}
}

// TestEnginesAgree checks that both engines find the same in all fixtures, in
// their libraries' hands.
func TestEnginesAgree(t *testing.T) {
	dir := testenv.Testdata(t)
	stdout, stderr, status := run(t, dir, httpvet(t), "./...")
	if status == exitFailed {
		t.Fatal(stderr)
	}
	var own []string
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, "\t") {
			own = append(own, strings.TrimSpace(line))
		}
	}
	slices.Sort(own)
	vet := vetFindings(t, dir)
	if !slices.Equal(own, vet) {
		t.Errorf("httpvet finds %d, go vet -vettool=httpvet %d", len(own), len(vet))
		for _, f := range own {
			if !slices.Contains(vet, f) {
				t.Errorf("only by itself: %s", f)
			}
		}
		for _, f := range vet {
			if !slices.Contains(own, f) {
				t.Errorf("only as vettool: %s", f)
			}
		}
	}
	t.Logf("%d findings", len(own))
	if len(own) == 0 {
		t.Error("no findings in the fixtures")
	}
}

// vetFindings returns what "go vet -vettool -json" finds, in the plain form.
func vetFindings(t *testing.T, dir string) []string {
	// The JSON is on standard output since Go 1.26, on standard error before.
	stdout, stderr, _ := run(t, dir, "go", "vet", "-json", "-vettool="+httpvet(t), "./...")
	var text strings.Builder
	for line := range strings.Lines(stdout + stderr) {
		if !strings.HasPrefix(line, "#") {
			text.WriteString(line)
		}
	}
	found := make(map[string]bool)
	dec := json.NewDecoder(strings.NewReader(text.String()))
	for dec.More() {
		var units map[string]map[string]json.RawMessage
		if err := dec.Decode(&units); err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		for unit, passes := range units {
			for rule, raw := range passes {
				var list []struct{ Posn, Message string }
				if err := json.Unmarshal(raw, &list); err != nil {
					t.Fatalf("%s: %s: %s", unit, rule, raw)
				}
				for _, d := range list {
					posn, err := filepath.Rel(dir, d.Posn)
					if err != nil {
						t.Fatal(err)
					}
					found[fmt.Sprintf("%s: %s (%s)", posn, d.Message, rule)] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestSecondRun checks that the go command does not start the vettool again for
// what has not changed, and replays what it found.
func TestSecondRun(t *testing.T) {
	dir := module(t, map[string]string{"ping.go": ping})
	_, first, status := run(t, dir, "go", "vet", "-x", "-vettool="+httpvet(t), "./...")
	if status == 0 || !strings.Contains(first, "vet.cfg") {
		t.Fatalf("first run: status %d\n%s", status, first)
	}
	_, second, status := run(t, dir, "go", "vet", "-x", "-vettool="+httpvet(t), "./...")
	if status == 0 || strings.Contains(second, "vet.cfg") || !strings.Contains(second, "ping.go:13:2: ") {
		t.Errorf("second run: status %d\n%s", status, second)
	}
}

// TestMatters checks which packages are analyzed for their functions' sake.
func TestMatters(t *testing.T) {
	for path, want := range map[string]bool{"os": true, "log": true, "testing": true, "net/http": false, "encoding/json": false} {
		if got := needOf(path, "") == needBodies; got != want {
			t.Errorf("bodies of %s needed: %t", path, got)
		}
	}
	if needOf("mod/pkg", "mod") != needBodies || needOf("example.com/pkg", "") != needBodies {
		t.Error("a package of a module does not matter")
	}
}

// TestDistance checks what suggestions are made of.
func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"fix", "fxi", 2}, {"tests", "test", 1}, {"same", "same", 0}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
	if got := nearest("zzzzzz", []string{"fix", "diff"}); got != "" {
		t.Errorf("nearest of nothing alike: %q", got)
	}
}
