package roundtrip

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// What a client's transport does to its answers is seen if it is of this package.

// whole reads each answer and hands out a copy.
type whole struct{ next http.RoundTripper }

func (w whole) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	return resp, nil
}

func AnswersInMemoryKeepIt(c *http.Client, url string) error {
	client := &http.Client{Transport: whole{c.Transport}}
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// rest reads what is left when it is closed.
type rest struct{ io.ReadCloser }

func (r rest) Close() error {
	_, _ = io.Copy(io.Discard, r.ReadCloser)
	return r.ReadCloser.Close()
}

type drainingTransport struct{ next http.RoundTripper }

func (d *drainingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := d.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = rest{resp.Body}
	return resp, nil
}

func newDraining(next http.RoundTripper) *drainingTransport { return &drainingTransport{next} }

func ClosingDrainsKeepsIt(c *http.Client, url string) error {
	client := &http.Client{Transport: newDraining(c.Transport)}
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// cancelling ends the request's context with the answer. Its Close is the body's.
type cancelling struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c cancelling) Close() error {
	c.cancel()
	return c.ReadCloser.Close()
}

type limitedTransport struct{ next http.RoundTripper }

func (l limitedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	resp, err := l.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = cancelling{resp.Body, cancel}
	return resp, nil
}

func CancellingWrapperLosesTheConnection(c *http.Client, url string) error {
	client := &http.Client{Transport: limitedTransport{c.Transport}}
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close() // want "closed before it is read to its end"
}

func CancellingWrapperReadKeepsIt(c *http.Client, url string) error {
	client := &http.Client{Transport: limitedTransport{c.Transport}}
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
