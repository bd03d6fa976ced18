// Package noread proves that a response of which only the status or the headers
// matter still has a body to read.
package noread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"
	"golang.org/x/sync/errgroup"
)

// WebhookLosesTheConnection posts and goes.
func WebhookLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Post(url, "application/json", strings.NewReader(`{"event":"push"}`))
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

func WebhookDrainedKeepsIt(c *http.Client, url string) error {
	resp, err := c.Post(url, "application/json", strings.NewReader(`{"event":"push"}`))
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return nil
}

// FormLosesTheConnection returns the Close's error.
func FormLosesTheConnection(c *http.Client, addr string) error {
	resp, err := c.PostForm(addr, url.Values{"message": {"up"}})
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		err = errors.New(resp.Status)
	}
	return errors.Join(err, resp.Body.Close()) // want "closed before it is read to its end"
}

// PingLosesTheConnection is a health check.
func PingLosesTheConnection(c *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("unhealthy: %s", resp.Status)
	}
	return nil
}

// AliveLosesTheConnection is one whose answer is a bool.
func AliveLosesTheConnection(c *http.Client, url string) bool {
	resp, err := c.Get(url)
	if err != nil {
		return false
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return resp.StatusCode == http.StatusOK
}

// AliveInOneConditionLosesTheConnection tests the error and the status at once.
func AliveInOneConditionLosesTheConnection(c *http.Client, url string) (up bool) {
	resp, err := c.Get(url)
	if err == nil && resp.StatusCode < 500 {
		up = true
	}
	if resp != nil {
		resp.Body.Close() // want "closed before it is read to its end"
	}
	return up
}

// ReadyInsideTheIfLosesTheConnection declares the response in the if.
func ReadyInsideTheIfLosesTheConnection(c *http.Client, url string) error {
	if resp, err := c.Get(url); err == nil {
		resp.Body.Close() // want "closed before it is read to its end"
		if resp.StatusCode == http.StatusOK {
			return nil
		}
	}
	return errors.New("not ready")
}

// UploadLosesTheConnection keeps the ETag of an upload.
func UploadLosesTheConnection(c *http.Client, url string, part []byte) (string, error) {
	req, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(part))
	if err != nil {
		return "", err
	}
	req.ContentLength = int64(len(part))
	res, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close() // want "closed before it is read to its end"
	return res.Header.Get("ETag"), nil
}

// DeleteLosesTheConnection cares for nothing but the error.
func DeleteLosesTheConnection(c *http.Client, url string) error {
	req, err := http.NewRequest(http.MethodDelete, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if resp != nil {
		defer resp.Body.Close() // want "closed before it is read to its end"
	}
	return err
}

// SkewLosesTheConnection compares clocks.
func SkewLosesTheConnection(c *http.Client, url string) (time.Duration, error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	_ = resp.Body.Close() // want "closed before it is read to its end"
	date, err := http.ParseTime(resp.Header.Get("Date"))
	return time.Until(date), err
}

// SizeByGetLosesTheConnection wants one header of a large file.
func SizeByGetLosesTheConnection(c *http.Client, url string) (int64, error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return resp.ContentLength, nil
}

func SizeByHeadKeepsIt(c *http.Client, url string) (int64, error) {
	resp, err := c.Head(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.ContentLength, nil
}

// BackgroundNotifyLosesTheConnection sends from a goroutine.
func BackgroundNotifyLosesTheConnection(c *http.Client, url string) error {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		resp, err := c.Post(url, "text/plain", strings.NewReader("done"))
		if err != nil {
			return
		}
		defer resp.Body.Close() // want "closed before it is read to its end"
	}()
	wg.Wait()
	return nil
}

// GroupLosesTheConnection asks from an errgroup's goroutine.
func GroupLosesTheConnection(c *http.Client, url string) error {
	g, ctx := errgroup.WithContext(context.Background())
	g.SetLimit(1)
	for _, path := range []string{"/a", "/b"} {
		g.Go(func() error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
			if err != nil {
				return err
			}
			resp, err := c.Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close() // want "closed before it is read to its end"
			if resp.StatusCode >= 500 {
				return errors.New(path + ": " + resp.Status)
			}
			return nil
		})
	}
	return g.Wait()
}

// WarmLosesTheConnection means to open a connection for later, and closes it.
func WarmLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err == nil {
		err = resp.Body.Close() // want "closed before it is read to its end"
	}
	return err
}

// ClosureInAVariableLosesTheConnection sends from a local function.
func ClosureInAVariableLosesTheConnection(c *http.Client, url string) error {
	probe := func(u string) (int, error) {
		resp, err := c.Get(u)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close() // want "closed before it is read to its end"
		return resp.StatusCode, nil
	}
	if code, err := probe(url); err != nil || code != http.StatusOK {
		return fmt.Errorf("code %d: %w", code, err)
	}
	return nil
}

// CookieLosesTheConnection logs in for the cookie's sake.
func CookieLosesTheConnection(c *http.Client, url string) (*http.Cookie, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	for _, ck := range resp.Cookies() {
		if ck.Name == "session" {
			return ck, nil
		}
	}
	return nil, errors.New("no session")
}

// EmptyChunkedBodyLosesTheConnection trusts that the answer is empty; of a chunked
// one the end is still to be read.
func EmptyChunkedBodyLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Post(url, "text/plain", http.NoBody)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusAccepted {
		return errors.New(resp.Status)
	}
	return nil
}

// ConstructingAReaderLosesTheConnection takes the constructor of a reader for a read.
func ConstructingAReaderLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	in := io.TeeReader(resp.Body, io.Discard)
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.ReadAll(in)
	return err
}

// RestyRawLosesTheConnection tells resty not to read.
func RestyRawLosesTheConnection(c *http.Client, url string) error {
	resp, err := resty.NewWithClient(c).R().SetDoNotParseResponse(true).Get(url)
	if err != nil {
		return err
	}
	defer resp.RawBody().Close() // want "closed before it is read to its end"
	return nil
}

// RestyClientRawLosesTheConnection tells its client.
func RestyClientRawLosesTheConnection(c *http.Client, url string) error {
	resp, err := resty.NewWithClient(c).SetDoNotParseResponse(true).R().Get(url)
	if err != nil {
		return err
	}
	defer resp.RawBody().Close() // want "closed before it is read to its end"
	return nil
}

// RestyOtherClientKeepsIt has a client that was told nothing.
func RestyOtherClientKeepsIt(c *http.Client, url string) error {
	resp, err := resty.NewWithClient(c).R().Get(url)
	if err != nil {
		return err
	}
	return resp.RawBody().Close()
}
