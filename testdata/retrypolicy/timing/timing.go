// Package timing proves that attempts without a wait, without a bound, and with a wait
// that ignores the context are found.
package timing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand"
	"net/http"
	"time"
)

// Pause is the time between attempts.
var Pause = 2 * time.Millisecond

func get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/doc", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 500 {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return io.ReadAll(resp.Body)
}

func AtOnce(ctx context.Context, url string) (data []byte, err error) {
	for i := 0; i < 5; i++ {
		if data, err = get(ctx, url); err == nil { // want "get is called again at once after a failure"
			return data, nil
		}
	}
	return nil, err
}

func AtOnceOnError(ctx context.Context, url string) error {
	for i := 0; i < 5; i++ {
		resp, err := http.Get(url) // want "http\\.Get is called again at once after a failure"
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode < 500 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(Pause):
		}
	}
	return errors.New("no answer")
}

// Silent: once more, for a connection that went stale.
func OnceMore(ctx context.Context, url string) (data []byte, err error) {
	for range 2 {
		if data, err = get(ctx, url); err == nil {
			return data, nil
		}
	}
	return nil, err
}

func Sleep(ctx context.Context, url string) (data []byte, err error) {
	for i := 0; i < 5; i++ {
		if data, err = get(ctx, url); err == nil {
			return data, nil
		}
		time.Sleep(Pause << i) // want "time\\.Sleep waits for the next attempt without looking at ctx"
	}
	return nil, err
}

// Silent: no context in scope.
func SleepAlone(url string) error {
	for i := 0; i < 5; i++ {
		resp, err := http.Get(url)
		if err == nil {
			return resp.Body.Close()
		}
		time.Sleep(Pause << i)
	}
	return errors.New("no answer")
}

func After(ctx context.Context, url string) (data []byte, err error) {
	for i := 0; i < 5; i++ {
		if data, err = get(ctx, url); err == nil {
			return data, nil
		}
		<-time.After(Pause) // want "<-time\\.After\\(Pause\\) waits for the next attempt without looking at ctx"
	}
	return nil, err
}

func backoff(n int) { time.Sleep(Pause << n) }

func SleepInAHelper(ctx context.Context, url string) (data []byte, err error) {
	for i := 0; i < 5; i++ {
		if i > 0 {
			backoff(i) // want "backoff waits for the next attempt without looking at ctx"
		}
		if data, err = get(ctx, url); err == nil {
			return data, nil
		}
	}
	return nil, err
}

func Handler(w http.ResponseWriter, r *http.Request) {
	for range 3 {
		resp, err := http.Get("http://127.0.0.1:1/doc")
		if err == nil {
			resp.Body.Close()
			w.WriteHeader(http.StatusNoContent)
			return
		}
		time.Sleep(Pause) // want "time\\.Sleep waits for the next attempt without looking at r\\.Context\\(\\)"
	}
	http.Error(w, "no answer", http.StatusBadGateway)
}

func Nanoseconds(url string) error {
	for i := 0; i < 5; i++ {
		resp, err := http.Get(url)
		if err == nil {
			return resp.Body.Close()
		}
		time.Sleep(5000) // want "time\\.Sleep\\(5000\\) waits for 5µs, as a number without a unit is nanoseconds"
	}
	return errors.New("no answer")
}

func NanosecondsComputed(url string) error {
	for i := 0; i < 5; i++ {
		resp, err := http.Get(url)
		if err == nil {
			return resp.Body.Close()
		}
		time.Sleep(time.Duration(100*i + rand.Intn(100))) // want "time\\.Sleep\\(time\\.Duration\\(100 \\* i \\+ rand\\.Intn\\(100\\)\\)\\) waits for a number without a unit, which are nanoseconds"
	}
	return errors.New("no answer")
}

// Silent: has a unit.
func Milliseconds(url string) error {
	for i := 0; i < 5; i++ {
		resp, err := http.Get(url)
		if err == nil {
			return resp.Body.Close()
		}
		time.Sleep(time.Duration(10*i+rand.Intn(10)) * time.Millisecond)
	}
	return errors.New("no answer")
}

func Endless(url string) *http.Response {
	for {
		resp, err := http.Get(url) // want "http\\.Get is retried without a bound on the attempts, and no context or deadline ends it"
		if err == nil {
			return resp
		}
		time.Sleep(Pause)
	}
}

func EndlessIgnoringContext(ctx context.Context, url string) []byte {
	for {
		data, err := get(ctx, url) // want "get is retried without a bound on the attempts, and no context or deadline ends it"
		if err != nil {
			time.Sleep(Pause) // want "time\\.Sleep waits for the next attempt without looking at ctx"
			continue
		}
		return data
	}
}

func While(url string) *http.Response {
	resp, err := http.Get(url)
	for err != nil {
		time.Sleep(Pause)
		resp, err = http.Get(url) // want "http\\.Get is retried without a bound on the attempts, and no context or deadline ends it"
	}
	return resp
}

// Silent: a deadline.
func Deadline(url string) (*http.Response, error) {
	end := time.Now().Add(time.Second)
	for {
		resp, err := http.Get(url)
		if err == nil {
			return resp, nil
		}
		if time.Now().After(end) {
			return nil, err
		}
		time.Sleep(Pause)
	}
}

// Silent: counted.
func Counted(url string) (*http.Response, error) {
	tries := 0
	for {
		resp, err := http.Get(url)
		if err == nil {
			return resp, nil
		}
		if tries++; tries > 5 {
			return nil, err
		}
		time.Sleep(Pause)
	}
}

