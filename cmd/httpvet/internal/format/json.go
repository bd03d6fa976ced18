package format

import (
	"cmp"
	"encoding/json"
	"go/token"
	"io"
	"path/filepath"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// These are the document that -format json prints. Names of files are relative to
// the directory of the run if they lie below it; lines, and columns in bytes, count
// from 1, offsets in bytes from 0.
type (
	jsonRun struct {
		Findings []jsonFinding `json:"findings"`
		Errors   []string      `json:"errors"`
	}
	jsonFinding struct {
		Rule      string        `json:"rule"`
		Category  string        `json:"category"`
		Level     string        `json:"level"`
		Message   string        `json:"message"`
		URL       string        `json:"url"`
		Function  string        `json:"function,omitempty"`
		File      string        `json:"file"`
		Line      int           `json:"line"`
		Column    int           `json:"column"`
		EndLine   int           `json:"endLine"`
		EndColumn int           `json:"endColumn"`
		Related   []jsonRelated `json:"related,omitempty"`
		Fixes     []jsonFix     `json:"fixes,omitempty"`
	}
	jsonRelated struct {
		Message string `json:"message"`
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
	}
	jsonFix struct {
		Message string     `json:"message"`
		Edits   []jsonEdit `json:"edits"`
	}
	jsonEdit struct {
		File  string `json:"file"`
		Start int    `json:"start"`
		End   int    `json:"end"`
		New   string `json:"new"`
	}
)

// asJSON prints a run as one JSON document.
func asJSON(w io.Writer, run *Run) error {
	name := func(file string) string { return filepath.ToSlash(finding.Rel(run.Dir, file)) }
	url := make(map[string]string)
	for _, a := range run.Rules {
		url[a.Name] = a.URL
	}
	doc := jsonRun{Findings: []jsonFinding{}, Errors: []string{}}
	for _, f := range run.Findings {
		end := endOf(f)
		j := jsonFinding{
			Rule:      f.Rule,
			Category:  cmp.Or(f.Category, f.Rule),
			Level:     level(f.Rule),
			Message:   f.Message,
			URL:       url[f.Rule],
			Function:  run.Sources.File(f.Pos.Filename).Func(f.Pos),
			File:      name(f.Pos.Filename),
			Line:      f.Pos.Line,
			Column:    f.Pos.Column,
			EndLine:   end.Line,
			EndColumn: end.Column,
		}
		for _, r := range f.Related {
			j.Related = append(j.Related, jsonRelated{r.Message, name(r.Pos.Filename), r.Pos.Line, r.Pos.Column})
		}
		for _, fix := range f.Fixes {
			jf := jsonFix{Message: fix.Message}
			for _, e := range fix.Edits {
				jf.Edits = append(jf.Edits, jsonEdit{name(e.File), e.Start, e.End, e.New})
			}
			j.Fixes = append(j.Fixes, jf)
		}
		doc.Findings = append(doc.Findings, j)
	}
	for _, err := range run.Errors {
		doc.Errors = append(doc.Errors, err.Error())
	}
	return encode(w, doc)
}

// encode prints a document of JSON, indented.
func encode(w io.Writer, doc any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	return e.Encode(doc)
}

// endOf returns the end of a finding; its begin if no end is known.
func endOf(f finding.Finding) token.Position {
	if f.End.Line > f.Pos.Line || f.End.Line == f.Pos.Line && f.End.Column > f.Pos.Column {
		return f.End
	}
	return f.Pos
}
