package main

import (
	"errors"
	"flag"
	"fmt"
	"go/version"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

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
	dir   string // -C
	tests bool   // -tests
	fix   bool   // -fix
	diff  bool   // -diff
	build map[string]*string
}

// A ruleFlag is -RULE, which turns the rule on or off: if one is turned on, only
// those that are run.
type ruleFlag struct{ set, on bool }

func (f *ruleFlag) IsBoolFlag() bool { return true }

func (f *ruleFlag) String() string { return "true" }

func (f *ruleFlag) Set(s string) error {
	switch s {
	case "true", "1":
		f.on = true
	case "false", "0":
		f.on = false
	default:
		return errors.New("want true or false")
	}
	f.set = true
	return nil
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
	if err := t.flags.Parse(args); err != nil {
		return t.fail(t.flagError(err))
	}
	if t.dir != "" {
		if _, err := os.Stat(t.dir); err != nil {
			return t.fail(err)
		}
	}
	patterns := t.flags.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	if t.fix || t.diff {
		return t.vet(args)
	}

	enabled := t.enabled()
	l := &loader{config: packages.Config{Dir: t.dir, Tests: t.tests, BuildFlags: t.buildFlags()}}
	stop := t.progress(l)
	prog, err := l.load(patterns)
	if err != nil {
		stop()
		return t.fail(err)
	}
	guard(enabled)
	graph, err := checker.Analyze(enabled, prog.roots, nil)
	stop()
	if err != nil {
		return t.fail(err)
	}
	status := exitClean
	if found := t.print(graph); found > 0 {
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

// vet applies or shows fixes: it runs "go vet" with this program as the vettool,
// which does that well.
func (t *tool) vet(args []string) int {
	self, err := os.Executable()
	if err != nil {
		return t.fail(err)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return t.fail(errors.New("the go command is not in PATH: httpvet needs it to list packages"))
	}
	vet := []string{"vet", "-vettool=" + self}
	vet = append(vet, t.buildFlags()...)
	t.flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "C", "tests", "tags", "mod", "modfile", "fix", "diff":
		default:
			vet = append(vet, "-"+f.Name+"="+f.Value.String())
		}
	})
	for name, f := range t.rules {
		if f.set {
			vet = append(vet, fmt.Sprintf("-%s=%t", name, f.on))
		}
	}
	vet = append(vet, "-fix")
	if t.diff {
		vet = append(vet, "-diff")
	}
	cmd := exec.Command("go", append(vet, t.flags.Args()...)...)
	out := counter{w: t.stdout}
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.dir, &out, t.stderr
	err = cmd.Run()
	switch {
	case t.diff && out.n > 0:
		return exitFindings
	case err != nil:
		return exitFailed
	}
	return exitClean
}

// A counter counts what is written to w.
type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.w.Write(p)
}

// guard makes a panic of a pass an error of the package that it was run on.
func guard(analyzers []*analysis.Analyzer) {
	seen := make(map[*analysis.Analyzer]bool)
	var visit func(list []*analysis.Analyzer)
	visit = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if seen[a] {
				continue
			}
			seen[a] = true
			visit(a.Requires)
			run := a.Run
			a.Run = func(pass *analysis.Pass) (result any, err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("panic: %v", r)
					}
				}()
				return run(pass)
			}
		}
	}
	visit(analyzers)
}

// failures returns an error for each pass that failed by itself, in order.
func failures(graph *checker.Graph) []error {
	var list []error
	for act := range graph.All() {
		if act.Err != nil && !strings.HasPrefix(act.Err.Error(), "failed prerequisites") {
			list = append(list, fmt.Errorf("%s: %s: %w", act.Package.PkgPath, act.Analyzer.Name, act.Err))
		}
	}
	slices.SortFunc(list, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return slices.CompactFunc(list, func(a, b error) bool { return a.Error() == b.Error() })
}

// progress shows on a terminal how far the loader is, once it takes longer than
// two seconds. The function that it returns ends that and wipes the line.
func (t *tool) progress(l *loader) (stop func()) {
	if !isTerminal(t.stderr) {
		return func() {}
	}
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		wait := 2 * time.Second
		shown := false
		for {
			select {
			case <-quit:
				if shown {
					fmt.Fprint(t.stderr, "\r\x1b[K")
				}
				return
			case <-time.After(wait):
				fmt.Fprintf(t.stderr, "\r\x1b[Khttpvet: %d of %d packages", l.done.Load(), l.total.Load())
				shown, wait = true, 200*time.Millisecond
			}
		}
	})
	return func() { close(quit); wg.Wait() }
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// newer reports whether the language version of a go directive is later than
// that of a Go toolchain.
func newer(directive, toolchain string) bool {
	if directive == "" {
		return false
	}
	toolchain, _, _ = strings.Cut(toolchain, " ")
	lang := version.Lang("go" + directive)
	return version.IsValid(lang) && version.IsValid(toolchain) && version.Compare(lang, version.Lang(toolchain)) > 0
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

// absolute returns the directory that the tool works in.
func (t *tool) absolute() string {
	dir, err := filepath.Abs(t.dir)
	if err != nil {
		return t.dir
	}
	return dir
}
