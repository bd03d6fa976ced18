// Package falsepos proves that a test may be ended on its own goroutine, though the
// code looks like a handler's, and that what ends no test may be called anywhere.
package falsepos

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// get serves h, sends a request, and does not mind the answer.
func get(h http.Handler) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func record(h http.Handler) {
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

// A recorder runs the handler on the goroutine that calls it.
func TestRecorded(t *testing.T) {
	record(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a")
	}))
}

func TestRecordedMux(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {
		require.True(t, false)
	})
	record(http.StripPrefix("", mux))
}

// The same helpers serve one handler and record the other.
func TestServedAndRecorded(t *testing.T) {
	wrap := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) })
	}
	get(wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Log("served")
	})))
	record(wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("recorded")
	})))
}

type handlerTransport struct{ h http.Handler }

func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	t.h.ServeHTTP(rec, r)
	return rec.Result(), nil
}

// The transport of a client runs on the goroutine that calls the client.
func TestInProcessClient(t *testing.T) {
	client := &http.Client{Transport: handlerTransport{http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a")
	})}}
	client.Get("http://none.test")
}

func TestCheckRedirect(t *testing.T) {
	srv := httptest.NewServer(http.RedirectHandler("/again", http.StatusFound))
	defer srv.Close()
	client := srv.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error {
		t.Fatal("redirected")
		return nil
	}
	client.Get(srv.URL)
}

func TestProxyFunction(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	client := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
		t.Fatal("asked")
		return nil, nil
	}}}
	client.Get(srv.URL)
}

// What only marks the test.
func TestMarks(t *testing.T) {
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !assert.Equal(t, "POST", r.Method) {
			http.Error(w, "method", http.StatusMethodNotAllowed)
			return
		}
	}))
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s", r.Method)
	}))
}

// A logger has the names of a test.
type logger struct{ failed []string }

func (l *logger) Errorf(format string, args ...any) { l.failed = append(l.failed, format) }
func (l *logger) Fatalf(format string, args ...any) { l.failed = append(l.failed, format) }
func (l *logger) Fatal(args ...any)                 { l.failed = append(l.failed, "fatal") }

type fatalLogger interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

func check(l fatalLogger, r *http.Request) {
	if r.Method != "POST" {
		l.Fatalf("%s", r.Method)
	}
}

func TestLogger(t *testing.T) {
	l := new(logger)
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.Fatal("a")
		check(l, r)
	}))
	check(t, &http.Request{Method: "POST"})
}

// fakeT is a test whose FailNow lets the goroutine run on.
type fakeT struct{ failed bool }

func (f *fakeT) Errorf(string, ...any) {}
func (f *fakeT) FailNow()              { f.failed = true }

func TestFakeT(t *testing.T) {
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := new(fakeT)
		require.Equal(f, "POST", r.Method)
		require.New(f).Equal("POST", r.Method)
		if !f.failed {
			t.Error("not failed")
		}
	}))
}

// log.Fatal ends the process: another fault.
func TestLogFatal(t *testing.T) {
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "" {
			log.Fatal("no method")
		}
	}))
}

// What the handler makes, and the test runs.
func TestHandedBack(t *testing.T) {
	checks := make(chan func(), 1)
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		checks <- func() {
			t.Fatal(r.Method)
		}
	}))
	(<-checks)()
}

func TestHandedBackField(t *testing.T) {
	var state struct {
		sync.Mutex
		err    error
		verify func()
	}
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		state.Lock()
		defer state.Unlock()
		state.err = errors.New(r.Method)
		state.verify = func() {
			t.Fatal(state.err)
		}
	}))
	state.verify()
}

func TestCleanup(t *testing.T) {
	get(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Cleanup(func() {
			t.Fatal("cleanup")
		})
	}))
}

func TestRunInHandler(t *testing.T) {
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Run("sub", func(t *testing.T) {
			t.Fatal("sub")
		})
	}))
}

// Temporary directories fail where the machine does.
func TestTempDir(t *testing.T) {
	get(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Log(t.TempDir())
	}))
}

// A callback of the test that is given a served thing.
func TestCallbacksOfTheTest(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	servers := []*httptest.Server{srv}
	slices.SortFunc(servers, func(a, b *httptest.Server) int {
		return strings.Compare(a.URL, b.URL)
	})
	if slices.ContainsFunc(servers, func(s *httptest.Server) bool { return s.URL == "" }) {
		t.Fatal("no URL")
	}
	slices.IndexFunc(servers, func(s *httptest.Server) bool {
		t.Fatal(s.URL)
		return true
	})
}

// A method has the form of a handler, and only the test calls it.
type fixture struct{ t *testing.T }

func (f *fixture) handle(http.ResponseWriter, *http.Request) {
	f.t.Fatal("direct")
}

func (f *fixture) serve(http.ResponseWriter, *http.Request) {}

func TestDirect(t *testing.T) {
	f := &fixture{t}
	get(http.HandlerFunc(f.serve))
	f.handle(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

// The base context and the values of a server are no functions.
func TestBaseContext(t *testing.T) {
	type key struct{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f, ok := r.Context().Value(key{}).(func()); ok {
			f()
		}
	}))
	defer srv.Close()
	ctx := context.WithValue(t.Context(), key{}, func() { t.Fatal("in place") })
	ctx.Value(key{}).(func())()
}

// What ginkgo gives for a test panics.
func specs() {
	t := ginkgo.GinkgoT()
	get(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		defer ginkgo.GinkgoRecover()
		require.Equal(t, "GET", r.Method)
	}))
}

var _ = specs
