// Package limits holds blind relays that are known not to be found.
package limits

import (
	"encoding/json"
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

// A part of what was decoded that is all that matters.
func Part(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var v struct{ Data json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(v.Data)
}
