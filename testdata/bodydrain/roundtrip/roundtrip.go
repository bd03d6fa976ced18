// Package roundtrip proves that a RoundTripper which drops a response and sends
// again must read what it drops.
package roundtrip

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

func authorized(req *http.Request, token string) *http.Request {
	again := req.Clone(req.Context())
	again.Header.Set("Authorization", "Bearer "+token)
	return again
}

// Bearer drops the 401.
type Bearer struct {
	Next http.RoundTripper
}

func (b *Bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.Next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	resp.Body.Close() // want "closed before it is read to its end"
	return b.Next.RoundTrip(authorized(req, "fresh"))
}

// BearerDrained reads the 401.
type BearerDrained struct {
	Next http.RoundTripper
}

func (b *BearerDrained) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.Next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return b.Next.RoundTrip(authorized(req, "fresh"))
}

// Retry drops what the server could not answer.
type Retry struct {
	http.RoundTripper
	Max int
}

func (r Retry) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for n := 0; ; n++ {
		resp, err = r.RoundTripper.RoundTrip(req)
		if n == r.Max || (err == nil && resp.StatusCode < 500) {
			return resp, err
		}
		if resp != nil && resp.Body != nil {
			resp.Body.Close() // want "closed before it is read to its end"
		}
		time.Sleep(time.Millisecond)
	}
}

// RetryDrained reads what it drops.
type RetryDrained struct {
	http.RoundTripper
	Max int
}

func (r RetryDrained) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := r.RoundTripper.RoundTrip(req)
		if n == r.Max || (err == nil && resp.StatusCode < 500) {
			return resp, err
		}
		if err == nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
			resp.Body.Close()
		}
		time.Sleep(time.Millisecond)
	}
}

// Strict makes an error of a bad status.
type Strict struct {
	Next http.RoundTripper
}

func (s Strict) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := s.Next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		defer resp.Body.Close() // want "closed before it is read to its end"
		return nil, errors.New(resp.Status)
	}
	return resp, nil
}

// Func is a RoundTripper as a function.
type Func func(*http.Request) (*http.Response, error)

func (f Func) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// MiddlewareLosesTheConnection wraps next in a function literal.
func MiddlewareLosesTheConnection(next http.RoundTripper) http.RoundTripper {
	return Func(func(req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode == http.StatusUnauthorized {
			resp.Body.Close() // want "closed before it is read to its end"
			return next.RoundTrip(authorized(req, "fresh"))
		}
		return resp, nil
	})
}

// Revalidating drops a 304, which has no body.
type Revalidating struct {
	Next http.RoundTripper
}

func (r Revalidating) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.Next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusNotModified {
		resp.Body.Close()
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("stored")), Request: req}, nil
	}
	return resp, nil
}

// Watching only looks.
type Watching struct {
	Next http.RoundTripper
	Bad  int
}

func (w *Watching) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.Next.RoundTrip(req)
	if err == nil && resp.StatusCode >= 500 {
		w.Bad++
	}
	return resp, err
}
