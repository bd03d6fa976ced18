// Package groups proves that what runs functions, beside each other or again, fails with
// what they fail with, and so does what receives their errors from a channel.
package groups

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"fixtures/timeoutstatus/upstream"

	"github.com/avast/retry-go/v4"
	"github.com/cenkalti/backoff/v4"
	backoff5 "github.com/cenkalti/backoff/v5"
	sethvargo "github.com/sethvargo/go-retry"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"
)

func get(ctx context.Context) error {
	resp, err := upstream.Client.Do(upstream.Request(ctx))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func Group(w http.ResponseWriter, r *http.Request) {
	g, ctx := errgroup.WithContext(r.Context())
	g.Go(func() error { return get(ctx) })
	g.Go(func() error { return nil })
	if err := g.Wait(); err != nil {
		w.WriteHeader(504) // want `any failure of g.Wait is answered 504`
	}
}

func GroupThatIsAsked(w http.ResponseWriter, r *http.Request) {
	var g errgroup.Group
	g.Go(func() error { return get(r.Context()) })
	if err := g.Wait(); os.IsTimeout(err) {
		w.WriteHeader(504)
	}
}

// What fails in the group is no request.
func GroupOfSomethingElse(w http.ResponseWriter, r *http.Request) {
	var g, other errgroup.Group
	g.Go(func() error { return errors.New("too many") })
	other.Go(func() error { return get(r.Context()) })
	if err := g.Wait(); err != nil && errors.Is(err, context.DeadlineExceeded) {
		w.WriteHeader(504)
	}
	if err := other.Wait(); err != nil {
		w.WriteHeader(502)
	}
}

var flights singleflight.Group

func Flight(w http.ResponseWriter, r *http.Request) {
	_, err, _ := flights.Do(r.Pattern, func() (any, error) { return nil, get(r.Context()) })
	if err != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

func RetryGo(w http.ResponseWriter, r *http.Request) {
	err := retry.Do(func() error { return get(r.Context()) }, retry.Attempts(2), retry.Delay(time.Millisecond))
	if err != nil {
		w.WriteHeader(504) // want `any failure of retry.Do is answered 504`
	}
}

func Backoff(w http.ResponseWriter, r *http.Request) {
	op := func() error { return get(r.Context()) }
	if err := backoff.Retry(op, backoff.WithMaxRetries(&backoff.ZeroBackOff{}, 1)); err != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

func BackoffThatIsAsked(w http.ResponseWriter, r *http.Request) {
	err := backoff.Retry(func() error { return get(r.Context()) }, backoff.WithMaxRetries(&backoff.ZeroBackOff{}, 1))
	if errors.Is(err, context.DeadlineExceeded) {
		w.WriteHeader(504)
		return
	}
	w.WriteHeader(502)
}

func BackoffV5(w http.ResponseWriter, r *http.Request) {
	_, err := backoff5.Retry(r.Context(), func() (int, error) { return 0, get(r.Context()) },
		backoff5.WithBackOff(&backoff5.ZeroBackOff{}), backoff5.WithMaxTries(2))
	if err != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

func SethVargo(w http.ResponseWriter, r *http.Request) {
	b := sethvargo.WithMaxRetries(1, sethvargo.NewConstant(time.Millisecond))
	if err := sethvargo.Do(r.Context(), b, get); err != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

// again calls f until it succeeds.
func again(ctx context.Context, f func(context.Context) error) (err error) {
	for range 2 {
		if err = f(ctx); err == nil {
			return nil
		}
	}
	return err
}

func OwnHelper(w http.ResponseWriter, r *http.Request) {
	if err := again(r.Context(), get); err != nil {
		w.WriteHeader(504) // want `any failure of again is answered 504`
	}
}

func OwnHelperOfSomethingElse(w http.ResponseWriter, r *http.Request) {
	n := 0
	err := again(r.Context(), func(context.Context) error {
		if n++; n < 2 {
			return errors.New("too many")
		}
		return nil
	})
	if err != nil {
		w.WriteHeader(504)
	}
}

func Channel(w http.ResponseWriter, r *http.Request) {
	done := make(chan error, 1)
	go func() { done <- get(r.Context()) }()
	if err := <-done; err != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

type answer struct {
	resp *http.Response
	err  error
}

func ChannelOfAnswers(w http.ResponseWriter, r *http.Request) {
	answers := make(chan answer, 1)
	go func() {
		resp, err := upstream.Client.Do(upstream.Request(r.Context()))
		answers <- answer{resp, err}
	}()
	select {
	case <-time.After(time.Minute):
		w.WriteHeader(504)
	case a := <-answers:
		if a.err != nil {
			w.WriteHeader(504) // want "answered 504"
			return
		}
		a.resp.Body.Close()
	}
}

func ChannelThatIsAsked(w http.ResponseWriter, r *http.Request) {
	answers := make(chan answer, 1)
	go func() {
		resp, err := upstream.Client.Do(upstream.Request(r.Context()))
		answers <- answer{resp: resp, err: err}
	}()
	switch a := <-answers; {
	case errors.Is(a.err, context.DeadlineExceeded):
		w.WriteHeader(504)
	case a.err != nil:
		w.WriteHeader(502)
	default:
		a.resp.Body.Close()
	}
}
