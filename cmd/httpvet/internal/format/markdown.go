package format

import (
	"go/doc/comment"
	"strings"
)

// Markdown returns a Go doc comment, such as the page of a rule, as Markdown.
func Markdown(doc string) string {
	printer := &comment.Printer{HeadingLevel: 2, HeadingID: func(*comment.Heading) string { return "" }}
	md := string(printer.Markdown(new(comment.Parser).Parse(doc)))
	return strings.TrimSpace(md) + "\n"
}
