package proof

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bodies "fixtures/retrypolicy/body"
	"fixtures/retrypolicy/hopeless"
	"fixtures/retrypolicy/libraries"
	"fixtures/retrypolicy/limits"
	"fixtures/retrypolicy/method"
	"fixtures/retrypolicy/reconnect"
	"fixtures/retrypolicy/timing"
)

// An attempt is a request as a server saw it.
type attempt struct {
	method, key, body string
	at                time.Time
}

// A failingServer records each attempt, and fails the first ones: it reads them and
// closes the connection, or answers with a status.
type failingServer struct {
	*httptest.Server
	mu       sync.Mutex
	attempts []attempt
	fail     int           // how many
	status   int           // 0 for none: the connection is closed
	first    chan struct{} // closed at the first attempt
	hold     bool          // what is not failed is held open
}

func newFailingServer(fail, status int) *failingServer {
	s := &failingServer{fail: fail, status: status, first: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

func (s *failingServer) serve(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.attempts = append(s.attempts, attempt{r.Method, r.Header.Get("Idempotency-Key") + r.Header.Get("If-Match"), string(data), time.Now()})
	n := len(s.attempts)
	fail := n <= s.fail
	s.mu.Unlock()
	if n == 1 {
		close(s.first)
	}
	switch {
	case fail && s.status != 0:
		w.WriteHeader(s.status)
	case fail:
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			conn.Close()
		}
	case s.hold:
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		io.WriteString(w, `"doc"`)
	}
}

// seen returns the attempts up to now.
func (s *failingServer) seen() []attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.attempts)
}

// succeed ends the failures.
func (s *failingServer) succeed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = 0
}

// A retryFixture is a function that carries out one operation at a server.
type retryFixture struct {
	name    string
	flagged bool
	run     func(ctx context.Context, url string) error
}

// noError runs a fixture that tells only its answer.
func noError[T any](f func(ctx context.Context, url string) (T, error)) func(ctx context.Context, url string) error {
	return func(ctx context.Context, url string) error {
		_, err := f(ctx, url)
		return err
	}
}

// alone runs a fixture without a context.
func alone(f func(url string) error) func(ctx context.Context, url string) error {
	return func(_ context.Context, url string) error { return f(url) }
}

// putThrough puts a document through a transport.
func putThrough(rt http.RoundTripper) func(ctx context.Context, url string) error {
	return func(ctx context.Context, url string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader("doc"))
		if err != nil {
			return err
		}
		resp, err := (&http.Client{Transport: rt}).Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
}

// TestRetrypolicyMethod closes the first connection after the request is read: what is
// flagged sends its POST or PATCH again without a key, what is not does not.
func TestRetrypolicyMethod(t *testing.T) {
	for _, f := range []retryFixture{
		{"Counting", true, method.Counting},
		{"Patch", true, method.Patch},
		{"Helper", true, method.Helper},
		{"Predicate", true, method.Predicate},
		{"PredicateRefused", false, method.PredicateRefused},
		{"OwnHelper", true, method.OwnHelper},
		{"OwnHelperNamed", true, method.OwnHelperNamed},
		{"SharedPost", true, method.SharedPost},
		{"SharedPostKeyed", false, method.SharedPostKeyed},
		{"SharedPut", false, method.SharedPut},
		{"SafePost", false, method.SafePost},
		{"Recursive", true, method.Recursive},
		{"Goto", true, method.Goto},
		{"SecondTry", true, method.SecondTry},
		{"Interface", true, method.Interface},
		{"TimeoutOnly", true, method.TimeoutOnly},
		{"Busy", false, method.Busy},
		{"limits.Interface", true, limits.Interface},
		{"Resty", true, libraries.Resty},
		{"RestyKeyed", false, libraries.RestyKeyed},
		{"RestyOnce", false, libraries.RestyOnce},
		{"RestyPut", false, libraries.RestyPut},
		{"Retryable", true, alone(libraries.Retryable)},
		{"RetryableNever", false, libraries.RetryableNever},
		{"RetryableBelow", true, libraries.RetryableBelow},
		{"BackoffPost", true, libraries.BackoffPost},
		{"BackoffGet", false, libraries.BackoffGet},
		{"BackoffPermanent", false, libraries.BackoffPermanent},
		{"RetryGoPost", true, libraries.RetryGoPost},
		{"SethVargo", true, libraries.SethVargo},
		{"SethVargoPlain", false, libraries.SethVargoPlain},
	} {
		t.Run(f.name, func(t *testing.T) {
			s := newFailingServer(1, 0)
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			err := f.run(ctx, s.URL)
			unkeyed := 0
			for _, a := range s.seen() {
				if (a.method == http.MethodPost || a.method == http.MethodPatch) && a.key == "" {
					unkeyed++
				}
			}
			if f.flagged != (unkeyed > 1) {
				t.Errorf("flagged is %t, but it was sent %d times without a key: %+v (error: %v)", f.flagged, unkeyed, s.seen(), err)
			}
		})
	}
}

