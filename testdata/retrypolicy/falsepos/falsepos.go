// Package falsepos holds loops that look like bad retries and are none.
package falsepos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"
)

const pause = 2 * time.Millisecond

func post(ctx context.Context, url string, v any) (int, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// Consumer sends each order once.
func Consumer(ctx context.Context, url string, orders <-chan string) {
	for order := range orders {
		if _, err := post(ctx, url, order); err != nil {
			log.Println(err)
		}
	}
}

// Workers send each order once.
func Workers(ctx context.Context, url string, orders <-chan string) {
	for range 4 {
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case order, ok := <-orders:
					if !ok {
						return
					}
					if _, err := post(ctx, url, order); err != nil {
						log.Println(err)
						continue
					}
				}
			}
		}()
	}
}

// Heartbeat sends the time.
func Heartbeat(ctx context.Context, url string) {
	for {
		if _, err := post(ctx, url, time.Now()); err != nil {
			log.Println(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// All sends to all and stops at the first failure.
func All(ctx context.Context, urls []string) error {
	for _, url := range urls {
		if _, err := post(ctx, url, "note"); err != nil {
			return err
		}
	}
	return nil
}

// Renew sends again once, with another token, as the server refused the first one.
func Renew(ctx context.Context, url string, token func(bool) string) error {
	code, err := post(ctx, url, token(false))
	if err != nil {
		return err
	}
	if code == http.StatusUnauthorized {
		code, err = post(ctx, url, token(true))
	}
	if err == nil && code >= 300 {
		err = fmt.Errorf("status %d", code)
	}
	return err
}

// PollJob posts once and asks many times.
func PollJob(ctx context.Context, url string) error {
	if _, err := post(ctx, url, "job"); err != nil {
		return err
	}
	for range 50 {
		resp, err := http.Get(url + "/status")
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return errors.New("not done")
}

// Batches sends what is left in parts; what fails ends it.
func Batches(ctx context.Context, url string, all []string) error {
	for len(all) > 0 {
		n := min(len(all), 10)
		if _, err := post(ctx, url, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// FirstCard tries cards until one is accepted.
func FirstCard(ctx context.Context, url string, cards []string) error {
	for _, card := range cards {
		code, err := post(ctx, url, card)
		if err != nil {
			return err
		}
		if code == http.StatusOK {
			return nil
		}
	}
	return errors.New("no card accepted")
}

// Delete is repeated.
func Delete(ctx context.Context, url string) error {
	for n := range 4 {
		req, err := http.NewRequestWithContext(ctx, http.MethodDelete, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode < 500 {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause << n):
		}
	}
	return errors.New("no answer")
}
