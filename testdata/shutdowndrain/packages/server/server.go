// Package server proves that the methods of a server that is a struct are silent by
// themselves but for the fault that they hold: package packages calls them.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// A Server is a server.
type Server struct {
	http   *http.Server
	ln     net.Listener
	name   string
	ctx    context.Context
	cancel context.CancelFunc
	down   chan struct{}
}

// New returns a server for ln.
func New(name string, srv *http.Server, ln net.Listener) *Server {
	ctx, cancel := context.WithCancel(context.Background())
	return &Server{http: srv, ln: ln, name: name, ctx: ctx, cancel: cancel, down: make(chan struct{})}
}

// Start serves until the server is shut down.
func (s *Server) Start() error {
	if err := s.http.Serve(s.ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", s.name, err)
	}
	return nil
}

// Stop drains the server within the time of ctx.
func (s *Server) Stop(ctx context.Context) error { return s.http.Shutdown(ctx) }

// Kill closes the server.
func (s *Server) Kill() error { return s.http.Close() }

// Run serves until ctx ends, and then drains the server.
func (s *Server) Run(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- s.Start() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return s.Stop(fresh)
}

// RunCut serves until ctx ends.
func (s *Server) RunCut(ctx context.Context) error {
	go s.Start()
	<-ctx.Done()
	return s.Stop(ctx) // want `s\.Stop shuts down on a context that is already done`
}

// Begin serves and, when ctx ends, drains: Down tells when.
func (s *Server) Begin(ctx context.Context) {
	go s.Start()
	go func() {
		defer close(s.down)
		<-ctx.Done()
		s.Stop(context.Background())
	}()
}

// Down is closed when the server is drained.
func (s *Server) Down() <-chan struct{} { return s.down }

// Cancel ends the context of the server's work.
func (s *Server) Cancel() { s.cancel() }

// StopWork drains the server within the context of its work.
func (s *Server) StopWork() error { return s.http.Shutdown(s.ctx) }

// Of returns a server of h for ln.
func Of(h http.Handler, ln net.Listener) *Server { return New("of", &http.Server{Handler: h}, ln) }
