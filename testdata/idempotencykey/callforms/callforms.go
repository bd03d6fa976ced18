// Package callforms proves that it does not matter how a call is written.
package callforms

import (
	"context"
	nethttp "net/http"

	. "fixtures/idempotencykey/paylib"

	id "github.com/google/uuid"
)

func request(ctx context.Context, url string) *nethttp.Request {
	req, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodPost, url+"/order", nil)
	if err != nil {
		panic(err)
	}
	return req
}

func Renamed(ctx context.Context, url string) (err error) {
	for range 3 {
		req := request(ctx, url)
		req.Header.Set("Idempotency-Key", id.NewString()) // want "id.NewString makes a new idempotency key"
		if err = Do(req); err == nil {
			return nil
		}
	}
	return err
}

func Dot(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = Send(ctx, url, "order", NewKey()); err == nil { // want "NewKey makes a new idempotency key"
			return nil
		}
	}
	return err
}

func MethodValue(ctx context.Context, url string) (err error) {
	mk := id.NewString
	for range 3 {
		req := request(ctx, url)
		set := req.Header.Set
		set("Idempotency-Key", mk()) // want "new idempotency key"
		if err = Do(req); err == nil {
			return nil
		}
	}
	return err
}

type holder struct{ *nethttp.Request }

func Embedded(ctx context.Context, url string) (err error) {
	for range 3 {
		h := holder{request(ctx, url)}
		h.Header.Set("Idempotency-Key", id.NewString()) // want "new idempotency key"
		if err = Do(h.Request); err == nil {
			return nil
		}
	}
	return err
}

func send[T ~string](ctx context.Context, url string, key T) error {
	req := request(ctx, url)
	req.Header.Set("Idempotency-Key", string(key))
	return Do(req)
}

type keyType string

func Generic(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, keyType(id.NewString())); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func GenericInstantiated(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send[keyType](ctx, url, keyType(id.NewString())); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func Parenthesised(ctx context.Context, url string) (err error) {
	for range 3 {
		req := (request)(ctx, url)
		((req).Header).Set(("Idempotency-Key"), ((id.NewString)())) // want "new idempotency key"
		if err = (Do)((req)); (err) == (nil) {
			return nil
		}
	}
	return err
}

type fixed struct{}

func (fixed) NewString() string { return "always the same" }

// The package's name is shadowed by a variable.
func Shadowed(ctx context.Context, url string) (err error) {
	id := fixed{}
	for range 3 {
		req := request(ctx, url)
		req.Header.Set("Idempotency-Key", id.NewString())
		if err = Do(req); err == nil {
			return nil
		}
	}
	return err
}

func CallOfACall(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = Do(keyed(request(ctx, url), id.NewString())); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func keyed(req *nethttp.Request, key string) *nethttp.Request {
	req.Header.Set("Idempotency-Key", key)
	return req
}

func TupleAsArguments(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = Do(keyed(pair(ctx, url))); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func pair(ctx context.Context, url string) (*nethttp.Request, string) {
	return request(ctx, url), id.NewString()
}
