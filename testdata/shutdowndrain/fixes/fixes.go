// Package fixes proves that a shutdown on a context that is done gets one of its own,
// where that is all that is wrong.
package fixes

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	clock "time"
)

func Direct(srv *http.Server, ln net.Listener) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	return srv.Shutdown(ctx) // want `ctx is already done`
}

func Condition(srv *http.Server, ln net.Listener) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		if err := srv.Shutdown(ctx); err != nil { // want `ctx is already done`
			return errors.Join(err, srv.Close())
		}
	}
	return nil
}

func Derived(srv *http.Server, ln net.Listener) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(ctx, 5*clock.Second)
	defer cancel()
	return srv.Shutdown(ctx) // want `ctx is already done`
}

// NoFix holds what is not fixed.
func NoFix(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	defer srv.Shutdown(ctx) // want `ctx is already done`
	go srv.Serve(ln)
	<-ctx.Done()
}
