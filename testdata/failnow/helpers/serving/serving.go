// Package serving has helpers that serve what they are given.
package serving

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Start serves its parameter.
func Start(t testing.TB, h http.Handler) string {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// StartFunc serves a function, by way of Start.
func StartFunc(t testing.TB, h func(w http.ResponseWriter, r *http.Request)) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/", h)
	return Start(t, mux)
}

// Setup returns a mux that is served.
func Setup(t testing.TB) (*http.ServeMux, string) {
	mux := http.NewServeMux()
	return mux, Start(t, mux)
}

// A Fake is a server with handlers to be set.
type Fake struct {
	srv      *httptest.Server
	handlers map[string]http.HandlerFunc
}

// NewFake returns a fake that is served.
func NewFake(t testing.TB) *Fake {
	f := &Fake{handlers: make(map[string]http.HandlerFunc)}
	f.srv = httptest.NewServer(f)
	t.Cleanup(f.srv.Close)
	return f
}

// ServeHTTP runs the handler of the request's path.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := f.handlers[r.URL.Path]; h != nil {
		h(w, r)
	}
}

// URL returns where the fake listens.
func (f *Fake) URL() string { return f.srv.URL }

// Handle sets a handler.
func (f *Fake) Handle(path string, h http.HandlerFunc) { f.handlers[path] = h }

// A Lazy is served only by Start.
type Lazy struct{ Handler http.Handler }

// Start serves the handler.
func (l *Lazy) Start(t testing.TB) string { return Start(t, l.Handler) }

// Record calls its parameter with a recorder.
func Record(h http.Handler) {
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

// Each calls its parameter at once.
func Each(paths []string, f func(path string)) {
	for _, path := range paths {
		f(path)
	}
}

// Get sends a request, and does not mind the answer.
func Get(url string) {
	resp, err := http.Get(url)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// Must ends the test.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
