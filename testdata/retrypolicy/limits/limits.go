// Package limits holds faults that the analysis does not see.
package limits

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

const pause = 2 * time.Millisecond

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// A poster is what sends, behind an interface of its own.
type poster interface {
	Post(ctx context.Context, url string) error
}

type plain struct{}

func (plain) Post(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/orders", strings.NewReader("order"))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func through(ctx context.Context, p poster, url string) error {
	for range 3 {
		err := p.Post(ctx, url)
		if err == nil {
			return nil
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("no answer")
}

// The method of an interface is not followed.
func Interface(ctx context.Context, url string) error {
	return through(ctx, plain{}, url)
}

// What lies in a slice is not followed.
func InASlice(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url+"/doc", strings.NewReader("doc"))
	if err != nil {
		return err
	}
	reqs := []*http.Request{req}
	for range 3 {
		resp, err := http.DefaultClient.Do(reqs[0])
		if err == nil {
			return resp.Body.Close()
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
	return errors.New("no answer")
}
