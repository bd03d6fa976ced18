package main

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
)

// A finding is a diagnostic as it is printed.
type finding struct {
	pos     token.Position
	message string
	rule    string
	related []note
}

// A note is a related place of a finding.
type note struct {
	pos     token.Position
	message string
}

// findings returns the findings of an analysis, sorted and without duplicates: a
// file may belong to more than one package.
func findings(graph *checker.Graph) []finding {
	var list []finding
	for _, act := range graph.Roots {
		fset := act.Package.Fset
		for _, d := range act.Diagnostics {
			f := finding{pos: fset.Position(d.Pos), message: d.Message, rule: act.Analyzer.Name}
			for _, r := range d.Related {
				f.related = append(f.related, note{fset.Position(r.Pos), r.Message})
			}
			list = append(list, f)
		}
	}
	slices.SortFunc(list, compareFindings)
	return slices.CompactFunc(list, func(a, b finding) bool { return compareFindings(a, b) == 0 })
}

func compareFindings(a, b finding) int {
	return cmp.Or(
		strings.Compare(a.pos.Filename, b.pos.Filename),
		cmp.Compare(a.pos.Line, b.pos.Line),
		cmp.Compare(a.pos.Column, b.pos.Column),
		strings.Compare(a.rule, b.rule),
		strings.Compare(a.message, b.message))
}

// printFindings prints findings, the names of files relative to dir.
func printFindings(w io.Writer, list []finding, dir string, color bool) {
	bold, plain := "", ""
	if color {
		bold, plain = "\x1b[1m", "\x1b[m"
	}
	for _, f := range list {
		fmt.Fprintf(w, "%s%s:%s %s (%s)\n", bold, place(f.pos, dir), plain, f.message, f.rule)
		for _, n := range f.related {
			fmt.Fprintf(w, "\t%s: %s\n", place(n.pos, dir), n.message)
		}
	}
}

// place returns a position as file:line:col, the file relative to dir if it lies
// below it.
func place(pos token.Position, dir string) string {
	file := pos.Filename
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	return fmt.Sprintf("%s:%d:%d", file, pos.Line, pos.Column)
}