// TestRetrypolicyBody closes the first connection after the request is read: what is
// flagged does not bring its body to the server a second time, what is not does.
func TestRetrypolicyBody(t *testing.T) {
	parameter := func(f func(context.Context, string, io.Reader) error) func(context.Context, string) error {
		return func(ctx context.Context, url string) error { return f(ctx, url, strings.NewReader("doc")) }
	}
	for _, f := range []retryFixture{
		{"SameRequest", true, bodies.SameRequest},
		{"Rewound", false, bodies.Rewound},
		{"Clone", true, bodies.Clone},
		{"CloneRewound", false, bodies.CloneRewound},
		{"SharedReader", true, bodies.SharedReader},
		{"Encoded", true, bodies.Encoded},
		{"EncodedEach", false, bodies.EncodedEach},
		{"KeptBytes", false, bodies.KeptBytes},
		{"Seek", false, bodies.Seek},
		{"File", true, bodies.File},
		{"FileEach", false, bodies.FileEach},
		{"Parameter", true, parameter(bodies.Parameter)},
		{"ParameterRead", false, parameter(bodies.ParameterRead)},
		{"Retrier", true, putThrough(&bodies.Retrier{Next: http.DefaultTransport})},
		{"Rewinder", false, putThrough(&bodies.Rewinder{Next: http.DefaultTransport})},
		{"Queue", true, bodies.Queue},
		{"SecondTry", true, bodies.SecondTry},
		{"Tee", true, bodies.Tee},
		{"Callback", true, bodies.Callback},
		{"limits.InASlice", true, limits.InASlice},
	} {
		t.Run(f.name, func(t *testing.T) {
			s := newFailingServer(1, 0)
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			err := f.run(ctx, s.URL)
			seen := s.seen()
			whole := len(seen) > 1 && !slices.ContainsFunc(seen[1:], func(a attempt) bool { return a.body != seen[0].body })
			if f.flagged == whole {
				t.Errorf("flagged is %t, but %d attempts brought the whole body: %t (error: %v)", f.flagged, len(seen), whole, err)
			}
		})
	}
}

// TestRetrypolicyHopeless answers 400: what is flagged comes again.
func TestRetrypolicyHopeless(t *testing.T) {
	for _, f := range []retryFixture{
		{"ClientErrors", true, hopeless.ClientErrors},
		{"ServerErrors", false, hopeless.ServerErrors},
		{"NotAfterCancel", false, noError(hopeless.NotAfterCancel)},
	} {
		t.Run(f.name, func(t *testing.T) {
			s := newFailingServer(10, http.StatusBadRequest)
			defer s.Close()
			err := f.run(t.Context(), s.URL)
			if n := len(s.seen()); f.flagged != (n > 1) {
				t.Errorf("flagged is %t, but it was sent %d times (error: %v)", f.flagged, n, err)
			}
		})
	}
}

// TestRetrypolicyWait fails all attempts: between two of what is flagged there is less
// time than the pause, between those of the others there is not.
func TestRetrypolicyWait(t *testing.T) {
	timing.Pause = 20 * time.Millisecond
	for _, f := range []retryFixture{
		{"AtOnce", true, noError(timing.AtOnce)},
		{"AtOnceOnError", true, timing.AtOnceOnError},
		{"Sleep", false, noError(timing.Sleep)},
		{"SleepAlone", false, alone(timing.SleepAlone)},
		{"After", false, noError(timing.After)},
		{"SleepInAHelper", false, noError(timing.SleepInAHelper)},
		{"Nanoseconds", true, alone(timing.Nanoseconds)},
		{"NanosecondsComputed", true, alone(timing.NanosecondsComputed)},
		{"Counted", false, alone(func(url string) error { _, err := timing.Counted(url); return err })},
	} {
		t.Run(f.name, func(t *testing.T) {
			s := newFailingServer(100, 0)
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			f.run(ctx, s.URL)
			if least := leastGap(s.seen()); f.flagged != (least < timing.Pause) {
				t.Errorf("flagged is %t, but the least time between attempts was %v", f.flagged, least)
			}
		})
	}
}

