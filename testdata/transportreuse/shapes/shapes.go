// Package shapes proves that the fault is seen in the shapes in which programs have
// it: spread over helpers, switches, recursion, sessions, and that their right
// neighbours are left alone.
package shapes

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"fixtures/transportreuse/makers/lib"

	"github.com/cenkalti/backoff/v4"
	"golang.org/x/oauth2"
	"k8s.io/apimachinery/pkg/util/wait"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// Server has handlers.
type Server struct {
	Insecure bool
	mu       sync.Mutex
	clients  map[string]*http.Client
}

func (s *Server) Handle(w http.ResponseWriter, r *http.Request) {
	c := s.pick() // want `s.pick makes`
	read(c.Get(r.Header.Get("X-To")))
}

func (s *Server) pick() *http.Client {
	tr := http.DefaultTransport.(*http.Transport)
	if s.Insecure {
		tr = tr.Clone()
		tr.MaxIdleConns = 1
	}
	return &http.Client{Transport: tr}
}

func (s *Server) Switch(url, kind string) error {
	var rt http.RoundTripper
	switch kind {
	case "own":
		rt = &http.Transport{} // want `http.Transport{} makes`
	default:
		rt = http.DefaultTransport
	}
	return read((&http.Client{Transport: rt}).Get(url))
}

func (s *Server) Recursive(url string, n int) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	if err := read(c.Get(url)); err != nil && n > 0 {
		return s.Recursive(url, n-1)
	}
	return nil
}

func (s *Server) Goto(url string) error {
	n := 0
again:
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	if err := read(c.Get(url)); err != nil && n < 3 {
		n++
		goto again
	}
	return nil
}

func (s *Server) Backoff(url string) error {
	return backoff.Retry(func() error {
		c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
		return read(c.Get(url))
	}, backoff.NewExponentialBackOff())
}

// RunPoller runs once; what it polls with does not.
func RunPoller(ctx context.Context, url string) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
		read(c.Get(url))
	}, time.Second)
}

// CacheInClosure keeps a client a host, in the handler.
func CacheInClosure() http.HandlerFunc {
	cache := map[string]*http.Client{}
	return func(w http.ResponseWriter, r *http.Request) {
		c, ok := cache[r.Host]
		if !ok {
			c = &http.Client{Transport: &http.Transport{}}
			cache[r.Host] = c
		}
		read(c.Get(r.Header.Get("X-To")))
	}
}

// Workers has a client a worker.
func Workers(jobs <-chan string) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			c := &http.Client{Transport: &http.Transport{}}
			for url := range jobs {
				read(c.Get(url))
			}
		})
	}
	wg.Wait()
}

func WorkersOfOne(urls ...string) {
	var wg sync.WaitGroup
	for _, url := range urls {
		wg.Go(func() {
			c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
			read(c.Get(url))
		})
	}
	wg.Wait()
}

func (s *Server) proxyTo(u *url.URL) *httputil.ReverseProxy {
	p := httputil.NewSingleHostReverseProxy(u)
	p.Transport = &http.Transport{}
	return p
}

func (s *Server) Proxy(w http.ResponseWriter, r *http.Request) {
	to, _ := url.Parse(r.Header.Get("X-To"))
	s.proxyTo(to).ServeHTTP(w, r) // want `s.proxyTo makes`
}

// ProxyHandler makes the proxy where the routes are made.
func (s *Server) ProxyHandler(u *url.URL) http.Handler { return s.proxyTo(u) }

func (s *Server) client(host string) *http.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.clients[host]
	if c == nil {
		c = &http.Client{Transport: &http.Transport{}}
		if s.clients == nil {
			s.clients = make(map[string]*http.Client)
		}
		s.clients[host] = c
	}
	return c
}

func (s *Server) Cached(url string) error { return read(s.client("").Get(url)) }

// Plugin makes its client from its options.
type Plugin struct{ Bad bool }

func (p Plugin) client() (*http.Client, error) {
	tr := &http.Transport{}
	if p.Bad {
		return nil, fmt.Errorf("bad")
	}
	return &http.Client{Transport: tr, Timeout: time.Second}, nil
}

