// Package upstream is the server that the fixtures ask, and cannot reach.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Client and URL lead to the server. Whoever runs the fixtures sets them.
var (
	Client = http.DefaultClient
	URL    = "http://127.0.0.1:1/"
)

// Request returns a request to the server.
func Request(ctx context.Context) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, URL, nil)
	if err != nil {
		panic(err)
	}
	return req
}

// ErrSlow and ErrDown are how the functions below call their failures.
var (
	ErrSlow = errors.New("slow")
	ErrDown = errors.New("down")
)

// Ask calls each failure slow.
func Ask(ctx context.Context) error {
	resp, err := Client.Do(Request(ctx))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrSlow, err)
	}
	return resp.Body.Close()
}

// AskWhy calls slow what is.
func AskWhy(ctx context.Context) error {
	resp, err := Client.Do(Request(ctx))
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %v", ErrSlow, err)
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrDown, err)
	}
	return resp.Body.Close()
}

// An Answer is what a call came to.
type Answer struct {
	Status int
	Err    error
}

// Try returns the failure in its answer.
func Try(ctx context.Context) *Answer {
	resp, err := Client.Do(Request(ctx))
	if err != nil {
		return &Answer{Err: fmt.Errorf("try: %w", err)}
	}
	return &Answer{resp.StatusCode, resp.Body.Close()}
}

// A Doer is a client.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// An API asks by way of a Doer.
type API struct{ Doer Doer }

// Get gets.
func (a *API) Get(ctx context.Context) (*http.Response, error) { return a.Doer.Do(Request(ctx)) }
