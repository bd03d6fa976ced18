package main

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// This file says which dependencies matter to a verdict: in both engines, by the
// same rule.

// A need is what the analyses need of a package.
type need int

const (
	needDeclarations need = iota // to type-check what imports it; it is not analyzed
	needBodies                   // all of it
)

// needOf returns what is needed of a dependency, by its import path and the path
// of its module.
//
// A function of any module may drain a body, end the process, repeat what it is
// given or make a key. Of the standard library the passes have tables, so that they
// find the same in drivers that never analyze it; nothing else is to be learned there.
func needOf(path, module string) need {
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") || module != "" && module != "std" {
		return needBodies
	}
	return needDeclarations
}

// modulePath returns the path of a package's module, or "" if it is of the
// standard library.
func modulePath(pkg *packages.Package) string {
	if pkg.Module == nil {
		return ""
	}
	return pkg.Module.Path
}

// prune replaces the imports of each package, which the analyses follow for
// facts, by the nearest packages that are to be analyzed: not those of which only
// the declarations are needed, nor broken dependencies, which have no facts.
func prune(roots []*packages.Package) {
	nearest := make(map[*packages.Package]map[string]*packages.Package)
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		near := make(map[string]*packages.Package)
		for _, path := range slices.Sorted(maps.Keys(pkg.Imports)) {
			dep := pkg.Imports[path]
			if dep.TypesInfo != nil && !dep.IllTyped {
				near[dep.ID] = dep
			} else {
				maps.Copy(near, nearest[dep])
			}
		}
		nearest[pkg] = near
	})
	for pkg, near := range nearest {
		pkg.Imports = near
	}
}
