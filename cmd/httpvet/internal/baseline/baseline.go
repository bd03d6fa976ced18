// Package baseline holds the findings of old code that a run leaves out.
//
// A baseline is a file in JSON, one line a kind of finding, so that merges of it
// stay small. It names the package's folder, the function, the rule, the message and
// how many of that kind there are, but no lines: code above a finding may change,
// and a function may move to another file. One fault more of the same kind, in the
// same function, is not covered.
package baseline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// A Baseline is how many findings of each key are left out. The folders in keys are
// relative to that of the file.
type Baseline struct {
	root  string
	count map[finding.Key]int
}

// version is that of the format of the file.
const version = 1

// A document is a baseline as it is written.
type document struct {
	Version  int     `json:"version"`
	Findings []entry `json:"findings"`
}

// An entry is a key and how many findings have it.
type entry struct {
	Dir     string `json:"dir"`
	Func    string `json:"func,omitempty"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Count   int    `json:"count,omitempty"` // 1 if left out
}

// Read reads a baseline. Its error is fs.ErrNotExist if there is no such file.
func Read(file string) (*Baseline, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	var doc document
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&doc); err != nil {
		return nil, fmt.Errorf("baseline %s is unreadable: %w", file, err)
	}
	if doc.Version != version {
		return nil, fmt.Errorf("baseline %s has version %d of the format, which this httpvet does not know; write it again with -write-baseline", file, doc.Version)
	}
	b, err := empty(file)
	if err != nil {
		return nil, err
	}
	for _, e := range doc.Findings {
		if e.Rule == "" || e.Dir == "" || e.Message == "" || e.Count < 0 {
			return nil, fmt.Errorf("baseline %s is unreadable: an entry lacks its dir, rule or message, or has a count below 0", file)
		}
		b.count[finding.Key{Rule: e.Rule, Dir: e.Dir, Func: e.Func, Message: e.Message}] += max(e.Count, 1)
	}
	return b, nil
}

// empty returns a baseline that holds nothing yet.
func empty(file string) (*Baseline, error) {
	root, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	return &Baseline{root, make(map[finding.Key]int)}, nil
}

// A Scope is what a run looked at: the folders of packages, and the rules.
type Scope struct {
	Dirs  []string
	Rules []string
}

// holds reports whether a run would have found what has a key, if it is still
// there: a folder that is gone counts as looked at.
func (s Scope) holds(k finding.Key, root string) bool {
	dir := filepath.FromSlash(k.Dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	if !slices.Contains(s.Rules, k.Rule) {
		return false
	}
	if slices.Contains(s.Dirs, dir) {
		return true
	}
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// Filter returns the findings that the baseline does not hold, and how many of those
// that it holds are no longer found within the scope. Where more findings have a key
// than the baseline says, the last of them are new.
func (b *Baseline) Filter(list []finding.Finding, scope Scope, src *finding.Sources) (fresh []finding.Finding, stale int) {
	left := maps.Clone(b.count)
	for _, f := range list {
		if k := finding.KeyOf(f, b.root, src); left[k] > 0 {
			left[k]--
		} else {
			fresh = append(fresh, f)
		}
	}
	for k, n := range left {
		if scope.holds(k, b.root) {
			stale += n
		}
	}
	return fresh, stale
}

// Write writes the findings to a baseline. What the file holds already outside the
// scope of the run stays. It returns how many findings the file holds then.
func Write(file string, list []finding.Finding, scope Scope, src *finding.Sources) (int, error) {
	b, err := empty(file)
	if err != nil {
		return 0, err
	}
	switch old, err := Read(file); {
	case err == nil:
		for k, n := range old.count {
			if !scope.holds(k, b.root) {
				b.count[k] = n
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	}
	for _, f := range list {
		b.count[finding.KeyOf(f, b.root, src)]++
	}
	data, n, err := b.encode()
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return 0, fmt.Errorf("baseline: %w", err)
	}
	return n, nil
}

// encode returns the file's content and the number of findings in it.
func (b *Baseline) encode() (data []byte, findings int, err error) {
	var buf bytes.Buffer
	fmt.Fprintf(&buf, "{\n\t\"version\": %d,\n\t\"findings\": [", version)
	separator := "\n"
	for _, k := range slices.SortedFunc(maps.Keys(b.count), finding.Key.Compare) {
		e := entry{Dir: k.Dir, Func: k.Func, Rule: k.Rule, Message: k.Message}
		if n := b.count[k]; n > 1 {
			e.Count = n
		}
		line, err := encodeLine(e)
		if err != nil {
			return nil, 0, err
		}
		fmt.Fprintf(&buf, "%s\t\t%s", separator, line)
		separator = ",\n"
		findings += b.count[k]
	}
	buf.WriteString("\n\t]\n}\n")
	return buf.Bytes(), findings, nil
}

// encodeLine returns an entry in one line of JSON that people can read.
func encodeLine(e entry) ([]byte, error) {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(e)
	return bytes.TrimSpace(buf.Bytes()), err
}
