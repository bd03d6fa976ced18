// Package hooks proves that what a server calls besides its handler is found: hooks
// of the server and of a served proxy, and what is wrapped around a handler's writer
// and body.
package hooks

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// get sends a request, and does not mind the answer.
func get(srv *httptest.Server) {
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func backend(t *testing.T) *url.URL {
	srv := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestProxyHooks(t *testing.T) {
	u := backend(t)
	get(httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			t.Fatal("a") // want `t.Fatal ends`
		},
	}))
	get(httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) },
		ModifyResponse: func(r *http.Response) error {
			t.Fatal(r.Status) // want `t.Fatal ends`
			return nil
		},
	}))
	get(httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "none"}) },
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			t.Fatal(err) // want `t.Fatal ends`
		},
	}))
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.Transport = tripper(func(r *http.Request) (*http.Response, error) {
		t.Fatal(r.URL) // want `t.Fatal ends`
		return nil, nil
	})
	get(httptest.NewServer(proxy))
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestServerHooks(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateActive {
			t.Fatal(s) // want `t.Fatal ends`
		}
	}
	srv.Start()
	resp, err := srv.Client().Get(srv.URL)
	if err == nil {
		resp.Body.Close()
	}
	srv.CloseClientConnections()
}

func TestTLSHook(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		t.Fatal(hello.ServerName) // want `t.Fatal ends`
		return nil, nil
	}}
	srv.StartTLS()
	get(srv)
}

// logWriter fails the test on any log.
type logWriter struct{ t *testing.T }

func (w logWriter) Write(p []byte) (int, error) {
	w.t.Fatal(string(p)) // want `w.t.Fatal ends`
	return len(p), nil
}

func TestErrorLog(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic("to be logged")
	}))
	srv.Config.ErrorLog = log.New(logWriter{t}, "", 0)
	srv.Start()
	client := srv.Client()
	client.Timeout = 200 * time.Millisecond
	client.Get(srv.URL) // in vain; srv.Close would wait for the connection for ever
}

// strictWriter is wrapped around a server's writer.
type strictWriter struct {
	http.ResponseWriter
	t *testing.T
}

func (w strictWriter) WriteHeader(code int) {
	w.t.Fatal(code) // want `w.t.Fatal ends`
}

// strictBody is wrapped around a server's body.
type strictBody struct {
	io.ReadCloser
	t *testing.T
}

func (b strictBody) Read(p []byte) (int, error) {
	b.t.Fatal("read") // want `b.t.Fatal ends`
	return 0, io.EOF
}

func TestWrappers(t *testing.T) {
	get(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NotFound(strictWriter{w, t}, r)
	})))
	get(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = strictBody{r.Body, t}
		io.ReadAll(r.Body)
	})))
}

// A fake transport of a client that a handler uses runs where the handler does.
func TestClientInHandler(t *testing.T) {
	client := &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		t.Fatal(r.URL) // want `t.Fatal ends`
		return nil, nil
	})}
	get(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client.Get("http://none.test")
	})))
}

// A library's hook runs where the handler calls the library.
func TestUpgrader(t *testing.T) {
	up := websocket.Upgrader{CheckOrigin: func(r *http.Request) bool {
		t.Fatal(r.Header) // want `t.Fatal ends`
		return true
	}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		up.Upgrade(w, r, nil)
	}))
	defer srv.Close()
	websocket.DefaultDialer.Dial("ws"+srv.URL[len("http"):], nil)
}

// It is not called by what does not ask for it.
func TestUpgraderUnused(t *testing.T) {
	up := websocket.Upgrader{Error: func(http.ResponseWriter, *http.Request, int, error) {
		t.Fatal("not called")
	}}
	get(httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if up.WriteBufferSize > 0 {
			w.WriteHeader(http.StatusTeapot)
		}
	})))
}

func TestRegisterOnShutdown(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	ended := make(chan bool)
	srv.Config.RegisterOnShutdown(func() {
		defer close(ended)
		t.Skip("a") // want `t.Skip ends`
	})
	srv.Config.Shutdown(t.Context())
	<-ended
	srv.Close()
}