// leastGap returns the least time between two attempts.
func leastGap(seen []attempt) time.Duration {
	least := time.Hour
	for i := 1; i < len(seen); i++ {
		least = min(least, seen[i].at.Sub(seen[i-1].at))
	}
	return least
}

// TestRetrypolicyContext cancels the context at the first attempt: what is flagged goes
// on waiting, what is not comes back.
func TestRetrypolicyContext(t *testing.T) {
	timing.Pause = 100 * time.Millisecond
	for _, f := range []retryFixture{
		{"Sleep", true, noError(timing.Sleep)},
		{"After", true, noError(timing.After)},
		{"SleepInAHelper", true, noError(timing.SleepInAHelper)},
		{"AtOnce", false, noError(timing.AtOnce)},
		{"UntilDone", false, noError(timing.UntilDone)},
		{"UntilCanceled", false, noError(timing.UntilCanceled)},
	} {
		t.Run(f.name, func(t *testing.T) {
			s := newFailingServer(100, http.StatusServiceUnavailable)
			defer s.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var canceled time.Time
			go func() {
				<-s.first
				time.Sleep(20 * time.Millisecond)
				canceled = time.Now()
				cancel()
			}()
			f.run(ctx, s.URL)
			if late := time.Since(canceled); f.flagged != (late > timing.Pause/2) && len(s.seen()) < 5 {
				t.Errorf("flagged is %t, but it came back %v after the context was done", f.flagged, late)
			}
		})
	}
}

// TestRetrypolicyBound fails all attempts for a while: what is flagged does not come
// back in it, what is not does.
func TestRetrypolicyBound(t *testing.T) {
	timing.Pause = time.Millisecond
	for _, f := range []retryFixture{
		{"Endless", true, alone(func(url string) error { return timing.Endless(url).Body.Close() })},
		{"EndlessIgnoringContext", true, func(ctx context.Context, url string) error {
			timing.EndlessIgnoringContext(context.WithoutCancel(ctx), url)
			return nil
		}},
		{"While", true, alone(func(url string) error { return timing.While(url).Body.Close() })},
		{"Deadline", false, alone(func(url string) error { _, err := timing.Deadline(url); return err })},
		{"Counted", false, alone(func(url string) error { _, err := timing.Counted(url); return err })},
		{"UntilDone", false, noError(timing.UntilDone)},
		{"RetryGoEndless", true, alone(libraries.RetryGoEndless)},
		{"RetryGoContext", false, libraries.RetryGoContext},
		{"BackoffEndless", true, alone(libraries.BackoffEndless)},
	} {
		t.Run(f.name, func(t *testing.T) {
			s := newFailingServer(1_000_000, 0)
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			done := make(chan struct{})
			go func() {
				defer close(done)
				f.run(ctx, s.URL)
			}()
			returned := false
			select {
			case <-done:
				returned = true
			case <-time.After(1500 * time.Millisecond):
			}
			s.succeed()
			<-done
			if f.flagged == returned {
				t.Errorf("flagged is %t, but it came back while the server failed: %t", f.flagged, returned)
			}
		})
	}
}

// TestRetrypolicyReconnect fails some attempts and then holds the stream open. The server
// is left running, as some of the functions never end.
func TestRetrypolicyReconnect(t *testing.T) {
	for _, f := range []retryFixture{
		{"Events", true, func(ctx context.Context, url string) error {
			reconnect.Events(ctx, url, func(string) {})
			return nil
		}},
		{"EventsPatient", false, func(ctx context.Context, url string) error {
			reconnect.EventsPatient(ctx, url, func(string) {})
			return nil
		}},
		{"Start", true, alone(func(url string) error { reconnect.Start(url); return nil })},
	} {
		t.Run(f.name, func(t *testing.T) {
			s := newFailingServer(20, 0)
			s.hold = true
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go f.run(ctx, s.URL)
			for deadline := time.Now().Add(5 * time.Second); len(s.seen()) <= 20 && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			if least := leastGap(s.seen()); f.flagged != (least < reconnect.Pause) {
				t.Errorf("flagged is %t, but the least time between attempts was %v", f.flagged, least)
			}
		})
	}
}
