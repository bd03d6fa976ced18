package falsepos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"

	"fixtures/retrypolicy/falsepos/later"
)

// A failedFetch has the answer inside.
type failedFetch struct{ *http.Response }

func (f failedFetch) Error() string { return fmt.Sprint("status ", f.StatusCode) }

func fetchDoc(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, resp.Body)
		return nil, failedFetch{Response: resp}
	}
	return io.ReadAll(resp.Body)
}

// maybeLater asks another package about the status, after what comes before && is true.
func maybeLater(err error) bool {
	var unreachable net.Error
	var failed failedFetch
	return errors.As(err, &unreachable) || strings.HasPrefix(err.Error(), "stream error:") || errors.As(err, &failed) && later.Worth(failed.StatusCode)
}

// What the status says is asked elsewhere.
func AskedElsewhere(ctx context.Context, url string) (doc []byte, err error) {
	for range 5 {
		if doc, err = fetchDoc(ctx, url); err == nil || !maybeLater(err) {
			return doc, err
		}
		if err := hold(ctx, pause); err != nil {
			return nil, err
		}
	}
	return nil, err
}

// A code is a status that is an error.
type code int

func (c code) Error() string { return fmt.Sprint("status ", int(c)) }

func (c code) later() bool {
	switch c {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	default:
		return false
	}
}

func fetchOrCode(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return "", fmt.Errorf("fetching %s: %w", url, code(resp.StatusCode))
	}
	return string(data), nil
}

// The status that is wrapped is asked whether it may change.
func WrappedStatus(url string) (doc string, err error) {
	err = backoff.Retry(func() error {
		if doc, err = fetchOrCode(url); err != nil {
			var c code
			if errors.As(err, &c) && !c.later() {
				return backoff.Permanent(err)
			}
		}
		return err
	}, backoff.NewExponentialBackOff())
	return doc, err
}

// The text has the status in it.
func ByTheText(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = putText(ctx, url); err == nil || !strings.Contains(err.Error(), "503") {
			return err
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func putText(ctx context.Context, url string) error {
	resp, err := sendText(ctx, url, "text")
	if err != nil {
		return err
	}
	drain(resp)
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// Each page says where the next one is.
func ByLink(ctx context.Context, first string) (all []string, err error) {
	at, err := url.Parse(first)
	if err != nil {
		return nil, err
	}
	for {
		resp, err := http.Get(at.String())
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, string(data))
		link := resp.Header.Get("Link")
		if link == "" {
			return all, nil
		}
		next, err := url.Parse(link)
		if err != nil {
			return nil, err
		}
		at = at.ResolveReference(next)
	}
}

// An element of a list is something else than the one before.
type element struct {
	next *element
	url  string
}

func EachElement(first *element) (n int) {
	for e := first; e != nil; e = e.next {
		resp, err := http.Get(e.url)
		if err != nil {
			continue
		}
		drain(resp)
		if resp.StatusCode != http.StatusOK {
			continue
		}
		n++
	}
	return n
}

// A refresher reads something again and again, as long as it lives.
type refresher struct {
	url  string
	stop chan struct{}
}

// NewRefresher reads it once; the goroutine outlives ctx.
func NewRefresher(ctx context.Context, url string) *refresher {
	r := &refresher{url: url, stop: make(chan struct{})}
	r.refresh(ctx)
	go r.run()
	return r
}

func (r *refresher) run() {
	for {
		time.Sleep(pause)
		select {
		case <-r.stop:
			return
		default:
			r.refresh(context.Background())
		}
	}
}

func (r *refresher) refresh(ctx context.Context) {
	if _, err := fetchDoc(ctx, r.url); err != nil {
		fmt.Println(err)
	}
}

// A cached address is forgotten, and what was found there sent to the first one: that is
// one more attempt, at once.
type hook struct{ cached, first string }

func (h *hook) send(ctx context.Context, text string, depth int) error {
	at, isCached := h.cached, h.cached != ""
	if !isCached {
		at = h.first
	}
	resp, err := sendText(ctx, at, text)
	if err != nil {
		if isCached && depth == 0 {
			h.cached = ""
			return h.send(ctx, text, depth+1)
		}
		return err
	}
	drain(resp)
	return nil
}

// Send begins with none.
func (h *hook) Send(ctx context.Context, text string) error { return h.send(ctx, text, 0) }

// A snapshot is asked for again as it was asked for first, without a body.
func Snapshots(resp *http.Response, show func([]byte)) error {
	req := resp.Request
	for {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			drain(resp)
			return errors.New(resp.Status)
		}
		picture, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		show(picture)
	}
}

// Each pair is tried at the same address.
func EachPair(ctx context.Context, at string, keys, secrets []string) (good []string) {
	for _, key := range keys {
		for _, secret := range secrets {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader("balance"))
			if err != nil {
				continue
			}
			req.Header.Add("API-Key", key)
			req.Header.Add("API-Sign", secret)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				continue
			}
			drain(resp)
			if resp.StatusCode == http.StatusOK {
				good = append(good, key)
			}
		}
	}
	return good
}

// At each tick, all are looked at; one that cannot be asked for is left out.
func WatchAll(ctx context.Context, addresses []string) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			for _, at := range addresses {
				req, err := http.NewRequest(http.MethodHead, at, nil)
				if err != nil {
					continue
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					continue
				}
				drain(resp)
			}
		}
	}
}

// What is left of the least time is waited for.
func AtMostEach(at string) {
	for {
		start := time.Now()
		if resp, err := http.Get(at); err == nil {
			drain(resp)
		}
		if d := time.Since(start); d < pause {
			time.Sleep(pause - d)
		}
	}
}

// It waits as long after it was answered.
func Period(ctx context.Context, at string) {
	for {
		if err := update(ctx, at); err != nil {
			fmt.Println(err)
		}
		time.Sleep(pause)
	}
}

func update(ctx context.Context, at string) error {
	doc, err := fetchDoc(ctx, at)
	if err != nil {
		return err
	}
	fmt.Println(len(doc))
	return nil
}
