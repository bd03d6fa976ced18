package falsepos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/avast/retry-go/v4"
)

// Each round sends the next part of the same reader.
func NextPart(ctx context.Context, url string, all io.Reader, size int64, count int) error {
	for i := range count {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, url+"/"+strconv.Itoa(i), io.LimitReader(all, size))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		drain(resp)
	}
	return nil
}

// A chunk that comes twice takes its own place.
func ChunkByItsNumber(ctx context.Context, url string, n int, chunk []byte) (err error) {
	for range 3 {
		var resp *http.Response
		if resp, err = postChunk(ctx, url, n, chunk); err == nil {
			drain(resp)
			return nil
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func postChunk(ctx context.Context, url string, n int, chunk []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("%s/upload?chunk=%d", url, n), bytes.NewReader(chunk))
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(req)
}

// A URL that was parsed can be asked for, and nobody gives a method that is none.
func ParsedURL(ctx context.Context, method, server string) error {
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	return retry.Do(func() error {
		req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		drain(resp)
		return nil
	}, retry.Context(ctx))
}

// Of a loop that retries what the server refuses, that is said and no more.
func SaidOnce(ctx context.Context, url string, data []byte) error {
	return retry.Do(func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(data))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do is retried after a 4xx status"
		if err != nil {
			return err
		}
		drain(resp)
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		return nil
	}, retry.Context(ctx), retry.Attempts(3))
}

// A catalog is read page by page, by what is in a map.
type catalog struct{ base string }

func (c *catalog) get(params map[string]string, to any) error {
	q := url.Values{}
	for k, v := range params {
		q.Set(k, v)
	}
	return whileBusy(func() error {
		resp, err := http.Get(c.base + "?" + q.Encode())
		if err != nil {
			return err
		}
		defer drain(resp)
		return json.NewDecoder(resp.Body).Decode(to)
	})
}

// Names goes through all pages.
func (c *catalog) Names() (names []string, err error) {
	start := 0
	params := map[string]string{"limit": "200"}
	for {
		params["start"] = strconv.Itoa(start)
		start += 200
		var p page
		if err := c.get(params, &p); err != nil {
			return nil, err
		}
		if len(p.Names) == 0 {
			return names, nil
		}
		names = append(names, p.Names...)
	}
}

// An empty buffer is no body.
func newCall(ctx context.Context, method, url string, in any) (*http.Request, error) {
	buf := new(bytes.Buffer)
	if in != nil {
		if err := json.NewEncoder(buf).Encode(in); err != nil {
			return nil, err
		}
	}
	return http.NewRequestWithContext(ctx, method, url, buf)
}

// Nothing was put into the buffer of what is sent again.
func EmptyBuffer(ctx context.Context, url string) error {
	req, err := newCall(ctx, http.MethodDelete, url, nil)
	if err != nil {
		return err
	}
	for range 3 {
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			drain(resp)
			return nil
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return err
}
