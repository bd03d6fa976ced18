// Package plain shows that no wait is asked to look at the context of a request where the
// package makes all requests without one.
package plain

import (
	"errors"
	"net/http"
	"time"
)

// Size asks how large something is.
func Size(url string) (int64, error) {
	req, err := http.NewRequest(http.MethodHead, url, nil)
	if err != nil {
		return 0, err
	}
	return size(req)
}

func size(req *http.Request) (int64, error) {
	for range 4 {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusServiceUnavailable {
			return resp.ContentLength, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0, errors.New("unavailable")
}
