// Package clients proves the checks on clients as users write them.
package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"
)

type Client struct {
	base       string
	hc         *http.Client
	maxRetries int
	backoff    time.Duration
	log        *log.Logger
}

func (c *Client) Upload(ctx context.Context, name string, r io.Reader) (*http.Response, error) {
	var buf bytes.Buffer
	mw := multipart.NewWriter(&buf)
	fw, err := mw.CreateFormFile("file", name)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(fw, r); err != nil {
		return nil, err
	}
	mw.Close()
	for attempt := 0; attempt <= c.maxRetries; attempt++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base+"/files/"+name, &buf)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", mw.FormDataContentType())
		resp, err := c.hc.Do(req) // want "c\\.hc\\.Do sends a body again that the attempt before has read"
		if err == nil && resp.StatusCode < 500 {
			return resp, nil
		}
		if err == nil {
			resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(c.backoff << attempt):
		}
	}
	return nil, errors.New("gave up")
}

func (c *Client) DoWithRetry(req *http.Request) (*http.Response, error) {
	var resp *http.Response
	var err error
	for i := 0; i < c.maxRetries; i++ {
		resp, err = c.hc.Do(req) // want "c\\.hc\\.Do sends the same request again, whose body the attempt before has read"
		if err == nil && resp.StatusCode < http.StatusInternalServerError {
			return resp, nil
		}
		if resp != nil {
			resp.Body.Close()
		}
		timer := time.NewTimer(time.Duration(math.Pow(2, float64(i))) * time.Second)
		select {
		case <-timer.C:
		case <-req.Context().Done():
			timer.Stop()
			return nil, req.Context().Err()
		}
	}
	return resp, err
}

// Silent: buffers the body and sets it anew.
func (c *Client) DoBuffered(req *http.Request) (*http.Response, error) {
	var data []byte
	if req.Body != nil {
		var err error
		if data, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body.Close()
	}
	for i := 0; ; i++ {
		if data != nil {
			req.Body = io.NopCloser(bytes.NewReader(data))
		}
		resp, err := c.hc.Do(req)
		if err == nil && resp.StatusCode < 500 || i == c.maxRetries {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
		select {
		case <-time.After(c.backoff):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
}

func (c *Client) Charge(ctx context.Context, amount int) (id string, err error) {
	payload, err := json.Marshal(map[string]int{"amount": amount})
	if err != nil {
		return "", err
	}
	attempt := 0
	for {
		attempt++
		id, err = c.charge(ctx, payload) // want "c\\.charge is retried after a 4xx status" "c\\.charge sends a POST again after a transport error, without an idempotency key"
		if err == nil {
			return id, nil
		}
		if attempt >= c.maxRetries {
			return "", fmt.Errorf("charge failed after %d attempts: %w", attempt, err)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(c.backoff * time.Duration(attempt)):
		}
	}
}

type apiError struct {
	Code int
	Msg  string
}

func (e *apiError) Error() string { return e.Msg }

func (c *Client) charge(ctx context.Context, payload []byte) (string, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", c.base+"/charges", bytes.NewBuffer(payload))
	if err != nil {
		return "", fmt.Errorf("new request: %w", err)
	}
	resp, err := c.hc.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return "", &apiError{resp.StatusCode, resp.Status}
	}
	var out struct{ ID string }
	return out.ID, json.NewDecoder(resp.Body).Decode(&out)
}

// Silent: only a typed answer of 503 or 429 is retried.
func (c *Client) ChargeBusy(ctx context.Context, payload []byte) (string, error) {
	for attempt := 0; ; attempt++ {
		id, err := c.charge(ctx, payload)
		var ae *apiError
		if err == nil || !errors.As(err, &ae) || ae.Code != 503 && ae.Code != 429 || attempt == 3 {
			return id, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(c.backoff):
		}
	}
}

// Silent: If-Match.
func (c *Client) Rename(ctx context.Context, etag string, body []byte) error {
	var err error
	for range 3 {
		var req *http.Request
		req, err = http.NewRequestWithContext(ctx, http.MethodPatch, c.base, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("If-Match", etag)
		var resp *http.Response
		if resp, err = c.hc.Do(req); err == nil {
			resp.Body.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(c.backoff):
		}
	}
	return err
}

// Silent: key via setter helper.
func (c *Client) Keyed(ctx context.Context, body []byte) error {
	key := uuid.NewString()
	var err error
	for range 3 {
		var req *http.Request
		req, err = c.build(ctx, body, withKey(key))
		if err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = c.hc.Do(req); err == nil {
			resp.Body.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(c.backoff):
		}
	}
	return err
}

type option func(*http.Request)

func withKey(key string) option {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }
}

func (c *Client) build(ctx context.Context, body []byte, opts ...option) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, o := range opts {
		o(req)
	}
	return req, nil
}

func (c *Client) Health(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		resp, err := c.hc.Get(c.base + "/health")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == 200 {
				return nil
			}
			err = fmt.Errorf("unhealthy: %s", resp.Status)
		}
		if attempt > c.maxRetries {
			return err
		}
		c.log.Printf("attempt %d: %v", attempt, err)
		time.Sleep(c.backoff) // want "time\\.Sleep waits for the next attempt without looking at ctx"
	}
}

