// Package intests proves that tests and what helps them are left alone, but for
// -transportreuse.tests.
package intests

import (
	"io"
	"net/http"
	"testing"
)

// Fetch helps tests.
func Fetch(t *testing.T, url string) string {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{}}
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
