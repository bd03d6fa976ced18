package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"strings"
)

// applyFixes applies or shows the suggested fixes: it runs "go vet" with this
// program as the vettool, which does that well.
func (t *tool) applyFixes() int {
	if !t.tests {
		return t.fail(errors.New("-tests=false does not go with -fix and -diff: go vet, which does that work, takes test files too"))
	}
	self, err := os.Executable()
	if err != nil {
		return t.fail(err)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return t.fail(errNoGo)
	}
	args := append([]string{"vet", "-vettool=" + self, "-fix"}, t.buildFlags()...)
	if t.diff {
		args = append(args, "-diff")
	}
	t.flags.Visit(func(f *flag.Flag) {
		rule, _, _ := strings.Cut(f.Name, ".")
		if t.rules[rule] != nil {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	cmd := exec.Command("go", append(args, t.flags.Args()...)...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.dir, t.stdout, io.MultiWriter(t.stderr, &stderr)
	err = cmd.Run()
	switch {
	case err == nil:
		return exitClean
	case t.diff && stderr.Len() == 0:
		return exitFindings // the diff is not empty
	case stderr.Len() == 0:
		return t.fail(err)
	}
	return exitFailed
}
