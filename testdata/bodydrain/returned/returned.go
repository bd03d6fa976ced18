// Package returned proves that functions which return a response or a body still
// close the refused ones inside, and that their callers have a body to read.
package returned

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// OpenLosesTheConnection closes what it refuses, and returns the rest.
func OpenLosesTheConnection(c *http.Client, url string) (io.ReadCloser, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close() // want "closed before it is read to its end"
		return nil, fmt.Errorf("open: %s", resp.Status)
	}
	return resp.Body, nil
}

func OpenKeepsIt(c *http.Client, url string) (io.ReadCloser, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		msg, _ := io.ReadAll(resp.Body)
		return nil, fmt.Errorf("open: %s: %.80s", resp.Status, msg)
	}
	return resp.Body, nil
}

// FetchLosesTheConnection closes each refused attempt.
func FetchLosesTheConnection(c *http.Client, url string) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := c.Get(url)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < 500 || n == 2 {
			return resp, nil
		}
		resp.Body.Close() // want "closed before it is read to its end"
		time.Sleep(time.Millisecond)
	}
}

func FetchKeepsIt(c *http.Client, url string) (resp *http.Response, err error) {
	for range 3 {
		if resp, err = c.Get(url); err != nil {
			return nil, err
		}
		if resp.StatusCode < 500 {
			return resp, nil
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	return nil, errors.New("gave up")
}

// ResponseAndErrorLosesTheConnection returns the response for its header, closed.
func ResponseAndErrorLosesTheConnection(c *http.Client, url string) (*http.Response, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return resp, errors.New(resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return resp, err
}

// stream is a body with what belongs to it.
type stream struct {
	*gzip.Reader
	body io.Closer
}

func (s *stream) Close() error { return errors.Join(s.Reader.Close(), s.body.Close()) }

func WrappedInATypeKeepsIt(c *http.Client, url string) (io.ReadCloser, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return nil, err
	}
	return &stream{z, resp.Body}, nil
}

// WrappedAfterACheckLosesTheConnection closes what is no gzip file.
func WrappedAfterACheckLosesTheConnection(c *http.Client, url string) (io.ReadCloser, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	if resp.Header.Get("Content-Encoding") != "gzip" {
		resp.Body.Close() // want "closed before it is read to its end"
		return nil, errors.New("not compressed")
	}
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		return nil, errors.Join(err, resp.Body.Close())
	}
	return &stream{z, resp.Body}, nil
}

// open returns a body whatever the status.
func open(c *http.Client, url string) (io.ReadCloser, int, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, 0, err
	}
	return resp.Body, resp.StatusCode, nil
}

// CallerOfOpenLosesTheConnection closes the body that it was given.
func CallerOfOpenLosesTheConnection(c *http.Client, url string) error {
	body, status, err := open(c, url)
	if err != nil {
		return err
	}
	defer body.Close() // want "closed before it is read to its end"
	if status != http.StatusOK {
		return fmt.Errorf("status %d", status)
	}
	_, err = io.ReadAll(body)
	return err
}

func CallerOfOpenKeepsIt(c *http.Client, url string) error {
	body, status, err := open(c, url)
	if err != nil {
		return err
	}
	defer body.Close()
	raw, err := io.ReadAll(body)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d: %.80s", status, raw)
	}
	return err
}