func (p Plugin) Notify(url string) error {
	c, err := p.client() // want `p.client makes`
	if err != nil {
		return err
	}
	resp, err := c.Post(url, "text/plain", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s", text)
	}
	return nil
}

func (p Plugin) Tick(ctx context.Context, url string) {
	t := time.NewTicker(time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			c, err := p.client() // want `p.client makes a connection pool in each iteration of the loop`
			if err != nil {
				continue
			}
			if err := read(c.Get(url)); err != nil {
				continue
			}
		}
	}
}

// Session keeps the client that it logs in with.
type Session struct{ c *http.Client }

func (s *Session) Login(url string) error {
	s.c = &http.Client{Transport: &http.Transport{}}
	return read(s.c.Get(url))
}

func (s *Server) SessionPerCall(url string) error {
	session := &Session{}
	if err := session.Login(url); err != nil { // want `session.Login makes`
		return err
	}
	return read(session.c.Get(url))
}

func (s *Server) Pages(urls ...string) (pages []string, err error) {
	for _, u := range urls {
		c := http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
		resp, err := c.Get(u)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		pages = append(pages, string(text))
	}
	return pages, nil
}

func (s *Server) CopyOfClient(url string) error {
	c := *http.DefaultClient
	c.Transport = &http.Transport{} // want `http.Transport{} makes`
	return read(c.Get(url))
}

// SetsUpDefault changes the shared Transport, which is another fault.
func (s *Server) SetsUpDefault(url string) error {
	http.DefaultTransport.(*http.Transport).ResponseHeaderTimeout = time.Minute
	return read(http.Get(url))
}

// Request is what a request may be told; it may bring a client.
type Request struct {
	Client  *http.Client
	Timeout time.Duration
}

func (r Request) client() *http.Client {
	if r.Client != nil {
		return r.Client
	}
	if r.Timeout == 0 {
		return http.DefaultClient
	}
	return &http.Client{Transport: &http.Transport{ResponseHeaderTimeout: r.Timeout}}
}

func send(url string, r *Request, c *http.Client) error {
	if r == nil {
		r = &Request{}
	}
	if c == nil {
		c = r.client() // want `r.client makes`
	}
	return read(c.Get(url))
}

// Send leaves it to send.
func Send(url string, r *Request) error { return send(url, r, nil) }

// Refresh runs again and again, and newTickets whenever it does, though it is called
// like a constructor.
func (s *Server) Refresh(url string) error {
	tickets, err := s.newTickets(url)
	if err != nil {
		return err
	}
	fmt.Fprintln(io.Discard, len(tickets))
	return nil
}

func (s *Server) newTickets(url string) ([]byte, error) {
	return s.initTickets(url)
}

func (s *Server) initTickets(url string) ([]byte, error) {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// LoadPage loads, but nothing to set up.
func (s *Server) LoadPage(url string) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	return read(c.Get(url))
}

// Login gives oauth2 its client by way of the context.
func (s *Server) Lent(send func(*http.Client, string) error, url string) error {
	return send(&http.Client{Transport: &http.Transport{}}, url) // want `http.Transport{} makes`
}

func (s *Server) Login(url string) (string, error) {
	tr := &http.Transport{} // want `http.Transport\{\} makes`
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: tr})
	conf := oauth2.Config{Endpoint: oauth2.Endpoint{TokenURL: url}}
	token, err := conf.Exchange(ctx, "code")
	if err != nil {
		return "", err
	}
	return token.AccessToken, nil
}

// LoginOnce gives it and closes it.
func (s *Server) LoginOnce(url string) error {
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: tr})
	conf := oauth2.Config{Endpoint: oauth2.Endpoint{TokenURL: url}}
	return read(conf.Client(ctx, &oauth2.Token{AccessToken: "a"}).Get(url))
}

