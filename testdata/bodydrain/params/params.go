// Package params proves that a function which takes a response and closes it is
// answerable for reading it.
package params

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

var errConflict = errors.New("conflict")

// DecodeLosesTheConnection owns the response, and has a way out that reads nothing.
func DecodeLosesTheConnection(resp *http.Response) error {
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode == http.StatusConflict {
		return errConflict
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %.80s", resp.Status, raw)
	}
	var v any
	return json.Unmarshal(raw, &v)
}

func DecodeKeepsIt(resp *http.Response) error {
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode == http.StatusConflict:
		return errConflict
	}
	var v any
	return json.Unmarshal(raw, &v)
}

// SnippetLosesTheConnection reads a part of a refusal.
func SnippetLosesTheConnection(resp *http.Response) error {
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		msg := make([]byte, 100)
		n, _ := resp.Body.Read(msg)
		return fmt.Errorf("%s: %s", resp.Status, msg[:n])
	}
	_, err := io.ReadAll(resp.Body)
	return err
}

// CloseOnRefusalLosesTheConnection closes what it refuses and leaves the rest to
// its caller.
func CloseOnRefusalLosesTheConnection(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close() // want "closed before it is read to its end"
		return errors.New(resp.Status)
	}
	return nil
}

// LookAtTheStatusKeepsIt neither reads nor closes: the response stays its caller's.
func LookAtTheStatusKeepsIt(resp *http.Response) error {
	if resp.StatusCode >= http.StatusInternalServerError {
		return errors.New(resp.Status)
	}
	return nil
}

// DrainedKeepsIt reads in the deferred literal.
func DrainedKeepsIt(resp *http.Response) error {
	defer func() {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}()
	if resp.StatusCode == http.StatusConflict {
		return errConflict
	}
	return nil
}

// BodyLosesTheConnection takes the body alone.
func BodyLosesTheConnection(status int, body io.ReadCloser) error {
	defer body.Close() // want "closed before it is read to its end"
	if status >= 400 {
		return fmt.Errorf("status %d", status)
	}
	_, err := io.ReadAll(body)
	return err
}

func send(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	return BodyLosesTheConnection(resp.StatusCode, resp.Body)
}

// handler is what is registered for an answer, as hooks and visitors are.
type handler func(*http.Response) error

var handlers = map[int]handler{
	http.StatusOK:       DecodeKeepsIt,
	http.StatusConflict: DecodeLosesTheConnection,
}

// DispatchKeepsIt hands the response to a function it does not know.
func DispatchKeepsIt(resp *http.Response) error {
	if h, ok := handlers[resp.StatusCode]; ok {
		return h(resp)
	}
	return DrainedKeepsIt(resp)
}

var _ = send
