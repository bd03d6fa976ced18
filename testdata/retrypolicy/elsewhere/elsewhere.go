// Package elsewhere proves that what a loop calls of other packages of its module is
// followed like what it calls of its own.
package elsewhere

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/go-resty/resty/v2"

	"fixtures/retrypolicy/house"
)

var errGaveUp = errors.New("gave up")

func drain(resp *http.Response) error {
	io.Copy(io.Discard, resp.Body)
	return resp.Body.Close()
}

// --- requests that are made elsewhere

func Made(ctx context.Context, url string) error {
	for i := range 3 {
		req, err := house.NewRequest(ctx, http.MethodPost, url, []byte("order"))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a POST again after a transport error"
		if err == nil {
			return drain(resp)
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errGaveUp
}

func MadePut(ctx context.Context, url string) error {
	for i := range 3 {
		req, err := house.NewRequest(ctx, http.MethodPut, url, []byte("order"))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			return drain(resp)
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errGaveUp
}

func MadeKeyed(ctx context.Context, url string) error {
	for i := range 3 {
		req, err := house.NewKeyed(ctx, url, "k", strings.NewReader("order"))
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
	return errGaveUp
}

// --- helpers that send again by themselves

func Handed(ctx context.Context, url string) error {
	req, err := house.NewJSON(ctx, url, "order")
	if err != nil {
		return err
	}
	resp, err := house.Do(ctx, req) // want "house\\.Do sends a POST again after a transport error"
	if err != nil {
		return err
	}
	return drain(resp)
}

func HandedGet(ctx context.Context, url string) error {
	req, err := house.NewRequest(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := house.Do(ctx, req)
	if err != nil {
		return err
	}
	return drain(resp)
}

func HandedKeyed(ctx context.Context, url string) error {
	req, err := house.NewJSON(ctx, url, "order")
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", "k")
	resp, err := house.Do(ctx, req)
	if err != nil {
		return err
	}
	return drain(resp)
}

// The helper looks at the method.
func HandedSafe(ctx context.Context, url string) error {
	req, err := house.NewJSON(ctx, url, "order")
	if err != nil {
		return err
	}
	resp, err := house.DoSafe(ctx, req)
	if err != nil {
		return err
	}
	return drain(resp)
}

// --- clients

// The error that stands for a status of 429 and 5xx is the only one to come again for.
func ByMethodBusy(ctx context.Context, url string) error {
	c := &house.Client{URL: url}
	for i := range 3 {
		if err := c.Post(ctx, []byte("order")); !errors.Is(err, house.ErrBusy) {
			return err
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errGaveUp
}

// The error holds the status.
func ByMethodRefused(ctx context.Context, url string) error {
	c := &house.Client{URL: url}
	for i := range 3 {
		err := c.Post(ctx, []byte("order"))
		var refusal *house.Refusal
		if !errors.As(err, &refusal) || refusal.Code != http.StatusRequestTimeout {
			return err
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errGaveUp
}

func ByMethodBody(ctx context.Context, url string) error {
	c, body := &house.Client{URL: url}, strings.NewReader("order")
	for i := range 3 {
		err := c.Upload(ctx, body) // want "c\\.Upload sends a POST again" "c\\.Upload sends a body again that the attempt before has read" "c\\.Upload is retried after a 4xx status"
		if err == nil {
			return nil
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errGaveUp
}

func ByMethodBodies(ctx context.Context, url string) error {
	c := &house.Client{URL: url}
	for i := range 3 {
		err := c.UploadKeyed(ctx, "k", strings.NewReader("order"))
		var refusal *house.Refusal
		if err == nil || errors.As(err, &refusal) {
			return err
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errGaveUp
}

// --- waits

func AtOnce(ctx context.Context, url string) error {
	c := &house.Client{URL: url}
	for i := range 10 {
		_, err := c.Get(ctx) // want "c\\.Get is called again at once after a failure"
		if err == nil || !errors.Is(err, house.ErrBusy) {
			return err
		}
		log.Printf("next in %v", house.Step(i))
	}
	return errGaveUp
}

func Napping(ctx context.Context, url string) error {
	c := &house.Client{URL: url}
	for i := range 10 {
		_, err := c.Get(ctx)
		if err == nil || !errors.Is(err, house.ErrBusy) {
			return err
		}
		house.Nap(i) // want "house\\.Nap waits for the next attempt without looking at ctx"
	}
	return errGaveUp
}

func Waiting(ctx context.Context, url string) error {
	c := &house.Client{URL: url}
	for i := range 10 {
		if _, err := c.Get(ctx); err == nil || !errors.Is(err, house.ErrBusy) {
			return err
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errGaveUp
}

// --- judges

func Judged(ctx context.Context, url string) error {
	for i := 0; ; i++ {
		resp, err := http.Post(url, "text/plain", strings.NewReader("order")) // want "http\\.Post sends a POST again after a transport error"
		if err == nil {
			return drain(resp)
		}
		if i == 3 || !house.IsLasting(err) {
			return err
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
}

// Nothing was sent.
func JudgedUnsent(ctx context.Context, url string) error {
	for i := 0; ; i++ {
		resp, err := http.Post(url, "text/plain", strings.NewReader("order"))
		if err == nil {
			return drain(resp)
		}
		if i == 3 || !house.IsUnsent(err) {
			return err
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
}

// It was answered.
func JudgedBad(ctx context.Context, url string) (*http.Response, error) {
	for i := 0; ; i++ {
		resp, err := http.Post(url, "text/plain", strings.NewReader("order"))
		if i == 3 || !house.IsBad(resp, err) {
			return resp, err
		}
		if err := house.Hold(ctx, i); err != nil {
			return nil, err
		}
	}
}

func JudgedRefused(ctx context.Context, url string) error {
	for i := range 3 {
		req, err := house.NewRequest(ctx, http.MethodPut, url, []byte("doc"))
		if err != nil {
			return err
		}
		code, err := house.Send(req) // want "house\\.Send is retried after a 4xx status"
		if err != nil {
			return err
		}
		if !house.Refused(code) {
			return nil
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errGaveUp
}

func JudgedPassing(ctx context.Context, url string) error {
	for i := range 3 {
		req, err := house.NewRequest(ctx, http.MethodPut, url, []byte("doc"))
		if err != nil {
			return err
		}
		code, err := house.Send(req)
		if err != nil || !house.Passing(code) {
			return err
		}
		if err := house.Hold(ctx, i); err != nil {
			return err
		}
	}
	return errGaveUp
}

// --- functions that are repeated elsewhere

func RepeatedOnce(ctx context.Context, url string) error {
	return house.Once(func() error {
		resp, err := http.Post(url, "text/plain", strings.NewReader("order"))
		if err != nil {
			return err
		}
		return drain(resp)
	})
}

func RepeatedAtOnce(ctx context.Context, url string) error {
	_, err := house.RetryAtOnce(5, func() (*http.Response, error) {
		resp, err := http.Get(url) // want "http\\.Get is called again at once after a failure"
		if err != nil {
			return nil, err
		}
		return resp, drain(resp)
	})
	return err
}

// One more attempt at once is none too many.
func RepeatedTwice(ctx context.Context, url string) error {
	return house.Twice(func() error {
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		return drain(resp)
	})
}

// --- clients that send again by themselves

func Resty(ctx context.Context, url string) error {
	c := house.NewResty()
	_, err := c.R().SetContext(ctx).SetBody("order").Post(url) // want "Post sends a POST through a client that retries it"
	return err
}

func RestyBusy(ctx context.Context, url string) error {
	c := house.NewRestyBusy()
	_, err := c.R().SetContext(ctx).SetBody("order").Post(url)
	return err
}

// A condition may be added to what was made elsewhere.
func RestyHere(ctx context.Context, url string) error {
	c := house.NewResty()
	c.AddRetryCondition(func(resp *resty.Response, err error) bool { return err == nil && resp.StatusCode() == 503 })
	_, err := c.R().SetContext(ctx).SetBody("order").Post(url)
	return err
}
