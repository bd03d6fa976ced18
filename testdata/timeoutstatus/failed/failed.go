// Package failed proves that a request that failed is no request that timed out.
package failed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/smtp"
	"os"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"fixtures/timeoutstatus/upstream"
)

func Get(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		http.Error(w, "slow", http.StatusGatewayTimeout) // want `any failure of upstream.Client.Get is answered 504`
		return
	}
	resp.Body.Close()
}

func GetAndAsk(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if os.IsTimeout(err) {
		http.Error(w, "slow", http.StatusGatewayTimeout)
		return
	}
	if err != nil {
		http.Error(w, "down", http.StatusBadGateway)
		return
	}
	resp.Body.Close()
}

func DoWithDeadline(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if _, err := upstream.Client.Do(upstream.Request(ctx)); err != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

func DoWithDeadlineThatIsAsked(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if _, err := upstream.Client.Do(upstream.Request(ctx)); err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			w.WriteHeader(504)
			return
		}
		w.WriteHeader(502)
	}
}

func DoWithDeadlineOfErr(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if _, err := upstream.Client.Do(upstream.Request(ctx)); err != nil {
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			w.WriteHeader(504)
		case errors.Is(err, context.Canceled):
			w.WriteHeader(408)
		default:
			w.WriteHeader(502)
		}
	}
}

func RoundTrip(w http.ResponseWriter, r *http.Request) {
	rt := upstream.Client.Transport
	if rt == nil {
		rt = http.DefaultTransport
	}
	if _, err := rt.RoundTrip(upstream.Request(r.Context())); err != nil {
		w.WriteHeader(504) // want "any failure of rt.RoundTrip is answered 504"
	}
}

// A doer is how programs hide their client from tests.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

