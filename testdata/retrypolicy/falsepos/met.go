package falsepos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A refusal is what a server says of a request that it refuses.
type refusal struct {
	Reason string `json:"reason"`
}

func (r *refusal) Error() string { return r.Reason }

type page struct {
	Names []string
	Next  string
}

// An answer that is no page is an error: readRefusal never returns nil.
func AllPages(url string) (names []string, err error) {
	next := ""
	for {
		p, err := onePage(url + "?from=" + next)
		if err != nil {
			return nil, err
		}
		names = append(names, p.Names...)
		if p.Next == "" {
			return names, nil
		}
		next = p.Next
	}
}

func onePage(url string) (*page, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return nil, readRefusal(resp.Body)
	}
	p := new(page)
	if err := json.NewDecoder(resp.Body).Decode(p); err != nil {
		return nil, err
	}
	return p, nil
}

func readRefusal(r io.Reader) error {
	refused := new(refusal)
	if err := json.NewDecoder(r).Decode(refused); err != nil {
		return err
	}
	return refused
}

// What asks for the state of a certificate does nothing: the next responder is asked
// the same.
func AnyResponder(ctx context.Context, responders []string, question []byte) ([]byte, error) {
	for _, responder := range responders {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, responder, bytes.NewReader(question))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/ocsp-request")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			log.Println(err)
			continue
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode == http.StatusOK {
			return answer, nil
		}
	}
	return nil, fmt.Errorf("none of %d answers", len(responders))
}

// An event is told from others by its ID, which is made once.
type event struct {
	MessageID string `json:"messageId"`
	Text      string `json:"text"`
}

// The server knows events that it has seen by their IDs.
func TrackEvent(url, id, text string) error {
	data, err := json.Marshal(event{MessageID: id, Text: text})
	if err != nil {
		return err
	}
	for i := range 4 {
		var resp *http.Response
		if resp, err = http.Post(url, "application/json", bytes.NewReader(data)); err == nil {
			drain(resp)
			return nil
		}
		time.Sleep(pause << i)
	}
	return err
}

// A batch holds events that were encoded when they came, with their IDs.
type batch struct {
	Events []json.RawMessage `json:"events"`
}

// What is in the batch may have IDs, as events do.
func TrackBatch(url string, events []json.RawMessage) error {
	data, err := json.Marshal(batch{events})
	if err != nil {
		return err
	}
	for i := range 4 {
		var resp *http.Response
		if resp, err = http.Post(url, "application/json", bytes.NewReader(data)); err == nil {
			drain(resp)
			return nil
		}
		time.Sleep(pause << i)
	}
	return err
}

// What the server refuses is permanent, and so is what it says about it.
func RefusedForGood(ctx context.Context, url string, data []byte) (int, error) {
	return backoff.Retry(ctx, func() (int, error) {
		resp, err := http.DefaultClient.Do(newPut(ctx, url, data))
		if err != nil {
			return 0, err
		}
		code := resp.StatusCode
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return code, err
		}
		if code >= 500 {
			return code, fmt.Errorf("status %d", code)
		}
		if code >= 400 {
			return code, backoff.Permanent(fmt.Errorf("refused: %s", answer))
		}
		return code, nil
	}, backoff.WithMaxTries(3))
}

func newPut(ctx context.Context, url string, data []byte) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	return req
}

// An uploader sends a text in chunks.
type uploader struct {
	url     string
	session string
	buf     []byte
}

// A statusError is an answer that is no success.
type statusError struct{ code int }

func (e *statusError) Error() string { return fmt.Sprint("status ", e.code) }

// whileBusy repeats what the server was too busy for, and nothing that was lost.
func whileBusy(f func() error) (err error) {
	for i := range 3 {
		if err = f(); err == nil {
			return nil
		}
		failure, ok := err.(*statusError)
		if !ok || failure.code != http.StatusTooManyRequests && failure.code < 500 {
			return err
		}
		time.Sleep(pause << i)
	}
	return err
}

// Only what the server answered is sent again: what was lost is no statusError.
func (u *uploader) OpenSession() error {
	req, err := http.NewRequest(http.MethodPost, u.url, nil)
	if err != nil {
		return err
	}
	return whileBusy(func() error {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer drain(resp)
		if resp.StatusCode >= 400 {
			return &statusError{resp.StatusCode}
		}
		u.session = resp.Header.Get("Location")
		return nil
	})
}

// Whoever calls PutChunk, and what it calls, is not to blame for its request.
func (u *uploader) Write(p []byte) (n int, err error) {
	for n < len(p) {
		k := copy(u.buf, p[n:])
		if err = u.flush(k); err != nil {
			break
		}
		n += k
	}
	return n, err
}

func (u *uploader) flush(k int) error {
	if u.session == "" {
		if err := u.OpenSession(); err != nil {
			return err
		}
	}
	return u.putChunk(u.buf[:k])
}

func (u *uploader) putChunk(chunk []byte) error {
	req, err := http.NewRequest(http.MethodPut, u.session, bytes.NewReader(chunk))
	if err != nil {
		return err
	}
	return whileBusy(func() error {
		resp, err := http.DefaultClient.Do(req) // want "sends the same request again, whose body the attempt before has read"
		if err != nil {
			return err
		}
		defer drain(resp)
		if resp.StatusCode >= 400 {
			return &statusError{resp.StatusCode}
		}
		return nil
	})
}
