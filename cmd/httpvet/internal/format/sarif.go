package format

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/token"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// These are the parts of a SARIF log that httpvet uses (SARIF 2.1.0, OASIS). What
// GitHub makes of them: docs.github.com, "SARIF support for code scanning".
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Version        string      `json:"version,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string          `json:"id"`
		Name             string          `json:"name"`
		ShortDescription sarifMessage    `json:"shortDescription"`
		FullDescription  sarifMessage    `json:"fullDescription"`
		HelpURI          string          `json:"helpUri,omitempty"`
		Help             sarifMessage    `json:"help"`
		Default          sarifLevel      `json:"defaultConfiguration"`
		Properties       sarifProperties `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifProperties struct {
		Tags      []string `json:"tags"`
		Precision string   `json:"precision"`
		Severity  string   `json:"problem.severity"`
	}
	sarifMessage struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifMessage  `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifArtifact struct {
		URI   string `json:"uri"`
		Index string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifFix struct {
		Description sarifMessage  `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion   `json:"deletedRegion"`
		Inserted *sarifMessage `json:"insertedContent,omitempty"`
	}
)

// sarif prints a run as a SARIF log that GitHub's code scanning takes.
func sarif(w io.Writer, run *Run) error {
	out := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name:           "httpvet",
			InformationURI: "https://github.com/httpvet/httpvet",
			Version:        run.Version,
			Rules:          []sarifRule{},
		}},
		Invocations: []sarifInvocation{{Successful: len(run.Errors) == 0}},
		ColumnKind:  "utf16CodeUnits",
		Results:     []sarifResult{},
	}
	index := make(map[string]int)
	for i, a := range run.Rules {
		index[a.Name] = i
		out.Tool.Driver.Rules = append(out.Tool.Driver.Rules, ruleOf(a))
	}
	for _, err := range run.Errors {
		out.Invocations[0].Notifications = append(out.Invocations[0].Notifications, sarifNotification{"error", sarifMessage{Text: err.Error()}})
	}
	seen := make(map[finding.Key]int)
	for _, f := range run.Findings {
		key := finding.KeyOf(f, run.Root, run.Sources)
		seen[key]++
		out.Results = append(out.Results, run.result(f, index[f.Rule], fingerprint(key, seen[key])))
	}
	return encode(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{out},
	})
}

// ruleOf returns the description of a rule.
func ruleOf(a *analysis.Analyzer) sarifRule {
	summary, page, _ := strings.Cut(a.Doc, "\n")
	summary = strings.TrimPrefix(summary, a.Name+": ")
	page = strings.TrimSpace(page)
	return sarifRule{
		ID:               a.Name,
		Name:             a.Name,
		ShortDescription: sarifMessage{Text: summary},
		FullDescription:  sarifMessage{Text: summary},
		HelpURI:          a.URL,
		Help:             sarifMessage{Text: cmp.Or(page, summary), Markdown: Markdown(cmp.Or(page, summary))},
		Default:          sarifLevel{level(a.Name)},
		Properties:       sarifProperties{[]string{"http", "reliability"}, "very-high", level(a.Name)},
	}
}

// result returns a finding as SARIF has it.
func (run *Run) result(f finding.Finding, rule int, fingerprint string) sarifResult {
	result := sarifResult{
		RuleID:    f.Rule,
		RuleIndex: rule,
		Level:     level(f.Rule),
		Message:   sarifMessage{Text: f.Message},
		Locations: []sarifLocation{run.location(f.Pos, endOf(f))},
		// The one that GitHub knows an alert by.
		Fingerprints: map[string]string{"primaryLocationLineHash": fingerprint},
	}
	if name := run.Sources.File(f.Pos.Filename).Func(f.Pos); name != "" {
		result.Locations[0].Logical = []sarifLogical{{name}}
	}
	for i, r := range f.Related {
		loc := run.location(r.Pos, r.Pos)
		loc.ID, loc.Message = i+1, &sarifMessage{Text: r.Message}
		result.Related = append(result.Related, loc)
	}
	for _, fix := range f.Fixes {
		result.Fixes = append(result.Fixes, run.fix(fix))
	}
	return result
}

// fix returns a fix as SARIF has it: its edits by file.
func (run *Run) fix(fix finding.Fix) sarifFix {
	out := sarifFix{Description: sarifMessage{Text: fix.Message}}
	files := make(map[string]int)
	for _, e := range fix.Edits {
		i, ok := files[e.File]
		if !ok {
			i = len(out.Changes)
			files[e.File] = i
			out.Changes = append(out.Changes, sarifChange{Artifact: run.artifact(e.File)})
		}
		src := run.Sources.File(e.File)
		r := sarifReplacement{Deleted: run.region(src.Position(e.File, e.Start), src.Position(e.File, e.End))}
		if e.New != "" {
			r.Inserted = &sarifMessage{Text: e.New}
		}
		out.Changes[i].Replacements = append(out.Changes[i].Replacements, r)
	}
	return out
}

// location returns the place from one position to another.
func (run *Run) location(pos, end token.Position) sarifLocation {
	return sarifLocation{Physical: sarifPhysical{run.artifact(pos.Filename), run.region(pos, end)}}
}

// region returns the region from one position to another, its columns in UTF-16 code
// units.
func (run *Run) region(pos, end token.Position) sarifRegion {
	src := run.Sources.File(pos.Filename)
	return sarifRegion{max(pos.Line, 1), src.Column16(pos), max(end.Line, 1), src.Column16(end)}
}

// artifact returns a file, relative to the root of the repository if it lies below
// it.
func (run *Run) artifact(file string) sarifArtifact {
	name := run.uri(file)
	if filepath.IsAbs(file) && name == filepath.ToSlash(file) {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: name}).String()}
	}
	return sarifArtifact{(&url.URL{Path: name}).EscapedPath(), "%SRCROOT%"}
}

// fingerprint returns what tells a finding from others though lines shift: a hash of
// its key, and which one it is of those with that key.
func fingerprint(k finding.Key, nth int) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{k.Rule, k.Dir, k.Func, k.Message}, "\x00")))
	return fmt.Sprintf("%x:%d", sum[:8], nth)
}
