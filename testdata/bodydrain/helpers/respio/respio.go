// Package respio has helpers over responses for package helpers.
package respio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"

	"fixtures/bodydrain/helpers/quiet"
)

// Shut closes the body of resp, if there is one.
func Shut(resp *http.Response) {
	if resp != nil && resp.Body != nil {
		if err := resp.Body.Close(); err != nil {
			log.Print(err)
		}
	}
}

// Release reads what is left and closes.
func Release(resp *http.Response) {
	if resp == nil || resp.Body == nil {
		return
	}
	_ = quiet.Finish(resp.Body)
}

// ReleaseInto is Release for a function with a named error.
func ReleaseInto(resp *http.Response, err *error) {
	if derr := quiet.Drain(resp.Body); derr != nil && *err == nil {
		*err = derr
	}
	quiet.CloseInto(resp.Body, err)
}

// Check makes an error of a refusal's text. It reads only then.
func Check(resp *http.Response) error {
	if resp.StatusCode < 300 {
		return nil
	}
	msg, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %.80s", resp.Status, msg)
}

// CheckStatus looks at nothing but the status.
func CheckStatus(resp *http.Response) error {
	if resp.StatusCode < 300 {
		return nil
	}
	return fmt.Errorf("refused: %s", resp.Status)
}

// Bytes reads and closes.
func Bytes(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// A Body is a body with methods to end it.
type Body struct{ io.ReadCloser }

// Done reads what is left and closes.
func (b Body) Done() error {
	if err := quiet.Drain(b); err != nil {
		return err
	}
	return b.Close()
}

// Abort only closes.
func (b *Body) Abort() { quiet.Close(b.ReadCloser) }

// Open sends a request and hands out its response with a function to end it, which
// only closes.
func Open(c *http.Client, url string) (*http.Response, func(), error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, func() {}, err
	}
	return resp, func() { _ = resp.Body.Close() }, nil
}

// OpenKept is Open with a function that reads what is left.
func OpenKept(c *http.Client, url string) (*http.Response, func(), error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, func() {}, err
	}
	return resp, func() { Release(resp) }, nil
}

// Closer makes a function that closes c and joins the error to *err.
func Closer(c io.Closer, err *error) func() {
	return func() { *err = errors.Join(*err, c.Close()) }
}

// Releaser makes a function that reads what is left of resp and closes it.
func Releaser(resp *http.Response) func() {
	return func() {
		_ = quiet.Drain(resp.Body)
		quiet.Close(resp.Body)
	}
}

// An Answer keeps its response to itself.
type Answer struct {
	Status string
	raw    *http.Response
}

// Ask sends a request.
func Ask(c *http.Client, url string) (*Answer, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	return &Answer{resp.Status, resp}, nil
}

// Close only closes.
func (a *Answer) Close() error { return a.raw.Body.Close() }

// Text reads to the end.
func (a *Answer) Text() (string, error) {
	text, err := io.ReadAll(a.raw.Body)
	return string(text), err
}

// Done reads what is left and closes.
func (a *Answer) Done() { Release(a.raw) }

// NoBody reports whether an answer with the status has no body.
func NoBody(code int) bool { return code == http.StatusNoContent || code == http.StatusNotModified }

// NothingNew reports whether the answer has no body.
func NothingNew(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusNoContent, http.StatusNotModified:
		return true
	}
	return false
}

// Must returns v, or panics.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A Refusal is the error that a refused request ends in.
type Refusal struct {
	Response *http.Response `json:"-"`
	Reason   string
}

func (r *Refusal) Error() string { return r.Response.Status + ": " + r.Reason }

// Refused makes a Refusal of the status.
func Refused(resp *http.Response) error {
	if resp.StatusCode < 300 {
		return nil
	}
	return &Refusal{Response: resp}
}

// ReadRefused makes a Refusal of what a refusal's body says. It reads only then.
func ReadRefused(resp *http.Response) error {
	if resp.StatusCode < 300 {
		return nil
	}
	r := &Refusal{Response: resp}
	if text, err := io.ReadAll(resp.Body); err == nil {
		json.Unmarshal(text, r)
	}
	return r
}

// A Page is a response with a number.
type Page struct {
	*http.Response
	Number int
}

// NewPage makes a Page of a response.
func NewPage(resp *http.Response) *Page { return &Page{Response: resp} }
