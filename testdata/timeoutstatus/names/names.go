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
