package hopeless

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A failure is what a server answers but a success.
type failure struct{ status int }

func (f *failure) Error() string   { return http.StatusText(f.status) }
func (f *failure) Temporary() bool { return f.status >= 400 }

// The error's own method, behind an interface, calls every status temporary.
func AsksWhatSaysYes(ctx context.Context, url string) (err error) {
	for i := range 3 {
		if err = fetchOnce(ctx, url); err == nil { // want `fetchOnce is retried after a 4xx status`
			return nil
		}
		var t interface{ Temporary() bool }
		if !errors.As(err, &t) || !t.Temporary() {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(i) * time.Second):
		}
	}
	return err
}

func fetchOnce(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader("a"))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("fetch: %s", err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return &failure{resp.StatusCode}
	}
	return nil
}
