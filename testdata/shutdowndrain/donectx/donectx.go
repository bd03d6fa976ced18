// Package donectx proves that a shutdown on a context that is done already is
// reported, however the context came to be done. Each function is all that a main
// does: its server is told to stop by SIGTERM.
package donectx

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

func SignalsOwn(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	if err := srv.Shutdown(ctx); err != nil { // want `ctx is already done when srv.Shutdown is called \(requests in flight are cut off\)`
		log.Print(err)
	}
}

func Fresh(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.Print(err)
	}
}

func Derived(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	srv.Shutdown(ctx) // want `ctx is already done`
}

func DerivedWithoutCancel(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	srv.Shutdown(ctx)
}

type key struct{}

func DerivedValue(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	withName := context.WithValue(ctx, key{}, "name")
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(withName) // want `withName is already done`
}

func Select(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	failed := make(chan error, 1)
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	select {
	case err := <-failed:
		log.Print(err)
	case <-ctx.Done():
		srv.Shutdown(ctx) // want `ctx is already done`
	}
}

func SelectFresh(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	failed := make(chan error, 1)
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	select {
	case err := <-failed:
		log.Print(err)
	case <-ctx.Done():
		srv.Shutdown(context.Background())
	}
}

func ErrgroupAfterWait(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	go srv.Serve(ln)
	g.Go(func() error {
		<-ctx.Done()
		return nil
	})
	g.Wait()
	srv.Shutdown(ctx) // want `ctx is already done`
}

func ErrgroupMember(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		<-gctx.Done()
		return srv.Shutdown(gctx) // want `gctx is already done`
	})
	if err := g.Wait(); err != nil {
		log.Print(err)
	}
}

func ErrgroupMemberFresh(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		<-gctx.Done()
		fresh, cancel := context.WithTimeout(context.WithoutCancel(gctx), 10*time.Second)
		defer cancel()
		return srv.Shutdown(fresh)
	})
	if err := g.Wait(); err != nil {
		log.Print(err)
	}
}

// The group's own context is done, its parent is not.
func ErrgroupParent(srv *http.Server, ln net.Listener) {
	parent := context.Background()
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	g, ctx := errgroup.WithContext(parent)
	g.Go(func() error {
		select {
		case <-sig:
			return errors.New("signal")
		case <-ctx.Done():
			return nil
		}
	})
	go srv.Serve(ln)
	g.Wait()
	srv.Shutdown(parent)
}

func CancelCalled(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	go srv.Serve(ln)
	<-sig
	cancel()
	srv.Shutdown(ctx) // want `ctx is already done`
}

func CancelDeferred(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	cancel()
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	go srv.Serve(ln)
	<-sig
	ctx, cancel = context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	srv.Shutdown(ctx)
}

func CancelInGoroutine(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		sig := make(chan os.Signal, 1)
		signal.Notify(sig, syscall.SIGTERM)
		<-sig
		cancel()
	}()
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(ctx) // want `ctx is already done`
}

func DeadlineFromStart(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, os.Interrupt, syscall.SIGTERM)
	go srv.Serve(ln)
	<-sig
	srv.Shutdown(ctx) // want `the deadline for srv.Shutdown runs from the start of the program`
}

func DeadlineFromStartInGoroutine(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		sig := make(chan os.Signal, 1)
		signal.Notify(sig, syscall.SIGTERM)
		<-sig
		srv.Shutdown(ctx) // want `the deadline for srv.Shutdown runs from the start of the program`
	})
	srv.Serve(ln)
	wg.Wait()
}

func Err(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	for ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	srv.Shutdown(ctx) // want `ctx is already done`
}

func AfterFunc(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	down := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(down)
		srv.Shutdown(ctx) // want `ctx is already done`
	})
	srv.Serve(ln)
	<-down
}

func DeferredShutdown(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	defer srv.Shutdown(ctx) // want `ctx is already done`
	go srv.Serve(ln)
	<-ctx.Done()
}

// The deferred calls run the last first: the shutdown is through before the cancel.
func DeferredInOrder(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer srv.Shutdown(ctx)
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	go srv.Serve(ln)
	<-sig
}

func DeferredOutOfOrder(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		if err := srv.Shutdown(ctx); err != nil { // want `ctx is already done`
			log.Print(err)
		}
	}()
	defer cancel()
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	go srv.Serve(ln)
	<-sig
}

// A parent that is done when a channel of the goroutine says so.
func Told(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	quit := make(chan struct{})
	go func() {
		<-ctx.Done()
		close(quit)
	}()
	go srv.Serve(ln)
	<-quit
	srv.Shutdown(ctx) // want `ctx is already done`
}

type server struct {
	http   *http.Server
	ctx    context.Context
	cancel context.CancelFunc
}

func (s *server) end() {
	s.cancel()
	s.http.Shutdown(s.ctx) // want `s.ctx is already done`
}

func Fields(srv *http.Server, ln net.Listener) {
	s := &server{http: srv}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	go srv.Serve(ln)
	<-sig
	s.end()
}
