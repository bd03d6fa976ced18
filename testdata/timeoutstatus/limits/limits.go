// Package limits holds what the pass does not see, and should, or leaves to the
// reader.
package limits

import (
	"errors"
	"net"
	"net/http"
	"syscall"

	"fixtures/timeoutstatus/upstream"
)

// The failure was named: it is a decision, right or wrong.
func Named(err error) int {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return 504
	}
	return 502
}

// A bool that comes from elsewhere may say that it is a timeout.
func Elsewhere(err error, late func() bool) int {
	var ne net.Error
	if errors.As(err, &ne) && late() {
		return 504
	}
	return 502
}

// A fetcher may fail with anything: its body is not known here.
type fetcher interface{ Fetch() error }

func Unknown(w http.ResponseWriter, f fetcher) {
	if err := f.Fetch(); err != nil {
		w.WriteHeader(504)
	}
}

// An error goes through a channel.
func Channel(w http.ResponseWriter, r *http.Request) {
	done := make(chan error, 1)
	_, err := upstream.Client.Get(upstream.URL)
	done <- err
	if err := <-done; err != nil {
		w.WriteHeader(504)
	}
}

// The status is in a variable of the package, which may have any value.
var late = http.StatusGatewayTimeout

func Variable(err error) int {
	var ne net.Error
	if errors.As(err, &ne) {
		return late
	}
	return 502
}

// The answer to the question is a key.
func Key(err error) int {
	_, ok := err.(net.Error)
	return map[bool]int{true: 504, false: 502}[ok]
}
