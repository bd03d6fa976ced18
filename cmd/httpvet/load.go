package main

import (
	"errors"
	"fmt"
	"go/token"
	"go/version"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/tools/go/packages"
)

// A loader loads packages from source for a driver.
type loader struct {
	config      packages.Config
	driver      *driver
	done, total atomic.Int32 // packages that were analyzed, and how many there are
}

// load lists the packages that match patterns with the go command, and parses,
// type-checks and analyzes them and what they import. It returns the packages that
// were analyzed for findings, and an error for each that could not be.
func (l *loader) load(patterns []string) (ok []*packages.Package, broken []error, err error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, nil, errNoGo
	}
	l.config.Fset = token.NewFileSet()
	// Not NeedCompiledGoFiles or NeedTypesSizes: for them, go list compiles the C of
	// all packages that use cgo.
	l.config.Mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedModule | packages.NeedForTest
	listed, err := packages.Load(&l.config, patterns...)
	if err != nil {
		return nil, nil, listError(err)
	}
	if len(listed) == 0 {
		return nil, nil, noPackages(patterns)
	}
	for _, pkg := range listed {
		if err := tooNew(pkg.Module); err != nil {
			return nil, nil, err
		}
	}
	roots := onlyOnce(listed)
	c := newTypechecker(l, roots)
	c.check()

	packages.Visit(roots, nil, func(pkg *packages.Package) {
		if len(pkg.Errors) > 0 && (pkg.Name != "" || c.isRoot[pkg]) { // else the importer has the error
			broken = append(broken, fmt.Errorf("%s: %s", pkg.PkgPath, firstError(pkg)))
		}
	})
	broken = distinct(broken)
	if len(broken) > 0 {
		if err := l.newerGo(); err != nil {
			broken = append(broken, err)
		}
	}
	for _, pkg := range roots {
		if len(pkg.Errors) == 0 {
			ok = append(ok, pkg)
		}
	}
	return ok, broken, nil
}

// noPackages returns the error for patterns that match nothing.
func noPackages(patterns []string) error {
	return fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
}

var errNoGo = errors.New("the go command is not in PATH: httpvet needs it to list packages")

// onlyOnce returns the packages to analyze such that each file is analyzed once,
// as go vet does: not the generated main packages of tests, and not a package
// whose variant with tests is there.
func onlyOnce(listed []*packages.Package) []*packages.Package {
	tested := make(map[string]bool) // by package path
	for _, pkg := range listed {
		if pkg.ForTest == pkg.PkgPath {
			tested[pkg.PkgPath] = true
		}
	}
	var roots []*packages.Package
	for _, pkg := range listed {
		switch {
		case pkg.Name == "main" && strings.HasSuffix(pkg.ID, ".test"):
		case tested[pkg.PkgPath] && pkg.ForTest == "":
		case len(pkg.GoFiles) == 0 && len(pkg.Errors) == 0: // nothing in it
		default:
			roots = append(roots, pkg)
		}
	}
	return roots
}

// listError returns the error of the go command in one line.
func listError(err error) error {
	text := err.Error()
	if _, stderr, ok := strings.Cut(text, "stderr: "); ok && stderr != "" {
		text = stderr
	}
	return errors.New(strings.TrimPrefix(firstLine(text), "go: "))
}

// firstError returns the first error of a package, in one line, and how many
// there are.
func firstError(pkg *packages.Package) string {
	text := strings.TrimPrefix(firstLine(pkg.Errors[0].Error()), "-: ")
	if n := len(pkg.Errors) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

// firstLine returns the first line of what the go command says, without the words
// that lead to the next.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSuffix(line, "; to add it:")
}

// tooNew returns an error if a module asks for a newer Go than the one that
// httpvet was built with, whose type-checker does not know its language.
func tooNew(mod *packages.Module) error {
	if mod == nil || !newer(mod.GoVersion, runtime.Version()) {
		return nil
	}
	return fmt.Errorf("module %s asks for go %s, but httpvet was built with %s: %s",
		mod.Path, mod.GoVersion, runtime.Version(), rebuild("go"+mod.GoVersion))
}

// newerGo returns an error if the go command is newer than the Go that httpvet was
// built with: its standard library may be written in a language that httpvet does
// not know.
func (l *loader) newerGo() error {
	cmd := exec.Command("go", "env", "GOVERSION")
	cmd.Dir = l.config.Dir
	out, err := cmd.Output()
	got := strings.TrimSpace(string(out))
	if err != nil || !newer(strings.TrimPrefix(got, "go"), runtime.Version()) {
		return nil
	}
	return fmt.Errorf("the go command is %s, but httpvet was built with %s: %s", got, runtime.Version(), rebuild(got))
}

// rebuild says how to build httpvet again with a version of Go.
func rebuild(version string) string {
	return fmt.Sprintf("build it again with that Go, as by GOTOOLCHAIN=%s go install github.com/httpvet/httpvet/cmd/httpvet@latest", version)
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

// distinct returns the errors of a list in order, without repetitions.
func distinct(list []error) []error {
	slices.SortFunc(list, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return slices.CompactFunc(list, func(a, b error) bool { return a.Error() == b.Error() })
}
