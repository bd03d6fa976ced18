// Package hooks proves that what a retrying client runs for each attempt is a retry:
// its hooks, and the transport below it.
package hooks

import (
	"context"
	"errors"
	"net/http"
	"time"

	"fixtures/idempotencykey/paylib"

	"github.com/go-resty/resty/v2"
	"github.com/google/uuid"
	"github.com/hashicorp/go-retryablehttp"
)

const header = "Idempotency-Key"

func newResty() *resty.Client {
	return resty.New().SetRetryWaitTime(time.Microsecond).SetRetryMaxWaitTime(paylib.Pause)
}

func serverError(r *resty.Response, err error) bool { return err != nil || r.StatusCode() >= 500 }

func restyPost(ctx context.Context, c *resty.Client, url string) error {
	resp, err := c.R().SetContext(ctx).Post(url + "/order")
	if err == nil && resp.IsError() {
		err = errors.New(resp.Status())
	}
	return err
}

func RestyHook(ctx context.Context, url string) error {
	c := newResty()
	c.SetRetryCount(4)
	c.AddRetryCondition(serverError)
	c.OnBeforeRequest(func(_ *resty.Client, r *resty.Request) error {
		r.SetHeader(header, uuid.NewString()) // want `in each attempt of the retrying client`
		return nil
	})
	return restyPost(ctx, c, url)
}

func RestyChain(ctx context.Context, url string) error {
	c := resty.New().
		SetRetryWaitTime(time.Microsecond).
		OnBeforeRequest(func(_ *resty.Client, r *resty.Request) error {
			r.Header.Set(header, uuid.NewString()) // want `in each attempt of the retrying client`
			return nil
		}).
		SetRetryCount(4).
		AddRetryCondition(serverError)
	return restyPost(ctx, c, url)
}

func RestyPreRequestHook(ctx context.Context, url string) error {
	c := newResty().SetRetryCount(4).AddRetryCondition(serverError)
	c.SetPreRequestHook(func(_ *resty.Client, r *http.Request) error {
		r.Header.Set(header, uuid.NewString()) // want `in each attempt of the retrying client`
		return nil
	})
	return restyPost(ctx, c, url)
}

func RestyRetryHook(ctx context.Context, url string) error {
	c := newResty().SetRetryCount(4).AddRetryCondition(serverError)
	c.AddRetryHook(func(resp *resty.Response, _ error) {
		resp.Request.SetHeader(header, uuid.NewString()) // want `in each attempt of the retrying client`
	})
	return restyPost(ctx, c, url)
}

func RestyHookKept(ctx context.Context, url string) error {
	c := newResty().SetRetryCount(4).AddRetryCondition(serverError)
	c.OnBeforeRequest(func(_ *resty.Client, r *resty.Request) error {
		if r.Header.Get(header) == "" {
			r.SetHeader(header, uuid.NewString())
		}
		return nil
	})
	return restyPost(ctx, c, url)
}

func RestyNoRetries(ctx context.Context, url string) error {
	c := newResty().SetRetryCount(0)
	c.OnBeforeRequest(func(_ *resty.Client, r *resty.Request) error {
		r.SetHeader(header, uuid.NewString())
		return nil
	})
	_ = restyPost(ctx, c, url)
	return nil
}

func newRetryable() *retryablehttp.Client {
	c := retryablehttp.NewClient()
	c.RetryMax = 4
	c.RetryWaitMin, c.RetryWaitMax = time.Microsecond, paylib.Pause
	c.Logger = nil
	return c
}

