package falsepos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fixtures/bodydrain/falsepos/applog"
)

// A request to a constant URL can be made.
func ConstantURL(ctx context.Context) (err error) {
	const tries = 3
	server := "https://example.com/latest"
	for i := range tries {
		var req *http.Request
		if req, err = http.NewRequestWithContext(ctx, http.MethodGet, server, nil); err == nil {
			var resp *http.Response
			if resp, err = http.DefaultClient.Do(req); err == nil {
				return resp.Body.Close()
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(i) * time.Second):
		}
	}
	return err
}

// The second call asks for another grant.
func AnotherGrant(url string, form url.Values) error {
	err := grant(url, form)
	if err != nil {
		form.Del("refresh_token")
		form.Set("grant_type", "password")
		return grant(url, form)
	}
	return nil
}

func grant(url string, form url.Values) error {
	resp, err := http.Post(url, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Only what says that it is temporary is tried again: an error made of a status does not.
func AsksByAsType(ctx context.Context, url string) (err error) {
	for i := range 3 {
		if err = putVersion(ctx, url); err == nil {
			return nil
		}
		t, ok := errors.AsType[interface {
			error
			Temporary() bool
		}](err)
		if !ok || !t.Temporary() {
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

func putVersion(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader("1"))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("put: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// A request that cannot be made is the end: the logger panics.
func PanicsIfNone(ctx context.Context, server string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server, nil)
	if err != nil {
		applog.Panicf("no request to %q can be made: %s", server, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if old := strings.Replace(server, "/v1/", "/v1beta1/", 1); resp.StatusCode == http.StatusNotFound && old != server {
		return PanicsIfNone(ctx, old)
	}
	return nil
}
