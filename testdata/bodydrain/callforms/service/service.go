// Package service has the requests of a service as functions in fields, for package
// callforms.
package service

import (
	"io"
	"net/http"
)

// An API is what the service can do.
type API struct {
	Ping Ping
	Info Info
}

// New returns the API of the service at url.
func New(c *http.Client, url string) *API {
	return &API{Ping: newPing(c, url), Info: newInfo(c, url)}
}

// A Response is one that the caller is to read and close.
type Response struct {
	Status int
	Body   io.ReadCloser
}

type (
	// Ping returns an open response.
	Ping func(options ...func(*http.Request)) (*Response, error)
	// Info returns what it has read.
	Info func() (*Response, error)
)

func newPing(c *http.Client, url string) Ping {
	return func(options ...func(*http.Request)) (*Response, error) {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		for _, option := range options {
			option(req)
		}
		resp, err := c.Do(req)
		if err != nil {
			return nil, err
		}
		return &Response{resp.StatusCode, resp.Body}, nil
	}
}

func newInfo(c *http.Client, url string) Info {
	return func() (*Response, error) {
		resp, err := c.Get(url)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return &Response{Status: resp.StatusCode, Body: http.NoBody}, err
	}
}
