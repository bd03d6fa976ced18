package testenv

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTestdata(t *testing.T) {
	dir := Testdata(t)
	out, err := goCommand(dir, "", "list", "-m")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(out); got != "fixtures" {
		t.Errorf("%s holds module %s, want fixtures", dir, got)
	}
}

// TestNoNetwork proves that the error on a fresh machine without a network names
// what is missing and the command that fetches it.
func TestNoNetwork(t *testing.T) {
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-modcacherw")
	err := fill(filepath.Join(Root(t), "testdata"))
	if err == nil {
		t.Fatal("an empty module cache was filled")
	}
	for _, want := range []string{"github.com/", "module lookup disabled", "go mod download"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not mention %q:\n%v", want, err)
		}
	}
}
