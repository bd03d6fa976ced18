// Package libraries proves what retrying libraries do by themselves, and where they
// are told to do better.
package libraries

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/avast/retry-go/v4"
	"github.com/cenkalti/backoff/v4"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/go-resty/resty/v2"
	"github.com/google/uuid"
	"github.com/hashicorp/go-retryablehttp"
	terraform "github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
	sethvargo "github.com/sethvargo/go-retry"
)

const pause = 2 * time.Millisecond

func get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/doc", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func post(ctx context.Context, url string) error {
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

func Resty(ctx context.Context, url string) error {
	c := resty.New().SetRetryCount(3)
	_, err := c.R().SetContext(ctx).SetBody("order").Post(url + "/orders") // want "Post sends a POST through a client that retries it after a transport error, without an idempotency key"
	return err
}

// Silent: keyed.
func RestyKeyed(ctx context.Context, url string) error {
	c := resty.New().SetRetryCount(3)
	_, err := c.R().SetContext(ctx).SetHeader("Idempotency-Key", uuid.NewString()).SetBody("order").Post(url + "/orders")
	return err
}

// Silent: not retried.
func RestyOnce(ctx context.Context, url string) error {
	c := resty.New()
	_, err := c.R().SetContext(ctx).SetBody("order").Post(url + "/orders")
	return err
}

// Silent: PUT.
func RestyPut(ctx context.Context, url string) error {
	c := resty.New()
	c.SetRetryCount(3)
	_, err := c.R().SetContext(ctx).SetBody("order").Put(url + "/orders/1")
	return err
}

type api struct{ rc *resty.Client }

func newAPI() *api {
	c := resty.New()
	c.SetRetryCount(3)
	c.SetRetryWaitTime(pause)
	return &api{rc: c}
}

func (a *api) Create(ctx context.Context, url string) error {
	req := a.rc.R().SetContext(ctx)
	req.SetBody("order")
	_, err := req.Execute(resty.MethodPost, url+"/orders") // want "req\\.Execute sends a POST through a client that retries it after a transport error, without an idempotency key"
	return err
}

