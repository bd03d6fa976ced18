// Package actors proves that functions are followed which a library calls: the actors
// of a group, the hooks of a framework. Each exported function is all that a main does:
// its server is told to stop by SIGTERM.
package actors

import (
	"context"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/oklog/run"
	"go.uber.org/fx"
)

func Group(srv *http.Server, ln net.Listener) {
	var g run.Group
	g.Add(func() error { return srv.Serve(ln) }, func(error) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		srv.Shutdown(ctx)
	})
	g.Add(run.SignalHandler(context.Background(), os.Interrupt, syscall.SIGTERM))
	log.Print(g.Run())
}

func GroupClose(srv *http.Server, ln net.Listener) {
	var g run.Group
	g.Add(func() error { return srv.Serve(ln) }, func(error) {
		srv.Close() // want `srv\.Close stops the server without draining it`
	})
	g.Add(run.SignalHandler(context.Background(), os.Interrupt, syscall.SIGTERM))
	log.Print(g.Run())
}

func GroupDone(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	var g run.Group
	g.Add(func() error { return srv.Serve(ln) }, func(error) {
		cancel()
		srv.Shutdown(ctx) // want `ctx is already done`
	})
	g.Add(run.SignalHandler(context.Background(), os.Interrupt, syscall.SIGTERM))
	log.Print(g.Run())
}

// The actor waits for the signal by itself.
func GroupOwnSignal(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var g run.Group
	g.Add(func() error {
		<-ctx.Done()
		return ctx.Err()
	}, func(error) { stop() })
	g.Add(func() error { return srv.Serve(ln) }, func(error) {
		srv.Shutdown(ctx) // want `ctx is already done`
	})
	log.Print(g.Run())
}

func GroupOwnSignalFresh(srv *http.Server, ln net.Listener) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var g run.Group
	g.Add(func() error {
		<-ctx.Done()
		return ctx.Err()
	}, func(error) { stop() })
	g.Add(func() error { return srv.Serve(ln) }, func(error) {
		srv.Shutdown(context.WithoutCancel(ctx))
	})
	log.Print(g.Run())
}

func Hook(srv *http.Server, ln net.Listener) {
	fx.New(fx.NopLogger, fx.Invoke(func(lc fx.Lifecycle) {
		lc.Append(fx.Hook{
			OnStart: func(context.Context) error {
				go srv.Serve(ln)
				return nil
			},
			OnStop: func(ctx context.Context) error { return srv.Shutdown(ctx) },
		})
	})).Run()
}

func HookNobody(srv *http.Server, ln net.Listener) {
	fx.New(fx.NopLogger, fx.Invoke(func(lc fx.Lifecycle) {
		lc.Append(fx.Hook{
			OnStart: func(context.Context) error {
				go srv.Serve(ln)
				return nil
			},
			OnStop: func(ctx context.Context) error {
				go srv.Shutdown(ctx) // want `nobody waits for srv\.Shutdown to return`
				return nil
			},
		})
	})).Run()
}

func HookClose(srv *http.Server, ln net.Listener) {
	fx.New(fx.NopLogger, fx.Invoke(func(lc fx.Lifecycle) {
		lc.Append(fx.Hook{
			OnStart: func(context.Context) error {
				go srv.Serve(ln)
				return nil
			},
			OnStop: func(context.Context) error {
				return srv.Close() // want `srv\.Close stops the server without draining it`
			},
		})
	})).Run()
}

// The context is that of the work, which ends first.
func HookDone(srv *http.Server, ln net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	fx.New(fx.NopLogger, fx.Invoke(func(lc fx.Lifecycle) {
		lc.Append(fx.Hook{
			OnStart: func(context.Context) error {
				go srv.Serve(ln)
				return nil
			},
			OnStop: func(context.Context) error {
				cancel()
				return srv.Shutdown(ctx) // want `ctx is already done`
			},
		})
	})).Run()
}

// Hooks are made of functions, too.
func StopHookNobody(srv *http.Server, ln net.Listener) {
	fx.New(fx.NopLogger, fx.Invoke(func(lc fx.Lifecycle) {
		lc.Append(fx.StartHook(func() { go srv.Serve(ln) }))
		lc.Append(fx.StopHook(func(ctx context.Context) { go srv.Shutdown(ctx) })) // want `nobody waits for srv\.Shutdown to return`
	})).Run()
}

func StartStopHookClose(srv *http.Server, ln net.Listener) {
	fx.New(fx.NopLogger, fx.Invoke(func(lc fx.Lifecycle) {
		lc.Append(fx.StartStopHook(
			func() { go srv.Serve(ln) },
			func() error { return srv.Close() }, // want `srv\.Close stops the server without draining it`
		))
	})).Run()
}

func StartStopHook(srv *http.Server, ln net.Listener) {
	fx.New(fx.NopLogger, fx.Invoke(func(lc fx.Lifecycle) {
		lc.Append(fx.StartStopHook(func() { go srv.Serve(ln) }, srv.Shutdown))
	})).Run()
}

// A hook may be a method.
type served struct {
	srv *http.Server
	ln  net.Listener
}

func (s *served) begin(context.Context) error {
	go s.srv.Serve(s.ln)
	return nil
}

func (s *served) end(context.Context) error {
	return s.srv.Close() // want `s\.srv\.Close stops the server without draining it`
}

func HookMethod(srv *http.Server, ln net.Listener) {
	s := &served{srv, ln}
	fx.New(fx.NopLogger, fx.Invoke(func(lc fx.Lifecycle) {
		lc.Append(fx.Hook{OnStart: s.begin, OnStop: s.end})
	})).Run()
}
