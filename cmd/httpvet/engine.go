package main

import (
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
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
	l := &loader{config: packages.Config{Dir: t.dir, Tests: t.tests, BuildFlags: t.buildFlags()}}
	stop := func() {}
	if isTerminal(t.stderr) {
		stop = progress(t.stderr, l, progressDelay)
	}
	defer stop()
	prog, err := l.load(patterns)
	if err != nil {
		return nil, err
	}
	enabled := t.enabled()
	unguard := guard(enabled)
	defer unguard()
	graph, err := checker.Analyze(enabled, prog.roots, nil)
	if err != nil {
		return nil, err
	}
	out := &outcome{findings: findings(graph), errors: slices.Concat(prog.broken, failures(graph))}
	for _, pkg := range prog.roots {
		if len(pkg.GoFiles) > 0 {
			out.dirs = append(out.dirs, filepath.Dir(pkg.GoFiles[0]))
		}
	}
	return out, nil
}

// findings returns the findings of an analysis.
func findings(graph *checker.Graph) []finding.Finding {
	var list []finding.Finding
	for _, act := range graph.Roots {
		for _, d := range act.Diagnostics {
			list = append(list, convert(act, d))
		}
	}
	return finding.Sort(list)
}

// convert returns a diagnostic as a finding.
func convert(act *checker.Action, d analysis.Diagnostic) finding.Finding {
	fset := act.Package.Fset
	f := finding.Finding{
		Rule:     act.Analyzer.Name,
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
