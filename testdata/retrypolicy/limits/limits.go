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
