// Package shopkit shows that a package for tests, which imports package testing, is left
// alone.
package shopkit

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Open opens a shop for a test.
func Open(t *testing.T, url string) {
	t.Helper()
	for range 5 {
		resp, err := http.Post(url, "text/plain", strings.NewReader("open"))
		if err == nil {
			resp.Body.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no shop")
}
