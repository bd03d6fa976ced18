// Package again proves that the same call, written out once more for when it fails, is
// another attempt.
package again

import (
	"context"
	"net/http"
	"time"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
)

func Once(ctx context.Context, url string) error {
	err := paylib.Send(ctx, url, "order", uuid.NewString())
	if err != nil {
		time.Sleep(paylib.Pause)
		err = paylib.Send(ctx, url, "order", uuid.NewString()) // want `uuid.NewString makes a new idempotency key in each attempt of paylib.Send, which is called again`
	}
	if err != nil {
		err = paylib.Send(ctx, url, "order", uuid.NewString())
	}
	return err
}

func InTheCondition(ctx context.Context, url string) error {
	if err := paylib.SendNew(ctx, url, "order"); err != nil {
		if err := paylib.SendNew(ctx, url, "order"); err != nil { // want `paylib.SendNew makes a new idempotency key`
			return paylib.SendNew(ctx, url, "order") // want `paylib.SendNew makes a new idempotency key`
		}
	}
	return nil
}

func Request(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", uuid.NewString())
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode >= 500 {
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want `in each attempt of http.DefaultClient.Do`
		resp, err = http.DefaultClient.Do(req)
	}
	if err != nil || resp.StatusCode >= 500 {
		resp, err = http.DefaultClient.Do(req)
	}
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func TheSameKey(ctx context.Context, url string) error {
	key := uuid.NewString()
	err := paylib.Send(ctx, url, "order", key)
	if err != nil {
		err = paylib.Send(ctx, url, "order", key)
	}
	return err
}

// Another order is another operation.
func AnotherOrder(ctx context.Context, url string) error {
	if err := paylib.SendNew(ctx, url, "order"); err != nil {
		return paylib.SendNew(ctx, url, "refund")
	}
	return nil
}

// The order is another one by then.
func Reassigned(ctx context.Context, url string) error {
	order := "order"
	err := paylib.SendNew(ctx, url, order)
	if err != nil {
		order = "refund"
		err = paylib.SendNew(ctx, url, order)
	}
	return err
}

// Both are sent.
func Next(ctx context.Context, url string) error {
	if err := paylib.SendNew(ctx, url, "one"); err != nil {
		return err
	}
	return paylib.SendNew(ctx, url, "two")
}

// What is sent is another number.
func AnotherNumber(ctx context.Context, url string) error {
	body := func(n int) map[string]any { return map[string]any{"n": n, "idempotency_key": uuid.NewString()} }
	if err := paylib.PostJSON(ctx, url, body(1)); err != nil {
		return paylib.PostJSON(ctx, url, body(2))
	}
	return nil
}
