// Package finding defines what httpvet finds, whichever engine found it, and answers
// questions about the source that a finding is in.
package finding

import (
	"cmp"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Finding is a diagnostic of a rule. Names of files are absolute.
type Finding struct {
	Rule     string
	Category string
	Message  string
	Pos, End token.Position
	Related  []Related
	Fixes    []Fix
}

// A Related is a second place that a finding is about, such as the return that
// leaves a body unread.
type Related struct {
	Pos     token.Position
	Message string
}

// A Fix is a suggested change, applied as a whole or not at all.
type Fix struct {
	Message string
	Edits   []Edit
}

// An Edit replaces the bytes [Start, End) of a file.
type Edit struct {
	File       string
	Start, End int
	New        string
}

// Sort sorts findings by place, rule and message, and drops repetitions: a file may
// belong to more than one package.
func Sort(list []Finding) []Finding {
	slices.SortStableFunc(list, compare)
	return slices.CompactFunc(list, func(a, b Finding) bool { return compare(a, b) == 0 })
}

func compare(a, b Finding) int {
	return cmp.Or(
		strings.Compare(a.Pos.Filename, b.Pos.Filename),
		cmp.Compare(a.Pos.Line, b.Pos.Line),
		cmp.Compare(a.Pos.Column, b.Pos.Column),
		strings.Compare(a.Rule, b.Rule),
		strings.Compare(a.Message, b.Message))
}

// Rel returns the name of a file relative to dir if it lies below it, and as it is
// otherwise.
func Rel(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}

// A Key tells what a finding is about, but not the line that it is on: it stays the
// same when code above it changes. Two faults may have one key.
type Key struct {
	Rule    string
	Dir     string // of the package, relative to a root if below it, with slashes
	Func    string // the function or variable declared around it, or ""
	Message string // without the numbers of lines
}

// KeyOf returns the key of a finding.
func KeyOf(f Finding, root string, src *Sources) Key {
	return Key{
		Rule:    f.Rule,
		Dir:     filepath.ToSlash(Rel(root, filepath.Dir(f.Pos.Filename))),
		Func:    src.File(f.Pos.Filename).Func(f.Pos),
		Message: lineNumber.ReplaceAllString(f.Message, "line N"),
	}
}

var lineNumber = regexp.MustCompile(`\bline [0-9]+\b`)

// Compare orders keys.
func (k Key) Compare(l Key) int {
	return cmp.Or(
		strings.Compare(k.Dir, l.Dir),
		strings.Compare(k.Func, l.Func),
		strings.Compare(k.Rule, l.Rule),
		strings.Compare(k.Message, l.Message))
}
