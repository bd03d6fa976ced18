// Package judges proves that what says of an error or a request whether to send again is
// asked: the conditions that libraries are given, and how often and how soon they try.
package judges

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/avast/retry-go/v4"
	"github.com/cenkalti/backoff/v4"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/gorilla/websocket"
	sethvargo "github.com/sethvargo/go-retry"
)

type statusError struct{ code int }

func (e statusError) Error() string { return fmt.Sprint("status ", e.code) }

func call(ctx context.Context, method, url, text string, out *string) error {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(text))
	if err != nil {
		return retry.Unrecoverable(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 400 {
		err = statusError{resp.StatusCode}
	}
	*out = string(data)
	return err
}

func transient(err error) bool {
	var status statusError
	if errors.As(err, &status) {
		return status.code >= 500 || status.code == http.StatusTooManyRequests
	}
	return !errors.Is(err, context.Canceled)
}

func Transient(ctx context.Context, url string) (out string, err error) {
	return out, retry.Do(func() error {
		return call(ctx, "POST", url, "order", &out) // want "call sends a POST again after a transport error"
	}, retry.Context(ctx), retry.RetryIf(transient))
}

func Refused(ctx context.Context, url string) (out string, err error) {
	return out, retry.Do(func() error {
		return call(ctx, "GET", url, "", &out) // want "call is retried after a 4xx status"
	}, retry.Context(ctx))
}

// A status was received each time.
func Throttled(ctx context.Context, url string) (out string, err error) {
	return out, retry.Do(func() error {
		return call(ctx, "POST", url, "order", &out)
	}, retry.Context(ctx), retry.RetryIf(func(err error) bool {
		var status statusError
		return errors.As(err, &status) && status.code == http.StatusTooManyRequests
	}))
}

// One attempt is no retry.
func Once(ctx context.Context, url string) (out string, err error) {
	return out, retry.Do(func() error { return call(ctx, "POST", url, "order", &out) }, retry.Context(ctx), retry.Attempts(1))
}

func try(n int, f func() error) (err error) {
	for range n {
		if err = f(); err == nil { // want "f is retried after a 4xx status"
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

func TryThrice(url string) (out string, err error) {
	return out, try(3, func() error {
		var status statusError
		if err := call(context.Background(), "PUT", url, "order", &out); errors.As(err, &status) {
			return err
		}
		return nil
	})
}

// Here neither.
func TryOnce(url string) (out string, err error) {
	return out, try(1, func() error { return call(context.Background(), "POST", url, "order", &out) })
}

// What is permanent ends it.
func Permanent(ctx context.Context, url string) (out string, err error) {
	ticker := backoff.NewTicker(backoff.WithContext(backoff.WithMaxRetries(backoff.NewExponentialBackOff(), 5), ctx))
	defer ticker.Stop()
	for range ticker.C {
		var permanent *backoff.PermanentError
		if err = firm(ctx, url, &out); err == nil || errors.As(err, &permanent) {
			return out, err
		}
	}
	return "", err
}

func firm(ctx context.Context, url string, out *string) error {
	err := call(ctx, "GET", url, "", out)
	var status statusError
	if errors.As(err, &status) && status.code < 500 {
		return backoff.Permanent(err)
	}
	return err
}

func post(ctx context.Context, url string) (*http.Response, error) {
	return http.DefaultClient.Post(url, "text/plain", strings.NewReader("order"))
}

func Failsafe(ctx context.Context, url string) (*http.Response, error) {
	policy := retrypolicy.NewBuilder[*http.Response]().WithMaxRetries(3).WithBackoff(time.Second, time.Minute).Build()
	return failsafe.With(policy).WithContext(ctx).Get(func() (*http.Response, error) {
		return post(ctx, url) // want "post sends a POST again after a transport error"
	})
}

// This policy repeats only what was answered.
func FailsafeBusy(ctx context.Context, url string) (*http.Response, error) {
	policy := retrypolicy.NewBuilder[*http.Response]().HandleIf(func(resp *http.Response, err error) bool {
		return err == nil && resp.StatusCode == http.StatusServiceUnavailable
	}).WithMaxRetries(3).WithBackoff(time.Second, time.Minute).Build()
	return failsafe.With(policy).WithContext(ctx).Get(func() (*http.Response, error) {
		return http.DefaultClient.Post(url, "text/plain", strings.NewReader("order"))
	})
}

func Hot(ctx context.Context, url string) (out string, err error) {
	policy := sethvargo.WithMaxRetries(5, sethvargo.NewConstant(50)) // want "50 is a wait of 50ns"
	return out, sethvargo.Do(ctx, policy, func(ctx context.Context) error {
		if err := call(ctx, "GET", url, "", &out); transient(err) {
			return sethvargo.RetryableError(err)
		}
		return nil
	})
}

func wait(ctx context.Context, n int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second << n):
		return nil
	}
}

type feed struct {
	url    string
	closed atomic.Bool
}

func (f *feed) Run(each func([]byte)) {
	for !f.closed.Load() {
		conn, _, err := websocket.DefaultDialer.Dial(f.url, nil) // want "websocket.DefaultDialer.Dial is called again at once after a failure"
		if err != nil {
			log.Print(err)
			continue
		}
		for {
			_, b, err := conn.ReadMessage()
			if err != nil {
				break
			}
			each(b)
		}
		conn.Close()
	}
}

// A URL that is written is one that can be read.
func Metadata(base *url.URL) (data []byte, err error) {
	for range 3 {
		req, err := http.NewRequest("GET", base.String()+"/meta?id="+url.QueryEscape("a b"), nil)
		if err != nil {
			continue
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			data, err = io.ReadAll(resp.Body)
			resp.Body.Close()
			return data, err
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

func contains(list []int, n int) bool {
	for _, m := range list {
		if m == n {
			return true
		}
	}
	return false
}

func Listed(ctx context.Context, url string) (*http.Response, error) {
	for n := 0; n < 5; n++ {
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req) // want "http.DefaultClient.Do is called again at once after a failure"
		if err != nil || !contains([]int{429, 503}, resp.StatusCode) {
			return resp, err
		}
		resp.Body.Close()
	}
	return nil, errors.New("gave up")
}

// What is read of the answer is there, or not.
func Described(ctx context.Context, url string) ([]byte, error) {
	for n := 0; n < 5; n++ {
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req) // want "http.DefaultClient.Do is called again at once after a failure"
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		if len(data) > 0 {
			log.Printf("%s", data)
		}
		if resp.StatusCode != http.StatusServiceUnavailable {
			return data, nil
		}
	}
	return nil, errors.New("gave up")
}

// An empty answer may be a reason of its own.
func Empty(ctx context.Context, url string) ([]byte, error) {
	for n := 0; n < 5; n++ {
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || len(data) > 0 {
			return data, err
		}
	}
	return nil, errors.New("gave up")
}

// It waits until the server is there.
func waitForServer(url string) {
	for range 100 {
		resp, err := http.Post(url, "application/json", strings.NewReader(`{"method":"status"}`))
		if err == nil {
			resp.Body.Close()
			return
		}
		time.Sleep(time.Second)
	}
}

func Wait(url string) { waitForServer(url) }

type orderEvent struct {
	Id   string
	Text string
}

// Who gets an event twice can tell by its ID.
func SendEvent(ctx context.Context, url string, ev *orderEvent) (err error) {
	for n := range 3 {
		body, err := json.Marshal(ev)
		if err != nil {
			return err
		}
		resp, err := http.Post(url, "application/json", bytes.NewReader(body))
		if err == nil {
			return resp.Body.Close()
		}
		if err := wait(ctx, n); err != nil {
			return err
		}
	}
	return err
}

// A page that was fetched is none that failed before.
func Refresh(ctx context.Context, each func() error, url string) {
	update := func() error {
		for next := url; next != ""; {
			resp, err := http.Get(next)
			if err != nil {
				return err
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return statusError{resp.StatusCode}
			}
			next = resp.Header.Get("Link")
		}
		return nil
	}
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := update(); err != nil {
				log.Print(err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// A Job runs again after a time, as long as some attempts are left.
type Job struct {
	url  string
	left int
}

func (j *Job) Run() {
	resp, err := http.Post(j.url, "text/plain", strings.NewReader("order")) // want "http.Post sends a POST again after a transport error"
	if err != nil {
		if j.left--; j.left > 0 {
			time.AfterFunc(time.Minute, j.Run)
		}
		return
	}
	resp.Body.Close()
}

// secrets fetches what the server knows of a name.
func secrets(url, name string) (data []byte, err error) {
	for range 3 {
		resp, err := http.Post(url, "application/json", strings.NewReader(name))
		if err == nil {
			data, err = io.ReadAll(resp.Body)
			resp.Body.Close()
			return data, err
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

func Secrets(url string) ([]byte, error) { return secrets(url, "a") }
