package falsepos

import (
	"context"
	"log"
	"net/http"
	"time"
)

// The helper gives up if the context is done and waits otherwise; and without a
// request, what follows NewRequest panics: no error of it is retried.
func HelperWaitsOrGivesUp(ctx context.Context, url string) (err error) {
	for i := range 4 {
		if i > 0 {
			if err := waitOrGiveUp(ctx); err != nil {
				return err
			}
		}
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		resp, failure := http.DefaultClient.Do(req)
		if failure != nil {
			err = failure
			continue
		}
		drain(resp)
		return nil
	}
	return err
}

func waitOrGiveUp(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}

// One at the start and one at each tick, whatever became of the last.
func AtOnceAndAtEachTick(url string, quit <-chan struct{}) {
	if err := announce(url); err != nil {
		log.Println(err)
	}
	t := time.NewTicker(pause)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := announce(url); err != nil {
				log.Println(err)
			}
		case <-quit:
			return
		}
	}
}

func announce(url string) error {
	resp, err := http.Post(url, "text/plain", nil)
	if err != nil {
		return err
	}
	drain(resp)
	return nil
}

// A sleeper sleeps; the only one calls a function that is given.
type sleeper interface{ Sleep(d time.Duration) }

type sleeperFunc func(time.Duration)

func (f sleeperFunc) Sleep(d time.Duration) { f(d) }

func repeated(s sleeper, attempts int, do func() error) (err error) {
	for i := range attempts {
		if i > 0 {
			s.Sleep(pause)
		}
		if err = do(); err == nil {
			return nil
		}
	}
	return err
}

// What is given to wait with is taken to wait.
func SleepsAsItIsTold(url string) error {
	return repeated(sleeperFunc(time.Sleep), 4, func() error {
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		drain(resp)
		return nil
	})
}
