// Package streams proves that bodies are followed line by line, as events are
// relayed.
package streams

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"

	"fixtures/statusrelay/upstream"

	"golang.org/x/net/html"
)

func open(w http.ResponseWriter) (*http.Response, bool) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return nil, false
	}
	return resp, true
}

func Scanner(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	flusher := w.(http.Flusher)
	scanner := bufio.NewScanner(resp.Body)
	for scanner.Scan() {
		fmt.Fprintf(w, "%s\n", scanner.Text()) // want `fmt.Fprintf sends on what open got`
		flusher.Flush()
	}
}

func ScannerWithStatus(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(resp.StatusCode)
	scanner := bufio.NewScanner(resp.Body)
	for scanner.Scan() {
		fmt.Fprintf(w, "%s\n", scanner.Text())
	}
}

// Which lines are sent on is no look at the status.
func Filtered(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	reader := bufio.NewReader(resp.Body)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "data: ") {
			continue
		}
		if line == "data: [DONE]" {
			return
		}
		fmt.Fprint(w, line, "\n\n") // want `whatever its status`
	}
}

func Lines(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	for _, line := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fmt.Fprintln(w, line) // want `whatever its status`
	}
}

func LinesGathered(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	var lines []string
	scanner := bufio.NewScanner(resp.Body)
	for scanner.Scan() {
		lines = append(lines, strings.TrimSpace(scanner.Text()))
	}
	io.WriteString(w, strings.Join(lines, "\n")) // want `whatever its status`
}

func Rewritten(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	w.Write(rewrite(b)) // want `whatever its status`
}

func rewrite(b []byte) []byte {
	var out bytes.Buffer
	for _, line := range bytes.Split(b, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("/")) {
			out.WriteString(upstream.URL)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func ThroughAChannel(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		defer resp.Body.Close()
		scanner := bufio.NewScanner(resp.Body)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	for line := range lines {
		fmt.Fprintln(w, line) // want `whatever its status`
	}
}

// What is sent is computed from each event.
func Computed(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	var n int
	dec := json.NewDecoder(resp.Body)
	for {
		var v struct{ N int }
		if dec.Decode(&v) != nil {
			break
		}
		n += v.N
	}
	fmt.Fprintf(w, "%d\n", n)
}

func FlushedBefore(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	rc := http.NewResponseController(w)
	rc.Flush()
	buf := make([]byte, 64)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil { // want `whatever its status`
				return
			}
			rc.Flush()
		}
		if err != nil {
			return
		}
	}
}

func Pipe(w http.ResponseWriter, r *http.Request) {
	pr, pw := io.Pipe()
	go func() {
		resp, err := upstream.Client.Get(upstream.URL)
		if err != nil {
			pw.CloseWithError(err)
			return
		}
		defer resp.Body.Close()
		_, err = io.Copy(pw, resp.Body)
		pw.CloseWithError(err)
	}()
	io.Copy(w, pr) // want `whatever its status`
}

// What fails does not answer with a stream of events.
func EventsOrStatus(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	kind := resp.Header.Get("Content-Type")
	if !strings.HasPrefix(kind, "text/event-stream") {
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
		return
	}
	w.Header().Set("Content-Type", kind)
	io.Copy(w, resp.Body)
}

func EventsOrAnything(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	events := strings.Contains(resp.Header.Get("Content-Type"), "text/event-stream")
	if events {
		w.Header().Set("X-Accel-Buffering", "no")
	}
	io.Copy(w, resp.Body) // want `whatever its status`
}

func linesOf(r io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		for sc := bufio.NewScanner(r); sc.Scan(); {
			if !yield(sc.Text()) {
				return
			}
		}
	}
}

func Iterated(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	for line := range linesOf(resp.Body) {
		fmt.Fprintln(w, line) // want `fmt.Fprintln sends on what open got`
	}
}

func IteratedWithStatus(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	for line := range linesOf(resp.Body) {
		fmt.Fprintln(w, line)
	}
}

// What comes over a channel has the status beside it, which nobody looks at.
type answer struct {
	code int
	body []byte
	err  error
}

func ask() (a answer) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, b, err}
}

func Selected(w http.ResponseWriter, r *http.Request) {
	answers := make(chan answer, 1)
	go func() { answers <- ask() }()
	select {
	case a := <-answers:
		if a.err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.Write(a.body) // want `w.Write sends on`
	case <-r.Context().Done():
	}
}

func SelectedWithStatus(w http.ResponseWriter, r *http.Request) {
	answers := make(chan answer, 1)
	go func() { answers <- ask() }()
	select {
	case a := <-answers:
		if a.err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.WriteHeader(a.code)
		w.Write(a.body)
	case <-r.Context().Done():
	}
}

func Archive(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	archive := zip.NewWriter(w)
	defer archive.Close()
	if part, err := archive.CreateHeader(&zip.FileHeader{Name: "answer", Method: zip.Store}); err == nil {
		io.Copy(part, resp.Body) // want `io.Copy sends on what open got`
	}
}

func Document(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	doc, err := html.Parse(resp.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	html.Render(w, doc) // want `html.Render sends on what open got`
}

func DocumentWithStatus(w http.ResponseWriter, r *http.Request) {
	resp, ok := open(w)
	if !ok {
		return
	}
	defer resp.Body.Close()
	doc, err := html.Parse(resp.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(resp.StatusCode)
	html.Render(w, doc)
}
