// Package nethttp proves that each way of sending a body with net/http is seen.
package nethttp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"fixtures/statusrelay/upstream"
)

func get(w http.ResponseWriter) *http.Response {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return nil
	}
	return resp
}

func Copy(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	io.Copy(w, resp.Body) // want `io.Copy sends on what upstream.Client.Get got, whatever its status \(a failure of the upstream is answered 200\)`
}

func CopyWithStatus(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	for k, vv := range resp.Header {
		w.Header()[k] = vv
	}
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
}

func CopyAndThenStatus(w http.ResponseWriter, r *http.Request) {
	resp, err := http.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
	w.WriteHeader(resp.StatusCode)
}

func HardCoded(w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, upstream.URL, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	resp, err := upstream.Client.Do(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(http.StatusAccepted)
	if _, err := io.Copy(w, resp.Body); err != nil { // want `\(a failure of the upstream is answered 202\)`
		return
	}
}

func HardCodedInAVariable(w http.ResponseWriter, r *http.Request) {
	code := http.StatusOK
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		code = http.StatusBadGateway
		w.WriteHeader(code)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(code)
	io.Copy(w, resp.Body) // want `whatever its status`
}

func OfItsOwn(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(http.StatusBadGateway)
	io.Copy(w, resp.Body)
}

func StatusInAVariable(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	code := resp.StatusCode
	b, _ := io.ReadAll(resp.Body)
	w.WriteHeader(code)
	w.Write(b)
}

func StatusInAVariableOnly(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	code := resp.StatusCode
	b, _ := io.ReadAll(resp.Body)
	w.Write(b) // want `w.Write sends on what get got, whatever its status`
	_ = code
}

func ReadAndWrite(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Post(upstream.URL, "text/plain", r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if _, err := w.Write(b); err != nil { // want `whatever its status`
		return
	}
}

func Error(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	http.Error(w, string(b), resp.StatusCode)
}

func Fprint(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	fmt.Fprintf(w, "<pre>%s</pre>", b) // want `fmt.Fprintf sends on`
}

func FprintOfTheLength(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	fmt.Fprintf(w, "%d bytes\n", len(b))
}

func WriteString(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	s := strings.ReplaceAll(string(b), "http://", "https://")
	io.WriteString(w, s) // want `whatever its status`
}

func Buffer(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(resp.Body); err != nil {
		http.Error(w, "", http.StatusBadGateway)
		return
	}
	buf.WriteTo(w) // want `whatever its status`
}

func CopiedBuffer(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	buf := new(bytes.Buffer)
	io.Copy(buf, resp.Body)
	w.Write(buf.Bytes()) // want `whatever its status`
}

func Builder(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	var sb strings.Builder
	sb.WriteString("<pre>")
	b, _ := io.ReadAll(resp.Body)
	sb.Write(b)
	sb.WriteString("</pre>")
	fmt.Fprint(w, sb.String()) // want `whatever its status`
}

func Content(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		http.Error(w, "", http.StatusBadGateway)
		return
	}
	http.ServeContent(w, r, "x.txt", time.Time{}, bytes.NewReader(b)) // want `http.ServeContent sends on`
}

func Gzip(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Encoding", "gzip")
	zw := gzip.NewWriter(w)
	defer zw.Close()
	io.Copy(zw, resp.Body) // want `whatever its status`
}

func Buffered(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	bw := bufio.NewWriter(w)
	defer bw.Flush()
	bw.ReadFrom(resp.Body) // want `whatever its status`
}

func Several(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	var kept bytes.Buffer
	io.Copy(io.MultiWriter(w, &kept), resp.Body) // want `whatever its status`
}

func Tee(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	var kept bytes.Buffer
	io.Copy(w, io.TeeReader(resp.Body, &kept)) // want `whatever its status`
}

func Encoded(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	w.Write([]byte(base64.StdEncoding.EncodeToString(b))) // want `whatever its status`
}

func Chunks(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	buf := make([]byte, 512)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			w.Write(buf[:n]) // want `whatever its status`
			if f, ok := w.(http.Flusher); ok {
				f.Flush()
			}
		}
		if err != nil {
			return
		}
	}
}

// The type of the content is no status.
func ContentType(w http.ResponseWriter, r *http.Request) {
	resp := get(w)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "image/") {
		w.Header().Set("Cache-Control", "max-age=60")
	}
	io.Copy(w, resp.Body) // want `whatever its status`
}

// A log decides nothing.
type Proxy struct{ Client *http.Client }

func (p Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := r.Clone(r.Context())
	out.RequestURI = ""
	resp, err := p.Client.Transport.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.CopyBuffer(w, resp.Body, make([]byte, 1<<10)) // want `whatever its status`
}

func Handler(url string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resp, err := upstream.Client.Get(url)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		io.Copy(w, resp.Body) // want `whatever its status`
	})
}
