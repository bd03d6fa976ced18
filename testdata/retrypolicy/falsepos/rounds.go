package falsepos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/go-resty/resty/v2"

	"fixtures/retrypolicy/falsepos/lost"
)

// A Drive keeps files.
type Drive struct {
	base string
	hc   *resty.Client
}

// NewDrive returns a drive whose client repeats what fails.
func NewDrive(base string) *Drive {
	return &Drive{base: base, hc: resty.New().SetRetryCount(3)}
}

// Whoever calls move is not to blame for what it does.
func (d *Drive) MoveAll(from []string, to string) error {
	for _, name := range from {
		if err := d.move(name, to); err != nil {
			return err
		}
	}
	return nil
}

func (d *Drive) move(name, to string) error {
	_, err := d.hc.R().SetBody(map[string]string{"name": name, "to": to}).Post(d.base + "/move") // want "Post sends a POST through a client that retries it"
	return err
}

// A list is asked for, though by a POST.
func (d *Drive) list(dir string) (*page, error) {
	p := new(page)
	_, err := d.hc.R().SetBody(map[string]string{"dir": dir}).SetResult(p).Post(d.base + "/list")
	return p, err
}

// Root lists what is on top.
func (d *Drive) Root() (*page, error) { return d.list("/") }

// Each round asks for what comes after; what came of a call is in its answer.
func (d *Drive) Files() (names []string) {
	start := 0
	for {
		var p page
		_, _ = d.hc.R().SetResult(&p).Get(d.base + "/files?start=" + strconv.Itoa(start))
		names = append(names, p.Names...)
		if p.Next == "" {
			return names
		}
		start = start + 100
	}
}

// The part that was there is put there again.
func (d *Drive) uploadPart(ctx context.Context, n int, part []byte) error {
	var err error
	for i := range 3 {
		var resp *http.Response
		if resp, err = http.Post(d.base+"/parts?n="+strconv.Itoa(n), "application/octet-stream", bytes.NewReader(part)); err == nil {
			drain(resp)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause << i):
		}
	}
	return err
}

// Put puts all in its place.
func (d *Drive) Put(ctx context.Context, parts [][]byte) error {
	for n, part := range parts {
		if err := d.uploadPart(ctx, n, part); err != nil {
			return err
		}
	}
	return nil
}

// limited returns r, more slowly.
var limited = func(r io.Reader) io.Reader { return r }

// The file is wound back to where the server is, and with it what reads from it.
func (d *Drive) Resume(f *os.File, size int64) error {
	slow := limited(f)
	for at := int64(0); at < size; {
		req, err := http.NewRequest(http.MethodPut, d.base+"/file", slow)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			drain(resp)
		}
		if at, err = d.have(); err != nil {
			return err
		}
		if _, err := f.Seek(at, io.SeekStart); err != nil {
			return err
		}
	}
	return nil
}

// have returns how much of the file the server has.
func (d *Drive) have() (n int64, err error) {
	resp, err := http.Get(d.base + "/size")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return n, json.NewDecoder(resp.Body).Decode(&n)
}

// A picture that was not read right is tried again, and nothing else.
func (d *Drive) Login(word func() string) error {
	var err error
	for range 5 {
		if err = d.tryWord(word()); err == nil || err.Error() != "wrong word" {
			break
		}
	}
	return err
}

func (d *Drive) tryWord(word string) error {
	resp, err := http.PostForm(d.base+"/login", url.Values{"word": {word}})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 400 {
		return errors.New(string(text))
	}
	return nil
}

// It waits before each round but the first, whether or not something was sent in that.
func (d *Drive) Done(ctx context.Context, job func() string) error {
	var last error
	for n := 0; n < 100; n++ {
		if n > 0 {
			if err := waitOrGiveUp(ctx); err != nil {
				return err
			}
		}
		id := job()
		if id == "" {
			last = errors.New("no job")
			continue
		}
		resp, err := http.Get(d.base + "/jobs/" + id)
		if err != nil {
			last = err
			continue
		}
		drain(resp)
		if resp.StatusCode == http.StatusOK {
			return nil
		}
	}
	return last
}

// It asks whether it is known, makes itself known, and asks again.
func (d *Drive) Known() error {
	if d.known() {
		return nil
	}
	resp, err := http.PostForm(d.base+"/login", url.Values{"name": {"me"}})
	if err != nil {
		return err
	}
	drain(resp)
	if !d.known() {
		return errors.New("unknown")
	}
	return nil
}

func (d *Drive) known() bool {
	resp, err := http.Post(d.base+"/version", "text/plain", nil)
	if err != nil {
		return false
	}
	drain(resp)
	return resp.StatusCode == http.StatusOK
}

// The context is that of one attempt, and done when it waits; the policy never stops.
func (d *Drive) Follow(line func(string)) {
	policy := backoff.NewExponentialBackOff(backoff.WithMaxElapsedTime(0))
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		text, err := d.next(ctx)
		cancel()
		if err != nil {
			time.Sleep(policy.NextBackOff())
			continue
		}
		policy.Reset()
		line(text)
	}
}

func (d *Drive) next(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+"/next", nil)
	if err != nil {
		return "", fmt.Errorf("next: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// The helper knows what not to try again by its type.
func (d *Drive) Rename(ctx context.Context, data []byte) error {
	return lost.Thrice(ctx, func() error {
		resp, err := http.DefaultClient.Do(newPut(ctx, d.base, data))
		if err != nil {
			return err
		}
		drain(resp)
		if resp.StatusCode >= 400 {
			return &lost.Refusal{Code: resp.StatusCode}
		}
		return nil
	})
}
