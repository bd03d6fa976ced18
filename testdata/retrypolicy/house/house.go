// Package house is what the packages of a module send, wait and judge with: nothing of
// it is at fault by itself.
package house

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/go-resty/resty/v2"
)

// Pause is the shortest wait.
var Pause = 2 * time.Millisecond

// ErrBusy is an answer to come again for.
var ErrBusy = errors.New("busy")

// A Refusal is any other answer that is no success.
type Refusal struct {
	Code int
	Text string
}

func (r *Refusal) Error() string { return fmt.Sprintf("status %d: %s", r.Code, r.Text) }

// NewRequest makes a request with a body of its own.
func NewRequest(ctx context.Context, method, url string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// NewKeyed makes a POST with a key, and the body that it is given.
func NewKeyed(ctx context.Context, url, key string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", key)
	return req, nil
}

// NewJSON makes a POST of v.
func NewJSON(ctx context.Context, url string, v any) (*http.Request, error) {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return nil, err
	}
	return http.NewRequestWithContext(ctx, http.MethodPost, url, &buf)
}

// Send sends a request, and returns its status.
func Send(req *http.Request) (int, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, fmt.Errorf("send: %w", err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, nil
}

// Do sends a request until it is answered, three times at most.
func Do(ctx context.Context, req *http.Request) (*http.Response, error) {
	var last error
	for i := range 3 {
		if i > 0 && req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			req.Body = body
		}
		resp, err := http.DefaultClient.Do(req.WithContext(ctx))
		if err == nil {
			return resp, nil
		}
		last = err
		if err := Hold(ctx, i); err != nil {
			return nil, err
		}
	}
	return nil, last
}

// DoSafe is Do, but sends once what must not be repeated.
func DoSafe(ctx context.Context, req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet && req.Method != http.MethodPut {
		return http.DefaultClient.Do(req)
	}
	return Do(ctx, req)
}

// A Client is a client of a service.
type Client struct{ URL string }

// Post posts data.
func (c *Client) Post(ctx context.Context, data []byte) error {
	req, err := NewRequest(ctx, http.MethodPost, c.URL, data)
	if err != nil {
		return err
	}
	_, err = c.do(req)
	return err
}

// Upload posts what it reads.
func (c *Client) Upload(ctx context.Context, r io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, r)
	if err != nil {
		return err
	}
	_, err = c.do(req)
	return err
}

// UploadKeyed posts what it reads, with a key.
func (c *Client) UploadKeyed(ctx context.Context, key string, r io.Reader) error {
	req, err := NewKeyed(ctx, c.URL, key, r)
	if err != nil {
		return err
	}
	_, err = c.do(req)
	return err
}

// Get gets the document.
func (c *Client) Get(ctx context.Context) ([]byte, error) {
	req, err := NewRequest(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return nil, err
	}
	return c.do(req)
}

func (c *Client) do(req *http.Request) ([]byte, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode >= 500:
		return nil, ErrBusy
	case resp.StatusCode >= 400:
		return nil, &Refusal{Code: resp.StatusCode, Text: string(data)}
	}
	return data, nil
}

// Hold waits, unless the context is done.
func Hold(ctx context.Context, n int) error {
	t := time.NewTimer(Pause << n)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Nap waits whatever happens.
func Nap(n int) { time.Sleep(Pause << n) }

// Step says how long to wait.
func Step(n int) time.Duration { return Pause << n }

// Retry calls f until it succeeds.
func Retry(ctx context.Context, times int, f func() error) (err error) {
	for i := range times {
		if err = f(); err == nil {
			return nil
		}
		if err := Hold(ctx, i); err != nil {
			return err
		}
	}
	return err
}

// RetryAtOnce is Retry that does not wait.
func RetryAtOnce[T any](times int, f func() (T, error)) (v T, err error) {
	for range times {
		if v, err = f(); err == nil {
			return v, nil
		}
	}
	return v, err
}

// Twice is RetryAtOnce with one more attempt only.
func Twice(f func() error) (err error) {
	for range 2 {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

// Once calls f.
func Once(f func() error) error { return f() }

// IsLasting reports whether err is worth another attempt: the caller is still there.
func IsLasting(err error) bool { return !errors.Is(err, context.Canceled) }

// IsUnsent reports whether there was no connection.
func IsUnsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// IsBad reports whether an answer is to be asked for again.
func IsBad(resp *http.Response, err error) bool {
	return err == nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500)
}

// NewResty makes a client that sends again whatever failed.
func NewResty() *resty.Client { return resty.New().SetRetryCount(3).SetRetryWaitTime(Pause) }

// NewRestyBusy makes one that sends again what was answered with 503.
func NewRestyBusy() *resty.Client {
	c := NewResty()
	c.AddRetryCondition(func(resp *resty.Response, err error) bool {
		return err == nil && resp.StatusCode() == http.StatusServiceUnavailable
	})
	return c
}

// Refused reports whether a status is none of success.
func Refused(code int) bool { return code < 200 || code > 299 }

// Passing reports whether a status may be another one the next time.
func Passing(code int) bool {
	switch code {
	case 408, 425, 429, 500, 502, 503, 504:
		return true
	}
	return false
}
