// Package deferorder proves that deferred calls run last first: a drain must be
// deferred behind the Close to run before it.
package deferorder

import (
	"errors"
	"io"
	"net/http"
)

// DrainDeferredBeforeTheCloseLosesTheConnection drains a closed body.
func DrainDeferredBeforeTheCloseLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer io.Copy(io.Discard, resp.Body)
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func DrainDeferredBehindTheCloseKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	defer io.Copy(io.Discard, resp.Body)
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// DrainBehindTheCloseLosesTheConnection does both in one literal, the wrong way round.
func DrainBehindTheCloseLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		resp.Body.Close() // want "closed before it is read to its end"
		io.Copy(io.Discard, resp.Body)
	}()
	return nil
}

// DeferredInsideTheLiteralKeepsIt defers the Close in the deferred literal.
func DeferredInsideTheLiteralKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		defer resp.Body.Close()
		io.Copy(io.Discard, resp.Body)
	}()
	return nil
}

// DrainDeferredTooLateLosesTheConnection returns before the drain is deferred.
func DrainDeferredTooLateLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	defer io.Copy(io.Discard, resp.Body)
	return nil
}

// DrainDeferredInABranchLosesTheConnection defers it for refusals only.
func DrainDeferredInABranchLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		defer io.Copy(io.Discard, resp.Body)
		return errors.New(resp.Status)
	}
	return nil
}
