// Package hopeless proves that retries of what cannot succeed are found.
package hopeless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
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

func BadURL(ctx context.Context, url string) error {
	var last error
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/doc", nil) // want "an error of http\\.NewRequestWithContext is retried"
		if err != nil {
			last = err
			time.Sleep(0)
			continue
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
		last = err
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return last
}

func ClientErrors(ctx context.Context, url string) (err error) {
	for i := 0; i < 3; i++ {
		var req *http.Request
		req, err = http.NewRequestWithContext(ctx, http.MethodPut, url+"/doc", strings.NewReader("doc"))
		if err != nil {
			return err
		}
		var resp *http.Response
		resp, err = http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do is retried after a 4xx status"
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode < 300 {
				return nil
			}
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// Silent: 4xx ends it.
func ServerErrors(ctx context.Context, url string) (err error) {
	for i := 0; i < 3; i++ {
		var req *http.Request
		req, err = http.NewRequestWithContext(ctx, http.MethodPut, url+"/doc", strings.NewReader("doc"))
		if err != nil {
			return err
		}
		var resp *http.Response
		resp, err = http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			switch code := resp.StatusCode; {
			case code < 300:
				return nil
			case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500:
				err = fmt.Errorf("status %d", code)
			default:
				return fmt.Errorf("status %d", code)
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func fetch(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/doc", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return io.ReadAll(resp.Body)
}

func FetchAgain(ctx context.Context, url string) (doc string, err error) {
	for i := 0; i < 3; i++ {
		resp, err := http.Get(url + "/doc") // want "http\\.Get is retried after a 4xx status"
		if err != nil {
			if err := wait(ctx, pause); err != nil {
				return "", err
			}
			continue
		}
		if resp.StatusCode >= 400 {
			resp.Body.Close()
			if err := wait(ctx, pause); err != nil {
				return "", err
			}
			continue
		}
		err = json.NewDecoder(resp.Body).Decode(&doc)
		resp.Body.Close()
		return doc, err
	}
	return "", errors.New("no answer")
}

func AfterCancel(ctx context.Context, url string) ([]byte, error) {
	for i := 0; ; i++ {
		data, err := fetch(ctx, url) // want "fetch is retried after context\\.Canceled"
		if err == nil {
			return data, nil
		}
		if i < 3 && (errors.Is(err, context.Canceled) || errors.Is(err, io.ErrUnexpectedEOF)) {
			time.Sleep(pause) // want "time\\.Sleep waits for the next attempt without looking at ctx"
			continue
		}
		return nil, err
	}
}

func temporary(err error) bool {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	}
	return true
}

// Silent: cancelled contexts end it.
func NotAfterCancel(ctx context.Context, url string) ([]byte, error) {
	for i := 0; ; i++ {
		data, err := fetchOK(ctx, url)
		if err == nil || i == 3 || !temporary(err) {
			return data, err
		}
		if err := wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

func fetchOK(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/doc", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// Silent: waits until it is there.
func UntilReady(ctx context.Context, url string) error {
	for range 30 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/ready", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("not ready")
}

// Silent: not yet there.
func UntilFound(ctx context.Context, url string) ([]byte, error) {
	for range 30 {
		resp, err := http.Get(url + "/doc")
		if err != nil {
			return nil, err
		}
		if resp.StatusCode == http.StatusNotFound {
			resp.Body.Close()
			if err := wait(ctx, pause); err != nil {
				return nil, err
			}
			continue
		}
		defer resp.Body.Close()
		return io.ReadAll(resp.Body)
	}
	return nil, errors.New("not found")
}

func BadAddress(ctx context.Context, address string) error {
	for range 3 {
		u, err := url.Parse(address + "/doc") // want "an error of url\\.Parse is retried"
		if err != nil {
			if err := wait(ctx, pause); err != nil {
				return err
			}
			continue
		}
		resp, err := http.Get(u.String())
		if err == nil {
			return resp.Body.Close()
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("no answer")
}

func decode(resp *http.Response, doc *string) error {
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(doc)
}

// A helper reads the answer.
func DecodedByAHelper(ctx context.Context, url string) (err error) {
	var doc string
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do is retried after a 4xx status"
		if err == nil && resp.StatusCode == http.StatusOK {
			return decode(resp, &doc)
		}
		if err == nil {
			resp.Body.Close()
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("no document")
}

// Silent: what is refused is not asked for again.
func Copied(ctx context.Context, url string) (err error) {
	var doc strings.Builder
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil && resp.StatusCode == http.StatusOK {
			_, err = io.Copy(&doc, resp.Body)
			resp.Body.Close()
			return err
		}
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusTooManyRequests {
				return errors.New(resp.Status)
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("no document")
}

func refused(code int) bool { return code < 200 || code > 299 }

// What judges has a name that says nothing, but only failures are followed by another
// round.
func JudgedByAFunction(ctx context.Context, url string) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader("doc"))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do is retried after a 4xx status"
		if err != nil {
			return err
		}
		resp.Body.Close()
		if !refused(resp.StatusCode) {
			return nil
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("refused")
}

// Repeat repeats whatever it is given.
func Repeat(f func() error) error {
	return backoff.RetryNotify(f, backoff.WithMaxRetries(backoff.NewExponentialBackOff(), 3), func(error, time.Duration) {}) // want "f is retried after a 4xx status"
}

// RepeatedByAHelper does not say which of its errors are for good.
func RepeatedByAHelper(ctx context.Context, url string) error {
	return Repeat(func() error { return put(ctx, url) })
}

func put(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url+"/doc", strings.NewReader("doc"))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}
