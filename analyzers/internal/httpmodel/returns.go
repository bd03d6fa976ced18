package httpmodel

import (
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says which functions never return though drivers do not tell, or no body
// shows it.

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

// fatals are the names by which loggers end the process, and panics those by which they
// panic, after they have logged.
var (
	fatals = []string{"Fatal", "Fatalf", "Fatalln", "Fatalw"}
	panics = []string{"Panic", "Panicf", "Panicln", "Panicw"}
)

// LogsAndEnds reports whether fn is a logger's function that ends the process or panics
// after it has logged, by the convention of all packages of loggers. Their bodies ask a
// variable what to do, or the level first.
func LogsAndEnds(fn *types.Func) bool {
	return fn.Signature().Results().Len() == 0 && IsLogger(fn) &&
		(slices.Contains(fatals, fn.Name()) || slices.Contains(panics, fn.Name()))
}

// EndsOwnTest reports whether fn is a method of *testing.T, B or F that ends the test
// that it is called on.
func EndsOwnTest(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && typeset.IsNamed(recv.Type(), "testing", "common") && NeverReturns(fn)
}
