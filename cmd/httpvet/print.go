package main

import (
	"cmp"
	"fmt"
	"go/token"
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

// print prints the findings, sorted and without duplicates: a file of a package is
// analyzed again as part of the package's test variants. It returns how many
// there are.
func (t *tool) print(graph *checker.Graph) int {
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
	slices.SortFunc(list, func(a, b finding) int {
		return cmp.Or(comparePos(a.pos, b.pos), cmp.Compare(a.rule, b.rule), cmp.Compare(a.message, b.message))
	})
	list = slices.CompactFunc(list, func(a, b finding) bool {
		return a.pos == b.pos && a.rule == b.rule && a.message == b.message
	})

	dir := t.absolute()
	bold, plain := "", ""
	if isTerminal(t.stdout) {
		bold, plain = "\x1b[1m", "\x1b[m"
	}
	for _, f := range list {
		fmt.Fprintf(t.stdout, "%s%s:%s %s (%s)\n", bold, place(dir, f.pos), plain, f.message, f.rule)
		for _, n := range f.related {
			fmt.Fprintf(t.stdout, "\t%s: %s\n", place(dir, n.pos), n.message)
		}
	}
	return len(list)
}

func comparePos(a, b token.Position) int {
	return cmp.Or(strings.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// place returns a position as file:line:col, the file relative to dir if it lies
// below it.
func place(dir string, pos token.Position) string {
	file := pos.Filename
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	return fmt.Sprintf("%s:%d:%d", file, pos.Line, pos.Column)
}
