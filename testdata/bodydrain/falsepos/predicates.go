package falsepos

import (
	"context"
	"io"
	"net/http"
	"slices"

	"fixtures/bodydrain/falsepos/applog"
)

// PredicateKeepsIt is told of the statuses without a body by a function literal.
func PredicateKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	noBody := func(resp *http.Response) bool {
		if resp.StatusCode == http.StatusNoContent {
			return true
		}
		return resp.StatusCode == http.StatusNotModified
	}
	if noBody(resp) {
		return nil
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// CancelledIsGivenUp cancels the request first: the connection is meant to go. To
// drain the body would be in vain then.
func CancelledIsGivenUp(c *http.Client, url string) error {
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		cancel()
		return err
	}
	defer func() { cancel(); resp.Body.Close() }()
	_, err = resp.Body.Read(make([]byte, 16))
	return err
}

// AskedByAReaderKeepsIt asks a function that reads the body of what it judges.
func AskedByAReaderKeepsIt(c *http.Client, url string) error {
	for range 3 {
		resp, err := c.Get(url)
		again := broken(resp, err)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if !again {
			break
		}
	}
	return nil
}

var broken = func(resp *http.Response, err error) bool {
	if err != nil {
		return true
	}
	text, err := io.ReadAll(resp.Body)
	return err != nil || len(text) == 0
}

// ContainsKeepsIt has a list of the statuses without a body.
func ContainsKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if slices.Contains([]int{http.StatusNoContent, http.StatusNotModified}, resp.StatusCode) {
		return nil
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// NotModifiedInAVariableKeepsIt looks at the status before.
func NotModifiedInAVariableKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	same := resp.StatusCode == http.StatusNotModified
	if same {
		return nil
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// ComparedByAFunctionKeepsIt asks a function that compares.
func ComparedByAFunctionKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if notModified(resp) {
		return nil
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func notModified(resp *http.Response) bool { return resp.StatusCode == http.StatusNotModified }

// LoggersPanicKeepsIt: nobody asks for a connection after it.
func LoggersPanicKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		applog.Panicf("status %d", resp.StatusCode)
		return nil
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func LoggersInfoLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want `resp.Body is closed before it is read to its end`
	if resp.StatusCode != http.StatusOK {
		applog.Infof("status %d", resp.StatusCode)
		return nil
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
