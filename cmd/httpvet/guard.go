package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
)

// guard makes a panic of a pass an error of the package that the pass was run on.
// The function that it returns undoes that.
func guard(analyzers []*analysis.Analyzer) (undo func()) {
	original := make(map[*analysis.Analyzer]func(*analysis.Pass) (any, error))
	var visit func(list []*analysis.Analyzer)
	visit = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if original[a] != nil {
				continue
			}
			run := a.Run
			original[a] = run
			a.Run = func(pass *analysis.Pass) (result any, err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("panic: %v, at %s", r, panicPlace())
					}
				}()
				return run(pass)
			}
			visit(a.Requires)
		}
	}
	visit(analyzers)
	return func() {
		for a, run := range original {
			a.Run = run
		}
	}
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

// failures returns an error for each pass that failed by itself.
func failures(graph *checker.Graph) []error {
	var list []error
	for act := range graph.All() {
		if act.Err != nil && !strings.HasPrefix(act.Err.Error(), "failed prerequisites") {
			list = append(list, fmt.Errorf("%s: %s: %w", act.Package.PkgPath, act.Analyzer.Name, act.Err))
		}
	}
	return distinct(list)
}

// distinct returns the errors of a list in order, without repetitions.
func distinct(list []error) []error {
	slices.SortFunc(list, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return slices.CompactFunc(list, func(a, b error) bool { return a.Error() == b.Error() })
}
