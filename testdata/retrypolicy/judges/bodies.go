package judges

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
)

// A body that is there is rewound, in each of these ways.
func Rewound(req *http.Request, body io.ReadSeeker) (resp *http.Response, err error) {
	for n := range 3 {
		if body != nil {
			if _, err := body.Seek(0, io.SeekStart); err != nil {
				return nil, err
			}
		}
		if resp, err = http.DefaultClient.Do(req); err == nil {
			return resp, nil
		}
		if err := wait(req.Context(), n); err != nil {
			return nil, err
		}
	}
	return nil, err
}

func Buffered(req *http.Request) (resp *http.Response, err error) {
	var body []byte
	if req.Body != nil {
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	for n := range 3 {
		if len(body) > 0 {
			req.Body = io.NopCloser(bytes.NewReader(body))
		}
		if resp, err = http.DefaultClient.Do(req); err == nil {
			return resp, nil
		}
		if err := wait(req.Context(), n); err != nil {
			return nil, err
		}
	}
	return nil, err
}

var (
	bodiless   = []string{http.MethodGet, http.MethodHead}
	idempotent = map[string]bool{http.MethodGet: true, http.MethodPut: true}
)

// Those that are sent again have no body.
func Bodiless(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := http.DefaultClient.Do(req)
		if err == nil || n == 3 || !slices.Contains(bodiless, req.Method) {
			return resp, err
		}
		if err := wait(req.Context(), n); err != nil {
			return nil, err
		}
	}
}

func Idempotent(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := http.DefaultClient.Do(req) // want "http.DefaultClient.Do sends the same request again, whose body the attempt before has read"
		if err == nil || n == 3 || !idempotent[req.Method] {
			return resp, err
		}
		if err := wait(req.Context(), n); err != nil {
			return nil, err
		}
	}
}

// A Sender is what a decorator decorates.
type Sender func(*http.Request) (*http.Response, error)

func Decorate(next Sender) Sender {
	return Sender(func(req *http.Request) (resp *http.Response, err error) {
		for n := range 3 {
			if resp, err = next(req); err == nil { // want "next sends the same request again, whose body the attempt before has read"
				return resp, nil
			}
			if err := wait(req.Context(), n); err != nil {
				return nil, err
			}
		}
		return nil, err
	})
}

type form struct{ buf bytes.Buffer }

func (f *form) Send(ctx context.Context, url string) (err error) {
	for n := range 3 {
		req, err := http.NewRequestWithContext(ctx, "PUT", url, &f.buf)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http.DefaultClient.Do sends a body again that the attempt before has read"
		if err == nil {
			return resp.Body.Close()
		}
		if err := wait(ctx, n); err != nil {
			return err
		}
	}
	return err
}

// Each round asks for the next part of the name.
func Zone(name string) (string, error) {
	for {
		i := strings.Index(name, ".")
		if i < 0 {
			return "", io.EOF
		}
		resp, err := http.Get("https://dns.example/zones/" + name)
		if err == nil {
			return name, resp.Body.Close()
		}
		name = name[i+1:]
	}
}
