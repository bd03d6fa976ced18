// Package names proves that a failure stays one as which name a function returns it, and
// in a field of a struct.
package names

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"fixtures/timeoutstatus/upstream"
)

var errSlow, errDown = errors.New("slow"), errors.New("down")

// wrapped calls each failure slow.
func wrapped(r *http.Request) error {
	resp, err := upstream.Client.Do(upstream.Request(r.Context()))
	if err != nil {
		return fmt.Errorf("%w: %v", errSlow, err)
	}
	return resp.Body.Close()
}

func Named(w http.ResponseWriter, r *http.Request) {
	switch err := wrapped(r); {
	case err == nil:
	case errors.Is(err, errDown):
		w.WriteHeader(502)
	case errors.Is(err, errSlow):
		w.WriteHeader(504) // want `any failure of wrapped is answered 504`
	}
}

// wrappedWhy calls slow what is.
func wrappedWhy(r *http.Request) error {
	resp, err := upstream.Client.Do(upstream.Request(r.Context()))
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %v", errSlow, err)
	}
	if err != nil {
		return fmt.Errorf("%w: %v", errDown, err)
	}
	return resp.Body.Close()
}

func NamedAndAsked(w http.ResponseWriter, r *http.Request) {
	switch err := wrappedWhy(r); {
	case err == nil:
	case errors.Is(err, errSlow):
		w.WriteHeader(504)
	default:
		w.WriteHeader(502)
	}
}

var errLate, errBusy = errors.New("late"), errors.New("busy")

func ask(r *http.Request, busy bool) error {
	if busy {
		return errBusy
	}
	resp, err := upstream.Client.Do(upstream.Request(r.Context()))
	if err != nil {
		return errLate
	}
	return resp.Body.Close()
}

func OwnName(w http.ResponseWriter, r *http.Request) {
	switch err := ask(r, false); err {
	case nil:
	case errBusy:
		w.WriteHeader(503)
	case errLate:
		w.WriteHeader(504) // want `any failure of ask is answered 504`
	}
}

func OtherName(w http.ResponseWriter, r *http.Request) {
	if err := ask(r, false); errors.Is(err, errBusy) {
		w.WriteHeader(504)
	}
}

// The name is given for another reason than the failure, which was forgiven.
func forgive(r *http.Request, busy bool) error {
	if resp, err := upstream.Client.Do(upstream.Request(r.Context())); err == nil {
		resp.Body.Close()
	}
	if busy {
		return errBusy
	}
	return nil
}

func Forgiven(w http.ResponseWriter, r *http.Request) {
	if err := forgive(r, r.Method == http.MethodPut); errors.Is(err, errBusy) {
		w.WriteHeader(504)
	}
}

type answer struct {
	status int
	err    error
}

func try(r *http.Request) (a answer) {
	resp, err := upstream.Client.Do(upstream.Request(r.Context()))
	if a.err = err; err == nil {
		a.status = resp.StatusCode
		a.err = resp.Body.Close()
	}
	return a
}

func Part(w http.ResponseWriter, r *http.Request) {
	a := try(r)
	if a.err != nil {
		w.WriteHeader(504) // want `any failure of try is answered 504`
		return
	}
	w.WriteHeader(a.status)
}

func PartThatIsAsked(w http.ResponseWriter, r *http.Request) {
	a := try(r)
	if os.IsTimeout(a.err) {
		w.WriteHeader(504)
	} else if a.err != nil {
		w.WriteHeader(502)
	}
}

func OfAnotherPackage(w http.ResponseWriter, r *http.Request) {
	api := &upstream.API{Doer: upstream.Client}
	if answer := api.Get(r.Context()); errors.Is(answer.Err, upstream.ErrSlow) {
		w.WriteHeader(504) // want `any failure of api.Get is answered 504`
	}
}

// A slowError says of each failure that it was slow.
type slowError struct{ err error }

func (e *slowError) Error() string { return "slow: " + e.err.Error() }

func typed(r *http.Request) error {
	resp, err := upstream.Client.Do(upstream.Request(r.Context()))
	if err != nil {
		return &slowError{err}
	}
	return resp.Body.Close()
}

func Typed(w http.ResponseWriter, r *http.Request) {
	var slow *slowError
	if err := typed(r); errors.As(err, &slow) {
		w.WriteHeader(504) // want `err is answered 504|any failure of typed is answered 504`
	}
}

func typedWhy(r *http.Request) error {
	resp, err := upstream.Client.Do(upstream.Request(r.Context()))
	if os.IsTimeout(err) {
		return &slowError{err}
	}
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func TypedAndAsked(w http.ResponseWriter, r *http.Request) {
	var slow *slowError
	if err := typedWhy(r); errors.As(err, &slow) {
		w.WriteHeader(504)
	} else if err != nil {
		w.WriteHeader(502)
	}
}

type kind int

const (
	isSlow kind = iota + 1
	isDown
)

type kindError struct {
	kind kind
	err  error
}

func (e *kindError) Error() string { return e.err.Error() }

func ofKind(r *http.Request, k kind) error {
	resp, err := upstream.Client.Do(upstream.Request(r.Context()))
	if err != nil && k == isSlow {
		return &kindError{isSlow, err}
	}
	if err != nil {
		return &kindError{kind: isDown, err: err}
	}
	return resp.Body.Close()
}

func Kind(w http.ResponseWriter, r *http.Request) {
	var ke *kindError
	if err := ofKind(r, isSlow); errors.As(err, &ke) && ke.kind == isSlow {
		w.WriteHeader(504) // want `answered 504`
	}
}

// The request may fail before it is made: that is a failure too.
func made(r *http.Request, url string) error {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := upstream.Client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func madeOrSlow(r *http.Request) error {
	if err := made(r, upstream.URL); err != nil {
		return fmt.Errorf("%w: %v", errSlow, err)
	}
	return nil
}

func Made(w http.ResponseWriter, r *http.Request) {
	if err := madeOrSlow(r); errors.Is(err, errSlow) {
		w.WriteHeader(504) // want `any failure of madeOrSlow is answered 504`
	}
}

// What the type wraps is asked.
func TypedAndItsCauseAsked(w http.ResponseWriter, r *http.Request) {
	var slow *slowError
	switch err := typed(r); {
	case errors.As(err, &slow) && errors.Is(slow.err, context.DeadlineExceeded):
		w.WriteHeader(504)
	case err != nil:
		w.WriteHeader(502)
	}
}
