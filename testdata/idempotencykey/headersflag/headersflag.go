// Package headersflag proves that the flag -headers=X-Dedup,x-request-id adds these
// headers, in any case, and takes none away.
package headersflag

import (
	"context"
	"net/http"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
)

// post tries four times, with a header that set sets.
func post(ctx context.Context, url string, set func(http.Header)) (err error) {
	for range 4 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
		if rerr != nil {
			return rerr
		}
		set(req.Header)
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func Named(ctx context.Context, url string) (err error) {
	for range 4 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
		if rerr != nil {
			return rerr
		}
		req.Header.Set("x-dedup", uuid.NewString()) // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func RequestIDNamed(ctx context.Context, url string) (err error) {
	for range 4 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
		if rerr != nil {
			return rerr
		}
		req.Header.Set("X-Request-ID", uuid.NewString()) // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func Known(ctx context.Context, url string) (err error) {
	for range 4 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
		if rerr != nil {
			return rerr
		}
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func NamedOnce(ctx context.Context, url string) error {
	key := uuid.NewString()
	return post(ctx, url, func(h http.Header) { h.Set("X-Dedup", key) })
}

// It is not named.
func TraceID(ctx context.Context, url string) (err error) {
	for range 4 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
		if rerr != nil {
			return rerr
		}
		req.Header.Set("X-Trace-Id", uuid.NewString())
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}
