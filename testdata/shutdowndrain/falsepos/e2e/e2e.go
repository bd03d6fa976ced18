// Package e2e runs a server for tests, as its path says.
package e2e

import (
	"context"
	"net/http"
	"os"
	"os/signal"
)

// Run serves until it is interrupted; nobody waits for its answers then.
func Run(h http.Handler) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	srv := &http.Server{Addr: "127.0.0.1:0", Handler: h}
	go func() { _ = srv.ListenAndServe() }()
	<-ctx.Done()
	return srv.Close()
}
