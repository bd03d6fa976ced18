package proof

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/gob"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A framing is how the end of a body is told.
type framing int

const (
	length      framing = iota // Content-Length
	chunked                    // the last chunk comes in the same packet as the data
	chunkedLate                // the last chunk comes later
)

func (f framing) String() string {
	return [...]string{"length", "chunked", "chunked, late end"}[f]
}

// late is how much later the end of a body comes.
const late = 10 * time.Millisecond

// An answer is what the server of one scenario answers.
type answer struct {
	status  int
	framing framing
	size    int
	kind    func(size int) string // makes the body
}

func (a answer) String() string {
	return fmt.Sprintf("%d, %d bytes, %s", a.status, a.size, a.framing)
}

const (
	small = 300     // less than any buffer
	large = 2 << 20 // more than any buffer, and than a bounded drain takes
)

// serve starts a server that gives the same answer to every request, over HTTP/1
// and HTTP/2 without TLS, and counts its connections and requests.
func serve(a answer) *counter {
	body := []byte(a.kind(a.size))
	return start(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/plain")
		h.Set("ETag", `"1"`)
		h.Set("X-Next", "http://"+r.Host+"/next")
		status := a.status
		switch {
		case status == http.StatusUnauthorized && r.Header.Get("Authorization") == "Bearer fresh",
			status == http.StatusForbidden && r.URL.Path == "/allowed":
			status = http.StatusOK
		case status == http.StatusNoContent || status == http.StatusNotModified:
			w.WriteHeader(status)
			return
		case status == http.StatusSwitchingProtocols:
			h.Set("Connection", "Upgrade")
			h.Set("Upgrade", "echo")
			w.WriteHeader(status)
			return
		case status/100 == 3:
			h.Set("Location", "/elsewhere")
		}
		if a.framing == length {
			h.Set("Content-Length", strconv.Itoa(len(body)))
			w.WriteHeader(status)
			w.Write(body)
			return
		}
		w.WriteHeader(status)
		w.(http.Flusher).Flush()
		w.Write(body)
		if a.framing == chunkedLate {
			w.(http.Flusher).Flush()
			time.Sleep(late)
		}
	})
}

// A counter is a server that counts its connections and requests.
type counter struct {
	*httptest.Server
	conns, requests atomic.Int32
}

// start starts a server whose requests h answers, once their body is read.
func start(h http.HandlerFunc) *counter {
	s := new(counter)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		io.Copy(io.Discard, r.Body)
		h(w, r)
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	s.Start()
	return s
}

// fill returns head, so many copies of item (into which it formats their index)
// that the whole is about size bytes, and tail.
func fill(size int, head, item, sep, tail string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(sep)
		}
		fmt.Fprintf(&b, item, i)
	}
	b.WriteString(tail)
	return b.String()
}

// made remembers the bodies made, by kind and size.
var made sync.Map

// once returns a maker of bodies that makes each only once.
func once(name string, mk func(size int) string) func(int) string {
	return func(size int) string {
		key := name + strconv.Itoa(size)
		if s, ok := made.Load(key); ok {
			return s.(string)
		}
		s := mk(size)
		made.Store(key, s)
		return s
	}
}

// The kinds of bodies.
var (
	empty  = func(int) string { return "" }
	text   = once("text", func(n int) string { return fill(n, "", "key%d = some words", "\n", "\n") })
	object = once("object", func(n int) string {
		return fill(n, `{"name":"gopher","items":[`, `{"id":%d,"title":"an item"}`, ",", "]}")
	})
	objectLine = once("objectLine", func(n int) string { return object(n) + "\n" })
	array      = once("array", func(n int) string { return fill(n, "[", `{"id":%d,"title":"an item"}`, ",", "]") })
	lines      = once("lines", func(n int) string { return fill(n, "", `{"id":%d,"title":"an item"}`, "\n", "\n") })
	table      = once("table", func(n int) string { return fill(n, "id,title\n", "%d,an item", "\n", "\n") })
	markup     = once("markup", func(n int) string {
		return fill(n, "<feed><title>news</title>", "<entry><id>%d</id></entry>", "", "</feed>")
	})
	events = once("events", func(n int) string { return fill(n, "", "data: {\"id\":%d}", "\n\n", "\n\ndata: [DONE]\n\n") })
	zipped = once("zipped", func(n int) string {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
		io.WriteString(z, text(n))
		z.Close()
		return b.String()
	})
	archive = once("archive", func(n int) string {
		var b bytes.Buffer
		in := tar.NewWriter(&b)
		for i := range 2 {
			in.WriteHeader(&tar.Header{Name: strconv.Itoa(i), Mode: 0o600, Size: int64(n)})
			in.Write(make([]byte, n))
		}
		in.Close()
		return b.String()
	})
	parts = once("parts", func(n int) string {
		var b bytes.Buffer
		in := multipart.NewWriter(&b)
		in.SetBoundary("frontier")
		for range 2 {
			part, _ := in.CreatePart(nil)
			io.WriteString(part, text(n))
		}
		in.Close()
		return b.String()
	})
	pixels = once("pixels", func(n int) string {
		var b bytes.Buffer
		(&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, image.NewGray(image.Rect(0, 0, n/100, 100)))
		return b.String()
	})
	value = func(int) string {
		var b bytes.Buffer
		gob.NewEncoder(&b).Encode("value")
		return b.String()
	}
	encoded = once("encoded", func(n int) string {
		return base64.StdEncoding.EncodeToString([]byte(text(n)))
	})
)