func Interface(w http.ResponseWriter, r *http.Request) {
	var client doer = upstream.Client
	if _, err := client.Do(upstream.Request(r.Context())); err != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

func FunctionValue(w http.ResponseWriter, r *http.Request) {
	do := upstream.Client.Do
	if _, err := do(upstream.Request(r.Context())); err != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

type client struct{ *http.Client }

func Embedded(w http.ResponseWriter, r *http.Request) {
	c := client{upstream.Client}
	if _, err := c.Get(upstream.URL); err != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

func Wrapped(w http.ResponseWriter, r *http.Request) {
	_, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		err = fmt.Errorf("upstream: %w", err)
		w.WriteHeader(504) // want "answered 504"
		_, _ = io.WriteString(w, err.Error())
	}
}

func WrappedAndAsked(w http.ResponseWriter, r *http.Request) {
	if _, err := upstream.Client.Get(upstream.URL); err != nil {
		wrapped := fmt.Errorf("upstream: %w", err)
		if !os.IsTimeout(err) {
			http.Error(w, wrapped.Error(), 502)
			return
		}
		http.Error(w, wrapped.Error(), 504)
	}
}

func get(ctx context.Context) ([]byte, error) {
	resp, err := upstream.Client.Do(upstream.Request(ctx))
	if err != nil {
		return nil, fmt.Errorf("get: %v", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return nil, errors.New(resp.Status)
	}
	return io.ReadAll(resp.Body)
}

func fetch(ctx context.Context) ([]byte, error) { return get(ctx) }

func TwoCallsAway(w http.ResponseWriter, r *http.Request) {
	b, err := fetch(r.Context())
	if err != nil {
		w.WriteHeader(504) // want "any failure of fetch is answered 504"
		return
	}
	_, _ = w.Write(b)
}

// Only what is late comes out of it as an error of its own.
var errLate = errors.New("late")

func getOrLate(ctx context.Context) error {
	_, err := upstream.Client.Do(upstream.Request(ctx))
	switch {
	case os.IsTimeout(err):
		return errLate
	case err != nil:
		return errors.New("down")
	}
	return nil
}

func SaidByAHelper(w http.ResponseWriter, r *http.Request) {
	if err := getOrLate(r.Context()); errors.Is(err, errLate) {
		w.WriteHeader(504)
	} else if err != nil {
		w.WriteHeader(502)
	}
}

func Dial(w http.ResponseWriter, r *http.Request) {
	conn, err := net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
	if err != nil {
		w.WriteHeader(504) // want "any failure of net.DialTimeout is answered 504"
		return
	}
	conn.Close()
}

func AfterRetries(w http.ResponseWriter, r *http.Request) {
	var resp *http.Response
	var err error
	for range 2 {
		resp, err = upstream.Client.Get(upstream.URL)
		if err == nil {
			break
		}
	}
	if err != nil {
		w.WriteHeader(504) // want "answered 504"
		return
	}
	resp.Body.Close()
}

func LastError(w http.ResponseWriter, r *http.Request) {
	var last error
	for range 2 {
		resp, err := upstream.Client.Get(upstream.URL)
		if err != nil {
			last = err
			continue
		}
		resp.Body.Close()
		return
	}
	if last != nil {
		w.WriteHeader(504) // want "answered 504"
	}
}

func InAGoroutine(w http.ResponseWriter, r *http.Request) {
	code := make(chan int, 1)
	go func() {
		resp, err := upstream.Client.Get(upstream.URL)
		if err != nil {
			code <- 504 // want "answered 504"
			return
		}
		resp.Body.Close()
		code <- 200
	}()
	w.WriteHeader(<-code)
}

func InALiteralOfTheBranch(w http.ResponseWriter, r *http.Request) {
	_, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		func() {
			w.WriteHeader(504) // want "answered 504"
		}()
	}
}

// To wait between attempts is not to time out.
func AfterRetriesWithAPause(w http.ResponseWriter, r *http.Request) {
	var err error
	for attempt := 0; attempt < 2; attempt++ {
		if _, err = get(r.Context()); err == nil {
			break
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(time.Millisecond):
		}
	}
	if err != nil {
		w.WriteHeader(504) // want "any failure of get is answered 504"
	}
}

// An agent fails with a list of errors, which is empty if all is well.
func Agent(c *fiber.Ctx) error {
	code, body, errs := fiber.Get(upstream.URL).Bytes()
	if len(errs) > 0 {
		return c.SendStatus(504) // want `any failure of fiber.Get\(upstream.URL\).Bytes is answered 504`
	}
	return c.Status(code).Send(body)
}

func AgentFirst(c *fiber.Ctx) error {
	_, _, errs := fiber.Get(upstream.URL).Bytes()
	if errs != nil {
		var ne net.Error
		if errors.As(errs[0], &ne) && ne.Timeout() {
			return c.SendStatus(504)
		}
		return c.SendStatus(502)
	}
	return nil
}

func AgentEach(c *fiber.Ctx) error {
	code, body, errs := fiber.Get(upstream.URL).Bytes()
	if len(errs) == 0 {
		return c.Status(code).Send(body)
	}
	for _, err := range errs {
		if errors.Is(err, fasthttp.ErrTimeout) {
			return c.SendStatus(504)
		}
	}
	return c.SendStatus(502)
}

// A store has one implementation here.
type store interface {
	load(r *http.Request) error
	loadWhy(r *http.Request) error
}

type remote struct{}

func (remote) load(r *http.Request) error {
	resp, err := upstream.Client.Do(upstream.Request(r.Context()))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (s remote) loadWhy(r *http.Request) error {
	if err := s.load(r); err != nil && !os.IsTimeout(err) {
		return errDown
	} else {
		return err
	}
}

var (
	errDown       = errors.New("down")
	kept    store = remote{}
)

func OnlyImplementation(w http.ResponseWriter, r *http.Request) {
	if err := kept.load(r); err != nil {
		w.WriteHeader(504) // want `any failure of kept.load is answered 504`
	}
}

func OnlyImplementationThatAsks(w http.ResponseWriter, r *http.Request) {
	switch err := kept.loadWhy(r); {
	case err == errDown:
		w.WriteHeader(502)
	case err != nil:
		w.WriteHeader(504)
	}
}

// A peer is a gRPC client.
type peer interface {
	Ask(ctx context.Context, in *string, opts ...grpc.CallOption) (*string, error)
}

func RPC(w http.ResponseWriter, r *http.Request, p peer) {
	if _, err := p.Ask(r.Context(), new(string)); err != nil {
		w.WriteHeader(408) // want `any failure of p.Ask is answered 408`
	}
}

func RPCThatIsAsked(w http.ResponseWriter, r *http.Request, p peer) {
	switch _, err := p.Ask(r.Context(), new(string)); status.Code(err) {
	case codes.OK:
	case codes.DeadlineExceeded:
		w.WriteHeader(504)
	default:
		w.WriteHeader(502)
	}
}

func Mail(w http.ResponseWriter, r *http.Request) {
	if err := smtp.SendMail("localhost:25", nil, "from", []string{"to"}, nil); err != nil {
		w.WriteHeader(504) // want `any failure of smtp.SendMail is answered 504`
	}
}
