package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/httpvet/httpvet/analyzers"
)

// shouting is a module with findings in two packages, of which one has tests.
const shouting = `
-- go.mod --
module example.com/m

go 1.26
-- b/b.go --
package b

func shout() {}

func whisper() {}

func B() {
	shout()
}
-- b/b_test.go --
package b

import "testing"

func TestB(t *testing.T) { shout() }
-- b/x_test.go --
package b_test

import "testing"

func shout() {}

func whisper() {}

func TestX(t *testing.T) { shout() }
-- a/a.go --
package a

import "example.com/m/b"

func shout() {}

func LOUD() {}

func whisper() {}

func A() {
	LOUD()
	shout(); shout()
	b.B()
}
`

const (
	foundA = `a/a.go:13:2: shout is called (it hurts) (shout)
	a/a.go:13:7: here it starts
a/a.go:13:11: shout is called (it hurts) (shout)
	a/a.go:13:16: here it starts
`
	foundB = `b/b.go:8:2: shout is called (it hurts) (shout)
	b/b.go:8:7: here it starts
`
	foundTests = `b/b_test.go:5:28: shout is called (it hurts) (shout)
	b/b_test.go:5:33: here it starts
b/x_test.go:9:28: shout is called (it hurts) (shout)
	b/x_test.go:9:33: here it starts
`
)

// TestFindings proves the form and the order of findings, each told once though
// its package is analyzed with and without tests.
func TestFindings(t *testing.T) {
	dir := write(t, shouting)
	httpvet(t, "fake", dir, "./...").expect(t, 1, foundA+foundB+foundTests)
	httpvet(t, "fake", dir, "-tests=false", "./...").expect(t, 1, foundA+foundB)
	httpvet(t, "fake", dir, "-C", "b", "-tests=false").expect(t, 1, strings.ReplaceAll(foundB, "b/b.go", "b.go"))
	httpvet(t, "fake", filepath.Join(dir, "b"), "-tests=false", "../a").expect(t, 1,
		strings.ReplaceAll(foundA, "a/a.go", filepath.Join(dir, "a", "a.go")))
	httpvet(t, "fake", dir, "a/a.go").expect(t, 1, foundA)
}

// TestRuleFlags proves that rules are turned on and off, and their own flags set.
func TestRuleFlags(t *testing.T) {
	dir := write(t, shouting)
	loud := `a/a.go:12:2: LOUD is called (it hurts) (shout)
	a/a.go:12:6: here it starts
`
	httpvet(t, "fake", dir, "-shout=false", "./a").expect(t, 0, "")
	httpvet(t, "fake", dir, "-dead", "./a").expect(t, 0, "")
	httpvet(t, "fake", dir, "-dead", "-shout", "./a").expect(t, 1, foundA)
	httpvet(t, "fake", dir, "-shout.loud", "./a").expect(t, 1, loud+foundA)
	httpvet(t, "fake", dir, "-shout=maybe", "./a").expect(t, 2, "", `invalid boolean value "maybe" for -shout`)
}

