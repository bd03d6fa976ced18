// Package fixes proves that the fixes keep the form of the code, and that there is none
// where the meaning would change.
package fixes

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"
)

const pause = 2 * time.Millisecond

func get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func Sleep(ctx context.Context, url string) (int, error) {
	for i := range 5 {
		if err := get(ctx, url); err == nil {
			return i, nil
		}
		time.Sleep(pause << i) // want "time\\.Sleep waits for the next attempt without looking at ctx"
	}
	return 0, errors.New("no answer")
}

func After(ctx context.Context, url string) {
	for range 5 {
		if get(ctx, url) == nil {
			return
		}
		<-time.After(pause) // want "<-time\\.After\\(pause\\) waits for the next attempt without looking at ctx"
	}
}

func Transport(next http.RoundTripper, req *http.Request) (resp *http.Response, err error) {
	if req.Body != nil {
		return next.RoundTrip(req)
	}
	for i := range 3 {
		if i > 0 {
			time.Sleep(pause) // want "time\\.Sleep waits for the next attempt without looking at req\\.Context\\(\\)"
		}
		if resp, err = next.RoundTrip(req); err == nil {
			break
		}
	}
	return resp, err
}

func Rewind(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader("doc"))
	if err != nil {
		return err
	}
	for range 3 {
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends the same request again, whose body the attempt before has read"
			return resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return err
}

func RewindVariable(ctx context.Context, url string) error {
	body := bytes.NewBufferString("doc")
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, body)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends the same request again, whose body the attempt before has read"
		if err == nil {
			return resp.Body.Close()
		}
		if i == 3 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func NoErrorToReturn(ctx context.Context, url string) bool {
	for range 5 {
		if get(ctx, url) == nil {
			return true
		}
		time.Sleep(pause) // want "time\\.Sleep waits for the next attempt without looking at ctx"
	}
	return false
}

func NoWayBack(ctx context.Context, url string) error {
	f, err := os.Open(os.Args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, f)
	if err != nil {
		return err
	}
	for range 3 {
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http\\.DefaultClient\\.Do sends the same request again, whose body the attempt before has read"
			return resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return err
}
