package proof

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// failnowProbe is added to each package of failnow's fixtures. A statement that is a
// call is wrapped so that it defers endedAt: where runtime.Goexit ended the call, it
// prints the place, the goroutine, and whether that is a test's.
const failnowProbe = `
import (
	"bytes"
	"fmt"
	"os"
	"runtime"
)

func endedAt(place string, returned *bool) {
	if *returned {
		return
	}
	if r := recover(); r != nil {
		panic(r)
	}
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	goroutine, _, _ := bytes.Cut(stack, []byte(" ["))
	fmt.Fprintf(os.Stderr, "\nENDED %s|%d %s|%t\n", place, os.Getpid(), goroutine, bytes.Contains(stack, []byte("\ncreated by testing.(")))
}
`

// TestFailnow runs the fixtures of failnow. It proves that each call that is reported
// ended a goroutine that is not the test's, and that no other goroutine than a test's
// was ended without such a report. What the limits show is reported by nobody.
func TestFailnow(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "failnow", "*", "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	overlay := make(map[string]string)
	wanted := make(map[string]bool) // by place: whether it was seen to end a goroutine
	for i, file := range files {
		src, name := probed(t, root, file, wanted)
		overlay[file] = write(t, fmt.Sprintf("%d_test.go", i), src)
		probe := filepath.Join(filepath.Dir(file), "probe_test.go")
		overlay[probe] = write(t, fmt.Sprintf("%d_probe.go", i), []byte("package "+name+"\n"+failnowProbe))
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	config := write(t, "overlay.json", replace)

	chains := make(map[string][]string) // by goroutine: the calls that it ended in
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	for _, what := range [][]string{{"-run=."}, {"-run=^$", "-bench=.", "-benchtime=1x"}} {
		args := append([]string{"test", "-overlay=" + config, "-count=1", "-timeout=2m", "-vet=off"}, what...)
		cmd := exec.CommandContext(ctx, "go", append(args, "./failnow/...")...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput() // fails: so do the fixtures
		if err == nil || bytes.Contains(out, []byte("[build failed]")) {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		for scan := bufio.NewScanner(bytes.NewReader(out)); scan.Scan(); {
			line, ok := strings.CutPrefix(scan.Text(), "ENDED ")
			if fields := strings.Split(line, "|"); ok && fields[2] == "false" {
				chains[fields[1]] = append(chains[fields[1]], fields[0])
			}
		}
	}
	for _, chain := range chains {
		reported := false
		for _, place := range chain {
			if _, ok := wanted[place]; ok {
				wanted[place], reported = true, true
			}
		}
		if limit := strings.HasPrefix(chain[0], "failnow/limits/"); reported == limit {
			t.Errorf("a goroutine that is not the test's was ended: %q; reported: %t", chain, reported)
		}
	}
	for place, seen := range wanted {
		// A handler that another package makes ends its goroutine there, without a probe.
		if !seen && !strings.HasPrefix(place, "failnow/helpers/made_test.go:") {
			t.Errorf("%s: reported, but ended no goroutine other than the test's", place)
		}
	}
	t.Logf("%d calls are reported, %d goroutines were ended", len(wanted), len(chains))
}

// probed returns the source of a fixture with each statement that is a call wrapped,
// and its package's name. It adds the places of reports to wanted.
func probed(t *testing.T, root, file string, wanted map[string]bool) (src []byte, name string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(root, file)
	if err != nil {
		t.Fatal(err)
	}
	place := func(pos token.Pos) string {
		return fmt.Sprintf("%s:%d", filepath.ToSlash(rel), fset.Position(pos).Line)
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "// want ") {
				wanted[place(c.Pos())] = false
			}
		}
	}
	insert := make(map[int]string)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.ExprStmt); ok {
			if _, ok := s.X.(*ast.CallExpr); ok {
				insert[fset.Position(s.Pos()).Offset] += fmt.Sprintf("func() { returned := false; defer endedAt(%q, &returned); ", place(s.Pos()))
				insert[fset.Position(s.End()).Offset] += "; returned = true }()"
			}
		}
		return true
	})
	offsets := make([]int, 0, len(insert))
	for offset := range insert {
		offsets = append(offsets, offset)
	}
	slices.Sort(offsets)
	for _, offset := range slices.Backward(offsets) {
		src = slices.Insert(src, offset, []byte(insert[offset])...)
	}
	return src, f.Name.Name
}

// write writes a temporary file and returns its path.
func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
