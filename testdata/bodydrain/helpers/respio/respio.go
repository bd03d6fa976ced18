// Package respio has helpers over responses for package helpers.
package respio

import (
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
