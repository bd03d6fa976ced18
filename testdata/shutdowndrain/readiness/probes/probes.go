// Package probes proves that nothing is reported where a readiness is only turned: package
// readiness asks it, and shuts down.
package probes

import (
	"net/http"
	"sync/atomic"
)

// A Checker is a readiness.
type Checker struct{ leaving atomic.Bool }

// Leave turns it.
func (c *Checker) Leave() { c.leaving.Store(true) }

// Ready answers by it.
func (c *Checker) Ready(w http.ResponseWriter, r *http.Request) {
	if c.leaving.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

var ready, alive atomic.Bool

// SetReady sets the readiness of the package.
func SetReady(v bool) { ready.Store(v) }

// SetAlive sets another flag.
func SetAlive(v bool) { alive.Store(v) }

// IsReady reports whether the package's readiness is set.
func IsReady() bool { return ready.Load() }

// Alive answers by the other flag.
func Alive(w http.ResponseWriter, r *http.Request) {
	if !alive.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// Handler answers by the readiness of the package.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
}

// OK answers well.
func OK(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusOK) }
