// Package loops proves that a loop which leaves on success and goes round on failure
// is a retry, in each form that users write.
package loops

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"math"
	"net/http"
	"time"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
)

func post(ctx context.Context, url, key string) error {
	return paylib.Send(ctx, url, "order", key)
}

func status(ctx context.Context, url, key string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	return resp.StatusCode, nil
}

func retryable(err error) bool { return errors.Is(err, paylib.ErrBusy) }

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func Counting(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 3; i++ {
		if err = post(ctx, url, uuid.NewString()); err == nil { // want `uuid.NewString makes a new idempotency key in each attempt of the loop at line 51 .*`
			return nil
		}
		time.Sleep(paylib.Pause)
	}
	return err
}

func CountingOnce(ctx context.Context, url string) error {
	var err error
	key := uuid.NewString()
	for i := 0; i < 3; i++ {
		if err = post(ctx, url, key); err == nil {
			return nil
		}
		time.Sleep(paylib.Pause)
	}
	return err
}

func RangeOverInt(ctx context.Context, url string) (err error) {
	for attempt := range 3 {
		err = post(ctx, url, uuid.NewString()) // want "new idempotency key"
		if err != nil {
			log.Printf("attempt %d: %v", attempt, err)
			continue
		}
		return nil
	}
	return err
}

func Endless(ctx context.Context, url string) error {
	for {
		err := post(ctx, url, uuid.NewString()) // want "new idempotency key"
		if err == nil {
			return nil
		}
		if err := wait(ctx, paylib.Pause); err != nil {
			return err
		}
	}
}

func EndlessWithBackoff(ctx context.Context, url string) error {
	const ceiling = 8 * paylib.Pause
	for delay := paylib.Pause; ; delay = min(2*delay, ceiling) {
		key := uuid.NewString()
		if err := post(ctx, url, key); !errors.Is(err, paylib.ErrBusy) { // want "new idempotency key"
			return err
		}
		if err := wait(ctx, delay); err != nil {
			return err
		}
	}
}

