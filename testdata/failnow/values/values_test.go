// Package values proves that handlers are followed through the places that hold
// them: variables, fields, tables, method values, closures and wrappers.
package values

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

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

func TestTable(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
	}{
		{name: "a", handler: func(http.ResponseWriter, *http.Request) {
			t.Fatal("a") // want `t.Fatal ends`
		}},
		{"b", func(http.ResponseWriter, *http.Request) {
			t.Error("b")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { get(tt.handler) })
	}
}

func TestTableOfMakers(t *testing.T) {
	for name, mk := range map[string]func(t *testing.T) http.Handler{
		"a": func(t *testing.T) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				t.Fatal("a") // want `t.Fatal ends`
			})
		},
	} {
		t.Run(name, func(t *testing.T) { get(mk(t)) })
	}
}

func TestRoutesInMap(t *testing.T) {
	mux := http.NewServeMux()
	for path, h := range map[string]http.HandlerFunc{
		"/": func(http.ResponseWriter, *http.Request) {
			t.Fatal("a") // want `t.Fatal ends`
		},
	} {
		mux.HandleFunc(path, h)
	}
	get(mux)
}

// fixture is a fake service.
type fixture struct {
	t       *testing.T
	onError func(string)
	hooks   []func()
	next    http.Handler
}

func (f *fixture) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.onError != nil {
		f.onError(r.URL.Path)
	}
	for _, hook := range f.hooks {
		hook()
	}
	if f.next != nil {
		f.next.ServeHTTP(w, r)
	}
}

func (f *fixture) method(http.ResponseWriter, *http.Request) {
	f.t.Fatal("method") // want `f.t.Fatal ends`
}

func (f fixture) byValue(http.ResponseWriter, *http.Request) {
	require.True(f.t, false) // want `require.True may call FailNow, which ends`
}

func TestFixtures(t *testing.T) {
	get(&fixture{onError: func(path string) {
		t.Fatal(path) // want `t.Fatal ends`
	}})
	f := &fixture{}
	f.hooks = append(f.hooks, func() {
		t.Fatal("hook") // want `t.Fatal ends`
	})
	get(f)
	get(&fixture{next: http.HandlerFunc((&fixture{t: t}).method)})
	get(http.HandlerFunc(fixture{t: t}.byValue))
	get(&fixture{onError: func(path string) { t.Log(path) }})
}

// embedding promotes a handler.
type embedding struct {
	*fixture
	http.Handler
}

func (e embedding) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.Handler.ServeHTTP(w, r) }

func TestEmbedded(t *testing.T) {
	get(embedding{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})})
	get(struct{ http.Handler }{http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})})
}

// ownFunc is a handler type of one's own.
type ownFunc func(w http.ResponseWriter, r *http.Request) error

func (f ownFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := f(w, r); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func TestOwnFunc(t *testing.T) {
	get(ownFunc(func(http.ResponseWriter, *http.Request) error {
		t.Fatal("a") // want `t.Fatal ends`
		return nil
	}))
}

func logging(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
	})
}

func status(code int) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			next.ServeHTTP(w, r)
		})
	}
}

func chain(h http.Handler, wrap ...func(http.Handler) http.Handler) http.Handler {
	for _, w := range wrap {
		h = w(h)
	}
	return h
}

func TestMiddleware(t *testing.T) {
	get(logging(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})))
	get(chain(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}), logging, status(418)))
}

func TestSwapped(t *testing.T) {
	var h http.HandlerFunc
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h(w, r) }))
	defer srv.Close()
	h = func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}
	if resp, err := srv.Client().Get(srv.URL); err == nil {
		resp.Body.Close()
	}
}

func TestAtomic(t *testing.T) {
	var current atomic.Value
	current.Store(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}))
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		current.Load().(http.HandlerFunc)(w, r)
	}))
}

func TestQueueOfResponders(t *testing.T) {
	queue := make(chan http.HandlerFunc, 1)
	queue <- func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(<-queue)(w, r)
	}))
}

func TestPointerToVariable(t *testing.T) {
	var h http.HandlerFunc
	set := func(p *http.HandlerFunc) {
		*p = func(http.ResponseWriter, *http.Request) {
			t.Fatal("a") // want `t.Fatal ends`
		}
	}
	set(&h)
	get(h)
}

func respond(t *testing.T, code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			t.Fatalf("%s, %d", r.Method, code) // want `t.Fatalf ends`
		}
	}
}

func TestReturned(t *testing.T) {
	get(respond(t, 200))
}

type option func(*config)

type config struct{ handler http.Handler }

func withHandler(h http.Handler) option {
	return func(c *config) { c.handler = h }
}

func start(opts ...option) {
	c := &config{handler: http.NotFoundHandler()}
	for _, o := range opts {
		o(c)
	}
	get(c.handler)
}

func TestOptions(t *testing.T) {
	start(withHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})))
}

func handlerOf[T any](f func(T)) http.Handler {
	return http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		var zero T
		f(zero)
	})
}

func TestGeneric(t *testing.T) {
	get(handlerOf(func(s string) {
		t.Fatal(s) // want `t.Fatal ends`
	}))
}

func TestClosureInClosure(t *testing.T) {
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatal(fmt.Sprintf(format, args...))
	}
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		func() {
			fail("%s", r.Method) // want `fail calls t.Fatal: it ends`
		}()
	}))
	if testing.Short() {
		fail("short")
	}
}

func TestDeferred(t *testing.T) {
	get(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			t.Fatal("a") // want `t.Fatal ends`
		}()
	}))
}

type testKey struct{}

func TestTestInContext(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		tb := r.Context().Value(testKey{}).(testing.TB)
		tb.Fatal("a") // want `tb.Fatal ends`
	}))
	srv.Config.BaseContext = func(net.Listener) context.Context { return context.WithValue(context.Background(), testKey{}, t) }
	srv.Start()
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL)
	if err == nil {
		resp.Body.Close()
	}
}

// shared is a router of the package, with a value of its own.
var shared = http.NewServeMux()

func TestPackageVariable(t *testing.T) {
	shared.HandleFunc("/", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	get(shared)
}
