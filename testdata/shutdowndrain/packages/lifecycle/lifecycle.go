// Package lifecycle proves that helpers which only wait, or only shut down, are
// silent by themselves: package packages calls them.
package lifecycle

import (
	"context"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// WaitForSignal returns when the process is told to stop.
func WaitForSignal() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	s := <-c
	log.Printf("got %v", s)
}

// Context ends when the process is told to stop.
func Context(parent context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
}

// Done is closed when the process is told to stop.
func Done() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		wait()
		close(done)
	}()
	return done
}

func wait() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	<-c
}

// Shutdown drains srv within a time of its own.
func Shutdown(srv *http.Server, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.Print(err)
		srv.Close()
	}
}

// ShutdownWithin drains srv within the time of ctx, and not longer than ten seconds.
func ShutdownWithin(ctx context.Context, srv *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return srv.Shutdown(ctx)
}

// OnSignal drains srv when the process is told to stop, and then ends wg's member.
func OnSignal(wg *sync.WaitGroup, srv *http.Server) {
	wg.Add(1)
	go func() {
		defer wg.Done()
		wait()
		Shutdown(srv, 10*time.Second)
	}()
}

// Stopper is something that can be shut down.
type Stopper interface {
	Shutdown(context.Context) error
}

// StopAll shuts down all of list.
func StopAll(ctx context.Context, list ...Stopper) {
	for _, s := range list {
		if err := s.Shutdown(ctx); err != nil {
			log.Print(err)
		}
	}
}

// Must ends the process at an error.
func Must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
