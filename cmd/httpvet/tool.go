package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
	"github.com/httpvet/httpvet/cmd/httpvet/internal/format"
)

// The exit status of the tool.
const (
	exitClean    = 0 // nothing was found
	exitFindings = 1
	exitFailed   = 2 // it could not do its work, or not all of it
)

// A tool is httpvet as a person calls it.
type tool struct {
	analyzers      []*analysis.Analyzer
	stdout, stderr io.Writer

	flags         *flag.FlagSet
	rules         map[string]*ruleFlag
	dir           string             // -C
	tests         bool               // -tests
	fix           bool               // -fix
	diff          bool               // -diff
	engine        string             // -engine
	format        string             // -format
	newFromRev    string             // -new-from-rev
	newFromPatch  string             // -new-from-patch
	baseline      string             // -baseline
	writeBaseline bool               // -write-baseline
	build         map[string]*string // flags for the go command, by name
}

// run does what the arguments say, and returns the exit status.
func (t *tool) run(args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case "help", "-h", "-help", "--help":
			return t.help(args[1:])
		case "version", "-version", "--version":
			fmt.Fprintln(t.stdout, "httpvet", buildVersion())
			return exitClean
		}
	}
	t.defineFlags()
	if err := t.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return t.help(nil)
	} else if err != nil {
		return t.fail(t.flagError(err))
	}
	if _, err := os.Stat(t.dir); err != nil && t.dir != "" {
		return t.fail(err)
	}
	if err := t.checkFlags(); err != nil {
		return t.fail(err)
	}
	if t.fix || t.diff {
		return t.applyFixes()
	}
	return t.analyze()
}

// analyze analyzes the packages and prints what is found.
func (t *tool) analyze() int {
	// What is wrong with the flags shows before the work, not after it.
	printer, err := format.ByName(t.format)
	if err != nil {
		return t.fail(err)
	}
	s, err := t.newSieve()
	if err != nil {
		return t.fail(err)
	}
	engine := engines[t.engine]
	if engine == nil {
		return t.fail(fmt.Errorf("unknown engine %s; it is one of %s", t.engine, strings.Join(slices.Sorted(maps.Keys(engines)), ", ")))
	}
	dir, err := filepath.Abs(t.dir)
	if err != nil {
		return t.fail(err)
	}
	patterns := t.flags.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	out, err := engine(t, patterns)
	if err != nil {
		return t.fail(err)
	}
	run := &format.Run{
		Errors:  out.errors,
		Rules:   t.enabled(),
		Version: buildVersion(),
		Dir:     dir,
		Root:    repository(dir),
		Color:   isTerminal(t.stdout),
		Sources: new(finding.Sources),
	}
	if t.writeBaseline {
		return t.saveBaseline(out, run.Sources)
	}
	run.Findings = t.sift(s, out, run.Sources)
	status := exitClean
	if len(run.Findings) > 0 {
		status = exitFindings
	}
	if err := printer(t.stdout, run); err != nil {
		status = t.fail(err)
	}
	for _, err := range out.errors {
		status = t.fail(err)
	}
	return status
}

// repository returns the root of the repository that dir is in, relative to which
// code hosts name files: that of a GitHub workflow if it says so, otherwise the
// nearest folder above that git made one, otherwise dir.
func repository(dir string) string {
	if root := os.Getenv("GITHUB_WORKSPACE"); root != "" && finding.Rel(root, dir) != dir {
		return root
	}
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
			return root
		}
		if root == filepath.Dir(root) {
			return dir
		}
	}
}

// fail prints an error in one line and returns the exit status for it.
func (t *tool) fail(err error) int {
	fmt.Fprintf(t.stderr, "httpvet: %s\n", strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "))
	return exitFailed
}

// buildVersion returns the version of the module that the program was built
// from, and the Go that built it.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return info.Main.Version + " " + info.GoVersion
}
