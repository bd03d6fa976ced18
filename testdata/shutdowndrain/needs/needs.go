// Package needs proves that what handlers need must not be ended before the shutdown
// is through: a database, or the base context of their requests. Each function is all
// that a main does: its server is told to stop by SIGTERM.
package needs

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func term() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	return c
}

// Answering takes the time of a request.
var Answering = func() { time.Sleep(500 * time.Millisecond) }

// Query has its answer take as long as the database does.
func Query(db *sql.DB) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Answering()
		if err := db.PingContext(r.Context()); err != nil {
			panic(http.ErrAbortHandler)
		}
	})
}

func Database(db *sql.DB, ln net.Listener) {
	srv := &http.Server{Handler: Query(db)}
	go srv.Serve(ln)
	<-term()
	db.Close() // want `db.Close comes before the server is drained`
	srv.Shutdown(context.Background())
}

func DatabaseBehind(db *sql.DB, ln net.Listener) {
	srv := &http.Server{Handler: Query(db)}
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
	db.Close()
}

func DatabaseDeferred(db *sql.DB, ln net.Listener) {
	defer db.Close()
	mux := http.NewServeMux()
	mux.Handle("/", Query(db))
	srv := &http.Server{Handler: mux}
	go srv.Serve(ln)
	<-term()
	if err := srv.Shutdown(context.Background()); err != nil {
		log.Print(err)
	}
}

// The deferred calls run the last first: the database is closed first.
func DatabaseDeferredFirst(db *sql.DB, ln net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("/", Query(db))
	srv := &http.Server{Handler: mux}
	defer srv.Shutdown(context.Background())
	defer db.Close() // want `db.Close comes before the server is drained`
	go srv.Serve(ln)
	<-term()
}

func DatabaseAfterServe(db *sql.DB, ln net.Listener) {
	srv := &http.Server{Handler: Query(db)}
	down := make(chan struct{})
	go func() {
		defer close(down)
		<-term()
		srv.Shutdown(context.Background())
	}()
	srv.Serve(ln)
	db.Close() // want `db.Close comes before the server is drained`
	<-down
}

func DatabaseAfterAll(db *sql.DB, ln net.Listener) {
	srv := &http.Server{Handler: Query(db)}
	down := make(chan struct{})
	go func() {
		defer close(down)
		<-term()
		srv.Shutdown(context.Background())
	}()
	srv.Serve(ln)
	<-down
	db.Close()
}

func DatabaseHook(db *sql.DB, ln net.Listener) {
	srv := &http.Server{Handler: Query(db)}
	srv.RegisterOnShutdown(func() {
		if err := db.Close(); err != nil { // want `db.Close runs at the start of the shutdown`
			log.Print(err)
		}
	})
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
}

// Wait answers after a time, unless its request has ended by then.
func Wait(w http.ResponseWriter, r *http.Request) {
	Answering()
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler)
	}
}

func BaseDone(_ *sql.DB, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	srv := &http.Server{Handler: http.HandlerFunc(Wait)}
	srv.BaseContext = func(net.Listener) context.Context { return ctx }
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(context.Background()) // want `the server's base context is already done when srv.Shutdown is called`
}

func BaseKept(_ *sql.DB, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	srv := &http.Server{Handler: http.HandlerFunc(Wait)}
	srv.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(context.Background())
}

func BaseCancelled(_ *sql.DB, ln net.Listener) {
	base, cancel := context.WithCancel(context.Background())
	srv := &http.Server{
		Handler:     http.HandlerFunc(Wait),
		BaseContext: func(net.Listener) context.Context { return base },
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		<-term()
		srv.Shutdown(context.Background())
	})
	srv.Serve(ln)
	cancel() // want `cancel ends the server's base context while it is being shut down`
	wg.Wait()
}

func BaseCancelledBehind(_ *sql.DB, ln net.Listener) {
	base, cancel := context.WithCancel(context.Background())
	srv := &http.Server{
		Handler:     http.HandlerFunc(Wait),
		BaseContext: func(net.Listener) context.Context { return base },
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		<-term()
		srv.Shutdown(context.Background())
	})
	srv.Serve(ln)
	wg.Wait()
	cancel()
}

func BaseHook(_ *sql.DB, ln net.Listener) {
	base, cancel := context.WithCancel(context.Background())
	defer cancel()
	srv := &http.Server{
		Handler:     http.HandlerFunc(Wait),
		BaseContext: func(net.Listener) context.Context { return base },
	}
	srv.RegisterOnShutdown(func() { cancel() }) // want `cancel ends the server's base context at the start of the shutdown`
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
}

