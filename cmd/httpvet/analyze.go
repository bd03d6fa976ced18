package main

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/httpvet/httpvet/cmd/httpvet/internal/finding"
)

// A driver runs analyzers on packages, each as soon as it is type-checked, and keeps
// of a package only what was found and its facts. The driver of x/tools,
// go/analysis/checker, wants the syntax and the types of all packages at once, and
// copies the facts of each package to all that import it: of a large program, that
// is more than the memory of many machines.
//
// It does what the rules ask for: no analyzer may want all facts, or run on what has
// errors.
type driver struct {
	enabled map[*analysis.Analyzer]bool
	order   []*analysis.Analyzer        // enabled and what they require, each after that
	onDeps  map[*analysis.Analyzer]bool // those to be run on dependencies
	done    sync.Map                    // *types.Package to analyzed

	mu       sync.Mutex
	findings []finding.Finding
	errors   []error // of analyzers
}

// An analyzed package is what is known of it to those that import it.
type analyzed struct {
	facts  map[factKey]analysis.Fact
	failed map[*analysis.Analyzer]bool
}

// A factKey says what a fact is about, in a package, and which type it has.
type factKey struct {
	obj types.Object // nil for the package
	typ reflect.Type
}

// newDriver returns a driver for the rules that are enabled.
func newDriver(enabled []*analysis.Analyzer) (*driver, error) {
	if err := analysis.Validate(enabled); err != nil {
		return nil, err
	}
	d := &driver{enabled: make(map[*analysis.Analyzer]bool)}
	for _, a := range enabled {
		d.enabled[a] = true
	}
	d.order = withRequired(enabled)
	d.onDeps = make(map[*analysis.Analyzer]bool)
	for _, a := range withRequired(factPasses(enabled)) {
		d.onDeps[a] = true
	}
	return d, nil
}

// withRequired returns analyzers and those that they require, each after those.
func withRequired(list []*analysis.Analyzer) []*analysis.Analyzer {
	var order []*analysis.Analyzer
	seen := make(map[*analysis.Analyzer]bool)
	var visit func(list []*analysis.Analyzer)
	visit = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if !seen[a] {
				seen[a] = true
				visit(a.Requires)
				order = append(order, a)
			}
		}
	}
	visit(list)
	return order
}

// An action is the run of an analyzer on a package.
type action struct {
	*driver
	analyzer    *analysis.Analyzer
	pkg         *packages.Package
	requires    []*action
	done        chan struct{} // closed after the run
	result      any
	failed      bool
	facts       map[factKey]analysis.Fact // of this package
	diagnostics []analysis.Diagnostic
}

// analyze runs the analyzers on a package, whose imports were analyzed, or as much
// of them as a dependency needs.
func (d *driver) analyze(pkg *packages.Package, isRoot bool) {
	actions := make(map[*analysis.Analyzer]*action)
	var wg sync.WaitGroup
	for _, a := range d.order {
		if !isRoot && !d.onDeps[a] {
			continue
		}
		act := &action{driver: d, analyzer: a, pkg: pkg, done: make(chan struct{}), facts: make(map[factKey]analysis.Fact)}
		for _, req := range a.Requires {
			act.requires = append(act.requires, actions[req])
		}
		actions[a] = act
		wg.Go(act.run)
	}
	wg.Wait()

	all := analyzed{make(map[factKey]analysis.Fact), make(map[*analysis.Analyzer]bool)}
	var found []finding.Finding
	for a, act := range actions {
		maps.Copy(all.facts, act.facts)
		if act.failed {
			all.failed[a] = true
		} else if isRoot && d.enabled[a] {
			for _, diag := range act.diagnostics {
				found = append(found, convert(pkg.Fset, a, diag))
			}
		}
	}
	d.done.Store(pkg.Types, all)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.findings = append(d.findings, found...)
}

// run runs the analyzer, after those that it requires.
func (act *action) run() {
	defer close(act.done)
	inputs := make(map[*analysis.Analyzer]any)
	for _, req := range act.requires {
		<-req.done
		act.failed = act.failed || req.failed
		inputs[req.analyzer] = req.result
	}
	if len(act.analyzer.FactTypes) > 0 {
		for _, dep := range act.pkg.Imports {
			act.failed = act.failed || act.of(dep.Types).failed[act.analyzer]
		}
	}
	if act.failed {
		return
	}
	var err error
	if act.result, err = act.call(inputs); err != nil {
		act.failed = true
		act.mu.Lock()
		defer act.mu.Unlock()
		act.errors = append(act.errors, fmt.Errorf("%s: %s: %w", act.pkg.PkgPath, act.analyzer.Name, err))
	}
}

// call calls the analyzer with what those that it requires have come to. Its panic
// is an error.
func (act *action) call(inputs map[*analysis.Analyzer]any) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v, at %s", r, panicPlace())
		}
	}()
	pkg := act.pkg
	module := new(analysis.Module)
	if mod := pkg.Module; mod != nil {
		module = &analysis.Module{Path: mod.Path, Version: mod.Version, GoVersion: mod.GoVersion}
	}
	return act.analyzer.Run(&analysis.Pass{
		Analyzer:          act.analyzer,
		Fset:              pkg.Fset,
		Files:             pkg.Syntax,
		OtherFiles:        pkg.OtherFiles,
		IgnoredFiles:      pkg.IgnoredFiles,
		Pkg:               pkg.Types,
		TypesInfo:         pkg.TypesInfo,
		TypesSizes:        pkg.TypesSizes,
		Module:            module,
		ResultOf:          inputs,
		ReadFile:          os.ReadFile,
		Report:            func(d analysis.Diagnostic) { act.diagnostics = append(act.diagnostics, d) },
		ImportObjectFact:  func(obj types.Object, fact analysis.Fact) bool { return act.load(obj.Pkg(), obj, fact) },
		ImportPackageFact: func(pkg *types.Package, fact analysis.Fact) bool { return act.load(pkg, nil, fact) },
		ExportObjectFact:  act.store,
		ExportPackageFact: func(fact analysis.Fact) { act.store(nil, fact) },
	})
}

// of returns what is known of a package, which is nothing if it was not analyzed.
func (d *driver) of(pkg *types.Package) analyzed {
	all, _ := d.done.Load(pkg)
	known, _ := all.(analyzed)
	return known
}

// load sets fact to the one of its type about an object of pkg, or about pkg, and
// reports whether there is one.
func (act *action) load(pkg *types.Package, obj types.Object, fact analysis.Fact) bool {
	facts := act.facts
	if pkg != act.pkg.Types {
		facts = act.of(pkg).facts
	}
	known, ok := facts[factKey{obj, reflect.TypeOf(fact)}]
	if ok {
		reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(known).Elem())
	}
	return ok
}

// store keeps a fact about an object of the package, or nil for the package.
func (act *action) store(obj types.Object, fact analysis.Fact) {
	act.facts[factKey{obj, reflect.TypeOf(fact)}] = fact
}

// panicPlace returns the place in the source of the innermost function that
// panicked, for a deferred function that recovered.
func panicPlace() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for panicked := false; ; {
		frame, more := frames.Next()
		if panicked && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s (%s:%d)", frame.Function, filepath.Base(frame.File), frame.Line)
		}
		panicked = panicked || frame.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
