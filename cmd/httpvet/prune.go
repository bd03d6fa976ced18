package main

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// This file says which dependencies matter to a verdict. The others are needed
// for their declarations only: in both engines, by the same rule.

// isStd reports whether a package is of the standard library, by its import path
// and the path of its module.
func isStd(path, module string) bool {
	first, _, _ := strings.Cut(path, "/")
	return (module == "" || module == "std") && !strings.Contains(first, ".")
}

// decidesReturns reports whether the standard library's package has functions
// that never return and are called by others: those that end the process, the
// goroutine or the test. What else the passes must know of the standard library
// is in their tables.
func decidesReturns(std string) bool {
	return slices.Contains([]string{"syscall", "runtime", "os", "log", "testing"}, std)
}

// matters reports whether the bodies of a dependency's functions matter.
func matters(pkg *packages.Package) bool {
	module := ""
	if pkg.Module != nil {
		module = pkg.Module.Path
	}
	return !isStd(pkg.PkgPath, module) || decidesReturns(pkg.PkgPath)
}