// Silent: tests the context before the wait's end matters.
func (c *Client) Poll(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			resp, err := c.hc.Get(c.base + "/status")
			if err != nil {
				c.log.Println(err)
				continue
			}
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
}

func WaitForServer(u string) {
	for {
		resp, err := http.Get(u) // want "http\\.Get is retried without a bound on the attempts, and no context or deadline ends it"
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		time.Sleep(500 * time.Millisecond)
	}
}

func (c *Client) Spin(ctx context.Context) (*http.Response, error) {
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base, nil)
		if err != nil {
			return nil, err
		}
		resp, err := c.hc.Do(req) // want "c\\.hc\\.Do is called again at once after a failure"
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c.log.Println("retrying:", err)
			continue
		}
		return resp, nil
	}
}

// Silent: different mirrors.
func Mirrors(ctx context.Context, mirrors []*url.URL) (*http.Response, error) {
	var errs []error
	for _, m := range mirrors {
		resp, err := http.Get(m.String())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if resp.StatusCode == http.StatusOK {
			return resp, nil
		}
		resp.Body.Close()
	}
	return nil, errors.Join(errs...)
}

func (c *Client) Group(ctx context.Context, events [][]byte) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, ev := range events {
		g.Go(func() error {
			var err error
			for i := 0; i < 3; i++ {
				var resp *http.Response
				resp, err = http.Post(c.base+"/events", "application/json", bytes.NewReader(ev)) // want "http\\.Post sends a POST again after a transport error, without an idempotency key"
				if err == nil {
					resp.Body.Close()
					return nil
				}
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(time.Second):
				}
			}
			return err
		})
	}
	return g.Wait()
}

// Silent: a worker pool; each item once.
func (c *Client) Pool(items []string) []error {
	var wg sync.WaitGroup
	errs := make([]error, len(items))
	for i, it := range items {
		wg.Add(1)
		go func() {
			defer wg.Done()
			resp, err := http.Post(c.base, "text/plain", strings.NewReader(it))
			if err != nil {
				errs[i] = err
				return
			}
			resp.Body.Close()
		}()
	}
	wg.Wait()
	return errs
}

// Do tries n times.
func Do[T any](ctx context.Context, n int, f func(context.Context) (T, error)) (T, error) {
	var zero T
	var err error
	for i := 0; i < n; i++ {
		var v T
		if v, err = f(ctx); err == nil {
			return v, nil
		}
		select {
		case <-ctx.Done():
			return zero, ctx.Err()
		case <-time.After(time.Second << i):
		}
	}
	return zero, err
}

func (c *Client) Generic(ctx context.Context) (int, error) {
	return Do(ctx, 3, func(ctx context.Context) (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base, http.NoBody)
		if err != nil {
			return 0, err
		}
		resp, err := c.hc.Do(req) // want "c\\.hc\\.Do sends a POST again after a transport error, without an idempotency key"
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		return resp.StatusCode, nil
	})
}

