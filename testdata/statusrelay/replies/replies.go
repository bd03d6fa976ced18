// Package replies proves that a function that a gateway calls answers with what it
// returns.
package replies

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"

	"fixtures/statusrelay/upstream"
)

// A Request and a Response are of the form that gateways of functions know.
type Request struct{ Path string }

type Response struct {
	StatusCode      int
	Headers         map[string]string
	Body            string
	IsBase64Encoded bool
}

func HardCoded(ctx context.Context, r Request) (Response, error) {
	resp, err := upstream.Client.Get(upstream.URL + r.Path)
	if err != nil {
		return Response{StatusCode: http.StatusBadGateway}, nil
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return Response{StatusCode: http.StatusBadGateway}, nil
	}
	return Response{StatusCode: http.StatusOK, Body: string(b)}, nil // want `the reply sends on what upstream.Client.Get got, whatever its status \(a failure of the upstream is answered 200\)`
}

func WithStatus(ctx context.Context, r Request) (Response, error) {
	resp, err := upstream.Client.Get(upstream.URL + r.Path)
	if err != nil {
		return Response{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return Response{StatusCode: resp.StatusCode, Body: string(b)}, err
}

func InSteps(ctx context.Context, r Request) (*Response, error) {
	out := &Response{StatusCode: 200, IsBase64Encoded: true}
	resp, err := upstream.Client.Get(upstream.URL + r.Path)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return out, err
	}
	out.Body = base64.StdEncoding.EncodeToString(b)
	return out, nil // want `the reply sends on`
}

func Checked(ctx context.Context, r Request) (*Response, error) {
	out := &Response{StatusCode: 200}
	resp, err := upstream.Client.Get(upstream.URL + r.Path)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		out.StatusCode = http.StatusBadGateway
		return out, nil
	}
	b, err := io.ReadAll(resp.Body)
	out.Body = string(b)
	return out, err
}

func ok(v any) (Response, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return Response{}, err
	}
	return Response{StatusCode: 200, Body: string(b)}, nil
}

func reply(code int, v any) (Response, error) {
	b, err := json.Marshal(v)
	return Response{StatusCode: code, Body: string(b)}, err
}

func ByAHelper(ctx context.Context, r Request) (Response, error) {
	resp, err := upstream.Client.Get(upstream.URL + r.Path)
	if err != nil {
		return reply(http.StatusBadGateway, nil)
	}
	defer resp.Body.Close()
	var v any
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		return reply(http.StatusBadGateway, nil)
	}
	return ok(v) // want `the reply sends on`
}

func ByAHelperWithStatus(ctx context.Context, r Request) (Response, error) {
	resp, err := upstream.Client.Get(upstream.URL + r.Path)
	if err != nil {
		return reply(http.StatusBadGateway, nil)
	}
	defer resp.Body.Close()
	var v any
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		return reply(http.StatusBadGateway, nil)
	}
	return reply(resp.StatusCode, v)
}
