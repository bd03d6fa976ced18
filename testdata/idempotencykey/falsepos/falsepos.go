// Package falsepos proves that keys which are new for good reason are left alone: a
// key for each item, a key made once, and what is no key.
package falsepos

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
)

const header = "Idempotency-Key"

func newRequest(ctx context.Context, url, order string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/"+order, nil)
	if err != nil {
		panic(err)
	}
	return req
}

// Each order is another operation. The loop ends on failure.
func Orders(ctx context.Context, url string) error {
	for _, order := range []string{"one", "two", "three", "four"} {
		if err := paylib.Send(ctx, url, order, uuid.NewString()); err != nil && !errors.Is(err, paylib.ErrBusy) {
			return err
		}
	}
	return nil
}

// Each card is another payment; the loop looks for one that is accepted.
func FirstCardAccepted(ctx context.Context, url string) (err error) {
	for _, card := range []string{"visa", "amex", "jcb"} {
		if err = paylib.Send(ctx, url, card, uuid.NewString()); err == nil {
			return nil
		}
	}
	return err
}

func FirstCardByIndex(ctx context.Context, url string) (err error) {
	cards := []string{"visa", "amex", "jcb"}
	for i := 0; i < len(cards); i++ {
		if err = paylib.Send(ctx, url, cards[i], uuid.NewString()); err == nil {
			break
		}
	}
	return err
}

type provider struct{ url, name string }

func (p provider) charge(ctx context.Context, key string) error {
	return paylib.Send(ctx, p.url, p.name, key)
}

// Several providers, each with its own key: to each of them it is another operation.
func Providers(ctx context.Context, url string) (err error) {
	for _, p := range []provider{{url, "stripe"}, {url, "adyen"}, {url, "square"}} {
		if err = p.charge(ctx, uuid.NewString()); err == nil {
			return nil
		}
	}
	return err
}

// The name is taken, so it is another account that is asked for.
func AnotherName(ctx context.Context, url string) (err error) {
	type account struct {
		Name string `json:"name"`
		Key  string `json:"idempotency_key"`
	}
	for range 5 {
		name := fmt.Sprintf("shop-%d", rand.Int())
		if err = paylib.PostJSON(ctx, url, account{Name: name, Key: uuid.NewString()}); err == nil {
			return nil
		}
	}
	return err
}

// A load generator wants so many payments, whatever becomes of each.
func LoadGenerator(ctx context.Context, url string) error {
	for i := 0; i < 6; i++ {
		if err := paylib.Send(ctx, url, fmt.Sprint("load-", i), uuid.NewString()); err != nil {
			slog.Warn("lost", "err", err)
			continue
		}
		time.Sleep(paylib.Pause)
	}
	return nil
}

func Seeder(ctx context.Context, url string) error {
	for i := range 4 {
		err := paylib.Send(ctx, url, fmt.Sprint("seed-", i), uuid.NewString())
		if err != nil && !errors.Is(err, paylib.ErrBusy) {
			return err
		}
	}
	return nil
}

func Ticker(ctx context.Context, url string) error {
	tick := time.NewTicker(paylib.Pause)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if n == 4 {
				return nil
			}
			if err := paylib.Send(ctx, url, fmt.Sprint("tick-", n), uuid.NewString()); err != nil {
				slog.Warn("lost", "err", err)
			}
		}
	}
}

func Consumer(ctx context.Context, url string) error {
	orders := make(chan string, 4)
	orders <- "one"
	orders <- "two"
	orders <- "three"
	close(orders)
	for order := range orders {
		if err := paylib.Send(ctx, url, order, uuid.NewString()); err != nil {
			slog.Error("dropped", "order", order, "err", err)
		}
	}
	return nil
}

type source struct{ n int }

func (s *source) Receive(context.Context) (string, error) {
	if s.n++; s.n > 3 {
		return "", errors.New("closed")
	}
	return fmt.Sprint("msg-", s.n), nil
}

func ConsumerOfMessages(ctx context.Context, url string) error {
	s := new(source)
	for {
		msg, err := s.Receive(ctx)
		if err != nil {
			return nil
		}
		if err := paylib.Send(ctx, url, msg, uuid.NewString()); err != nil {
			continue
		}
	}
}

func Pages(ctx context.Context, url string) error {
	for page := 1; ; page++ {
		err := paylib.Send(ctx, url, fmt.Sprint("page-", page), uuid.NewString())
		if page == 4 {
			return nil
		}
		if err != nil {
			continue
		}
	}
}

