// Package falsepos holds what looks like a failure answered as a timeout, and is
// none.
package falsepos

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"fixtures/timeoutstatus/upstream"
)

// The connection of the request is there: it can only be late, or gone.
func BodyDeadline(w http.ResponseWriter, r *http.Request) {
	_, err := io.ReadAll(r.Body)
	var ne net.Error
	if errors.As(err, &ne) {
		w.WriteHeader(http.StatusRequestTimeout)
		return
	}
	w.WriteHeader(502)
}

func decode(r *http.Request, v any) error {
	dec := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<20))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

func BodyDeadlineOfAHelper(w http.ResponseWriter, r *http.Request) {
	var v any
	if err := decode(r, &v); err != nil {
		var ne net.Error
		if errors.As(err, &ne) {
			w.WriteHeader(http.StatusRequestTimeout)
			return
		}
		w.WriteHeader(400)
	}
}

// The server's patience is over, whatever the upstream said.
func Select(w http.ResponseWriter, r *http.Request) {
	done := make(chan error, 1)
	go func() {
		_, err := upstream.Client.Get(upstream.URL)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			w.WriteHeader(502)
		}
	case <-time.After(10 * time.Second):
		w.WriteHeader(504)
	}
}

// A failure was logged; the status has nothing to do with it.
func AnotherReason(w http.ResponseWriter, r *http.Request) {
	if _, err := upstream.Client.Get(upstream.URL); err != nil {
		var ne net.Error
		if errors.As(err, &ne) {
			log.Print("no luck")
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if r.Header.Get("X-Wait") != "" {
		<-ctx.Done()
		w.WriteHeader(504)
		return
	}
	w.WriteHeader(502)
}

func Elapsed(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	_, err := upstream.Client.Get(upstream.URL)
	if err != nil && time.Since(start) > time.Second {
		w.WriteHeader(504)
		return
	}
	w.WriteHeader(502)
}

func ByText(err error) int {
	var ne net.Error
	switch text := err.Error(); {
	case strings.Contains(text, "Client.Timeout exceeded"):
		return 504
	case errors.As(err, &ne):
		return 502
	}
	if strings.Contains(err.Error(), "timeout") {
		return 504
	}
	return 500
}

// Timeout() is asked by a timer.
func StoppedByATimer(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	timer := time.AfterFunc(10*time.Second, cancel)
	_, err := upstream.Client.Do(upstream.Request(ctx))
	fired := !timer.Stop()
	if err != nil {
		if fired {
			w.WriteHeader(504)
			return
		}
		w.WriteHeader(502)
	}
}

var retry = []int{408, 429, 502, 503, 504}

// The status is the upstream's.
func Received(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	var ne net.Error
	if errors.As(err, &ne) {
		log.Printf("not one of %v", []int{http.StatusRequestTimeout, 504})
		w.WriteHeader(502)
		return
	}
	if err != nil {
		w.WriteHeader(500)
		return
	}
	defer resp.Body.Close()
	if slices.Contains(retry, resp.StatusCode) || resp.StatusCode == 504 {
		w.WriteHeader(504)
		return
	}
	w.WriteHeader(200)
}

// An error of parsing is a *url.Error too, and no failure of the network.
func Parse(w http.ResponseWriter, r *http.Request) {
	if _, err := url.Parse("http://[::1"); err != nil {
		log.Print(err)
	}
	w.WriteHeader(400)
}

// The error was asked before it is given to the one that answers 504.
func Reassigned(w http.ResponseWriter, r *http.Request) {
	_, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(502)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Nanosecond)
	defer cancel()
	if err = wait(ctx); err != nil {
		w.WriteHeader(504)
	}
}

func wait(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// A duration of 504 milliseconds is no status.
func Pause(err error) int {
	var ne net.Error
	if errors.As(err, &ne) {
		time.Sleep(504)
		return 502
	}
	return 500
}

// The context's error is kept in a variable.
func ContextErrKept(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	if _, err := upstream.Client.Do(upstream.Request(ctx)); err != nil {
		if late := ctx.Err(); late != nil {
			w.WriteHeader(504)
			return
		}
		w.WriteHeader(502)
	}
}

func ContextDone(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	if _, err := upstream.Client.Do(upstream.Request(ctx)); err != nil {
		select {
		case <-ctx.Done():
			w.WriteHeader(504)
		default:
			w.WriteHeader(502)
		}
	}
}

// A kind that is made of the error says timeout only where it is one.
func Classified(w http.ResponseWriter, r *http.Request) {
	_, err := upstream.Client.Get(upstream.URL)
	if err == nil {
		return
	}
	switch k := kindOf(err); k {
	case late:
		w.WriteHeader(504)
	default:
		w.WriteHeader(502)
	}
}

type kind int

const (
	other kind = iota
	late
	gone
)

func kindOf(err error) kind {
	var ne net.Error
	if errors.As(err, &ne) {
		if ne.Timeout() {
			return late
		}
		return gone
	}
	return other
}

// timedOut is a bool beside the error.
func get() (timedOut bool, err error) {
	_, err = upstream.Client.Get(upstream.URL)
	if err != nil {
		timedOut = os.IsTimeout(err)
	}
	return
}

func BoolBesideTheError(w http.ResponseWriter, r *http.Request) {
	timedOut, err := get()
	if timedOut {
		w.WriteHeader(504)
		return
	}
	if err != nil {
		w.WriteHeader(502)
	}
}

// A list gets the number: nobody is answered.
func Listed(err error) []int {
	var ne net.Error
	if errors.As(err, &ne) {
		return append([]int{502}, 504)
	}
	return nil
}

// A notifier calls somebody when it is closed. It is not the only io.Closer.
type notifier struct{}

func (notifier) Close() error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

var _ io.Closer = notifier{}

func OtherCloser(w http.ResponseWriter, r *http.Request) {
	if err := r.Body.Close(); err != nil {
		w.WriteHeader(504)
	}
}
