package falsepos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// sendText puts a text.
func sendText(ctx context.Context, url, text string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(req)
}

// An answer that breaks off is asked for again, whatever its status was.
func BreaksOff(ctx context.Context, url, text string) error {
	for range 4 {
		resp, err := sendText(ctx, url, text)
		if err != nil {
			return err
		}
		said, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			if err := hold(ctx, pause); err != nil {
				return err
			}
			continue
		}
		if resp.StatusCode != http.StatusOK {
			return errors.New(string(said))
		}
		return nil
	}
	return context.DeadlineExceeded
}

// An answer has a message.
type answer struct{ Message string }

func parse(said []byte) (a answer) {
	_ = json.Unmarshal(said, &a)
	return a
}

func (a answer) has(text string) bool { return strings.Contains(a.Message, text) }

// What a helper makes of the answer decides.
func AdvisedToRetry(ctx context.Context, url, text string) error {
	for range 4 {
		resp, err := sendText(ctx, url, text)
		if err != nil {
			return err
		}
		said, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		if resp.StatusCode == http.StatusOK {
			return nil
		}
		if a := parse(said); !a.has("try again") {
			return errors.New(a.Message)
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return context.DeadlineExceeded
}

// A timeout is an error that says so.
type timeout interface {
	error
	Timeout() bool
}

func worthIt(err error) bool {
	if _, ok := err.(timeout); ok {
		return true
	}
	switch err {
	case io.EOF, io.ErrUnexpectedEOF:
		return true
	}
	return false
}

// An error that is made of the status is none of those that are worth it.
func OnlyWhatIsWorthIt(ctx context.Context, url, text string) (err error) {
	for range 4 {
		if err = putOnce(ctx, url, text); !worthIt(err) {
			return err
		}
		if err := hold(ctx, pause); err != nil {
			return err
		}
	}
	return err
}

func putOnce(ctx context.Context, url, text string) error {
	resp, err := sendText(ctx, url, text)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("refused with %d", resp.StatusCode)
	}
	return nil
}

// A Pacer says when there is another attempt; who makes one cannot be seen.
type Pacer interface{ Next() bool }

func Paced(p Pacer, url string) (resp *http.Response, err error) {
	for p.Next() {
		if resp, err = http.Get(url); err == nil {
			break
		}
	}
	return resp, err
}
