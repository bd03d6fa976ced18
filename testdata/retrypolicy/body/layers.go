package body

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// A layered client has the fault in one place, and is told of it where the request is
// made and where it is sent, not at each method above.
type layered struct {
	client http.Client
	base   string
}

func (c *layered) Put(path string, v any) error { return c.Call(http.MethodPut, path, v) }

func (c *layered) Delete(path string, v any) error { return c.Call(http.MethodDelete, path, v) }

func (c *layered) Call(method, path string, v any) error {
	return c.CallContext(context.Background(), method, path, v)
}

func (c *layered) CallContext(ctx context.Context, method, path string, v any) error {
	req, err := c.newRequest(method, path, v)
	if err != nil {
		return err
	}
	resp, err := c.Do(req.WithContext(ctx)) // want `c.Do sends the same request again`
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (c *layered) newRequest(method, path string, v any) (*http.Request, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return http.NewRequest(method, c.base+path, bytes.NewReader(data))
}

// Do asks once more if the server was busy.
func (c *layered) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.client.Do(req)
	for i := 1; i < 3 && err == nil && resp.StatusCode == http.StatusTooManyRequests; i++ {
		_ = resp.Body.Close()
		timer := time.NewTimer(time.Second)
		select {
		case <-timer.C:
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
		resp, err = c.client.Do(req) // want `c.client.Do sends the same request again`
	}
	return resp, err
}
