// Command httpvet finds the HTTP mistakes that only show in production.
package main

import (
	"github.com/httpvet/httpvet/analyzers"

	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	unitchecker.Main(analyzers.All()...)
}
