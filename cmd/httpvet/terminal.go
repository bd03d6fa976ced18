package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// When the progress of a run is first shown, and how long each display lasts.
const (
	progressDelay    = 2 * time.Second
	progressInterval = 200 * time.Millisecond
)

// progress shows on a terminal how far the loader is, once it takes longer than
// delay. The function that it returns ends that and wipes the line; it may be
// called again.
func progress(w io.Writer, l *loader, delay time.Duration) (stop func()) {
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-quit:
			return
		case <-time.After(delay):
		}
		for {
			if total := l.total.Load(); total == 0 {
				fmt.Fprint(w, "\r\x1b[Khttpvet: listing packages")
			} else {
				fmt.Fprintf(w, "\r\x1b[Khttpvet: %d of %d packages", l.done.Load(), total)
			}
			select {
			case <-quit:
				fmt.Fprint(w, "\r\x1b[K")
				return
			case <-time.After(progressInterval):
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
