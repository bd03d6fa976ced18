package proof

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	bodies "fixtures/retrypolicy/body"
	"fixtures/retrypolicy/clients"
	"fixtures/retrypolicy/elsewhere"
	"fixtures/retrypolicy/fast"
	"fixtures/retrypolicy/given"
	"fixtures/retrypolicy/hopeless"
	"fixtures/retrypolicy/house"
	"fixtures/retrypolicy/libraries"
	"fixtures/retrypolicy/limits"
	"fixtures/retrypolicy/method"
	"fixtures/retrypolicy/queues"
	"fixtures/retrypolicy/reconnect"
	"fixtures/retrypolicy/services"
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

// with runs a method of a client, made for the server, that is given a context.
func with[C any](make func(url string) C, f func(c C, ctx context.Context) error) func(ctx context.Context, url string) error {
	return func(ctx context.Context, url string) error { return f(make(url), ctx) }
}

// none is a result that a fixture has besides its error.
func none[T any](_ T, err error) error { return err }

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
//
// Not run: clients.Policy, which repeats timeouts only; services.Metrics and Outbox, which
// send something else in each round, and never end.
func TestRetrypolicyMethod(t *testing.T) {
	for _, f := range []retryFixture{
		{"Counting", true, method.Counting},
		{"Patch", true, method.Patch},
		{"Helper", true, method.Helper},
		{"Predicate", true, method.Predicate},
		{"PredicateRefused", false, method.PredicateRefused},
		{"Flag", true, method.Flag},
		{"Later", true, func(ctx context.Context, url string) error {
			done := make(chan error)
			method.Later(ctx, url, done)
			return <-done
		}},
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
		{"given.Saved", true, given.Saved},
		{"given.SavedNear", false, given.SavedNear},
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
		{"FailsafePost", true, libraries.FailsafePost},
		{"FailsafeGet", false, libraries.FailsafeGet},
		{"FailsafeBelow", true, libraries.FailsafeBelow},
		{"RetryGoIf", false, libraries.RetryGoIf},
		{"Terraform", true, libraries.Terraform},
		{"TerraformNever", false, libraries.TerraformNever},
		{"clients.Charge", true, with(clients.New, func(c *clients.Client, ctx context.Context) error { return none(c.Charge(ctx, 1)) })},
		{"clients.ChargeBusy", false, with(clients.New, func(c *clients.Client, ctx context.Context) error { return none(c.ChargeBusy(ctx, nil)) })},
		{"clients.Rename", false, with(clients.New, func(c *clients.Client, ctx context.Context) error { return c.Rename(ctx, "e", nil) })},
		{"clients.Keyed", false, with(clients.New, func(c *clients.Client, ctx context.Context) error { return c.Keyed(ctx, nil) })},
		{"clients.Group", true, with(clients.New, func(c *clients.Client, ctx context.Context) error { return c.Group(ctx, [][]byte{[]byte("a")}) })},
		{"clients.Pool", false, with(clients.New, func(c *clients.Client, ctx context.Context) error { return c.Pool([]string{"a"})[0] })},
		{"clients.Generic", true, with(clients.New, func(c *clients.Client, ctx context.Context) error { return none(c.Generic(ctx)) })},
		{"clients.GenericGet", false, with(clients.New, func(c *clients.Client, ctx context.Context) error { return none(c.GenericGet(ctx)) })},
		{"clients.PolicyPost", false, with(clients.New, func(c *clients.Client, ctx context.Context) error { return none(c.PolicyPost(ctx)) })},
		{"clients.SendWebhook", true, func(ctx context.Context, url string) error { return clients.SendWebhook(ctx, url, nil) }},
		{"services.CreateUser", true, with(services.NewAPI, func(a *services.API, ctx context.Context) error { return a.CreateUser(ctx, "n") })},
		{"services.CreateUserBusy", false, with(services.NewAPI, func(a *services.API, ctx context.Context) error { return a.CreateUserBusy(ctx, "n") })},
		{"services.User", false, with(services.NewAPI, func(a *services.API, ctx context.Context) error { return none(a.User(ctx, "n")) })},
		{"services.Ensure", false, with(services.NewAPI, func(a *services.API, ctx context.Context) error { return a.Ensure(ctx, "n") })},
		{"services.Fire", true, with(services.NewAPI, func(a *services.API, ctx context.Context) error { a.Fire(ctx, "e"); return nil })},
		{"services.FireUntil", true, with(services.NewAPI, func(a *services.API, ctx context.Context) error { return a.FireUntil(ctx, "e") })},
		{"services.OnlyDial", false, with(services.NewAPI, (*services.API).OnlyDial)},
		{"services.Send", true, func(ctx context.Context, url string) error { return services.NewHook().Send(ctx, url, nil) }},
		{"services.Put", false, func(ctx context.Context, url string) error { return services.NewHook().Put(ctx, url, nil) }},
		{"services.Shared", true, alone(func(url string) error { return services.Shared(url, nil) })},
		{"services.Add", true, func(ctx context.Context, url string) error { return services.NewService(url).Add(ctx, "v") }},
		{"services.List", false, func(ctx context.Context, url string) error { return services.NewService(url).List(ctx) }},
		{"services.Conditional", false, alone(services.Conditional)},
		{"services.RestyLoop", true, services.RestyLoop},
		{"services.RestyRequestCondition", false, alone(services.RestyRequestCondition)},
		{"elsewhere.Made", true, elsewhere.Made},
		{"elsewhere.MadePut", false, elsewhere.MadePut},
		{"elsewhere.MadeKeyed", false, elsewhere.MadeKeyed},
		{"elsewhere.Handed", true, elsewhere.Handed},
		{"elsewhere.HandedGet", false, elsewhere.HandedGet},
		{"elsewhere.HandedKeyed", false, elsewhere.HandedKeyed},
		{"elsewhere.HandedSafe", false, elsewhere.HandedSafe},
		{"elsewhere.ByMethodBusy", false, elsewhere.ByMethodBusy},
		{"elsewhere.ByMethodRefused", false, elsewhere.ByMethodRefused},
		{"elsewhere.Judged", true, elsewhere.Judged},
		{"elsewhere.JudgedUnsent", false, elsewhere.JudgedUnsent},
		{"elsewhere.JudgedBad", false, noError(elsewhere.JudgedBad)},
		{"elsewhere.RepeatedOnce", false, elsewhere.RepeatedOnce},
		{"elsewhere.Resty", true, elsewhere.Resty},
		{"elsewhere.RestyBusy", false, elsewhere.RestyBusy},
		{"elsewhere.RestyHere", false, elsewhere.RestyHere},
		{"queues.Slice", true, queues.Slice},
		{"queues.Keyed", false, func(ctx context.Context, url string) error { return queues.Keyed(ctx, url) }},
		{"fast.Post", true, fast.Post},
		{"fast.PostKeyed", false, fast.PostKeyed},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := newFailingServer(1, 0)
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			err := f.run(ctx, s.URL)
			unkeyed, bodies := 0, make(map[string]int)
			for _, a := range s.seen() {
				if (a.method == http.MethodPost || a.method == http.MethodPatch) && a.key == "" {
					bodies[a.body]++
					unkeyed = max(unkeyed, bodies[a.body])
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
//
// Not run: services.Proxy, which has its servers' addresses in it.
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
		{"NewBuffer", true, bodies.NewBuffer},
		{"BufferLiteral", true, bodies.BufferLiteral},
		{"NewBufferEach", false, bodies.NewBufferEach},
		{"RepeatedByAHelper", true, bodies.RepeatedByAHelper},
		{"BufferRepeatedByAHelper", true, bodies.BufferRepeatedByAHelper},
		{"AllRepeatedByAHelper", false, bodies.AllRepeatedByAHelper},
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
		{"clients.Upload", true, with(clients.New, func(c *clients.Client, ctx context.Context) error {
			return none(c.Upload(ctx, "a", strings.NewReader("doc")))
		})},
		{"clients.DoWithRetry", true, with(clients.New, func(c *clients.Client, ctx context.Context) error { return none(c.DoWithRetry(c.PutRequest(ctx))) })},
		{"clients.DoBuffered", false, with(clients.New, func(c *clients.Client, ctx context.Context) error { return none(c.DoBuffered(c.PutRequest(ctx))) })},
		{"clients.NopCloser", true, func(ctx context.Context, url string) error { return clients.NopCloser(ctx, url, "doc") }},
		{"clients.PutFile", false, func(ctx context.Context, url string) error { return clients.PutFile(ctx, url, "proof.go") }},
		{"clients.Worker", true, func(ctx context.Context, url string) error {
			ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
			defer cancel()
			clients.Worker(ctx, clients.NewQueue(url))
			return nil
		}},
		{"services.Forward", true, func(ctx context.Context, url string) error {
			return none(services.Forward(ctx, http.DefaultClient, url, httptest.NewRequest("PUT", "/", strings.NewReader("doc"))))
		}},
		{"elsewhere.ByMethodBody", true, elsewhere.ByMethodBody},
		{"elsewhere.ByMethodBodies", false, elsewhere.ByMethodBodies},
		{"queues.Later", true, queues.Later},
		{"fast.Put", false, fast.Put},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
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
//
// Not run: UntilReady and UntilFound, which come again too, but for an answer that may
// change; BadURL, of which nobody sees that it tries again (BadAddress does the same).
func TestRetrypolicyHopeless(t *testing.T) {
	for _, f := range []retryFixture{
		{"ClientErrors", true, hopeless.ClientErrors},
		{"ServerErrors", false, hopeless.ServerErrors},
		{"NotAfterCancel", false, noError(hopeless.NotAfterCancel)},
		{"DecodedByAHelper", true, hopeless.DecodedByAHelper},
		{"Copied", false, hopeless.Copied},
		{"JudgedByAFunction", true, hopeless.JudgedByAFunction},
		{"RepeatedByAHelper", true, hopeless.RepeatedByAHelper},
		{"clients.FourHundred", true, with(clients.New, func(c *clients.Client, ctx context.Context) error { return none(c.FourHundred(ctx)) })},
		{"services.Report", true, with(services.NewAPI, func(a *services.API, ctx context.Context) error { return none(a.Report(ctx)) })},
		{"elsewhere.ByMethodRefused", false, elsewhere.ByMethodRefused},
		{"elsewhere.JudgedRefused", true, elsewhere.JudgedRefused},
		{"elsewhere.JudgedPassing", false, elsewhere.JudgedPassing},
		{"fast.Refused", true, fast.Refused},
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

// TestRetrypolicyBadAddress gives an address that is none: what is flagged does not come
// back with the error of that, but tries again until it gives up.
func TestRetrypolicyBadAddress(t *testing.T) {
	err := hopeless.BadAddress(t.Context(), "http://[::1")
	if _, ok := errors.AsType[*url.Error](err); ok || err == nil {
		t.Errorf("it came back with %v", err)
	}
}

// A countingTransport counts the attempts that clients make.
type countingTransport struct{ n atomic.Int32 }

func (c *countingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return nil, req.Context().Err()
}

// TestRetrypolicyCanceled cancels the context before the first attempt: what is flagged
// makes another one, which cannot succeed.
func TestRetrypolicyCanceled(t *testing.T) {
	old := http.DefaultTransport
	defer func() { http.DefaultTransport = old }()
	for _, f := range []retryFixture{
		{"AfterCancel", true, noError(hopeless.AfterCancel)},
		{"NotAfterCancel", false, noError(hopeless.NotAfterCancel)},
	} {
		counting := new(countingTransport)
		http.DefaultTransport = counting
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := f.run(ctx, "http://127.0.0.1:1")
		if n := counting.n.Load(); f.flagged != (n > 1) {
			t.Errorf("%s: flagged is %t, but it was tried %d times (error: %v)", f.name, f.flagged, n, err)
		}
	}
}

// TestRetrypolicyWait fails all attempts: between two of what is flagged there is less
// time than the pause, between those of the others there is not.
//
// Not run: elsewhere.RepeatedTwice, which tries again at once, but only once;
// timing.TickRange, as a tick that comes late shortens the wait for the next.
func TestRetrypolicyWait(t *testing.T) {
	timing.Pause, house.Pause = 20*time.Millisecond, 20*time.Millisecond
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
		{"NanosecondsTimes", true, alone(timing.NanosecondsTimes)},
		{"NanosecondsMeant", false, alone(timing.NanosecondsMeant)},
		{"TimerRange", false, alone(timing.TimerRange)},
		{"Paced", false, noError(timing.Paced)},
		{"NotPaced", true, noError(timing.NotPaced)},
		{"HotFlag", true, func(ctx context.Context, url string) error { timing.HotFlag(ctx, url); return nil }},
		{"SethVargoNext", true, alone(libraries.SethVargoNext)},
		{"BackoffWithoutStop", true, libraries.BackoffWithoutStopUntil},
		{"clients.Spin", true, with(clients.New, func(c *clients.Client, ctx context.Context) error { return none(c.Spin(ctx)) })},
		{"clients.Token", true, with(clients.New, func(c *clients.Client, _ context.Context) error { return none(c.Token()) })},
		{"elsewhere.Waiting", false, elsewhere.Waiting},
		{"elsewhere.RepeatedAtOnce", true, elsewhere.RepeatedAtOnce},
		{"fast.AtOnce", true, fast.AtOnce},
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
//
// Not run: clients.DialSleep, which waits for five seconds; the handler of clients, which
// has its server's address in it.
func TestRetrypolicyContext(t *testing.T) {
	timing.Pause, house.Pause = 100*time.Millisecond, 100*time.Millisecond
	for _, f := range []retryFixture{
		{"Sleep", true, noError(timing.Sleep)},
		{"After", true, noError(timing.After)},
		{"SleepInAHelper", true, noError(timing.SleepInAHelper)},
		{"AtOnce", false, noError(timing.AtOnce)},
		{"UntilDone", false, noError(timing.UntilDone)},
		{"UntilCanceled", false, noError(timing.UntilCanceled)},
		{"clients.Health", true, func(ctx context.Context, url string) error { return clients.NewSlow(url).Health(ctx) }},
		{"elsewhere.Napping", true, elsewhere.Napping},
		{"elsewhere.Waiting", false, elsewhere.Waiting},
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
	timing.Pause, house.Pause = time.Millisecond, time.Millisecond
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
		{"GotoEndless", true, alone(func(url string) error { return timing.GotoEndless(url).Body.Close() })},
		{"GotoCounted", false, alone(func(url string) error { return none(timing.GotoCounted(url)) })},
		{"clients.WaitForServer", true, alone(func(url string) error { clients.WaitForServer(url); return nil })},
		{"services.MustGet", true, alone(func(url string) error { services.MustGet(url); return nil })},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
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
//
// Not run: clients.DialRecursive, which is stopped by nothing but a full stack;
// services.SocketPaced, which waits for three seconds.
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
		{"Run", true, socket(func(_ context.Context, f *reconnect.Feed) { f.Run(func([]byte) {}) })},
		{"RunUntilClosed", true, socket(func(_ context.Context, f *reconnect.Feed) { f.RunUntilClosed(func([]byte) {}) })},
		{"RunPatient", false, socket(func(_ context.Context, f *reconnect.Feed) { f.RunPatient(func([]byte) {}) })},
		{"clients.Dial", true, alone(func(url string) error { clients.Dial(webSocket(url), nil); return nil })},
		{"services.Listen", true, func(ctx context.Context, url string) error {
			return services.NewStream(url).Listen(ctx, func(string) {})
		}},
		{"services.ListenPatiently", false, func(ctx context.Context, url string) error {
			return services.NewStream(url).ListenPatiently(ctx, func(string) {})
		}},
		{"services.Socket", true, alone(func(url string) error { services.NewStream(webSocket(url)).Socket(nil, nil); return nil })},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := newFailingServer(20, 0)
			s.hold = true
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go f.run(ctx, s.URL)
			for deadline := time.Now().Add(2 * time.Second); len(s.seen()) <= 20 && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			if least := leastGap(s.seen()); f.flagged != (least < reconnect.Pause) {
				t.Errorf("flagged is %t, but the least time between attempts was %v", f.flagged, least)
			}
		})
	}
}

// webSocket returns the address of a WebSocket at a server.
func webSocket(url string) string { return "ws" + strings.TrimPrefix(url, "http") }

// socket runs a fixture with a feed.
func socket(run func(context.Context, *reconnect.Feed)) func(ctx context.Context, url string) error {
	return func(ctx context.Context, url string) error {
		run(ctx, reconnect.NewFeed(webSocket(url)))
		return nil
	}
}

// TestRetrypolicyGrowth fails eight attempts: the longest wait of what is flagged is
// far longer than the cap of what is not, and would be longer with each attempt.
func TestRetrypolicyGrowth(t *testing.T) {
	for _, f := range []retryFixture{
		{"EventsDoubling", true, func(ctx context.Context, url string) error {
			reconnect.EventsDoubling(ctx, url, func(string) {})
			return nil
		}},
		{"EventsCapped", false, func(ctx context.Context, url string) error {
			reconnect.EventsCapped(ctx, url, func(string) {})
			return nil
		}},
		{"RunDoubling", true, socket(func(ctx context.Context, f *reconnect.Feed) { f.RunDoubling(ctx, func([]byte) {}) })},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := newFailingServer(100, 0)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go f.run(ctx, s.URL)
			for deadline := time.Now().Add(10 * time.Second); len(s.seen()) <= 8 && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			longest := time.Duration(0)
			for i, a := range s.seen()[1:] {
				longest = max(longest, a.at.Sub(s.seen()[i].at))
			}
			if f.flagged != (longest > 64*reconnect.Pause) {
				t.Errorf("flagged is %t, but the longest wait was %v", f.flagged, longest)
			}
		})
	}
}
