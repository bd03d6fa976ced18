// Package limits pins down what the pass does not see, and why.
package limits

import (
	"context"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
)

type generator interface{ NewKey() string }

type random struct{}

func (random) NewKey() string { return uuid.NewString() }

// What an interface method returns is not known: it may return the same each time.
func MakerBehindAnInterface(ctx context.Context, url string) (err error) {
	var g generator = random{}
	for range 4 {
		if err = paylib.Send(ctx, url, "order", g.NewKey()); err == nil {
			return nil
		}
	}
	return err
}

// The repeater is an interface, whose methods may call their argument once.
func RepeaterBehindAnInterface(ctx context.Context, url string) error {
	var r interface {
		Run(context.Context, func(context.Context, int) error) error
	} = &paylib.Retrier{Attempts: 4}
	return r.Run(ctx, func(ctx context.Context, _ int) error {
		return paylib.Send(ctx, url, "order", uuid.NewString())
	})
}

// The SDK makes a key for each call that is given none; whether it was given one
// by an option is more than a fact says.
func KeyMadeByTheSDK(ctx context.Context, url string) (err error) {
	c := &paylib.Client{URL: url}
	for range 4 {
		if err = c.Charge(ctx, "order"); err == nil {
			return nil
		}
	}
	return err
}

// Two functions that call each other are not followed as one.
func MutualRecursion(ctx context.Context, url string) error { return ping(ctx, url, 4) }

func ping(ctx context.Context, url string, n int) error {
	if err := paylib.SendNew(ctx, url, "order"); err != nil {
		return pong(ctx, url, n)
	}
	return nil
}

func pong(ctx context.Context, url string, n int) error {
	if n == 0 {
		return paylib.ErrBusy
	}
	return ping(ctx, url, n-1)
}

type draft struct {
	order string
	key   string
}

func (d *draft) rekey() { d.key = uuid.NewString() }

// The key goes through a field of another name, in a method.
func ThroughAField(ctx context.Context, url string) (err error) {
	d := &draft{order: "order"}
	for range 4 {
		d.rekey()
		if err = paylib.Send(ctx, url, d.order, d.key); err == nil {
			return nil
		}
	}
	return err
}