func Retryable(url string) error {
	resp, err := retryablehttp.Post(url+"/orders", "text/plain", strings.NewReader("order")) // want "retryablehttp\\.Post sends a POST through a client that retries it after a transport error, without an idempotency key"
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Silent: turned off.
func RetryableNever(ctx context.Context, url string) error {
	rc := retryablehttp.NewClient()
	rc.RetryMax = 0
	resp, err := rc.Post(url+"/orders", "text/plain", strings.NewReader("order"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func RetryableBelow(ctx context.Context, url string) error {
	rc := retryablehttp.NewClient()
	hc := &http.Client{Transport: &retryablehttp.RoundTripper{Client: rc}}
	resp, err := hc.Post(url+"/orders", "text/plain", strings.NewReader("order")) // want "hc\\.Post sends a POST through a client that retries it after a transport error, without an idempotency key"
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func BackoffPost(ctx context.Context, url string) error {
	return backoff.Retry(func() error { return post(ctx, url) }, backoff.WithContext(backoff.NewConstantBackOff(pause), ctx)) // want "post sends a POST again after a transport error, without an idempotency key"
}

// Silent: a GET, bound by the context.
func BackoffGet(ctx context.Context, url string) error {
	return backoff.Retry(func() error { return get(ctx, url) }, backoff.WithContext(backoff.NewConstantBackOff(pause), ctx))
}

// Silent: not repeated.
func BackoffPermanent(ctx context.Context, url string) error {
	return backoff.Retry(func() error {
		if err := post(ctx, url); err != nil {
			return backoff.Permanent(err)
		}
		return nil
	}, backoff.WithContext(backoff.NewExponentialBackOff(), ctx))
}

func BackoffIgnoresContext(ctx context.Context, url string) error {
	b := backoff.NewExponentialBackOff()
	return backoff.Retry(func() error { return get(ctx, url) }, b) // want "backoff\\.Retry waits between attempts without looking at ctx"
}

func BackoffEndless(url string) error {
	return backoff.Retry(func() error { // want "backoff\\.Retry tries for ever, and has no context that ends it"
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}, backoff.NewConstantBackOff(pause))
}

func BackoffUnlimited(url string) error {
	b := backoff.NewExponentialBackOff()
	b.MaxElapsedTime = 0
	return backoff.Retry(func() error { // want "backoff\\.Retry tries for ever, and has no context that ends it"
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}, b)
}

// Silent: bound by the context.
func BackoffUnlimitedWithContext(ctx context.Context, url string) error {
	b := backoff.NewExponentialBackOff(backoff.WithMaxElapsedTime(0))
	return backoff.Retry(func() error { return get(ctx, url) }, backoff.WithContext(b, ctx))
}

func BackoffAtOnce(ctx context.Context, url string) error {
	return backoff.Retry(func() error { return get(ctx, url) }, backoff.WithContext(&backoff.ZeroBackOff{}, ctx)) // want "backoff\\.Retry does not wait between attempts"
}

func BackoffWithoutStop(url string) error {
	b := &backoff.ExponentialBackOff{ // want "backoff\\.ExponentialBackOff has no Stop, so NextBackOff returns 0 after MaxElapsedTime"
		InitialInterval: pause,
		Multiplier:      1.5,
		MaxInterval:     time.Second,
		MaxElapsedTime:  time.Second,
		Clock:           backoff.SystemClock,
	}
	b.Reset()
	return backoff.Retry(func() error {
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}, b)
}

// BackoffWithoutStopUntil ends with the context.
func BackoffWithoutStopUntil(ctx context.Context, url string) error {
	b := &backoff.ExponentialBackOff{ // want "backoff\\.ExponentialBackOff has no Stop"
		InitialInterval: 30 * time.Millisecond,
		Multiplier:      1.5,
		MaxInterval:     time.Second,
		MaxElapsedTime:  100 * time.Millisecond,
		Clock:           backoff.SystemClock,
	}
	b.Reset()
	return backoff.Retry(func() error {
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}, backoff.WithContext(b, ctx))
}

func RetryGoEndless(url string) error {
	return retry.Do(func() error { // want "retry\\.Do tries for ever, and has no context that ends it"
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}, retry.Attempts(0), retry.Delay(pause))
}

// Silent: the context ends it.
func RetryGoContext(ctx context.Context, url string) error {
	return retry.Do(func() error { return get(ctx, url) }, retry.Attempts(0), retry.Delay(pause), retry.Context(ctx))
}

func RetryGoPost(ctx context.Context, url string) error {
	return retry.Do(func() error { return post(ctx, url) }, retry.Attempts(3), retry.Delay(pause), retry.Context(ctx)) // want "post sends a POST again after a transport error, without an idempotency key"
}

// Silent: no error is marked as to be retried.
func SethVargoPlain(ctx context.Context, url string) error {
	return sethvargo.Do(ctx, sethvargo.WithMaxRetries(3, sethvargo.NewConstant(pause)), func(ctx context.Context) error {
		return post(ctx, url)
	})
}

func SethVargo(ctx context.Context, url string) error {
	return sethvargo.Do(ctx, sethvargo.WithMaxRetries(3, sethvargo.NewConstant(pause)), func(ctx context.Context) error {
		if err := post(ctx, url); err != nil { // want "post sends a POST again after a transport error, without an idempotency key"
			return sethvargo.RetryableError(err)
		}
		return nil
	})
}

func SethVargoNext(url string) error {
	b := sethvargo.WithMaxRetries(3, sethvargo.NewConstant(pause))
	for i := 0; i < 5; i++ {
		resp, err := http.Get(url)
		if err == nil {
			return resp.Body.Close()
		}
		d, _ := b.Next() // want "b\\.Next returns 0 once it has stopped, and what says so is dropped"
		time.Sleep(d)
	}
	return errors.New("no answer")
}

// Silent: stops.
func SethVargoNextStops(url string) error {
	b := sethvargo.WithMaxRetries(3, sethvargo.NewConstant(pause))
	for {
		resp, err := http.Get(url)
		if err == nil {
			return resp.Body.Close()
		}
		d, stop := b.Next()
		if stop {
			return err
		}
		time.Sleep(d)
	}
}

func FailsafePost(ctx context.Context, url string) error {
	policy := retrypolicy.NewBuilder[any]().WithMaxRetries(3).WithDelay(pause).Build()
	return failsafe.With(policy).WithContext(ctx).Run(func() error { return post(ctx, url) }) // want "post sends a POST again after a transport error"
}

func FailsafeGet(ctx context.Context, url string) error {
	policy := retrypolicy.NewBuilder[any]().WithMaxRetries(3).WithDelay(pause).Build()
	return failsafe.With(policy).WithContext(ctx).Run(func() error { return get(ctx, url) })
}

func FailsafeBelow(ctx context.Context, url string) error {
	policy := failsafehttp.NewRetryPolicyBuilder().WithMaxRetries(3).Build()
	c := &http.Client{Transport: failsafehttp.NewRoundTripper(nil, policy)}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/orders", strings.NewReader("order"))
	if err != nil {
		return err
	}
	resp, err := c.Do(req) // want "c\\.Do sends a POST through a client that retries it after a transport error"
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// An option says which errors are worth another attempt.
func RetryGoIf(ctx context.Context, url string) error {
	unsent := func(err error) bool { return strings.Contains(err.Error(), "connection refused") }
	return retry.Do(func() error { return post(ctx, url) }, retry.Context(ctx), retry.RetryIf(unsent))
}

func Terraform(ctx context.Context, url string) error {
	return terraform.RetryContext(ctx, 5*time.Second, func() *terraform.RetryError {
		if err := post(ctx, url); err != nil { // want "post sends a POST again after a transport error"
			return terraform.RetryableError(err)
		}
		return nil
	})
}

func TerraformNever(ctx context.Context, url string) error {
	return terraform.RetryContext(ctx, 5*time.Second, func() *terraform.RetryError {
		if err := post(ctx, url); err != nil {
			return terraform.NonRetryableError(err)
		}
		return nil
	})
}
