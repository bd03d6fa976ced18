// Package asked proves that a server is to be drained when the context of whoever runs it
// ends, as it is at a signal, and by whatever way: a list of what is to end, the one type
// that an interface may be, a goroutine beside it.
package asked

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
)

func drain(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return srv.Shutdown(ctx)
}

func serve(srv *http.Server, ln net.Listener) <-chan error {
	c := make(chan error, 1)
	go func() { c <- srv.Serve(ln) }()
	return c
}

func Close(ctx context.Context, srv *http.Server, ln net.Listener) error {
	select {
	case err := <-serve(srv, ln):
		return err
	case <-ctx.Done():
		return srv.Close() // want `srv\.Close stops the server without draining it`
	}
}

func CloseDeferred(ctx context.Context, srv *http.Server, ln net.Listener) error {
	defer srv.Close() // want `srv\.Close stops the server without draining it`
	select {
	case err := <-serve(srv, ln):
		return err
	case <-ctx.Done():
		return nil
	}
}

// It drains where it is told to, and closes where there is nothing to drain.
func DrainOrClose(ctx context.Context, srv *http.Server, ln net.Listener) error {
	defer srv.Close()
	select {
	case err := <-serve(srv, ln):
		return err
	case <-ctx.Done():
		return drain(srv)
	}
}

// The second one only tells about the first.
func CloseAside(ctx context.Context, srv, side *http.Server, ln, door net.Listener) error {
	go side.Serve(door)
	select {
	case err := <-serve(srv, ln):
		return err
	case <-ctx.Done():
	}
	err := drain(srv)
	side.Close()
	return err
}

// Whoever is in a hurry cuts the drain short.
func Hurry(ctx, hurry context.Context, srv *http.Server, ln net.Listener) error {
	go srv.Serve(ln)
	<-ctx.Done()
	drained := make(chan error, 1)
	go func() { drained <- drain(srv) }()
	select {
	case err := <-drained:
		return err
	case <-hurry.Done():
		return srv.Close()
	}
}

// One is there for an answer.
func Answer(ctx context.Context, ln net.Listener) (string, error) {
	got := make(chan string, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got <- r.FormValue("code") })}
	go srv.Serve(ln)
	defer srv.Close()
	select {
	case code := <-got:
		return code, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Likewise, of which only a notice tells.
func Notice(ctx context.Context, ln net.Listener) error {
	seen := make(chan struct{}, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen <- struct{}{} })}
	go srv.Serve(ln)
	defer srv.Close()
	select {
	case <-seen:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Nobody waits for an answer of this one.
func ServePprof(ctx context.Context, srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Close()
}

// It is asked to end by its own handler.
func OwnEnd(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() })}
	go srv.Serve(ln)
	<-ctx.Done()
	return srv.Close()
}

func StopBehind(ctx context.Context, rpc *grpc.Server, srv *http.Server, ln net.Listener) error {
	go rpc.Serve(ln)
	<-ctx.Done()
	err := drain(srv)
	rpc.Stop() // want `rpc\.Stop stops the server without draining it`
	return err
}

// What the calls need is given to the server by a function.
func Registered(ctx context.Context, rpc *grpc.Server, ln net.Listener, register func(*grpc.Server, *sql.DB), db *sql.DB) error {
	register(rpc, db)
	go rpc.Serve(ln)
	<-ctx.Done()
	err := db.Close() // want `db\.Close`
	rpc.GracefulStop()
	return err
}

// A Shelf answers from a database.
type Shelf struct {
	db, archive *sql.DB
	srv         *http.Server
}

