// Package again is what other packages repeat requests with: a helper that is told
// which errors are worth it, and an error that holds a status.
package again

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Try calls f until it succeeds or fails with an error that is not worth another try.
func Try(ctx context.Context, f func() error, worth func(error) bool) (err error) {
	for i := range 3 {
		if err = f(); err == nil || !worth(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second << i):
		}
	}
	return err
}

// A Failure is an answer that is no success.
type Failure struct{ StatusCode int }

func (f Failure) Error() string { return fmt.Sprint("status ", f.StatusCode) }

// Check returns a Failure for an answer that is no success.
func Check(resp *http.Response) error {
	if resp.StatusCode < 300 {
		return nil
	}
	return Failure{resp.StatusCode}
}
