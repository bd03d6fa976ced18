// Command nothing is a vettool that checks nothing: what any vettool costs.
package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	unitchecker.Main(&analysis.Analyzer{
		Name: "nothing",
		Doc:  "nothing: check nothing",
		Run:  func(*analysis.Pass) (any, error) { return nil, nil },
	})
}
