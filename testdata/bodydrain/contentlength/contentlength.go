// Package contentlength proves that Content-Length is -1 where an answer is
// chunked: what asks for a positive one does not drain it.
package contentlength

import (
	"io"
	"net/http"
)

const bound = 64 << 10

// DrainIfPositiveLosesTheConnection misses every chunked answer.
func DrainIfPositiveLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	if resp.ContentLength > 0 {
		_, _ = io.CopyN(io.Discard, resp.Body, resp.ContentLength)
	}
	return resp.Body.Close() // want "closed before it is read to its end"
}

func DrainIfUnknownOrSmallKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		if resp.ContentLength == -1 || resp.ContentLength <= bound {
			_, _ = io.CopyN(io.Discard, resp.Body, bound)
		}
		_ = resp.Body.Close()
	}()
	return nil
}

func DrainUnlessEmptyKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.ContentLength != 0 {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return err
}

// NothingSaidNothingReadKeepsIt returns where the answer says that it is empty.
func NothingSaidNothingReadKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.ContentLength == 0 {
		return nil
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// NotPositiveMeansEmptyLosesTheConnection takes -1 for empty.
func NotPositiveMeansEmptyLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.ContentLength <= 0 {
		return nil
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// RefuseUnknownLengthLosesTheConnection refuses what does not say how large it is.
func RefuseUnknownLengthLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.ContentLength < 0 {
		return http.ErrMissingContentLength
	}
	_, err = io.ReadAll(resp.Body)
	return err
}
