package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

const source = `package p

func F() {
	print("日本 😀"); bad()
}
`

// newRun returns a run with findings: one with all that a finding may have, and others
// in another folder.
func newRun(t *testing.T, others int) *Run {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "sub", "a b.go")
	if err := os.Mkdir(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	at := strings.Index(source, "bad")
	src := new(finding.Sources)
	run := &Run{
		Rules: []*analysis.Analyzer{
			{Name: "bodydrain", Doc: "bodydrain: report <b>\n\nThe page.\n\n# Not reported\n\n  - this", URL: "https://example.com/bodydrain"},
			{Name: "failnow", Doc: "failnow: report it"},
		},
		Version: "v1.2.3",
		Dir:     filepath.Dir(name),
		Root:    dir,
		Sources: src,
	}
	run.Findings = append(run.Findings, finding.Finding{
		Rule:     "failnow",
		Category: "failnow",
		Message:  "100% bad at line 4, <really>",
		Pos:      src.File(name).Position(name, at),
		End:      src.File(name).Position(name, at+len("bad")),
		Related:  []finding.Related{{Pos: src.File(name).Position(name, strings.Index(source, "func")), Message: "in it"}},
		Fixes: []finding.Fix{{Message: "make it good", Edits: []finding.Edit{
			{File: name, Start: at, End: at + len("bad"), New: "good"},
			{File: name, Start: 0, End: len("package")},
		}}},
	})
	for i := range others {
		pos := token.Position{Filename: filepath.Join(filepath.Dir(dir), "other", "o:,.go"), Line: i + 1}
		run.Findings = append(run.Findings, finding.Finding{Rule: []string{"bodydrain", "failnow"}[i%2], Message: "bad", Pos: pos, End: pos})
	}
	return run
}

