// Package helpers proves that the question may be asked in another function, of
// another package, any number of calls away.
package helpers

import (
	"errors"
	"net"
	"net/http"

	"fixtures/timeoutstatus/kind"
	"fixtures/timeoutstatus/upstream"
)

func Predicate(err error) int {
	if kind.IsNet(err) {
		return 504 // want "answered 504"
	}
	return 502
}

func PredicateTwoCallsAway(err error) int {
	if kind.IsUpstream(err) {
		return 504 // want "answered 504"
	}
	return 502
}

func PredicateOfTimeouts(err error) int {
	if kind.IsTimeout(err) {
		return 504
	}
	return 502
}

func NotPredicateOfTimeouts(err error) int {
	switch {
	case !kind.IsTimeout(err):
		return 502
	case kind.IsNet(err):
		return 504
	}
	return 500
}

func ValueAndBool(err error) int {
	if ne, ok := kind.AsNet(err); ok {
		_ = ne.Error()
		return 504 // want "answered 504"
	}
	return 502
}

func ValueAndBoolAndTimeout(err error) int {
	if ne, ok := kind.AsNet(err); ok && ne.Timeout() {
		return 504
	}
	return 502
}

func ValueOrNil(err error) int {
	if ne := kind.NetOf(err); ne != nil {
		return 504 // want "answered 504"
	}
	return 502
}

func ValueOrNilAndTimeout(err error) int {
	if ne := kind.NetOf(err); ne != nil && ne.Timeout() {
		return 504
	}
	return 502
}

func OwnAs(err error) int {
	var ne net.Error
	if kind.As(err, &ne) {
		return 504 // want "answered 504"
	}
	return 502
}

func OwnAsAndTimeout(err error) int {
	var ne net.Error
	if kind.As(err, &ne) && ne.Timeout() {
		return 504
	}
	return 502
}

func Generic(err error) int {
	if _, ok := kind.To[*net.OpError](err); ok {
		return 504 // want "answered 504"
	}
	return 502
}

func GenericAndTimeout(err error) int {
	if ne, ok := kind.To[net.Error](err); ok && ne.Timeout() {
		return 504
	}
	return 502
}

func FailureOfAHelper(w http.ResponseWriter, r *http.Request) {
	if err := kind.Fetch(upstream.Client, upstream.URL); err != nil {
		w.WriteHeader(504) // want `any failure of kind.Fetch is answered 504`
	}
}

func FailureOfAHelperThatSaysWhatIsSlow(w http.ResponseWriter, r *http.Request) {
	switch err := kind.FetchOrSlow(upstream.Client, upstream.URL); {
	case errors.Is(err, kind.ErrSlow):
		w.WriteHeader(504)
	case err != nil:
		w.WriteHeader(502)
	}
}

// A request holds what became of it.
type request struct {
	name string
	err  error
}

func (r *request) late() bool {
	var ne net.Error
	return errors.As(r.err, &ne)
}

func (r *request) reallyLate() bool {
	var ne net.Error
	return errors.As(r.err, &ne) && ne.Timeout()
}

func Method(err error) int {
	r := &request{err: err}
	if r.late() {
		return 504 // want "answered 504"
	}
	return 502
}

func MethodThatAsks(err error) int {
	r := &request{err: err}
	if r.reallyLate() {
		return 504
	}
	return 502
}

func Field(err error) int {
	r := request{err: err}
	var ne net.Error
	if errors.As(r.err, &ne) {
		return 504 // want "r.err is answered 504"
	}
	return 502
}

func FieldAndTimeout(err error) int {
	r := request{err: err}
	if ne, ok := r.err.(net.Error); ok && ne.Timeout() {
		return 504
	}
	return 502
}

// What a helper answers by default is wrong for what its callers give it.
func answer(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errMissing):
		w.WriteHeader(404)
	default:
		w.WriteHeader(504) // want "any failure of upstream.Client.Get is answered 504"
	}
}

var errMissing = errors.New("missing")

func DefaultOfAHelper(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		answer(w, err)
		return
	}
	resp.Body.Close()
}

// The same, and its callers ask first.
func answerLate(w http.ResponseWriter, err error) {
	if errors.Is(err, errMissing) {
		w.WriteHeader(404)
		return
	}
	w.WriteHeader(504)
}

func DefaultOfAHelperThatIsAskedFirst(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		if kind.IsTimeout(err) {
			answerLate(w, err)
			return
		}
		w.WriteHeader(502)
		return
	}
	resp.Body.Close()
}

func Class(err error) int {
	switch kind.Of(err) {
	case kind.Slow:
		return 504 // want "answered 504"
	}
	return 502
}

func ClassThatWasAsked(err error) int {
	switch kind.OfAsked(err) {
	case kind.Slow:
		return 504
	case kind.Broken:
		return 502
	}
	return 500
}

// classify is of this package, and asks.
func classify(err error) (class kind.Class) {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Timeout():
		class = kind.Slow
	case errors.As(err, &op):
		class = kind.Broken
	}
	return class
}

func ClassOfTheRest(err error) int {
	class := classify(err)
	if class == kind.Broken {
		return 504 // want "answered 504"
	}
	return 502
}

func isNet(err error) bool {
	var ne net.Error
	return errors.As(err, &ne)
}

func timesOut(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

func word(err error) string {
	if isNet(err) {
		return "timeout"
	}
	return "unknown"
}

func ClassInAWord(err error) int {
	if w := word(err); w == "timeout" {
		return 504 // want "answered 504"
	}
	return 502
}

func pick[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

func Picked(err error) int {
	return pick(isNet(err), 504, 502) // want "answered 504"
}

func PickedByTimeout(err error) int {
	return pick(timesOut(err), 504, 502)
}

func PickedForTheRest(err error) int {
	if !isNet(err) {
		return 500
	}
	return pick(timesOut(err), 502, 504) // want "answered 504"
}
