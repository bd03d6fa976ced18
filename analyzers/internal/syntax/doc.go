package syntax

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
)

// Doc returns the section "# Analyzer NAME" of a package comment, given the source
// of its file, without the "NAME:" that it opens with: the form of Analyzer.Doc,
// whose first line is a summary. Other headings are part of the section; it ends
// at the next analyzer's. Doc panics if there is no such section.
//
// To use it, embed doc.go:
//
//	//go:embed doc.go
//	var doc string
//
//	var Analyzer = &analysis.Analyzer{Name: "bodydrain", Doc: syntax.Doc(doc, "bodydrain"), ...}
func Doc(src, name string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", src, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		panic(err)
	}
	var section []string
	found := false
	for line := range strings.SplitSeq(file.Doc.Text(), "\n") {
		if heading, ok := strings.CutPrefix(line, "# Analyzer "); ok {
			found = strings.TrimSpace(heading) == name
		} else if found {
			section = append(section, line)
		}
	}
	text := strings.TrimSpace(strings.Join(section, "\n"))
	summary, ok := strings.CutPrefix(text, name+":")
	if !ok {
		panic(fmt.Sprintf("no section \"# Analyzer %s\" that opens with \"%s: summary\"", name, name))
	}
	return strings.TrimSpace(summary)
}
