// Package falsepos has what looks like a body closed unread and is not. Each says
// why it must stay silent.
package falsepos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"
)

// DrainIfNoErrorKeepsIt: where err is not nil there is no response to drain.
func DrainIfNoErrorKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	if resp != nil {
		resp.Body.Close()
	}
	return err
}

// CloseInTheErrorBranchKeepsIt: the Close is for a response that comes with an
// error, of which there is none to read.
func CloseInTheErrorBranchKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		if resp != nil {
			resp.Body.Close()
		}
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// NilCheckedTwiceKeepsIt: resp is not nil in both conditions or in none.
func NilCheckedTwiceKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if resp != nil {
		defer resp.Body.Close()
	}
	if resp != nil && resp.Body != nil {
		_, _ = io.ReadAll(resp.Body)
	}
	return err
}

// StatusTestedTwiceKeepsIt: one of the two conditions holds.
func StatusTestedTwiceKeepsIt(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	ok := resp.StatusCode == http.StatusOK
	if ok {
		_, err = io.ReadAll(resp.Body)
	}
	if !ok {
		_, _ = io.Copy(io.Discard, resp.Body)
		err = errors.New(resp.Status)
	}
	return err
}

// FlaggedDrainKeepsIt: the flag says whether the body was read.
func FlaggedDrainKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	read := false
	defer func() {
		if !read {
			_, _ = io.Copy(io.Discard, resp.Body)
		}
		resp.Body.Close()
	}()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.ReadAll(resp.Body)
	read = true
	return err
}

// DrainOnErrorKeepsIt: the deferred literal drains where the function failed, and
// without a failure it has read.
func DrainOnErrorKeepsIt(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, _ = io.Copy(io.Discard, resp.Body)
		}
		resp.Body.Close()
	}()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// ClosedTwiceKeepsIt: the second Close finds the body read and closed.
func ClosedTwiceKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if err := resp.Body.Close(); err != nil {
		return err
	}
	return nil
}

// FailedReadKeepsIt: a read that failed has lost the connection already.
func FailedReadKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	buf := make([]byte, 4096)
	for {
		_, err := resp.Body.Read(buf)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			slog.Warn("read", "err", err)
			return err
		}
	}
}

// use has functions that the pass cannot look into.
var use = struct {
	response func(*http.Response)
	reader   func(io.Reader) error
}{
	response: func(resp *http.Response) { io.Copy(io.Discard, resp.Body) },
	reader: func(r io.Reader) error {
		_, err := io.ReadAll(r)
		return err
	},
}

// UnknownFunctionKeepsIt: the function may read, and does.
func UnknownFunctionKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	use.response(resp)
	return nil
}

// UnknownReaderKeepsIt: the same of the body alone.
func UnknownReaderKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return use.reader(resp.Body)
}

// An unmarshaler is an interface, behind which may be anything.
type unmarshaler interface{ unmarshal(io.Reader, any) error }

type strictJSON struct{}

func (strictJSON) unmarshal(r io.Reader, v any) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

var codec unmarshaler = strictJSON{}

// InterfaceKeepsIt: the method may read, and does.
func InterfaceKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var v any
	return codec.unmarshal(resp.Body, &v)
}

// download keeps a body for later.
type download struct {
	body io.ReadCloser
	size int64
}

func (d *download) save(w io.Writer) error {
	_, err := io.Copy(w, d.body)
	return errors.Join(err, d.body.Close())
}

// StoredInAFieldKeepsIt: whoever has the field reads it.
func StoredInAFieldKeepsIt(c *http.Client, url string) error {
	d := new(download)
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	d.body, d.size = resp.Body, resp.ContentLength
	return d.save(io.Discard)
}

// GoroutineReadsKeepsIt: another goroutine reads while this one waits.
func GoroutineReadsKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, resp.Body)
		done <- err
	}()
	return <-done
}

// PipeKeepsIt: the pipe's other end is read to its end, and so is this one.
func PipeKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	pr, pw := io.Pipe()
	var wg sync.WaitGroup
	wg.Go(func() {
		defer resp.Body.Close()
		_, err := io.Copy(pw, resp.Body)
		pw.CloseWithError(err)
	})
	_, err = io.ReadAll(pr)
	wg.Wait()
	return err
}

// SentKeepsIt: the response's reader is at the other end of the channel.
func SentKeepsIt(c *http.Client, url string) error {
	out := make(chan *http.Response, 1)
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	out <- resp
	return read(out)
}

func read(in <-chan *http.Response) error {
	resp := <-in
	defer resp.Body.Close()
	_, err := io.ReadAll(resp.Body)
	return err
}

// StoredClosureKeepsIt: what is to be done at the end is kept in a list.
func StoredClosureKeepsIt(c *http.Client, url string) error {
	var atEnd []func()
	defer func() {
		for _, f := range atEnd {
			f()
		}
	}()
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	atEnd = append(atEnd,
		func() { _, _ = io.Copy(io.Discard, resp.Body) },
		func() { _ = resp.Body.Close() })
	return nil
}

