package hopeless

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// A Session logs in again when it is refused.
type Session struct {
	url, token string
	renewed    bool
}

func (s *Session) login(ctx context.Context) error {
	resp, err := http.Get(s.url + "/login")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	token, err := io.ReadAll(resp.Body)
	s.token = string(token)
	return err
}

func (s *Session) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", s.token)
	return http.DefaultClient.Do(req)
}

func (s *Session) Call(ctx context.Context, path string) ([]byte, error) {
	resp, err := s.do(ctx, "GET", path, nil) // want "s.do is sent again after each 401 or 403, for ever"
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		if err := s.login(ctx); err != nil {
			return nil, err
		}
		return s.Call(ctx, path)
	}
	return data, err
}

func (s *Session) Loop(ctx context.Context, path string, body []byte) (*http.Response, error) {
	for {
		resp, err := s.do(ctx, "POST", path, body) // want "s.do is sent again after each 401 or 403, for ever"
		if err != nil || resp.StatusCode != http.StatusUnauthorized {
			return resp, err
		}
		resp.Body.Close()
		if err := s.login(ctx); err != nil {
			return nil, err
		}
	}
}

// Once more, as a flag remembers.
func (s *Session) Renew(ctx context.Context, path string) (*http.Response, error) {
	resp, err := s.do(ctx, "GET", path, nil)
	if err == nil && resp.StatusCode == http.StatusUnauthorized && !s.renewed {
		resp.Body.Close()
		s.renewed = true
		if err := s.login(ctx); err != nil {
			return nil, err
		}
		return s.Renew(ctx, path)
	}
	return resp, err
}

// Once more, as the function is told.
func (s *Session) Once(ctx context.Context, path string, first bool) (*http.Response, error) {
	resp, err := s.do(ctx, "GET", path, nil)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		resp.Body.Close()
		if !first {
			return nil, errors.New("refused")
		}
		if err := s.login(ctx); err != nil {
			return nil, err
		}
		return s.Once(ctx, path, false)
	}
	return resp, err
}

// Once more, as a variable remembers.
func (s *Session) Twice(ctx context.Context, path string) (*http.Response, error) {
	for renewed := false; ; renewed = true {
		resp, err := s.do(ctx, "GET", path, nil)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || renewed {
			return resp, err
		}
		resp.Body.Close()
		if err := s.login(ctx); err != nil {
			return nil, err
		}
	}
}