// Authorized gets a client from oauth2 that has the pool.
func (s *Server) Authorized(url string) error {
	tr := &http.Transport{} // want `http.Transport\{\} makes`
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: tr})
	conf := oauth2.Config{Endpoint: oauth2.Endpoint{TokenURL: url}}
	return read(conf.Client(ctx, &oauth2.Token{AccessToken: "a"}).Get(url))
}

// Token asks for a token only, which does not hold the pool.
func (s *Server) Token(url string) (*oauth2.Token, error) {
	tr := &http.Transport{} // want `http.Transport\{\} makes`
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: tr})
	return (&oauth2.Config{Endpoint: oauth2.Endpoint{TokenURL: url}}).Exchange(ctx, "code")
}

type optioned struct{ c http.Client }

func withTransport(rt http.RoundTripper) func(*optioned) {
	return func(o *optioned) { o.c.Transport = rt }
}

func newOptioned(options ...func(*optioned)) *optioned {
	o := new(optioned)
	for _, option := range options {
		option(o)
	}
	return o
}

func (o *optioned) get(url string) error { return read(o.c.Get(url)) }

// Option gives the pool by an option.
func (s *Server) Option(url string) error {
	return newOptioned(withTransport(&http.Transport{})).get(url) // want `http.Transport\{\} makes`
}

var optionTransport = &http.Transport{}

func (s *Server) OptionOfOne(url string) error {
	return newOptioned(withTransport(optionTransport)).get(url)
}

func withNewTransport() func(*optioned) {
	return func(o *optioned) { o.c.Transport = &http.Transport{MaxIdleConnsPerHost: 4} }
}

func withTransportIfNone() func(*optioned) {
	return func(o *optioned) {
		if o.c.Transport == nil {
			o.c.Transport = optionTransport
		}
	}
}

func (s *Server) OptionThatMakes(url string) error {
	return newOptioned(withNewTransport()).get(url) // want `withNewTransport makes`
}

func (s *Server) OptionThatMakesNone(url string) error {
	return newOptioned(withTransportIfNone()).get(url)
}

// twins are two clients, of which one only may be new.
type twins struct{ api, files *http.Client }

func newTwins(rt http.RoundTripper) *twins {
	return &twins{api: &http.Client{Transport: rt}, files: &http.Client{Timeout: time.Second}}
}

func (t *twins) call(url string) error  { return read(t.api.Get(url)) }
func (t *twins) fetch(url string) error { return read(t.files.Get(url)) }

func (s *Server) FreshTwin(url string) error {
	return newTwins(&http.Transport{}).call(url) // want `http.Transport\{\} makes`
}

func (s *Server) OtherTwin(url string) error {
	return newTwins(&http.Transport{}).fetch(url)
}

func (s *Server) TwinOfTwo(url string) error {
	t := twins{
		api:   &http.Client{Transport: &http.Transport{}}, // want `http.Transport\{\} makes`
		files: &http.Client{Transport: &http.Transport{}},
	}
	return read(t.api.Get(url))
}

func (s *Server) SetTwin(url string) error {
	t := newTwins(nil)
	t.files = &http.Client{Transport: &http.Transport{}}
	t.api = &http.Client{Transport: &http.Transport{}} // want `http.Transport\{\} makes`
	return t.call(url)
}

// ByService sends by what the client has built on its options.
func (s *Server) ByService(url string) error {
	sdk := lib.NewSDK(lib.WithSDKTransport(&http.Transport{})) // want `http.Transport\{\} makes`
	return sdk.Things.Get(url)
}

func (s *Server) ByServiceOfOne(url string) error {
	return lib.NewSDK(lib.WithSDKTransport(optionTransport)).Things.Get(url)
}

var sharedClient = &http.Client{Transport: optionTransport}

func (s *Server) GivenToALibrary(url string) error {
	cfg := &lib.Config{Client: sharedClient}
	return lib.NewSetUp(cfg).Get(url)
}

func (s *Server) NotGivenToALibrary(url string) error {
	return lib.NewSetUp(&lib.Config{Insecure: true}).Get(url) // want `lib.NewSetUp makes`
}
