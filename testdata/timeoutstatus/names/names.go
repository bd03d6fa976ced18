// Package names proves that a failure stays one as which name a function returns it, and
// in a field of a struct.
package names

import (
	"errors"
	"net/http"
	"os"

	"fixtures/timeoutstatus/upstream"
)

func Named(w http.ResponseWriter, r *http.Request) {
	switch err := upstream.Ask(r.Context()); {
	case err == nil:
	case errors.Is(err, upstream.ErrDown):
		w.WriteHeader(502)
	case errors.Is(err, upstream.ErrSlow):
		w.WriteHeader(504) // want `any failure of upstream.Ask is answered 504`
	}
}

func NamedAndAsked(w http.ResponseWriter, r *http.Request) {
	switch err := upstream.AskWhy(r.Context()); {
	case err == nil:
	case errors.Is(err, upstream.ErrSlow):
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

func Part(w http.ResponseWriter, r *http.Request) {
	answer := upstream.Try(r.Context())
	if answer.Err != nil {
		w.WriteHeader(504) // want `any failure of upstream.Try is answered 504`
		return
	}
	w.WriteHeader(answer.Status)
}

func PartThatIsAsked(w http.ResponseWriter, r *http.Request) {
	answer := upstream.Try(r.Context())
	if os.IsTimeout(errors.Unwrap(answer.Err)) {
		w.WriteHeader(504)
	} else if answer.Err != nil {
		w.WriteHeader(502)
	}
}

func InterfaceOfTheOtherPackage(w http.ResponseWriter, r *http.Request) {
	api := &upstream.API{Doer: upstream.Client}
	resp, err := api.Get(r.Context())
	if err != nil {
		w.WriteHeader(504) // want `any failure of api.Get is answered 504`
		return
	}
	resp.Body.Close()
}
