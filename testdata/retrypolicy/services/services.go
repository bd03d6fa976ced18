// Package services proves the checks on streams, clients and retrying libraries as
// services use them.
package services

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/gorilla/websocket"
	"github.com/hashicorp/go-retryablehttp"
)

// --- streams

type Stream struct {
	URL    string
	Client *http.Client
	Log    *slog.Logger
	stop   chan struct{}
	last   string
}

func (s *Stream) Listen(ctx context.Context, on func(string)) error {
	for {
		err := s.listenOnce(ctx, on) // want "s\\.listenOnce is called again at once after a failure"
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.Log.Warn("stream broke", "err", err)
	}
}

func (s *Stream) listenOnce(ctx context.Context, on func(string)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	if s.last != "" {
		req.Header.Set("Last-Event-ID", s.last)
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		on(sc.Text())
	}
	return sc.Err()
}

// Silent: waits with jitter, capped.
func (s *Stream) ListenPatiently(ctx context.Context, on func(string)) error {
	delay := 100 * time.Millisecond
	for {
		err := s.listenOnce(ctx, on)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.Log.Warn("stream broke", "err", err)
		t := time.NewTimer(delay + rand.N(delay))
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
		if delay *= 2; delay > time.Minute {
			delay = time.Minute
		}
	}
}

func (s *Stream) Socket(h http.Header, on func([]byte)) {
	for {
		select {
		case <-s.stop:
			return
		default:
		}
		c, resp, err := websocket.DefaultDialer.Dial(s.URL, h) // want "websocket\\.DefaultDialer\\.Dial is called again at once after a failure"
		if err != nil {
			if resp != nil {
				resp.Body.Close()
			}
			continue
		}
		s.read(c, on)
	}
}

func (s *Stream) read(c *websocket.Conn, on func([]byte)) {
	defer c.Close()
	for {
		_, b, err := c.ReadMessage()
		if err != nil {
			return
		}
		on(b)
	}
}

// Silent: stop or pause.
func (s *Stream) SocketPaced(on func([]byte)) {
	tick := time.NewTicker(3 * time.Second)
	defer tick.Stop()
	for {
		c, _, err := websocket.DefaultDialer.Dial(s.URL, nil)
		if err == nil {
			s.read(c, on)
		}
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
	}
}

