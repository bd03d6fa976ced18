// Package helpers proves that a fault is found through helpers and reported where it
// is made: in the helper if that shows it alone, or else where it is called. Each
// exported function is all that a main does: its server is told to stop by SIGTERM.
package helpers

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
)

func waitForSignal() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	<-c
}

func signalContext() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

func cancelledContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		waitForSignal()
		cancel()
	}()
	return ctx
}

func drain(ctx context.Context, srv *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return srv.Shutdown(ctx)
}

func drainFresh(ctx context.Context, srv *http.Server) error {
	return drain(context.WithoutCancel(ctx), srv)
}

func Deadline(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	go srv.Serve(ln)
	waitForSignal()
	srv.Shutdown(ctx) // want `the deadline for srv.Shutdown runs from the start of the program`
}

func Drained(srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	waitForSignal()
	if err := drain(context.Background(), srv); err != nil {
		log.Print(err)
	}
}

func Made(srv *http.Server, ln net.Listener) {
	ctx, stop := signalContext()
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	if err := drain(ctx, srv); err != nil { // want `drain shuts down on a context that is already done`
		log.Print(err)
	}
}

func MadeFresh(srv *http.Server, ln net.Listener) {
	ctx, stop := signalContext()
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	if err := drainFresh(ctx, srv); err != nil {
		log.Print(err)
	}
}

func CancelledFromAfar(srv *http.Server, ln net.Listener) {
	ctx := cancelledContext()
	go srv.Serve(ln)
	<-ctx.Done()
	drain(ctx, srv) // want `drain shuts down on a context that is already done`
}

type app struct {
	srv  *http.Server
	ctx  context.Context
	stop context.CancelFunc
	down chan struct{}
}

func newApp(srv *http.Server) *app {
	ctx, stop := signalContext()
	return &app{srv: srv, ctx: ctx, stop: stop, down: make(chan struct{})}
}

func (a *app) shutdown() error { return a.srv.Shutdown(a.ctx) }

func (a *app) run(ln net.Listener) error {
	go a.srv.Serve(ln)
	<-a.ctx.Done()
	return a.shutdown() // want `a.shutdown shuts down on a context that is already done`
}

func Struct(srv *http.Server, ln net.Listener) {
	a := newApp(srv)
	defer a.stop()
	if err := a.run(ln); err != nil {
		log.Print(err)
	}
}

// drainLater is right if its caller waits for down.
func (a *app) drainLater() {
	go func() {
		<-a.ctx.Done()
		a.srv.Shutdown(context.Background())
		close(a.down)
	}()
}

func StructWaits(srv *http.Server, ln net.Listener) {
	a := newApp(srv)
	defer a.stop()
	a.drainLater()
	a.srv.Serve(ln)
	<-a.down
}

func StructDoesNotWait(srv *http.Server, ln net.Listener) {
	a := newApp(srv)
	defer a.stop()
	a.drainLater() // want `nobody waits for a.drainLater to return`
	a.srv.Serve(ln)
}

func shutdownOnSignal(wg *sync.WaitGroup, srv *http.Server) {
	defer wg.Done()
	waitForSignal()
	drain(context.Background(), srv)
}

func GroupPassed(srv *http.Server, ln net.Listener) {
	var wg sync.WaitGroup
	wg.Add(1)
	go shutdownOnSignal(&wg, srv)
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	wg.Wait()
}

func GroupPassedNotWaited(srv *http.Server, ln net.Listener) {
	var wg sync.WaitGroup
	wg.Add(1)
	go shutdownOnSignal(&wg, srv) // want `nobody waits for shutdownOnSignal to return`
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

func downAfterSignal(srv *http.Server) <-chan struct{} {
	down := make(chan struct{})
	go func() {
		defer close(down)
		waitForSignal()
		drain(context.Background(), srv)
	}()
	return down
}

func ChannelReturned(srv *http.Server, ln net.Listener) {
	down := downAfterSignal(srv)
	srv.Serve(ln)
	<-down
}

func ChannelDropped(srv *http.Server, ln net.Listener) {
	downAfterSignal(srv) // want `nobody waits for downAfterSignal to return`
	srv.Serve(ln)
}

type stopper interface {
	Shutdown(context.Context) error
}

func stopAll(ctx context.Context, list ...stopper) {
	for _, s := range list {
		if err := s.Shutdown(ctx); err != nil {
			log.Print(err)
		}
	}
}

func Interface(srv *http.Server, ln net.Listener) {
	ctx, stop := signalContext()
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	stopAll(ctx, srv) // want `stopAll shuts down on a context that is already done`
}

func InterfaceFresh(srv *http.Server, ln net.Listener) {
	ctx, stop := signalContext()
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	stopAll(context.Background(), srv)
}

func Closers(srv *http.Server, ln net.Listener) {
	ctx, stop := signalContext()
	defer stop()
	closers := []func(context.Context) error{srv.Shutdown}
	go srv.Serve(ln)
	<-ctx.Done()
	for _, c := range closers {
		if err := c(ctx); err != nil { // want `ctx is already done when c is called`
			log.Print(err)
		}
	}
}

func run(ctx context.Context, srv *http.Server, ln net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	for {
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
			return srv.Shutdown(ctx) // want `ctx is already done`
		}
	}
}

func Run(srv *http.Server, ln net.Listener) {
	ctx, stop := signalContext()
	defer stop()
	if err := run(ctx, srv, ln); err != nil {
		log.Print(err)
	}
}
