// Package waits proves that a function or a process that ends before a shutdown in
// another goroutine is through is reported, whatever it waits for instead. Each
// function is all that a main does: its server is told to stop by SIGTERM.
package waits

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/wait"
)

func term() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	return c
}

func Nobody(srv *http.Server, ln net.Listener) {
	go func() {
		<-term()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil { // want `nobody waits for srv.Shutdown to return`
			log.Print(err)
		}
	}()
	if err := srv.Serve(ln); err != nil && err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

func Channel(srv *http.Server, ln net.Listener) {
	down := make(chan struct{})
	go func() {
		defer close(down)
		<-term()
		srv.Shutdown(context.Background())
	}()
	if err := srv.Serve(ln); err != nil && err != http.ErrServerClosed {
		log.Fatal(err)
	}
	<-down
}

func ChannelClosedBefore(srv *http.Server, ln net.Listener) {
	down := make(chan struct{})
	go func() {
		<-term()
		close(down)
		srv.Shutdown(context.Background()) // want `nobody waits for srv.Shutdown to return`
	}()
	srv.Serve(ln)
	<-down
}

func Group(srv *http.Server, ln net.Listener) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		<-term()
		srv.Shutdown(context.Background())
	}()
	srv.Serve(ln)
	wg.Wait()
}

// The group is that of the server, not that of the shutdown.
func OtherGroup(srv *http.Server, ln net.Listener) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		srv.Serve(ln)
	}()
	go func() {
		<-term()
		srv.Shutdown(context.Background()) // want `nobody waits for srv.Shutdown to return`
	}()
	wg.Wait()
}

func ErrorChannel(srv *http.Server, ln net.Listener) {
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	go func() {
		<-term()
		srv.Shutdown(context.Background()) // want `nobody waits for srv.Shutdown to return`
	}()
	if err := <-failed; err != nil && !errors.Is(err, http.ErrServerClosed) {
		log.Print(err)
	}
}

// The same signal ends main and begins the shutdown.
func SameSignal(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		srv.Shutdown(context.WithoutCancel(ctx)) // want `nobody waits for srv.Shutdown to return`
	}()
	go srv.Serve(ln)
	<-ctx.Done()
}

func Fatal(srv *http.Server, ln net.Listener) {
	go func() {
		log.Fatal(srv.Serve(ln)) // want `log.Fatal ends the process while a shutdown is at work`
	}()
	<-term()
	srv.Shutdown(context.Background())
}

func FatalUnlessClosed(srv *http.Server, ln net.Listener) {
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			log.Fatal(err)
		}
	}()
	<-term()
	srv.Shutdown(context.Background())
}

func FatalUnlessNil(srv *http.Server, ln net.Listener) {
	go func() {
		if err := srv.Serve(ln); err != nil {
			log.Printf("serve: %v", err)
			os.Exit(1) // want `os.Exit ends the process while a shutdown is at work`
		}
	}()
	<-term()
	srv.Shutdown(context.Background())
}

func PanicUnlessNil(srv *http.Server, ln net.Listener) {
	go func() {
		err := srv.Serve(ln)
		if err != nil {
			panic(err) // want `panic ends the process while a shutdown is at work`
		}
	}()
	<-term()
	srv.Shutdown(context.Background())
}

func FatalInMain(srv *http.Server, ln net.Listener) {
	down := make(chan struct{})
	go func() {
		defer close(down)
		<-term()
		srv.Shutdown(context.Background())
	}()
	if err := srv.Serve(ln); err != nil {
		log.Fatal(err) // want `log.Fatal ends the process while a shutdown is at work`
	}
	<-down
}

func ExitBeside(srv *http.Server, ln net.Listener) {
	go srv.Serve(ln)
	<-term()
	go srv.Shutdown(context.Background())
	os.Exit(0) // want `os.Exit ends the process while a shutdown is at work`
}

func ExitBehind(srv *http.Server, ln net.Listener) {
	go func() {
		<-term()
		srv.Shutdown(context.Background())
		os.Exit(0)
	}()
	srv.Serve(ln)
	select {}
}

// The shutdown's end is a cancelled context.
func Cancelled(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		<-term()
		srv.Shutdown(context.Background())
	}()
	srv.Serve(ln)
	<-ctx.Done()
}

