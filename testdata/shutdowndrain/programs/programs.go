// Package programs proves the rule on whole programs in small, of forms that are
// common in manuals and libraries.
package programs

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func Doc(srv *http.Server) {
	idle := make(chan struct{})
	go func() {
		sigint := make(chan os.Signal, 1)
		signal.Notify(sigint, os.Interrupt, syscall.SIGTERM)
		for range sigint {
			if err := srv.Shutdown(context.Background()); err != nil {
				log.Printf("HTTP server Shutdown: %v", err)
			}
			close(idle)
			return
		}
	}()
	if err := srv.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatalf("HTTP server ListenAndServe: %v", err)
	}
	<-idle
}

func Kept(ctx context.Context, srv *http.Server) error {
	go srv.ListenAndServe()
	<-ctx.Done()
	ctx = context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return srv.Shutdown(ctx)
}

func Either(ctx context.Context, stop <-chan struct{}, srv *http.Server) error {
	go srv.ListenAndServe()
	select {
	case <-stop:
	case <-ctx.Done():
	}
	return srv.Shutdown(ctx) // want `ctx is already done when srv\.Shutdown is called`
}

func Asked(ctx context.Context, stop <-chan struct{}, srv *http.Server) error {
	go srv.ListenAndServe()
	select {
	case <-stop:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		ctx = context.Background()
	}
	return srv.Shutdown(ctx)
}

func open() (*sql.DB, error)                     { return sql.Open("x", "y") }
func load(db *sql.DB) (map[string]string, error) { return nil, db.Ping() }

// The database was only for the start.
func Setup() error {
	db, err := open()
	if err != nil {
		return err
	}
	conf, err := load(db)
	if err != nil {
		return err
	}
	db.Close()
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(conf["x"])) })}
	go srv.ListenAndServe()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
	return srv.Shutdown(context.Background())
}

func AdminFatal(api, admin *http.Server) {
	go func() { log.Fatal(admin.ListenAndServe()) }()
	go func() {
		if err := api.ListenAndServe(); err != http.ErrServerClosed {
			log.Fatal(err)
		}
	}()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
	if err := api.Shutdown(context.Background()); err != nil {
		log.Print(err)
	}
	os.Exit(0)
}

func Chi(server *http.Server) {
	serverCtx, serverStopCtx := context.WithCancel(context.Background())
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		<-sig
		shutdownCtx, cancel := context.WithTimeout(serverCtx, 30*time.Second)
		defer cancel()
		go func() {
			<-shutdownCtx.Done()
			if shutdownCtx.Err() == context.DeadlineExceeded {
				log.Fatal("graceful shutdown timed out.. forcing exit.")
			}
		}()
		err := server.Shutdown(shutdownCtx)
		if err != nil {
			log.Fatal(err)
		}
		serverStopCtx()
	}()
	err := server.ListenAndServe()
	if err != nil && err != http.ErrServerClosed {
		log.Fatal(err)
	}
	<-serverCtx.Done()
}

func ChiNoWait(server *http.Server) {
	serverCtx, serverStopCtx := context.WithCancel(context.Background())
	defer serverStopCtx()
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		<-sig
		shutdownCtx, cancel := context.WithTimeout(serverCtx, 30*time.Second)
		defer cancel()
		err := server.Shutdown(shutdownCtx) // want `the context of server\.Shutdown is cancelled while it is at work, for nobody waits for it`
		if err != nil {
			log.Fatal(err)
		}
		serverStopCtx()
	}()
	err := server.ListenAndServe()
	if err != nil && err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

type App struct {
	quit chan os.Signal
	srv  *http.Server
	wg   sync.WaitGroup
	done chan struct{}
}

func New(srv *http.Server) *App {
	a := &App{srv: srv}
	a.quit = make(chan os.Signal, 1)
	a.done = make(chan struct{})
	signal.Notify(a.quit, os.Interrupt, syscall.SIGTERM)
	return a
}

func (a *App) start(ln net.Listener) {
	a.wg.Add(1)
	go func() {
		defer a.wg.Done()
		if err := a.srv.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Print(err)
			a.quit <- os.Interrupt
		}
	}()
}

func (a *App) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := a.srv.Shutdown(ctx); err != nil {
		log.Print(err)
		a.srv.Close()
	}
	a.wg.Wait()
}

func (a *App) Run(ln net.Listener) {
	a.start(ln)
	<-a.quit
	a.stop()
}

func RunApp(srv *http.Server, ln net.Listener) {
	New(srv).Run(ln)
}

func (a *App) RunBroken(ln net.Listener) {
	a.start(ln)
	go func() {
		<-a.quit
		a.stop() // want `nobody waits for a\.stop to return`
	}()
	a.wg.Wait()
}

func Notify(ctx context.Context, srv *http.Server, onDone func()) error {
	go func() {
		<-ctx.Done()
		srv.Shutdown(context.Background())
		onDone()
	}()
	return srv.ListenAndServe()
}

func Library(ctx context.Context, srv *http.Server) error {
	go func() {
		<-ctx.Done()
		sctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := srv.Shutdown(sctx); err != nil { // want `nobody waits for srv\.Shutdown to return`
			log.Printf("shutdown: %v", err)
		}
	}()
	if err := srv.ListenAndServe(); err != nil && err != http.ErrServerClosed {
		return err
	}
	return nil
}

func Stopper(srv *http.Server) (stop func(context.Context) error) {
	go func() {
		if err := srv.ListenAndServe(); err != nil && err != http.ErrServerClosed {
			log.Print(err)
		}
	}()
	return srv.Shutdown
}

func UseStopper(srv *http.Server) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	stop := Stopper(srv)
	<-ctx.Done()
	if err := stop(ctx); err != nil { // want `ctx is already done when stop is called`
		log.Print(err)
	}
}

func UseStopperFresh(srv *http.Server) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	stop := Stopper(srv)
	<-ctx.Done()
	if err := stop(context.Background()); err != nil {
		log.Print(err)
	}
}

type component interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
}

type web struct{ srv *http.Server }

func (w *web) Start(context.Context) error    { go w.srv.ListenAndServe(); return nil }
func (w *web) Stop(ctx context.Context) error { return w.srv.Shutdown(ctx) }

func Components(srv *http.Server) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	list := []component{&web{srv: srv}}
	for _, c := range list {
		if err := c.Start(ctx); err != nil {
			log.Fatal(err)
		}
	}
	<-ctx.Done()
	for _, c := range list {
		if err := c.Stop(ctx); err != nil { // want `c\.Stop shuts down on a context that is already done`
			log.Print(err)
		}
	}
}

func ComponentsFresh(srv *http.Server) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	list := []component{&web{srv: srv}}
	for _, c := range list {
		if err := c.Start(ctx); err != nil {
			log.Fatal(err)
		}
	}
	<-ctx.Done()
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	for _, c := range list {
		if err := c.Stop(ctx); err != nil {
			log.Print(err)
		}
	}
}

// The server is for one answer.
func OneShot(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("you can close this window"))
		cancel()
	})}
	go srv.Serve(ln)
	<-ctx.Done()
	return srv.Close()
}

func Retimed(srv *http.Server) {
	base := context.Background()
	ctx, cancel := context.WithTimeout(base, 30*time.Second)
	defer cancel()
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-quit
		log.Print("stopping")
		if err := srv.Shutdown(ctx); err != nil { // want `the deadline for srv\.Shutdown runs from the start of the program`
			log.Print(err)
		}
	}()
	if err := srv.ListenAndServe(); err != nil && err != http.ErrServerClosed {
		log.Print(err)
	}
	<-done
}
