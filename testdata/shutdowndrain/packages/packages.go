// Package packages proves that helpers of other packages are followed as those of the
// package are. Each exported function is all that a main does: its server is told to
// stop by SIGTERM.
package packages

import (
	"context"
	"database/sql"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"fixtures/shutdowndrain/packages/lifecycle"
	"fixtures/shutdowndrain/packages/server"
	"fixtures/shutdowndrain/packages/store"
)

func OwnContext(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(ctx) // want `ctx is already done when srv\.Shutdown is called`
}

func FreshContext(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(context.WithoutCancel(ctx))
}

func Within(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	if err := lifecycle.ShutdownWithin(ctx, srv); err != nil { // want `lifecycle\.ShutdownWithin shuts down on a context that is already done`
		log.Print(err)
	}
}

func WithinFresh(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	if err := lifecycle.ShutdownWithin(context.Background(), srv); err != nil {
		log.Print(err)
	}
}

func Deadline(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	go srv.Serve(ln)
	lifecycle.WaitForSignal()
	srv.Shutdown(ctx) // want `the deadline for srv.Shutdown runs from the start of the program`
}

func Helpers(srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	lifecycle.WaitForSignal()
	lifecycle.Shutdown(srv, 5*time.Second)
}

func HelpersInGoroutine(srv *http.Server, ln net.Listener) {
	go func() {
		<-lifecycle.Done()
		lifecycle.Shutdown(srv, 5*time.Second) // want `nobody waits for lifecycle\.Shutdown to return`
	}()
	if err := srv.Serve(ln); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

func Group(srv *http.Server, ln net.Listener) {
	var wg sync.WaitGroup
	lifecycle.OnSignal(&wg, srv)
	if err := srv.Serve(ln); err != http.ErrServerClosed {
		log.Fatal(err)
	}
	wg.Wait()
}

func GroupNotWaited(srv *http.Server, ln net.Listener) {
	var wg sync.WaitGroup
	lifecycle.OnSignal(&wg, srv) // want `nobody waits for lifecycle\.OnSignal to return`
	if err := srv.Serve(ln); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

func FatalByHelper(srv *http.Server, ln net.Listener) {
	go func() { lifecycle.Must(srv.Serve(ln)) }() // want `lifecycle\.Must ends the process while a shutdown is at work`
	lifecycle.WaitForSignal()
	lifecycle.Shutdown(srv, 5*time.Second)
}

func All(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	go srv.Serve(ln)
	<-ctx.Done()
	lifecycle.StopAll(ctx, srv) // want `lifecycle\.StopAll shuts down on a context that is already done`
}

func Start(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	s := server.New("api", srv, ln)
	go s.Start()
	<-ctx.Done()
	s.Stop(ctx) // want `s\.Stop shuts down on a context that is already done`
}

func StartFresh(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	s := server.New("api", srv, ln)
	go s.Start()
	<-ctx.Done()
	s.Stop(context.Background())
}

func StartInMain(srv *http.Server, ln net.Listener) {
	s := server.New("api", srv, ln)
	go func() {
		lifecycle.WaitForSignal()
		s.Stop(context.Background()) // want `nobody waits for s\.Stop to return`
	}()
	if err := s.Start(); err != nil {
		log.Fatal(err)
	}
}

func Killed(srv *http.Server, ln net.Listener) {
	s := server.New("api", srv, ln)
	go s.Start()
	lifecycle.WaitForSignal()
	s.Kill() // want `s\.Kill stops the server without draining it`
}

func Run(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	if err := server.New("api", srv, ln).Run(ctx); err != nil {
		log.Print(err)
	}
}

func RunBeside(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	go server.New("api", srv, ln).Run(ctx) // want `nobody waits for .*\.Run to return`
	<-ctx.Done()
}

// Of the fault in RunCut it is not said again that it is there.
func RunCut(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	if err := server.New("api", srv, ln).RunCut(ctx); err != nil {
		log.Print(err)
	}
}

func Begin(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	s := server.New("api", srv, ln)
	s.Begin(ctx)
	<-s.Down()
}

func BeginNotWaited(srv *http.Server, ln net.Listener) {
	ctx, stop := lifecycle.Context(context.Background())
	defer stop()
	s := server.New("api", srv, ln)
	s.Begin(ctx) // want `nobody waits for s\.Begin to return`
	<-ctx.Done()
}

func Cancelled(srv *http.Server, ln net.Listener) {
	s := server.New("api", srv, ln)
	go s.Start()
	lifecycle.WaitForSignal()
	s.Cancel()
	s.StopWork() // want `s\.StopWork shuts down on a context that is already done`
}

func CancelledBehind(srv *http.Server, ln net.Listener) {
	s := server.New("api", srv, ln)
	go s.Start()
	lifecycle.WaitForSignal()
	s.StopWork()
	s.Cancel()
}

func StoreFirst(db *sql.DB, ln net.Listener) {
	st, err := store.Open(db)
	if err != nil {
		log.Fatal(err)
	}
	s := server.New("api", &http.Server{Handler: st}, ln)
	go s.Start()
	lifecycle.WaitForSignal()
	st.Close() // want `st\.Close comes before the server is drained`
	s.Stop(context.Background())
}

func StoreLast(db *sql.DB, ln net.Listener) {
	st, err := store.Open(db)
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	s := server.New("api", &http.Server{Handler: st}, ln)
	go s.Start()
	lifecycle.WaitForSignal()
	s.Stop(context.Background())
}

func Managed(db *sql.DB, ln net.Listener) {
	st, err := store.Open(db)
	if err != nil {
		log.Fatal(err)
	}
	srv := &http.Server{Handler: st}
	m := new(lifecycle.Manager)
	m.OnClose(func(context.Context) error { return st.Close() })
	m.OnClose(srv.Shutdown)
	go srv.Serve(ln)
	m.Wait()
}

// The last is called first.
func ManagedStoreFirst(db *sql.DB, ln net.Listener) {
	st, err := store.Open(db)
	if err != nil {
		log.Fatal(err)
	}
	srv := &http.Server{Handler: st}
	m := new(lifecycle.Manager)
	m.OnClose(srv.Shutdown)
	m.OnClose(func(context.Context) error { return st.Close() }) // want `st\.Close comes before the server is drained`
	go srv.Serve(ln)
	m.Wait()
}

func ManagedFatal(srv *http.Server, ln net.Listener) {
	m := new(lifecycle.Manager)
	m.OnClose(srv.Shutdown)
	go func() { log.Fatal(srv.Serve(ln)) }() // want `log\.Fatal ends the process while a shutdown is at work`
	m.Wait()
}

// Options set the times.
func Long(srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	lifecycle.WaitForSignal()
	lifecycle.Leave(srv, lifecycle.Notice(15*time.Second), lifecycle.Timeout(20*time.Second)) // want `lifecycle\.Leave may return 35s after the signal`
}

func NotLong(srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	lifecycle.WaitForSignal()
	lifecycle.Leave(srv, lifecycle.Notice(time.Second))
}

// Hooks are structs.
func HookedStoreFirst(db *sql.DB, ln net.Listener) {
	st, err := store.Open(db)
	if err != nil {
		log.Fatal(err)
	}
	srv := &http.Server{Handler: st}
	h := new(lifecycle.Hooks)
	h.Add(lifecycle.Hook{Name: "server", Stop: srv.Shutdown})
	h.Add(lifecycle.Hook{Name: "store", Stop: func(context.Context) error { return st.Close() }}) // want `st\.Close comes before the server is drained`
	go srv.Serve(ln)
	h.Wait()
}

func HookedStoreLast(db *sql.DB, ln net.Listener) {
	st, err := store.Open(db)
	if err != nil {
		log.Fatal(err)
	}
	srv := &http.Server{Handler: st}
	h := new(lifecycle.Hooks)
	h.Add(lifecycle.Hook{Name: "store", Stop: func(context.Context) error { return st.Close() }})
	h.Add(lifecycle.Hook{Name: "server", Stop: srv.Shutdown})
	go srv.Serve(ln)
	h.Wait()
}

type api struct{ st *store.Store }

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	store.Answering()
	if err := a.st.Get(r.Context()); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// Neither the server nor the database is in view here, only what has them.
func StoreOfAnAPI(db *sql.DB, ln net.Listener) {
	st, err := store.Open(db)
	if err != nil {
		log.Fatal(err)
	}
	s := server.Of(&api{st}, ln)
	go s.Start()
	lifecycle.WaitForSignal()
	st.Close() // want `st\.Close comes before the server is drained`
	s.Stop(context.Background())
}

func StoreOfAnAPILast(db *sql.DB, ln net.Listener) {
	st, err := store.Open(db)
	if err != nil {
		log.Fatal(err)
	}
	s := server.Of(&api{st}, ln)
	go s.Start()
	lifecycle.WaitForSignal()
	s.Stop(context.Background())
	st.Close()
}
