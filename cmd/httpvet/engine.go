package main

import (
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// An outcome is what an engine comes to.
type outcome struct {
	findings []finding.Finding // sorted, each told once
	dirs     []string          // of the packages that were analyzed
	errors   []error           // what could not be analyzed, and why
}

// engines holds the engines by name.
var engines = map[string]func(*tool, []string) (*outcome, error){
	"source": (*tool).fromSource,
	"vet":    (*tool).byGoVet,
}

// fromSource analyzes the packages that match patterns in this process.
func (t *tool) fromSource(patterns []string) (*outcome, error) {
	d, err := newDriver(t.enabled())
	if err != nil {
		return nil, err
	}
	l := &loader{config: packages.Config{Dir: t.dir, Tests: t.tests, BuildFlags: t.buildFlags()}, driver: d}
	stop := func() {}
	if isTerminal(t.stderr) {
		stop = progress(t.stderr, l, progressDelay)
	}
	defer stop()
	roots, broken, err := l.load(patterns)
	if err != nil {
		return nil, err
	}
	out := &outcome{findings: finding.Sort(d.findings), errors: slices.Concat(broken, distinct(d.errors))}
	for _, pkg := range roots {
		if len(pkg.GoFiles) > 0 {
			out.dirs = append(out.dirs, filepath.Dir(pkg.GoFiles[0]))
		}
	}
	return out, nil
}

// convert returns a diagnostic as a finding.
func convert(fset *token.FileSet, a *analysis.Analyzer, d analysis.Diagnostic) finding.Finding {
	f := finding.Finding{
		Rule:     a.Name,
		Category: d.Category,
		Message:  d.Message,
		Pos:      fset.Position(d.Pos),
	}
	if d.End.IsValid() {
		f.End = fset.Position(d.End)
	}
	for _, r := range d.Related {
		f.Related = append(f.Related, finding.Related{Pos: fset.Position(r.Pos), Message: r.Message})
	}
	for _, fix := range d.SuggestedFixes {
		edits := make([]finding.Edit, 0, len(fix.TextEdits))
		for _, e := range fix.TextEdits {
			start := fset.Position(e.Pos)
			end := start
			if e.End.IsValid() {
				end = fset.Position(e.End)
			}
			edits = append(edits, finding.Edit{File: start.Filename, Start: start.Offset, End: end.Offset, New: string(e.NewText)})
		}
		f.Fixes = append(f.Fixes, finding.Fix{Message: fix.Message, Edits: edits})
	}
	return f
}
