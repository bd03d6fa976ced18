package tests

import (
	"net/http"
	"testing"
)

// CheckRedirect is part of tests, in a file that others can import.
func CheckRedirect(t testing.TB, url string) {
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusFound {
		t.Errorf("status %d", resp.StatusCode)
	}
}