// CallerOfFetchLosesTheConnection is a call away from the request.
func CallerOfFetchLosesTheConnection(c *http.Client, url string) error {
	resp, err := FetchKeepsIt(c, url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode == http.StatusNotFound {
		return nil
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// result carries a response.
type result struct {
	url  string
	resp *http.Response
	err  error
}

func fetch(c *http.Client, url string) result {
	resp, err := c.Get(url)
	return result{url, resp, err}
}

// FieldLosesTheConnection closes the response in a struct.
func FieldLosesTheConnection(c *http.Client, url string) error {
	r := fetch(c, url)
	if r.err != nil {
		return r.err
	}
	defer r.resp.Body.Close() // want "closed before it is read to its end"
	if r.resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", r.url, r.resp.Status)
	}
	_, err := io.ReadAll(r.resp.Body)
	return err
}

func FieldKeepsIt(c *http.Client, url string) error {
	r := fetch(c, url)
	if r.err != nil {
		return r.err
	}
	defer r.resp.Body.Close()
	_, err := io.ReadAll(r.resp.Body)
	return err
}

func crawl(c *http.Client, urls ...string) <-chan result {
	out := make(chan result)
	go func() {
		defer close(out)
		for _, u := range urls {
			out <- fetch(c, u)
		}
	}()
	return out
}

// ChannelLosesTheConnection closes what comes out of a channel.
func ChannelLosesTheConnection(c *http.Client, url string) (up int, err error) {
	for r := range crawl(c, url) {
		if r.err != nil {
			err = errors.Join(err, r.err)
			continue
		}
		if r.resp.StatusCode == http.StatusOK {
			up++
		}
		r.resp.Body.Close() // want "closed before it is read to its end"
	}
	return up, err
}

func ChannelKeepsIt(c *http.Client, url string) (up int, err error) {
	for r := range crawl(c, url) {
		if r.err != nil {
			err = errors.Join(err, r.err)
			continue
		}
		if _, cerr := io.Copy(io.Discard, r.resp.Body); cerr == nil && r.resp.StatusCode == http.StatusOK {
			up++
		}
		r.resp.Body.Close()
	}
	return up, err
}

// OneOfTwoLosesTheConnection takes a response off a channel of responses.
func OneOfTwoLosesTheConnection(c *http.Client, url string) error {
	answers := make(chan *http.Response, 1)
	go func() {
		defer close(answers)
		if resp, err := c.Get(url); err == nil {
			answers <- resp
		}
	}()
	resp, ok := <-answers
	if !ok {
		return errors.New("no answer")
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err := io.ReadAll(resp.Body)
	return err
}

// API wraps each call's response.
type API struct{ C *http.Client }

// Reply is a response of the API.
type Reply struct {
	*http.Response
	Limit string
}

func (a *API) call(ctx context.Context, url string) (*Reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := a.C.Do(req)
	if err != nil {
		return nil, err
	}
	return &Reply{Response: resp, Limit: resp.Header.Get("X-Limit")}, nil
}

// EmbeddedResponseLosesTheConnection closes through the embedded field.
func (a *API) EmbeddedResponseLosesTheConnection(ctx context.Context, url string) (string, error) {
	r, err := a.call(ctx, url)
	if err != nil {
		return "", err
	}
	defer r.Body.Close() // want "closed before it is read to its end"
	return r.Limit, nil
}

func (a *API) EmbeddedResponseKeepsIt(ctx context.Context, url string) (string, error) {
	r, err := a.call(ctx, url)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	_, err = io.ReadAll(r.Body)
	return r.Limit, err
}

// CancelOnCloseKeepsIt only replaces the body by one that does more on Close.
func CancelOnCloseKeepsIt(c *http.Client, url string) (*http.Response, error) {
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	resp, err := c.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = &cancelBody{resp.Body, cancel}
	return resp, nil
}

type cancelBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *cancelBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

func statusError(resp *http.Response) error {
	if resp.StatusCode/100 == 2 {
		return nil
	}
	return fmt.Errorf("refused: %s", resp.Status)
}

// CheckedLosesTheConnection closes what a check refuses.
func CheckedLosesTheConnection(c *http.Client, url string) (*http.Response, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	} else if err := statusError(resp); err != nil {
		resp.Body.Close() // want "closed before it is read to its end"
		return nil, err
	}
	return resp, nil
}

// SelectLosesTheConnection takes the answer or gives up.
func SelectLosesTheConnection(c *http.Client, url string) error {
	answers := make(chan result, 1)
	go func() { answers <- fetch(c, url) }()
	select {
	case r := <-answers:
		if r.err != nil {
			return r.err
		}
		defer r.resp.Body.Close() // want "closed before it is read to its end"
		return statusError(r.resp)
	case <-time.After(time.Minute):
		return context.DeadlineExceeded
	}
}
