// Package streams proves that a stream which has no end cannot be read to its end,
// while its refusal can.
package streams

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// EventsEndIt listens for one event of many. Nobody drains what never ends.
func EventsEndIt(c *http.Client, url string) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for sc := bufio.NewScanner(resp.Body); sc.Scan(); {
		if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			if strings.Contains(data, "stop") {
				return nil
			}
		}
	}
	return io.ErrUnexpectedEOF
}

// RefusedEventsLoseTheConnection leaves a refusal unread, which does end.
func RefusedEventsLoseTheConnection(c *http.Client, url string) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("stream: %s", resp.Status)
	}
	for sc := bufio.NewScanner(resp.Body); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "data: [DONE]") {
			return nil
		}
	}
	return nil
}

// WatchEndsIt leaves when its context is done.
func WatchEndsIt(ctx context.Context, c *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"?watch=true", nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	dec := json.NewDecoder(resp.Body)
	for {
		var ev struct{ Type string }
		if err := dec.Decode(&ev); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if ev.Type == "ERROR" {
			return errors.New("watch: expired")
		}
	}
}

// TailEndsIt says by its name that it reads what has no end.
func TailEndsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for sc := bufio.NewScanner(resp.Body); sc.Scan(); {
		if strings.Contains(sc.Text(), "stop") {
			return nil
		}
	}
	return io.ErrUnexpectedEOF
}

// EventsSSE has the word at its end, in capitals.
func EventsSSE(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return bufio.NewReader(resp.Body).ReadString('\n')
}
