// Package fixes proves that the status is passed on where that is all that is
// missing, and that nothing is offered elsewhere.
package fixes

import (
	"io"
	"net/http"

	"fixtures/statusrelay/upstream"
)

func Bare(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
}

func InAnIf(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil { // want `whatever its status`
		return
	}
}

func Assigned(w http.ResponseWriter, r *http.Request) {
	res, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	_, _ = io.Copy(w, res.Body) // want `whatever its status`
}

func InACase(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		io.Copy(w, resp.Body) // want `whatever its status`
		resp.Body.Close()
	}
}

// NothingElse: from here on no fix is offered.
func NothingElse(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(http.StatusOK)
	io.Copy(w, resp.Body) // want `whatever its status`
}

func WroteBefore(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.WriteString(w, "# list\n")
	io.Copy(w, resp.Body) // want `whatever its status`
}
