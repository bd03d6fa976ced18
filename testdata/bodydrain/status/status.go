// Package status proves that a way out on a bad status loses the connection
// unless it reads the body like every other way.
package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"
)

var (
	errNotFound = errors.New("not found")
	errBusy     = errors.New("busy")
)

// DeferredCloseOnBadStatusLosesTheConnection is the commonest form in the wild.
func DeferredCloseOnBadStatusLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("unexpected status %s", resp.Status)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

func ReadingBeforeLookingAtTheStatusKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %.80s", resp.Status, body)
	}
	return nil
}

func ReadingTheMessageOnBadStatusKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		msg, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s: %.80s", resp.Status, msg)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// NotFoundIsNoErrorLosesTheConnection returns early without an error.
func NotFoundIsNoErrorLosesTheConnection(c *http.Client, url string) error {
	res, err := c.Get(url)
	if err != nil {
		return fmt.Errorf("get: %w", err)
	}
	defer res.Body.Close() // want "closed before it is read to its end"

	if res.StatusCode == http.StatusNotFound {
		return nil
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		return errors.New(string(raw[:min(len(raw), 80)]))
	}
	return nil
}

// StatusClassLosesTheConnection divides the status by 100.
func StatusClassLosesTheConnection(c *http.Client, url string) (err error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return
	}
	rsp, err := c.Do(req)
	if err != nil {
		return
	}
	defer rsp.Body.Close() // want "closed before it is read to its end"
	if rsp.StatusCode/100 != 2 {
		err = fmt.Errorf("status %d", rsp.StatusCode)
		return
	}
	_, err = io.Copy(io.Discard, rsp.Body)
	return
}

// SwitchWithSilentCasesLosesTheConnection reads in two of four cases.
func SwitchWithSilentCasesLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	switch resp.StatusCode {
	case http.StatusOK, http.StatusCreated:
		_, err := io.ReadAll(resp.Body)
		return err
	case http.StatusNotFound:
		return errNotFound
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return errBusy
	default:
		msg, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("status %d: %.80s", resp.StatusCode, msg)
	}
}

// SwitchWithoutDefaultLosesTheConnection falls out of the switch unread.
func SwitchWithoutDefaultLosesTheConnection(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	switch sc := resp.StatusCode; {
	case sc == http.StatusOK:
		_, err = io.ReadAll(resp.Body)
	case sc >= 500:
		var msg []byte
		if msg, err = io.ReadAll(resp.Body); err == nil {
			err = fmt.Errorf("server: %.80s", msg)
		}
	}
	return err
}

func SwitchThatReadsInEveryCaseKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode < 300:
		_, err := io.ReadAll(resp.Body)
		return err
	case resp.StatusCode == http.StatusNotFound:
		_, _ = io.Copy(io.Discard, resp.Body)
		return errNotFound
	default:
		msg, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("status %d: %.80s", resp.StatusCode, msg)
	}
}

// FallthroughIntoTheReadingCaseKeepsIt has a case without a read of its own.
func FallthroughIntoTheReadingCaseKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	what := "answer"
	switch resp.StatusCode {
	case http.StatusNotFound:
		what = "miss"
		fallthrough
	default:
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

// IfElseChainLosesTheConnection reads in every arm but one.
func IfElseChainLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // want "closed before it is read to its end"

	if resp.StatusCode == http.StatusOK {
		_, err = io.ReadAll(resp.Body)
	} else if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		err = errors.New("not allowed")
	} else {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return err
}

// ContentTypeCheckLosesTheConnection refuses an answer for its header.
func ContentTypeCheckLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if ct := resp.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/x-protobuf") {
		return fmt.Errorf("content type %q", ct)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// CloseInTheBranchLosesTheConnection closes on the way out, and only there; the
// other way reads.
func CloseInTheBranchLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close() // want "closed before it is read to its end"
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	_, err = io.ReadAll(resp.Body)
	resp.Body.Close()
	return err
}

