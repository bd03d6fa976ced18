// Package bodyless proves that there is nothing to read where there is no body, and
// nothing to gain where the connection ends with the response.
package bodyless

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

func HeadKeepsIt(c *http.Client, url string) error {
	resp, err := c.Head(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func HeadRequestKeepsIt(c *http.Client, url string) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodHead, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	return nil
}

func NoContentKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNoContent {
		return nil
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

func NotModifiedKeepsIt(c *http.Client, url string) error {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("If-None-Match", `"1"`)
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode == 304 {
		return resp.Body.Close()
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// UpgradeEndsIt leaves the connection to another protocol.
func UpgradeEndsIt(c *http.Client, url string) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp.Body.Close()
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// RequestCloseEndsIt asks for a connection of its own.
func RequestCloseEndsIt(c *http.Client, url string) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Close = true
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// CloseHeaderEndsIt asks the server.
func CloseHeaderEndsIt(c *http.Client, url string) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Connection", "close")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return nil
}

// ReadUnlessTheServerClosesKeepsIt reads where the server keeps the connection.
func ReadUnlessTheServerClosesKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.Close {
		return nil
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// oneShot keeps no connection.
var oneShot = &http.Client{
	Transport: &http.Transport{DisableKeepAlives: true},
	Timeout:   5 * time.Second,
}

// KeepAlivesDisabledEndsIt sends by a client that keeps no connection.
func KeepAlivesDisabledEndsIt(_ *http.Client, url string) error {
	resp, err := oneShot.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return nil
}

// KeepAlivesDisabledHereEndsIt makes the client where it is used.
func KeepAlivesDisabledHereEndsIt(_ *http.Client, url string) error {
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.DisableKeepAlives = true
	c := http.Client{Transport: tr}
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return nil
}

// FreshTransportEndsIt has a pool that nobody uses again.
func FreshTransportEndsIt(_ *http.Client, url string) error {
	tr := &http.Transport{ResponseHeaderTimeout: time.Second}
	defer tr.CloseIdleConnections()
	resp, err := (&http.Client{Transport: tr}).Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return nil
}

func onlyHTTP2() *http.Transport {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	return &http.Transport{Protocols: &p}
}

var mesh = &http.Client{Transport: onlyHTTP2()}

// OnlyHTTP2KeepsIt resets a stream of the connection.
func OnlyHTTP2KeepsIt(_ *http.Client, url string) error {
	resp, err := mesh.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// LastResponseLosesTheConnection gets the redirect itself, whose body is open.
func LastResponseLosesTheConnection(c *http.Client, url string) (string, error) {
	noFollow := &http.Client{Transport: c.Transport, CheckRedirect: stay}
	resp, err := noFollow.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return resp.Header.Get("Location"), nil
}
