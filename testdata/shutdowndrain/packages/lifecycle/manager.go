package lifecycle

import (
	"context"
	"log"
	"net/http"
	"time"
)

// A Manager calls what is to be called at the end, the last first.
type Manager struct {
	closers []func(context.Context) error
}

// OnClose adds a function.
func (m *Manager) OnClose(f func(context.Context) error) { m.closers = append(m.closers, f) }

// Wait waits for the signal, and calls all functions.
func (m *Manager) Wait() {
	wait()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for i := len(m.closers) - 1; i >= 0; i-- {
		if err := m.closers[i](ctx); err != nil {
			log.Print(err)
		}
	}
}

type options struct {
	notice, timeout time.Duration
}

// An Option is an option.
type Option func(*options)

// Notice is how long to wait before.
func Notice(d time.Duration) Option { return func(o *options) { o.notice = d } }

// Timeout is how long to drain.
func Timeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// Leave waits and drains.
func Leave(srv *http.Server, opts ...Option) error {
	o := options{timeout: 10 * time.Second}
	for _, opt := range opts {
		opt(&o)
	}
	time.Sleep(o.notice)
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	return srv.Shutdown(ctx)
}

// A Hook is called at the end.
type Hook struct {
	Name string
	Stop func(context.Context) error
}

// Hooks are called at the end, the last first.
type Hooks struct{ list []Hook }

// Add adds a hook.
func (h *Hooks) Add(hook Hook) { h.list = append(h.list, hook) }

// Wait waits for the signal, and calls all hooks.
func (h *Hooks) Wait() {
	wait()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for i := len(h.list) - 1; i >= 0; i-- {
		if err := h.list[i].Stop(ctx); err != nil {
			log.Printf("%s: %v", h.list[i].Name, err)
		}
	}
}