// Silent: one read loop.
func (s *Stream) Pump(ctx context.Context, c *websocket.Conn, out chan<- []byte) error {
	for {
		_, b, err := c.ReadMessage()
		if err != nil {
			return err
		}
		select {
		case out <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// --- clients

type API struct {
	base  string
	hc    *http.Client
	token atomic.Value
	n     int
}

type statusError int

func (e statusError) Error() string { return "status " + strconv.Itoa(int(e)) }

func (a *API) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, body)
	if err != nil {
		return err
	}
	resp, err := a.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return statusError(resp.StatusCode)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

func (a *API) CreateUser(ctx context.Context, name string) error {
	var err error
	for try := range a.n {
		if err = a.call(ctx, http.MethodPost, "/users", map[string]string{"name": name}, nil); err == nil { // want "a\\.call sends a POST again after a transport error, without an idempotency key"
			return nil
		}
		var se statusError
		if errors.As(err, &se) && se < 500 {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
	return err
}

func pause(ctx context.Context, try int) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(time.Duration(try+1) * 200 * time.Millisecond):
		return nil
	}
}

// Silent: only answers of 5xx, which were received.
func (a *API) CreateUserBusy(ctx context.Context, name string) error {
	for try := 0; ; try++ {
		err := a.call(ctx, http.MethodPost, "/users", map[string]string{"name": name}, nil)
		var se statusError
		if err == nil || !errors.As(err, &se) || se != 503 || try >= a.n {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// Silent: GET.
func (a *API) User(ctx context.Context, id string) (u struct{ Name string }, err error) {
	for try := 0; try < 5; try++ {
		err = a.call(ctx, http.MethodGet, "/users/"+id, nil, &u)
		var se statusError
		if err == nil || errors.As(err, &se) && se < 500 && se != 429 {
			return u, err
		}
		if perr := pause(ctx, try); perr != nil {
			return u, perr
		}
	}
	return u, err
}

// Silent: the lookup decides whether it was carried out.
func (a *API) Ensure(ctx context.Context, name string) error {
	if err := a.call(ctx, http.MethodPost, "/users", name, nil); err == nil {
		return nil
	}
	var u struct{ Name string }
	return a.call(ctx, http.MethodGet, "/users/"+name, nil, &u)
}

func (a *API) Fire(ctx context.Context, ev string) {
	send := func() bool {
		resp, err := a.hc.Post(a.base+"/events", "text/plain", strings.NewReader(ev)) // want "a\\.hc\\.Post sends a POST again after a transport error, without an idempotency key"
		if err != nil {
			return false
		}
		resp.Body.Close()
		return true
	}
	for i := 0; i < 3 && !send(); i++ {
		if pause(ctx, i) != nil {
			return
		}
	}
}

func (a *API) FireUntil(ctx context.Context, ev string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		resp, err := a.hc.PostForm(a.base+"/events", url.Values{"ev": {ev}}) // want "a\\.hc\\.PostForm sends a POST again after a transport error, without an idempotency key"
		if err == nil {
			return resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-tick.C:
		}
	}
}

// Silent: a new event each second.
func (a *API) Metrics(ctx context.Context, read func() []byte) {
	for range time.Tick(time.Second) {
		resp, err := a.hc.Post(a.base+"/metrics", "text/plain", bytes.NewReader(read()))
		if err != nil {
			slog.Error("metrics", "err", err)
			continue
		}
		resp.Body.Close()
	}
}

// Silent: a queue in a database: what is failed stays, and is taken up later.
func (a *API) Outbox(ctx context.Context, next func(context.Context) (id string, body []byte, err error), done func(string) error) error {
	for {
		id, body, err := next(ctx)
		if err != nil {
			return err
		}
		resp, err := a.hc.Post(a.base+"/out", "application/json", bytes.NewReader(body))
		if err != nil {
			slog.Error("outbox", "id", id, "err", err)
			time.Sleep(time.Second)
			continue
		}
		resp.Body.Close()
		if err := done(id); err != nil {
			return err
		}
	}
}

func Forward(ctx context.Context, hc *http.Client, to string, r *http.Request) (*http.Response, error) {
	var last error
	for range 3 {
		out, err := http.NewRequestWithContext(ctx, r.Method, to, r.Body)
		if err != nil {
			return nil, err
		}
		resp, err := hc.Do(out) // want "hc\\.Do sends a body again that the attempt before has read"
		if err == nil {
			return resp, nil
		}
		last = err
		if err := pause(ctx, 1); err != nil {
			return nil, err
		}
	}
	return nil, last
}

func Proxy(w http.ResponseWriter, r *http.Request) {
	for _, backend := range []string{"http://a", "http://b"} {
		out := r.Clone(r.Context())
		out.URL, _ = url.Parse(backend + r.URL.Path)
		out.RequestURI = ""
		resp, err := http.DefaultTransport.RoundTrip(out) // want "http\\.DefaultTransport\\.RoundTrip sends a clone of a request whose body the attempt before has read"
		if err != nil {
			continue
		}
		defer resp.Body.Close()
		io.Copy(w, resp.Body)
		return
	}
	http.Error(w, "no backend", http.StatusBadGateway)
}

func (a *API) Report(ctx context.Context) ([]byte, error) {
	for i := 0; ; i++ {
		var out []byte
		err := a.call(ctx, http.MethodPut, "/report", "x", &out) // want "a\\.call is retried after a 4xx status"
		if err == nil {
			return out, nil
		}
		if i == 4 {
			return nil, err
		}
		if err := pause(ctx, i); err != nil {
			return nil, err
		}
	}
}

// Silent: dial errors only.
func (a *API) OnlyDial(ctx context.Context) error {
	for i := 0; ; i++ {
		resp, err := a.hc.Post(a.base, "text/plain", strings.NewReader("x"))
		if err == nil {
			return resp.Body.Close()
		}
		if i > 3 || !isDial(err) {
			return err
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
}

func isDial(err error) bool {
	var oe *net.OpError
	if errors.As(err, &oe) {
		return oe.Op == "dial"
	}
	var de *net.DNSError
	return errors.As(err, &de)
}

func Wait(ctx context.Context, u string) error {
	var err error
	for i := 1; i <= 10; i++ {
		var resp *http.Response
		if resp, err = http.Head(u); err == nil {
			resp.Body.Close()
			return nil
		}
		timer := time.NewTimer(time.Duration(i) * time.Second)
		<-timer.C // want "<-timer\\.C waits for the next attempt without looking at ctx"
	}
	return err
}

// Silent: select with ctx around the timer.
func WaitFair(ctx context.Context, u string) error {
	var err error
	for i := 1; i <= 10; i++ {
		var resp *http.Response
		if resp, err = http.Head(u); err == nil {
			resp.Body.Close()
			return nil
		}
		select {
		case <-time.After(time.Duration(i) * time.Second):
			continue
		case <-ctx.Done():
		}
		break
	}
	return err
}

func MustGet(u string) []byte {
	var body []byte
	for {
		resp, err := http.Get(u) // want "http\\.Get is retried without a bound on the attempts, and no context or deadline ends it"
		if err != nil {
			slog.Error("get", "err", err)
			time.Sleep(3 * time.Second)
			continue
		}
		body, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			continue
		}
		break
	}
	return body
}

// --- retrying clients

type hook struct {
	hc *http.Client
}

func newHook() *hook {
	rc := retryablehttp.NewClient()
	rc.RetryMax = 4
	rc.CheckRetry = retryablehttp.ErrorPropagatedRetryPolicy
	rc.RetryWaitMin = 10 * time.Millisecond
	return &hook{hc: rc.StandardClient()}
}

func (h *hook) Send(ctx context.Context, u string, b []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u, bytes.NewReader(b))
	if err != nil {
		return err
	}
	resp, err := h.hc.Do(req) // want "h\\.hc\\.Do sends a POST through a client that retries it after a transport error, without an idempotency key"
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Silent: PUT.
func (h *hook) Put(ctx context.Context, u string, b []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, u, bytes.NewReader(b))
	if err != nil {
		return err
	}
	resp, err := h.hc.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

var shared = retryablehttp.NewClient()

func Shared(u string, v url.Values) error {
	resp, err := shared.PostForm(u, v) // want "shared\\.PostForm sends a POST through a client that retries it after a transport error, without an idempotency key"
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

type svc struct{ c *resty.Client }

func newSvc(base string, tries int) *svc {
	s := &svc{c: resty.New()}
	s.c.SetBaseURL(base).
		SetRetryCount(tries).
		SetRetryMaxWaitTime(time.Second)
	return s
}

func (s *svc) Add(ctx context.Context, v any) error {
	resp, err := s.c.R().SetContext(ctx).SetBody(v).SetResult(&struct{}{}).Post("/things") // want "Post sends a POST through a client that retries it after a transport error, without an idempotency key"
	if err != nil {
		return err
	}
	if resp.IsError() {
		return errors.New(resp.Status())
	}
	return nil
}

// Silent: GET.
func (s *svc) List(ctx context.Context) error {
	_, err := s.c.R().SetContext(ctx).Get("/things")
	return err
}

// Silent: the policy of its own.
func Conditional(base string) error {
	c := resty.New()
	c.SetRetryCount(3)
	c.AddRetryCondition(func(r *resty.Response, err error) bool { return err == nil && r.StatusCode() == 429 })
	_, err := c.R().SetBody("x").Post(base)
	return err
}

func RestyLoop(ctx context.Context, base string) error {
	c := resty.New()
	var err error
	for i := 0; i < 3; i++ {
		if _, err = c.R().SetContext(ctx).SetBody("x").Post(base); err == nil { // want "Post sends a POST again after a transport error, without an idempotency key"
			return nil
		}
		if err := pause(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// Silent: the request's own condition.
func RestyRequestCondition(base string) error {
	c := resty.New().SetRetryCount(2)
	_, err := c.R().AddRetryCondition(func(*resty.Response, error) bool { return false }).SetBody("x").Post(base)
	return err
}

// NewStream makes a stream of a server.
func NewStream(u string) *Stream {
	return &Stream{URL: u, Client: http.DefaultClient, Log: slog.New(slog.DiscardHandler), stop: make(chan struct{})}
}

// NewAPI makes a client of a server.
func NewAPI(base string) *API { return &API{base: base, hc: http.DefaultClient, n: 3} }

// NewHook makes a client that sends again.
func NewHook() *hook { return newHook() }

// NewService makes another one.
func NewService(base string) *svc { return newSvc(base, 3) }
