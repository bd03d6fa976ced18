// Package falsepos holds what looks like a shutdown that cannot drain and is none.
package falsepos

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func term() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	return c
}

// The caller hands in a context: it may be fresh.
func Stop(ctx context.Context, srv *http.Server) error { return srv.Shutdown(ctx) }

// The goroutine ends with the process; who waits for it is not in view.
type Service struct {
	srv  *http.Server
	done chan struct{}
	wg   sync.WaitGroup
}

func (s *Service) Run(ctx context.Context, ln net.Listener) error {
	go func() {
		<-ctx.Done()
		s.srv.Shutdown(context.Background())
		close(s.done)
	}()
	return s.srv.Serve(ln)
}

func (s *Service) RunInGroup(ctx context.Context, ln net.Listener) error {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		<-ctx.Done()
		s.srv.Shutdown(context.Background())
	}()
	return s.srv.Serve(ln)
}

func (s *Service) Wait() {
	<-s.done
	s.wg.Wait()
}

// A deferred cancel runs when the drain is through.
func Drain(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return srv.Shutdown(ctx)
}

// Login serves one callback of a login: there is nothing else in flight.
func Login(ctx context.Context, ln net.Listener) (string, error) {
	code := make(chan string, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "you may close this window")
		code <- r.FormValue("code")
	})}
	go srv.Serve(ln)
	defer srv.Close()
	select {
	case c := <-code:
		return c, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Start comes back at once; the server goes on.
func Start(ctx context.Context, srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	go func() {
		<-ctx.Done()
		srv.Shutdown(context.Background())
	}()
}

// The process ends only where Serve fails.
func FatalOnly(srv *http.Server, ln net.Listener) {
	failed := make(chan error, 1)
	go func() {
		err := srv.Serve(ln)
		if errors.Is(err, http.ErrServerClosed) {
			return
		}
		failed <- err
	}()
	select {
	case err := <-failed:
		log.Fatal(err)
	case <-term():
		Drain(srv)
	}
}

func closed(err error) bool { return err == http.ErrServerClosed }

func ThroughHelper(srv *http.Server, ln net.Listener) {
	go func() {
		if err := srv.Serve(ln); !closed(err) {
			log.Fatal(err)
		}
	}()
	<-term()
	Drain(srv)
}

func SwitchOnError(srv *http.Server, ln net.Listener) {
	go func() {
		switch err := srv.Serve(ln); err {
		case nil, http.ErrServerClosed:
		default:
			log.Fatal(err)
		}
	}()
	<-term()
	Drain(srv)
}

func SwitchTrue(srv *http.Server, ln net.Listener) {
	go func() {
		err := srv.Serve(ln)
		switch {
		case errors.Is(err, http.ErrServerClosed):
			log.Print("closed")
		case err != nil:
			log.Fatal(err)
		}
	}()
	<-term()
	Drain(srv)
}

// Each of several servers is waited for.
func Several(servers []*http.Server, ln net.Listener) {
	var wg sync.WaitGroup
	for _, srv := range servers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := srv.Serve(ln); err != http.ErrServerClosed {
				log.Print(err)
			}
		}()
	}
	<-term()
	for _, srv := range servers {
		Drain(srv)
	}
	wg.Wait()
}

// The signal's context ends the select, another one the shutdown.
func Loop(srv *http.Server, ln net.Listener, reload <-chan struct{}) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	for {
		select {
		case <-reload:
			log.Print("reload")
		case <-ctx.Done():
			Drain(srv)
			return
		}
	}
}

// A channel goes to a function that is not in view, which may close it.
func Handed(srv *http.Server, ln net.Listener, hand func(chan<- struct{})) {
	down := make(chan struct{})
	hand(down)
	go func() {
		<-term()
		Drain(srv)
		hand(down)
	}()
	srv.Serve(ln)
	<-down
}

// Another server's log.Fatal is not this one's.
func Side(srv *http.Server, ln net.Listener) {
	go func() { log.Fatal(http.ListenAndServe("localhost:0", nil)) }()
	go srv.Serve(ln)
	<-term()
	Drain(srv)
}

