package typeset

import (
	"go/types"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestIsStd proves that IsStd knows the packages of the standard library by their
// paths, and a user's by what else there is.
func TestIsStd(t *testing.T) {
	out, err := exec.Command("go", "list", "std", "cmd").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for path := range strings.FieldsSeq(string(out)) {
		if !IsStd(types.NewPackage(path, ""), nil) {
			t.Errorf("%s is of the standard library", path)
		}
		seen[firstElement(path)] = true
	}
	for first := range std {
		if !seen[first] {
			t.Errorf("no package of the standard library is below %s", first)
		}
	}
	for _, test := range []struct {
		path, module string
		want         bool
	}{
		{"net/http", "", true},
		{"net/http", "std", true},
		{"net/http", "shop", true},
		{"shop/api", "shop", false},
		{"shop/api", "", false},
		{"command-line-arguments", "", false},
		{"example.com/net/http", "", false},
		{"log/api", "log/api", false},
		{"log/api/v1", "log/api", false},
		{"log/apis", "log/api", true},
		{"vendor/golang.org/x/net/idna", "", true},
	} {
		if got := IsStd(types.NewPackage(test.path, ""), &analysis.Module{Path: test.module}); got != test.want {
			t.Errorf("IsStd(%q) in module %q = %t", test.path, test.module, got)
		}
	}
	if !IsStd(nil, nil) {
		t.Error("what has no package is not of the standard library")
	}
}
