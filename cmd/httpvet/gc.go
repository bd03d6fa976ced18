package main

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// A short-lived process with much garbage: collecting less often saves a good part
// of its CPU time, but takes memory.
const (
	mostGarbage  = 1 << 30 // bytes that may wait to be collected, if less is alive
	mostPercent  = 800     // garbage in percent of what is alive, if little is
	leastPercent = 100     // the same, however much is alive: Go's default
)

// A collector sets how often garbage is collected.
type collector struct {
	mu      sync.Mutex
	percent int
}

// set sets it by how much was alive after the last collection.
func (c *collector) set() {
	c.mu.Lock()
	defer c.mu.Unlock()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := mostPercent
	if n := live[0].Value.Uint64(); n > 0 {
		percent = int(min(mostPercent, max(leastPercent, mostGarbage*100/n)))
	}
	// Have: it stops the world, so not for each small change.
	if percent = percent / 50 * 50; percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}
