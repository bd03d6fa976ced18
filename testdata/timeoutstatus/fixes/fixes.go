// Package fixes proves that Timeout() is added to the question where that is all
// that is missing, and that the failure that is no timeout still gets an answer.
package fixes

import (
	"errors"
	"net"
	"net/http"
	"net/url"

	"fixtures/timeoutstatus/upstream"
)

func As(err error) int {
	var ne net.Error
	if errors.As(err, &ne) {
		return 504 // want "answered 504"
	}
	return 502
}

func AsAndMore(err error, n int) int {
	var ue *url.Error
	if ue == nil && errors.As(err, &ue) && n > 0 {
		return 504 // want "answered 504"
	}
	return 502
}

func AsInACase(err error) int {
	var op *net.OpError
	switch {
	case err == nil:
		return 200
	case errors.As(err, &op):
		return 504 // want "answered 504"
	}
	return 502
}

func Assertion(err error) int {
	code := 500
	if ne, ok := err.(net.Error); ok {
		code = 504 // want "answered 504"
		_ = ne
	}
	return code
}

func AssertionOfBlank(err error) int {
	if _, ok := err.(net.Error); ok {
		return 504 // want "answered 504"
	}
	return 502
}

func AsType(err error) int {
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return 504 // want "answered 504"
	}
	return 502
}

func Before(err error) int {
	ne, ok := err.(net.Error)
	if ok {
		return 504 // want "answered 504"
	}
	if ne != nil {
		return 502
	}
	return 500
}

func Handler(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		var ne net.Error
		if errors.As(err, &ne) {
			w.WriteHeader(504) // want "answered 504"
			return
		}
		w.WriteHeader(502)
		return
	}
	resp.Body.Close()
}

func HandlerWithAnotherTest(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	var ne net.Error
	if errors.As(err, &ne) {
		w.WriteHeader(504) // want "answered 504"
		return
	}
	if err != nil {
		w.WriteHeader(502)
		return
	}
	resp.Body.Close()
}

// Without the branch nobody would answer, so there is no fix.
func NothingElse(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	var ne net.Error
	if errors.As(err, &ne) {
		w.WriteHeader(504) // want "answered 504"
		return
	}
	defer resp.Body.Close()
}

// With || there are two questions.
func Or(err error) int {
	var ne net.Error
	var ue *url.Error
	if errors.As(err, &ne) || errors.As(err, &ue) {
		return 504 // want "answered 504"
	}
	return 502
}

// The value that is asked has no Timeout method.
func Temporary(err error) int {
	var te interface{ Temporary() bool }
	if errors.As(err, &te) {
		return 504 // want "answered 504"
	}
	return 502
}

// A timeout is temporary: what to ask instead is not known.
func NotTemporary(err error) int {
	var ne net.Error
	if errors.As(err, &ne) && !ne.Temporary() {
		return 504 // want "answered 504"
	}
	return 502
}