// LoggedCloseLosesTheConnection is the deferred closure that checks Close's error.
func LoggedCloseLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := resp.Body.Close(); cerr != nil { // want "closed before it is read to its end"
			log.Printf("closing: %v", cerr)
		}
	}()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// CloseThroughAParameterLosesTheConnection is what an IDE inserts.
func CloseThroughAParameterLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func(Body io.ReadCloser) {
		err := Body.Close() // want "closed before it is read to its end"
		if err != nil {
			log.Print(err)
		}
	}(resp.Body)
	if resp.StatusCode != 200 {
		return fmt.Errorf("got %d", resp.StatusCode)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// CloseErrorIntoTheNamedResultLosesTheConnection joins Close's error.
func CloseErrorIntoTheNamedResultLosesTheConnection(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, resp.Body.Close()) // want "closed before it is read to its end"
	}()
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("got %d", resp.StatusCode)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// BodyInAVariableLosesTheConnection closes the body under another name.
func BodyInAVariableLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	body := resp.Body
	defer body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("got %d", resp.StatusCode)
	}
	_, err = io.ReadAll(body)
	return err
}

// Client is an API client like many.
type Client struct {
	HTTP *http.Client
	Base string
}

type user struct {
	Name string `json:"name"`
}

func (c *Client) do(ctx context.Context, method, path string, in io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.Base+path, in)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	return c.HTTP.Do(req)
}

// UserLosesTheConnection gets its response from a method that only sends.
func (c *Client) UserLosesTheConnection(ctx context.Context, id string) (*user, error) {
	resp, err := c.do(ctx, http.MethodGet, "/users/"+id, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"

	if resp.StatusCode == http.StatusNotFound {
		return nil, errNotFound
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var u user
	return &u, json.Unmarshal(raw, &u)
}

func (c *Client) UserReadFirstKeepsIt(ctx context.Context, id string) (*user, error) {
	resp, err := c.do(ctx, http.MethodGet, "/users/"+id, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusNotFound:
		return nil, errNotFound
	}
	var u user
	return &u, json.Unmarshal(raw, &u)
}

// OptionalReadLosesTheConnection reads only where the caller wants a result.
func OptionalReadLosesTheConnection(c *http.Client, url string, out *[]byte) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if out != nil {
		*out, err = io.ReadAll(resp.Body)
	}
	return err
}

// NoContentAndNotModifiedHaveNoBodyKeepsIt returns unread only where there is nothing.
func NoContentAndNotModifiedHaveNoBodyKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNoContent, http.StatusNotModified:
		return nil
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// NoContentOrAcceptedLosesTheConnection takes a 202 for an answer without a body.
func NoContentOrAcceptedLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusAccepted {
		return nil
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// NegatedNoContentLosesTheConnection leaves unread where the status is not 204.
func NegatedNoContentLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusNoContent {
		return fmt.Errorf("delete: %s", resp.Status)
	}
	return nil
}

// GotoCleanupLosesTheConnection leaves by a label.
func GotoCleanupLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = errBusy
		goto done
	}
	_, err = io.ReadAll(resp.Body)
done:
	resp.Body.Close() // want "closed before it is read to its end"
	return err
}

// CloseAfterTheIfLosesTheConnection closes once, behind a branch that reads.
func CloseAfterTheIfLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	var raw []byte
	if resp.StatusCode == http.StatusOK {
		raw, err = io.ReadAll(resp.Body)
	}
	_ = resp.Body.Close() // want "closed before it is read to its end"
	if err == nil && len(raw) == 0 {
		err = errNotFound
	}
	return err
}

// TimeoutContextLosesTheConnection has a second thing to defer.
func TimeoutContextLosesTheConnection(c *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"on":true}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if resp, err := c.Do(req); err != nil {
		return err
	} else {
		defer resp.Body.Close() // want "closed before it is read to its end"
		if resp.StatusCode >= 300 {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
}

// DrainInTheDeferredClosureKeepsIt reads whatever the function left.
func DrainInTheDeferredClosureKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}
