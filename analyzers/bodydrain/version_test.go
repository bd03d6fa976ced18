package bodydrain

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestDrainsByItself checks from which go directive on the Transport drains by
// itself, with and without what the driver knows of the module.
func TestDrainsByItself(t *testing.T) {
	for _, test := range []struct {
		module *analysis.Module
		want   bool
	}{
		{nil, false},
		{&analysis.Module{}, false},
		{&analysis.Module{GoVersion: "1.26.8"}, false},
		{&analysis.Module{GoVersion: "1.27"}, true},
		{&analysis.Module{GoVersion: "go1.28.1"}, true},
	} {
		pass := &analysis.Pass{Pkg: types.NewPackage("p", "p"), Module: test.module}
		if got := drainsByItself(pass); got != test.want {
			t.Errorf("drainsByItself(%+v) = %t", test.module, got)
		}
	}
}