func retryablePost(ctx context.Context, c *retryablehttp.Client, url string) error {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func PrepareRetry(ctx context.Context, url string) error {
	c := newRetryable()
	c.PrepareRetry = func(r *http.Request) error {
		r.Header.Set(header, uuid.NewString()) // want `in each attempt of the retrying client`
		return nil
	}
	return retryablePost(ctx, c, url)
}

func RequestLogHook(ctx context.Context, url string) error {
	c := newRetryable()
	c.RequestLogHook = func(_ retryablehttp.Logger, r *http.Request, n int) {
		r.Header.Set(header, uuid.NewString()) // want `in each attempt of the retrying client`
	}
	return retryablePost(ctx, c, url)
}

func RequestLogHookFirst(ctx context.Context, url string) error {
	c := newRetryable()
	c.RequestLogHook = func(_ retryablehttp.Logger, r *http.Request, n int) {
		if n == 0 {
			r.Header.Set(header, uuid.NewString())
		}
	}
	return retryablePost(ctx, c, url)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TransportBelow(ctx context.Context, url string) error {
	c := newRetryable()
	next := c.HTTPClient.Transport
	c.HTTPClient.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set(header, uuid.NewString()) // want `in each attempt of the retrying client`
		return next.RoundTrip(r)
	})
	return retryablePost(ctx, c, url)
}

// The key is kept on the clone only: the next attempt knows nothing of it.
func TransportThatKeepsOnAClone(ctx context.Context, url string) error {
	c := newRetryable()
	next := c.HTTPClient.Transport
	c.HTTPClient.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Header.Get(header) == "" {
			r = r.Clone(r.Context())
			r.Header.Set(header, uuid.NewString()) // want `in each attempt of the retrying client`
		}
		return next.RoundTrip(r)
	})
	return retryablePost(ctx, c, url)
}

func TransportThatKeeps(ctx context.Context, url string) error {
	c := newRetryable()
	next := c.HTTPClient.Transport
	c.HTTPClient.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Header.Get(header) == "" {
			r.Header.Set(header, uuid.NewString())
		}
		return next.RoundTrip(r)
	})
	return retryablePost(ctx, c, url)
}

type keyed struct{ next http.RoundTripper }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(header, uuid.NewString())
	return k.next.RoundTrip(r)
}

func TypeBelow(ctx context.Context, url string) error {
	c := newRetryable()
	c.HTTPClient = &http.Client{Transport: &keyed{http.DefaultTransport}} // want `in each attempt of the retrying client`
	return retryablePost(ctx, c, url)
}

func TypeAbove(ctx context.Context, url string) error {
	c := &http.Client{Transport: keyed{newRetryable().StandardClient().Transport}}
	return clientPost(ctx, c, url)
}

func clientPost(ctx context.Context, c *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// stubborn tries again.
type stubborn struct{ inner http.RoundTripper }

func (s *stubborn) RoundTrip(r *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := s.inner.RoundTrip(r)
		if err == nil && resp.StatusCode < 500 || n == 4 {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
	}
}

func TypeBelowAnotherType(ctx context.Context, url string) error {
	c := &http.Client{Transport: &stubborn{inner: keyed{http.DefaultTransport}}} // want `in each attempt of the retrying client`
	return clientPost(ctx, c, url)
}

func TypeAboveAnotherType(ctx context.Context, url string) error {
	c := &http.Client{Transport: keyed{&stubborn{inner: http.DefaultTransport}}}
	return clientPost(ctx, c, url)
}

func NeverRetries(ctx context.Context, url string) error {
	c := newRetryable()
	c.RetryMax = 0
	c.RequestLogHook = func(_ retryablehttp.Logger, r *http.Request, n int) {
		r.Header.Set(header, uuid.NewString())
	}
	_ = retryablePost(ctx, c, url)
	return nil
}

func RestyCountInAField(ctx context.Context, url string) error {
	c := newResty().AddRetryCondition(serverError)
	c.RetryCount = 4
	c.OnBeforeRequest(func(_ *resty.Client, r *resty.Request) error {
		r.SetHeader(header, uuid.NewString()) // want `in each attempt of the retrying client`
		return nil
	})
	return restyPost(ctx, c, url)
}

func BelowAConstructor(ctx context.Context, url string) error {
	c := &http.Client{Transport: paylib.NewPatient(keyed{http.DefaultTransport})} // want `in each attempt of the retrying client`
	return clientPost(ctx, c, url)
}

func AboveAConstructor(ctx context.Context, url string) error {
	c := &http.Client{Transport: keyed{paylib.NewPatient(nil)}}
	return clientPost(ctx, c, url)
}
