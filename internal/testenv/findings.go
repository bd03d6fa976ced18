package testenv

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Finding is what a driver reports.
type Finding struct {
	Posn    string // file:line:column
	Rule    string
	Message string
	Fixable bool
}

// VetFindings returns the findings that "go vet -json", run in dir, has printed,
// sorted, each once. Their files are relative to dir.
func VetFindings(t testing.TB, dir, printed string) (found []Finding) {
	t.Helper()
	// Have: JSON objects, one for each package, between comments that name it.
	var objects strings.Builder
	for line := range strings.Lines(printed) {
		if !strings.HasPrefix(line, "#") {
			objects.WriteString(line)
		}
	}
	for dec := json.NewDecoder(strings.NewReader(objects.String())); dec.More(); {
		var tree map[string]map[string][]struct { // by package and rule
			Posn, Message  string
			SuggestedFixes []any `json:"suggested_fixes"`
		}
		if err := dec.Decode(&tree); err != nil {
			t.Fatalf("%v in the output of go vet -json:\n%s", err, printed)
		}
		for _, byRule := range tree {
			for rule, diagnostics := range byRule {
				for _, d := range diagnostics {
					posn, err := filepath.Rel(dir, d.Posn)
					if err != nil {
						t.Fatal(err)
					}
					found = append(found, Finding{posn, rule, d.Message, len(d.SuggestedFixes) > 0})
				}
			}
		}
	}
	return Sorted(found)
}

// Sorted sorts findings by place and rule, and drops those that are there twice: a
// file can be of several packages.
func Sorted(found []Finding) []Finding {
	slices.SortFunc(found, func(a, b Finding) int {
		return strings.Compare(a.Posn+a.Rule+a.Message, b.Posn+b.Rule+b.Message)
	})
	return slices.Compact(found)
}
