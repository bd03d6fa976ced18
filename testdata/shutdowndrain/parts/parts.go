// Package parts proves the rule where a shutdown has several parts: callbacks,
// databases, budgets, loops, and errors that come over channels.
package parts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
)

func onSignal(f func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	go func() {
		<-c
		f()
	}()
}

func Callback(srv *http.Server) error {
	onSignal(func() {
		if err := srv.Shutdown(context.Background()); err != nil { // want `nobody waits for srv\.Shutdown to return`
			log.Print(err)
		}
	})
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func CallbackWaits(srv *http.Server) error {
	down := make(chan struct{})
	onSignal(func() {
		defer close(down)
		if err := srv.Shutdown(context.Background()); err != nil {
			log.Print(err)
		}
	})
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-down
	return nil
}

type Svc struct {
	sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc
	srv    *http.Server
	db     *sql.DB
	ready  atomic.Bool
	notice time.Duration
	limit  time.Duration
	jobs   interface{ Drain(context.Context) error }
}

func NewSvc(h http.Handler, db *sql.DB) *Svc {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Svc{ctx: ctx, cancel: cancel, db: db, notice: 12 * time.Second, limit: 25 * time.Second}
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.HandleFunc("/item", s.item)
	s.srv = &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return s.ctx }}
	return s
}

func (s *Svc) item(w http.ResponseWriter, r *http.Request) {
	if err := s.db.PingContext(r.Context()); err != nil {
		http.Error(w, err.Error(), 500)
	}
}

func (s *Svc) StopBase(ctx context.Context) error {
	s.cancel()
	return s.srv.Shutdown(ctx) // want `the server's base context is already done when s\.srv\.Shutdown is called`
}

func (s *Svc) StopBaseAfter(ctx context.Context) error {
	defer s.cancel()
	return s.srv.Shutdown(ctx)
}

func (s *Svc) StopDB(ctx context.Context) error {
	return errors.Join(s.db.Close(), s.srv.Shutdown(ctx)) // want `s\.db\.Close comes before the server is drained`
}

func (s *Svc) StopDBAfter(ctx context.Context) error {
	return errors.Join(s.srv.Shutdown(ctx), s.db.Close())
}

func (s *Svc) StopParallel(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { s.srv.Shutdown(ctx) })
	wg.Go(func() { s.db.Close() }) // want `s\.db\.Close comes before the server is drained`
	wg.Wait()
}

func (s *Svc) StopLong() error {
	time.Sleep(s.notice)
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	return s.srv.Shutdown(ctx) // want `s\.srv\.Shutdown may return 37s after the signal, later than the grace period of 30s`
}

func (s *Svc) StopJobs() error {
	jobs, cancelJobs := context.WithDeadline(context.Background(), time.Now().Add(20*time.Second))
	defer cancelJobs()
	if err := s.jobs.Drain(jobs); err != nil {
		log.Print(err)
	}
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(15*time.Second))
	defer cancel()
	return s.srv.Shutdown(ctx) // want `s\.srv\.Shutdown may return 35s after the signal, later than the grace period of 30s`
}

func (s *Svc) StopJobsTogether() error {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(25*time.Second))
	defer cancel()
	if err := s.jobs.Drain(ctx); err != nil {
		log.Print(err)
	}
	return s.srv.Shutdown(ctx)
}

func (s *Svc) serve() {
	defer s.Done()
	if err := s.srv.ListenAndServe(); err != http.ErrServerClosed {
		log.Print(err)
	}
}

func (s *Svc) watch(sig <-chan os.Signal) {
	<-sig
	s.srv.Shutdown(context.Background())
}

func (s *Svc) RunEmbedded() {
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	s.Add(1)
	go s.serve()
	go s.watch(sig) // want `nobody waits for s\.watch to return`
	s.Wait()
}

func (s *Svc) RunEmbeddedRight() {
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	s.Add(2)
	go s.serve()
	go func() {
		defer s.Done()
		s.watch(sig)
	}()
	s.Wait()
}

