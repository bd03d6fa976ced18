// Package memory proves that a body in memory has no connection to lose.
package memory

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
)

// buffered reads all, and returns a copy.
func buffered(c *http.Client, url string) (*http.Response, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	return resp, nil
}

func CopyKeepsIt(c *http.Client, url string) error {
	resp, err := buffered(c, url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// CopiedHereKeepsIt replaces the body and closes the copy.
func CopiedHereKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return err
	}
	resp.Body = io.NopCloser(bytes.NewBuffer(raw))
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// NoCloserAroundTheBodyLosesTheConnection reads a part through a wrapper, and closes
// the body behind it.
func NoCloserAroundTheBodyLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	wire := resp.Body
	resp.Body = io.NopCloser(io.LimitReader(wire, 10))
	_, _ = io.ReadAll(resp.Body)
	return wire.Close() // want "closed before it is read to its end"
}

func RecorderHasNone(h http.Handler) (string, error) {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
	res := rec.Result()
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", errors.New(res.Status)
	}
	return res.Header.Get("ETag"), nil
}

func ReadFromAFileHasNone(name string) (int, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	resp, err := http.ReadResponse(bufio.NewReader(f), nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}

// ConnectHasItsOwn asks a proxy over a connection that no pool keeps.
func ConnectHasItsOwn(conn net.Conn, host string) error {
	req := &http.Request{Method: http.MethodConnect, Host: host, Header: make(http.Header)}
	if err := req.Write(conn); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func MadeUpHasNone(req *http.Request) string {
	resp := &http.Response{
		StatusCode: http.StatusGatewayTimeout,
		Body:       io.NopCloser(strings.NewReader("late")),
		Request:    req,
	}
	defer resp.Body.Close()
	return http.StatusText(resp.StatusCode)
}

// ServersRequestHasNone closes a request's body, which is the server's business.
func ServersRequestHasNone(w http.ResponseWriter, r *http.Request) {
	defer r.Body.Close()
	if r.ContentLength > 1<<20 {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	_, _ = io.Copy(w, r.Body)
}
