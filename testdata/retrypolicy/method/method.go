// Package method proves that a POST or PATCH that is sent again after a transport error
// is found in each form that users write, and only if no key tells the server.
package method

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
)

const pause = 2 * time.Millisecond

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func newPost(ctx context.Context, url string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodPost, url+"/orders", strings.NewReader("order"))
}

func finish(resp *http.Response) error {
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

func Counting(ctx context.Context, url string) (err error) {
	for i := 0; i < 3; i++ {
		var req *http.Request
		if req, err = newPost(ctx, url); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends a POST again after a transport error, without an idempotency key"
			return finish(resp)
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func Patch(ctx context.Context, url string) error {
	body := []byte(`{"add":1}`)
	var last error
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, "PATCH", url+"/orders/1", bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a PATCH again after a transport error, without an idempotency key"
		if err != nil {
			last = err
			if err := wait(ctx, pause); err != nil {
				return err
			}
			continue
		}
		return finish(resp)
	}
	return last
}

// once sends a POST, and says whether it is done.
func once(ctx context.Context, url string) (retry bool, err error) {
	req, err := newPost(ctx, url)
	if err != nil {
		return false, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return true, err
	}
	return false, finish(resp)
}

func Helper(ctx context.Context, url string) error {
	for {
		retry, err := once(ctx, url) // want "once sends a POST again after a transport error, without an idempotency key"
		if !retry {
			return err
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}

// isRetryable reports whether to try again.
func isRetryable(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	var ne net.Error
	return errors.As(err, &ne)
}

func Predicate(ctx context.Context, url string) error {
	for i := 0; ; i++ {
		req, err := newPost(ctx, url)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a POST again after a transport error, without an idempotency key"
		switch {
		case err == nil:
			return finish(resp)
		case i == 3 || !isRetryable(err):
			return err
		}
		if err := wait(ctx, pause<<i); err != nil {
			return err
		}
	}
}

// isRefused reports whether there was no connection.
func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED)
}

// Silent: nothing arrived.
func PredicateRefused(ctx context.Context, url string) error {
	for i := 0; ; i++ {
		req, err := newPost(ctx, url)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		switch {
		case err == nil:
			return finish(resp)
		case i == 3 || !isRefused(err):
			return err
		}
		if err := wait(ctx, pause<<i); err != nil {
			return err
		}
	}
}

// withRetry calls fn until it succeeds.
func withRetry(ctx context.Context, fn func() error) (err error) {
	for range 3 {
		if err = fn(); err == nil {
			return nil
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func OwnHelper(ctx context.Context, url string) error {
	return withRetry(ctx, func() error {
		req, err := newPost(ctx, url)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a POST again after a transport error, without an idempotency key"
		if err != nil {
			return fmt.Errorf("post: %w", err)
		}
		resp.Body.Close()
		return nil
	})
}

func OwnHelperNamed(ctx context.Context, url string) error {
	post := func() error {
		resp, err := http.Post(url+"/orders", "text/plain", strings.NewReader("order")) // want "http\\.Post sends a POST again after a transport error, without an idempotency key"
		if err != nil {
			return err
		}
		resp.Body.Close()
		return nil
	}
	return withRetry(ctx, post)
}

// A client retries all that it sends.
type client struct {
	base string
	http *http.Client
}

func (c *client) do(ctx context.Context, method, path string, body []byte, key string) error {
	var err error
	for n := 0; n < 3; n++ {
		if n > 0 {
			if err := wait(ctx, pause); err != nil {
				return err
			}
		}
		var req *http.Request
		req, err = http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		if key != "" {
			req.Header.Set("Idempotency-Key", key)
		}
		var resp *http.Response
		resp, err = c.http.Do(req)
		if err != nil {
			continue
		}
		return finish(resp)
	}
	return err
}

func SharedPost(ctx context.Context, url string) error {
	c := &client{url, http.DefaultClient}
	return c.do(ctx, http.MethodPost, "/orders", []byte("order"), "") // want "c\\.do sends a POST again after a transport error, without an idempotency key"
}

// Silent: has a key.
func SharedPostKeyed(ctx context.Context, url string) error {
	c := &client{url, http.DefaultClient}
	return c.do(ctx, http.MethodPost, "/orders", []byte("order"), uuid.NewString())
}

// Silent: PUT can be repeated.
func SharedPut(ctx context.Context, url string) error {
	c := &client{url, http.DefaultClient}
	return c.do(ctx, http.MethodPut, "/orders/1", []byte("order"), "")
}

// doSafe retries what may be repeated.
func (c *client) doSafe(ctx context.Context, method, path string, body []byte) error {
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp, err := c.http.Do(req)
		if err == nil {
			return finish(resp)
		}
		if n == 2 || !isIdempotent(method) {
			return err
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}

func isIdempotent(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}

// Silent: not repeated.
func SafePost(ctx context.Context, url string) error {
	c := &client{url, http.DefaultClient}
	return c.doSafe(ctx, http.MethodPost, "/orders", []byte("order"))
}

func Recursive(ctx context.Context, url string) error {
	return recursive(ctx, url, 3)
}

func recursive(ctx context.Context, url string, left int) error {
	req, err := newPost(ctx, url)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a POST again after a transport error, without an idempotency key"
	if err != nil {
		if left == 0 {
			return err
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
		return recursive(ctx, url, left-1)
	}
	return finish(resp)
}

func Goto(ctx context.Context, url string) error {
	n := 0
again:
	req, err := newPost(ctx, url)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a POST again after a transport error, without an idempotency key"
	if err != nil {
		if n++; n < 3 {
			if err := wait(ctx, pause); err != nil {
				return err
			}
			goto again
		}
		return err
	}
	return finish(resp)
}

func SecondTry(ctx context.Context, url string) error {
	c := &client{url, http.DefaultClient}
	err := c.create(ctx, "order")
	if err != nil {
		if err := wait(ctx, pause); err != nil {
			return err
		}
		err = c.create(ctx, "order") // want "c\\.create sends a POST again after a transport error, without an idempotency key"
	}
	return err
}

func (c *client) create(ctx context.Context, what string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/orders", strings.NewReader(what))
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	return finish(resp)
}

// A doer is what a client is to its users.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

func Interface(ctx context.Context, url string) error {
	var d doer = http.DefaultClient
	return postTo(ctx, d, url)
}

func postTo(ctx context.Context, d doer, url string) error {
	deadline := time.Now().Add(time.Second)
	for {
		req, err := newPost(ctx, url)
		if err != nil {
			return err
		}
		resp, err := d.Do(req) // want "d\\.Do sends a POST again after a transport error, without an idempotency key"
		if err == nil {
			return finish(resp)
		}
		if time.Now().After(deadline) {
			return err
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}

func TimeoutOnly(ctx context.Context, url string) error {
	hc := &http.Client{Timeout: 100 * time.Millisecond}
	for range 3 {
		req, err := newPost(ctx, url)
		if err != nil {
			return err
		}
		resp, err := hc.Do(req) // want "hc\\.Do sends a POST again after a transport error, without an idempotency key"
		if err == nil {
			return finish(resp)
		}
		var ne net.Error
		if !errors.As(err, &ne) || !ne.Timeout() && !errors.Is(err, io.EOF) {
			return err
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("no answer")
}

// Silent: only after a 503, which was received.
func Busy(ctx context.Context, url string) error {
	for range 3 {
		req, err := newPost(ctx, url)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusServiceUnavailable {
			return finish(resp)
		}
		resp.Body.Close()
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("busy")
}

// Silent: the key is a member of what is sent.
func KeyInTheBody(ctx context.Context, url string) error {
	body, err := json.Marshal(map[string]string{"idempotency_key": uuid.NewString(), "what": "order"})
	if err != nil {
		return err
	}
	return withRetry(ctx, func() error {
		resp, err := http.Post(url+"/orders", "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp.Body.Close()
		return nil
	})
}

func Flag(ctx context.Context, url string) error {
	c := &client{url, http.DefaultClient}
	for sent, tries := false, 0; !sent && tries < 3; tries++ {
		err := c.create(ctx, "order") // want "c\\.create sends a POST again after a transport error, without an idempotency key" "c\\.create is retried after a 4xx status"
		sent = err == nil
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return nil
}

func Later(ctx context.Context, url string, done chan<- error) { later(url, 3, done) }

func later(url string, left int, done chan<- error) {
	resp, err := http.Post(url, "application/json", strings.NewReader("order")) // want "http\\.Post sends a POST again after a transport error, without an idempotency key"
	if err != nil && left > 0 {
		time.AfterFunc(pause, func() { later(url, left-1, done) })
		return
	}
	if err == nil {
		err = finish(resp)
	}
	done <- err
}
