// Package kinds proves that to name a kind of error is to choose the status that a switch
// or a map of the package turns it into.
package kinds

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
)

type kind int

const (
	unknown kind = iota
	late
	down
	shaky
)

func (k kind) status() int {
	switch k {
	case late:
		return http.StatusGatewayTimeout
	case down:
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}

func kindOf(err error) kind {
	var ne net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return down
	case errors.As(err, &ne):
		return late // want `err is answered 504 without asking Timeout\(\)`
	}
	return unknown
}

func Kind(err error) int { return kindOf(err).status() }

func kindOfTimeouts(err error) kind {
	var ne net.Error
	if errors.As(err, &ne) {
		if ne.Timeout() {
			return late
		}
		return down
	}
	return unknown
}

func KindOfTimeouts(err error) int { return kindOfTimeouts(err).status() }

type failure struct {
	kind kind
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

func wrap(err error) error {
	var ne net.Error
	if errors.As(err, &ne) {
		return &failure{kind: late, err: err} // want `err is answered 504`
	}
	return &failure{kind: unknown, err: err}
}

func Wrapped(err error) int { return wrap(err).(*failure).kind.status() }

const (
	catTimeout = "timeout"
	catNetwork = "network"
)

var statuses = map[string]int{catTimeout: 408, catNetwork: 502}

func categoryOf(err error) string {
	category := catNetwork
	if _, ok := err.(net.Error); ok {
		category = catTimeout // want `err is answered 408`
	}
	return category
}

func Category(err error) int { return statuses[categoryOf(err)] }

// Two switches do not agree: which is for this?
func (k kind) coarse() int {
	switch k {
	case late, shaky:
		return 504
	}
	return 500
}

func (k kind) fine() int {
	switch k {
	case late:
		return 504
	case shaky:
		return 502
	}
	return 500
}

func shakyOf(err error) kind {
	if os.IsTimeout(err) {
		return late
	}
	var ne net.Error
	if errors.As(err, &ne) {
		return shaky
	}
	return unknown
}

func Fine(err error) int { return shakyOf(err).fine() }
