package falsepos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A Rewound is a request whose body is there each time.
type Rewound struct {
	req  *http.Request
	next io.ReadCloser
}

// Prepare makes the request ready for one more attempt.
func (r *Rewound) Prepare() (err error) {
	if r.req.Body == nil || r.req.Body == http.NoBody {
		return nil
	}
	if r.next != nil {
		r.req.Body = r.next
	}
	if r.req.GetBody == nil {
		return errors.New("no body for another attempt")
	}
	r.next, err = r.req.GetBody()
	return err
}

// The body is rewound before each attempt.
func SendPrepared(req *http.Request) (resp *http.Response, err error) {
	r := &Rewound{req: req}
	for n := range 3 {
		if err := r.Prepare(); err != nil {
			return nil, err
		}
		if resp, err = http.DefaultClient.Do(r.req); err == nil {
			return resp, nil
		}
		select {
		case <-req.Context().Done():
			return nil, req.Context().Err()
		case <-time.After(pause << n):
		}
	}
	return nil, err
}

var (
	errPending = errors.New("pending")
	errRefused = errors.New("refused")
)

// The server says by a 400 that the user has not decided yet.
func WaitForUser(ctx context.Context, tokens, code string) (string, error) {
	for {
		token, err := askForToken(ctx, tokens, code)
		if err != errPending {
			return token, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(pause):
		}
	}
}

func askForToken(ctx context.Context, tokens, code string) (string, error) {
	resp, err := http.PostForm(tokens, url.Values{"code": {code}})
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct{ Token, Error string }
	if resp.StatusCode != http.StatusOK && resp.ContentLength == 0 {
		return "", errRefused
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", err
	}
	switch answer.Error {
	case "":
		return answer.Token, nil
	case "authorization_pending":
		return "", errPending
	}
	return "", errRefused
}

// A Ring is a ring of servers.
type Ring struct {
	bases []string
	at    int
}

// Next goes on to the next server.
func (r *Ring) Next() { r.at = (r.at + 1) % len(r.bases) }

// Each round asks another server.
func (r *Ring) Size(ctx context.Context) (n int64, err error) {
	for range 2 * len(r.bases) {
		req, err := http.NewRequestWithContext(ctx, http.MethodHead, r.bases[r.at], nil)
		if err != nil {
			return 0, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			r.Next()
			continue
		}
		drain(resp)
		return resp.ContentLength, nil
	}
	return 0, errors.New("no server answers")
}

// A Log is sent in batches, and what is left at its end.
type Log struct {
	url   string
	full  chan struct{}
	lines []byte
}

// The last batch does not repeat the one before.
func (l *Log) Run() error {
	for range l.full {
		_ = l.flush()
	}
	return l.flush()
}

func (l *Log) flush() error {
	resp, err := http.Post(l.url, "text/plain", bytes.NewReader(l.lines))
	if err != nil {
		return err
	}
	drain(resp)
	l.lines = nil
	return nil
}

// A router that knows no leases is asked to map the port for good.
func MapPort(ctx context.Context, router string, lease int) error {
	resp, err := http.PostForm(router, url.Values{"lease": {strconv.Itoa(lease)}})
	if err != nil {
		if lease > 0 {
			return MapPort(ctx, router, 0)
		}
		return err
	}
	drain(resp)
	return nil
}
