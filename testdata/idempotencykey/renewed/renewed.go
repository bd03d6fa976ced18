// Package renewed proves that a key which an attempt leaves for the next one is as
// new as one that the next makes itself, whatever holds it.
package renewed

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
)

// send posts an order with headers.
func send(ctx context.Context, url string, header map[string]string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return err
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return paylib.Do(req)
}

func Headers(ctx context.Context, url string) (err error) {
	h := map[string]string{"Idempotency-Key": uuid.NewString()}
	for range 4 {
		if err = send(ctx, url, h); err == nil {
			return nil
		}
		h["Idempotency-Key"] = uuid.NewString() // want "new idempotency key"
	}
	return err
}

func Endless(ctx context.Context, url string) error {
	h := map[string]string{"Idempotency-Key": uuid.NewString()}
	for {
		err := send(ctx, url, h)
		h["Idempotency-Key"] = uuid.NewString() // want "new idempotency key"
		if err == nil || !errors.Is(err, paylib.ErrBusy) {
			return err
		}
	}
}

func Field(ctx context.Context, url string) (err error) {
	p := &paylib.Params{IdempotencyKey: paylib.String(uuid.NewString())}
	for range 4 {
		if err = paylib.PostJSON(ctx, url, p); err == nil {
			return nil
		}
		p.IdempotencyKey = paylib.String(uuid.NewString()) // want "new idempotency key"
	}
	return err
}

func Setter(ctx context.Context, url string) (err error) {
	p := new(paylib.Params)
	p.SetIdempotencyKey(uuid.NewString())
	for range 4 {
		if err = paylib.PostJSON(ctx, url, p); err == nil {
			return nil
		}
		p.SetIdempotencyKey(uuid.NewString()) // want "new idempotency key"
	}
	return err
}

func Request(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", uuid.NewString())
	for range 4 {
		if err = paylib.Do(req); err == nil {
			return nil
		}
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want "new idempotency key"
	}
	return err
}

func Callback(ctx context.Context, url string) error {
	body := map[string]any{"amount": 1}
	return paylib.WithRetry(ctx, func() error {
		err := paylib.PostJSON(ctx, url, body)
		body["idempotency_key"] = uuid.NewString() // want "new idempotency key"
		return err
	})
}

// The key is set whether or not the attempt failed.
func Library(ctx context.Context, url string) error {
	body := map[string]any{"amount": 1, "idempotency_key": uuid.NewString()}
	return retry.RetryContext(ctx, 60e9, func() *retry.RetryError {
		err := paylib.PostJSON(ctx, url, body)
		body["idempotency_key"] = uuid.NewString() // want "new idempotency key"
		if err != nil {
			if errors.Is(err, paylib.ErrBusy) {
				return retry.RetryableError(err)
			}
			return retry.NonRetryableError(err)
		}
		return nil
	})
}

func CallbackAndVariable(ctx context.Context, url string) error {
	key := uuid.NewString()
	return paylib.WithRetry(ctx, func() error {
		err := paylib.Send(ctx, url, "order", key) // want "new idempotency key"
		if err != nil {
			key = uuid.NewString()
			return err
		}
		return nil
	})
}

func Once(ctx context.Context, url string) (err error) {
	h := map[string]string{"Idempotency-Key": uuid.NewString()}
	for range 4 {
		if err = send(ctx, url, h); err == nil {
			return nil
		}
		h["X-Attempt"] = uuid.NewString()
	}
	return err
}

// What is left after a success is for the next operation.
func AfterASuccess(ctx context.Context, url string) error {
	h := map[string]string{"Idempotency-Key": uuid.NewString()}
	err := paylib.WithRetry(ctx, func() error {
		err := send(ctx, url, h)
		if err == nil {
			h["Idempotency-Key"] = uuid.NewString()
			return nil
		}
		return err
	})
	return err
}

// The server refused the key itself: another one is right.
func Refused(ctx context.Context, url string) error {
	h := map[string]string{"Idempotency-Key": uuid.NewString()}
	for {
		err := send(ctx, url, h)
		if err == nil || !errors.Is(err, paylib.ErrBusy) && !strings.Contains(err.Error(), "Idempotent") {
			return err
		}
		if strings.Contains(err.Error(), "IdempotentParameterMismatch") {
			h["Idempotency-Key"] = uuid.NewString()
		}
	}
}

// Likewise where that is the only failure that is tried again.
func OnlyRefused(ctx context.Context, url string) error {
	h := map[string]string{"Idempotency-Key": uuid.NewString()}
	for {
		err := send(ctx, url, h)
		if err == nil || !strings.Contains(err.Error(), "IdempotentParameterMismatch") {
			return nil
		}
		h["Idempotency-Key"] = uuid.NewString()
	}
}

// The server is still at it: another key asks for another operation.
func StillProcessing(ctx context.Context, url string) error {
	h := map[string]string{"Idempotency-Key": uuid.NewString()}
	for {
		err := send(ctx, url, h)
		if err == nil || !errors.Is(err, paylib.ErrBusy) && !strings.Contains(err.Error(), "IdempotentTokenProcessing") {
			return err
		}
		h["Idempotency-Key"] = uuid.NewString() // want "new idempotency key"
	}
}
