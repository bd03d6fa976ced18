package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/httpvet/httpvet/internal/testenv"
)

// dependent is a module whose findings hang on facts of dependencies, each of
// which must survive what the tool leaves out. A line with a finding says so.
const dependent = `
-- go.mod --
module example.com/m

go 1.26
-- must/must.go --
// Package must never returns, in a package that knows nothing of HTTP.
package must

func Exit()            { panic("no") }
func Forever()         { select {} }
func Generic[T any](T) { Exit() }
func Return()          {}

type Handle struct{}

func (Handle) Close() { Exit() }
-- again/again.go --
// Package again is a step further away.
package again

import "example.com/m/must"

type Must struct{ must.Handle }

func Exit() { must.Exit() }
-- quiet/quiet.go --
// Package quiet closes what it is given.
package quiet

import "io"

func Close(c io.Closer) { _ = c.Close() }

func Any[T interface{ Close() error }](c T) { c.Close() }

func Look(c io.Closer) {}
-- tables/tables.go --
// Package tables has tables, of which the types matter.
package tables

var Bytes = [...]byte{0: 1, 40: 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}

var Names = map[string][]int{"a": {1}, "b": {2}}

const Len = len(Bytes)
-- use/use.go --
package use

import (
	"io"

	"example.com/m/again"
	"example.com/m/must"
	"example.com/m/quiet"
	"example.com/m/tables"
)

var _ [74]byte = tables.Bytes

var _ [74]int = [tables.Len]int{}

func exit()    { must.Exit(); println() }           // finding
func exit2()   { again.Exit(); println() }          // finding
func forever() { must.Forever(); println() }        // finding
func generic() { must.Generic(1); println() }       // finding
func method()  { must.Handle{}.Close(); println() } // finding
func embeds()  { again.Must{}.Close(); println() }  // finding
func returns() { must.Return(); println() }

func closes(r io.ReadCloser) {
	quiet.Close(r) // finding
	quiet.Any(r)   // finding
	quiet.Look(r)
}
-- use/use_test.go --
package use

import "testing"

func Exit() { exit() }

func TestUse(t *testing.T) { exit(); println() } // finding
-- use/x_test.go --
package use_test

import (
	"testing"

	"example.com/m/use"
)

func TestX(t *testing.T) { use.Exit(); println() } // finding
-- c/c.go --
package c

// struct hidden;
// static int twice(int n) { return 2 * n; }
// static struct hidden *hide(void) { return 0; }
import "C"

import "example.com/m/must"

func Twice(n int) int {
	if n < 0 {
		must.Exit()
		println() // finding
	}
	_ = C.hide()
	two, err := C.twice(C.int(n))
	if err != nil {
		return 0
	}
	return int(two)
}

func Exit() { must.Exit() }
-- usec/usec.go --
package usec

import "example.com/m/c"

func twice(n int) int {
	return c.Twice(n)
}

func exit() {
	c.Exit()
	println() // finding
}
`

// TestEngines proves that both engines find the same: in a module whose findings
// hang on its dependencies, and what the real rules find in their fixtures.
func TestEngines(t *testing.T) {
	t.Run("fake", func(t *testing.T) {
		dir := write(t, dependent)
		var want []string // file:line
		for name, lines := range linesOf(t, dir) {
			for i, line := range lines {
				if strings.Contains(line, "// finding") {
					want = append(want, fmt.Sprintf("%s:%d", name, i+1))
				}
			}
		}
		slices.Sort(want)
		alone, vet := both(t, "fake", dir)
		for engine, found := range map[string][]string{"alone": alone, "as a vettool": vet} {
			var got []string
			for _, f := range found {
				parts := strings.SplitN(f, ":", 3)
				got = append(got, parts[0]+":"+parts[1])
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s httpvet finds\n%swant findings in\n%s", engine, lines(found), lines(want))
			}
		}
	})
	t.Run("real", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it takes long")
		}
		both(t, "real", testenv.Testdata(t))
	})
}

