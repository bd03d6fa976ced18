// Package limits holds blind relays that are known not to be found.
package limits

import (
	"io"
	"net/http"

	"fixtures/statusrelay/upstream"
)

// A status that was looked at to no avail.
func Looked(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusTeapot {
		w.Header().Set("X-Teapot", "yes")
	}
	io.Copy(w, resp.Body)
}

// A body that waits in a package's variable.
var kept []byte

func Kept(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	kept, _ = io.ReadAll(resp.Body)
	w.Write(kept)
}
