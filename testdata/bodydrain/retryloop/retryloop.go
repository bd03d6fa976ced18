// Package retryloop proves that an attempt's body which is closed unread costs the
// next attempt its connection.
package retryloop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const pause = time.Millisecond

// CloseAndContinueLosesTheConnection closes the refused attempt and tries again.
func CloseAndContinueLosesTheConnection(c *http.Client, url string) error {
	var last error
	for attempt := 0; attempt < 3; attempt++ {
		resp, err := c.Get(url)
		if err != nil {
			last = err
			continue
		}
		if resp.StatusCode >= 500 {
			last = fmt.Errorf("attempt %d: %s", attempt, resp.Status)
			resp.Body.Close() // want "closed before it is read to its end"
			time.Sleep(pause)
			continue
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return err
	}
	return last
}

func DrainAndContinueKeepsIt(c *http.Client, url string) error {
	var last error
	for attempt := range 3 {
		resp, err := c.Get(url)
		if err != nil {
			last = err
			continue
		}
		if resp.StatusCode >= 500 {
			last = fmt.Errorf("attempt %d: %s", attempt, resp.Status)
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			time.Sleep(pause)
			continue
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return err
	}
	return last
}

// DeferInTheLoopLosesTheConnection holds each attempt's connection until the
// function returns, and then drops it.
func DeferInTheLoopLosesTheConnection(c *http.Client, url string) error {
	for range 3 {
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		defer resp.Body.Close() // want "closed before it is read to its end"
		if resp.StatusCode == http.StatusServiceUnavailable {
			time.Sleep(pause)
			continue
		}
		_, err = io.ReadAll(resp.Body)
		return err
	}
	return errors.New("gave up")
}

// RetryAfterLosesTheConnection reads the header and leaves the body.
func RetryAfterLosesTheConnection(c *http.Client, url string) error {
	for tries := 2; ; tries-- {
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusTooManyRequests || tries == 0 {
			defer resp.Body.Close()
			_, err := io.ReadAll(resp.Body)
			return err
		}
		wait, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err := resp.Body.Close(); err != nil { // want "closed before it is read to its end"
			return err
		}
		time.Sleep(time.Duration(wait)*time.Second + pause)
	}
}

// PollLosesTheConnection asks until the job is done.
func PollLosesTheConnection(c *http.Client, url string) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for range 3 {
		<-tick.C
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		switch resp.StatusCode {
		case http.StatusAccepted:
			_ = resp.Body.Close() // want "closed before it is read to its end"
		case http.StatusOK:
			_, err := io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			return err
		default:
			msg, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			return fmt.Errorf("job: %s: %.60s", resp.Status, msg)
		}
	}
	return errors.New("job not done")
}

// SelectLosesTheConnection waits for a timer or the context.
func SelectLosesTheConnection(ctx context.Context, c *http.Client, url string) (err error) {
	for wait := pause; wait < 4*pause; wait *= 2 {
		var resp *http.Response
		req, rerr := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if rerr != nil {
			return rerr
		}
		resp, err = c.Do(req)
		if err == nil {
			if resp.StatusCode < 500 {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
				return err
			}
			err = errors.New(resp.Status)
			resp.Body.Close() // want "closed before it is read to its end"
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
	return err
}

// RecursionLosesTheConnection tries again by calling itself.
func RecursionLosesTheConnection(c *http.Client, url string, left int) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusServiceUnavailable && left > 0 {
		resp.Body.Close() // want "closed before it is read to its end"
		return RecursionLosesTheConnection(c, url, left-1)
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// GotoLosesTheConnection tries again by a jump.
func GotoLosesTheConnection(c *http.Client, url string) error {
	tries := 0
again:
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	if tries++; resp.StatusCode >= 500 && tries < 3 {
		resp.Body.Close() // want "closed before it is read to its end"
		goto again
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

func withRetry(n int, try func() error) (err error) {
	for range n {
		if err = try(); err == nil {
			return nil
		}
		time.Sleep(pause)
	}
	return err
}

// ClosureLosesTheConnection is one attempt, run by a helper.
func ClosureLosesTheConnection(c *http.Client, url string) error {
	return withRetry(2, func() error {
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		defer resp.Body.Close() // want "closed before it is read to its end"
		if resp.StatusCode != http.StatusOK {
			return errors.New(resp.Status)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	})
}

// AssignedOutsideTheClosureLosesTheConnection gets its response from a closure's
// assignment.
func AssignedOutsideTheClosureLosesTheConnection(c *http.Client, url string) error {
	var resp *http.Response
	err := withRetry(2, func() (err error) {
		resp, err = c.Get(url)
		return err
	})
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// FailoverLosesTheConnection asks one replica after the other.
func FailoverLosesTheConnection(c *http.Client, url string) error {
	for _, replica := range []string{"/a", "/b"} {
		resp, err := c.Get(url + replica)
		if err != nil {
			continue
		}
		if resp.StatusCode == http.StatusOK {
			_, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			return err
		}
		_ = resp.Body.Close() // want "closed before it is read to its end"
	}
	return errors.New("no replica answers")
}

// WaitUntilUpLosesTheConnection is the loop that waits for a server to start.
func WaitUntilUpLosesTheConnection(c *http.Client, url string) error {
	for i := 0; i < 2; i++ {
		resp, err := c.Get(url)
		if err == nil {
			resp.Body.Close() // want "closed before it is read to its end"
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(pause)
	}
	return errors.New("never up")
}

// LastAttemptIsReadLosesTheConnection keeps the last response over the loop and
// closes the one before.
func LastAttemptIsReadLosesTheConnection(c *http.Client, url string) error {
	var resp *http.Response
	var err error
	for i := 0; i < 3; i++ {
		resp, err = c.Get(url)
		if err != nil {
			return err
		}
		if resp.StatusCode < 500 || i == 2 {
			break
		}
		resp.Body.Close() // want "closed before it is read to its end"
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// ReadInEveryAttemptKeepsIt defers inside a function literal.
func ReadInEveryAttemptKeepsIt(c *http.Client, url string) error {
	for i := 0; i < 2; i++ {
		ok, err := func() (bool, error) {
			resp, err := c.Get(url)
			if err != nil {
				return false, err
			}
			defer resp.Body.Close()
			_, err = io.ReadAll(resp.Body)
			return resp.StatusCode == http.StatusOK, err
		}()
		if ok || err != nil {
			return err
		}
	}
	return errors.New("gave up")
}

// NextLinkLosesTheConnection follows a header from page to page.
func NextLinkLosesTheConnection(c *http.Client, url string) (pages int, err error) {
	for next := url; next != "" && pages < 3; pages++ {
		resp, err := c.Get(next)
		if err != nil {
			return pages, err
		}
		next = resp.Header.Get("X-Next")
		resp.Body.Close() // want "closed before it is read to its end"
	}
	return pages, nil
}

// KeptByAClosureLosesTheConnection closes the response of the attempt before when
// the next one starts.
func KeptByAClosureLosesTheConnection(c *http.Client, url string) error {
	var last *http.Response
	resp, err := repeat(func() (*http.Response, error) {
		if last != nil {
			last.Body.Close() // want "closed before it is read to its end"
		}
		resp, err := c.Get(url)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode >= 500 {
			last = resp
			return resp, errors.New(resp.Status)
		}
		return resp, nil
	})
	if resp == nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

func KeptByAClosureKeepsIt(c *http.Client, url string) error {
	var last *http.Response
	resp, err := repeat(func() (*http.Response, error) {
		if last != nil {
			_, _ = io.Copy(io.Discard, last.Body)
			last.Body.Close()
		}
		resp, err := c.Get(url)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode >= 500 {
			last = resp
			return resp, errors.New(resp.Status)
		}
		return resp, nil
	})
	if resp == nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// repeat makes up to three attempts.
func repeat(attempt func() (*http.Response, error)) (resp *http.Response, err error) {
	for range 3 {
		if resp, err = attempt(); err == nil {
			break
		}
	}
	return resp, err
}

// A Policy says whether to try again, and when.
type Policy struct {
	Again func(resp *http.Response, err error) bool
	Wait  func(attempt int, resp *http.Response) time.Duration
}

// Get closes unread what the policy was asked about.
func (p Policy) Get(c *http.Client, url string) (int, error) {
	for i := 0; ; i++ {
		resp, err := c.Get(url)
		if i == 2 || !p.Again(resp, err) {
			if err != nil {
				return 0, err
			}
			defer resp.Body.Close()
			_, err = io.Copy(io.Discard, resp.Body)
			return resp.StatusCode, err
		}
		wait := p.Wait(i, resp)
		if resp != nil {
			resp.Body.Close() // want "closed before it is read to its end"
		}
		time.Sleep(wait)
	}
}

// OneBeforeLosesTheConnection closes the response of the round before, after the
// next one has come.
func OneBeforeLosesTheConnection(c *http.Client, url string) error {
	var last *http.Response
	for range 3 {
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		if last != nil {
			last.Body.Close() // want "closed before it is read to its end"
		}
		last = resp
	}
	defer last.Body.Close()
	_, err := io.Copy(io.Discard, last.Body)
	return err
}

func OneBeforeKeepsIt(c *http.Client, url string) error {
	var last *http.Response
	end := func() {
		if last != nil {
			_, _ = io.Copy(io.Discard, last.Body)
			last.Body.Close()
		}
	}
	defer end()
	for range 3 {
		end()
		resp, err := c.Get(url)
		if err != nil {
			last = nil
			return err
		}
		last = resp
	}
	return nil
}
