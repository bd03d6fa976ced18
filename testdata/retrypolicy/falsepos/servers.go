package falsepos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"fixtures/retrypolicy/falsepos/lost"
)

// The addresses are other servers, and what cannot be asked of one may be of the next.
func FirstThatAnswers(ctx context.Context) string {
	for _, base := range []string{firstBase, otherBase} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base, nil)
		if err != nil {
			log.Println(err)
			continue
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			continue
		}
		drain(resp)
		if resp.StatusCode == http.StatusOK {
			return base
		}
	}
	return firstBase
}

const (
	firstBase = "http://127.0.0.1:1"
	otherBase = "http://[::1]:1"
)

// A port that is taken is no reason to wait, and what is asked first does not fail.
func FromAnotherPort(ctx context.Context) ([]byte, error) {
	for range 20 {
		from := &net.TCPAddr{Port: 1 + rand.Intn(1023)}
		client := &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{LocalAddr: from}).DialContext}}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, FirstThatAnswers(ctx)+"/data", nil)
		if err != nil {
			return nil, err
		}
		resp, err := client.Do(req)
		if err != nil {
			client.CloseIdleConnections()
			continue
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		client.CloseIdleConnections()
		return data, err
	}
	return nil, errors.New("no port is free")
}

// A call says what to send; pages are asked for without a body.
type Call struct {
	Method, Path string
	Query        url.Values
	Body         io.Reader
}

// Each page is asked for once.
func AllOf(ctx context.Context, base string, c *Call) (all []string, err error) {
	for n := 1; ; n++ {
		c.Query.Set("page", strconv.Itoa(n))
		p, err := c.do(ctx, base)
		if err != nil {
			return nil, err
		}
		all = append(all, p.Names...)
		if p.Next == "" {
			return all, nil
		}
	}
}

func (c *Call) do(ctx context.Context, base string) (*page, error) {
	req, err := http.NewRequestWithContext(ctx, c.Method, base+c.Path+"?"+c.Query.Encode(), c.Body)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	p := new(page)
	return p, json.NewDecoder(resp.Body).Decode(p)
}

// What is found is found again.
func Search(ctx context.Context, base, text string) (*page, error) {
	var err error
	for range 3 {
		var resp *http.Response
		if resp, err = http.Post(base+"/_search", "application/json", strings.NewReader(text)); err == nil {
			defer resp.Body.Close()
			p := new(page)
			return p, json.NewDecoder(resp.Body).Decode(p)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil, err
}

// What the server refuses has a text of its own, and ends it.
func TextOfItsOwn(ctx context.Context, url string, data []byte) error {
	var last error
	for n := 1; n <= 3; n++ {
		resp, err := http.DefaultClient.Do(newPut(ctx, url, data))
		if err != nil {
			last = err
		} else {
			func() {
				defer drain(resp)
				switch {
				case resp.StatusCode >= 500:
					last = fmt.Errorf("fault of the server: %d", resp.StatusCode)
				case resp.StatusCode >= 400:
					last = fmt.Errorf("refused by the server: %d", resp.StatusCode)
				default:
					last = nil
				}
			}()
		}
		if last == nil || strings.Contains(last.Error(), "refused by") {
			return last
		}
		time.Sleep(pause << n) // want "time.Sleep waits for the next attempt without looking at ctx"
	}
	return last
}

// Accounts are taken one after the other.
type Accounts struct{ tokens []string }

// Next returns another token, if there is one.
func (a *Accounts) Next() (token string, ok bool) {
	if len(a.tokens) == 0 {
		return "", false
	}
	token, a.tokens = a.tokens[0], a.tokens[1:]
	return token, true
}

// Each round is another account's.
func AnyAccount(ctx context.Context, url string, accounts *Accounts) ([]byte, error) {
	last := errors.New("no account")
	for {
		token, ok := accounts.Next()
		if !ok {
			return nil, last
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			last = err
			continue
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
			last = fmt.Errorf("status %d", resp.StatusCode)
			continue
		}
		return data, nil
	}
}

// What was lost is permanent, whatever another package makes of it.
func LostForGood(ctx context.Context, url string, data []byte) (int, error) {
	return backoff.Retry(ctx, func() (int, error) {
		code, err := addOnce(ctx, url, data)
		if err != nil {
			return 0, backoff.Permanent(err)
		}
		if code == http.StatusTooManyRequests {
			return code, errors.New("too many")
		}
		return code, nil
	}, backoff.WithMaxTries(3))
}

func addOnce(ctx context.Context, url string, data []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, lost.New(req, err)
	}
	drain(resp)
	return resp.StatusCode, nil
}

// A Shop asks for a token before it sends what it was given.
type Shop struct {
	base, token string
}

// The token is asked for by another request, though made by the same function.
func (s *Shop) Add(ctx context.Context, text string) error {
	req, err := newForm(ctx, http.MethodPost, s.base+"/add", text)
	if err != nil {
		return err
	}
	if s.token == "" {
		if err := s.login(ctx); err != nil {
			return err
		}
	}
	req.Header.Set("Authorization", s.token)
	return s.do(req)
}

func (s *Shop) login(ctx context.Context) error {
	req, err := newForm(ctx, http.MethodPost, s.base+"/login", "me")
	if err != nil {
		return err
	}
	s.token = "token"
	return s.do(req)
}

func (s *Shop) do(req *http.Request) error {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	drain(resp)
	return nil
}

func newForm(ctx context.Context, method, url, text string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, method, url, strings.NewReader(text))
}
