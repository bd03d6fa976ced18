package helpers

import (
	"io"
	"net/http"

	"fixtures/bodydrain/helpers/quiet"
)

// A function in a variable is the function: closeIt and drainIt have one value each.
var (
	closeIt = func(c io.Closer) { _ = c.Close() }
	drainIt = func(rc io.ReadCloser) {
		_, _ = io.Copy(io.Discard, rc)
		closeIt(rc)
	}
)

func VariableLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer closeIt(resp.Body) // want "closed before it is read to its end by closeIt"
	return nil
}

func VariableKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer drainIt(resp.Body)
	return nil
}

func LocalVariableLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	done := func(c io.Closer) {
		_ = c.Close() // want "closed before it is read to its end"
	}
	done(resp.Body)
	return nil
}

// NamedByAVariableKeepsIt calls a function of another package by another name.
func NamedByAVariableKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	rest := quiet.Drain
	return rest(resp.Body)
}

// finish drains if it is told to.
func finish(resp *http.Response, drain bool) {
	if drain {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	_ = resp.Body.Close()
}

func ToldToDrainKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	finish(resp, true)
	return nil
}

func ToldNotToDrainLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	finish(resp, false) // want "closed before it is read to its end by finish"
	return nil
}

func ToldByTheStatusLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	ok := resp.StatusCode == http.StatusOK
	finish(resp, ok) // want "closed before it is read to its end by finish"
	return nil
}

// AfterTheErrorKeepsIt is told of the error: where there is one, there is no body.
func AfterTheErrorKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	settle(resp, err)
	return err
}

func settle(resp *http.Response, err error) {
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}
