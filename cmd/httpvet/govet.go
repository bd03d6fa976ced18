package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// goVet returns the command "go vet" with this program as the vettool, and the flags
// that this run was given for the go command and the rules. With -trimpath, which
// GOFLAGS may hold, the go command's cache gives the findings of one checkout to
// another, under the names of the first, and -fix would edit those files.
func (t *tool) goVet(flags ...string) (*exec.Cmd, error) {
	if !t.tests {
		return nil, errors.New("-tests=false does not go with -fix, -diff and -engine vet: go vet, which does that work, takes test files too")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errNoGo
	}
	args := slices.Concat([]string{"vet", "-vettool=" + self, "-trimpath=false"}, flags, t.buildFlags())
	t.flags.Visit(func(f *flag.Flag) {
		rule, _, _ := strings.Cut(f.Name, ".")
		if t.rules[rule] != nil {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	cmd := exec.Command("go", append(args, t.flags.Args()...)...)
	cmd.Dir = t.dir
	return cmd, nil
}

// applyFixes applies or shows the suggested fixes by go vet, which does that well.
func (t *tool) applyFixes() int {
	flags := []string{"-fix"}
	if t.diff {
		flags = append(flags, "-diff")
	}
	cmd, err := t.goVet(flags...)
	if err != nil {
		return t.fail(err)
	}
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = t.stdout, io.MultiWriter(t.stderr, &stderr)
	err = cmd.Run()
	switch {
	case err == nil:
		return exitClean
	case t.diff && stderr.Len() == 0:
		return exitFindings // the diff is not empty
	case stderr.Len() == 0:
		return t.fail(err)
	}
	return exitFailed
}

// byGoVet analyzes the packages that match patterns by go vet, which remembers what
// it found in packages that did not change.
//
// It reads go vet's JSON and not its text: in text, the error of a pass shows once,
// and not again from the cache. With -json, go vet exits with 0 though there are
// findings, or such errors.
func (t *tool) byGoVet(patterns []string) (*outcome, error) {
	dirs, err := t.list(patterns)
	if err != nil {
		return nil, err
	}
	cmd, err := t.goVet("-json")
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	failed := cmd.Run()
	out := &outcome{dirs: dirs}
	out.findings, out.errors = decodeVet(&stdout)
	out.errors = append(out.errors, vetErrors(stderr.String())...)
	if failed != nil && len(out.errors) == 0 {
		return nil, failed
	}
	out.errors = append(out.errors, t.elsewhere(out)...)
	return out, nil
}

// list returns the folders of the packages that match patterns. What is wrong with
// them is left to go vet.
func (t *tool) list(patterns []string) ([]string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errNoGo
	}
	cmd := exec.Command("go", slices.Concat([]string{"list", "-e", "-find", "-f", "{{or .Dir .Error}}"}, t.buildFlags(), patterns)...)
	cmd.Dir = t.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(firstLine(stderr.String()), "go: "))
	}
	dirs := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })
	switch {
	case len(dirs) == 0:
		return nil, noPackages(patterns)
	case !filepath.IsAbs(dirs[0]):
		return nil, errors.New(dirs[0]) // the first pattern matches nothing
	}
	return dirs, nil
}

// elsewhere takes the findings out of an outcome that are in no folder of the
// packages asked for, and returns an error for each: they can only come from a cache
// that holds the result of another checkout.
func (t *tool) elsewhere(out *outcome) (errs []error) {
	out.findings = slices.DeleteFunc(out.findings, func(f finding.Finding) bool {
		if slices.Contains(out.dirs, filepath.Dir(f.Pos.Filename)) {
			return false
		}
		errs = append(errs, fmt.Errorf("a finding outside the packages asked for, at %s: %s (%s); if the go command's cache is shared, it holds the result of another checkout", f.Pos, f.Message, f.Rule))
		return true
	})
	return errs
}

