package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
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

	flags *flag.FlagSet
	rules map[string]*ruleFlag
	dir   string             // -C
	tests bool               // -tests
	fix   bool               // -fix
	diff  bool               // -diff
	build map[string]*string // flags for the go command, by name
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
	if t.fix || t.diff {
		return t.applyFixes()
	}
	return t.analyze()
}

// analyze analyzes the packages in this process and prints what it finds.
func (t *tool) analyze() int {
	patterns := t.flags.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	l := &loader{config: packages.Config{Dir: t.dir, Tests: t.tests, BuildFlags: t.buildFlags()}}
	stop := func() {}
	if isTerminal(t.stderr) {
		stop = progress(t.stderr, l, progressDelay)
	}
	defer stop()
	prog, err := l.load(patterns)
	if err != nil {
		stop()
		return t.fail(err)
	}
	enabled := t.enabled()
	unguard := guard(enabled)
	defer unguard()
	graph, err := checker.Analyze(enabled, prog.roots, nil)
	stop()
	if err != nil {
		return t.fail(err)
	}
	dir, err := filepath.Abs(t.dir)
	if err != nil {
		return t.fail(err)
	}
	status := exitClean
	if found := findings(graph); len(found) > 0 {
		printFindings(t.stdout, found, dir, isTerminal(t.stdout))
		status = exitFindings
	}
	for _, err := range slices.Concat(prog.broken, failures(graph)) {
		status = t.fail(err)
	}
	return status
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
