package falsepos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// awaits asks for what may take until the time is over.
func awaits(ctx context.Context, c *http.Client, url string, d time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	return text, nil
}

// A long poll whose time is over is asked again at once: the time was the wait.
func LongPoll(ctx context.Context, c *http.Client, url string) ([]byte, error) {
	for {
		text, err := awaits(ctx, c, url, time.Minute)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			return text, err
		}
	}
}

func LongPollByTheError(ctx context.Context, c *http.Client, url string) ([]byte, error) {
	for {
		text, err := awaits(ctx, c, url, time.Minute)
		if os.IsTimeout(err) && ctx.Err() == nil {
			continue
		}
		return text, err
	}
}

// Who is cancelled is told so by the context: any other cancellation is of one attempt.
func LongPollUntilCancelled(ctx context.Context, c *http.Client, url string) error {
	for {
		text, err := awaits(ctx, c, url, time.Hour)
		if len(text) > 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			return err
		}
	}
}

// A token is asked for, and none is taken away by asking twice.
func renewToken(ctx context.Context, c *http.Client, server string) (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	resp, err := c.PostForm(server, form)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func RenewsToken(ctx context.Context, c *http.Client, server string) (string, error) {
	var last error
	for n := range 3 {
		token, err := renewToken(ctx, c, server)
		if err == nil {
			return token, nil
		}
		last = err
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(time.Duration(n+1) * time.Second):
		}
	}
	return "", fmt.Errorf("no token: %w", last)
}

// openAndDial asks by a POST where to connect to.
func openAndDial(ctx context.Context, c *http.Client, server string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/connections.open", nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	drain(resp)
	return nil
}

// Connects opens a connection, of which the server forgets one that nobody uses.
func Connects(ctx context.Context, c *http.Client, server string) error {
	for {
		err := openAndDial(ctx, c, server)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
}

// generateRepositoryToken asks for a token, of which there may be many.
func generateRepositoryToken(ctx context.Context, c *http.Client, server string) error {
	return openAndDial(ctx, c, server+"/token")
}

// AsksForTokens asks thrice.
func AsksForTokens(ctx context.Context, c *http.Client, server string) (err error) {
	for range 3 {
		if err = generateRepositoryToken(ctx, c, server); err == nil {
			return nil
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return err
}
