// Package served proves that a handler is found by each way to serve it.
package served

import (
	"expvar"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// get sends a request, and does not mind the answer.
func get(client *http.Client, url string) {
	resp, err := client.Get(url)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func TestNewServer(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}))
	defer srv.Close()
	get(srv.Client(), srv.URL)
}

func TestNewTLSServer(t *testing.T) {
	h := func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}
	srv := httptest.NewTLSServer(http.HandlerFunc(h))
	defer srv.Close()
	get(srv.Client(), srv.URL)
}

func TestNewUnstartedServer(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	get(srv.Client(), srv.URL)
}

func TestConfigHandler(t *testing.T) {
	srv := httptest.NewUnstartedServer(nil)
	srv.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	srv.Start()
	defer srv.Close()
	get(srv.Client(), srv.URL)
}

func TestNeverStarted(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("not reached")
	}))
	srv.Listener.Close()
}

func TestLiteralServer(t *testing.T) {
	ln := listen(t)
	srv := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})}
	go srv.Serve(ln)
	defer srv.Close()
	get(http.DefaultClient, "http://"+ln.Addr().String())
}

func TestVarServer(t *testing.T) {
	ln := listen(t)
	var srv http.Server
	srv.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	go func() {
		srv.Serve(ln)
	}()
	defer srv.Close()
	get(http.DefaultClient, "http://"+ln.Addr().String())
}

func TestServeFunction(t *testing.T) {
	ln := listen(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	go http.Serve(ln, mux)
	get(http.DefaultClient, "http://"+ln.Addr().String())
}

func TestDefaultMux(t *testing.T) {
	ln := listen(t)
	http.HandleFunc("/default", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	go http.Serve(ln, nil)
	get(http.DefaultClient, "http://"+ln.Addr().String()+"/default")
}

func TestNestedMux(t *testing.T) {
	inner := http.NewServeMux()
	outer := http.NewServeMux()
	outer.Handle("/api/", http.StripPrefix("/api", inner))
	outer.Handle("/vars", expvar.Handler())
	srv := httptest.NewServer(outer)
	defer srv.Close()
	inner.HandleFunc("/x", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	get(srv.Client(), srv.URL+"/api/x")
}

func TestForwarded(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r)
	}))
	defer srv.Close()
	get(srv.Client(), srv.URL)
}

func TestTimeoutHandler(t *testing.T) {
	h := http.TimeoutHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}), 50*time.Millisecond, "late")
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

func TestLoopOfServers(t *testing.T) {
	for _, path := range []string{"/a", "/b"} {
		t.Run(path, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.URL.Path == path {
					t.Fatal(path) // want `t.Fatal ends`
				}
			}))
			defer srv.Close()
			get(srv.Client(), srv.URL+path)
		})
	}
}

func TestListenerSwapped(t *testing.T) {
	srv := &httptest.Server{
		Listener: listen(t),
		Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			t.Fatal("a") // want `t.Fatal ends`
		})},
	}
	srv.StartTLS()
	defer srv.Close()
	get(srv.Client(), srv.URL)
}

func TestTwoServers(t *testing.T) {
	back := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}))
	defer back.Close()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, err := url.Parse(back.URL)
		if err != nil {
			t.Error(err)
			return
		}
		get(http.DefaultClient, u.String())
	}))
	defer front.Close()
	get(front.Client(), front.URL)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// fake is a test and a handler at once.
type fake struct{ *testing.T }

func (f fake) ServeHTTP(http.ResponseWriter, *http.Request) {
	f.Fatal("a") // want `f.Fatal ends`
}

func TestHandlerThatEmbedsTheTest(t *testing.T) {
	srv := httptest.NewServer(fake{t})
	defer srv.Close()
	get(srv.Client(), srv.URL)
}

// The handler of a server that runs is replaced.
func TestHandlerReplaced(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	get(srv.Client(), srv.URL)
	srv.Close()
}

// A nil handler is http.DefaultServeMux.
func TestNilHandler(t *testing.T) {
	http.HandleFunc("/{$}", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	srv := httptest.NewServer(nil)
	get(srv.Client(), srv.URL)
	srv.Close()
}

// The method that serves is given to a function that starts a goroutine.
func TestServedByAGroup(t *testing.T) {
	ln := listen(t)
	ln.Close()
	srv := &http.Server{Addr: ln.Addr().String(), Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})}
	var g errgroup.Group
	g.Go(srv.ListenAndServe)
	time.Sleep(100 * time.Millisecond)
	get(http.DefaultClient, "http://"+srv.Addr)
	srv.Close()
}

// A handler has a group do its work: that is no test's goroutine either.
func TestGroupOfAHandler(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		var g errgroup.Group
		g.Go(func() error {
			t.Fatal("a") // want `t.Fatal ends`
			return nil
		})
		_ = g.Wait()
	}))
	defer srv.Close()
	get(srv.Client(), srv.URL)
}