// Silent: GET.
func (c *Client) GenericGet(ctx context.Context) (int, error) {
	return Do(ctx, 3, func(ctx context.Context) (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base, http.NoBody)
		if err != nil {
			return 0, err
		}
		resp, err := c.hc.Do(req)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		return resp.StatusCode, nil
	})
}

func Dial(u string, out chan<- []byte) {
	for {
		ws, _, err := websocket.DefaultDialer.Dial(u, nil) // want "websocket\\.DefaultDialer\\.Dial is called again at once after a failure"
		if err != nil {
			log.Printf("dial %s: %v", u, err)
			continue
		}
		for {
			_, m, err := ws.ReadMessage()
			if err != nil {
				log.Println("read:", err)
				ws.Close()
				break
			}
			out <- m
		}
	}
}

func DialRecursive(u string, out chan<- []byte) {
	ws, _, err := websocket.DefaultDialer.Dial(u, nil) // want "websocket\\.DefaultDialer\\.Dial is called again at once after a failure"
	if err != nil {
		log.Printf("dial %s: %v", u, err)
		DialRecursive(u, out)
		return
	}
	for {
		_, m, err := ws.ReadMessage()
		if err != nil {
			ws.Close()
			DialRecursive(u, out)
			return
		}
		out <- m
	}
}

func DialSleep(ctx context.Context, u string, out chan<- []byte) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		ws, _, err := websocket.DefaultDialer.DialContext(ctx, u, nil)
		if err != nil {
			time.Sleep(5 * time.Second) // want "time\\.Sleep waits for the next attempt without looking at ctx"
			continue
		}
		for {
			_, m, err := ws.ReadMessage()
			if err != nil {
				ws.Close()
				break
			}
			out <- m
		}
	}
}

func (c *Client) FourHundred(ctx context.Context) ([]byte, error) {
	var last error
	for i := 0; i < 4; i++ {
		if i > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(c.backoff):
			}
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/report", nil)
		if err != nil {
			return nil, err
		}
		resp, err := c.hc.Do(req) // want "c\\.hc\\.Do is retried after a 4xx status"
		if err != nil {
			last = err
			continue
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			last = err
			continue
		}
		if resp.StatusCode != http.StatusOK {
			last = fmt.Errorf("report: %s", resp.Status)
			continue
		}
		return data, nil
	}
	return nil, last
}

