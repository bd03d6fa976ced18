package falsepos

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"fixtures/retrypolicy/house"
)

// An envelope embeds the request that it is sent with.
type envelope struct{ *http.Request }

// The header is set through what embeds the request.
func KeySetThroughAnEnvelope(ctx context.Context, url string) error {
	for i := range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("order"))
		if err != nil {
			return err
		}
		e := envelope{req}
		e.Header.Set("Idempotency-Key", "k")
		if _, err = house.Send(e.Request); err == nil {
			return nil
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errors.New("no answer")
}

// The key is kept if there is one.
func KeyKeptOnTheRequest(ctx context.Context, url string) error {
	req, err := house.NewRequest(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	for i := range 3 {
		if req.Header.Get("Idempotency-Key") == "" {
			req.Header.Set("Idempotency-Key", "k")
		}
		if req.Body, err = req.GetBody(); err != nil {
			return err
		}
		if _, err = house.Send(req); err == nil {
			return nil
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return err
}

type keyedPayment struct {
	Order string `json:"order"`
	Key   string `json:"idempotency_key"`
}

// The key is a field that is set by its place.
func KeyByPlace(ctx context.Context, url string) error {
	for i := range 3 {
		req, err := house.NewJSON(ctx, url, keyedPayment{"order", "k"})
		if err != nil {
			return err
		}
		if _, err = house.Send(req); err == nil {
			return nil
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errors.New("no answer")
}

type idempotencyKey struct{}

func sendFor(ctx context.Context, url string) error {
	req, err := house.NewRequest(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	if key, ok := ctx.Value(idempotencyKey{}).(string); ok {
		req.Header.Set("Idempotency-Key", key)
	}
	_, err = house.Send(req)
	return err
}

// The context may carry a key.
func KeyInTheContext(ctx context.Context, url string) (err error) {
	ctx = context.WithValue(ctx, idempotencyKey{}, "k")
	for i := range 3 {
		if err = sendFor(ctx, url); err == nil {
			return nil
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return err
}

type leaf struct {
	name     string
	children []*leaf
}

// A function that calls itself for other things.
func visit(ctx context.Context, c *house.Client, l *leaf) error {
	err := c.Post(ctx, []byte(l.name))
	for _, child := range l.children {
		if err := visit(ctx, c, child); err != nil {
			return err
		}
	}
	return err
}

func Walk(ctx context.Context, url string) error {
	return visit(ctx, &house.Client{URL: url}, &leaf{"root", []*leaf{{"left", nil}, {"right", nil}}})
}

// Each page is another request, whether the one before it failed or not.
func PagesForEver(ctx context.Context, url string) {
	c := &house.Client{URL: url}
	for page := 0; ; page++ {
		err := c.Post(ctx, []byte{byte(page)})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			continue
		}
	}
}

// A context that is done is an error that ends the loop.
func EndsWithItsContext(ctx context.Context, url string) error {
	c := &house.Client{URL: url}
	for {
		if _, err := c.Get(ctx); err == nil || !errors.Is(err, house.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(house.Pause):
		}
	}
}
