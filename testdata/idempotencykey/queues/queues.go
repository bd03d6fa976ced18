// Package queues proves that a job put back on its own queue comes round again, and
// that the other jobs of a queue are other operations.
package queues

import (
	"context"
	"sync"
	"time"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
)

type job struct {
	order string
	key   string
	tries int
}

func Channel(ctx context.Context, url string) error {
	jobs := make(chan job, 4)
	jobs <- job{order: "one"}
	jobs <- job{order: "two"}
	for left := 2; left > 0; {
		j := <-jobs
		if err := paylib.Send(ctx, url, j.order, uuid.NewString()); err != nil { // want `in each attempt of a job that goes back to its queue`
			jobs <- j
			continue
		}
		left--
	}
	return nil
}

func RangeOverAChannel(ctx context.Context, url string) error {
	jobs := make(chan job, 4)
	jobs <- job{order: "one"}
	for j := range jobs {
		err := paylib.Send(ctx, url, j.order, uuid.NewString()) // want "new idempotency key"
		if err == nil {
			close(jobs)
			continue
		}
		again := j
		again.tries++
		jobs <- again
	}
	return nil
}

func Later(ctx context.Context, url string) error {
	jobs := make(chan *job, 4)
	jobs <- &job{order: "one"}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for {
			select {
			case <-ctx.Done():
				return
			case j := <-jobs:
				if err := paylib.Send(ctx, url, j.order, uuid.NewString()); err != nil { // want "new idempotency key"
					time.AfterFunc(paylib.Pause, func() { jobs <- j })
					continue
				}
				return
			}
		}
	}()
	wg.Wait()
	return nil
}

func Slice(ctx context.Context, url string) error {
	queue := []job{{order: "one"}, {order: "two"}}
	for len(queue) > 0 {
		j := queue[0]
		queue = queue[1:]
		if err := paylib.Send(ctx, url, j.order, uuid.NewString()); err != nil { // want "new idempotency key"
			queue = append(queue, j)
		}
	}
	return nil
}

// The new key is stored in the job, over that of the last time.
func KeyReplaced(ctx context.Context, url string) error {
	queue := []*job{{order: "one"}}
	for len(queue) > 0 {
		j := queue[0]
		queue = queue[1:]
		j.key = uuid.NewString()
		if err := paylib.Send(ctx, url, j.order, j.key); err != nil { // want "new idempotency key"
			queue = append(queue, j)
		}
	}
	return nil
}

func KeyOfTheJob(ctx context.Context, url string) error {
	queue := []*job{{order: "one"}, {order: "two"}}
	for len(queue) > 0 {
		j := queue[0]
		queue = queue[1:]
		if j.key == "" {
			j.key = uuid.NewString()
		}
		if err := paylib.Send(ctx, url, j.order, j.key); err != nil {
			queue = append(queue, j)
		}
	}
	return nil
}

func DeadLetters(ctx context.Context, url string) error {
	jobs, dead := make(chan job, 4), make(chan job, 4)
	jobs <- job{order: "one"}
	jobs <- job{order: "two"}
	close(jobs)
	for j := range jobs {
		if err := paylib.Send(ctx, url, j.order, uuid.NewString()); err != nil {
			dead <- j
		}
	}
	return nil
}

// A pipeline hands its jobs on, to another queue of the same type.
func Pipeline(ctx context.Context, url string) error {
	in, out := make(chan job, 4), make(chan job, 4)
	in <- job{order: "one"}
	in <- job{order: "two"}
	close(in)
	for j := range in {
		_ = paylib.Send(ctx, url, j.order, uuid.NewString())
		out <- j
	}
	return nil
}

type stack struct{ jobs []job }

func (s *stack) push(j job) { s.jobs = append(s.jobs, j) }

func (s *stack) pop() (j job, ok bool) {
	if len(s.jobs) == 0 {
		return j, false
	}
	j = s.jobs[len(s.jobs)-1]
	s.jobs = s.jobs[:len(s.jobs)-1]
	return j, true
}

func Methods(ctx context.Context, url string) error {
	s := &stack{[]job{{order: "one"}, {order: "two"}}}
	for {
		j, ok := s.pop()
		if !ok {
			return nil
		}
		if err := paylib.Send(ctx, url, j.order, uuid.NewString()); err != nil { // want "new idempotency key"
			j.tries++
			s.push(j)
		}
	}
}

func MethodsKeyed(ctx context.Context, url string) error {
	s := &stack{[]job{{order: "one", key: uuid.NewString()}, {order: "two", key: uuid.NewString()}}}
	for {
		j, ok := s.pop()
		if !ok {
			return nil
		}
		if err := paylib.Send(ctx, url, j.order, j.key); err != nil {
			j.tries++
			s.push(j)
		}
	}
}

// All that is taken from a pool goes back.
func Pool(ctx context.Context, url string) error {
	free := &stack{[]job{{}, {}}}
	for _, order := range []string{"one", "two"} {
		slot, _ := free.pop()
		_ = paylib.Send(ctx, url, order, uuid.NewString())
		free.push(slot)
	}
	return nil
}
