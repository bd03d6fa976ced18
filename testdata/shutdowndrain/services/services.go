// Package services proves the rule on services as they are written: a command, a
// struct with its methods, a program that ends in its own way.
package services

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

	"github.com/go-chi/chi/v5"
	"github.com/gofiber/fiber/v2"
	"github.com/spf13/cobra"
)

func NewCmd(h http.Handler) *cobra.Command {
	return &cobra.Command{
		Use: "serve",
		RunE: func(cmd *cobra.Command, args []string) error {
			srv := &http.Server{Handler: h}
			errs := make(chan error, 1)
			go func() { errs <- srv.ListenAndServe() }()
			select {
			case err := <-errs:
				return err
			case <-cmd.Context().Done():
				return srv.Shutdown(cmd.Context()) // want `cmd\.Context\(\) is already done when srv\.Shutdown is called`
			}
		},
	}
}

func NewCmdFresh(h http.Handler) *cobra.Command {
	return &cobra.Command{
		Use: "serve",
		RunE: func(cmd *cobra.Command, args []string) error {
			srv := &http.Server{Handler: h}
			errs := make(chan error, 1)
			go func() { errs <- srv.ListenAndServe() }()
			select {
			case err := <-errs:
				return err
			case <-cmd.Context().Done():
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				return srv.Shutdown(ctx)
			}
		},
	}
}

type Server struct {
	http    *http.Server
	db      *sql.DB
	ready   bool
	mu      sync.Mutex
	log     *slog.Logger
	timeout time.Duration
	stop    chan struct{}
	stopped chan struct{}
}

func (s *Server) Shutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	s.log.Info("shutting down")
	return s.http.Shutdown(ctx)
}

func (s *Server) Start(ctx context.Context) error {
	errCh := make(chan error, 1)
	go func() {
		if err := s.http.ListenAndServe(); err != nil && !errors.Is(err, http.ErrServerClosed) {
			errCh <- fmt.Errorf("listen: %w", err)
		}
	}()
	select {
	case <-ctx.Done():
		s.log.Info("context done")
		return s.Shutdown(ctx) // want `s\.Shutdown shuts down on a context that is already done`
	case err := <-errCh:
		return err
	}
}

func (s *Server) StartFresh(ctx context.Context) error {
	errCh := make(chan error, 1)
	go func() {
		if err := s.http.ListenAndServe(); err != nil && !errors.Is(err, http.ErrServerClosed) {
			errCh <- fmt.Errorf("listen: %w", err)
		}
	}()
	select {
	case <-ctx.Done():
		s.log.Info("context done")
		return s.Shutdown(context.Background())
	case err := <-errCh:
		return err
	}
}

func (s *Server) Begin() {
	go func() {
		if err := s.http.ListenAndServe(); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("serve", "err", err)
		}
		close(s.stopped)
	}()
	go func() {
		<-s.stop
		if err := s.Shutdown(context.Background()); err != nil {
			s.log.Error("stop", "err", err)
		}
	}()
}

func (s *Server) StopDetached() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	go func() {
		if err := s.http.Shutdown(ctx); err != nil { // want `the context of s\.http\.Shutdown is cancelled while it is at work, for nobody waits for it`
			s.log.Error("stop", "err", err)
		}
	}()
}

func (s *Server) StopAttached() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.http.Shutdown(ctx); err != nil {
			s.log.Error("stop", "err", err)
		}
	}()
	<-done
}

func FiberRecipe(app *fiber.App, db *sql.DB) {
	app.Get("/", func(c *fiber.Ctx) error {
		_, err := db.ExecContext(c.Context(), "select 1")
		return err
	})
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	go func() {
		<-c
		fmt.Println("Gracefully shutting down...")
		_ = app.Shutdown() // want `nobody waits for app\.Shutdown to return`
	}()
	if err := app.Listen(":3000"); err != nil {
		log.Panic(err)
	}
	fmt.Println("Running cleanup tasks...")
	db.Close() // want `db\.Close comes before the server is drained`
}

