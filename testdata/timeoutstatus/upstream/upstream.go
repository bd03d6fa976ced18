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

// ErrSlow is how an API calls its failures.
var ErrSlow = errors.New("slow")

// An Answer is what a call came to.
type Answer struct {
	Status int
	Err    error
}

// A Doer is a client.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// An API asks by way of a Doer.
type API struct{ Doer Doer }

// Get returns the failure in its answer, and calls each slow.
func (a *API) Get(ctx context.Context) *Answer {
	resp, err := a.Doer.Do(Request(ctx))
	if err != nil {
		return &Answer{Err: fmt.Errorf("%w: %v", ErrSlow, err)}
	}
	return &Answer{resp.StatusCode, resp.Body.Close()}
}
