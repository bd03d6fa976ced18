// Package falsepos holds what looks like a blind relay, and is none.
package falsepos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"

	"fixtures/statusrelay/upstream"
)

// A file is no client.
func Download(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	f, err := os.CreateTemp("", "download")
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	io.Copy(f, resp.Body)
	w.WriteHeader(http.StatusNoContent)
}

// Nothing of the upstream's is sent.
func Ping(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	io.WriteString(w, "pong")
}

func Reverse(w http.ResponseWriter, r *http.Request) {
	u, _ := url.Parse(upstream.URL)
	(&httputil.ReverseProxy{
		Transport: upstream.Client.Transport,
		Rewrite:   func(pr *httputil.ProxyRequest) { pr.SetURL(u) },
	}).ServeHTTP(w, r)
}

// Many upstreams have no one status.
func Many(w http.ResponseWriter, r *http.Request) {
	all := make(map[string]string)
	var bodies []string
	for _, name := range []string{"a", "b"} {
		resp, err := upstream.Client.Get(upstream.URL + name)
		if err != nil {
			continue
		}
		b, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		all[name] = string(b)
		bodies = append(bodies, string(b))
	}
	json.NewEncoder(w).Encode(all)
	fmt.Fprintln(w, strings.Join(bodies, "\n"))
}

// A recorder is no client.
func Recorded(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	rec := httptest.NewRecorder()
	io.Copy(rec, resp.Body)
	w.WriteHeader(http.StatusNoContent)
}

// The body goes to another server.
func Forward(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	next, err := upstream.Client.Post(upstream.URL, "text/plain", resp.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer next.Body.Close()
	w.WriteHeader(next.StatusCode)
	io.Copy(w, next.Body)
}

// The content is looked at.
func Content(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	if !bytes.HasPrefix(b, []byte("#EXTM3U")) {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

// An error is answered as one, with what the upstream says about it.
func Explained(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	http.Error(w, "upstream says: "+string(b), http.StatusBadGateway)
}

type recorder struct {
	http.ResponseWriter
	code int
}

func (r *recorder) WriteHeader(code int) {
	r.code = code
	r.ResponseWriter.WriteHeader(code)
}

// A writer of one's own passes the status on.
func Wrapped(w http.ResponseWriter, r *http.Request) {
	rec := &recorder{ResponseWriter: w}
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		rec.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	rec.WriteHeader(resp.StatusCode)
	io.Copy(rec, resp.Body)
}

type strict struct{ next http.RoundTripper }

func (s strict) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(r)
	if err == nil && resp.StatusCode >= 400 {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", r.URL, resp.Status)
	}
	return resp, err
}

// The transport makes errors of bad statuses.
func Strict(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{Transport: strict{http.DefaultTransport}}
	resp, err := client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

func checked(do func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		resp, err := do(r)
		if err == nil && resp.StatusCode != http.StatusOK {
			resp.Body.Close()
			return nil, fmt.Errorf("%s: %s", r.URL, resp.Status)
		}
		return resp, err
	}
}

// The function that sends the request checks.
func CheckedFunction(w http.ResponseWriter, r *http.Request) {
	do := checked(upstream.Client.Do)
	req, _ := http.NewRequest(http.MethodGet, upstream.URL, nil)
	resp, err := do(req)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}
