// Package apierr holds errors with a status, which other packages choose.
package apierr

import "net/http"

// An Error is what the client is told.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return http.StatusText(e.Code) }

// StatusCode returns the status that the client gets.
func (e *Error) StatusCode() int { return e.Code }

var (
	ErrSlow = &Error{Code: http.StatusGatewayTimeout}
	ErrBad  = New(http.StatusBadGateway)
)

func New(code int) *Error { return &Error{Code: code} }

func Slow(who string) *Error {
	return &Error{Code: http.StatusGatewayTimeout}
}

func Bad(who string) *Error { return &Error{Code: http.StatusBadGateway} }
