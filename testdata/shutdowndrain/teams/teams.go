// Package teams proves the rule where several parts work together: groups of servers,
// helpers that serve until told, stores behind an API.
package teams

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/mux"
)

const drain = 10 * time.Second

func Found(ctx context.Context, ln net.Listener, h http.Handler) error {
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusOK) })
	srv := &http.Server{Handler: mux}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		fresh, cancel := context.WithTimeout(context.Background(), drain)
		defer cancel()
		return srv.Shutdown(fresh) // want `srv\.Shutdown comes while the readiness probe GET /readyz still answers well`
	}
}

type Stop struct {
	leaving atomic.Bool
	going   atomic.Bool
}

func (s *Stop) ready(w http.ResponseWriter, r *http.Request) {
	if s.leaving.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	fmt.Fprint(w, "ok")
}

func (s *Stop) server() *http.Server {
	r := mux.NewRouter()
	r.HandleFunc("/ready", s.ready)
	return &http.Server{Handler: r}
}

func untilDone(ctx context.Context, srv *http.Server, ln net.Listener) error {
	failed := make(chan error, 1)
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	return srv.Shutdown(ctx)
}

func serveUntil(ctx context.Context, srv *http.Server, ln net.Listener, before func()) error {
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	before()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	return srv.Shutdown(ctx)
}

func (s *Stop) Turned(ctx context.Context, ln net.Listener) error {
	return serveUntil(ctx, s.server(), ln, func() { s.leaving.Store(true) }) // want `serveUntil comes right after the readiness was turned`
}

func (s *Stop) TurnedWait(ctx context.Context, ln net.Listener) error {
	return serveUntil(ctx, s.server(), ln, func() {
		s.leaving.Store(true)
		time.Sleep(6 * time.Second)
	})
}

func (s *Stop) TurnedCut(ctx context.Context, ln net.Listener) error {
	return serveUntil(ctx, s.server(), ln, func() {
		s.leaving.Store(true)
		select {
		case <-ctx.Done(): // want `the wait before the shutdown is over at once: ctx\.Done\(\) is already done`
		case <-time.After(6 * time.Second):
		}
	})
}

func (s *Stop) Plain(ctx context.Context, ln net.Listener, h http.Handler) error {
	return untilDone(ctx, &http.Server{Handler: h}, ln)
}

type Group struct {
	servers []*http.Server
	cancel  context.CancelFunc
	ctx     context.Context
}

func (g *Group) Stop() error {
	g.cancel()
	var errs []error
	for _, s := range g.servers {
		errs = append(errs, s.Shutdown(g.ctx)) // want `g\.ctx is already done when s\.Shutdown is called`
	}
	return errors.Join(errs...)
}

func NewGroup(servers ...*http.Server) *Group {
	g := &Group{servers: servers}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g
}

func (g *Group) StopRight() error {
	defer g.cancel()
	var errs []error
	for _, s := range g.servers {
		errs = append(errs, s.Shutdown(g.ctx))
	}
	return errors.Join(errs...)
}

func (g *Group) StopNoWait() {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	for _, s := range g.servers {
		go func() {
			if err := s.Shutdown(ctx); err != nil { // want `the context of s\.Shutdown is cancelled while it is at work, for nobody waits for it`
				slog.Warn("stop", "err", err)
			}
		}()
	}
}

func (g *Group) StopWait() {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	var wg sync.WaitGroup
	for _, s := range g.servers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := s.Shutdown(ctx); err != nil {
				slog.Warn("stop", "err", err)
			}
		}()
	}
	wg.Wait()
}

func FiberExit(app *fiber.App) {
	go func() {
		sig := make(chan os.Signal, 1)
		signal.Notify(sig, syscall.SIGTERM)
		<-sig
		if err := app.ShutdownWithTimeout(drain); err != nil {
			log.Print(err)
		}
	}()
	if err := app.Listen(":8080"); err != nil {
		log.Fatal(err)
	}
	os.Exit(0) // want `os\.Exit ends the process while a shutdown is at work`
}

func FiberCtx(app *fiber.App) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	errs := make(chan error, 1)
	go func() { errs <- app.Listen(":8080") }()
	select {
	case err := <-errs:
		return err
	case <-ctx.Done():
	}
	c, cancel := context.WithTimeout(ctx, drain)
	defer cancel()
	return app.ShutdownWithContext(c) // want `c is already done when app\.ShutdownWithContext is called`
}

func FiberOK(app *fiber.App) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	down := make(chan error, 1)
	go func() {
		<-ctx.Done()
		down <- app.ShutdownWithTimeout(drain)
	}()
	if err := app.Listen(":8080"); err != nil {
		return err
	}
	return <-down
}

type Store struct{ db *sql.DB }

func (s *Store) Close() error                  { return s.db.Close() }
func (s *Store) Get(ctx context.Context) error { return s.db.PingContext(ctx) }

type API struct {
	store *Store
	srv   *http.Server
}

func (a *API) get(w http.ResponseWriter, r *http.Request) {
	if err := a.store.Get(r.Context()); err != nil {
		http.Error(w, err.Error(), 500)
	}
}

func (a *API) Close(ctx context.Context) error {
	if err := a.store.Close(); err != nil { // want `a\.store\.Close comes before the server is drained`
		return err
	}
	return a.srv.Shutdown(ctx)
}

func (a *API) CloseRight(ctx context.Context) error {
	if err := a.srv.Shutdown(ctx); err != nil {
		return err
	}
	return a.store.Close()
}

func (a *API) Hook() {
	a.srv.RegisterOnShutdown(func() { a.store.Close() }) // want `a\.store\.Close runs at the start of the shutdown`
}

func (a *API) Main(ln net.Listener) {
	defer a.store.Close() // want `a\.store\.Close comes before the server is drained`
	go func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		<-c
		_ = a.srv.Shutdown(context.Background()) // want `nobody waits for a\.srv\.Shutdown to return`
	}()
	if err := a.srv.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
		log.Print(err)
	}
}

func Long(srv *http.Server) error {
	wait := 20 * time.Second
	limit := 15 * time.Second
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	go srv.ListenAndServe()
	<-c
	<-time.After(wait)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return srv.Shutdown(ctx) // want `srv\.Shutdown may return 35s after the signal, later than the grace period of 30s`
}

func NotLong(srv *http.Server) error {
	time.Sleep(20 * time.Second)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	go srv.ListenAndServe()
	<-c
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	return srv.Shutdown(ctx)
}

func WaitsForStop(ctx context.Context, srv *http.Server, ln net.Listener) error {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		<-ctx.Done()
		wg.Done()
		_ = srv.Shutdown(context.Background()) // want `nobody waits for srv\.Shutdown to return`
	}()
	err := srv.Serve(ln)
	wg.Wait()
	return err
}

func Gone(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	go func() {
		defer stop()
		<-ctx.Done()
		_ = srv.Shutdown(context.Background()) // want `nobody waits for srv\.Shutdown to return`
	}()
	go srv.Serve(ln)
	<-ctx.Done()
	log.Print("bye")
}
