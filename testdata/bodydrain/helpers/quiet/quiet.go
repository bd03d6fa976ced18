// Package quiet has helpers over readers and closers for package helpers. It does
// not know net/http.
package quiet

import (
	"errors"
	"io"
)

// Close closes c and forgets the error.
func Close(c io.Closer) { _ = c.Close() }

// CloseInto closes c and keeps its error if there is none before it.
func CloseInto(c io.Closer, err *error) {
	if cerr := c.Close(); *err == nil {
		*err = cerr
	}
}

// Drain reads r to its end.
func Drain(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// Finish reads rc to its end and closes it.
func Finish(rc io.ReadCloser) error {
	return errors.Join(Drain(rc), rc.Close())
}

// First reads one byte.
func First(r io.Reader) (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(r, b[:])
	return b[0], err
}

// Do keeps the error of f if there is none before it.
func Do(err *error, f func() error) {
	if ferr := f(); *err == nil {
		*err = ferr
	}
}

// An Ending is what is left to be done.
type Ending interface{ End() error }

type ending func() error

func (f ending) End() error { return f() }

// Ends returns the Ending that closes c.
func Ends(c io.Closer) Ending { return ending(c.Close) }

// DoEnding is Do for an Ending.
func DoEnding(err *error, e Ending) { Do(err, e.End) }
