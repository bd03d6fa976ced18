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

// Refuse makes a handler that ends the test.
func Refuse(t testing.TB) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) { t.Fatal(r.URL) }
}

// Wrap makes a handler that ends the test if next answers.
func Wrap(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		Refuse(t)(w, r)
	})
}

// A Strict is a handler that ends its test.
type Strict struct{ t testing.TB }

// NewStrict makes a Strict.
func NewStrict(t testing.TB) *Strict {
	s := &Strict{t}
	return s
}

// ServeHTTP ends the test.
func (s *Strict) ServeHTTP(_ http.ResponseWriter, r *http.Request) { s.t.Fatal(r.URL) }

// Mux returns a new mux.
func Mux() http.Handler { return http.NewServeMux() }

// Checked returns a handler, and a function for the test to call.
func Checked(t testing.TB) (http.Handler, func()) {
	return http.NotFoundHandler(), func() { t.Skip("checked") }
}

// A Config is what Run serves, and what it calls.
type Config struct {
	Handler   http.Handler
	OnRequest func(*http.Request)
	Verify    func(testing.TB) // called by Run when the test is over
}

// Run serves the handler of a Config.
func Run(t testing.TB, cfg Config) string {
	t.Cleanup(func() {
		if cfg.Verify != nil {
			cfg.Verify(t)
		}
	})
	return Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cfg.OnRequest != nil {
			cfg.OnRequest(r)
		}
		cfg.Handler.ServeHTTP(w, r)
	}))
}

// RunAll serves the handlers of Configs, and sends a request to each.
func RunAll(t testing.TB, configs []Config) {
	for _, cfg := range configs {
		Get(Start(t, cfg.Handler))
		cfg.Verify(t)
	}
}

// A Mock has a function for each of its methods.
type Mock struct {
	LoadFunc func(string) string
	SaveFunc func(string)
}

// Load calls LoadFunc.
func (m *Mock) Load(key string) string {
	if m.LoadFunc == nil {
		panic("Load: no LoadFunc")
	}
	return m.LoadFunc(key)
}

// Save calls SaveFunc.
func (m *Mock) Save(key string) { m.SaveFunc(key) }

// A Watch is a server that has hooks.
type Watch struct{ hooks []func(*http.Request) }

// An Option changes a Watch.
type Option func(*Watch)

// NewWatch applies the options.
func NewWatch(options ...Option) *Watch {
	w := new(Watch)
	for _, option := range options {
		if option != nil {
			option(w)
		}
	}
	return w
}

// OnRequest has f called for each request.
func OnRequest(f func(*http.Request)) Option {
	return func(w *Watch) { w.hooks = append(w.hooks, f) }
}

// OnNew has f called by NewWatch.
func OnNew(f func(*Watch)) Option {
	return func(w *Watch) {
		if f != nil {
			f(w)
		}
	}
}

// Start serves the Watch.
func (w *Watch) Start(t testing.TB) string { return Start(t, w) }

// ServeHTTP calls the hooks.
func (w *Watch) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	for _, hook := range w.hooks {
		hook(r)
	}
}

// Twice returns a middleware that calls a handler twice.
func Twice() func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			next.ServeHTTP(w, r)
		})
	}
}
