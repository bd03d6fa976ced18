// Package questions proves that to know of an error that it is a failure of the
// network, by whatever question, is not to know that it is a timeout.
package questions

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
		return http.StatusGatewayTimeout // want `err is answered 504 without asking Timeout\(\) \(a refused connection passes for a timeout\)`
	}
	return http.StatusBadGateway
}

func AsAndTimeout(err error) int {
	var ne net.Error
	if errors.As(err, &ne) && ne.Timeout() {
		return http.StatusGatewayTimeout
	}
	return http.StatusBadGateway
}

func AsURLError(err error) int {
	var ue *url.Error
	if errors.As(err, &ue) {
		return http.StatusRequestTimeout // want "answered 408"
	}
	return http.StatusBadGateway
}

func AsURLErrorAndTimeout(err error) int {
	var ue *url.Error
	if errors.As(err, &ue) && ue.Timeout() {
		return http.StatusRequestTimeout
	}
	return http.StatusBadGateway
}

func AsOpError(err error) int {
	var op *net.OpError
	if errors.As(err, &op) {
		return 504 // want "answered 504"
	}
	return 502
}

func AsDNSError(err error) int {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return 504 // want "answered 504"
	}
	return 502
}

func AsDNSErrorAndIsTimeout(err error) int {
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsTimeout {
		return 504
	}
	return 502
}

func AsAnonymous(err error) int {
	var te interface{ Timeout() bool }
	if errors.As(err, &te) {
		return 504 // want "answered 504"
	}
	return 502
}

func AsAnonymousAndTimeout(err error) int {
	var te interface{ Timeout() bool }
	if errors.As(err, &te) && te.Timeout() {
		return 504
	}
	return 502
}

// The program's own name for a net.Error.
type slow interface {
	error
	Timeout() bool
	Temporary() bool
}

func AsOwnInterface(err error) int {
	if s := slow(nil); errors.As(err, &s) {
		return 504 // want "answered 504"
	}
	return 502
}

func AsNew(err error) int {
	if errors.As(err, new(net.Error)) {
		return 504 // want "answered 504"
	}
	return 502
}

func AsThenNil(err error) int {
	var ne net.Error
	errors.As(err, &ne)
	if ne != nil {
		return 504 // want "answered 504"
	}
	return 502
}

func AsThenNilAndTimeout(err error) int {
	var ne net.Error
	_ = errors.As(err, &ne)
	if ne != nil && ne.Timeout() {
		return 504
	}
	return 502
}

func AsType(err error) int {
	if _, ok := errors.AsType[net.Error](err); ok {
		return 504 // want "answered 504"
	}
	return 502
}

func AsTypeAndTimeout(err error) int {
	ne, ok := errors.AsType[*net.OpError](err)
	if ok && ne.Timeout() {
		return 504
	}
	return 502
}

func Assertion(err error) int {
	if _, ok := err.(net.Error); ok {
		return 504 // want "answered 504"
	}
	return 502
}

func AssertionAndTimeout(err error) int {
	if err, ok := err.(net.Error); ok && err.Timeout() {
		return 504
	}
	return 502
}

func AssertionOfURLError(err error) int {
	ue, ok := err.(*url.Error)
	if !ok {
		return 500
	}
	_ = ue.URL
	return 504 // want "answered 504"
}

// The error in a *url.Error is asked, and it is no timeout that is asked for.
func AssertionOfCause(err error) int {
	if ue, ok := err.(*url.Error); ok {
		if _, ok := ue.Err.(*net.OpError); ok {
			return 504 // want "ue.Err is answered 504"
		}
	}
	return 502
}

func AssertionOfCauseAndTimeout(err error) int {
	if ue, ok := err.(*url.Error); ok {
		if op, ok := ue.Err.(*net.OpError); ok && op.Timeout() {
			return 504
		}
	}
	return 502
}

func UnwrapAndAssert(err error) int {
	if _, ok := errors.Unwrap(err).(net.Error); ok {
		return 504 // want "answered 504"
	}
	return 502
}

func TypeSwitch(err error) int {
	switch err := err.(type) {
	case nil:
		return 200
	case *url.Error:
		_ = err.URL
		return 504 // want "err is answered 504"
	default:
		return 502
	}
}

func TypeSwitchOfTwo(err error) int {
	switch err.(type) {
	case *net.OpError, net.Error:
		return 504 // want "answered 504"
	}
	return 502
}

func TypeSwitchAndTimeout(err error) int {
	switch e := err.(type) {
	case interface{ Timeout() bool }:
		if e.Timeout() {
			return 504
		}
	}
	return 502
}

// The clause before takes every failure of a client away, and not those of a dialer.
func TypeSwitchAfterURLError(err error) int {
	switch err.(type) {
	case *url.Error:
		return 502
	case net.Error:
		return 504 // want "answered 504"
	}
	return 500
}

func TypeSwitchAfterAll(w http.ResponseWriter, r *http.Request) {
	_, err := upstream.Client.Get(upstream.URL)
	switch err.(type) {
	case *url.Error:
		w.WriteHeader(502)
	case net.Error:
		w.WriteHeader(504)
	}
}

func OneOfTheProgramsOwn(err error) int {
	var late *Late
	if errors.As(err, &late) {
		return 504
	}
	return 502
}

// A Late is what the program itself calls late.
type Late struct{ By int }

func (*Late) Error() string { return "late" }
