// Package loops proves that a pool that each iteration of a loop makes anew is
// found wherever the loop is: retries, tickers, functions that run once.
package loops

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/avast/retry-go/v4"
	"golang.org/x/sync/errgroup"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func init() {
	for range 0 {
		c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes a connection pool in each iteration of the loop, used and dropped: make it before the loop`
		read(c.Get("http://localhost"))
	}
}

// NewAll is a constructor; what it does for each is none.
func NewAll(url string) error {
	for range 3 {
		c := &http.Client{Transport: &http.Transport{}} // want `in each iteration of the loop`
		if err := read(c.Get(url)); err != nil {
			return err
		}
	}
	return nil
}

func RunPoll(ctx context.Context, url string) error {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for range 3 {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
			if err := read(c.Get(url)); err != nil {
				return err
			}
		}
	}
	return nil
}

func Retries(url string) error {
	var err error
	for range 3 {
		c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
		var resp *http.Response
		resp, err = c.Get(url)
		if err == nil {
			return read(resp, nil)
		}
	}
	return err
}

func attempt(url string) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	return read(c.Get(url))
}

func Run(url string) error {
	for range 3 {
		if err := attempt(url); err != nil {
			return err
		}
	}
	return nil
}

func RetryLibrary(url string) error {
	return retry.Do(func() error {
		c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
		return read(c.Get(url))
	})
}

func MadeBeforeRetries(url string) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes a connection pool in each call of MadeBeforeRetries`
	return retry.Do(func() error { return read(c.Get(url)) })
}

func withRetry(f func() error) (err error) {
	for range 3 {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

func MadeBeforeOwnRetries(url string) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	return withRetry(func() error { return read(c.Get(url)) })
}

func Concurrent(urls ...string) error {
	var g errgroup.Group
	for _, url := range urls {
		g.Go(func() error {
			c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
			return read(c.Get(url))
		})
	}
	return g.Wait()
}

func MadeBeforeConcurrent(urls ...string) error {
	c := &http.Client{Transport: &http.Transport{}} // want `in each call of MadeBeforeConcurrent`
	var g errgroup.Group
	for _, url := range urls {
		g.Go(func() error { return read(c.Get(url)) })
	}
	return g.Wait()
}

// Start makes one client and polls with it as long as it lives.
func Poll(ctx context.Context, url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	for {
		if ctx.Err() != nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
			read(c.Get(url))
		}
	}
	return nil
}

// NewOnes collects what it makes.
func NewOnes(urls ...string) ([]*http.Client, error) {
	var list []*http.Client
	for _, url := range urls {
		c := &http.Client{Transport: &http.Transport{}}
		if err := read(c.Get(url)); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}
