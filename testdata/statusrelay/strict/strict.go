// Package strict holds clients that make errors of bad statuses beside others: only what
// they bring is as good as checked.
package strict

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"fixtures/statusrelay/upstream"

	"github.com/go-resty/resty/v2"
)

type refusing struct{ next http.RoundTripper }

func (t refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err == nil && resp.StatusCode >= 400 {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", r.URL, resp.Status)
	}
	return resp, err
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// refusal is a transport that refuses, made of a function.
func refusal() http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err == nil && resp.StatusCode >= 400 {
			resp.Body.Close()
			return nil, errors.New(resp.Status)
		}
		return resp, err
	})
}

// Own makes a strict client.
func Own(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{Transport: refusing{http.DefaultTransport}}
	resp, err := client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

// Set makes a client strict.
func Set(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{}
	client.Transport = refusal()
	resp, err := client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

// Plain makes another.
func Plain(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{Transport: http.DefaultTransport}
	resp, err := client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `io.Copy sends on what client.Get got`
}

// A service has a client of each kind.
type service struct{ lenient, strict *http.Client }

var both = &service{lenient: upstream.Client, strict: &http.Client{Transport: refusing{http.DefaultTransport}}}

// Strict uses the one.
func Strict(w http.ResponseWriter, r *http.Request) {
	resp, err := both.strict.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

// Lenient uses the other.
func Lenient(w http.ResponseWriter, r *http.Request) {
	resp, err := both.lenient.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `io.Copy sends on what both.lenient.Get got`
}

func hooked() *resty.Client {
	return resty.New().SetRetryCount(0).OnAfterResponse(func(_ *resty.Client, r *resty.Response) error {
		if r.IsError() {
			return errors.New(r.Status())
		}
		return nil
	}).SetHeader("Accept", "text/plain")
}

// Hooked has a client with a hook.
func Hooked(w http.ResponseWriter, r *http.Request) {
	client := hooked()
	resp, err := client.R().SetContext(r.Context()).Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(resp.Body())
}

// HookedLater gets it afterwards.
func HookedLater(w http.ResponseWriter, r *http.Request) {
	client := resty.New()
	client.OnAfterResponse(func(_ *resty.Client, r *resty.Response) error {
		if !r.IsSuccess() {
			return errors.New(r.Status())
		}
		return nil
	})
	resp, err := client.R().Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(resp.Body())
}

// Transported has a resty client with a strict transport.
func Transported(w http.ResponseWriter, r *http.Request) {
	resp, err := resty.New().SetTransport(refusing{http.DefaultTransport}).R().Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(resp.Body())
}

// Unhooked has a client without.
func Unhooked(w http.ResponseWriter, r *http.Request) {
	resp, err := resty.New().R().Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(resp.Body()) // want `w.Write sends on what .* got`
}

// ByParameter is called with the strict client.
func ByParameter(w http.ResponseWriter, r *http.Request) { given(w, both.strict) }

func given(w http.ResponseWriter, client *http.Client) {
	resp, err := client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

type embedding struct{ *http.Client }

var embedded = embedding{&http.Client{Transport: refusing{http.DefaultTransport}}}

// Embedded has the strict client embedded.
func Embedded(w http.ResponseWriter, r *http.Request) {
	resp, err := embedded.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

// Variable has the transport in a variable.
func Variable(w http.ResponseWriter, r *http.Request) {
	var t refusing
	t.next = http.DefaultTransport
	resp, err := (&http.Client{Transport: t}).Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

func check(r *resty.Response) error {
	if r.IsError() {
		return errors.New(r.Status())
	}
	return nil
}

// HookedByAHelper has a client whose hook asks by a helper.
func HookedByAHelper(w http.ResponseWriter, r *http.Request) {
	client := resty.New().OnAfterResponse(func(_ *resty.Client, r *resty.Response) error { return check(r) })
	resp, err := client.R().Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(resp.Body())
}

// A counting transport refuses nothing, though its next one may.
type counting struct {
	next http.RoundTripper
	bad  *int
}

func (t counting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil || resp.StatusCode >= 400 {
		*t.bad++
	}
	return resp, err
}

// Counted has a client that counts.
func Counted(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{Transport: counting{http.DefaultTransport, new(int)}}
	resp, err := client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `io.Copy sends on what client.Get got`
}
