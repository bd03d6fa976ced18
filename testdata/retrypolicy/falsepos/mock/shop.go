// Package mock shows that packages and files that are there for tests are left alone.
package mock

import "net/http"

// Up returns when the mock's own server answers.
func Up(url string) {
	for {
		if resp, err := http.Get(url); err == nil {
			resp.Body.Close()
			return
		}
	}
}
