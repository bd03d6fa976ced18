// Package fixes proves what is offered in place of a Close: a bounded drain before
// it, in the form that the code has.
package fixes

import (
	"errors"
	"io"
	"net/http"
)

// DeferredCloseLosesTheConnection gets a deferred literal.
func DeferredCloseLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// CloseStatementLosesTheConnection gets a line before it.
func CloseStatementLosesTheConnection(c *http.Client, url string) error {
	res, err := c.Get(url)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		res.Body.Close() // want "closed before it is read to its end"
		return errors.New(res.Status)
	}
	defer res.Body.Close()
	_, err = io.ReadAll(res.Body)
	return err
}

// CheckedCloseLosesTheConnection gets it in the literal that is there.
func CheckedCloseLosesTheConnection(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := resp.Body.Close(); err == nil { // want "closed before it is read to its end"
			err = cerr
		}
	}()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// ReturnedCloseLosesTheConnection returns Close's error.
func ReturnedCloseLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close() // want "closed before it is read to its end"
}