func run(srv *http.Server) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		if err := srv.Shutdown(context.Background()); err != nil { // want `nobody waits for srv\.Shutdown to return`
			log.Print(err)
		}
	}()
	if err := srv.ListenAndServe(); err != nil && err != http.ErrServerClosed {
		return 1
	}
	return 0
}

// Exit calls run, which is at fault and reported.
func Exit(srv *http.Server) {
	os.Exit(run(srv))
}

func FiberReady(app *fiber.App) {
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusOK) })
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	go app.Listen(":8080")
	<-sig
	if err := app.ShutdownWithTimeout(10 * time.Second); err != nil { // want `app\.ShutdownWithTimeout comes while the readiness probe /readyz still answers well`
		log.Print(err)
	}
}

// The hook runs when fiber has shut down.
func FiberHook(app *fiber.App, db *sql.DB) {
	app.Get("/", func(c *fiber.Ctx) error { return db.PingContext(c.Context()) })
	app.Hooks().OnShutdown(func() error { return db.Close() })
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM)
	go app.Listen(":8080")
	<-sig
	if err := app.ShutdownWithTimeout(10 * time.Second); err != nil {
		log.Print(err)
	}
}

func TickerLoop(ctx context.Context, srv *http.Server, work func()) error {
	go srv.ListenAndServe()
	t := time.NewTicker(time.Second)
	defer t.Stop()
loop:
	for {
		select {
		case <-t.C:
			work()
		case <-ctx.Done():
			break loop
		}
	}
	return srv.Shutdown(ctx) // want `ctx is already done when srv\.Shutdown is called`
}

func TickerLoopFresh(ctx context.Context, srv *http.Server, work func()) error {
	go srv.ListenAndServe()
	t := time.NewTicker(time.Second)
	defer t.Stop()
loop:
	for {
		select {
		case <-t.C:
			work()
		case <-ctx.Done():
			break loop
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return srv.Shutdown(ctx)
}

func NestedGoroutines(srv *http.Server) {
	go func() {
		go func() {
			c := make(chan os.Signal, 1)
			signal.Notify(c, syscall.SIGTERM)
			<-c
			srv.Shutdown(context.Background()) // want `nobody waits for srv\.Shutdown to return`
		}()
	}()
	log.Println(srv.ListenAndServe())
}

func ErrPropagated(srv *http.Server) error {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	errs := make(chan error, 2)
	go func() {
		err := srv.ListenAndServe()
		if err == http.ErrServerClosed {
			err = nil
		}
		errs <- err
	}()
	go func() {
		<-c
		errs <- srv.Shutdown(context.Background())
	}()
	return errors.Join(<-errs, <-errs)
}

func Both(srv *http.Server) error {
	errs := make(chan error, 2)
	go func() { errs <- srv.ListenAndServe() }()
	go func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		<-c
		errs <- srv.Shutdown(context.Background())
	}()
	for range 2 {
		if err := <-errs; err != nil && err != http.ErrServerClosed {
			return err
		}
	}
	return nil
}

func CtxCause(srv *http.Server) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		s := <-c
		cancel(fmt.Errorf("signal %v", s))
	}()
	go func() {
		if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			cancel(err)
		}
	}()
	<-ctx.Done()
	log.Print(context.Cause(ctx))
	tctx, tcancel := context.WithTimeout(ctx, 10*time.Second)
	defer tcancel()
	return srv.Shutdown(tctx) // want `tctx is already done when srv\.Shutdown is called`
}

func StopFromOutside(ctx context.Context, srv *http.Server, done chan<- struct{}) error {
	go func() {
		<-ctx.Done()
		srv.Shutdown(context.Background())
		done <- struct{}{}
	}()
	return srv.ListenAndServe()
}

func HookDB(srv *http.Server, db *sql.DB) error {
	srv.RegisterOnShutdown(func() {
		log.Print("closing")
		_ = db.Close() // want `db\.Close runs at the start of the shutdown`
	})
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	go srv.ListenAndServe()
	<-c
	return srv.Shutdown(context.Background())
}

