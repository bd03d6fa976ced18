// Command httpvet finds the HTTP mistakes that only show in production.
//
// It is one binary with two engines. Called by the go command, as in
//
//	go vet -vettool=$(which httpvet) ./...
//
// it analyzes one package a process, cached by the go command. Called by a
// person, as in
//
//	httpvet ./...
//
// it loads the packages from source and analyzes them in one process; nothing is
// compiled. Both find the same. "httpvet help" says more.
package main

import (
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers"
)

func main() {
	new(collector).set()
	os.Exit(run(analyzers.All()))
}

// run is the program, with the given rules. It returns the exit status.
func run(rules []*analysis.Analyzer) int {
	args := os.Args[1:]
	if calledByGo(args) {
		vettool(rules) // does not return
	}
	t := tool{analyzers: rules, stdout: os.Stdout, stderr: os.Stderr}
	return t.run(args)
}

// calledByGo reports whether the arguments are those with which the go command
// calls a vettool: -V=full, -flags, or a configuration file after flags.
func calledByGo(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return len(args) == 1 && (args[0] == "-V=full" || args[0] == "-flags") ||
		strings.HasSuffix(args[len(args)-1], ".cfg")
}
