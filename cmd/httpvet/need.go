package main

import (
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
