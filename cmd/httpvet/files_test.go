package main

import (
	"slices"
	"strings"
	"testing"
)

// TestNames proves that both engines find what there is in packages whose paths look
// like those of the standard library: of a module without a dot in its path, and of
// files that are named by themselves.
func TestNames(t *testing.T) {
	dir := write(t, `
-- go.mod --
module shop

go 1.26
-- main.go --
package main

import "net/http"

func ping() error {
	for {
		resp, err := http.Get("http://localhost")
		if err != nil {
			return err
		}
		resp.Body.Close()
	}
}

func main() { ping() }
`)
	const want = "main.go:11:3: resp.Body is closed"
	for _, pattern := range []string{"./...", "main.go"} {
		alone := httpvet(t, "real", dir, pattern)
		vet := command(t, dir, "go", "vet", "-vettool="+toolWith(t, "real"), pattern)
		for engine, r := range map[string]result{"alone": alone, "as a vettool": vet} {
			lines := strings.Split(r.stdout+r.stderr, "\n")
			if r.status != 1 || !slices.ContainsFunc(lines, func(line string) bool {
				return strings.Contains(line, want)
			}) {
				t.Errorf("%s on %s: exit status %d, want 1 and %q\n%s%s", engine, pattern, r.status, want, r.stdout, r.stderr)
			}
		}
	}
}