// A vetDiagnostic is a diagnostic in go vet's JSON (internal/analysis/driverutil in
// golang.org/x/tools).
type vetDiagnostic struct {
	Category string
	Posn     string
	End      string
	Message  string
	Related  []struct{ Posn, Message string }
	Fixes    []struct {
		Message string
		Edits   []struct {
			Filename   string
			Start, End int
			New        string
		}
	} `json:"suggested_fixes"`
}

// decodeVet reads go vet's JSON: a value for each package, in any order. What cannot
// be read is an error, and so is what a pass could not do.
func decodeVet(r io.Reader) (list []finding.Finding, errs []error) {
	for decoder := json.NewDecoder(r); ; {
		var packages map[string]map[string]json.RawMessage // by package and rule
		if err := decoder.Decode(&packages); err == io.EOF {
			return finding.Sort(list), distinct(errs)
		} else if err != nil {
			return finding.Sort(list), append(distinct(errs), fmt.Errorf("go vet printed no JSON: %w", err))
		}
		for pkg, rules := range packages {
			for rule, data := range rules {
				var failure struct{ Error string }
				var diagnostics []vetDiagnostic
				if json.Unmarshal(data, &failure) == nil {
					errs = append(errs, fmt.Errorf("%s: %s: %s", pkg, rule, failure.Error))
				} else if err := json.Unmarshal(data, &diagnostics); err != nil {
					errs = append(errs, fmt.Errorf("%s: %s: %w", pkg, rule, err))
				}
				for _, d := range diagnostics {
					list = append(list, d.finding(rule))
				}
			}
		}
	}
}

// finding returns a diagnostic as a finding.
func (d vetDiagnostic) finding(rule string) finding.Finding {
	f := finding.Finding{
		Rule:     rule,
		Category: d.Category,
		Message:  d.Message,
		Pos:      parsePosition(d.Posn),
		End:      parsePosition(d.End),
	}
	for _, r := range d.Related {
		f.Related = append(f.Related, finding.Related{Pos: parsePosition(r.Posn), Message: r.Message})
	}
	for _, fix := range d.Fixes {
		edits := make([]finding.Edit, 0, len(fix.Edits))
		for _, e := range fix.Edits {
			edits = append(edits, finding.Edit{File: e.Filename, Start: e.Start, End: e.End, New: e.New})
		}
		f.Fixes = append(f.Fixes, finding.Fix{Message: fix.Message, Edits: edits})
	}
	return f
}

// parsePosition returns the position that is written file:line:col, file:line or
// file.
func parsePosition(s string) token.Position {
	var numbers []int
	for range 2 {
		i := strings.LastIndexByte(s, ':')
		n, err := strconv.Atoi(s[i+1:])
		if i < 0 || err != nil {
			break
		}
		s, numbers = s[:i], append(numbers, n)
	}
	pos := token.Position{Filename: s}
	switch len(numbers) {
	case 1:
		pos.Line = numbers[0]
	case 2:
		pos.Line, pos.Column = numbers[1], numbers[0]
	}
	return pos
}

// vetErrors returns an error for each package that go vet says something of, which
// with -json it does only if something is wrong: under a line "# path" for the
// compiler, and also "# [path]" for the vettool.
func vetErrors(said string) []error {
	lines := make(map[string][]string) // by package, "" for the go command's own
	pkg := ""
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		name, header := strings.CutPrefix(line, "# ")
		switch {
		case header && strings.HasPrefix(name, "["):
		case header:
			pkg, _, _ = strings.Cut(name, " ") // without "[path.test]"
		case line != "":
			lines[pkg] = append(lines[pkg], line)
		}
	}
	var errs []error
	for pkg, lines := range lines {
		if pkg == "" {
			for _, line := range lines {
				errs = append(errs, errors.New(strings.TrimPrefix(line, "go: ")))
			}
			continue
		}
		text := strings.TrimPrefix(lines[0], "vet: ")
		if n := len(lines) - 1; n > 0 {
			text += fmt.Sprintf(" (and %d more)", n)
		}
		errs = append(errs, fmt.Errorf("%s: %s", pkg, text))
	}
	return distinct(errs)
}
