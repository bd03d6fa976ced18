// Package jobs proves that the handler of a queue that calls it again with a job that
// failed is an attempt of that job.
package jobs

import (
	"context"
	"fmt"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/riverqueue/river"
)

// deliver does as the queue does.
func deliver(ctx context.Context, url string, h asynq.Handler) error {
	task := asynq.NewTask("order", []byte(url))
	var err error
	for range 4 {
		if err = h.ProcessTask(ctx, task); err == nil {
			break
		}
	}
	return err
}

func Function(ctx context.Context, url string) error {
	mux := asynq.NewServeMux()
	mux.HandleFunc("order", func(ctx context.Context, t *asynq.Task) error {
		return paylib.Send(ctx, url, t.Type(), uuid.NewString()) // want `in each attempt of a job that goes back to its queue`
	})
	return deliver(ctx, url, mux)
}

func process(ctx context.Context, t *asynq.Task) error {
	if err := paylib.SendNew(ctx, string(t.Payload()), t.Type()); err != nil { // want `paylib.SendNew makes a new idempotency key in each attempt of a job`
		return fmt.Errorf("order: %w", err)
	}
	return nil
}

func Named(ctx context.Context, url string) error {
	return deliver(ctx, url, asynq.HandlerFunc(process))
}

// Only what cannot be read is not run again.
func SomeNotAgain(ctx context.Context, url string) error {
	return deliver(ctx, url, asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		if len(t.Payload()) == 0 {
			return fmt.Errorf("no payload: %w", asynq.SkipRetry)
		}
		return paylib.SendNew(ctx, url, t.Type()) // want `in each attempt of a job`
	}))
}

type args struct{ Order, Key string }

func (args) Kind() string { return "order" }

type worker struct {
	river.WorkerDefaults[args]
	url string
}

func (w *worker) Work(ctx context.Context, job *river.Job[args]) error {
	return work(ctx, w.url, job) // want `work makes a new idempotency key in each attempt of a job`
}

func work(ctx context.Context, url string, job *river.Job[args]) error {
	return paylib.Send(ctx, url, job.Args.Order, paylib.NewKey()) // want `in each attempt of a job`
}

func River(ctx context.Context, url string) (err error) {
	job := &river.Job[args]{Args: args{Order: "order"}}
	for range 4 {
		if err = work(ctx, url, job); err == nil { // want `in each attempt of the loop`
			break
		}
	}
	return err
}

// The key is in the job.
func KeyOfTheJob(ctx context.Context, url string) error {
	key := paylib.NewKey()
	return deliver(ctx, url, asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		return paylib.Send(ctx, url, t.Type(), key)
	}))
}

// What failed is not run again.
func NotAgain(ctx context.Context, url string) error {
	h := asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		if err := paylib.SendNew(ctx, url, t.Type()); err != nil {
			return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
		}
		return nil
	})
	_ = h.ProcessTask(ctx, asynq.NewTask("order", []byte("order")))
	return nil
}

// Its failure is no failure of the job.
func Dropped(ctx context.Context, url string) error {
	h := asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		_ = paylib.SendNew(ctx, url, t.Type())
		return nil
	})
	return h.ProcessTask(ctx, asynq.NewTask("order", []byte("order")))
}