func retryStatus(c *Client, body []byte) error {
	retryable := map[int]bool{400: true, 500: true, 503: true}
	for i := 0; i < 3; i++ {
		req, err := http.NewRequest(http.MethodPut, c.base, bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp, err := c.hc.Do(req) // want "c\\.hc\\.Do is retried after a 4xx status"
		if err != nil {
			return err
		}
		resp.Body.Close()
		if !retryable[resp.StatusCode] {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("gave up")
}

func shouldRetry(resp *http.Response, err error) bool {
	if err != nil {
		var ne net.Error
		return errors.As(err, &ne) && ne.Timeout()
	}
	return resp.StatusCode == 429 || resp.StatusCode >= 500
}

func (c *Client) Policy(ctx context.Context, body []byte) (*http.Response, error) {
	for i := 0; ; i++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		resp, err := c.hc.Do(req) // want "c\\.hc\\.Do sends a POST again after a transport error, without an idempotency key"
		if i == c.maxRetries || !shouldRetry(resp, err) {
			return resp, err
		}
		if resp != nil {
			resp.Body.Close()
		}
		if err := sleep(ctx, c.backoff); err != nil {
			return nil, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Silent: the policy looks at the method.
func (c *Client) PolicyMethod(ctx context.Context, method string, body []byte) (*http.Response, error) {
	for i := 0; ; i++ {
		req, err := http.NewRequestWithContext(ctx, method, c.base, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		resp, err := c.hc.Do(req)
		if i == c.maxRetries || method == http.MethodPost || !shouldRetry(resp, err) {
			return resp, err
		}
		if resp != nil {
			resp.Body.Close()
		}
		if err := sleep(ctx, c.backoff); err != nil {
			return nil, err
		}
	}
}

// Silent: one POST through it.
func (c *Client) PolicyPost(ctx context.Context) (*http.Response, error) {
	return c.PolicyMethod(ctx, "POST", nil)
}

type job struct {
	body io.Reader
	url  string
	n    int
}

func Worker(ctx context.Context, q chan *job) {
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-q:
			req, err := http.NewRequestWithContext(ctx, http.MethodPut, j.url, j.body)
			if err != nil {
				log.Println(err)
				continue
			}
			resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a body again that the attempt before has read"
			if err != nil {
				j.n++
				if j.n < 5 {
					q <- j
				}
				continue
			}
			resp.Body.Close()
		}
	}
}

func newJob(u string, b []byte) *job { return &job{body: bytes.NewReader(b), url: u} }

func NopCloser(ctx context.Context, u string, data string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, u, nil)
	if err != nil {
		return err
	}
	req.Body = io.NopCloser(strings.NewReader(data))
	for i := 0; i < 3; i++ {
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends the same request again, whose body the attempt before has read"
		if err == nil {
			resp.Body.Close()
			return nil
		}
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	return errors.New("gave up")
}

// Silent: opened anew.
func PutFile(ctx context.Context, u, name string) error {
	for i := 0; i < 3; i++ {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, u, f)
		if err != nil {
			f.Close()
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	return errors.New("gave up")
}

// Silent: pages.
func (c *Client) List(ctx context.Context) (all []string, err error) {
	next := c.base
	for next != "" {
		resp, err := c.hc.Get(next)
		if err != nil {
			return nil, err
		}
		var page struct {
			Items []string
			Next  string
		}
		err = json.NewDecoder(resp.Body).Decode(&page)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		next = page.Next
		time.Sleep(100 * time.Millisecond)
	}
	return all, nil
}

func (c *Client) Token() (string, error) {
	var err error
	for tries := 3; tries > 0; tries-- {
		var resp *http.Response
		resp, err = c.hc.Get(c.base + "/token") // want "c\\.hc\\.Get is called again at once after a failure"
		if err != nil {
			continue
		}
		b, rerr := io.ReadAll(resp.Body)
		resp.Body.Close()
		return string(b), rerr
	}
	return "", err
}

func SendWebhook(ctx context.Context, u string, payload []byte) error {
	op := func() error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, u, bytes.NewReader(payload))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do sends a POST again after a transport error, without an idempotency key"
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode >= 500 {
			return fmt.Errorf("status %d", resp.StatusCode)
		}
		return nil
	}
	var err error
	delays := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}
	for _, d := range delays {
		if err = op(); err == nil {
			return nil
		}
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
	return err
}

func handler(hc *http.Client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var resp *http.Response
		var err error
		for i := 0; i < 3; i++ {
			resp, err = hc.Get("http://backend/")
			if err == nil {
				break
			}
			time.Sleep(time.Second) // want "time\\.Sleep waits for the next attempt without looking at r\\.Context\\(\\)"
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
	}
}

// New makes a client of a server.
func New(base string) *Client {
	return &Client{base, http.DefaultClient, 3, 30 * time.Millisecond, log.New(io.Discard, "", 0)}
}

// NewQueue makes a queue with a job on it.
func NewQueue(u string) chan *job {
	q := make(chan *job, 1)
	q <- newJob(u, []byte("doc"))
	return q
}

// NewSlow makes one that waits longer.
func NewSlow(base string) *Client {
	c := New(base)
	c.backoff = 100 * time.Millisecond
	return c
}

// PutRequest makes a request with a body.
func (c *Client) PutRequest(ctx context.Context) *http.Request {
	req, _ := http.NewRequestWithContext(ctx, http.MethodPut, c.base, strings.NewReader("doc"))
	return req
}
