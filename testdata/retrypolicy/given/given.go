// Package given proves what is said of code that sends what it is given: transports that
// repeat any request, readers that several functions send the same way, statuses that are
// kept in a field, and sleeps that are a field.
package given

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"
)

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func again(req *http.Request) (*http.Request, error) {
	next := req.Clone(req.Context())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		next.Body = body
	}
	return next, nil
}

// Any puts the body back, so it has POSTs too.
type Any struct{ base http.RoundTripper }

func (t *Any) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for n := range 3 {
		next, err := again(req)
		if err != nil {
			return nil, err
		}
		if resp, err = t.base.RoundTrip(next); err == nil { // want `t\.base\.RoundTrip sends a POST again after a transport error`
			return resp, nil
		}
		if err := wait(req.Context(), time.Second<<n); err != nil {
			return nil, err
		}
	}
	return resp, err
}

// Doer is a client of its own.
type Doer struct{ hc *http.Client }

func (d *Doer) Do(req *http.Request) (resp *http.Response, err error) {
	for n := range 3 {
		next, err := again(req)
		if err != nil {
			return nil, err
		}
		if resp, err = d.hc.Do(next); err == nil || errors.Is(err, context.Canceled) { // want `d\.hc\.Do sends a POST again after a transport error`
			return resp, err
		}
		if err := wait(req.Context(), time.Second<<n); err != nil {
			return nil, err
		}
	}
	return resp, err
}

// Asking asks for the method, elsewhere.
type Asking struct{ base http.RoundTripper }

func repeatable(req *http.Request) bool { return req.Method != http.MethodPost }

func (t *Asking) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for n := range 3 {
		next, err := again(req)
		if err != nil {
			return nil, err
		}
		if resp, err = t.base.RoundTrip(next); err == nil || !repeatable(req) {
			return resp, err
		}
		if err := wait(req.Context(), time.Second<<n); err != nil {
			return nil, err
		}
	}
	return resp, err
}

// Undialed repeats what was never sent.
type Undialed struct{ base http.RoundTripper }

func (t *Undialed) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for n := range 3 {
		next, err := again(req)
		if err != nil {
			return nil, err
		}
		if resp, err = t.base.RoundTrip(next); err == nil || !errors.Is(err, syscall.ECONNREFUSED) {
			return resp, err
		}
		if err := wait(req.Context(), time.Second<<n); err != nil {
			return nil, err
		}
	}
	return resp, err
}

// Client keeps the last status.
type Client struct {
	base  string
	retry bool
	last  int
	sleep func(time.Duration)
}

// New is what a program calls; tests set sleep to something else.
func New(base string) *Client { return &Client{base: base, sleep: time.Sleep} }

func (c *Client) put(ctx context.Context, body io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base, body)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if c.last = resp.StatusCode; c.last >= 300 {
		return errors.New(resp.Status)
	}
	return nil
}

func (c *Client) refused() bool {
	return c.last >= 400 && c.last < 500 && c.last != 429 && c.last != 408
}

// A refused request is given up, as the field tells.
func (c *Client) Put(ctx context.Context, body []byte) (err error) {
	for n := range 3 {
		if err = c.put(ctx, bytes.NewReader(body)); err == nil || c.refused() {
			return err
		}
		if err := wait(ctx, time.Second<<n); err != nil {
			return err
		}
	}
	return err
}

func (c *Client) PutReader(ctx context.Context, body io.Reader) (err error) {
	for n := range 3 {
		if err = c.put(ctx, body); err == nil || c.refused() { // want `c\.put sends a body again that the attempt before has read`
			return err
		}
		if err := wait(ctx, time.Second<<n); err != nil {
			return err
		}
	}
	return err
}

// The same way, from another function.
func (c *Client) PutBuffer(ctx context.Context, text string) (err error) {
	var body bytes.Buffer
	body.WriteString(text)
	for n := range 3 {
		if err = c.put(ctx, &body); err == nil || c.refused() { // want `c\.put sends a body again that the attempt before has read`
			return err
		}
		if err := wait(ctx, time.Second<<n); err != nil {
			return err
		}
	}
	return err
}

