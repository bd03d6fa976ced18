// Package failsafe proves that what an executor of failsafe-go calls is a retry if
// one of its policies calls it again, and only then.
package failsafe

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"fixtures/idempotencykey/paylib"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/google/uuid"
)

const header = "Idempotency-Key"

func post(ctx context.Context, url, key string) error {
	return paylib.Send(ctx, url, "order", key)
}

func newPolicy() retrypolicy.RetryPolicy[any] {
	return retrypolicy.NewBuilder[any]().WithMaxAttempts(5).WithDelay(paylib.Pause).Build()
}

func Run(ctx context.Context, url string) error {
	return failsafe.With[any](newPolicy()).Run(func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of failsafe.With\[any\]\(newPolicy\(\)\).Run`
	})
}

func RunOnce(ctx context.Context, url string) error {
	key := uuid.NewString()
	return failsafe.With[any](newPolicy()).Run(func() error { return post(ctx, url, key) })
}

func Get(ctx context.Context, url string) error {
	policy := retrypolicy.NewBuilder[string]().WithMaxRetries(4).Build()
	_, err := failsafe.With(policy).Get(func() (string, error) {
		key := uuid.NewString()
		return key, post(ctx, url, key) // want `in each attempt of`
	})
	return err
}

func ExecutorInAVariable(ctx context.Context, url string) error {
	executor := failsafe.With[any](circuitbreaker.NewWithDefaults[any](), newPolicy()).WithContext(ctx)
	return executor.RunWithExecution(func(exec failsafe.Execution[any]) error {
		return post(exec.Context(), url, uuid.NewString()) // want `in each attempt of executor.RunWithExecution`
	})
}

func Composed(ctx context.Context, url string) error {
	executor := failsafe.With[any](circuitbreaker.NewBuilder[any]().WithFailureThreshold(9).Build())
	return executor.Compose(newPolicy()).RunAsync(func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of`
	}).Error()
}

func PoliciesInASlice(ctx context.Context, url string) error {
	policies := []failsafe.Policy[any]{newPolicy()}
	return failsafe.With(policies...).Run(func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of`
	})
}

type client struct {
	url      string
	executor failsafe.Executor[any]
}

func newClient(url string) *client {
	return &client{url: url, executor: failsafe.With[any](newPolicy())}
}

func pay(ctx context.Context, c *client) error {
	return c.executor.Run(func() error {
		return post(ctx, c.url, uuid.NewString()) // want `in each attempt of c.executor.Run`
	})
}

func ExecutorInAField(ctx context.Context, url string) error {
	return pay(ctx, newClient(url))
}

func stubborn(f func() error) error { return failsafe.With[any](newPolicy()).Run(f) }

func OwnHelper(ctx context.Context, url string) error {
	return stubborn(func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of stubborn`
	})
}

func NumberOfTheAttempt(ctx context.Context, url string) error {
	return failsafe.With[any](newPolicy()).RunWithExecution(func(exec failsafe.Execution[any]) error {
		return post(ctx, url, fmt.Sprintf("order-%d", exec.Attempts())) // want `holds exec.Attempts\(\)`
	})
}

func MadeInTheFirstAttempt(ctx context.Context, url string) error {
	var key string
	return failsafe.With[any](newPolicy()).RunWithExecution(func(exec failsafe.Execution[any]) error {
		if exec.IsFirstAttempt() {
			key = uuid.NewString()
		}
		return post(ctx, url, key)
	})
}

func Hedged(ctx context.Context, url string) error {
	hedge := hedgepolicy.NewBuilderWithDelay[any](time.Microsecond).WithMaxHedges(3).Build()
	return failsafe.With[any](newPolicy(), hedge).Run(func() error {
		return post(ctx, url, uuid.NewString()) // want `in each attempt of`
	})
}

// A circuit breaker calls it once.
func NoRetry(ctx context.Context, url string) error {
	_ = failsafe.With[any](circuitbreaker.NewWithDefaults[any]()).Run(func() error {
		return post(ctx, url, uuid.NewString())
	})
	return nil
}

// So does a policy of one attempt.
func OneAttempt(ctx context.Context, url string) error {
	policy := retrypolicy.NewBuilder[any]().WithMaxAttempts(1).Build()
	_ = failsafe.With[any](policy).Run(func() error {
		return post(ctx, url, uuid.NewString())
	})
	return nil
}

// What the policies of a parameter are is not seen.
func ExecutorGiven(ctx context.Context, url string) error {
	return payWith(ctx, failsafe.With[any](), url)
}

func payWith(ctx context.Context, executor failsafe.Executor[any], url string) error {
	_ = executor.Run(func() error { return post(ctx, url, uuid.NewString()) })
	return nil
}

type keyed struct{ next http.RoundTripper }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(header, uuid.NewString())
	return k.next.RoundTrip(r)
}

func send(ctx context.Context, rt http.RoundTripper, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: rt}).Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func TransportBelow(ctx context.Context, url string) error {
	policy := failsafehttp.NewRetryPolicyBuilder().WithMaxRetries(4).Build()
	rt := failsafehttp.NewRoundTripper(keyed{http.DefaultTransport}, policy) // want `in each attempt of the retrying client`
	return send(ctx, rt, url)
}

func TransportAbove(ctx context.Context, url string) error {
	policy := failsafehttp.NewRetryPolicyBuilder().WithMaxRetries(4).Build()
	return send(ctx, keyed{failsafehttp.NewRoundTripper(nil, policy)}, url)
}

func RequestOfAClient(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return err
	}
	c := &http.Client{Transport: keyed{http.DefaultTransport}}
	resp, err := failsafehttp.NewRequest(req, c, failsafehttp.NewRetryPolicyBuilder().WithMaxRetries(4).Build()).Do() // want `in each attempt of the retrying client`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