func FiberRecipeRight(app *fiber.App, db *sql.DB) {
	go func() {
		if err := app.Listen(":3000"); err != nil {
			log.Panic(err)
		}
	}()
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	<-c
	fmt.Println("Gracefully shutting down...")
	_ = app.Shutdown()
	db.Close()
}

func GoKit(srv *http.Server) {
	errs := make(chan error)
	go func() {
		errs <- srv.ListenAndServe()
	}()
	go func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
		sig := <-c
		ctx, cancel := context.WithTimeout(context.Background(), time.Second*20)
		defer cancel()
		srv.Shutdown(ctx) // want `nobody waits for srv\.Shutdown to return`
		errs <- fmt.Errorf("%s", sig)
	}()
	log.Println("exit", <-errs)
}

func GoKitRight(srv *http.Server) {
	errs := make(chan error)
	go func() {
		if err := srv.ListenAndServe(); err != http.ErrServerClosed {
			errs <- err
		}
	}()
	go func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
		sig := <-c
		ctx, cancel := context.WithTimeout(context.Background(), time.Second*20)
		defer cancel()
		srv.Shutdown(ctx)
		errs <- fmt.Errorf("%s", sig)
	}()
	log.Println("exit", <-errs)
}

func TwoServers(api, admin *http.Server) {
	go api.ListenAndServe()
	go admin.ListenAndServe()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	go func() {
		if err := api.Shutdown(ctx); err != nil { // want `the context of api\.Shutdown is cancelled while it is at work, for nobody waits for it`
			log.Print(err)
		}
	}()
	if err := admin.Shutdown(ctx); err != nil {
		log.Print(err)
	}
}

func TwoServersBoth(api, admin *http.Server) {
	go api.ListenAndServe()
	go admin.ListenAndServe()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for _, s := range []*http.Server{api, admin} {
		wg.Add(1)
		go func(s *http.Server) {
			defer wg.Done()
			if err := s.Shutdown(ctx); err != nil {
				log.Print(err)
			}
		}(s)
	}
	wg.Wait()
}

func CancelThenShutdown(srv *http.Server, work func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	go work(ctx)
	go srv.ListenAndServe()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
	defer func() {
		cancel()
		if err := srv.Shutdown(ctx); err != nil { // want `ctx is already done when srv\.Shutdown is called`
			log.Print(err)
		}
	}()
}

func CancelAfterShutdown(srv *http.Server, work func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	go work(ctx)
	go srv.ListenAndServe()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
	defer func() {
		if err := srv.Shutdown(ctx); err != nil {
			log.Print(err)
		}
		cancel()
	}()
}

func ExitSkipsDefer(srv *http.Server) {
	defer srv.Shutdown(context.Background())
	go srv.ListenAndServe()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	s := <-c
	log.Printf("got %s", s)
	os.Exit(0) // want `os\.Exit ends the process, so the deferred shutdown does not run`
}

func FatalAtFailure(srv *http.Server) {
	defer srv.Shutdown(context.Background())
	failed := make(chan error, 1)
	go func() { failed <- srv.ListenAndServe() }()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	select {
	case <-c:
	case err := <-failed:
		log.Fatal(err)
	}
}