// A context made in a loop is fresh each time.
func Retry(srv *http.Server) (err error) {
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err = srv.Shutdown(ctx)
		cancel()
		if err == nil {
			break
		}
	}
	return err
}

// The wait is for either: the shutdown's own deadline bounds it.
func Shared(srv *http.Server, jobs <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	select {
	case <-jobs:
	case <-ctx.Done():
	}
	return srv.Shutdown(ctx)
}

// The second signal ends the process, whatever is at work.
func SecondSignal(srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	for i := 0; true; i++ {
		<-sig
		if i > 0 {
			os.Exit(1)
		}
		go func() {
			Drain(srv)
			os.Exit(0)
		}()
	}
}

// A lock can tell that the shutdown is through.
func Locked(srv *http.Server, ln net.Listener) {
	var mu sync.Mutex
	mu.Lock()
	go func() {
		defer mu.Unlock()
		<-term()
		srv.Shutdown(context.Background())
	}()
	srv.Serve(ln)
	mu.Lock()
}

// What waits by its name may wait for the requests.
func Waits(srv *http.Server, ln net.Listener, waitIdle func()) {
	go func() {
		<-term()
		srv.Shutdown(context.Background())
	}()
	srv.Serve(ln)
	waitIdle()
}

// The server is there for one answer: who gives up does not wait for others.
func OneAnswer(ctx context.Context, ln net.Listener) (string, error) {
	got := make(chan string, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.FormValue("code")
	})}
	go srv.Serve(ln)
	defer srv.Shutdown(ctx)
	select {
	case code := <-got:
		return code, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// The context is cancelled when its time is over, or all is drained.
func TimeIsOver(ctx context.Context, api, admin *http.Server) {
	go api.ListenAndServe()
	go admin.ListenAndServe()
	<-term()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { api.Shutdown(ctx) })
	wg.Go(func() { admin.Shutdown(ctx) })
	down := make(chan struct{})
	go func() {
		defer close(down)
		wg.Wait()
	}()
	select {
	case <-down:
	case <-ctx.Done():
	}
}

type counted struct {
	srv  *http.Server
	jobs func() int
}

// The context of a Stop is the time that it has: when it is over, nothing is left to do.
func (c *counted) Stop(ctx context.Context) error {
	for c.jobs() > 0 {
		select {
		case <-ctx.Done():
			return c.srv.Shutdown(ctx)
		case <-time.After(time.Second):
		}
	}
	return c.srv.Shutdown(ctx)
}

// When Serve is back the context must be done: nothing else shuts the server down.
func AsksErr(ctx context.Context, srv *http.Server, ln net.Listener) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-ctx.Done()
		srv.Shutdown(context.WithoutCancel(ctx))
	}()
	err := srv.Serve(ln)
	if errors.Is(err, http.ErrServerClosed) && ctx.Err() != nil {
		<-done
		return nil
	}
	return err
}

// The signals have no end, so the old server has all the time.
func Reload(hup <-chan os.Signal, build func() *http.Server) {
	cur := build()
	go cur.ListenAndServe()
	for range hup {
		old := cur
		cur = build()
		go old.Shutdown(context.Background())
		go cur.ListenAndServe()
	}
}

// Whether there is a server is asked in the goroutine: where there is none, nothing is
// shut down when the goroutine is done.
func (s *Service) CloseIfAnyInGroup() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		if s.srv != nil {
			s.srv.Shutdown(ctx)
		}
	})
	wg.Wait()
}

func (s *Service) CloseIfAnyAndTell() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if s.srv == nil {
			return
		}
		s.srv.Shutdown(ctx)
	}()
	<-done
}

func CloseThoseThatAre(servers []*http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	errs := make(chan error)
	for _, srv := range servers {
		go func() {
			if srv == nil {
				errs <- nil
				return
			}
			errs <- srv.Shutdown(ctx)
		}()
	}
	for range servers {
		<-errs
	}
}