func HookWS(srv *http.Server, conns map[string]net.Conn) error {
	srv.RegisterOnShutdown(func() {
		for _, c := range conns {
			c.Close()
		}
	})
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	go srv.ListenAndServe()
	<-c
	return srv.Shutdown(context.Background())
}

type stopServer interface {
	ListenAndServe() error
	Shutdown(ctx context.Context) error
}

func Interface(ctx context.Context, srv stopServer) error {
	go srv.ListenAndServe()
	<-ctx.Done()
	return srv.Shutdown(ctx) // want `ctx is already done when srv\.Shutdown is called`
}

// What is shut down need not be a server.
func InterfaceOther(ctx context.Context, closer interface {
	Shutdown(ctx context.Context) error
}) error {
	<-ctx.Done()
	return closer.Shutdown(ctx)
}

type unheard struct {
	srv     *http.Server
	stopped chan struct{}
}

func newUnheard(srv *http.Server) *unheard {
	return &unheard{srv: srv, stopped: make(chan struct{})}
}

// Nobody waits for stopped.
func (u *unheard) Run(ctx context.Context) error {
	go func() {
		<-ctx.Done()
		u.srv.Shutdown(context.Background()) // want `nobody waits for u\.srv\.Shutdown to return`
		close(u.stopped)
	}()
	return u.srv.ListenAndServe()
}

type heard struct {
	srv     *http.Server
	stopped chan struct{}
}

func (h *heard) Run(ctx context.Context) error {
	go func() {
		<-ctx.Done()
		h.srv.Shutdown(context.Background())
		close(h.stopped)
	}()
	return h.srv.ListenAndServe()
}

func (h *heard) Wait() { <-h.stopped }

func Asked(srv *http.Server, mux *http.ServeMux) error {
	mux.HandleFunc("POST /quit", func(w http.ResponseWriter, r *http.Request) {
		go srv.Shutdown(context.Background()) // want `nobody waits for srv\.Shutdown to return`
	})
	return srv.ListenAndServe()
}

func AskedWaits(srv *http.Server, mux *http.ServeMux) error {
	done := make(chan struct{})
	mux.HandleFunc("POST /quit", func(w http.ResponseWriter, r *http.Request) {
		go func() {
			defer close(done)
			srv.Shutdown(context.Background())
		}()
	})
	err := srv.ListenAndServe()
	<-done
	return err
}

func newOf(h http.Handler) *http.Server { return &http.Server{Handler: h} }

// Two servers of one helper are two.
func Twins(h http.Handler, main context.Context) error {
	api, admin := newOf(h), newOf(h)
	go admin.ListenAndServe()
	go func() {
		<-main.Done()
		api.Shutdown(context.Background()) // want `nobody waits for api\.Shutdown to return`
	}()
	err := api.ListenAndServe()
	admin.Shutdown(context.Background())
	return err
}

// Within its time workers may be stopped, and the server after them.
func Workers(srv *http.Server, stopWorkers func(context.Context) error) error {
	first, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	stopWorkers(first)
	second, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return srv.Shutdown(second) // want `srv\.Shutdown may return 40s after the signal`
}

// An app of parts that it does not know.
type part interface {
	Stop(context.Context) error
}

type apiPart struct{ srv *http.Server }

func (a *apiPart) Stop(ctx context.Context) error { return a.srv.Shutdown(ctx) }

type appOfParts struct{ parts []part }

func (a *appOfParts) add(p part) { a.parts = append(a.parts, p) }

func (a *appOfParts) stop(ctx context.Context) {
	for i := len(a.parts) - 1; i >= 0; i-- {
		a.parts[i].Stop(ctx)
	}
}

func Added(ctx context.Context, srv *http.Server) error {
	a := new(appOfParts)
	a.add(&apiPart{srv})
	go srv.ListenAndServe()
	<-ctx.Done()
	a.stop(ctx) // want `a\.stop shuts down on a context that is already done`
	return nil
}

func AddedFresh(ctx context.Context, srv *http.Server) error {
	a := new(appOfParts)
	a.add(&apiPart{srv})
	go srv.ListenAndServe()
	<-ctx.Done()
	a.stop(context.Background())
	return nil
}
