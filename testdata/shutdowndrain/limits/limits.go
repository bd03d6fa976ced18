// Package limits holds what the pass does not see, and should, or leaves to the
// reader.
package limits

import (
	"context"
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

// A sleep after Serve is no wait for the shutdown, but it may be long enough: how
// long is not looked at.
func Sleep(srv *http.Server, ln net.Listener) {
	go func() {
		<-term()
		srv.Shutdown(context.Background())
	}()
	srv.Serve(ln)
	time.Sleep(100 * time.Millisecond)
}

// Another path from the same signal drains the server: which of them was meant to is
// not asked.
func Switched(srv *http.Server, ln net.Listener) {
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM, syscall.SIGINT)
	go srv.Serve(ln)
	switch <-sig {
	case syscall.SIGTERM:
		srv.Close()
	case syscall.SIGINT:
		srv.Shutdown(context.Background())
	}
}
