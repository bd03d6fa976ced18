// Package standins proves that a mock is reported where a test has it called on a
// server's goroutine, and only if it was given a test to end.
package standins

import (
	"io"
	"net/http"
)

// A Store is what the service needs.
type Store interface{ Load(key string) string }

// An API is a service that knows nothing of tests.
type API struct{ store Store }

// NewAPI returns a service.
func NewAPI(store Store) *API { return &API{store: store} }

// ServeHTTP has no place for a report: the test is elsewhere.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, a.store.Load(r.URL.Path))
}
