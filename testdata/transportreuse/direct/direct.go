// Package direct proves that a pool is found however the function that drops it
// makes it: by a literal, new, var, Clone, for any of the types that are pools.
package direct

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/net/http2"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// API is a client of something.
type API struct{ base string }

func (a *API) Literal(url string) error {
	tr := &http.Transport{MaxIdleConns: 10} // want `http.Transport{} makes a connection pool in each call of Literal, used and dropped: make it once and keep it in the API \(each leaves its connections and goroutines behind\)`
	client := &http.Client{Transport: tr}
	return read(client.Get(url))
}

func (a *API) Nested(url string) error {
	client := http.Client{
		Timeout:   time.Second,
		Transport: &http.Transport{MaxIdleConns: 10}, // want `http.Transport{} makes a connection pool in each call of Nested`
	}
	return read(client.Get(url))
}

func OneExpression(url string) error {
	return read((&http.Client{Transport: &http.Transport{}}).Get(url)) // want `http.Transport{} makes a connection pool in each call of OneExpression, used and dropped: make it once and keep it in a package variable`
}

func WithNew(url string) error {
	tr := new(http.Transport) // want `new makes a connection pool in each call of WithNew`
	tr.MaxIdleConns = 10
	client := new(http.Client)
	client.Transport = tr
	return read(client.Get(url))
}

func WithVar(url string) error {
	var tr http.Transport // want `var tr makes a connection pool`
	var client http.Client
	client.Transport = &tr
	return read(client.Get(url))
}

func WithLaterAssignment(url string, idle int) error {
	client := &http.Client{Timeout: time.Second}
	if idle > 0 {
		client.Transport = &http.Transport{MaxIdleConns: idle} // want `http.Transport{} makes`
	}
	return read(client.Get(url))
}

func CloneOfDefault(url string) error {
	tr := http.DefaultTransport.(*http.Transport).Clone() // want `http.DefaultTransport.\(\*http.Transport\).Clone makes a connection pool in each call of CloneOfDefault`
	tr.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	return read((&http.Client{Transport: tr}).Get(url))
}

func CloneIfPossible(url string) error {
	var tr http.RoundTripper = http.DefaultTransport
	if base, ok := tr.(*http.Transport); ok {
		own := base.Clone() // want `base.Clone makes`
		own.ResponseHeaderTimeout = time.Second
		tr = own
	}
	return read((&http.Client{Transport: tr}).Get(url))
}

func RoundTripDirectly(url string) error {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return err
	}
	tr := &http.Transport{} // want `http.Transport{} makes`
	return read(tr.RoundTrip(req))
}

func HeadLeavesAConnection(url string) error {
	client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	resp, err := client.Head(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func NeverClosed(url string) error {
	client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	_, err := client.Get(url)
	return err
}

func ReturnsBody(url string) (io.ReadCloser, error) {
	client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func ReturnsResponse(url string) (*http.Response, error) {
	tr := &http.Transport{} // want `http.Transport{} makes`
	return (&http.Client{Transport: tr}).Get(url)
}

func EitherOfTwo(url string, insecure bool) error {
	client := http.DefaultClient
	if insecure {
		client = &http.Client{Transport: &http.Transport{ // want `http.Transport{} makes`
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		}}
	}
	return read(client.Get(url))
}

func KeepAlivesAsked(url string) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: false}} // want `http.Transport{} makes`
	return read(client.Get(url))
}

func NegativeButHTTP2(url string) error {
	tr := http.Transport{MaxIdleConnsPerHost: -1, ForceAttemptHTTP2: true} // want `http.Transport{} makes`
	return read((&http.Client{Transport: &tr}).Get(url))
}

func HTTP2(url string) error {
	tr := &http2.Transport{AllowHTTP: true} // want `http2.Transport{} makes`
	return read((&http.Client{Transport: tr}).Get(url))
}

func FastHTTP(url string) error {
	c := &fasthttp.Client{MaxIdleConnDuration: time.Hour} // want `fasthttp.Client{} makes`
	_, _, err := c.Get(nil, url)
	return err
}

func FastHTTPVar(url string) error {
	var c fasthttp.Client // want `var c makes`
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	return c.Do(req, resp)
}

type embedded struct {
	http.Transport
	calls int
}

func Embedded(url string) error {
	tr := &embedded{calls: 1} // want `embedded{} makes`
	return read((&http.Client{Transport: tr}).Get(url))
}

func ReverseProxy(w http.ResponseWriter, r *http.Request) {
	to, _ := url.Parse(r.Header.Get("X-To"))
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport = &http.Transport{ResponseHeaderTimeout: time.Second} // want `http.Transport{} makes`
	proxy.ServeHTTP(w, r)
}

func ReverseProxyLiteral(w http.ResponseWriter, r *http.Request) {
	to, _ := url.Parse(r.Header.Get("X-To"))
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(p *httputil.ProxyRequest) { p.SetURL(to) },
		Transport: &http.Transport{ResponseHeaderTimeout: time.Second}, // want `http.Transport{} makes`
	}
	proxy.ServeHTTP(w, r)
}

func InAStruct(url string) error {
	x := struct{ c *http.Client }{&http.Client{Transport: &http.Transport{}}} // want `http.Transport{} makes`
	return read(x.c.Get(url))
}

func InAMap(url string) error {
	clients := map[string]*http.Client{}
	clients["a"] = &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	return read(clients["a"].Get(url))
}

func InAGoroutine(url string) error {
	errs := make(chan error)
	client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	go func() { errs <- read(client.Get(url)) }()
	return <-errs
}

func MadeInAGoroutine(url string) error {
	errs := make(chan error, 1)
	go func() {
		client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes a connection pool in each call of this function`
		errs <- read(client.Get(url))
	}()
	err := <-errs
	return err
}

func OnOnePath(url string, twice bool) error {
	client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	if !twice {
		return read(http.Get(url))
	}
	if err := read(client.Get(url)); err != nil {
		return err
	}
	return read(client.Get(url))
}

// A dial function of its own makes a connection for each pool.
func DialsItself(url string) error {
	tr := &http.Transport{ // want `http.Transport{} makes a connection pool in each call of DialsItself`
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}
	return read((&http.Client{Transport: tr}).Get(url))
}