func (s *Server) Ready(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func (s *Server) setReady(ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = ready
}

func (s *Server) routes() http.Handler {
	r := chi.NewRouter()
	r.Get("/ready", s.Ready)
	return r
}

func (s *Server) RunReady(ctx context.Context) error {
	s.http.Handler = s.routes()
	go s.http.ListenAndServe()
	s.setReady(true)
	<-ctx.Done()
	s.setReady(false)
	return s.http.Shutdown(context.WithoutCancel(ctx)) // want `s\.http\.Shutdown comes right after the readiness was turned`
}

func (s *Server) RunReadyWait(ctx context.Context, notice time.Duration) error {
	s.http.Handler = s.routes()
	go s.http.ListenAndServe()
	s.setReady(true)
	<-ctx.Done()
	s.setReady(false)
	time.Sleep(notice)
	return s.http.Shutdown(context.WithoutCancel(ctx))
}

func (s *Server) Poll(ctx context.Context, poll func()) error {
	go s.http.ListenAndServe()
	for {
		select {
		case <-ctx.Done():
			return s.http.Shutdown(ctx) // want `ctx is already done when s\.http\.Shutdown is called`
		case <-time.After(time.Minute):
			poll()
		}
	}
}

func (s *Server) Graceful() error {
	s.log.Info("gracefully stopping the server")
	return s.http.Close() // want `s\.http\.Close stops the server without draining it`
}

func (s *Server) Kill() error {
	return s.http.Close()
}

func ChannelDraining(srv *http.Server, ln net.Listener) {
	draining := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-draining:
			w.WriteHeader(503)
		default:
			w.WriteHeader(200)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
	close(draining)
	srv.Shutdown(context.Background()) // want `srv\.Shutdown comes right after the readiness was turned`
}

func ChannelDrainingTicks(srv *http.Server, ln net.Listener) {
	draining := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-draining:
			w.WriteHeader(503)
		default:
			w.WriteHeader(200)
		}
	})
	srv.Handler = mux
	go srv.Serve(ln)
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
	close(draining)
	<-time.NewTimer(5 * time.Second).C
	srv.Shutdown(context.Background())
}

func WrongGroup(srv *http.Server, workers []func(context.Context)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var wg sync.WaitGroup
	for _, work := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work(ctx)
		}()
	}
	go func() {
		<-ctx.Done()
		c, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(c) // want `nobody waits for srv\.Shutdown to return`
	}()
	if err := srv.ListenAndServe(); err != http.ErrServerClosed {
		log.Println(err)
	}
	wg.Wait()
}

func AddedGroup(srv *http.Server, workers []func(context.Context)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var wg sync.WaitGroup
	for _, work := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work(ctx)
		}()
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		<-ctx.Done()
		c, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(c)
	}()
	if err := srv.ListenAndServe(); err != http.ErrServerClosed {
		log.Println(err)
	}
	wg.Wait()
}

var inFlight atomic.Int64

// Counted waits for its requests by itself.
func Counted(srv *http.Server) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() {
		<-ctx.Done()
		_ = srv.Shutdown(context.Background())
	}()
	_ = srv.ListenAndServe()
	for inFlight.Load() > 0 {
		time.Sleep(50 * time.Millisecond)
	}
}

func PanicServe(srv *http.Server) {
	go func() {
		if err := srv.ListenAndServe(); err != nil {
			panic("listen: " + err.Error()) // want `panic ends the process while a shutdown is at work`
		}
	}()
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGINT, syscall.SIGTERM)
	<-quit
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.Fatal("Server Shutdown:", err)
	}
	<-ctx.Done()
	log.Println("Server exiting")
}

func GinDoc(srv *http.Server) {
	go func() {
		if err := srv.ListenAndServe(); err != nil && err != http.ErrServerClosed {
			log.Fatalf("listen: %s\n", err)
		}
	}()
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGINT, syscall.SIGTERM)
	<-quit
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.Fatal("Server Shutdown:", err)
	}
	<-ctx.Done()
	log.Println("Server exiting")
}

func GinDocStop(srv *http.Server) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go func() {
		if err := srv.ListenAndServe(); err != nil && err != http.ErrServerClosed {
			log.Fatalf("listen: %s\n", err)
		}
	}()
	<-ctx.Done()
	stop()
	log.Println("shutting down gracefully, press Ctrl+C again to force")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.Fatal("Server forced to shutdown: ", err)
	}
}

func SharedDeadline(srv *http.Server, jobs func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	errs := make(chan error, 1)
	go func() { errs <- srv.ListenAndServe() }()
	select {
	case err := <-errs:
		return err
	case <-sig:
		return srv.Shutdown(ctx) // want `the deadline for srv\.Shutdown runs from the start of the program`
	}
}
