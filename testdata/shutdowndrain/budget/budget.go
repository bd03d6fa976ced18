// Package budget proves that waits and shutdowns, each within a constant time of its
// own, must not be longer together than the grace period of 30 s.
package budget

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	notice = 15 * time.Second
	drain  = 20 * time.Second
	short  = 5 * time.Second
)

func within(srv *http.Server, d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return srv.Shutdown(ctx)
}

func WaitAndDrain(srv *http.Server) error {
	time.Sleep(notice)
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	return srv.Shutdown(ctx) // want `srv.Shutdown may return 35s after the signal, later than the grace period of 30s`
}

func WaitAndDrainShort(srv *http.Server) error {
	time.Sleep(short)
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	return srv.Shutdown(ctx)
}

func OneDeadline(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	time.Sleep(notice)
	return srv.Shutdown(ctx)
}

func OneAfterTheOther(api, admin *http.Server) error {
	err := within(api, drain)
	within(admin, drain) // want `within may return 40s after the signal`
	return err
}

func SideBySide(api, admin *http.Server) {
	var wg sync.WaitGroup
	wg.Go(func() { within(api, drain) })
	wg.Go(func() { within(admin, drain) })
	wg.Wait()
}

func Listed(api, admin *http.Server) {
	for _, srv := range []*http.Server{api, admin} {
		within(srv, drain) // want `within may return 40s after the signal`
	}
}

func ListedShort(api, admin *http.Server) {
	for _, srv := range []*http.Server{api, admin} {
		within(srv, 12*time.Second)
	}
}

// How often the loop sleeps is not known.
func Polled(srv *http.Server, idle func() bool) error {
	for !idle() {
		time.Sleep(4 * time.Second)
	}
	return within(srv, drain)
}

func Timer(srv *http.Server, now <-chan struct{}) error {
	select {
	case <-now:
	case <-time.After(notice):
	}
	return within(srv, drain) // want `within may return 35s after the signal`
}
