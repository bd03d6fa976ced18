package lost

import (
	"context"
	"time"
)

// A Pause waits between attempts, of which it counts five.
type Pause struct {
	ctx   context.Context
	tries int
}

// NewPause returns a pause that ctx ends.
func NewPause(ctx context.Context) *Pause { return &Pause{ctx: ctx} }

// Ongoing reports whether another attempt is to be made.
func (p *Pause) Ongoing() bool { return p.ctx.Err() == nil && p.tries < 5 }

// Wait waits, if another attempt is to be made.
func (p *Pause) Wait() {
	p.tries++
	if p.Ongoing() {
		select {
		case <-p.ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}
