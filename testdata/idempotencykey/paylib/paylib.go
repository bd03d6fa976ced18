// Package paylib holds what the fixtures of idempotencykey use of another package:
// it proves that facts about makers, setters and repeaters travel.
package paylib

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Pause is the time between two attempts.
const Pause = time.Millisecond

// ErrBusy is the answer of a server that could not do it now.
var ErrBusy = errors.New("busy")

// NewKey returns a new key.
func NewKey() string { return "pay-" + uuid.NewString() }

// NewKeyOr returns a key, or an error.
func NewKeyOr() (string, error) {
	id, err := uuid.NewRandom()
	if err != nil {
		return "", err
	}
	return id.String(), nil
}

// KeyOf returns the key of an order, the same each time.
func KeyOf(order string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(order)).String()
}

// Send posts an order under a key.
func Send(ctx context.Context, url, order, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/"+order, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	return Do(req)
}

// SendNew posts an order under a new key.
func SendNew(ctx context.Context, url, order string) error {
	return Send(ctx, url, order, NewKey())
}

// Stamp puts a new key on a request.
func Stamp(req *http.Request) { req.Header.Set("Idempotency-Key", NewKey()) }

// StampOnce puts a new key on a request that has none.
func StampOnce(req *http.Request) {
	if req.Header.Get("Idempotency-Key") == "" {
		req.Header.Set("Idempotency-Key", NewKey())
	}
}

// PostJSON posts a value.
func PostJSON(ctx context.Context, url string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	return Do(req)
}

// Do sends a request and reads the answer.
func Do(req *http.Request) error {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	switch {
	case resp.StatusCode >= 500:
		return ErrBusy
	case resp.StatusCode >= 300:
		return fmt.Errorf("refused: %s", resp.Status)
	}
	return nil
}

// WithRetry calls f until it succeeds, three times at most.
func WithRetry(ctx context.Context, f func() error) (err error) {
	for range 3 {
		if err = f(); err == nil {
			return nil
		}
		time.Sleep(Pause)
	}
	return err
}

// Each calls f once for each order.
func Each(orders []string, f func(order string) error) error {
	for _, o := range orders {
		if err := f(o); err != nil {
			return err
		}
	}
	return nil
}

// A Retrier tries again.
type Retrier struct{ Attempts int }

// Run calls op with the number of the attempt until it succeeds.
func (r *Retrier) Run(ctx context.Context, op func(ctx context.Context, attempt int) error) error {
	var last error
	for i := 0; i < r.Attempts; i++ {
		last = op(ctx, i)
		if last == nil {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(Pause):
		}
	}
	return last
}

// An Option sets something of a call.
type Option func(*call)

type call struct{ key string }

// WithIdempotencyKey sets the key of a call.
func WithIdempotencyKey(key string) Option { return func(c *call) { c.key = key } }

// A Client is an SDK.
type Client struct{ URL string }

// Charge charges an order, under a key that it makes if it is given none.
func (c *Client) Charge(ctx context.Context, order string, opts ...Option) error {
	var cl call
	for _, o := range opts {
		o(&cl)
	}
	if cl.key == "" {
		cl.key = NewKey()
	}
	return Send(ctx, c.URL, order, cl.key)
}

// Params are those of a call.
type Params struct {
	Order          string  `json:"order"`
	IdempotencyKey *string `json:"idempotency_key,omitempty"`
}

// SetIdempotencyKey sets the key.
func (p *Params) SetIdempotencyKey(key string) { p.IdempotencyKey = &key }

// Create sends the parameters.
func (c *Client) Create(ctx context.Context, p *Params) error {
	return PostJSON(ctx, c.URL+"/"+p.Order, p)
}

// String returns a pointer to a text.
func String[T ~string](v T) *string {
	s := string(v)
	return &s
}

// alphabet is that of RandomText.
const alphabet = "abcdefghijklmnopqrstuvwxyz"

// RandomText returns n random letters.
func RandomText(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[rand.IntN(len(alphabet))]
	}
	return string(b)
}

// Pay pays an order, under a key that it makes if the parameters hold none.
func Pay(ctx context.Context, url string, p Params) error {
	if p.IdempotencyKey == nil {
		p.IdempotencyKey = String(NewKey())
	}
	return PostJSON(ctx, url+"/"+p.Order, p)
}

// An Edit changes a request before it is sent.
type Edit func(*http.Request)

// EditNewKey returns an Edit that makes a key for each request.
func EditNewKey() Edit {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", NewKey()) }
}

// EditKey returns an Edit that gives each request the same key.
func EditKey(key string) Edit {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }
}

// Post sends an order after the edits.
func Post(ctx context.Context, url string, edits ...Edit) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return err
	}
	for _, edit := range edits {
		edit(req)
	}
	return Do(req)
}

// A Patient is a RoundTripper that tries again.
type Patient struct{ Next http.RoundTripper }

// NewPatient returns one above another.
func NewPatient(next http.RoundTripper) *Patient {
	if next == nil {
		next = http.DefaultTransport
	}
	return &Patient{Next: next}
}

func (p *Patient) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	for range 4 {
		if resp, err = p.Next.RoundTrip(r); err == nil && resp.StatusCode < 500 {
			return resp, nil
		}
		if err == nil {
			resp.Body.Close()
		}
	}
	return resp, err
}
