package changed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ReadPatch reads a change from a unified diff, as git diff and diff -u write it.
// The names in it are relative to root, with or without the prefixes a/ and b/. A
// patch that names only files which are not there is an error: it belongs elsewhere,
// and would hide all findings.
func ReadPatch(r io.Reader, root string) (*Lines, error) {
	changed := newLines()
	var missing string
	found := false
	err := readDiff(r, func(name string, line int) {
		file, ok := locate(root, name)
		switch {
		case !ok:
			missing = name
			return
		case line > 0:
			changed.file(file).add(line)
		}
		found = true
	})
	switch {
	case err != nil:
		return nil, err
	case !found && missing != "":
		return nil, fmt.Errorf("it is about files such as %s, and none of them is in %s", missing, root)
	}
	return changed, nil
}

// locate returns the file below root that a diff names.
func locate(root, name string) (file string, ok bool) {
	names := []string{name}
	if i := strings.IndexByte(name, '/'); i == 1 { // b/, or i/ w/ c/ o/ with diff.mnemonicPrefix
		names = []string{name[i+1:], name}
	}
	for _, name := range names {
		file = filepath.FromSlash(name)
		if !filepath.IsAbs(file) {
			file = filepath.Join(root, file)
		}
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file, true
		}
	}
	return "", false
}

// hunkHeader matches the line before the lines of a hunk.
var hunkHeader = regexp.MustCompile(`^@@ -[0-9]+(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@`)

// readDiff reads a unified diff. It calls add for each file of the new side, with
// line 0, and for each line that is new. A hunk's header says how many lines it has,
// so what is in them cannot be mistaken for the diff's own lines.
func readDiff(r io.Reader, add func(name string, line int)) error {
	in := bufio.NewReader(r)
	var (
		name     string // of the new side; "" before the first file
		old, new int    // lines of the hunk that are still to come
		line     int    // the next line of the new side
		isDiff   bool   // it says something about a file
		isText   bool   // there is something to read
	)
	for n := 1; ; n++ {
		s, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if s == "" && err == io.EOF {
			break
		}
		s = strings.TrimRight(s, "\r\n")
		isText = isText || strings.TrimSpace(s) != ""
		switch {
		case old > 0 || new > 0:
			switch {
			case strings.HasPrefix(s, "+"):
				if new--; name != "" {
					add(name, line)
				}
				line++
			case strings.HasPrefix(s, "-"):
				old--
			case strings.HasPrefix(s, `\`): // No newline at end of file
			case strings.HasPrefix(s, " "), s == "": // some mailers take the space away
				old--
				new--
				line++
			default:
				return fmt.Errorf("line %d is not a line of a hunk", n)
			}
			if old < 0 || new < 0 {
				return fmt.Errorf("line %d is one more than its hunk says", n)
			}
		case strings.HasPrefix(s, "+++ "):
			if name, err = newName(s[len("+++ "):]); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
			if isDiff = true; name != "" {
				add(name, 0)
			}
		case strings.HasPrefix(s, "@@@ "):
			return fmt.Errorf("line %d: it is the combined diff of a merge, which does not tell what is new", n)
		case strings.HasPrefix(s, "@@ "):
			m := hunkHeader.FindStringSubmatch(s)
			if m == nil || !isDiff {
				return fmt.Errorf("line %d is not the header of a hunk", n)
			}
			var errs [3]error
			old, errs[0] = count(m[1])
			line, errs[1] = count(m[2])
			new, errs[2] = count(m[3])
			if err := errors.Join(errs[:]...); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		case strings.HasPrefix(s, "diff --git "), strings.HasPrefix(s, "Binary files "), strings.HasPrefix(s, "Only in "):
			isDiff = true // a rename, a mode, a binary file
		}
	}
	switch {
	case old > 0 || new > 0:
		return errors.New("it ends in the middle of a hunk")
	case isText && !isDiff:
		return errors.New("it is no unified diff")
	}
	return nil
}

// newName returns the name of a file in a diff's line +++, or "" for one that is
// deleted.
func newName(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s) // git quotes as C does; Go reads all that it writes
		if err != nil {
			return "", err
		}
		return strconv.Unquote(quoted)
	}
	s, _, _ = strings.Cut(s, "\t") // the time
	if s == os.DevNull || s == "/dev/null" {
		return "", nil
	}
	return s, nil
}

// count returns a number of lines; 1 if it is left out.
func count(s string) (int, error) {
	if s == "" {
		return 1, nil
	}
	return strconv.Atoi(s)
}
