// Package lib makes clients for others.
package lib

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"time"
)

// API has a client of its own.
type API struct {
	hc   *http.Client
	base string
}

// New makes an API.
func New(base string) *API {
	return &API{base: base, hc: NewHTTP(time.Second)}
}

// NewHTTP makes a client with a pool.
func NewHTTP(d time.Duration) *http.Client {
	tr := &http.Transport{DialContext: (&net.Dialer{Timeout: d}).DialContext}
	return &http.Client{Transport: tr, Timeout: d}
}

// Get gets something.
func (a *API) Get(url string) error {
	resp, err := a.hc.Get(url)
	if err != nil {
		return err
	}
	return Read(resp)
}

// Read reads a body to its end.
func Read(resp *http.Response) error {
	defer resp.Body.Close()
	var buf [512]byte
	for {
		if _, err := resp.Body.Read(buf[:]); err != nil {
			return nil
		}
	}
}

// Close gives up the idle connections.
func (a *API) Close() { a.hc.CloseIdleConnections() }

// Config is what Dial takes. Without a Client there is a new one.
type Config struct {
	Client    *http.Client
	Transport http.RoundTripper
	Insecure  bool
}

// Dial makes an API with what is configured.
func Dial(cfg Config) (*API, error) {
	if cfg.Client == nil {
		cfg.Client = NewHTTP(time.Second)
	}
	return &API{hc: cfg.Client}, nil
}

// DialTransport makes an API; without a transport, it makes one.
func DialTransport(cfg *Config) (*API, error) {
	rt := cfg.Transport
	if rt == nil {
		rt = http.DefaultTransport.(*http.Transport).Clone()
	}
	return &API{hc: &http.Client{Transport: rt}}, nil
}

// DefaultConfig returns a Config with a Transport of its own.
func DefaultConfig() *Config { return &Config{Transport: &http.Transport{}} }

// DialDefaults makes an API; what is missing is as in DefaultConfig.
func DialDefaults(cfg *Config) (*API, error) {
	defaults := DefaultConfig()
	if cfg.Transport == nil {
		cfg.Transport = defaults.Transport
	}
	if cfg.Client == nil {
		cfg.Client = &http.Client{Transport: cfg.Transport}
	}
	return &API{hc: cfg.Client}, nil
}

// A Conn says how to connect.
type Conn struct{ TLS *tls.Config }

// DialConn makes a pool only where TLS is asked for.
func DialConn(c *Conn) *API {
	hc := &http.Client{}
	if c.TLS != nil {
		hc.Transport = &http.Transport{TLSClientConfig: c.TLS}
	}
	return &API{hc: hc}
}

// DialInsecure makes a pool only where it must.
func DialInsecure(insecure bool) *API {
	if !insecure {
		return &API{hc: http.DefaultClient}
	}
	return &API{hc: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
}

// Option sets something up.
type Option func(*API)

// WithClient gives the client.
func WithClient(hc *http.Client) Option { return func(a *API) { a.hc = hc } }

// WithBase gives the base.
func WithBase(base string) Option { return func(a *API) { a.base = base } }

// Build makes an API; its client may be given by an option.
func Build(opts ...Option) *API {
	a := &API{hc: NewHTTP(time.Second)}
	for _, opt := range opts {
		opt(a)
	}
	return a
}

// Wrap makes an API of a client.
func Wrap(hc *http.Client) *API { return &API{hc: hc} }

// SetClient gives the client.
func (a *API) SetClient(hc *http.Client) *API {
	a.hc = hc
	return a
}

// Defaults fills in what is missing.
func (c *Config) Defaults() {
	if c.Client == nil {
		c.Client = &http.Client{Transport: &http.Transport{}}
	}
}

// Call is a request that is built step by step.
type Call struct {
	api *API
	url string
}

// To starts one.
func (a *API) To(url string) *Call { return &Call{a, url} }

// Do sends it.
func (c *Call) Do() error { return c.api.Get(c.url) }

// Fetch returns the client with which it fetched.
func Fetch(url string) (*http.Client, []byte, error) {
	hc := NewHTTP(0)
	resp, err := hc.Get(url)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return hc, b, err
}

// Verbs has its calls in fields.
type Verbs struct {
	Get func(url string) error
	api *API
}

// NewVerbs makes them.
func NewVerbs() *Verbs {
	a := New("")
	return &Verbs{Get: a.Get, api: a}
}

// An SDKOption sets up an SDK.
type SDKOption interface{ apply(*http.Client) }

type viaTransport struct{ rt http.RoundTripper }

func (w viaTransport) apply(c *http.Client) { c.Transport = w.rt }

// WithSDKTransport gives the SDK a transport.
func WithSDKTransport(rt http.RoundTripper) SDKOption { return viaTransport{rt} }

// An SDK has a service, which has the options.
type SDK struct{ Things ThingService }

// ThingService gets things.
type ThingService struct{ options []SDKOption }

// NewSDK makes an SDK.
func NewSDK(options ...SDKOption) SDK { return SDK{ThingService{options}} }

// Get gets a thing.
func (s ThingService) Get(url string) error {
	var c http.Client
	for _, o := range s.options {
		o.apply(&c)
	}
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	return Read(resp)
}

// NewSetUp makes an API whose client another function replaces, if there is one.
func NewSetUp(cfg *Config) *API {
	a := New("")
	setUp(a, cfg)
	return a
}

func setUp(a *API, cfg *Config) {
	if cfg.Client != nil {
		a.hc = cfg.Client
	}
}

// Daemon keeps its transport apart, so as to close what a wrapper would hide.
type Daemon struct {
	hc   *http.Client
	base *http.Transport
}

// NewDaemon makes a Daemon, of whose requests each is counted.
func NewDaemon() *Daemon {
	d := &Daemon{hc: &http.Client{Transport: &http.Transport{}}}
	if tr, ok := d.hc.Transport.(*http.Transport); ok {
		d.base = tr
	}
	d.hc.Transport = counted{d.hc.Transport}
	return d
}

type counted struct{ rt http.RoundTripper }

func (c counted) RoundTrip(req *http.Request) (*http.Response, error) { return c.rt.RoundTrip(req) }

// Get gets something.
func (d *Daemon) Get(url string) error {
	resp, err := d.hc.Get(url)
	if err != nil {
		return err
	}
	return Read(resp)
}

// Close gives up the idle connections of the transport, if there is one.
func (d *Daemon) Close() error {
	if d.base != nil {
		d.base.CloseIdleConnections()
		return nil
	}
	return nil
}

// Asserter asks for the type of its transport.
type Asserter struct{ hc *http.Client }

// NewAsserter makes an Asserter.
func NewAsserter() *Asserter { return &Asserter{&http.Client{Transport: &http.Transport{}}} }

// Get gets something.
func (a *Asserter) Get(url string) error {
	resp, err := a.hc.Get(url)
	if err != nil {
		return err
	}
	return Read(resp)
}

// Close gives up the idle connections of a transport.
func (a *Asserter) Close() error {
	if tr, ok := a.hc.Transport.(*http.Transport); ok {
		tr.CloseIdleConnections()
	}
	return nil
}
