// Package fast proves that requests of package fasthttp are followed too.
package fast

import (
	"context"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
)

// Pause is the time between attempts.
const Pause = 10 * time.Millisecond

func Post(_ context.Context, url string) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.SetBodyString("order")
	var err error
	for range 3 {
		if err = fasthttp.DoTimeout(req, resp, 5*time.Second); err == nil { // want "fasthttp\\.DoTimeout sends a POST again after a transport error"
			return nil
		}
		time.Sleep(Pause)
	}
	return err
}

func PostKeyed(_ context.Context, url string) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.Header.Set("Idempotency-Key", "k")
	req.SetBodyString("order")
	var err error
	for range 3 {
		if err = fasthttp.DoTimeout(req, resp, 5*time.Second); err == nil {
			return nil
		}
		time.Sleep(Pause)
	}
	return err
}

// A body in memory is sent again whole.
func Put(_ context.Context, url string) error {
	var req fasthttp.Request
	var resp fasthttp.Response
	req.SetRequestURI(url)
	req.Header.SetMethod(fasthttp.MethodPut)
	req.SetBodyString("doc")
	c := &fasthttp.Client{}
	for i := 0; ; i++ {
		err := c.Do(&req, &resp)
		if err == nil && resp.StatusCode() < 500 {
			return nil
		}
		if i == 3 {
			return err
		}
		time.Sleep(Pause)
	}
}

func AtOnce(_ context.Context, url string) error {
	var err error
	for range 5 {
		if _, _, err = fasthttp.Get(nil, url); err == nil { // want "fasthttp\\.Get is called again at once after a failure"
			return nil
		}
	}
	return err
}

func Refused(_ context.Context, url string) error {
	c := &fasthttp.Client{}
	for range 5 {
		status, _, err := c.Get(nil, url) // want "c\\.Get is retried after a 4xx status"
		if err != nil {
			return err
		}
		if status == fasthttp.StatusOK {
			return nil
		}
		time.Sleep(Pause)
	}
	return fmt.Errorf("refused")
}
