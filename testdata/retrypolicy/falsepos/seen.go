package falsepos

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"fixtures/retrypolicy/falsepos/lost"
)

// What waits leaves it to its helper how long, if at all: this one does not wait if the
// context is done, and then the loop ends.
func AsLongAsThereIsTime(ctx context.Context, url string) (err error) {
	b := lost.NewPause(ctx)
	for b.Ongoing() {
		if _, err = getText(ctx, url); err == nil {
			return nil
		}
		b.Wait()
	}
	return err
}

// No wait follows the last attempt.
func NoWaitAfterTheLast(ctx context.Context, url string, most int) (text string, err error) {
	for i := 0; i <= most; i++ {
		if text, err = getText(ctx, url); err == nil {
			return text, nil
		}
		if i < most {
			if err := hold(ctx, pause); err != nil {
				return "", err
			}
		}
	}
	return "", err
}

func NoWaitAfterTheFourth(ctx context.Context, url string) (text string, err error) {
	for left := 4; left > 0; left-- {
		if text, err = getText(ctx, url); err == nil {
			return text, nil
		}
		if left > 1 {
			if err := hold(ctx, pause); err != nil {
				return "", err
			}
		}
	}
	return "", err
}

func getText(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func hold(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// A Mirror reads lists at an interval until it is closed. Whether it is closed is no
// outcome of what it sends.
type Mirror struct {
	mu     sync.Mutex
	closed bool
	lists  []string
}

func (m *Mirror) Run(base string, every time.Duration) {
	for {
		time.Sleep(every)
		stop := func() bool {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.closed
		}()
		if stop {
			break
		}
		m.load(base)
	}
}

func (m *Mirror) load(base string) {
	resp, err := http.PostForm(base+"/lists", url.Values{"since": {"0"}})
	if err != nil {
		log.Println(err)
		return
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&m.lists); err != nil {
		log.Println(err)
	}
}

// A loop that waits for a server may as well go on if the request cannot be made.
func WaitForServer(ctx context.Context, port string) error {
	for start := time.Now(); time.Since(start) < 10*time.Second; {
		req, err := http.NewRequest(http.MethodGet, "http://localhost:"+port, nil)
		if err == nil {
			resp, err := http.DefaultClient.Do(req)
			if err == nil {
				drain(resp)
				if resp.StatusCode == http.StatusOK {
					return nil
				}
			}
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return context.DeadlineExceeded
}

// Nobody waits for a goroutine: it may go on until the server is back.
func StayInTouch(url string) {
	go func() {
		for {
			if _, err := getText(context.Background(), url); err == nil {
				return
			}
			time.Sleep(pause)
		}
	}()
}

// A subscription asks with a GET, and is to come back when the server lets it.
type Subscription struct {
	req   *http.Request
	lines chan string
}

func Subscribe(req *http.Request) *Subscription {
	s := &Subscription{req: req, lines: make(chan string)}
	go s.run()
	return s
}

func (s *Subscription) run() {
	s.req.Header.Set("Accept", "text/event-stream")
	for {
		resp, err := http.DefaultClient.Do(s.req)
		if err == nil && resp.StatusCode == http.StatusOK {
			text, _ := io.ReadAll(resp.Body)
			s.lines <- string(text)
			drain(resp)
			return
		}
		if err == nil {
			drain(resp)
		}
		if hold(s.req.Context(), pause) != nil {
			return
		}
	}
}

// Some services say in the text of an answer that the client is to come again.
func ComesAgainWhenToldTo(ctx context.Context, url, text string) error {
	for range 4 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		said, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		if resp.StatusCode < 300 && !throttled(resp, said) {
			return nil
		}
		if !throttled(resp, said) {
			return errors.New(resp.Status)
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return context.DeadlineExceeded
}

func throttled(resp *http.Response, said []byte) bool {
	return resp.StatusCode == http.StatusTooManyRequests || strings.Contains(string(said), "slow down")
}

// The same of a code in it.
func PendingByItsCode(ctx context.Context, url, text string) error {
	for range 4 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		var said struct{ Error string }
		err = json.NewDecoder(resp.Body).Decode(&said)
		resp.Body.Close()
		if err != nil {
			return err
		}
		if resp.StatusCode == http.StatusOK {
			return nil
		}
		if said.Error != "pending" {
			return errors.New(said.Error)
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return context.DeadlineExceeded
}

// A short sleep, of a loop that looks at another context each round.
func ShortSleepWithATimeout(ctx context.Context, url string) error {
	within, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for n := 0; n < 5; n++ {
		if within.Err() != nil {
			return within.Err()
		}
		if _, err := getText(ctx, url); err != nil {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		return nil
	}
	return context.DeadlineExceeded
}

// A login again is no second order.
func Login(ctx context.Context, base string, form url.Values) error {
	for range 3 {
		resp, err := http.PostForm(base+"/login", form)
		if err == nil {
			drain(resp)
			return nil
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return context.DeadlineExceeded
}

// Whoever asks for no bound gets none.
func AsOftenAsWanted(url string, most int) (resp *http.Response, err error) {
	if most <= 0 {
		for {
			if resp, err = http.Get(url); err == nil {
				break
			}
			time.Sleep(pause)
		}
	} else {
		for range most {
			if resp, err = http.Get(url); err == nil {
				break
			}
			time.Sleep(pause)
		}
	}
	return resp, err
}
