package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/baseline"
	"github.com/httpvet/httpvet/cmd/httpvet/internal/changed"
	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// A sieve is what holds findings back.
type sieve struct {
	old    *baseline.Baseline // nil for none
	change *changed.Lines     // nil for none
}

// newSieve reads what the flags say is to be held back.
func (t *tool) newSieve() (s sieve, err error) {
	if t.baseline != "" && !t.writeBaseline {
		if s.old, err = baseline.Read(t.inDir(t.baseline)); err != nil {
			return s, err
		}
	}
	switch {
	case t.newFromRev != "":
		if s.change, err = changed.Since(t.dir, t.newFromRev); err != nil {
			return s, fmt.Errorf("-new-from-rev: %w", err)
		}
	case t.newFromPatch != "":
		if s.change, err = t.readPatch(); err != nil {
			return s, fmt.Errorf("-new-from-patch %s: %w", t.newFromPatch, err)
		}
	}
	return s, nil
}

// readPatch reads the change of -new-from-patch. Its names are relative to the root
// of the repository, as git diff has them, or to the directory where there is none.
func (t *tool) readPatch() (*changed.Lines, error) {
	var in io.Reader = os.Stdin
	if t.newFromPatch != "-" {
		file, err := os.Open(t.inDir(t.newFromPatch))
		if err != nil {
			return nil, errors.Unwrap(err) // without the name
		}
		defer file.Close()
		in = file
	}
	dir, err := filepath.Abs(t.dir)
	if err != nil {
		return nil, err
	}
	return changed.ReadPatch(in, repository(dir))
}

// inDir returns the name of a file that a flag gives: relative to -C, as all is.
func (t *tool) inDir(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(t.dir, name)
}

// sift returns the findings that are not held back, and says if the baseline holds
// what is no longer found.
func (t *tool) sift(s sieve, out *outcome, src *finding.Sources) []finding.Finding {
	list := out.findings
	if s.old != nil {
		var stale int
		list, stale = s.old.Filter(list, t.scope(out), src)
		// What is not analyzed would seem to be gone.
		if stale > 0 && len(out.errors) == 0 && t.tests {
			fmt.Fprintf(t.stderr, "httpvet: baseline %s holds %s no longer there; write it again with -write-baseline\n", t.baseline, entries(stale))
		}
	}
	if s.change == nil {
		return list
	}
	var touched []finding.Finding
	for _, f := range list {
		if s.change.Touch(f) {
			touched = append(touched, f)
		}
	}
	return touched
}

// saveBaseline writes what was found to the baseline, and returns the exit status.
func (t *tool) saveBaseline(out *outcome, src *finding.Sources) int {
	if len(out.errors) > 0 {
		for _, err := range out.errors {
			t.fail(err)
		}
		return t.fail(errors.New("the baseline is not written, since it would lack what could not be analyzed"))
	}
	n, err := baseline.Write(t.inDir(t.baseline), out.findings, t.scope(out), src)
	if err != nil {
		return t.fail(err)
	}
	fmt.Fprintf(t.stderr, "httpvet: %s in %s\n", entries(n), t.baseline)
	return exitClean
}

// entries returns a number of findings in words.
func entries(n int) string {
	if n == 1 {
		return "1 finding"
	}
	return fmt.Sprintf("%d findings", n)
}

// scope returns what the run looked at.
func (t *tool) scope(out *outcome) baseline.Scope {
	s := baseline.Scope{Dirs: out.dirs}
	for _, a := range t.enabled() {
		s.Rules = append(s.Rules, a.Name)
	}
	return s
}
