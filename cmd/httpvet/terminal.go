package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// progress shows on a terminal how far the loader is, once it takes longer than
// two seconds. The function that it returns ends that and wipes the line; it may
// be called again.
func (t *tool) progress(l *loader) (stop func()) {
	if !isTerminal(t.stderr) {
		return func() {}
	}
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		wait := 2 * time.Second
		shown := false
		for {
			select {
			case <-quit:
				if shown {
					fmt.Fprint(t.stderr, "\r\x1b[K")
				}
				return
			case <-time.After(wait):
				fmt.Fprintf(t.stderr, "\r\x1b[Khttpvet: %d of %d packages", l.done.Load(), l.total.Load())
				shown, wait = true, 200*time.Millisecond
			}
		}
	})
	return sync.OnceFunc(func() { close(quit); wg.Wait() })
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