// Silent: the context ends it.
func UntilDone(ctx context.Context, url string) ([]byte, error) {
	t := time.NewTicker(Pause)
	defer t.Stop()
	for {
		data, err := get(ctx, url)
		if err == nil {
			return data, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-t.C:
		}
	}
}

// Silent: the context ends it.
func UntilCanceled(ctx context.Context, url string) ([]byte, error) {
	for ctx.Err() == nil {
		data, err := get(ctx, url)
		if err == nil {
			return data, nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(Pause):
		}
	}
	return nil, ctx.Err()
}

func Recursive(ctx context.Context, url string, left int) ([]byte, error) {
	data, err := get(ctx, url) // want "get is called again at once after a failure"
	if err != nil && left > 0 {
		return Recursive(ctx, url, left-1)
	}
	return data, err
}

func NanosecondsTimes(url string) error {
	var err error
	for attempt := 1; attempt <= 5; attempt++ {
		if _, err = get(context.Background(), url); err == nil {
			return nil
		}
		time.Sleep(time.Duration(attempt) * 100) // want "time\\.Sleep\\(time\\.Duration\\(attempt\\) \\* 100\\) waits for a number without a unit"
	}
	return err
}

// The number is that of the nanoseconds of a time that is worth it.
func NanosecondsMeant(url string) error {
	var err error
	for attempt := 1; attempt <= 3; attempt++ {
		if _, err = get(context.Background(), url); err == nil {
			return nil
		}
		time.Sleep(time.Duration(attempt) * 25_000_000)
	}
	return err
}

// What is between the label and the goto bounds it.
func GotoCounted(url string) (*http.Response, error) {
	attempt := 0
again:
	resp, err := http.Get(url)
	if err != nil && attempt < 3 {
		attempt++
		time.Sleep(Pause)
		goto again
	}
	return resp, err
}

func GotoEndless(url string) *http.Response {
again:
	resp, err := http.Get(url) // want "http\\.Get is retried without a bound on the attempts"
	if err != nil {
		time.Sleep(Pause)
		goto again
	}
	return resp
}

// Silent: each round waits for a tick.
func TickRange(url string) error {
	ticks := time.NewTicker(Pause)
	defer ticks.Stop()
	for range ticks.C {
		resp, err := http.Get(url)
		if err == nil {
			return resp.Body.Close()
		}
	}
	return nil
}

// Silent: each round waits for the timer that the one before has set.
func TimerRange(url string) error {
	timer := time.NewTimer(0)
	for range timer.C {
		resp, err := http.Get(url)
		if err == nil {
			return resp.Body.Close()
		}
		timer.Reset(Pause)
	}
	return nil
}

// paced counts to n, with a pause between the numbers.
func paced(ctx context.Context, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if i > 0 {
				select {
				case <-ctx.Done():
					return
				case <-time.After(Pause):
				}
			}
			if !yield(i) {
				return
			}
		}
	}
}

// Silent: the iterator waits.
func Paced(ctx context.Context, url string) (data []byte, err error) {
	for range paced(ctx, 5) {
		if data, err = get(ctx, url); err == nil {
			return data, nil
		}
	}
	return nil, err
}

// counted counts to n.
func counted(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

func NotPaced(ctx context.Context, url string) (data []byte, err error) {
	for range counted(5) {
		if data, err = get(ctx, url); err == nil { // want "get is called again at once after a failure"
			return data, nil
		}
	}
	return nil, err
}

func HotFlag(ctx context.Context, url string) {
	ready := false
	for !ready {
		_, err := get(ctx, url) // want "get is called again at once after a failure" "get is retried without a bound on the attempts"
		ready = err == nil
	}
}

// A header is a line of what is sent.
type header struct{ name, value string }

// The headers are set anew for each attempt: what is asked of one is forgotten after it.
func HeadersForEachAttempt(hc *http.Client, url string, most int, headers []header) (err error) {
	for left := most; left >= 0; left-- {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		for _, h := range headers {
			if h.name != "" && h.value != "" {
				req.Header.Set(h.name, h.value)
			}
			if h.name == "Accept" {
				req.Header.Set("Accept-Encoding", h.value)
			}
		}
		code, err := codeOf(hc, req) // want "codeOf is called again at once after a failure"
		if err == nil && code != http.StatusServiceUnavailable {
			return nil
		}
	}
	return err
}

func codeOf(hc *http.Client, req *http.Request) (int, error) {
	resp, err := hc.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusBadRequest:
		return 0, errors.New("bad request")
	case http.StatusNotFound:
		return 0, errors.New("not found")
	}
	return resp.StatusCode, nil
}

// A call is what doCall is to do.
type call struct {
	ctx context.Context
	url string
}

// The context comes in what says what to do.
func doCall(c call) (data []byte, err error) {
	for range 4 {
		if data, err = get(c.ctx, c.url); err == nil {
			return data, nil
		}
		time.Sleep(Pause) // want "time\\.Sleep waits for the next attempt without looking at c\\.ctx"
	}
	return nil, err
}

func ByStruct(ctx context.Context, url string) ([]byte, error) {
	return doCall(call{ctx: ctx, url: url + "/a"})
}

func ByStructToo(ctx context.Context, url string) ([]byte, error) {
	return doCall(call{ctx, url + "/b"})
}
