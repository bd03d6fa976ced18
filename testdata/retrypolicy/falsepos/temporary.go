package falsepos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A answerError is what a server answers but a success.
type answerError struct{ status int }

func (r *answerError) Error() string   { return http.StatusText(r.status) }
func (r *answerError) Temporary() bool { return r.status == 429 || r.status >= 500 }

// An interface asks the error, whose type's own method says that a 4xx is final.
func AsksBehindAnInterface(ctx context.Context, url string) (err error) {
	for i := range 3 {
		if err = fetchAnswer(ctx, url); err == nil {
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

func fetchAnswer(ctx context.Context, url string) error {
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
		return &answerError{resp.StatusCode}
	}
	return nil
}

// The wait is short, and each round looks at the context.
func LooksEachRound(ctx context.Context, url string) error {
	for range 50 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if err := fetchAnswer(ctx, url); err == nil {
			return nil
		} else if final := new(answerError); errors.As(err, &final) && !final.Temporary() {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("not there")
}
