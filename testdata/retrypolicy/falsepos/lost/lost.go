// Package lost holds errors that other packages make of what a request failed with, and
// a helper that tells them apart.
package lost

import (
	"context"
	"net/http"
	"time"
)

// An Error says which request was lost.
type Error struct {
	Method, URL string
	Err         error
}

func (e *Error) Error() string { return e.Method + " " + e.URL + ": " + e.Err.Error() }

// New returns the error for a request that failed with err.
func New(req *http.Request, err error) *Error {
	return &Error{req.Method, req.URL.String(), err}
}

// A Refusal is an error that Thrice does not try again.
type Refusal struct{ Code int }

func (r *Refusal) Error() string { return "refused" }

// Thrice calls f up to three times.
func Thrice(ctx context.Context, f func() error) (err error) {
	for range 3 {
		err = f()
		if _, refused := err.(*Refusal); refused || err == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return err
}
