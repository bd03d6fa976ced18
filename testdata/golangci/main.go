// Command golangci is golangci-lint with the plugin of httpvet: what
// "golangci-lint custom" builds by docs/golangci/.custom-gcl.yml, but of the source
// beside it.
package main

import (
	"fmt"
	"os"

	_ "github.com/httpvet/httpvet/analyzers/golangci"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"
)

func main() {
	// The version "(devel)" makes the cache depend on what is in the program.
	if err := commands.Execute(commands.BuildInfo{GoVersion: "unknown", Version: "(devel)", Commit: "?"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitcodes.Failure)
	}
}
