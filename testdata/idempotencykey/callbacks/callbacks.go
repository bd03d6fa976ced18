// Package callbacks proves that a function given to one that repeats it is a retry,
// whether a library, another package or the package itself repeats it.
package callbacks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"fixtures/idempotencykey/paylib"

	"github.com/avast/retry-go/v4"
	backoff4 "github.com/cenkalti/backoff/v4"
	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"
	tfretry "github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry"
	sretry "github.com/sethvargo/go-retry"
	"k8s.io/apimachinery/pkg/util/wait"
)

func post(ctx context.Context, url, key string) error {
	return paylib.Send(ctx, url, "order", key)
}

func RetryGo(ctx context.Context, url string) error {
	return retry.Do(func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of retry.Do`
	}, retry.Delay(paylib.Pause), retry.Attempts(5), retry.Context(ctx))
}

func RetryGoOnce(ctx context.Context, url string) error {
	key := uuid.NewString()
	return retry.Do(func() error { return post(ctx, url, key) }, retry.Delay(paylib.Pause), retry.Attempts(5))
}

func RetryGoWithData(ctx context.Context, url string) error {
	_, err := retry.DoWithData(func() (int, error) {
		return 1, post(ctx, url, uuid.NewString()) // want `in each attempt of retry.DoWithData`
	}, retry.Delay(paylib.Pause), retry.Attempts(5))
	return err
}

func BackoffV4(ctx context.Context, url string) error {
	op := func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of backoff4.Retry`
	}
	return backoff4.Retry(op, backoff4.WithContext(backoff4.NewConstantBackOff(paylib.Pause), ctx))
}

func BackoffV4Notify(ctx context.Context, url string) error {
	return backoff4.RetryNotify(func() error {
		err := post(ctx, url, uuid.NewString()) // want `in each attempt of backoff4.RetryNotify`
		if err != nil && !errors.Is(err, paylib.ErrBusy) {
			return backoff4.Permanent(err)
		}
		return err
	}, backoff4.NewConstantBackOff(paylib.Pause), func(error, time.Duration) {})
}

func BackoffV5(ctx context.Context, url string) error {
	_, err := backoff.Retry(ctx, func() (string, error) {
		key := uuid.NewString()
		return key, post(ctx, url, key) // want `in each attempt of backoff.Retry`
	}, backoff.WithBackOff(backoff.NewConstantBackOff(paylib.Pause)))
	return err
}

func SethVargo(ctx context.Context, url string) error {
	b := sretry.WithMaxRetries(4, sretry.NewConstant(paylib.Pause))
	return sretry.Do(ctx, b, func(ctx context.Context) error {
		if err := post(ctx, url, uuid.NewString()); err != nil { // want `in each attempt of sretry.Do`
			return sretry.RetryableError(err)
		}
		return nil
	})
}

func SethVargoShort(ctx context.Context, url string) error {
	return sretry.Constant(ctx, paylib.Pause, func(ctx context.Context) error {
		return sretry.RetryableError(post(ctx, url, uuid.NewString())) // want `in each attempt of sretry.Constant`
	})
}

func KubernetesPoll(ctx context.Context, url string) error {
	return wait.PollUntilContextTimeout(ctx, paylib.Pause, time.Second, true, func(ctx context.Context) (bool, error) {
		err := post(ctx, url, uuid.NewString()) // want `in each attempt of wait.PollUntilContextTimeout`
		return err == nil, nil
	})
}

func KubernetesBackoff(ctx context.Context, url string) error {
	return wait.ExponentialBackoff(wait.Backoff{Steps: 5, Duration: paylib.Pause}, func() (bool, error) {
		if err := post(ctx, url, uuid.NewString()); err != nil { // want `in each attempt of wait.ExponentialBackoff`
			return false, nil
		}
		return true, nil
	})
}

func KubernetesPollImmediate(ctx context.Context, url string) error {
	return wait.PollImmediate(paylib.Pause, time.Second, func() (bool, error) {
		return post(ctx, url, uuid.NewString()) == nil, nil // want `in each attempt of wait.PollImmediate`
	})
}

func Terraform(ctx context.Context, url string) error {
	return tfretry.RetryContext(ctx, time.Minute, func() *tfretry.RetryError {
		if err := post(ctx, url, uuid.NewString()); err != nil { // want `in each attempt of tfretry.RetryContext`
			return tfretry.RetryableError(err)
		}
		return nil
	})
}

func TerraformShort(ctx context.Context, url string) error {
	return tfretry.Retry(time.Minute, func() *tfretry.RetryError {
		err := post(ctx, url, uuid.NewString()) // want `in each attempt of tfretry.Retry`
		if err == nil {
			return nil
		}
		return tfretry.RetryableError(err)
	})
}

