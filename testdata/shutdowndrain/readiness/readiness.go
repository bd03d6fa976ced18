// Package readiness proves that clients get notice before a shutdown: the readiness
// fails, and after that there is time for balancers to see it.
package readiness

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-chi/chi/v5"

	"fixtures/shutdowndrain/readiness/probes"
)

func term() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	return c
}

// Front is a server with a readiness that can be turned.
type Front struct {
	leaving atomic.Bool
	srv     *http.Server
}

func (f *Front) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if f.leaving.Load() {
			http.Error(w, "leaving", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

func (f *Front) Stop(ctx context.Context) error {
	f.leaving.Store(true)
	return f.srv.Shutdown(ctx) // want `f.srv.Shutdown comes right after the readiness was turned`
}

func (f *Front) StopWithNotice(ctx context.Context) error {
	f.leaving.Store(true)
	time.Sleep(5 * time.Second)
	return f.srv.Shutdown(ctx)
}

func (f *Front) StopWithTimer(ctx context.Context) error {
	f.leaving.Store(true)
	select {
	case <-time.After(5 * time.Second):
	case <-ctx.Done():
	}
	return f.srv.Shutdown(ctx)
}

// The signal's own context is done: the wait is over at once.
func (f *Front) RunCut(ln net.Listener) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	f.srv.Handler = f.routes()
	go f.srv.Serve(ln)
	<-ctx.Done()
	f.leaving.Store(true)
	select {
	case <-time.After(5 * time.Second):
	case <-ctx.Done(): // want `the wait before the shutdown is over at once: ctx.Done\(\) is already done`
	}
	return f.srv.Shutdown(context.WithoutCancel(ctx))
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (f *Front) RunCutInHelper(ln net.Listener) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	f.srv.Handler = f.routes()
	go f.srv.Serve(ln)
	<-ctx.Done()
	f.leaving.Store(true)
	pause(ctx, 5*time.Second) // want `the wait before the shutdown is over at once`
	return f.srv.Shutdown(context.WithoutCancel(ctx))
}

func (f *Front) RunWaits(ln net.Listener) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	f.srv.Handler = f.routes()
	go f.srv.Serve(ln)
	<-ctx.Done()
	f.leaving.Store(true)
	pause(context.WithoutCancel(ctx), 5*time.Second)
	return f.srv.Shutdown(context.WithoutCancel(ctx))
}

// The readiness is turned on at the start.
func Started(srv *http.Server, ln net.Listener) {
	var ready atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("/ready", func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	ready.Store(true)
	<-term()
	ready.Store(false)
	time.Sleep(5 * time.Second)
	srv.Shutdown(context.Background())
}

func StartedTurned(srv *http.Server, ln net.Listener) {
	var ready int32
	mux := http.NewServeMux()
	mux.HandleFunc("/ready", func(w http.ResponseWriter, r *http.Request) {
		if atomic.LoadInt32(&ready) == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	atomic.StoreInt32(&ready, 1)
	<-term()
	atomic.StoreInt32(&ready, 0)
	srv.Shutdown(context.Background()) // want `srv.Shutdown comes right after the readiness was turned`
}

func Always(srv *http.Server, ln net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusOK) })
	srv.Handler = mux
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background()) // want `srv.Shutdown comes while the readiness probe GET /readyz still answers well`
}

// Nothing ever turns it.
func NeverTurned(srv *http.Server, ln net.Listener) {
	var ready atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	ready.Store(true)
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background()) // want `srv.Shutdown comes while the readiness probe GET /readyz still answers well`
}

// The endpoints are taken away beside the signal: time is all that it takes.
func AlwaysWithTime(srv *http.Server, ln net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusOK) })
	srv.Handler = mux
	go srv.Serve(ln)
	<-term()
	time.Sleep(5 * time.Second)
	srv.Shutdown(context.Background())
}

// A probe of life must not fail in a drain.
func Live(srv *http.Server, ln net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusOK) })
	srv.Handler = mux
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
}

// The probe asks something that may fail.
func Asks(srv *http.Server, ln net.Listener, ping func() error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := ping(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
}

// Another goroutine turns the readiness at the same signal.
func TurnedBeside(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var ready atomic.Bool
	ready.Store(true)
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	go func() {
		<-ctx.Done()
		ready.Store(false)
	}()
	<-ctx.Done()
	srv.Shutdown(context.WithoutCancel(ctx)) // want `srv\.Shutdown comes right after the readiness was turned`
}

func TurnedBesideWithTime(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var ready atomic.Bool
	ready.Store(true)
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	go func() {
		<-ctx.Done()
		ready.Store(false)
	}()
	<-ctx.Done()
	time.Sleep(5 * time.Second)
	srv.Shutdown(context.WithoutCancel(ctx))
}

// The probe asks the signal's own context.
func AsksContext(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(context.WithoutCancel(ctx)) // want `srv\.Shutdown comes right after the readiness was turned`
}

func AsksContextWithTime(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	<-ctx.Done()
	for range 6 {
		time.Sleep(time.Second)
	}
	srv.Shutdown(context.WithoutCancel(ctx))
}

// The probe is a type, and the route comes after the method.
type state struct {
	mu      sync.RWMutex
	leaving bool
}

func (s *state) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = true
}

func (s *state) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.leaving {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func Typed(srv *http.Server, ln net.Listener) {
	st := new(state)
	r := chi.NewRouter()
	r.Method(http.MethodGet, "/ready", st)
	srv.Handler = r
	go srv.Serve(ln)
	<-term()
	st.leave()
	srv.Shutdown(context.Background()) // want `srv\.Shutdown comes right after the readiness was turned`
}

// The probes of another package.
func Abroad(srv *http.Server, ln net.Listener) {
	c := new(probes.Checker)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", c.Ready)
	srv.Handler = mux
	go srv.Serve(ln)
	<-term()
	c.Leave()
	srv.Shutdown(context.Background()) // want `srv\.Shutdown comes right after the readiness was turned`
}

func AbroadWithTime(srv *http.Server, ln net.Listener) {
	c := new(probes.Checker)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", c.Ready)
	srv.Handler = mux
	go srv.Serve(ln)
	<-term()
	c.Leave()
	time.Sleep(5 * time.Second)
	srv.Shutdown(context.Background())
}

func AbroadMade(srv *http.Server, ln net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("GET /readyz", probes.Handler())
	srv.Handler = mux
	probes.SetReady(true)
	go srv.Serve(ln)
	<-term()
	probes.SetReady(false)
	srv.Shutdown(context.Background()) // want `srv\.Shutdown comes right after the readiness was turned`
}

func AbroadAsked(srv *http.Server, ln net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if !probes.IsReady() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	<-term()
	probes.SetReady(false)
	srv.Shutdown(context.Background()) // want `srv\.Shutdown comes right after the readiness was turned`
}

// It sets what the probe does not ask.
func AbroadOther(srv *http.Server, ln net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("GET /readyz", probes.Handler())
	srv.Handler = mux
	go srv.Serve(ln)
	<-term()
	probes.SetAlive(false)
	srv.Shutdown(context.Background())
}

func AbroadAlways(srv *http.Server, ln net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", probes.OK)
	srv.Handler = mux
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background()) // want `srv\.Shutdown comes while the readiness probe GET /readyz still answers well`
}

// There is time if the program is told to give some.
func OptionalTime(srv *http.Server, ln net.Listener, notice time.Duration) {
	var ready atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	srv.Handler = mux
	ready.Store(true)
	go srv.Serve(ln)
	<-term()
	ready.Store(false)
	if notice > 0 {
		time.Sleep(notice)
	}
	srv.Shutdown(context.Background())
}
