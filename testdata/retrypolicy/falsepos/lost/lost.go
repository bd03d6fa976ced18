// Package lost holds errors that other packages make of what a request failed with.
package lost

import "net/http"

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
