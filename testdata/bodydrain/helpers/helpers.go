// Package helpers proves that it does not matter who reads and who closes: a
// helper that only closes loses the connection, one that reads first keeps it.
package helpers

import (
	"errors"
	"io"
	"log"
	"net/http"
	"strings"

	"fixtures/bodydrain/helpers/quiet"
	"fixtures/bodydrain/helpers/respio"
)

func closeBody(resp *http.Response) {
	if err := resp.Body.Close(); err != nil {
		log.Print(err)
	}
}

func drainBody(resp *http.Response) {
	_, _ = io.Copy(io.Discard, resp.Body)
	closeBody(resp)
}

// CloserLosesTheConnection defers a helper that closes.
func CloserLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer closeBody(resp) // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

func DrainerKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer drainBody(resp)
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// QuietCloserLosesTheConnection calls one of a package without net/http.
func QuietCloserLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer quiet.Close(resp.Body) // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return quiet.Drain(resp.Body)
}

func QuietDrainKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer quiet.Close(resp.Body)
	return quiet.Drain(resp.Body)
}

func QuietFinishKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer quiet.Finish(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// FirstByteLosesTheConnection uses a helper that reads a part.
func FirstByteLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if b, err := quiet.First(resp.Body); err != nil || b != '{' {
		return errors.New("no object")
	}
	return nil
}

// ShutLosesTheConnection calls a closer of another package, before the error is
// looked at.
func ShutLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	defer respio.Shut(resp) // want "closed before it is read to its end"
	if err != nil {
		return err
	}
	return respio.CheckStatus(resp)
}

func ReleaseKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	defer respio.Release(resp)
	if err != nil {
		return err
	}
	return respio.CheckStatus(resp)
}

func ReleaseIntoTheNamedErrorKeepsIt(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer respio.ReleaseInto(resp, &err)
	return respio.CheckStatus(resp)
}

// CloseIntoTheNamedErrorLosesTheConnection hands the error's address to a closer.
func CloseIntoTheNamedErrorLosesTheConnection(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer quiet.CloseInto(resp.Body, &err) // want "closed before it is read to its end"
	return respio.CheckStatus(resp)
}

// CheckReadsOnlyRefusalsLosesTheConnection relies on a check that reads the body
// only of what it refuses.
func CheckReadsOnlyRefusalsLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Post(url, "text/plain", strings.NewReader("go"))
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return respio.Check(resp)
}

// CheckThenReadKeepsIt reads what the check did not.
func CheckThenReadKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := respio.Check(resp); err != nil {
		return err
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// CheckStatusLosesTheConnection returns with the error of a check that reads nothing.
func CheckStatusLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if err := respio.CheckStatus(resp); err != nil {
		return err
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

func BytesKeepsIt(c *http.Client, url string) ([]byte, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	return respio.Bytes(resp)
}

func MethodValueKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	done := respio.Body{ReadCloser: resp.Body}.Done
	defer done()
	return respio.CheckStatus(resp)
}

// MethodValueLosesTheConnection defers a method value that closes.
func MethodValueLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	shut := resp.Body.Close
	defer shut() // want "closed before it is read to its end"
	return respio.CheckStatus(resp)
}

// AbortLosesTheConnection calls a wrapper's method that closes.
func AbortLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	body := &respio.Body{ReadCloser: resp.Body}
	defer body.Abort() // want "closed before it is read to its end"
	return respio.CheckStatus(resp)
}

// ClosureInAVariableLosesTheConnection closes from a local function.
func ClosureInAVariableLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	cleanup := func() {
		if err := resp.Body.Close(); err != nil { // want "closed before it is read to its end"
			log.Print(err)
		}
	}
	defer cleanup()
	return respio.CheckStatus(resp)
}

func ClosureInAVariableKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	cleanup := func() {
		_ = quiet.Drain(resp.Body)
		_ = resp.Body.Close()
	}
	defer cleanup()
	return respio.CheckStatus(resp)
}

func DrainAndCloseInOneLiteralKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() { quiet.Drain(resp.Body); quiet.Close(resp.Body) }()
	return respio.CheckStatus(resp)
}

// LiteralWithAParameterKeepsIt hands the response to the deferred literal.
func LiteralWithAParameterKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func(r *http.Response) {
		_, _ = io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}(resp)
	return respio.CheckStatus(resp)
}

func closeAll[C io.Closer](cs ...C) {
	for _, c := range cs {
		_ = c.Close()
	}
}

func shut[C io.Closer](c C) { _ = c.Close() }

func empty[R io.ReadCloser](r R) error {
	defer r.Close()
	_, err := io.Copy(io.Discard, r)
	return err
}

// GenericCloserLosesTheConnection calls a generic helper.
func GenericCloserLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer shut(resp.Body) // want "closed before it is read to its end"
	return respio.CheckStatus(resp)
}

func GenericDrainerKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer empty[io.ReadCloser](resp.Body)
	return respio.CheckStatus(resp)
}

// decode hands what it reads to a function, as generic API clients do.
func decode[T any](resp *http.Response, parse func([]byte) (T, error)) (T, error) {
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		var zero T
		return zero, err
	}
	return parse(raw)
}

func GenericDecodeKeepsIt(c *http.Client, url string) (int, error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	return decode(resp, func(b []byte) (int, error) { return len(b), nil })
}

// drainDown and drainUp call each other.
func drainDown(r io.Reader, n int) {
	if n == 0 {
		_, _ = io.Copy(io.Discard, r)
		return
	}
	drainUp(r, n-1)
}

func drainUp(r io.Reader, n int) {
	drainDown(r, n/2)
}

func MutualRecursionKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	drainUp(resp.Body, 3)
	return nil
}

// finisher has the helpers as methods.
type finisher struct{ log *log.Logger }

func (f *finisher) close(c io.Closer) {
	if err := c.Close(); err != nil {
		f.log.Print(err)
	}
}

func (f *finisher) finish(rc io.ReadCloser) {
	if _, err := io.Copy(io.Discard, rc); err != nil {
		f.log.Print(err)
	}
	f.close(rc)
}

// MethodLosesTheConnection defers a method that closes.
func MethodLosesTheConnection(c *http.Client, url string) error {
	f := &finisher{log.Default()}
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer f.close(resp.Body) // want "closed before it is read to its end"
	return respio.CheckStatus(resp)
}

func MethodKeepsIt(c *http.Client, url string) error {
	f := &finisher{log.Default()}
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer f.finish(resp.Body)
	return respio.CheckStatus(resp)
}

// mustClose is a function in a package variable.
var mustClose = func(c io.Closer) {
	if err := c.Close(); err != nil {
		panic(err)
	}
}

// VariadicAndVariableKeepIt reads before helpers that close in odd ways.
func VariadicAndVariableKeepIt(c *http.Client, url string) error {
	for range 2 {
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		_, err = io.ReadAll(resp.Body)
		if err != nil {
			mustClose(resp.Body)
			return err
		}
		closeAll(resp.Body)
	}
	return nil
}

// with lends the response to f and closes it.
func with(c *http.Client, url string, f func(*http.Response) error) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		_ = quiet.Drain(resp.Body)
		_ = resp.Body.Close()
	}()
	return f(resp)
}

func LentResponseKeepsIt(c *http.Client, url string) error {
	return with(c, url, func(resp *http.Response) error {
		if resp.StatusCode != http.StatusOK {
			return errors.New(resp.Status)
		}
		return nil
	})
}

// ReadingHelperInOneArmLosesTheConnection reads by a helper in one arm only.
func ReadingHelperInOneArmLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode == http.StatusOK {
		return quiet.Drain(resp.Body)
	}
	return respio.CheckStatus(resp)
}
