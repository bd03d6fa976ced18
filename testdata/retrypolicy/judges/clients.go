package judges

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/gojek/heimdall/v7/httpclient"
	"github.com/hashicorp/go-retryablehttp"
)

var stubborn, careful = retryablehttp.NewClient(), retryablehttp.NewClient()

func init() {
	stubborn.CheckRetry = func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			return true, nil
		}
		return resp.StatusCode >= 500, nil
	}
	careful.CheckRetry = func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		return err == nil && resp.StatusCode == http.StatusTooManyRequests, nil
	}
}

func Stubborn(req *http.Request) (*http.Response, error) {
	again, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	return stubborn.Do(again)
}

func StubbornPatch(ctx context.Context, url string, doc []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPatch, url, bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	again, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	return stubborn.Do(again) // want "stubborn.Do sends a PATCH through a client that retries it"
}

// A status was received.
func CarefulPatch(ctx context.Context, url string, doc []byte) (*http.Response, error) {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPatch, url, doc)
	if err != nil {
		return nil, err
	}
	return careful.Do(req)
}

func Resty(url string) func(text string) error {
	client := resty.New().SetRetryCount(3).AddRetryCondition(func(r *resty.Response, err error) bool {
		return err != nil || r.StatusCode() >= 500
	})
	return func(text string) error {
		_, err := client.R().SetBody(text).Post(url) // want "Post sends a POST through a client that retries it"
		return err
	}
}

// The condition knows the method.
func RestyGets(url string) func(text string) error {
	client := resty.New().SetRetryCount(3).AddRetryCondition(func(r *resty.Response, err error) bool {
		return r.Request.Method == http.MethodGet && (err != nil || r.StatusCode() >= 500)
	})
	return func(text string) error {
		_, err := client.R().SetBody(text).Post(url)
		return err
	}
}

type rides struct {
	base string
	h    *httpclient.Client
}

func NewRides(base string) *rides {
	return &rides{base, httpclient.NewClient(httpclient.WithHTTPTimeout(time.Second), httpclient.WithRetryCount(3))}
}

func (r *rides) Book(ride string) (*http.Response, error) {
	return r.h.Post(r.base, strings.NewReader(ride), nil) // want "r.h.Post sends a POST through a client that retries it"
}

// A key, or what may be one.
func (r *rides) BookOnce(ride, key string, header http.Header) error {
	if _, err := r.h.Post(r.base, strings.NewReader(ride), http.Header{"Idempotency-Key": {key}}); err != nil {
		return err
	}
	_, err := r.h.Post(r.base, strings.NewReader(ride), header)
	return err
}

// This one has no retries.
func BookPlain(url, ride string) error {
	_, err := httpclient.NewClient(httpclient.WithHTTPTimeout(3)).Post(url, strings.NewReader(ride), nil)
	return err
}
