// Package closes proves that a server that is closed at a signal, and not drained, is
// reported, and that closing is right as a last resort. Each function is all that a
// main does: its server is told to stop by SIGTERM.
package closes

import (
	"context"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func term() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	return c
}

func Close(srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	<-term()
	srv.Close() // want `srv.Close stops the server without draining it`
}

func CloseDeferred(srv *http.Server, ln net.Listener) {
	defer srv.Close() // want `srv.Close stops the server without draining it`
	go srv.Serve(ln)
	<-term()
}

func CloseInGoroutine(srv *http.Server, ln net.Listener) {
	go func() {
		<-term()
		if err := srv.Close(); err != nil { // want `srv.Close stops the server without draining it`
			log.Print(err)
		}
	}()
	srv.Serve(ln)
}

func CloseAtContext(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { srv.Close() }) // want `srv.Close stops the server without draining it`
	srv.Serve(ln)
}

func CloseAfterFailure(srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	<-term()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		srv.Close()
	}
}

func CloseDeferredBehind(srv *http.Server, ln net.Listener) {
	defer srv.Close()
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
}

// The second signal is for who cannot wait.
func CloseAtSecond(srv *http.Server, ln net.Listener) {
	sig := make(chan os.Signal, 2)
	signal.Notify(sig, syscall.SIGTERM)
	go srv.Serve(ln)
	<-sig
	go func() {
		<-sig
		srv.Close()
	}()
	srv.Shutdown(context.Background())
}

func CloseLate(srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	<-term()
	late := time.AfterFunc(5*time.Second, func() { srv.Close() })
	defer late.Stop()
	srv.Shutdown(context.Background())
}

func CloseMetrics(srv *http.Server, ln net.Listener) {
	metricsServer := &http.Server{}
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
	metricsServer.Close()
}

// Another path drains the server, but not from the signal.
func CloseBesideReload(srv *http.Server, ln net.Listener) {
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	go srv.Serve(ln)
	select {
	case <-reload:
		srv.Shutdown(context.Background())
	case <-term():
		srv.Close() // want `srv.Close stops the server without draining it`
	}
}

// SIGQUIT is for who cannot wait.
func CloseAtQuit(srv *http.Server, ln net.Listener) {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	go srv.Serve(ln)
	select {
	case <-quit:
		srv.Close()
	case <-term():
		srv.Shutdown(context.Background())
	}
}

// Whatever ends the context: what is closed cannot be drained any more.
func CloseBefore(ctx context.Context, srv *http.Server, ln net.Listener) error {
	go srv.Serve(ln)
	<-ctx.Done()
	if err := srv.Close(); err != nil { // want `srv.Close stops the server without draining it`
		log.Print(err)
	}
	return srv.Shutdown(context.Background())
}