func UntilDeadline(ctx context.Context, url string) error {
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(paylib.Pause) {
		if err := post(ctx, url, uuid.NewString()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return context.DeadlineExceeded
}

func WhileContext(ctx context.Context, url string) error {
	for ctx.Err() == nil {
		if post(ctx, url, uuid.NewString()) == nil { // want "new idempotency key"
			return nil
		}
		time.Sleep(paylib.Pause)
	}
	return ctx.Err()
}

func ConditionOnTheError(ctx context.Context, url string) error {
	err := errors.New("not tried")
	for n := 0; err != nil && n < 3; n++ {
		err = post(ctx, url, uuid.NewString()) // want "new idempotency key"
	}
	return err
}

func ConditionOnAFlag(ctx context.Context, url string) error {
	done := false
	var err error
	for tries := 0; !done && tries < 3; tries++ {
		err = post(ctx, url, uuid.NewString()) // want "new idempotency key"
		if err == nil {
			done = true
		} else {
			time.Sleep(paylib.Pause)
		}
	}
	return err
}

func CallInTheCondition(ctx context.Context, url string) error {
	n := 0
	for post(ctx, url, uuid.NewString()) != nil { // want "new idempotency key"
		if n++; n == 3 {
			return errors.New("gave up")
		}
		time.Sleep(paylib.Pause)
	}
	return nil
}

func RangeOverWaits(ctx context.Context, url string) (err error) {
	for _, d := range []time.Duration{0, paylib.Pause, 2 * paylib.Pause} {
		time.Sleep(d)
		if err = post(ctx, url, uuid.NewString()); err == nil { // want "new idempotency key"
			break
		}
	}
	return err
}

func RangeOverReplicas(ctx context.Context, url string) (err error) {
	replicas := []string{url, url, url}
	for _, replica := range replicas {
		if err = post(ctx, replica, uuid.NewString()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func RangeOverReplicasOnce(ctx context.Context, url string) (err error) {
	key := uuid.NewString()
	for _, replica := range []string{url, url, url} {
		if err = post(ctx, replica, key); err == nil {
			return nil
		}
	}
	return err
}

func attempts(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
			time.Sleep(paylib.Pause)
		}
	}
}

func RangeOverAttempts(ctx context.Context, url string) (err error) {
	for range attempts(3) {
		if err = post(ctx, url, uuid.NewString()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

type stopwatch struct{ n int }

func (s *stopwatch) Next() bool {
	s.n++
	return s.n <= 3
}

func IteratorOfAttempts(ctx context.Context, url string) (err error) {
	for r := new(stopwatch); r.Next(); {
		if err = post(ctx, url, uuid.NewString()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func SelectWithTimer(ctx context.Context, url string) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			if err := post(ctx, url, uuid.NewString()); err == nil { // want "new idempotency key"
				return nil
			}
			timer.Reset(paylib.Pause)
		}
	}
}

func SelectWithTicker(ctx context.Context, url string) error {
	tick := time.NewTicker(paylib.Pause)
	defer tick.Stop()
loop:
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			err := post(ctx, url, uuid.NewString()) // want "new idempotency key"
			if err == nil {
				break loop
			}
		}
	}
	return nil
}

func SwitchOnTheError(ctx context.Context, url string) error {
	for n := 0; ; n++ {
		err := post(ctx, url, uuid.NewString()) // want "new idempotency key"
		switch {
		case err == nil:
			return nil
		case n < 3 && retryable(err):
			time.Sleep(paylib.Pause)
		default:
			return err
		}
	}
}

func SwitchOnTheStatus(ctx context.Context, url string) error {
	for range 3 {
		code, err := status(ctx, url, uuid.NewString()) // want "new idempotency key"
		if err != nil {
			return err
		}
		switch code {
		case http.StatusOK, http.StatusCreated:
			return nil
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			time.Sleep(paylib.Pause)
			continue
		}
		return fmt.Errorf("status %d", code)
	}
	return errors.New("gave up")
}

func StatusInAnIf(ctx context.Context, url string) error {
	var last error
	for i := 1; i <= 3; i++ {
		code, err := status(ctx, url, uuid.NewString()) // want "new idempotency key"
		if err == nil && code < 500 {
			return nil
		}
		last = err
		time.Sleep(time.Duration(math.Pow(2, float64(i))) * time.Microsecond)
	}
	return last
}

func StatusClass(ctx context.Context, url string) error {
	for i := 0; i < 3; i++ {
		code, err := status(ctx, url, uuid.NewString()) // want "new idempotency key"
		if err != nil || code/100 != 2 {
			time.Sleep(paylib.Pause)
			continue
		}
		return nil
	}
	return errors.New("gave up")
}

func NotRetryableLeaves(ctx context.Context, url string) error {
	var err error
	for i := 0; i < 3; i++ {
		err = post(ctx, url, uuid.NewString()) // want "new idempotency key"
		if !retryable(err) {
			return err
		}
	}
	return err
}

func RefreshedOnFailure(ctx context.Context, url string) error {
	key := uuid.NewString()
	var err error
	for range 3 {
		if err = post(ctx, url, key); err == nil { // want "new idempotency key"
			return nil
		}
		key = uuid.NewString()
	}
	return err
}

func Goto(ctx context.Context, url string) error {
	n := 0
again:
	err := post(ctx, url, uuid.NewString()) // want "new idempotency key"
	if err != nil && n < 3 {
		n++
		goto again
	}
	return err
}

func Recursion(ctx context.Context, url string) error { return recurse(ctx, url, 3) }

func recurse(ctx context.Context, url string, left int) error {
	err := post(ctx, url, uuid.NewString()) // want "new idempotency key"
	if err != nil && left > 0 {
		time.Sleep(paylib.Pause)
		return recurse(ctx, url, left-1)
	}
	return err
}

func RecursionKeyed(ctx context.Context, url string) error {
	return recurseKeyed(ctx, url, uuid.NewString(), 3)
}

func recurseKeyed(ctx context.Context, url, key string, left int) error {
	err := post(ctx, url, key)
	if err != nil && left > 0 {
		time.Sleep(paylib.Pause)
		return recurseKeyed(ctx, url, key, left-1)
	}
	return err
}

// The inner loop is the retry, the outer one has the items.
func InnerLoop(ctx context.Context, url string) error {
	for _, order := range []string{"one", "two"} {
		var err error
		for range 3 {
			if err = paylib.Send(ctx, url, order, paylib.NewKey()); err == nil { // want "new idempotency key"
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// All orders are sent again, under new keys, when one fails.
func LoopOverItemsInARetry(ctx context.Context, url string) (err error) {
	orders := []string{"one", "two"}
	for range 5 {
		if err = func() error {
			for _, order := range orders {
				if err := paylib.Send(ctx, url, order, paylib.NewKey()); err != nil { // want "new idempotency key"
					return err
				}
			}
			return nil
		}(); err == nil {
			return nil
		}
	}
	return err
}

func InAGoroutine(ctx context.Context, url string) error {
	done := make(chan error)
	go func() {
		for range 5 {
			if err := post(ctx, url, uuid.NewString()); err == nil { // want "new idempotency key"
				close(done)
				return
			}
		}
		done <- errors.New("gave up")
	}()
	return <-done
}

func RecursiveClosure(ctx context.Context, url string) error {
	var try func(n int) error
	try = func(n int) error {
		err := post(ctx, url, uuid.NewString()) // want "new idempotency key"
		if err == nil || n == 0 {
			return err
		}
		return try(n - 1)
	}
	return try(3)
}

// The attempt runs elsewhere; its error comes over a channel.
func ErrorOverAChannel(ctx context.Context, url string) error {
	for range 4 {
		done := make(chan error, 1)
		go func() { done <- post(ctx, url, uuid.NewString()) }() // want "new idempotency key"
		select {
		case err := <-done:
			if err == nil {
				return nil
			}
		case <-time.After(time.Second):
			return context.DeadlineExceeded
		}
	}
	return errors.New("gave up")
}

type answer struct{ Status string }

func ask(ctx context.Context, url, key string) (*answer, error) {
	if err := post(ctx, url, key); err != nil {
		return nil, err
	}
	return &answer{"done"}, nil
}

func StatusInTheAnswer(ctx context.Context, url string) error {
	for range 3 {
		a, err := ask(ctx, url, uuid.NewString()) // want "new idempotency key"
		if err == nil && a.Status == "done" {
			return nil
		}
		time.Sleep(paylib.Pause)
	}
	return errors.New("gave up")
}

// codeOf gives the code of an error: zero is none.
func codeOf(err error) uint32 {
	if err == nil {
		return 0
	}
	return 14
}

const unavailable = 14

func CodeOfTheError(ctx context.Context, url string) (err error) {
	for range 3 {
		err = post(ctx, url, uuid.NewString()) // want "new idempotency key"
		if codeOf(err) != unavailable {
			return err
		}
		time.Sleep(paylib.Pause)
	}
	return err
}

func CodeOfSuccess(ctx context.Context, url string) (err error) {
	for range 3 {
		err = post(ctx, url, uuid.NewString()) // want "new idempotency key"
		switch codeOf(err) {
		case 0:
			return nil
		case unavailable:
			time.Sleep(paylib.Pause)
		}
	}
	return err
}

func LeavesByALabel(ctx context.Context, url string) error {
orders:
	for _, order := range []string{"one", "two"} {
		for range 4 {
			if paylib.Send(ctx, url, order, uuid.NewString()) == nil { // want "new idempotency key"
				continue orders
			}
		}
		return paylib.ErrBusy
	}
	return nil
}

func LeavesByALabelKeyed(ctx context.Context, url string) error {
orders:
	for _, order := range []string{"one", "two"} {
		key := uuid.NewString()
		for range 4 {
			if paylib.Send(ctx, url, order, key) == nil {
				continue orders
			}
		}
		return paylib.ErrBusy
	}
	return nil
}

func ConditionKept(ctx context.Context, url string) error {
	for done := false; !done; {
		done = post(ctx, url, uuid.NewString()) == nil // want "new idempotency key"
	}
	return nil
}

func ErrorAskedInSteps(ctx context.Context, url string) (err error) {
	for range 4 {
		err = post(ctx, url, uuid.NewString()) // want "new idempotency key"
		ok := err == nil
		if ok {
			break
		}
	}
	return err
}
