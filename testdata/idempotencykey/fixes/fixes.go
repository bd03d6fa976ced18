// Package fixes proves that the key is hoisted where that keeps the meaning.
package fixes

import (
	"context"
	"net/http"
	"time"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
)

func Argument(ctx context.Context, url string) (err error) {
	for range 4 {
		if err = paylib.Send(ctx, url, "order", uuid.NewString()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func Header(ctx context.Context, url string) error {
	var last error
	for i := 0; i < 4; i++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", "pay-"+uuid.New().String()) // want "new idempotency key"
		if last = paylib.Do(req); last == nil {
			return nil
		}
		time.Sleep(paylib.Pause)
	}
	return last
}

func Variable(ctx context.Context, url string) (err error) {
	for range 4 {
		id := uuid.NewString()
		if err = paylib.Send(ctx, url, "order", id); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func Callback(ctx context.Context, url string) error {
	return paylib.WithRetry(ctx, func() error {
		return paylib.Send(ctx, url, "order", uuid.NewString()) // want "new idempotency key"
	})
}

func CallbackInAVariable(ctx context.Context, url string) error {
	op := func() error {
		key := uuid.NewString()
		return paylib.Send(ctx, url, "order", key) // want "new idempotency key"
	}
	return paylib.WithRetry(ctx, op)
}

func NameTaken(ctx context.Context, url string) (err error) {
	const key = "order"
	for range 4 {
		if err = paylib.Send(ctx, url, key, uuid.NewString()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

type payment struct {
	IdempotencyKey string `json:"idempotency_key"`
}

func Field(ctx context.Context, url string) (err error) {
	for range 4 {
		p := payment{IdempotencyKey: uuid.NewString()} // want "new idempotency key"
		if err = paylib.PostJSON(ctx, url, p); err == nil {
			return nil
		}
	}
	return err
}

func Labelled(ctx context.Context, url string) (err error) {
attempts:
	for range 4 {
		key := uuid.NewString()
		err = paylib.Send(ctx, url, "order", key) // want "new idempotency key"
		switch err {
		case nil:
			return nil
		case paylib.ErrBusy:
			continue attempts
		}
		break attempts
	}
	return err
}

// The key uses what the loop makes: no fix.
func UsesTheLoop(ctx context.Context, url string) (err error) {
	for i := range 4 {
		prefix := "order"
		if i > 2 {
			prefix = "last"
		}
		if err = paylib.Send(ctx, url, "order", prefix+uuid.NewString()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

// The key can fail: no fix.
func CanFail(ctx context.Context, url string) (err error) {
	for range 4 {
		key, kerr := uuid.NewRandom()
		if kerr != nil {
			return kerr
		}
		if err = paylib.Send(ctx, url, "order", key.String()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

// It is made for the next attempt: no fix.
func ForTheNext(ctx context.Context, url string) (err error) {
	key := uuid.NewString()
	for range 4 {
		if err = paylib.Send(ctx, url, "order", key); err == nil { // want "new idempotency key"
			return nil
		}
		key = uuid.NewString()
	}
	return err
}

// It is made in a function that others call: no fix.
func FarAway(ctx context.Context, url string) (err error) {
	for range 4 {
		if err = paylib.SendNew(ctx, url, "order"); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}
