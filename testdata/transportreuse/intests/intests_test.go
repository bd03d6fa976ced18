package intests

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestLoop(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	for range 2 {
		c := &http.Client{Transport: &http.Transport{}}
		resp, err := c.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}
