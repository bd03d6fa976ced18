// Package callforms proves that the form of a call does not matter. Each function is
// all that a main does: its server is told to stop by SIGTERM.
package callforms

import (
	. "context"
	"net"
	web "net/http"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func MethodValue(srv *web.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	shutdown := srv.Shutdown
	go srv.Serve(ln)
	<-ctx.Done()
	shutdown(ctx) // want `ctx is already done when shutdown is called`
}

func MethodExpression(srv *web.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	(*web.Server).Shutdown(srv, ctx) // want `ctx is already done|shuts down on a context that is already done`
}

func Parenthesised(srv *web.Server, ln net.Listener) {
	ctx, stop := (signal.NotifyContext)((Background()), syscall.SIGTERM)
	defer stop()
	go (srv.Serve)(ln)
	<-(ctx.Done())
	(srv.Shutdown)((ctx)) // want `is already done when`
}

type embedding struct {
	*web.Server
	name string
}

func Embedded(srv *web.Server, ln net.Listener) {
	s := embedding{Server: srv, name: "web"}
	ctx, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	go s.Server.Serve(ln)
	go func() {
		<-ctx.Done()
		s.Shutdown(Background()) // want `nobody waits for s.Shutdown to return`
	}()
	<-ctx.Done()
}

func generic[T interface{ Shutdown(Context) error }](ctx Context, x T) error {
	return x.Shutdown(ctx)
}

func Generic(srv *web.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	generic(ctx, srv) // want `generic shuts down on a context that is already done`
}

func Shadowed(srv *web.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	{
		ctx := Background()
		srv.Shutdown(ctx)
	}
}

func Immediate(srv *web.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	func(ctx Context) {
		srv.Shutdown(ctx) // want `ctx is already done`
	}(ctx)
}

func Once(srv *web.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	var once sync.Once
	go srv.Serve(ln)
	<-ctx.Done()
	once.Do(func() {
		srv.Shutdown(ctx) // want `ctx is already done`
	})
}

// A number of nanoseconds.
func Nanoseconds(srv *web.Server, ln net.Listener) {
	stopped, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-stopped.Done()
	ctx, cancel := WithTimeout(Background(), 10)
	defer cancel()
	srv.Shutdown(ctx) // want `ctx is already done`
}

func WithCause(srv *web.Server, ln net.Listener) {
	ctx, cancel := WithCancelCause(Background())
	stopped, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-stopped.Done()
	cancel(nil)
	srv.Shutdown(ctx) // want `ctx is already done`
}

func Later(srv *web.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	var down chan struct{}
	down = make(chan struct{})
	go func() {
		<-ctx.Done()
		c, cancel := WithDeadline(Background(), time.Now().Add(10*time.Second))
		defer cancel()
		srv.Shutdown(c)
		down <- struct{}{}
	}()
	srv.Serve(ln)
	<-down
}

type command struct{ ctx Context }

func (c *command) Context() Context { return c.ctx }

func Accessor(srv *web.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(Background(), syscall.SIGTERM)
	defer stop()
	cmd := &command{ctx}
	go srv.Serve(ln)
	<-cmd.Context().Done()
	srv.Shutdown(cmd.Context()) // want `is already done when`
}
