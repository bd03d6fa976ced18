package main

import (
	"encoding/gob"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// vettool does what the go command asks, with the stock unitchecker. It does not
// return.
func vettool(all []*analysis.Analyzer) {
	last := len(os.Args) - 1
	if path, module, ok := dependency(os.Args[last]); ok {
		// Only facts are wanted: those of the rules that are on. No fact depends on
		// another flag.
		for _, a := range factPasses(all) {
			for _, fact := range a.FactTypes {
				gob.Register(fact)
			}
		}
		all = factPasses(enabledBy(all, os.Args[1:last]))
		os.Args = []string{os.Args[0], os.Args[last]}
		if needOf(path, module) == needDeclarations {
			// Have: nothing to learn here. The package's types are still written,
			// and the facts of its imports handed on.
			all = nil
		}
	}
	unitchecker.Main(all...)
}

// enabledBy returns the rules that the arguments of the go command leave on. What
// is wrong with an argument is left to the units whose findings are wanted.
func enabledBy(all []*analysis.Analyzer, args []string) []*analysis.Analyzer {
	t := tool{analyzers: all}
	t.defineFlags()
	for _, arg := range args {
		name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !ok {
			value = "true"
		}
		if rule := t.rules[name]; rule != nil {
			rule.Set(value)
		}
	}
	return t.enabled()
}

// dependency reports whether the configuration file of a unit says that only the
// facts of its package are wanted, and returns the package's path and that of its
// module. A file that cannot be read is left to unitchecker.
func dependency(file string) (path, module string, ok bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", false
	}
	var unit struct {
		ImportPath string
		ModulePath string
		VetxOnly   bool
	}
	err = json.Unmarshal(data, &unit)
	return unit.ImportPath, unit.ModulePath, err == nil && unit.VetxOnly
}

// factPasses returns the passes among all, and those that they require, that
// have facts: what a dependency is analyzed with.
func factPasses(all []*analysis.Analyzer) []*analysis.Analyzer {
	return slices.DeleteFunc(withRequired(all), func(a *analysis.Analyzer) bool { return len(a.FactTypes) == 0 })
}
