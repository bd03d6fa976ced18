package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// maxAnnotations is how many annotations of a level GitHub shows of one step
// (docs.github.com, REST API, check runs: annotations; actions/runner's limit).
const maxAnnotations = 10

// github prints workflow commands, from which GitHub makes annotations of the lines
// of a change. What is beyond its limit is printed as text, so that it is in the log.
func github(w io.Writer, run *Run) error {
	annotated := make(map[string]int) // by level
	beyond := *run
	beyond.Findings = nil
	for _, f := range run.Findings {
		l := level(f.Rule)
		if annotated[l] == maxAnnotations {
			beyond.Findings = append(beyond.Findings, f)
			continue
		}
		annotated[l]++
		if _, err := fmt.Fprintln(w, command(l, run, f)); err != nil {
			return err
		}
	}
	if n := len(beyond.Findings); n > 0 {
		if _, err := fmt.Fprintf(w, "%d more, since GitHub shows at most %d errors and %d warnings of a step:\n", n, maxAnnotations, maxAnnotations); err != nil {
			return err
		}
		return text(w, &beyond)
	}
	return nil
}

// command returns the workflow command for a finding.
func command(level string, run *Run, f finding.Finding) string {
	message := f.Message
	for _, r := range f.Related {
		message += fmt.Sprintf("\n%s:%d: %s", run.uri(r.Pos.Filename), r.Pos.Line, r.Message)
	}
	end := endOf(f)
	column := fmt.Sprintf(",col=%d", f.Pos.Column)
	if end.Line == f.Pos.Line { // GitHub refuses columns in a range of lines
		column += fmt.Sprintf(",endColumn=%d", max(end.Column, f.Pos.Column))
	} else {
		column = ""
	}
	return fmt.Sprintf("::%s file=%s,line=%d,endLine=%d%s,title=%s::%s", level,
		property.Replace(run.uri(f.Pos.Filename)), f.Pos.Line, end.Line, column,
		property.Replace("httpvet: "+f.Rule), data.Replace(message))
}

// data escapes the message of a workflow command, and property the value of a
// property, as actions/toolkit does (packages/core/src/command.ts).
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