// The hook gives notice to what is not the base context.
func NoticeHook(_ *sql.DB, ln net.Listener) {
	streams, cancel := context.WithCancel(context.Background())
	defer cancel()
	_ = streams
	srv := &http.Server{Handler: http.HandlerFunc(Wait)}
	srv.RegisterOnShutdown(cancel)
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
}

func serveUndrained(srv *http.Server, ln net.Listener) {
	go func() {
		<-term()
		srv.Shutdown(context.Background()) // want `nobody waits for srv\.Shutdown to return`
	}()
	srv.Serve(ln)
}

// What is said where it is does not have to be said of the database, too.
func DatabaseOfTheCaller(db *sql.DB, ln net.Listener) {
	defer db.Close()
	serveUndrained(&http.Server{Handler: Query(db)}, ln)
}

type closers []io.Closer

func (c closers) Close() {
	for _, x := range c {
		x.Close()
	}
}

func DatabaseInAList(db *sql.DB, ln net.Listener) {
	all := closers{ln, db}
	srv := &http.Server{Handler: Query(db)}
	go srv.Serve(ln)
	<-term()
	all.Close() // want `all\.Close comes before the server is drained`
	srv.Shutdown(context.Background())
}

// A shelf fails by itself once it is closed.
type shelf struct {
	mu     sync.Mutex
	closed bool
}

var errClosed = errors.New("closed")

func (s *shelf) look() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	return nil
}

func (s *shelf) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// ServeHTTP takes the time of a request.
func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Answering()
	if err := s.look(); err != nil {
		panic(http.ErrAbortHandler)
	}
}

func OwnStore(srv *http.Server, ln net.Listener) {
	s := new(shelf)
	srv.Handler = s
	go srv.Serve(ln)
	<-term()
	s.Close() // want `s\.Close comes before the server is drained`
	srv.Shutdown(context.Background())
}

func OwnStoreBehind(srv *http.Server, ln net.Listener) {
	s := new(shelf)
	srv.Handler = s
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
	s.Close()
}

// An index answers as ever when it is closed.
type index struct{ closed bool }

func (x *index) Close() { x.closed = true }

func (x *index) ServeHTTP(w http.ResponseWriter, r *http.Request) { Answering() }

func OwnStoreThatDoesNotMind(srv *http.Server, ln net.Listener) {
	x := new(index)
	srv.Handler = x
	go srv.Serve(ln)
	<-term()
	x.Close()
	srv.Shutdown(context.Background())
}

// A line brings what handlers send to a worker.
type line struct {
	jobs chan int
	mu   sync.Mutex
	gone bool
}

func (l *line) work() {
	for range l.jobs {
	}
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Answering()
	l.jobs <- 1
}

func Channel(srv *http.Server, ln net.Listener) {
	l := &line{jobs: make(chan int)}
	go l.work()
	srv.Handler = l
	go srv.Serve(ln)
	<-term()
	close(l.jobs) // want `close comes before the server is drained`
	srv.Shutdown(context.Background())
}

func ChannelBehind(srv *http.Server, ln net.Listener) {
	l := &line{jobs: make(chan int)}
	go l.work()
	srv.Handler = l
	go srv.Serve(ln)
	<-term()
	srv.Shutdown(context.Background())
	close(l.jobs)
}

// A guarded line is asked whether it is still there.
type guarded struct {
	line
	later chan int
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Answering()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		g.later <- 1
	}
}

func ChannelGuarded(srv *http.Server, ln net.Listener) {
	g := &guarded{later: make(chan int, 9)}
	srv.Handler = g
	go srv.Serve(ln)
	<-term()
	g.mu.Lock()
	g.gone = true
	close(g.later)
	g.mu.Unlock()
	srv.Shutdown(context.Background())
}

// What a connection's context is, its requests' are.
func ConnContext(_ *sql.DB, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	srv := &http.Server{
		Handler:     http.HandlerFunc(Wait),
		ConnContext: func(context.Context, net.Conn) context.Context { return ctx },
	}
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(context.Background()) // want `base context is already done when srv\.Shutdown is called`
}

type connKey struct{}

func ConnContextWithValue(_ *sql.DB, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	srv := &http.Server{
		Handler: http.HandlerFunc(Wait),
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn.RemoteAddr())
		},
	}
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(context.Background())
}
