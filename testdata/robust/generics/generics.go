// Package generics proves that no pass stumbles over type parameters: methods of
// generic types, instances written out or inferred, constraints with methods.
package generics

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"time"
)

// A Doer is a constraint and an ordinary interface.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// A Closer is a constraint with a type set and a method.
type Closer interface {
	*http.Response | *Wrapped[int]
}

// Client is generic over what sends and what comes back.
type Client[D Doer, T any] struct {
	Doer D
	last *http.Response
	T    T
}

// A Wrapped embeds a field whose type is a pointer, and refers to itself.
type Wrapped[T any] struct {
	*http.Response
	next  *Wrapped[T]
	value T
}

// Pair is a pair.
type Pair[K, V any] struct {
	Key K
	Val V
}

// Alias is a generic alias.
type Alias[T any] = Client[*http.Client, T]

// Responses is a generic type of function.
type Responses[T ~*http.Response] func(yield func(T) bool)

// Get names its receiver's parameters anew, one of them blank.
func (c *Client[D, _]) Get(ctx context.Context, url string) (_ *http.Response, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := c.Doer.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	c.last = resp
	return resp, nil
}

// Decode has a generic receiver and a closure over it.
func (c Client[D, T]) Decode(req *http.Request) (v T, err error) {
	fetch := func() (*http.Response, error) { return c.Doer.Do(req) }
	for range 3 {
		resp, err := fetch()
		if err != nil {
			continue
		}
		err = json.NewDecoder(resp.Body).Decode(&v)
		resp.Body.Close()
		if err == nil {
			break
		}
	}
	return v, err
}

// Close converts a type parameter.
func Close[R Closer](r R) error {
	switch r := any(r).(type) {
	case *http.Response:
		return r.Body.Close()
	case *Wrapped[int]:
		return r.Body.Close()
	}
	return nil
}

// Use takes a function of a type parameter and calls it with two results.
func Use[T, U any](f func(T, error) U, g func() (T, error)) U { return f(g()) }

// As is a generic predicate over errors.
func As[E error](err error) (e E, ok bool) {
	ok = errors.As(err, &e)
	return e, ok
}

// Timeout instantiates it with an interface.
func Timeout(w http.ResponseWriter, err error) {
	if ne, ok := As[net.Error](err); ok && ne.Timeout() {
		w.WriteHeader(http.StatusGatewayTimeout)
	}
}

// Retry is recursive, by way of itself and of another instance.
func Retry[T any](n int, f func() (T, error)) (T, error) {
	v, err := f()
	if err != nil && n > 0 {
		time.Sleep(time.Second)
		n, err := Retry(n-1, func() (int, error) { v, err = f(); return n, err })
		if n < 0 {
			return Retry[T](0, f)
		}
		return v, err
	}
	return v, err
}

// All ranges over functions.
func All(urls iter.Seq[string]) iter.Seq2[*http.Response, error] {
	return func(yield func(*http.Response, error) bool) {
		for url := range urls {
			if !yield(http.Get(url)) {
				return
			}
		}
	}
}

// Drain ranges over All.
func Drain(urls iter.Seq[string]) {
	for resp, err := range All(urls) {
		if err != nil {
			continue
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	for range All(urls) {
	}
	Responses[*http.Response](func(yield func(*http.Response) bool) { yield(nil) })(func(r *http.Response) bool {
		return r.Body.Close() == nil
	})
}

// Instances uses instances as values.
var Instances = []any{
	Close[*http.Response],
	Use[*http.Response, error],
	(*Client[*http.Client, struct{}]).Get,
	Client[*http.Client, []byte].Decode,
	Alias[int]{}.Decode,
	new(Alias[int]).Get,
	(&Wrapped[string]{}).Cookies,
	Retry[*http.Response],
	Min[float64],
}

// Min uses the builtins min and max on a type parameter.
func Min[T ~int | ~float64](x, y T) T { return max(min(x, y), min(y, x), 0) }

// A List recurs through its own instance and its constraint.
type List[T interface{ Next() T }] struct{ head T }

// Len loops over the methods of a type parameter.
func (l List[T]) Len() (n int) {
	for x := l.head; any(x) != nil; x = x.Next() {
		n++
	}
	return
}

// Serve takes a handler of a type parameter.
func Serve[H http.Handler](h H) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) })
}