func CancelledBefore(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-term()
		cancel()
		srv.Shutdown(context.Background()) // want `nobody waits for srv.Shutdown to return`
	}()
	srv.Serve(ln)
	<-ctx.Done()
}

func Errgroup(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var g errgroup.Group
	g.Go(func() error { return srv.Serve(ln) })
	g.Go(func() error {
		<-ctx.Done()
		return srv.Shutdown(context.Background())
	})
	if err := g.Wait(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		log.Print(err)
	}
}

func ErrgroupBeside(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var g errgroup.Group
	g.Go(func() error {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	go func() {
		<-ctx.Done()
		srv.Shutdown(context.Background()) // want `nobody waits for srv.Shutdown to return`
	}()
	if err := g.Wait(); err != nil {
		log.Print(err)
	}
}

func InMain(srv *http.Server, ln net.Listener) {
	go func() {
		if err := srv.Serve(ln); err != http.ErrServerClosed {
			log.Fatal(err)
		}
	}()
	<-term()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
}

// A result comes over a channel: the shutdown's error.
func Result(srv *http.Server, ln net.Listener) {
	result := make(chan error)
	go func() {
		<-term()
		result <- srv.Shutdown(context.Background())
	}()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	if err := <-result; err != nil {
		log.Print(err)
	}
}

func shutdownAtTerm(srv *http.Server) {
	<-term()
	srv.Shutdown(context.Background())
}

func Helper(srv *http.Server, ln net.Listener) {
	go shutdownAtTerm(srv) // want `nobody waits for shutdownAtTerm to return`
	srv.Serve(ln)
}

func serve(srv *http.Server, ln net.Listener) {
	if err := srv.Serve(ln); err != nil {
		log.Fatalf("serve: %v", err)
	}
}

func HelperFatal(srv *http.Server, ln net.Listener) {
	go serve(srv, ln) // want `serve ends the process while a shutdown is at work`
	<-term()
	srv.Shutdown(context.Background())
}

// A goroutine ends the process at the signal that starts the shutdown.
func ExitTogether(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		log.Print("good bye")
		os.Exit(0) // want `os\.Exit ends the process while a shutdown is at work`
	}()
	go srv.Serve(ln)
	<-ctx.Done()
	srv.Shutdown(context.WithoutCancel(ctx))
}

// It ends the process at a second signal.
func ExitAtSecond(srv *http.Server, ln net.Listener) {
	sig := make(chan os.Signal, 2)
	signal.Notify(sig, syscall.SIGTERM)
	go srv.Serve(ln)
	<-sig
	go func() {
		<-sig
		os.Exit(1)
	}()
	srv.Shutdown(context.Background())
}

// A deferred call does not run when the process ends elsewhere.
func ExitOfAnother(srv *http.Server, ln net.Listener) {
	defer srv.Shutdown(context.Background())
	go func() {
		<-term()
		os.Exit(0) // want `os.Exit ends the process, so the deferred shutdown does not run`
	}()
	srv.Serve(ln)
}

func ExitOfAnotherBehind(srv *http.Server, ln net.Listener) {
	defer srv.Shutdown(context.Background())
	go func() {
		<-term()
		srv.Shutdown(context.Background())
		os.Exit(0)
	}()
	srv.Serve(ln)
	select {}
}

// Whoever calls it is told that all is over.
func Told(ctx context.Context, srv *http.Server, ln net.Listener) error {
	go srv.Serve(ln)
	<-ctx.Done()
	for range 1 {
		go srv.Shutdown(context.Background()) // want `nobody waits for srv\.Shutdown to return`
	}
	return nil
}

// A group of another library waits as those of the standard library do.
func OtherKind(ctx context.Context, srv *http.Server, ln net.Listener) error {
	var g wait.Group
	g.Start(func() { srv.Serve(ln) })
	g.StartWithContext(ctx, func(ctx context.Context) {
		<-ctx.Done()
		srv.Shutdown(context.Background())
	})
	g.Wait()
	return nil
}

func OtherKindBeside(ctx context.Context, srv *http.Server, ln net.Listener) error {
	var g wait.Group
	g.Start(func() { srv.Serve(ln) })
	go func() {
		<-ctx.Done()
		srv.Shutdown(context.Background()) // want `nobody waits for srv\.Shutdown to return`
	}()
	g.Wait()
	return nil
}
