// Package upstream is the server that the fixtures ask, and cannot reach.
package upstream

import (
	"context"
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