// A function that the package does not use is asked by those to come.
func putOnce(ctx context.Context, url string, body io.Reader) (err error) {
	for n := range 3 {
		var req *http.Request
		if req, err = http.NewRequestWithContext(ctx, http.MethodPut, url, body); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want `http\.DefaultClient\.Do sends a body again`
			return resp.Body.Close()
		}
		if err := wait(ctx, time.Second<<n); err != nil {
			return err
		}
	}
	return err
}

func repeat(ctx context.Context, f func() error) (err error) {
	for n := range 3 {
		if err = f(); err == nil {
			return nil
		}
		if err := wait(ctx, time.Second<<n); err != nil {
			return err
		}
	}
	return err
}

// send makes each request anew.
func send(ctx context.Context, newRequest func() (*http.Request, error)) error {
	return repeat(ctx, func() error {
		req, err := newRequest()
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// What repeats is right: who gives it a reader is not.
func (c *Client) Note(ctx context.Context, note io.Reader) error {
	return send(ctx, func() (*http.Request, error) { // want `send sends a body again that the attempt before has read`
		return http.NewRequestWithContext(ctx, http.MethodPut, c.base, note)
	})
}

func (c *Client) NoteText(ctx context.Context, note string) error {
	return send(ctx, func() (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodPut, c.base, strings.NewReader(note))
	})
}

// Who gives repeat a POST is at fault, and not what repeats whatever it is given.
func (c *Client) Order(ctx context.Context, order string) error {
	return repeat(ctx, func() error {
		return c.post(ctx, order) // want `c\.post sends a POST again after a transport error`
	})
}

func (c *Client) post(ctx context.Context, text string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base, strings.NewReader(text))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// The sleep is a field, and the flag does not change what comes after a 429.
func (c *Client) Get(ctx context.Context) (*http.Response, error) {
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base, nil)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil && c.retry && n < 3 && resp.StatusCode == http.StatusTooManyRequests {
			resp.Body.Close()
			c.sleep(time.Second) // want `c\.sleep waits for the next attempt without looking at ctx`
			continue
		}
		return resp, err
	}
}

// An Answer is one that was read.
type Answer struct {
	Code int
	Body []byte
}

func (c *Client) ask(ctx context.Context, path string) (*Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return &Answer{resp.StatusCode, b}, err
}

// It is asked for until it is there: of the answer, the code alone.
func (c *Client) Made(ctx context.Context) error {
	return repeat(ctx, func() error {
		a, err := c.ask(ctx, "/made")
		if err != nil {
			return nil
		}
		if a.Code == http.StatusOK {
			return nil
		}
		return errors.New("not yet")
	})
}

// A sender is what sends, behind an interface of its own: there is one.
type sender interface {
	Send(ctx context.Context, text string) error
}

type poster struct{ url string }

func (p poster) Send(ctx context.Context, text string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, strings.NewReader(text))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Insist has it sent until it arrives.
func Insist(ctx context.Context, s sender, text string) (err error) {
	for n := range 3 {
		if err = s.Send(ctx, text); err == nil { // want `s\.Send sends a POST again after a transport error`
			return nil
		}
		if err := wait(ctx, time.Second<<n); err != nil {
			return err
		}
	}
	return err
}

// A store is one of two kinds.
type store interface {
	Save(ctx context.Context, url string) error
}

type far struct{}

func (far) Save(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/orders", strings.NewReader("order"))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

type near struct{}

func (near) Save(context.Context, string) error { return nil }

func save(ctx context.Context, s store, url string) (err error) {
	for range 3 {
		if err = s.Save(ctx, url); err == nil { // want `s\.Save sends a POST again after a transport error`
			return nil
		}
		if err := wait(ctx, 2*time.Millisecond); err != nil {
			return err
		}
	}
	return err
}

// Which one it is, is known here.
func Saved(ctx context.Context, url string) error {
	return save(ctx, far{}, url) // want `save sends a POST again after a transport error`
}

func SavedNear(ctx context.Context, url string) error { return save(ctx, near{}, url) }

// It calls itself until there is an answer.
func Insistent(url string) (*http.Response, error) {
	resp, err := http.Get(url) // want `http\.Get is retried without a bound on the attempts`
	if err != nil {
		time.Sleep(time.Second)
		return Insistent(url)
	}
	return resp, nil
}

func Counted(url string, left int) (*http.Response, error) {
	resp, err := http.Get(url)
	if err != nil && left > 0 {
		time.Sleep(time.Second)
		return Counted(url, left-1)
	}
	return resp, err
}
