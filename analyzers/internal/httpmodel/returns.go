package httpmodel

import (
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says which functions of the standard library never return, for drivers
// that do not tell what their bodies show.

// noReturns lists by package the functions, and the methods of any type, that end
// the process, the goroutine or the test, or panic.
var noReturns = map[string][]string{
	"log":     {"Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"},
	"os":      {"Exit"},
	"runtime": {"Goexit"},
	"syscall": {"Exit"},
	"testing": {"FailNow", "Fatal", "Fatalf", "Main", "Skip", "SkipNow", "Skipf"},
}

// NeverReturns reports whether fn, not of an interface, is a function of the standard
// library that never returns.
func NeverReturns(fn *types.Func) bool {
	return fn.Pkg() != nil && slices.Contains(noReturns[fn.Pkg().Path()], fn.Name())
}

// EndsOwnTest reports whether fn is a method of *testing.T, B or F that ends the test
// that it is called on.
func EndsOwnTest(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && typeset.IsNamed(recv.Type(), "testing", "common") && NeverReturns(fn)
}
