// Package paths proves that the look at the status is sought on each path, and in
// each form.
package paths

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"fixtures/statusrelay/upstream"
)

func get(ctx context.Context) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, upstream.URL, nil)
	if err != nil {
		return nil, err
	}
	return upstream.Client.Do(req)
}

func Checked(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		http.Error(w, resp.Status, http.StatusBadGateway)
		return
	}
	io.Copy(w, resp.Body)
}

func CheckedByClass(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil || resp.StatusCode/100 != 2 {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

func CheckedInASwitch(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		io.Copy(w, resp.Body)
	default:
		w.WriteHeader(http.StatusBadGateway)
	}
}

func CheckedInABareSwitch(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadGateway)
	case resp.StatusCode >= 400:
		w.WriteHeader(resp.StatusCode)
	default:
		io.Copy(w, resp.Body)
	}
}

func CheckedByText(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.Status != "200 OK" {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	io.Copy(w, resp.Body)
}

func CheckedInABool(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	ok := resp.StatusCode >= 200 && resp.StatusCode < 300
	b, _ := io.ReadAll(resp.Body)
	if !ok {
		http.Error(w, string(b), http.StatusBadGateway)
		return
	}
	w.Write(b)
}

var fine = map[int]bool{200: true, 204: true}

func CheckedInAMap(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if !fine[resp.StatusCode] {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	io.Copy(w, resp.Body)
}

func Logged(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	log.Printf("upstream: %d %s", resp.StatusCode, resp.Status)
	slog.Info("upstream", "status", resp.StatusCode)
	io.Copy(w, resp.Body) // want `whatever its status`
}

func LoggedAsText(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	said := fmt.Sprintf("upstream: %d", resp.StatusCode)
	log.Print(said + " " + strconv.Itoa(resp.StatusCode))
	io.Copy(w, resp.Body) // want `whatever its status`
}

func LoggedIfBad(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		log.Printf("upstream: %d", resp.StatusCode)
	}
	io.Copy(w, resp.Body) // want `whatever its status`
}

// To prepare what is logged, and to count, is part of it.
func LoggedInDetail(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 500 {
		text := fmt.Sprintf("upstream: %s", resp.Status)
		log.Println(text)
		failures++
		all.Add(1)
	} else if resp.StatusCode >= 400 {
		log.Print("refused")
	} else {
		log.Print("good")
	}
	io.Copy(w, resp.Body) // want `whatever its status`
}

var (
	failures int
	all      atomic.Int64
)

func LoggedAtTheEnd(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() {
		if resp.StatusCode != 200 {
			log.Print("bad")
		}
		resp.Body.Close()
	}()
	io.Copy(w, resp.Body) // want `whatever its status`
}

func OnOnePathOnly(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if r.Header.Get("X-Strict") != "" && resp.StatusCode != 200 {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	io.Copy(w, resp.Body) // want `whatever its status`
}

func OnBothPaths(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	strict := r.Header.Get("X-Strict") != ""
	if strict {
		if resp.StatusCode != 200 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
	}
	if !strict {
		w.WriteHeader(resp.StatusCode)
	}
	io.Copy(w, resp.Body)
}

func NotFoundOnly(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == 401 {
		http.NotFound(w, r)
		return
	}
	io.Copy(w, resp.Body)
}

func Fallback(w http.ResponseWriter, r *http.Request) {
	b := []byte("nothing")
	code := http.StatusNotFound
	resp, err := get(r.Context())
	if err == nil {
		if resp.StatusCode == 200 {
			b, _ = io.ReadAll(resp.Body)
			code = http.StatusOK
		}
		resp.Body.Close()
	}
	w.WriteHeader(code)
	w.Write(b)
}

func BlindFallback(w http.ResponseWriter, r *http.Request) {
	var b []byte
	resp, err := get(r.Context())
	if err == nil {
		b, _ = io.ReadAll(resp.Body)
		resp.Body.Close()
	} else {
		b = []byte("nothing")
	}
	w.WriteHeader(http.StatusOK)
	w.Write(b) // want `whatever its status`
}

func Retried(w http.ResponseWriter, r *http.Request) {
	var resp *http.Response
	var err error
	for range 3 {
		resp, err = get(r.Context())
		if err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
}

func RetriedByStatus(w http.ResponseWriter, r *http.Request) {
	var resp *http.Response
	for range 3 {
		var err error
		resp, err = get(r.Context())
		if err != nil {
			continue
		}
		if resp.StatusCode < 500 {
			break
		}
		resp.Body.Close()
	}
	if resp == nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
}

func Mirrors(w http.ResponseWriter, r *http.Request) {
	for _, u := range []string{upstream.URL, upstream.URL} {
		resp, err := http.Get(u)
		if err != nil {
			continue
		}
		defer resp.Body.Close()
		io.Copy(w, resp.Body) // want `whatever its status`
		return
	}
	w.WriteHeader(http.StatusBadGateway)
}

func InTheContent(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	fmt.Fprintf(w, "%d\n%s", resp.StatusCode, b)
}

func InAHeader(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.Header().Set("X-Upstream-Status", resp.Status)
	io.Copy(w, resp.Body)
}

var errBad = errors.New("bad status")

func check(resp *http.Response) error {
	if resp.StatusCode >= 400 {
		return errBad
	}
	return nil
}

func isGood(code int) bool { return code/100 == 2 }

func ByAHelper(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err == nil {
		err = check(resp)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

func ByAHelperOfTheCode(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil || !isGood(resp.StatusCode) {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

func note(resp *http.Response) { log.Printf("%s: %d", resp.Request.URL, resp.StatusCode) }

func noteCode(code int, text string) { log.Println(code, text) }

func LoggedByAHelper(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	note(resp)
	noteCode(resp.StatusCode, resp.Status)
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
}

func AnsweredByAHelper(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	copyHead(w, resp)
	io.Copy(w, resp.Body)
}

func copyHead(w http.ResponseWriter, resp *http.Response) {
	for k, vv := range resp.Header {
		w.Header()[k] = vv
	}
	w.WriteHeader(resp.StatusCode)
}

func HeadersByAHelper(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	copyHeader(w.Header(), resp.Header)
	allow(w)
	io.Copy(w, resp.Body) // want `whatever its status`
}

func copyHeader(to, from http.Header) {
	for k, vv := range from {
		for _, v := range vv {
			to.Add(k, v)
		}
	}
}

func allow(w http.ResponseWriter) { w.Header().Set("Access-Control-Allow-Origin", "*") }

func Goto(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		goto bad
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		goto bad
	}
	io.Copy(w, resp.Body)
	return
bad:
	w.WriteHeader(http.StatusBadGateway)
}

// A Logger is all that is known of a log.
type Logger interface{ Warn(args ...any) }

type nowhere struct{}

func (nowhere) Warn(...any) {}

var logger Logger = nowhere{}

func LoggedByAnInterface(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		logger.Warn("upstream", resp.StatusCode)
	}
	io.Copy(w, resp.Body) // want `whatever its status`
}

var codes = make(map[int]int)

func Counted(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	codes[resp.StatusCode]++
	io.Copy(w, resp.Body) // want `whatever its status`
}

var observe = func(code int) {}

// A function in a variable that can only be to count.
func CountedByAVariable(w http.ResponseWriter, r *http.Request) {
	observe := observe
	if r.Header.Get("X-Quiet") != "" {
		observe = nil
	}
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if observe != nil {
		observe(resp.StatusCode)
	}
	io.Copy(w, resp.Body) // want `whatever its status`
}

// A switch that only logs is no look.
func LoggedInASwitch(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized:
		log.Print("who are we?")
	default:
		log.Print("the upstream failed")
	}
	io.Copy(w, resp.Body) // want `io.Copy sends on what get got`
}

// One that answers in one of its clauses is.
func AnsweredInASwitch(w http.ResponseWriter, r *http.Request) {
	resp, err := get(r.Context())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		log.Print("fine")
	default:
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	io.Copy(w, resp.Body)
}