// TestBuildFlags proves that -tags, -mod and -modfile reach the go command.
func TestBuildFlags(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com/m

go 1.26
-- other.mod --
module example.com/other

go 1.26
-- m.go --
package m

func shout() {}
-- tagged.go --
//go:build special

package m

func init() { shout() }
`)
	found := "tagged.go:5:15: shout is called (it hurts) (shout)\n\ttagged.go:5:20: here it starts\n"
	httpvet(t, "fake", dir).expect(t, 0, "")
	httpvet(t, "fake", dir, "-tags=special", "-mod=mod").expect(t, 1, found)
	httpvet(t, "fake", dir, "-tags=special", "-modfile=other.mod", "example.com/other").expect(t, 1, found)
	httpvet(t, "fake", dir, "-mod=sideways").expect(t, 2, "", "-mod")
}

// TestHelp proves that the pages are there, and what is said of unknown ones.
func TestHelp(t *testing.T) {
	for _, arg := range []string{"help", "-h", "--help"} {
		r := httpvet(t, "fake", ".", arg)
		for _, want := range []string{"httpvet [flags] [packages]", "shout              report calls of shout", "-shout.loud", "-C dir"} {
			if r.status != 0 || !strings.Contains(r.stdout, want) {
				t.Errorf("httpvet %s: exit status %d and no %q in\n%s", arg, r.status, want, r.stdout)
			}
		}
	}
	httpvet(t, "fake", ".", "help", "shout").expect(t, 0, "shout: report calls of shout\n\nThe page of shout.\n\nhttps://example.com/shout\n")
	httpvet(t, "fake", ".", "help", "shuot").expect(t, 2, "", "unknown rule shuot (did you mean shout?)")
	if r := httpvet(t, "fake", ".", "version"); r.status != 0 || !strings.HasPrefix(r.stdout, "httpvet ") || !strings.Contains(r.stdout, runtime.Version()) {
		t.Errorf("httpvet version: %+v", r)
	}
}

// TestBadInput proves that what cannot be done is said in a line, and that nothing
// else is lost by it.
func TestBadInput(t *testing.T) {
	dir := write(t, shouting+`
-- broken/broken.go --
package broken

func shout() {}

func f() int { shout(); return "" }

var x int = ""
-- syntax/syntax.go --
package syntax

func shout( {}
-- imports/imports.go --
package imports

import _ "example.com/nowhere"
-- user/user.go --
package user

import _ "example.com/m/broken"

func shout() {}

func init() { shout() }
-- fails/fails.go --
package fails

const passFails = true
-- docs/page.txt --
-- panics/panics.go --
package panics

const passPanics = true

func shout() {}

func init() { shout() }
`)
	inPanics := "panics/panics.go:7:15: shout is called (it hurts) (shout)\n\tpanics/panics.go:7:20: here it starts\n"
	inUser := "user/user.go:7:15: shout is called (it hurts) (shout)\n\tuser/user.go:7:20: here it starts\n"
	future := write(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.99\n-- m.go --\npackage m\n")

	for _, test := range []struct {
		name   string
		dir    string
		args   []string
		stdout string
		errors []string
	}{
		{"type error", dir, []string{"./a", "./broken"}, foundA,
			[]string{"httpvet: example.com/m/broken: " + filepath.Join(dir, "broken", "broken.go") + ":7:13: cannot use"}},
		{"syntax error", dir, []string{"./a", "./syntax"}, foundA, []string{"example.com/m/syntax: "}},
		{"missing import", dir, []string{"./a", "./imports"}, foundA, []string{"example.com/m/imports: " + filepath.Join(dir, "imports", "imports.go") + ":3:10: could not import example.com/nowhere (no required module provides package example.com/nowhere)"}},
		{"broken dependency", dir, []string{"./user"}, inUser, []string{"example.com/m/broken: "}},
		{"error of a pass", dir, []string{"./a", "./fails"}, foundA, []string{"example.com/m/fails: faulty: it went wrong"}},
		{"panic of a pass", dir, []string{"./a", "./panics"}, foundA + inPanics,
			[]string{"example.com/m/panics: faulty: panic: runtime error: index out of range [1] with length 0, at"}},
		{"no directory", dir, []string{"./nowhere"}, "", []string{"nowhere"}},
		{"no packages", dir, []string{"./docs/..."}, "", []string{"no packages match ./docs/..."}},
		{"no folder", dir, []string{"./nowhere/..."}, "", []string{"./nowhere/"}},
		{"no module", t.TempDir(), []string{"./..."}, "", []string{"directory prefix . does not contain main module or its selected dependencies"}},
		{"no directory for -C", dir, []string{"-C", "nowhere"}, "", []string{"nowhere"}},
		{"unknown flag", dir, []string{"-shuot"}, "", []string{"unknown flag -shuot (did you mean -shout?); see httpvet help"}},
		{"unlike any flag", dir, []string{"-xyzzy"}, "", []string{"unknown flag -xyzzy; see httpvet help"}},
		{"newer Go", future, nil, "", []string{"1.99"}},
		{"fixes without tests", dir, []string{"-fix", "-tests=false", "./a"}, "", []string{"-tests=false does not go with -fix"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", "local")
			httpvet(t, "fake", test.dir, test.args...).expect(t, 2, test.stdout, test.errors...)
		})
	}
	t.Run("no go command", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		httpvet(t, "fake", dir, "./a").expect(t, 2, "", "the go command is not in PATH")
		httpvet(t, "fake", dir, "-fix", "./a").expect(t, 2, "", "the go command is not in PATH")
	})
}

// TestNewer proves which modules need a newer Go than that of the tool.
func TestNewer(t *testing.T) {
	for _, test := range []struct {
		directive, toolchain string
		want                 bool
	}{
		{"", "go1.26.0", false},
		{"1.26", "go1.26.8", false},
		{"1.26.9", "go1.26.8", false}, // the language is the same
		{"1.27", "go1.26.8", true},
		{"1.27rc1", "go1.26.8", true},
		{"1.9", "go1.26.8", false},
		{"1.27", "go1.26.8 X:nodwarf5", true},
		{"1.27", "devel go1.28-abcdef", false},
	} {
		if got := newer(test.directive, test.toolchain); got != test.want {
			t.Errorf("newer(%q, %q) = %t", test.directive, test.toolchain, got)
		}
	}
}

// TestFix proves that -diff shows the fixes and -fix applies them, to tests too.
func TestFix(t *testing.T) {
	dir := write(t, shouting)
	r := httpvet(t, "fake", dir, "-diff", "./...")
	if r.status != 1 || strings.Count(r.stdout, "+++ ") != 4 || strings.Count(r.stdout, "whisper()") < 5 || r.stderr != "" {
		t.Errorf("httpvet -diff: %+v", r)
	}
	httpvet(t, "fake", dir, "./a").expect(t, 1, foundA)
	httpvet(t, "fake", dir, "-fix", "-shout=false", "./...").expect(t, 0, "")
	httpvet(t, "fake", dir, "./a").expect(t, 1, foundA)
	httpvet(t, "fake", filepath.Dir(dir), "-C", filepath.Base(dir), "-fix", "./...").expect(t, 0, "")
	httpvet(t, "fake", dir, "./...").expect(t, 0, "")
	httpvet(t, "fake", dir, "-diff", "./...").expect(t, 0, "")
	httpvet(t, "fake", dir, "-fix", "-shout.loud", "./a").expect(t, 0, "")
	if data, err := os.ReadFile(filepath.Join(dir, "a", "a.go")); err != nil || bytes.Contains(data, []byte("\tLOUD()")) {
		t.Errorf("httpvet -fix -shout.loud left %s, %v", data, err)
	}
}

// pinging is a module with a finding of a real rule.
const pinging = `
-- go.mod --
module example.com/ping

go 1.26
-- ping.go --
package ping

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

// TestReal proves that the real rules are there, with their pages, flags and fixes.
func TestReal(t *testing.T) {
	dir := write(t, pinging)
	if r := httpvet(t, "real", dir); r.status != 1 || !strings.HasPrefix(r.stdout, "ping.go:13:2: resp.Body is closed") || !strings.Contains(r.stdout, " (bodydrain)\n\tping.go:") {
		t.Errorf("httpvet: %+v", r)
	}
	httpvet(t, "real", dir, "-bodydrain=false").expect(t, 0, "")
	httpvet(t, "real", dir, "-bodydran.strict").expect(t, 2, "", "did you mean -bodydrain.strict?")
	for _, a := range analyzers.All() {
		if r := httpvet(t, "real", dir, "help", a.Name); r.status != 0 || !strings.HasPrefix(r.stdout, strings.TrimSpace(a.Doc)) {
			t.Errorf("httpvet help %s: %+v", a.Name, r)
		}
	}
	httpvet(t, "real", dir, "-fix").expect(t, 0, "")
	httpvet(t, "real", dir).expect(t, 0, "")
}

// TestProgress proves that progress is shown in a run that lasts, and wiped.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	l := new(loader)
	stop := progress(&out, l, time.Hour)
	stop()
	stop()
	if out.Len() > 0 {
		t.Errorf("a short run shows %q", &out)
	}
	l.done.Store(3)
	l.total.Store(14)
	stop = progress(&out, l, 0)
	time.Sleep(2 * progressInterval)
	stop()
	if got := out.String(); !strings.Contains(got, "3 of 14 packages") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("a run that lasts shows %q", got)
	}
}

// TestTerminal proves that colour and progress are for terminals only.
func TestTerminal(t *testing.T) {
	if isTerminal(new(bytes.Buffer)) {
		t.Error("a buffer is a terminal")
	}
}

// TestNearest proves what is suggested for a wrong name.
func TestNearest(t *testing.T) {
	names := []string{"bodydrain", "failnow", "tests", "tags"}
	for s, want := range map[string]string{"bodydran": "bodydrain", "fialnow": "failnow", "test": "tests", "tag": "tags", "zzz": "", "x": ""} {
		if got := nearest(s, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", s, got, want)
		}
	}
	if got := fmt.Sprint(distance("", "abc"), distance("kitten", "sitting")); got != "3 3" {
		t.Errorf("distances %s", got)
	}
}
