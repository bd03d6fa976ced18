// Package queues proves that what is put back on a queue is the same request again, and
// that what is taken next is another one.
package queues

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

const pause = 2 * time.Millisecond

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func finish(resp *http.Response) {
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

type job struct {
	url, what, key string
	tries          int
}

func (j job) request(ctx context.Context) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodPost, j.url, strings.NewReader(j.what))
}

// Slice puts what failed at the end of the queue.
func Slice(ctx context.Context, url string) error {
	queue := []job{{url: url, what: "a"}, {url: url, what: "b"}}
	for len(queue) > 0 {
		j := queue[0]
		queue = queue[1:]
		req, err := j.request(ctx)
		if err != nil {
			continue
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a POST again after a transport error" "http\\.DefaultClient\\.Do is called again at once after a failure"
		if err != nil {
			if j.tries++; j.tries < 3 {
				queue = append(queue, j)
			}
			continue
		}
		finish(resp)
	}
	return nil
}

// Silent: with a key, and with a wait before it is put back. A refusal is not put back.
func Keyed(ctx context.Context, url string) error {
	jobs := make(chan job, 4)
	jobs <- job{url: url, what: "a", key: "k"}
	jobs <- job{url: url, what: "b", key: "l"}
	close := 2
	for j := range jobs {
		req, err := j.request(ctx)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", j.key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			if j.tries++; j.tries == 3 || wait(ctx, pause) != nil {
				return err
			}
			jobs <- j
			continue
		}
		finish(resp)
		if close--; close == 0 {
			return nil
		}
	}
	return errors.New("closed")
}

type sending struct {
	req   *http.Request
	tries int
}

// Later puts what failed back by a timer.
func Later(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader("doc"))
	if err != nil {
		return err
	}
	queue := make(chan *sending, 1)
	queue <- &sending{req: req}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s := <-queue:
			resp, err := http.DefaultClient.Do(s.req) // want "http\\.DefaultClient\\.Do sends the same request again, whose body the attempt before has read"
			if err == nil {
				finish(resp)
				return nil
			}
			if s.tries++; s.tries == 3 {
				return err
			}
			time.AfterFunc(pause, func() { queue <- s })
		}
	}
}
