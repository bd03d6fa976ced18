// Package helpers proves that bodies are followed through functions: those that
// fetch, those that send, and those that do both.
package helpers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"fixtures/statusrelay/remote"
	"fixtures/statusrelay/upstream"
)

func fetch(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, upstream.URL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := upstream.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func Fetched(w http.ResponseWriter, r *http.Request) {
	b, err := fetch(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what fetch got`
}

func again(ctx context.Context) (string, error) {
	b, err := fetch(ctx)
	return string(bytes.TrimSpace(b)), err
}

func FetchedTwoCallsAway(w http.ResponseWriter, r *http.Request) {
	s, err := again(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	fmt.Fprintln(w, s) // want `fmt.Fprintln sends on what again got`
}

func fetchGood(ctx context.Context) ([]byte, error) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("upstream: %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}

func FetchedGood(w http.ResponseWriter, r *http.Request) {
	b, err := fetchGood(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(b)
}

func fetchWithStatus() ([]byte, int, error) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return b, resp.StatusCode, err
}

func WithStatus(w http.ResponseWriter, r *http.Request) {
	b, code, err := fetchWithStatus()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(code)
	w.Write(b)
}

func WithStatusDropped(w http.ResponseWriter, r *http.Request) {
	b, _, err := fetchWithStatus()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(b) // want `whatever its status`
}

type reply struct {
	Body   []byte
	Status int
}

func fetchReply() (*reply, error) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	return &reply{Body: b, Status: resp.StatusCode}, nil
}

func Reply(w http.ResponseWriter, r *http.Request) {
	rep, err := fetchReply()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(rep.Status)
	w.Write(rep.Body)
}

func ReplyChecked(w http.ResponseWriter, r *http.Request) {
	rep, err := fetchReply()
	if err != nil || rep.Status >= 300 {
		http.Error(w, "", http.StatusBadGateway)
		return
	}
	w.Write(rep.Body)
}

func ReplyBlind(w http.ResponseWriter, r *http.Request) {
	rep, err := fetchReply()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(rep.Body) // want `w.Write sends on what fetchReply got`
}

func (rep *reply) write(w http.ResponseWriter) {
	w.WriteHeader(rep.Status)
	w.Write(rep.Body)
}

func (rep *reply) writeBody(w io.Writer) { w.Write(rep.Body) }

func ReplyWritten(w http.ResponseWriter, r *http.Request) {
	rep, err := fetchReply()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	rep.write(w)
}

func ReplyBodyWritten(w http.ResponseWriter, r *http.Request) {
	rep, err := fetchReply()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	rep.writeBody(w) // want `rep.writeBody sends on what fetchReply got`
}

func pour(dst io.Writer) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(dst, resp.Body)
	return err
}

func Poured(w http.ResponseWriter, r *http.Request) {
	if err := pour(w); err != nil { // want `pour sends on an upstream's body, whatever its status`
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

func PouredIntoABuffer(w http.ResponseWriter, r *http.Request) {
	var buf bytes.Buffer
	if err := pour(&buf); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(buf.Bytes()) // want `w.Write sends on what pour got`
}

func pourMore(dst io.Writer, head string) error {
	io.WriteString(dst, head)
	return pour(dst)
}

func PouredTwoCallsAway(w http.ResponseWriter, r *http.Request) {
	pourMore(w, "# list\n") // want `pourMore sends on an upstream's body`
}

func relay(w http.ResponseWriter, resp *http.Response) {
	defer resp.Body.Close()
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	io.Copy(w, resp.Body)
}

func Relayed(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	relay(w, resp) // want `relay sends on what upstream.Client.Get got`
}

func relayAll(w http.ResponseWriter, resp *http.Response) {
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
}

func RelayedWithStatus(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	relayAll(w, resp)
}

func respond(w http.ResponseWriter, code int, b []byte) {
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(code)
	w.Write(b)
}

func Responded(w http.ResponseWriter, r *http.Request) {
	b, err := fetch(r.Context())
	if err != nil {
		respond(w, http.StatusBadGateway, []byte(err.Error()))
		return
	}
	respond(w, http.StatusOK, b) // want `respond sends on what fetch got`
}

func RespondedWithStatus(w http.ResponseWriter, r *http.Request) {
	b, code, err := fetchWithStatus()
	if err != nil {
		respond(w, http.StatusBadGateway, []byte(err.Error()))
		return
	}
	respond(w, code, b)
}

func writeJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(v)
}

func decodeJSON(resp *http.Response, v any) error {
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(v)
}

func WrittenAsJSON(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	var v map[string]any
	if err := decodeJSON(resp, &v); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	writeJSON(w, v) // want `writeJSON sends on what upstream.Client.Get got`
}

func getJSON(url string, v any) error {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(v)
}

func getJSONChecked(url string, v any) error {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode > 299 {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(v)
}

func GotJSON(w http.ResponseWriter, r *http.Request) {
	var v map[string]any
	if err := getJSON(upstream.URL, &v); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	writeJSON(w, v) // want `writeJSON sends on what getJSON got`
}

func GotJSONChecked(w http.ResponseWriter, r *http.Request) {
	var v map[string]any
	if err := getJSONChecked(upstream.URL, &v); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	writeJSON(w, v)
}

// What is returned is there before it is filled.
func getMap(url string) (map[string]any, error) {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	v := map[string]any{}
	return v, json.NewDecoder(resp.Body).Decode(&v)
}

func GotMap(w http.ResponseWriter, r *http.Request) {
	v, err := getMap(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	writeJSON(w, v) // want `writeJSON sends on what getMap got`
}

func Remote(w http.ResponseWriter, r *http.Request) {
	b, err := remote.Fetch(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what remote.Fetch got`
}

func RemoteChecked(w http.ResponseWriter, r *http.Request) {
	b, err := remote.FetchGood(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(b)
}

func RemotePour(w http.ResponseWriter, r *http.Request) {
	remote.Pour(w, upstream.URL) // want `remote.Pour sends on an upstream's body`
}

func RemoteCheck(w http.ResponseWriter, r *http.Request) {
	resp, err := remote.Get(upstream.URL)
	if err == nil {
		err = remote.Check(resp)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	remote.Relay(w, resp)
}

func RemoteRelay(w http.ResponseWriter, r *http.Request) {
	resp, err := remote.Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	remote.Relay(w, resp) // want `remote.Relay sends on what remote.Get got`
}

func RemoteReply(w http.ResponseWriter, r *http.Request) {
	rep, err := remote.FetchReply(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(rep.Body) // want `w.Write sends on what remote.FetchReply got`
}

func RemoteReplyWithStatus(w http.ResponseWriter, r *http.Request) {
	rep, err := remote.FetchReply(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(rep.Code)
	w.Write(rep.Body)
}

// The closure is the helper.
func Closure(w http.ResponseWriter, r *http.Request) {
	fetch := func(url string) ([]byte, error) {
		resp, err := upstream.Client.Get(url)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		return io.ReadAll(resp.Body)
	}
	b, err := fetch(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `whatever its status`
}

func ClosureThatChecks(w http.ResponseWriter, r *http.Request) {
	fetch := func(url string) ([]byte, error) {
		resp, err := upstream.Client.Get(url)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != 200 {
			return nil, io.ErrUnexpectedEOF
		}
		return io.ReadAll(resp.Body)
	}
	b, err := fetch(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

func try(f func() error) error {
	var err error
	for range 3 {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

func Callback(w http.ResponseWriter, r *http.Request) {
	var resp *http.Response
	err := try(func() (err error) {
		resp, err = upstream.Client.Get(upstream.URL)
		return err
	})
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
}

func CallbackThatChecks(w http.ResponseWriter, r *http.Request) {
	var resp *http.Response
	err := try(func() (err error) {
		resp, err = upstream.Client.Get(upstream.URL)
		if err == nil && resp.StatusCode != 200 {
			return io.ErrUnexpectedEOF
		}
		return err
	})
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

// A function that has the client is blamed itself, and its callers are not.
func serve(w http.ResponseWriter, url string) {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
}

func Served(w http.ResponseWriter, r *http.Request) { serve(w, upstream.URL) }

type api struct{ http *http.Client }

func (a *api) do(req *http.Request) (*http.Response, error) { return a.http.Do(req) }

func (a *api) get(path string) (io.ReadCloser, error) {
	req, err := http.NewRequest(http.MethodGet, upstream.URL+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := a.do(req)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func Method(w http.ResponseWriter, r *http.Request) {
	a := &api{upstream.Client}
	body, err := a.get("x")
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer body.Close()
	io.Copy(w, body) // want `io.Copy sends on what a.get got`
}

func Channel(w http.ResponseWriter, r *http.Request) {
	type result struct {
		b   []byte
		err error
	}
	ch := make(chan result, 1)
	go func() {
		b, err := fetch(r.Context())
		ch <- result{b, err}
	}()
	res := <-ch
	if res.err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(res.b) // want `whatever its status`
}

func withRetry[T any](f func() (T, error)) (T, error) {
	v, err := f()
	if err != nil {
		v, err = f()
	}
	return v, err
}

func ResultOfACallback(w http.ResponseWriter, r *http.Request) {
	resp, err := withRetry(func() (*http.Response, error) { return upstream.Client.Get(upstream.URL) })
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
}

// A Context of one's own.
type Context struct {
	W http.ResponseWriter
	R *http.Request
}

func (c *Context) bytes(code int, b []byte) {
	c.W.WriteHeader(code)
	c.W.Write(b)
}

func OwnContext(w http.ResponseWriter, r *http.Request) {
	c := &Context{w, r}
	b, err := fetch(r.Context())
	if err != nil {
		c.bytes(http.StatusBadGateway, nil)
		return
	}
	c.bytes(http.StatusOK, b) // want `c.bytes sends on what fetch got`
}

type options struct {
	to  io.Writer
	url string
}

func download(o options) error {
	resp, err := upstream.Client.Get(o.url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(o.to, resp.Body)
	return err
}

func InAStruct(w http.ResponseWriter, r *http.Request) {
	download(options{to: w, url: upstream.URL}) // want `download sends on an upstream's body`
}

func RemoteAnswer(w http.ResponseWriter, r *http.Request) {
	a, err := remote.FetchAnswer(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(a.Body) // want `w.Write sends on what remote.FetchAnswer got`
}

func RemoteAnswerWithStatus(w http.ResponseWriter, r *http.Request) {
	a, err := remote.FetchAnswer(upstream.URL)
	if err != nil || a.Code() != http.StatusOK {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(a.Body)
}

// The deferred function makes an error of the status.
func fetchDeferred() (b []byte, err error) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return nil, err
	}
	defer func() {
		resp.Body.Close()
		if err == nil && resp.StatusCode >= 400 {
			err = fmt.Errorf("upstream: %s", resp.Status)
		}
	}()
	return io.ReadAll(resp.Body)
}

func CheckedAtTheEnd(w http.ResponseWriter, r *http.Request) {
	b, err := fetchDeferred()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

// A helper that answers, and says so.
func allowed(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodDelete {
		http.Error(w, "no", http.StatusForbidden)
		return false
	}
	return true
}

func AllowedFirst(w http.ResponseWriter, r *http.Request) {
	if !allowed(w, r) {
		return
	}
	b, err := fetch(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what fetch got`
}

// A writer of another package writes to the client by a method of its own.
func RemoteWriter(w http.ResponseWriter, r *http.Request) {
	counted := &remote.Writer{ResponseWriter: w}
	b, err := remote.Fetch(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	counted.Write(b) // want `counted.Write sends on what remote.Fetch got`
}

func RemoteWriterOfAGoodOne(w http.ResponseWriter, r *http.Request) {
	counted := &remote.Writer{ResponseWriter: w}
	b, err := remote.FetchGood(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	counted.Write(b)
}
