package report

import (
	"go/ast"
	"go/token"
	"strings"
)

// This file reads golangci-lint's nolint comments, so that a finding is silent in
// every driver where it is silent in golangci-lint:
//
//	//nolint                           silences every rule
//	//nolint:all                       the same
//	//nolint:bodydrain,failnow // why  silences these two
//	//nolint:httpvet                   silences all of ours
//
// Spaces may stand before "nolint" and around a name; "nolint" is lower case, a
// name is in any case; a /* */ comment does not count.
//
// A comment covers the lines of its comment group. If a declaration, a statement
// or any other node starts on the line after the group, in the group's column,
// it covers that node too, to its end. (Of several nolint comments in one group,
// golangci-lint gives only the first to the node; here each covers it.)

// toolName silences all rules of this tool.
const toolName = "httpvet"

// A silence is a range of lines on which some rules, or all, are silent.
type silence struct {
	from, to int // lines, inclusive
	column   int // where the comment group starts
	rules    []string
	all      bool
	shared   bool // golangci-lint obeys it too, for all rules
}

// names reports whether s is about rule.
func (s silence) names(rule string) bool {
	if s.all {
		return true
	}
	for _, name := range s.rules {
		if name == rule || name == toolName {
			return true
		}
	}
	return false
}

// silencesOf returns what the nolint comments of file cover.
func silencesOf(fset *token.FileSet, file *ast.File) []silence {
	var silences []silence
	for _, group := range file.Comments {
		for _, comment := range group.List {
			s, ok := parseNolint(comment.Text)
			if !ok {
				continue
			}
			start := fset.Position(group.Pos())
			s.from, s.to, s.column = start.Line, fset.Position(group.End()).Line, start.Column
			silences = append(silences, s)
		}
	}
	if len(silences) == 0 {
		return nil
	}

	var nodes []silence
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			return true
		}
		start := fset.Position(n.Pos())
		first := true
		for _, s := range silences {
			if s.to == start.Line-1 && s.column == start.Column {
				s.to = max(s.to, fset.Position(n.End()).Line)
				s.shared = s.shared && first
				first = false
				nodes = append(nodes, s)
			}
		}
		return true
	})
	return append(silences, nodes...)
}

// parseNolint returns what the comment with the given text silences, and whether
// it is a nolint comment at all.
func parseNolint(text string) (silence, bool) {
	text, ok := strings.CutPrefix(strings.TrimLeft(text, "/ "), "nolint")
	if !ok || text != "" && text[0] != ' ' && text[0] != ':' {
		return silence{}, false
	}
	list, ok := strings.CutPrefix(text, ":")
	if !ok || strings.HasPrefix(list, "all") {
		return silence{all: true, shared: true}, true
	}
	list, _, _ = strings.Cut(list, "//")
	var s silence
	for name := range strings.SplitSeq(list, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "all" {
			return silence{all: true, shared: true}, true
		}
		s.rules = append(s.rules, name)
		s.shared = s.shared || name == toolName
	}
	return s, true
}
