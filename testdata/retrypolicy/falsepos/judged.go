package falsepos

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/cenkalti/backoff/v4"

	"fixtures/retrypolicy/again"
)

// Uploader is told by its users what is worth another try.
type Uploader struct {
	URL   string
	Worth func(error) bool
}

// The helper asks its second argument: an error of http.NewRequest may end it.
func (u *Uploader) HelperIsToldWhatIsWorthIt(ctx context.Context, data []byte) error {
	return again.Try(ctx, func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, u.URL, bytes.NewReader(data))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer drain(resp)
		return again.Check(resp)
	}, u.Worth)
}

// The status is asked for as a field of an error that another package makes: what is
// below 500 is permanent.
func StatusInAnErrorOfAnotherPackage(ctx context.Context, url string, data []byte) error {
	worth := func(err error) bool {
		var f again.Failure
		return !errors.As(err, &f) || f.StatusCode >= 500
	}
	return backoff.Retry(func() error {
		err := put(ctx, url, data)
		if err == nil || worth(err) {
			return err
		}
		return backoff.Permanent(err)
	}, backoff.WithContext(backoff.WithMaxRetries(backoff.NewExponentialBackOff(), 3), ctx))
}

func put(ctx context.Context, url string, data []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(data))
	if err != nil {
		return backoff.Permanent(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer drain(resp)
	return again.Check(resp)
}

// The second request is another one: it does without what the server may not take.
func AgainWithoutMount(ctx context.Context, url, mount string) error {
	target := url
	if mount != "" {
		target += "?mount=" + mount
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if mount != "" {
			return AgainWithoutMount(ctx, url, "")
		}
		return err
	}
	drain(resp)
	return nil
}

// drain reads what is left of a response and closes it.
func drain(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 256<<10))
	resp.Body.Close()
}