// Until runs it again and again, whatever becomes of it: each run is its own.
func KubernetesUntil(ctx context.Context, url string) error {
	ctx, cancel := context.WithCancel(ctx)
	n := 0
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if n++; n == 4 {
			cancel()
		}
		_ = paylib.Send(ctx, url, fmt.Sprint("run-", n), uuid.NewString())
	}, paylib.Pause)
	return nil
}

func HelperOfAnotherPackage(ctx context.Context, url string) error {
	return paylib.WithRetry(ctx, func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of paylib.WithRetry`
	})
}

func RetrierOfAnotherPackage(ctx context.Context, url string) error {
	r := &paylib.Retrier{Attempts: 4}
	return r.Run(ctx, func(ctx context.Context, _ int) error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of r.Run`
	})
}

func NumberOfTheAttempt(ctx context.Context, url string) error {
	r := &paylib.Retrier{Attempts: 4}
	return r.Run(ctx, func(ctx context.Context, attempt int) error {
		return post(ctx, url, fmt.Sprintf("order-%d", attempt)) // want `holds attempt`
	})
}

func withRetry[T any](ctx context.Context, tries int, f func(context.Context) (T, error)) (T, error) {
	var zero T
	var err error
	for tries > 0 {
		var v T
		if v, err = f(ctx); err == nil {
			return v, nil
		}
		tries--
		time.Sleep(paylib.Pause)
	}
	return zero, err
}

func OwnGenericHelper(ctx context.Context, url string) error {
	_, err := withRetry(ctx, 4, func(ctx context.Context) (bool, error) {
		return true, post(ctx, url, uuid.NewString()) // want `in each attempt of withRetry`
	})
	return err
}

// patiently wraps a library.
func patiently(ctx context.Context, what string, f func() error) error {
	err := backoff4.Retry(func() error {
		if err := f(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}, backoff4.WithMaxRetries(backoff4.NewConstantBackOff(paylib.Pause), 4))
	return err
}

func WrapperOfALibrary(ctx context.Context, url string) error {
	return patiently(ctx, "pay", func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of patiently`
	})
}

// retrying returns a function that repeats another.
func retrying(f func() error) func() error {
	return func() (err error) {
		for range 4 {
			if err = f(); err == nil {
				return nil
			}
		}
		return err
	}
}

func Decorator(ctx context.Context, url string) error {
	return retrying(func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of retrying`
	})()
}

// attempt calls f, and says what it is doing.
func attempt(f func() error) error { return f() }

func twice(f func() error) (err error) {
	for range 4 {
		if err = attempt(f); err == nil {
			break
		}
	}
	return err
}

func HelperOfAHelper(ctx context.Context, url string) error {
	return twice(func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of twice`
	})
}

type shop struct{ url string }

func (s shop) pay() error {
	return post(context.Background(), s.url, uuid.NewString())
}

func MethodValue(ctx context.Context, url string) error {
	s := shop{url}
	return paylib.WithRetry(ctx, s.pay) // want `in each attempt of paylib.WithRetry`
}

func CallsAMethod(ctx context.Context, url string) error {
	s := shop{url}
	return paylib.WithRetry(ctx, func() error {
		return s.pay() // want `s.pay makes a new idempotency key`
	})
}

func LocalHelper(ctx context.Context, url string) error {
	again := func(f func() error) (err error) {
		for range 4 {
			if err = f(); err == nil {
				return nil
			}
		}
		return err
	}
	return again(func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of again`
	})
}

// The builder is called for each attempt.
func sendBuilt(ctx context.Context, build func() (*http.Request, error)) (err error) {
	for range 4 {
		req, berr := build()
		if berr != nil {
			return berr
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func RequestBuilder(ctx context.Context, url string) error {
	return sendBuilt(ctx, func() (*http.Request, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want `in each attempt of sendBuilt`
		return req, nil
	})
}

// The key is made by the first attempt that needs one, and kept.
func MadeOnce(ctx context.Context, url string) error {
	var key string
	return paylib.WithRetry(ctx, func() error {
		if key == "" {
			key = uuid.NewString()
		}
		return post(ctx, url, key)
	})
}

func EachOrder(ctx context.Context, url string) error {
	return paylib.Each([]string{"one", "two"}, func(order string) error {
		return paylib.WithRetry(ctx, func() error {
			return paylib.Send(ctx, url, order, uuid.NewString()) // want `in each attempt of paylib.WithRetry`
		})
	})
}

func EachOrderKeyed(ctx context.Context, url string) error {
	return paylib.Each([]string{"one", "two"}, func(order string) error {
		key := uuid.NewString()
		return paylib.WithRetry(ctx, func() error {
			return paylib.Send(ctx, url, order, key)
		})
	})
}
