// Package body proves that a body that was read is not sent again unseen, whatever
// holds it, and that one made or rewound for each attempt is left alone.
package body

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

const pause = 2 * time.Millisecond

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func finish(resp *http.Response) error {
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode >= 500 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

func newPut(ctx context.Context, url string, body io.Reader) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodPut, url+"/doc", body)
}

func SameRequest(ctx context.Context, url string) error {
	req, err := newPut(ctx, url, strings.NewReader("doc"))
	if err != nil {
		return err
	}
	for i := 0; i < 3; i++ {
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends the same request again, whose body the attempt before has read"
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// Silent: rewound.
func Rewound(ctx context.Context, url string) error {
	req, err := newPut(ctx, url, strings.NewReader("doc"))
	if err != nil {
		return err
	}
	for i := 0; i < 3; i++ {
		if i > 0 {
			if req.Body, err = req.GetBody(); err != nil {
				return err
			}
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func Clone(ctx context.Context, url string) error {
	req, err := newPut(ctx, url, bytes.NewReader([]byte("doc")))
	if err != nil {
		return err
	}
	for range 3 {
		var resp *http.Response
		resp, err = http.DefaultClient.Do(req.Clone(ctx)) // want "http\\.DefaultClient\\.Do sends a clone of a request whose body the attempt before has read"
		if err == nil {
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// Silent: the clone gets a body of its own.
func CloneRewound(ctx context.Context, url string) error {
	data := []byte("doc")
	req, err := newPut(ctx, url, bytes.NewReader(data))
	if err != nil {
		return err
	}
	for range 3 {
		again := req.Clone(ctx)
		again.Body = io.NopCloser(bytes.NewReader(data))
		var resp *http.Response
		resp, err = http.DefaultClient.Do(again)
		if err == nil {
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func SharedReader(ctx context.Context, url string) (err error) {
	body := bytes.NewBufferString("doc")
	for range 3 {
		var req *http.Request
		if req, err = newPut(ctx, url, body); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends a body again that the attempt before has read"
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func Encoded(ctx context.Context, url string) (err error) {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode("doc"); err != nil {
		return err
	}
	for range 3 {
		var req *http.Request
		if req, err = newPut(ctx, url, &buf); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends a body again that the attempt before has read"
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// Silent: encoded for each attempt.
func EncodedEach(ctx context.Context, url string) (err error) {
	var buf bytes.Buffer
	for range 3 {
		buf.Reset()
		if err := json.NewEncoder(&buf).Encode("doc"); err != nil {
			return err
		}
		var req *http.Request
		if req, err = newPut(ctx, url, &buf); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// Silent: the bytes are kept, the reader is new.
func KeptBytes(ctx context.Context, url string) (err error) {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode("doc"); err != nil {
		return err
	}
	for range 3 {
		var req *http.Request
		if req, err = newPut(ctx, url, bytes.NewReader(buf.Bytes())); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// Silent: rewound.
func Seek(ctx context.Context, url string) (err error) {
	body := strings.NewReader("doc")
	for range 3 {
		if _, err := body.Seek(0, io.SeekStart); err != nil {
			return err
		}
		var req *http.Request
		if req, err = newPut(ctx, url, body); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func File(ctx context.Context, url string) error {
	f, err := os.Open(os.Args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	for range 3 {
		var req *http.Request
		if req, err = newPut(ctx, url, io.NopCloser(f)); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends a body again that the attempt before has read"
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// Silent: opened for each attempt.
func FileEach(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = putFile(ctx, url); err == nil {
			return nil
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func putFile(ctx context.Context, url string) error {
	f, err := os.Open(os.Args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	req, err := newPut(ctx, url, f)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return finish(resp)
}

func Parameter(ctx context.Context, url string, body io.Reader) (err error) {
	for range 3 {
		var req *http.Request
		if req, err = newPut(ctx, url, body); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends a body again that the attempt before has read"
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// Silent: read once, made anew each time.
func ParameterRead(ctx context.Context, url string, body io.Reader) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	for range 3 {
		var req *http.Request
		if req, err = newPut(ctx, url, bytes.NewReader(data)); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// A Retrier is a transport that tries again.
type Retrier struct {
	Next http.RoundTripper
}

func (t *Retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	var resp *http.Response
	var err error
	for i := 0; i < 3; i++ {
		resp, err = t.Next.RoundTrip(req) // want "t\\.Next\\.RoundTrip sends the same request again, whose body the attempt before has read"
		if err == nil && resp.StatusCode < 500 {
			return resp, nil
		}
		if err == nil && i < 2 {
			resp.Body.Close()
		}
		if err := wait(req.Context(), pause); err != nil {
			return nil, err
		}
	}
	return resp, err
}

// A Rewinder is one that rewinds the body.
type Rewinder struct {
	Next http.RoundTripper
}

// Silent: rewound; without GetBody it is sent once.
func (t *Rewinder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil && req.GetBody == nil {
		return t.Next.RoundTrip(req)
	}
	for i := 0; ; i++ {
		again := req.Clone(req.Context())
		if req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			again.Body = body
		}
		resp, err := t.Next.RoundTrip(again)
		if i == 2 || err == nil && resp.StatusCode < 500 || req.Method != http.MethodPut {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
		if err := wait(req.Context(), pause); err != nil {
			return nil, err
		}
	}
}

// A Getter is one that repeats only what has no body.
type Getter struct {
	Next http.RoundTripper
}

// Silent: only GET.
func (t *Getter) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return t.Next.RoundTrip(req)
	}
	for i := 0; ; i++ {
		resp, err := t.Next.RoundTrip(req)
		if i == 2 || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
		if err := wait(req.Context(), pause); err != nil {
			return nil, err
		}
	}
}

// A job is what a worker sends.
type job struct {
	req   *http.Request
	tries int
}

func Queue(ctx context.Context, url string) error {
	jobs := make(chan job, 4)
	req, err := newPut(ctx, url, strings.NewReader("doc"))
	if err != nil {
		return err
	}
	jobs <- job{req: req}
	for j := range jobs {
		resp, err := http.DefaultClient.Do(j.req) // want "http\\.DefaultClient\\.Do sends the same request again, whose body the attempt before has read"
		if err == nil {
			err = finish(resp)
		}
		if err == nil {
			return nil
		}
		if j.tries++; j.tries == 3 {
			return err
		}
		time.Sleep(pause) // want "time\\.Sleep waits for the next attempt without looking at ctx"
		jobs <- j
	}
	return nil
}

func SecondTry(ctx context.Context, url string) error {
	req, err := newPut(ctx, url, strings.NewReader("doc"))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		resp, err = http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends the same request again, whose body the attempt before has read"
	}
	if err != nil {
		return err
	}
	return finish(resp)
}

func Tee(ctx context.Context, url string) (err error) {
	var sent bytes.Buffer
	body := io.TeeReader(strings.NewReader("doc"), &sent)
	for range 3 {
		var req *http.Request
		if req, err = newPut(ctx, url, body); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends a body again that the attempt before has read"
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// do sends a request up to three times.
func do(ctx context.Context, req *http.Request) error {
	for range 3 {
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("no answer")
}

// Silent: a GET has no body.
func ThroughAHelperGet(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/doc", nil)
	if err != nil {
		return err
	}
	return do(ctx, req)
}

// A Store keeps documents.
type Store struct {
	url string
}

// retry calls fn up to three times.
func (s *Store) retry(ctx context.Context, fn func() error) (err error) {
	for range 3 {
		if err = fn(); err == nil {
			return nil
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func Callback(ctx context.Context, url string) error {
	s := &Store{url}
	body := strings.NewReader("doc")
	return s.retry(ctx, func() error {
		req, err := newPut(ctx, s.url, body)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a body again that the attempt before has read"
		if err != nil {
			return err
		}
		return finish(resp)
	})
}

// Silent: each is another document.
func Documents(ctx context.Context, url string) error {
	for _, body := range []io.Reader{strings.NewReader("a"), strings.NewReader("b")} {
		req, err := newPut(ctx, url, body)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if err := finish(resp); err != nil {
			return err
		}
	}
	return nil
}

func NewBuffer(ctx context.Context, url string) error {
	buf := new(bytes.Buffer)
	if err := json.NewEncoder(buf).Encode("doc"); err != nil {
		return err
	}
	req, err := newPut(ctx, url, buf)
	if err != nil {
		return err
	}
	for range 3 {
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends the same request again, whose body the attempt before has read"
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func BufferLiteral(ctx context.Context, url string) (err error) {
	buf := &bytes.Buffer{}
	buf.WriteString("doc")
	for range 3 {
		var req *http.Request
		if req, err = newPut(ctx, url, buf); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends a body again that the attempt before has read"
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// Silent: a buffer for each attempt.
func NewBufferEach(ctx context.Context, url string) (err error) {
	for range 3 {
		buf := new(bytes.Buffer)
		buf.WriteString("doc")
		var req *http.Request
		if req, err = newPut(ctx, url, buf); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			if err = finish(resp); err == nil {
				return nil
			}
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// again is a helper of the package that repeats what it is given.
func again(ctx context.Context, attempts int, f func() error) (err error) {
	for range attempts {
		if err = f(); err == nil {
			return nil
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

// tagged sends a request with a name on it.
func tagged(req *http.Request) error {
	req.Header.Set("User-Agent", "fixtures")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return finish(resp)
}

func RepeatedByAHelper(ctx context.Context, url string) error {
	req, err := newPut(ctx, url, strings.NewReader("doc"))
	if err != nil {
		return err
	}
	return again(ctx, 3, func() error {
		return tagged(req) // want "tagged sends the same request again, whose body the attempt before has read"
	})
}

func BufferRepeatedByAHelper(ctx context.Context, url string) error {
	var buf bytes.Buffer
	buf.WriteString("doc")
	return again(ctx, 3, func() error {
		req, err := newPut(ctx, url, &buf)
		if err != nil {
			return err
		}
		return tagged(req) // want "tagged sends a body again that the attempt before has read"
	})
}

// Silent: the helper repeats all of it.
func AllRepeatedByAHelper(ctx context.Context, url string) error {
	return again(ctx, 3, func() error {
		req, err := newPut(ctx, url, strings.NewReader("doc"))
		if err != nil {
			return err
		}
		return tagged(req)
	})
}
