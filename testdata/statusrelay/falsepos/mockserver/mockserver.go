// Package mockserver stands for a server in tests, as its path says.
package mockserver

import (
	"io"
	"net/http"
)

// Proxy answers with what another server says.
func Proxy(upstream string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		resp, err := http.Get(upstream + r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		_, _ = io.Copy(w, resp.Body)
	}
}