func KeyOfTheOuterLoop(ctx context.Context, url string) error {
	for _, order := range []string{"one", "two"} {
		key := uuid.NewString()
		var err error
		for range 4 {
			if err = paylib.Send(ctx, url, order, key); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func MadeIfEmpty(ctx context.Context, url string) (err error) {
	var key string
	for range 4 {
		if key == "" {
			key = uuid.NewString()
		}
		if err = paylib.Send(ctx, url, "order", key); err == nil {
			return nil
		}
	}
	return err
}

func MadeInTheFirstAttempt(ctx context.Context, url string) (err error) {
	var key string
	for i := 0; i < 4; i++ {
		if i == 0 {
			key = uuid.NewString()
		}
		if err = paylib.Send(ctx, url, "order", key); err == nil {
			return nil
		}
	}
	return err
}

func MadeUnderAFlag(ctx context.Context, url string) (err error) {
	req := newRequest(ctx, url, "order")
	keyed := false
	for range 4 {
		if !keyed {
			req.Header.Set(header, uuid.NewString())
			keyed = true
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func MadeOnce(ctx context.Context, url string) (err error) {
	var once sync.Once
	var key string
	for range 4 {
		once.Do(func() { key = uuid.NewString() })
		if err = paylib.Send(ctx, url, "order", key); err == nil {
			return nil
		}
	}
	return err
}

func OnceValue(ctx context.Context, url string) (err error) {
	key := sync.OnceValue(uuid.NewString)
	for range 4 {
		if err = paylib.Send(ctx, url, "order", key()); err == nil {
			return nil
		}
	}
	return err
}

func KeptOnTheRequest(ctx context.Context, url string) (err error) {
	req := newRequest(ctx, url, "order")
	for range 4 {
		if req.Header.Get(header) == "" {
			req.Header.Set(header, uuid.NewString())
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func KeptInAMap(ctx context.Context, url string) (err error) {
	keys := make(map[string]string)
	for range 4 {
		key, ok := keys["order"]
		if !ok {
			key = uuid.NewString()
			keys["order"] = key
		}
		if err = paylib.Send(ctx, url, "order", key); err == nil {
			return nil
		}
	}
	return err
}

func KeptInASyncMap(ctx context.Context, url string) (err error) {
	var keys sync.Map
	for range 4 {
		key, _ := keys.LoadOrStore("order", uuid.NewString())
		if err = paylib.Send(ctx, url, "order", key.(string)); err == nil {
			return nil
		}
	}
	return err
}

type store map[string]string

func (s store) key(order string) string {
	if k, ok := s[order]; ok {
		return k
	}
	k := uuid.NewString()
	s[order] = k
	return k
}

func KeptByAHelper(ctx context.Context, url string) (err error) {
	s := make(store)
	for range 4 {
		if err = paylib.Send(ctx, url, "order", s.key("order")); err == nil {
			return nil
		}
	}
	return err
}

type payment struct {
	Order          string
	IdempotencyKey string `json:"idempotency_key"`
}

func KeptInTheStruct(ctx context.Context, url string) (err error) {
	p := &payment{Order: "order"}
	for range 4 {
		if p.IdempotencyKey == "" {
			p.IdempotencyKey = uuid.NewString()
		}
		if err = paylib.PostJSON(ctx, url, p); err == nil {
			return nil
		}
	}
	return err
}

func newPayment() payment { return payment{"order", uuid.NewString()} }

// The new key is replaced before it is sent.
func Replaced(ctx context.Context, url string) (err error) {
	key := uuid.NewString()
	for range 4 {
		p := newPayment()
		p.IdempotencyKey = key
		if err = paylib.PostJSON(ctx, url, p); err == nil {
			return nil
		}
	}
	return err
}

func HeaderReplaced(ctx context.Context, url string) (err error) {
	key := uuid.NewString()
	for range 4 {
		req := newRequest(ctx, url, "order")
		paylib.Stamp(req)
		req.Header.Set(header, key)
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

// The first body keeps its key for those that follow.
func FirstOfAll(ctx context.Context, url string) (err error) {
	var first string
	for range 4 {
		p := newPayment()
		if first == "" {
			first = p.IdempotencyKey
		} else {
			p.IdempotencyKey = first
		}
		if err = paylib.PostJSON(ctx, url, p); err == nil {
			return nil
		}
	}
	return err
}

// What is new in each attempt is for the logs.
func RequestID(ctx context.Context, url string) (err error) {
	key := uuid.NewString()
	for n := range 4 {
		req := newRequest(ctx, url, "order")
		req.Header.Set("X-Request-Id", uuid.NewString())
		req.Header.Set("X-Attempt", fmt.Sprint(n))
		req.Header.Set("Date", time.Now().Format(http.TimeFormat))
		req.Header.Set(header, key)
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func Logged(ctx context.Context, url string) (err error) {
	for range 4 {
		slog.Info("attempt", "idempotency_key", uuid.NewString())
		if err = paylib.Send(ctx, url, "order", "always"); err == nil {
			return nil
		}
	}
	return err
}

// The server said that the key is taken: another one is right.
func RenewedOnConflict(ctx context.Context, url string) error {
	errConflict := errors.New("key taken")
	key := uuid.NewString()
	for {
		err := paylib.Send(ctx, url, "order", key)
		if errors.Is(err, errConflict) {
			key = uuid.NewString()
			continue
		}
		if err == nil || !errors.Is(err, paylib.ErrBusy) {
			return err
		}
	}
}

type node struct {
	name     string
	children []*node
}

// A walk of a tree calls itself, for other things.
func Walk(ctx context.Context, url string) error {
	return walk(ctx, url, &node{"root", []*node{{"left", nil}, {"right", nil}}})
}

func walk(ctx context.Context, url string, n *node) error {
	err := paylib.Send(ctx, url, n.name, uuid.NewString())
	for _, child := range n.children {
		if err := walk(ctx, url, child); err != nil {
			return err
		}
	}
	if err != nil && !errors.Is(err, paylib.ErrBusy) {
		return err
	}
	return nil
}

// A poller asks how it went; the payment stands before it.
func Poll(ctx context.Context, url string) error {
	_ = paylib.Send(ctx, url, "order", uuid.NewString())
	for range 4 {
		resp, err := http.Get(url + "/status")
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return nil
		}
		time.Sleep(paylib.Pause)
	}
	return nil
}

// Accounts are one operation each, however often each of them is tried.
func AccountsInARetry(ctx context.Context, url string) error {
	return paylib.Each([]string{"one", "two"}, func(order string) error {
		key := uuid.NewString()
		return paylib.WithRetry(ctx, func() error {
			return paylib.Send(ctx, url, order, key)
		})
	})
}

// Each call of the client is an operation; within it the key stays.
func ClientCall(ctx context.Context, url string) error {
	c := &client{url: url}
	for _, order := range []string{"one", "two"} {
		if err := c.pay(ctx, order, ""); err != nil {
			return err
		}
	}
	return nil
}

type client struct{ url string }

func (c *client) pay(ctx context.Context, order, key string) (err error) {
	if key == "" {
		key = uuid.NewString()
	}
	for range 4 {
		if err = paylib.Send(ctx, c.url, order, key); err == nil {
			return nil
		}
	}
	return err
}

func ServerThatReads(ctx context.Context, url string) error {
	seen := make(map[string]string)
	h := func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get(header)
		if key == "" {
			key = uuid.NewString()
		}
		if _, ok := seen[key]; ok {
			w.WriteHeader(http.StatusConflict)
			return
		}
		seen[key] = r.URL.Path
		w.Header().Set(header, key)
	}
	_ = h
	return nil
}

type requestID struct{}

type operationKey struct{}

// The context carries a request ID for each attempt beside the key of all.
func RequestIDInTheContext(ctx context.Context, url string) (err error) {
	ctx = context.WithValue(ctx, operationKey{}, uuid.NewString())
	for range 4 {
		ctx := context.WithValue(ctx, requestID{}, uuid.NewString())
		if err = sendFromContext(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

func sendFromContext(ctx context.Context, url string) error {
	return paylib.Send(ctx, url, "order", ctx.Value(operationKey{}).(string))
}

// The callee makes a key only if it is given none.
func GivenToTheCallee(ctx context.Context, url string) (err error) {
	key := uuid.NewString()
	for range 4 {
		if err = paylib.Pay(ctx, url, paylib.Params{Order: "order", IdempotencyKey: &key}); err == nil {
			return nil
		}
	}
	return err
}

// row is an order with its key, as it is stored.
type row struct {
	Order          string `json:"order"`
	IdempotencyKey string `json:"idempotency_key"`
}

type rows map[string]*row

func (r rows) find(order string) (*row, error) {
	if found := r[order]; found != nil {
		return found, nil
	}
	return nil, errNone
}

var errNone = errors.New("no such row")

// What an earlier round stored is found by the next.
func StoredRow(ctx context.Context, url string) (err error) {
	store := rows{}
	for range 4 {
		r, ferr := store.find("order")
		if errors.Is(ferr, errNone) {
			r = &row{Order: "order", IdempotencyKey: uuid.NewString()}
			store["order"] = r
		}
		if err = paylib.PostJSON(ctx, url+"/order", r); err == nil {
			return nil
		}
	}
	return err
}

func StoredInAMap(ctx context.Context, url string) (err error) {
	store := make(map[string]*row)
	for range 4 {
		r, ok := store["order"]
		if !ok {
			r = &row{Order: "order", IdempotencyKey: uuid.NewString()}
			store["order"] = r
		}
		if err = paylib.PostJSON(ctx, url+"/order", r); err == nil {
			return nil
		}
	}
	return err
}

// A request that comes with an error is not sent.
func ReplacedUnlessFailed(ctx context.Context, url string) error {
	key := uuid.NewString()
	return sendBuilt(ctx, func() (*http.Request, error) {
		req, err := stamped(ctx, url)
		if err == nil {
			req.Header.Set(header, key)
		}
		return req, err
	})
}

func stamped(ctx context.Context, url string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return nil, err
	}
	paylib.Stamp(req)
	return req, nil
}

func sendBuilt(ctx context.Context, build func() (*http.Request, error)) (err error) {
	for range 4 {
		req, err := build()
		if err != nil {
			return err
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}
