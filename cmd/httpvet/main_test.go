package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
	"golang.org/x/tools/txtar"
)

// Environment variables for the test program as the tool.
const (
	asTool  = "HTTPVET_TEST_TOOL" // if set, be httpvet with fakeRules
	logFile = "HTTPVET_TEST_LOG"  // if set, note the arguments in this file
)

// TestMain makes the test program the tool, if the environment says so: as the go
// command, or a test, runs it.
func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		if name := os.Getenv(logFile); name != "" {
			f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
			if err != nil {
				panic(err)
			}
			fmt.Fprintln(f, os.Args[1:])
			f.Close()
		}
		os.Exit(run(fakeRules()))
	}
	dir, err := os.MkdirTemp("", "httpvet")
	if err != nil {
		panic(err)
	}
	binDir = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// binDir is the directory of built programs.
var binDir string

// built builds the tool, once, and returns its name. (The test program cannot have
// its rules too: for the go command, a program is one tool.)
var built = sync.OnceValues(func() (string, error) {
	exe := filepath.Join(binDir, "httpvet.exe")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %v\n%s", err, out)
	}
	return exe, nil
})

// toolWith returns the name of the tool with "real" or "fake" rules.
func toolWith(t *testing.T, rules string) string {
	t.Helper()
	name := os.Executable
	if rules == "real" {
		name = built
	}
	exe, err := name()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// fakeRules returns rules that are simple enough to test the tool with.
//
//   - shout reports calls of a function named shout, with a related place and a fix,
//     and with -shout.loud also of one named LOUD.
//   - dead reports statements that are never reached, by ctrlflow's facts.
//   - closes reports calls of functions that close a parameter, by facts of its own.
//   - faulty fails or panics where a package has a constant that says so.
func fakeRules() []*analysis.Analyzer {
	shout := &analysis.Analyzer{
		Name: "shout",
		Doc:  "shout: report calls of shout\n\nThe page of shout.",
		URL:  "https://example.com/shout",
	}
	loud := shout.Flags.Bool("loud", false, "report calls of LOUD too")
	shout.Run = func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if id, ok := call.Fun.(*ast.Ident); ok && (id.Name == "shout" || id.Name == "LOUD" && *loud) {
					pass.Report(analysis.Diagnostic{
						Pos:     call.Pos(),
						Message: id.Name + " is called (it hurts)",
						Related: []analysis.RelatedInformation{{Pos: call.Lparen, Message: "here it starts"}},
						SuggestedFixes: []analysis.SuggestedFix{{
							Message:   "Whisper",
							TextEdits: []analysis.TextEdit{{Pos: id.Pos(), End: id.End(), NewText: []byte("whisper")}},
						}},
					})
				}
				return true
			})
		}
		return nil, nil
	}

	dead := &analysis.Analyzer{
		Name:     "dead",
		Doc:      "dead: report statements that are never reached",
		Requires: []*analysis.Analyzer{ctrlflow.Analyzer, inspect.Analyzer},
	}
	dead.Run = func(pass *analysis.Pass) (any, error) {
		cfgs := pass.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs)
		for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.FuncDecl)(nil)) {
			if g := cfgs.FuncDecl(c.Node().(*ast.FuncDecl)); g != nil {
				for _, b := range g.Blocks {
					if !b.Live && len(b.Nodes) > 0 {
						pass.Reportf(b.Nodes[0].Pos(), "never reached")
					}
				}
			}
		}
		return nil, nil
	}

	closers := &analysis.Analyzer{
		Name:       "closers",
		Doc:        "find functions that close what they are given",
		FactTypes:  []analysis.Fact{new(closesFact)},
		ResultType: reflect.TypeFor[[]*ast.CallExpr](),
	}
	closers.Run = func(pass *analysis.Pass) (any, error) {
		var calls []*ast.CallExpr
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				decl, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				ast.Inspect(decl, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					fn := typeutil.StaticCallee(pass.TypesInfo, call)
					sel, isSel := call.Fun.(*ast.SelectorExpr)
					switch {
					case fn != nil && fn.Pkg() != pass.Pkg && pass.ImportObjectFact(fn.Origin(), new(closesFact)):
						calls = append(calls, call)
					case !isSel || sel.Sel.Name != "Close":
						return true
					}
					if decl.Name.IsExported() {
						pass.ExportObjectFact(pass.TypesInfo.Defs[decl.Name], new(closesFact))
					}
					return true
				})
			}
		}
		return calls, nil
	}
	closes := &analysis.Analyzer{
		Name:     "closes",
		Doc:      "closes: report calls of functions that close what they are given",
		Requires: []*analysis.Analyzer{closers},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, call := range pass.ResultOf[closers].([]*ast.CallExpr) {
				pass.Reportf(call.Pos(), "something is closed")
			}
			return nil, nil
		},
	}

	faulty := &analysis.Analyzer{
		Name: "faulty",
		Doc:  "faulty: fail",
		Run: func(pass *analysis.Pass) (any, error) {
			if pass.Pkg.Scope().Lookup("passFails") != nil {
				return nil, errors.New("it went wrong")
			}
			if pass.Pkg.Scope().Lookup("passPanics") != nil {
				var list []int
				_ = list[len(pass.Files)]
			}
			return nil, nil
		},
	}
	return []*analysis.Analyzer{closes, dead, faulty, shout}
}

// A closesFact is of a function that calls a method Close.
type closesFact struct{}

func (*closesFact) AFact() {}

// A result is what a run of a command came to.
type result struct {
	stdout, stderr string
	status         int
}

// httpvet runs the tool with "real" or "fake" rules.
func httpvet(t *testing.T, rules, dir string, args ...string) result {
	t.Helper()
	return command(t, dir, toolWith(t, rules), args...)
}

// command runs a command.
func command(t *testing.T, dir, name string, args ...string) result {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", asTool+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// write writes the files of an archive to a new directory and returns it.
func write(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// expect checks what a run came to: its output, and its errors, one a line.
func (r result) expect(t *testing.T, status int, stdout string, errors ...string) {
	t.Helper()
	if r.status != status || r.stdout != stdout || strings.Count(r.stderr, "\n") != len(errors) {
		t.Errorf("exit status %d and output\n%sand errors\n%swant %d,\n%sand %q", r.status, r.stdout, r.stderr, status, stdout, errors)
		return
	}
	for i, line := range strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n") {
		if i < len(errors) && !strings.Contains(line, errors[i]) {
			t.Errorf("error %q, want %q in it", line, errors[i])
		}
	}
}
