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
)

func term() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	return c
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
