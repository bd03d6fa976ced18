// Package format prints findings: as text, as JSON, as SARIF, and as annotations of
// GitHub's workflows.
package format

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// A Run is what there is to print.
type Run struct {
	Findings []finding.Finding
	Errors   []error              // what could not be analyzed, and why
	Rules    []*analysis.Analyzer // those that were on
	Version  string               // of httpvet
	Dir      string               // text and JSON name files relative to it
	Root     string               // of the repository: SARIF and GitHub name files relative to it
	Color    bool                 // for a terminal
	Sources  *finding.Sources
}

// A Printer prints a run. Whatever it prints, no finding is left out.
type Printer func(io.Writer, *Run) error

// printers holds the formats by name.
var printers = map[string]Printer{
	"text":   text,
	"json":   asJSON,
	"sarif":  sarif,
	"github": github,
}

// Names returns the names of the formats, sorted.
func Names() []string { return slices.Sorted(maps.Keys(printers)) }

// ByName returns the printer of a format.
func ByName(name string) (Printer, error) {
	if p := printers[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("unknown format %s; it is one of %s", name, strings.Join(Names(), ", "))
}

// warnings are the rules whose findings cost connections and time; those of the
// others give wrong answers.
var warnings = map[string]bool{"bodydrain": true, "transportreuse": true, "retrypolicy": true}

// level returns "warning" or "error", as SARIF and GitHub have it.
func level(rule string) string {
	if warnings[rule] {
		return "warning"
	}
	return "error"
}

// text prints a finding in a line, file:line:col: message (rule), and its related
// places below it.
func text(w io.Writer, run *Run) error {
	bold, plain := "", ""
	if run.Color {
		bold, plain = "\x1b[1m", "\x1b[m"
	}
	for _, f := range run.Findings {
		if _, err := fmt.Fprintf(w, "%s%s:%d:%d:%s %s (%s)\n", bold,
			finding.Rel(run.Dir, f.Pos.Filename), f.Pos.Line, f.Pos.Column, plain, f.Message, f.Rule); err != nil {
			return err
		}
		for _, r := range f.Related {
			if _, err := fmt.Fprintf(w, "\t%s:%d:%d: %s\n",
				finding.Rel(run.Dir, r.Pos.Filename), r.Pos.Line, r.Pos.Column, r.Message); err != nil {
				return err
			}
		}
	}
	return nil
}

// uri returns the name of a file relative to the root of the repository, with
// slashes.
func (run *Run) uri(file string) string {
	return filepath.ToSlash(finding.Rel(run.Root, file))
}