func (s *Shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.db.PingContext(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// Each of the list begins at once.
func (s *Shelf) CloseAll(ctx context.Context) error {
	list := []func(context.Context) error{
		s.srv.Shutdown,
		func(context.Context) error { return s.db.Close() }, // want `s\.db\.Close`
	}
	failed := make(chan error, len(list))
	for _, f := range list {
		go func() { failed <- f(ctx) }()
	}
	return errors.Join(<-failed, <-failed)
}

func (s *Shelf) CloseBeside() error {
	go s.db.Close() // want `s\.db\.Close`
	return drain(s.srv)
}

func (s *Shelf) CloseWhenDrained() error {
	drained, closed := make(chan struct{}), make(chan error, 1)
	go func() {
		<-drained
		closed <- s.db.Close()
	}()
	err := drain(s.srv)
	close(drained)
	return errors.Join(err, <-closed)
}

// No handler asks the archive.
func (s *Shelf) CloseArchive() error {
	go s.archive.Close()
	return drain(s.srv)
}

// A Part is started and stopped; there is one kind of them.
type Part interface {
	Run() error
	Stop(ctx context.Context) error
}

type web struct{ *http.Server }

func (w web) Run() error { return w.ListenAndServe() }

func (w web) Stop(ctx context.Context) error { return w.Shutdown(ctx) }

// Parts is what a program is made of.
type Parts struct{ list []Part }

func New(srv *http.Server) *Parts { return &Parts{[]Part{web{srv}}} }

func (p *Parts) Run(ctx context.Context) {
	for _, part := range p.list {
		go part.Run()
	}
	<-ctx.Done()
	for _, part := range p.list {
		part.Stop(ctx) // want `part\.Stop`
	}
}

func (p *Parts) RunFresh(ctx context.Context) {
	for _, part := range p.list {
		go part.Run()
	}
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	for _, part := range p.list {
		part.Stop(ctx)
	}
}

// Gate ends the context of its requests by a field.
type Gate struct {
	srv *http.Server
	end context.CancelFunc
}

func NewGate(h http.Handler) *Gate {
	base, cancel := context.WithCancel(context.Background())
	return &Gate{srv: &http.Server{Handler: h, BaseContext: func(net.Listener) context.Context { return base }}, end: cancel}
}

func (g *Gate) Stop() error {
	g.end()
	return drain(g.srv) // want `base context`
}

func (g *Gate) StopBehind() error {
	err := drain(g.srv)
	g.end()
	return err
}

func within(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(ctx)) })
}

// The requests are given the context that is done.
func Within(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: within(ctx, h)}
	go srv.Serve(ln)
	<-ctx.Done()
	return drain(srv) // want `base context`
}

func WithinKept(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: within(context.WithoutCancel(ctx), h)}
	go srv.Serve(ln)
	<-ctx.Done()
	return drain(srv)
}

func listen(srv *http.Server, failed chan<- error) {
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		failed <- err
		return
	}
	failed <- nil
}

// Both have come back, but the drain has only begun.
func Both(ctx context.Context, public, private *http.Server) error {
	failed := make(chan error, 2)
	go listen(public, failed)
	go listen(private, failed)
	go func() {
		<-ctx.Done()
		errors.Join(drain(public), drain(private)) // want `nobody waits for drain`
	}()
	for range 2 {
		if err := <-failed; err != nil {
			return err
		}
	}
	return nil
}

// No request is answered in so short a time.
func Nap(ctx context.Context, srv *http.Server) {
	go func() {
		<-ctx.Done()
		drain(srv) // want `nobody waits for drain`
	}()
	srv.ListenAndServe()
	time.Sleep(100 * time.Millisecond)
}

func CheckErr(ctx context.Context, srv *http.Server) {
	go func() { cobra.CheckErr(srv.ListenAndServe()) }() // want `ends the process`
	<-ctx.Done()
	cobra.CheckErr(drain(srv))
}

type closer func() error

func (f closer) Close() error { return f() }

// The list is gone through in its order.
func (s *Shelf) CloseInOrder() {
	for _, c := range []io.Closer{s.db, closer(func() error { return drain(s.srv) })} {
		c.Close() // want `c\.Close comes before the server is drained`
	}
}

func (s *Shelf) CloseInTurn() {
	for _, c := range []io.Closer{closer(func() error { return drain(s.srv) }), s.db} {
		c.Close()
	}
}

// The time runs from the start, and nobody knows when the stop comes.
func Aged(srv *http.Server, stop <-chan struct{}, ln net.Listener) error {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	failed := serve(srv, ln)
	select {
	case err := <-failed:
		return err
	case <-stop:
		return srv.Shutdown(ctx) // want `the deadline for srv\.Shutdown runs from the start of the program`
	}
}

// Here it is the time for the one answer.
func AnswerInTime(ln net.Listener) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	seen := make(chan struct{}, 1)
	srv := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen <- struct{}{} })}
	go srv.Serve(ln)
	select {
	case <-seen:
	case <-ctx.Done():
		srv.Close()
		return ctx.Err()
	}
	return srv.Shutdown(ctx)
}
