package changed

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Since returns what is changed in the work tree of the git repository that dir is
// in, since it left rev: the difference from their best common ancestor, committed or
// not, and all lines of files that git does not know and is not told to ignore. A
// file that is only renamed has no changed lines.
func Since(dir, rev string) (*Lines, error) {
	root, err := Root(dir)
	if err != nil {
		return nil, err
	}
	g := git{root}
	commit, err := g.run("rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return nil, g.unknown(rev, "is no revision of this repository")
	}
	base, err := g.run("merge-base", strings.TrimSpace(commit), "HEAD")
	if err != nil {
		return nil, g.unknown(rev, "has no ancestor in common with HEAD in this repository")
	}
	// Options against what a user's configuration may say, and --text since a Go file
	// is one whatever .gitattributes says.
	diff, err := g.run("-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text",
		"--src-prefix=a/", "--dst-prefix=b/", "--unified=0", "--inter-hunk-context=0", "--find-renames",
		strings.TrimSpace(base), "--", "*.go")
	if err != nil {
		return nil, err
	}
	changed := newLines()
	err = readDiff(strings.NewReader(diff), func(name string, line int) {
		if line > 0 {
			changed.file(filepath.Join(root, strings.TrimPrefix(name, "b/"))).add(line)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("git diff: %w", err)
	}
	untracked, err := g.run("ls-files", "--others", "--exclude-standard", "-z", "--", "*.go")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(untracked, "\x00"), "\x00") {
		if name != "" {
			changed.file(filepath.Join(root, name)).all = true
		}
	}
	return changed, nil
}

// Root returns the root of the work tree of the git repository that dir is in.
func Root(dir string) (string, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return "", errors.New("git is not in PATH")
	}
	root, err := git{dir}.run("rev-parse", "--show-toplevel")
	return strings.TrimSpace(root), err
}

// A git runs git in a directory.
type git struct{ dir string }

// run returns the output of git. An error has the first line of what git said.
func (g git) run(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		if said == "" {
			said = err.Error()
		}
		return "", fmt.Errorf("git: %s", strings.TrimPrefix(said, "fatal: "))
	}
	return stdout.String(), nil
}

// unknown returns an error about a revision, and how to mend it where the clone does
// not hold the whole history, as those of CI services do not.
func (g git) unknown(rev, problem string) error {
	if shallow, err := g.run("rev-parse", "--is-shallow-repository"); err == nil && strings.TrimSpace(shallow) == "true" {
		return fmt.Errorf("%s %s, which is a shallow clone: fetch the history first, by git fetch --unshallow origin (in GitHub Actions: fetch-depth: 0)", rev, problem)
	}
	if remote, branch, ok := strings.Cut(rev, "/"); ok && problem == "is no revision of this repository" {
		return fmt.Errorf("%s %s; if it is a branch of a remote, fetch it first, by git fetch %s %s", rev, problem, remote, branch)
	}
	return fmt.Errorf("%s %s", rev, problem)
}