// AppendedKeepsIt: the responses are read in a second loop.
func AppendedKeepsIt(c *http.Client, url string) (err error) {
	var all []*http.Response
	for range 1 {
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		all = append(all, resp)
	}
	for _, resp := range all {
		if _, cerr := io.Copy(io.Discard, resp.Body); cerr != nil {
			err = cerr
		}
		resp.Body.Close()
	}
	return err
}

// ContextEndsTheLoopKeepsIt: the response of each turn is read before the loop is
// left.
func ContextEndsTheLoopKeepsIt(c *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for range 2 {
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ReassignedKeepsIt: the variable holds another response by the time of the Close,
// and both are read.
func ReassignedKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	resp, err = c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// OtherCloserKeepsIt: what is closed is a file, not the body.
func OtherCloserKeepsIt(c *http.Client, url string) error {
	f, err := os.CreateTemp("", "other")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	_, err = f.ReadFrom(resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// Envelope has a Body that is no response's.
type Envelope struct {
	Body   io.ReadCloser
	Status int
}

// LookAlikeKeepsIt: the Body closed is in memory, and no client gave it.
func LookAlikeKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return err
	}
	e := Envelope{io.NopCloser(bytes.NewReader(raw)), resp.StatusCode}
	defer e.Body.Close()
	if e.Status != http.StatusOK {
		return fmt.Errorf("status %d", e.Status)
	}
	return nil
}

// SwitchOnErrorKeepsIt: the case without a read is the one without a response.
func SwitchOnErrorKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("slow: %w", err)
	case err != nil:
		return err
	default:
		defer resp.Body.Close()
		_, err = io.ReadAll(resp.Body)
		return err
	}
}

// ErrorInAnotherVariableKeepsIt: the error that ends the function is that of the
// request, by another name.
func ErrorInAnotherVariableKeepsIt(c *http.Client, url string) (err error) {
	resp, doErr := c.Get(url)
	err = doErr
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// ReadForTheLogKeepsIt: the message of the refusal is read where it is written.
func ReadForTheLogKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		slog.Debug("refused", "text", text(resp.Body))
		return errors.New(resp.Status)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

func text(r io.Reader) string {
	b, _ := io.ReadAll(r)
	return string(b)
}

// EndlessLoopKeepsIt: the loop is only left by a return, after a read.
func EndlessLoopKeepsIt(c *http.Client, url string) error {
	for {
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || len(raw) > 0 {
			return err
		}
	}
}

// ReadFullOfContentLengthKeepsIt: the buffer is as long as the body.
func ReadFullOfContentLengthKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.ContentLength < 0 {
		_, err = io.ReadAll(resp.Body)
		return err
	}
	raw := make([]byte, resp.ContentLength)
	_, err = io.ReadFull(resp.Body, raw)
	return err
}

// MethodInAVariableKeepsIt: the method is HEAD, whatever it is called.
func MethodInAVariableKeepsIt(c *http.Client, url string) error {
	const method = http.MethodHead
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return nil
}

// ReadOnCloseKeepsIt: the type's Close reads what is left.
func ReadOnCloseKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	body := draining{resp.Body}
	defer body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// draining reads what is left on Close.
type draining struct{ io.ReadCloser }

func (d draining) Close() error {
	_, _ = io.Copy(io.Discard, d.ReadCloser)
	return d.ReadCloser.Close()
}

// ReplacedByReadOnCloseKeepsIt: the same in the response.
func ReplacedByReadOnCloseKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	resp.Body = draining{resp.Body}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// ReadBeforeTheLoopEndsKeepsIt: the break leaves a loop over what was read.
func ReadBeforeTheLoopEndsKeepsIt(c *http.Client, url string) (found bool, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	for line := range bytes.Lines(raw) {
		if bytes.HasPrefix(line, []byte("key1 ")) {
			found = true
			break
		}
	}
	return found, err
}

// DrainBeforeTheBreakKeepsIt: the loop is left early, after a drain.
func DrainBeforeTheBreakKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	buf := make([]byte, 256)
	for {
		n, err := resp.Body.Read(buf)
		if bytes.Contains(buf[:n], []byte("key1 ")) {
			_, _ = io.Copy(io.Discard, resp.Body)
			break
		}
		if err != nil {
			break
		}
	}
	return nil
}

// RestyReadsKeepsIt: resty reads the body of an answer by itself, and closes it.
func RestyReadsKeepsIt(c *http.Client, url string) error {
	resp, err := resty.NewWithClient(c).R().Get(url)
	if err != nil {
		return err
	}
	defer resp.RawResponse.Body.Close()
	if resp.StatusCode() != http.StatusOK {
		return errors.New(resp.Status())
	}
	return nil
}