// printed returns what a format prints.
func printed(t *testing.T, name string, run *Run) string {
	t.Helper()
	p, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p(&out, run); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestText proves that a finding is file:line:col: message, and in colour where that
// is shown.
func TestText(t *testing.T) {
	run := newRun(t, 1)
	other := run.Findings[1].Pos.Filename
	if got, want := printed(t, "text", run), "a b.go:4:24: 100% bad at line 4, <really> (failnow)\n\ta b.go:3:1: in it\n"+other+":1:0: bad (bodydrain)\n"; got != want {
		t.Errorf("printed\n%s, want\n%s", got, want)
	}
	run.Color = true
	if got := printed(t, "text", run); !strings.HasPrefix(got, "\x1b[1ma b.go:4:24:\x1b[m 100% bad") {
		t.Errorf("in colour: %q", got)
	}
}

// TestJSON proves that all of a finding is in the JSON document.
func TestJSON(t *testing.T) {
	run := newRun(t, 0)
	run.Errors = []error{errors.New("a package is broken")}
	const want = `{
	"findings": [
		{
			"rule": "failnow",
			"category": "failnow",
			"level": "error",
			"message": "100% bad at line 4, <really>",
			"url": "",
			"function": "F",
			"file": "a b.go",
			"line": 4,
			"column": 24,
			"endLine": 4,
			"endColumn": 27,
			"related": [
				{
					"message": "in it",
					"file": "a b.go",
					"line": 3,
					"column": 1
				}
			],
			"fixes": [
				{
					"message": "make it good",
					"edits": [
						{
							"file": "a b.go",
							"start": 45,
							"end": 48,
							"new": "good"
						},
						{
							"file": "a b.go",
							"start": 0,
							"end": 7,
							"new": ""
						}
					]
				}
			]
		}
	],
	"errors": [
		"a package is broken"
	]
}
`
	if got := printed(t, "json", run); got != want {
		t.Errorf("printed\n%s, want\n%s", got, want)
	}
	run.Findings, run.Errors = nil, nil
	if got, want := printed(t, "json", run), "{\n\t\"findings\": [],\n\t\"errors\": []\n}\n"; got != want {
		t.Errorf("of nothing: %s", got)
	}
}

// TestGitHub proves the form of annotations, and that those which GitHub would not
// show are in the log.
func TestGitHub(t *testing.T) {
	const first = "::error file=sub/a b.go,line=4,endLine=4,col=24,endColumn=27,title=httpvet%3A failnow::100%25 bad at line 4, <really>%0Asub/a b.go:3: in it\n"
	run := newRun(t, 1)
	if got := printed(t, "github", run); !strings.HasPrefix(got, first) || !strings.Contains(got, "::warning file="+strings.ReplaceAll(filepath.ToSlash(filepath.Dir(run.Findings[1].Pos.Filename)), ":", "%3A")+"/o%3A%2C.go,line=1,") {
		t.Errorf("printed\n%s", got)
	}
	run = newRun(t, 30)
	run.Findings[0].End.Line++
	got := printed(t, "github", run)
	if !strings.HasPrefix(got, "::error file=sub/a b.go,line=4,endLine=5,title=") {
		t.Errorf("two lines: %s", got)
	}
	if n := strings.Count(got, "\n::error ") + 1; n != 10 {
		t.Errorf("%d errors, want 10", n)
	}
	if n := strings.Count(got, "\n::warning "); n != 10 {
		t.Errorf("%d warnings, want 10", n)
	}
	_, log, ok := strings.Cut(got, "\n11 more, since GitHub shows at most 10 errors and 10 warnings of a step:\n")
	if !ok || strings.Count(log, "\n") != 11 || strings.Contains(log, "::") {
		t.Errorf("the rest is %q", log)
	}
}

// TestSARIF proves that a log is valid by the schema of the standard, and what in it
// matters to GitHub.
func TestSARIF(t *testing.T) {
	run := newRun(t, 3)
	run.Errors = []error{errors.New("a package is broken")}
	got := printed(t, "sarif", run)
	validate(t, got)
	var log sarifLog
	if err := json.Unmarshal([]byte(got), &log); err != nil {
		t.Fatal(err)
	}
	out := log.Runs[0]
	if len(out.Results) != 4 || out.Invocations[0].Successful || len(out.Invocations[0].Notifications) != 1 {
		t.Errorf("%d results, invocations %+v", len(out.Results), out.Invocations)
	}
	rule, result := out.Tool.Driver.Rules[0], out.Results[0]
	if rule.ID != "bodydrain" || rule.ShortDescription.Text != "report <b>" || rule.Help.Markdown != "The page.\n\n## Not reported\n\n  - this\n" || rule.Default.Level != "warning" {
		t.Errorf("rule %+v", rule)
	}
	if result.RuleIndex != 1 || out.Tool.Driver.Rules[1].ID != result.RuleID || result.Level != "error" {
		t.Errorf("result %+v", result)
	}
	if loc := result.Locations[0]; loc.Physical.Artifact.URI != "sub/a%20b.go" || loc.Physical.Region != (sarifRegion{4, 18, 4, 21}) || loc.Logical[0].Name != "F" {
		t.Errorf("location %+v", loc)
	}
	if changes := result.Fixes[0].Changes; len(changes) != 1 || changes[0].Replacements[0].Deleted != (sarifRegion{4, 18, 4, 21}) || changes[0].Replacements[1].Inserted != nil {
		t.Errorf("changes %+v", changes)
	}
	if uri := out.Results[1].Locations[0].Physical.Artifact.URI; !strings.HasPrefix(uri, "file:///") {
		t.Errorf("a file outside the repository is %s", uri)
	}

	run = newRun(t, 0)
	run.Findings = nil
	validate(t, printed(t, "sarif", run))
}

// TestFingerprints proves that a finding keeps its fingerprint when lines above it
// change, and that no two share one.
func TestFingerprints(t *testing.T) {
	prints := func(text string) (list []string) {
		run := newRun(t, 0)
		f := run.Findings[0]
		if err := os.WriteFile(f.Pos.Filename, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		run.Sources = new(finding.Sources)
		run.Findings = nil
		for i, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "bad") {
				f.Pos = token.Position{Filename: f.Pos.Filename, Line: i + 1, Column: 2}
				f.Message = fmt.Sprintf("bad at line %d", i+1)
				run.Findings = append(run.Findings, f)
			}
		}
		var log sarifLog
		if err := json.Unmarshal([]byte(printed(t, "sarif", run)), &log); err != nil {
			t.Fatal(err)
		}
		for _, r := range log.Runs[0].Results {
			list = append(list, r.Fingerprints["primaryLocationLineHash"])
		}
		return list
	}
	before := prints("package p\n\nfunc F() {\n\tbad()\n\tbad()\n}\n\nfunc G() {\n\tbad()\n}\n")
	after := prints("package p\n\n// F is a function.\nfunc F() {\n\tbad()\n\n\tbad()\n}\n\nfunc G() {\n\tbad()\n}\n")
	if len(before) != 3 || before[0] == before[1] || before[0] == before[2] {
		t.Errorf("fingerprints %q", before)
	}
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("fingerprints %q became %q", before, after)
	}
}

// validate checks a SARIF log by the official schema, which a module has that is
// fetched if need be.
func validate(t *testing.T, doc string) {
	t.Helper()
	run := func(stdin string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = filepath.Join("testdata", "schema")
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		cmd.Stdin = strings.NewReader(stdin)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, &stderr, out)
		}
		return out
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(run("", "mod", "download", "-json", "github.com/securego/gosec/v2"), &module); err != nil {
		t.Fatal(err)
	}
	run(doc, "run", ".", filepath.Join(module.Dir, "report", "sarif", "testdata", "sarif-schema-2.1.0.json"))
}

// TestUnknown proves what is said of a format that is not there.
func TestUnknown(t *testing.T) {
	if _, err := ByName("xml"); err == nil || err.Error() != "unknown format xml; it is one of github, json, sarif, text" {
		t.Errorf("error %v", err)
	}
}
