// Package testenv gives tests what they need from around them.
package testenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Root returns the directory of this module.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "analyzers", "analyzers.go")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("not in the source tree of httpvet")
		}
		dir = parent
	}
}

// Testdata returns the directory of the fixtures' module, to be given to
// analysistest.Run. The libraries that the fixtures use are in the module cache
// then: what is missing is downloaded, for analysistest itself does not; where
// that fails, so does the test.
func Testdata(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(Root(t), "testdata")
	if err := download(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// download makes the libraries of the fixtures in dir available, once a process.
func download(dir string) error {
	once.Do(func() { downloaded = fill(dir) })
	return downloaded
}

var (
	once       sync.Once
	downloaded error
)

// fill downloads what the packages in dir need. It asks the network only if
// something is missing.
func fill(dir string) error {
	lacking, err := missing(dir)
	if err != nil || lacking == "" {
		return err
	}
	if _, err := goCommand(dir, "", "mod", "download"); err != nil {
		return fmt.Errorf(`the module cache lacks

%s
which the fixtures use, and downloading them failed:

%w

With a network, this command fetches them; the tests need none after it:

	cd %s && go mod download`, lacking, err, dir)
	}
	return nil
}

// missing lists the packages of other modules that are needed in dir and that the
// module cache lacks, a line each.
func missing(dir string) (string, error) {
	return goCommand(dir, "GOPROXY=off", "list", "-e", "-deps", "-test",
		"-f", `{{if and .Error (not .Module)}}{{printf "\t%s\n" .ImportPath}}{{end}}`, "./...")
}

// goCommand runs the go command in dir and returns its output. An error holds
// what it said.
func goCommand(dir, env string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if env != "" {
		cmd.Env = append(cmd.Env, env)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
}
