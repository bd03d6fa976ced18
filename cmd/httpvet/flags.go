package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/format"
)

// A ruleFlag is -RULE, which turns the rule on or off: if one is turned on, only
// those that are run.
type ruleFlag struct{ set, on bool }

func (f *ruleFlag) IsBoolFlag() bool { return true }

func (f *ruleFlag) String() string { return strconv.FormatBool(f.on || !f.set) }

func (f *ruleFlag) Set(s string) (err error) {
	f.set = true
	f.on, err = strconv.ParseBool(s)
	return err
}

// defineFlags defines the flags: the tool's own, those that it hands on to the go
// command, and those of the rules.
func (t *tool) defineFlags() {
	fs := flag.NewFlagSet("httpvet", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.StringVar(&t.dir, "C", "", "change to `dir` before doing anything")
	fs.BoolVar(&t.tests, "tests", true, "analyze test files too")
	fs.BoolVar(&t.fix, "fix", false, "apply the suggested fixes")
	fs.BoolVar(&t.diff, "diff", false, "print the suggested fixes as a diff, apply none")
	fs.StringVar(&t.engine, "engine", "source", "`name` of what does the work: source analyzes all from source in this process, vet is go vet with its cache")
	fs.StringVar(&t.format, "format", "text", "print findings in the `format` "+strings.Join(format.Names(), ", "))
	fs.StringVar(&t.newFromRev, "new-from-rev", "", "report only what is touched by the change since git `revision`")
	fs.StringVar(&t.newFromPatch, "new-from-patch", "", "report only what is touched by the unified diff in `file`, or - for standard input")
	fs.StringVar(&t.baseline, "baseline", "", "leave out the findings that `file` holds")
	fs.BoolVar(&t.writeBaseline, "write-baseline", false, "write the findings to the file of -baseline, print none")
	t.build = make(map[string]*string)
	for name, usage := range map[string]string{
		"tags":    "build `tags`, as for the go command",
		"mod":     "module download `mode`: readonly, vendor or mod",
		"modfile": "use this `file` in place of go.mod",
	} {
		t.build[name] = fs.String(name, "", usage)
	}
	t.rules = make(map[string]*ruleFlag)
	for _, a := range t.analyzers {
		t.rules[a.Name] = new(ruleFlag)
		fs.Var(t.rules[a.Name], a.Name, "run the rule "+a.Name)
		a.Flags.VisitAll(func(f *flag.Flag) { fs.Var(f.Value, a.Name+"."+f.Name, f.Usage) })
	}
	t.flags = fs
}

// checkFlags returns an error if flags do not go together.
func (t *tool) checkFlags() error {
	set := make(map[string]bool)
	t.flags.Visit(func(f *flag.Flag) { set[f.Name] = f.Value.String() != f.DefValue })
	for _, pair := range [][2]string{
		{"new-from-rev", "new-from-patch"},
		{"write-baseline", "new-from-rev"},
		{"write-baseline", "new-from-patch"},
		{"write-baseline", "tests"},
	} {
		if set[pair[0]] && set[pair[1]] {
			return fmt.Errorf("-%s does not go with -%s", pair[0], pair[1])
		}
	}
	if t.writeBaseline && t.baseline == "" {
		return errors.New("-write-baseline needs -baseline, with the file to write")
	}
	if t.fix || t.diff {
		for _, name := range []string{"format", "new-from-rev", "new-from-patch", "baseline"} {
			if set[name] {
				return fmt.Errorf("-%s does not go with -fix and -diff: they take all findings", name)
			}
		}
	}
	return nil
}

// flagError says what is wrong with the flags, and what may have been meant.
func (t *tool) flagError(err error) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return err
	}
	var names []string
	t.flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	msg := fmt.Sprintf("unknown flag -%s", name)
	if near := nearest(name, names); near != "" {
		msg += fmt.Sprintf(" (did you mean -%s?)", near)
	}
	return errors.New(msg + "; see httpvet help")
}

// enabled returns the rules that the flags leave on.
func (t *tool) enabled() []*analysis.Analyzer {
	only := slices.ContainsFunc(t.analyzers, func(a *analysis.Analyzer) bool { return t.rules[a.Name].set && t.rules[a.Name].on })
	return slices.DeleteFunc(slices.Clone(t.analyzers), func(a *analysis.Analyzer) bool {
		f := t.rules[a.Name]
		return f.set && !f.on || only && !f.set
	})
}

// buildFlags returns the flags for the go command.
func (t *tool) buildFlags() []string {
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(t.build)) {
		if value := *t.build[name]; value != "" {
			flags = append(flags, "-"+name+"="+value)
		}
	}
	return flags
}

// nearest returns the name that is most like s, or "" if none is like it.
func nearest(s string, names []string) string {
	best, least := "", len(s)/2+2
	for _, name := range names {
		if d := distance(s, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance returns the number of characters to insert, delete or replace to make
// a into b (the Levenshtein distance).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