// both runs both engines over the packages in dir, checks that they find the same,
// and returns that, sorted.
func both(t *testing.T, rules, dir string) (alone, vet []string) {
	t.Helper()
	r := httpvet(t, rules, dir, "./...")
	if r.status == exitFailed || r.stderr != "" {
		t.Errorf("httpvet: exit status %d\n%s", r.status, r.stderr)
	}
	for line := range strings.Lines(r.stdout) {
		if !strings.HasPrefix(line, "\t") {
			alone = append(alone, strings.TrimSuffix(line, "\n"))
		}
	}
	slices.Sort(alone)
	vet = vetFindings(t, rules, dir)
	for _, f := range alone {
		if !slices.Contains(vet, f) {
			t.Errorf("found alone only: %s", f)
		}
	}
	for _, f := range vet {
		if !slices.Contains(alone, f) {
			t.Errorf("found as a vettool only: %s", f)
		}
	}
	t.Logf("%d findings", len(alone))
	return alone, vet
}

// vetFindings returns what go vet finds with the tool, in the form in which the
// tool prints it.
func vetFindings(t *testing.T, rules, dir string) (found []string) {
	t.Helper()
	r := command(t, dir, "go", "vet", "-vettool="+toolWith(t, rules), "-json", "./...")
	if r.status != 0 {
		t.Errorf("go vet -json: exit status %d\n%s", r.status, r.stderr)
	}
	for _, f := range testenv.VetFindings(t, dir, r.stdout) {
		found = append(found, fmt.Sprintf("%s: %s (%s)", f.Posn, f.Message, f.Rule))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// linesOf returns the lines of each Go file below dir.
func linesOf(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files := make(map[string][]string)
	names, err := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		files[rel] = strings.Split(string(data), "\n")
	}
	return files
}

func lines(list []string) string { return strings.Join(list, "\n") + "\n" }

// TestVetFlags proves that the flags of go vet work with the tool.
func TestVetFlags(t *testing.T) {
	dir := write(t, shouting)
	vet := func(args ...string) result {
		t.Helper()
		return command(t, dir, "go", append([]string{"vet", "-vettool=" + toolWith(t, "fake")}, args...)...)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   map[string]int // how often in the output
	}{
		{[]string{"./..."}, 1, map[string]int{"shout is called": 5}},
		{[]string{"-shout=false", "./..."}, 0, map[string]int{"called": 0}},
		{[]string{"-dead", "./..."}, 0, map[string]int{"called": 0}},
		{[]string{"-shout.loud", "./a"}, 1, map[string]int{"shout is called": 2, "LOUD is called": 1}},
		{[]string{"-c=0", "./b"}, 1, map[string]int{"shout is called": 3, "8\t\tshout()": 2}},
		{[]string{"-json", "./a"}, 0, map[string]int{`"message": "shout is called (it hurts)"`: 2, `"new": "whisper"`: 2}},
		{[]string{"-fix", "-diff", "./a"}, 1, map[string]int{"+\twhisper()": 2, "called": 0}},
		{[]string{"-fix", "./a"}, 0, map[string]int{"called": 0}},
		{[]string{"./a"}, 0, map[string]int{"called": 0}},
	} {
		r := vet(test.args...)
		if r.status != test.status {
			t.Errorf("go vet %q: exit status %d, want %d\n%s%s", test.args, r.status, test.status, r.stdout, r.stderr)
		}
		for text, n := range test.want {
			if got := strings.Count(r.stdout+r.stderr, text); got != n {
				t.Errorf("go vet %q: %d times %q, want %d times\n%s%s", test.args, got, text, n, r.stdout, r.stderr)
			}
		}
	}
}

// TestCached proves that a second run of go vet analyzes nothing: it starts the
// tool only to ask who it is.
func TestCached(t *testing.T) {
	dir := write(t, shouting)
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv(logFile, log)
	units := func() (n int) {
		r := command(t, dir, "go", "vet", "-vettool="+toolWith(t, "fake"), "./...")
		if r.status != 1 || strings.Count(r.stderr, "shout is called") != 5 {
			t.Errorf("exit status %d and\n%swant 1 and 5 findings", r.status, r.stderr)
		}
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(data), ".cfg]")
	}
	if units() == 0 {
		t.Error("the first run analyzes nothing")
	}
	if n := units(); n != 0 {
		t.Errorf("the second run analyzes %d packages", n)
	}
}
