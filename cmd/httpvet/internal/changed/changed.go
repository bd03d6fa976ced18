// Package changed tells which lines of files a change adds or rewrites.
package changed

import (
	"path/filepath"
	"slices"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// Lines are the lines that a change adds or rewrites.
type Lines struct {
	files map[string]*lines // by the name without symbolic links
	real  map[string]string // that name, of each name asked for
}

// lines are those of a file: all of them, or ranges in order.
type lines struct {
	all    bool
	ranges []span
}

// A span is the lines from first to last.
type span struct{ first, last int }

// add adds a line behind the last.
func (l *lines) add(line int) {
	if n := len(l.ranges); n > 0 && l.ranges[n-1].last == line-1 {
		l.ranges[n-1].last = line
		return
	}
	l.ranges = append(l.ranges, span{line, line})
}

// newLines returns no lines.
func newLines() *Lines {
	return &Lines{make(map[string]*lines), make(map[string]string)}
}

// file returns the lines of a file, to add to.
func (l *Lines) file(name string) *lines {
	name = l.realName(name)
	if l.files[name] == nil {
		l.files[name] = new(lines)
	}
	return l.files[name]
}

// realName returns the name of a file without symbolic links: git tells such names,
// the go command that of the folder it was called in.
func (l *Lines) realName(name string) string {
	if known, ok := l.real[name]; ok {
		return known
	}
	resolved, err := filepath.EvalSymlinks(name)
	if err != nil {
		resolved = filepath.Clean(name)
	}
	l.real[name] = resolved
	return resolved
}

// has reports whether one of the lines from first to last of a file is changed.
func (l *Lines) has(name string, first, last int) bool {
	f := l.files[l.realName(name)]
	return f != nil && (f.all || slices.ContainsFunc(f.ranges, func(s span) bool { return s.first <= last && first <= s.last }))
}

// Touch reports whether the change touches a finding: the code that it is at, or one
// of the places that it is related to. So the early return that a change adds above
// an old, deferred Close makes the finding at the Close a new one.
func (l *Lines) Touch(f finding.Finding) bool {
	return l.has(f.Pos.Filename, f.Pos.Line, max(f.Pos.Line, f.End.Line)) ||
		slices.ContainsFunc(f.Related, func(r finding.Related) bool {
			return l.has(r.Pos.Filename, r.Pos.Line, r.Pos.Line)
		})
}
