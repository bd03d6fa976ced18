// Package makers proves that a key is known to be new whatever makes it, directly or
// calls away, and that what is derived from the order is not.
package makers

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand"
	randv2 "math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
)

func send(ctx context.Context, url, key string) error { return paylib.Send(ctx, url, "order", key) }

func try(ctx context.Context, url string, key func() string) (err error) {
	for range 3 {
		if err = send(ctx, url, key()); err == nil {
			return nil
		}
	}
	return err
}

func UUIDMust(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, uuid.Must(uuid.NewV7()).String()); err == nil { // want "uuid.NewV7 makes a new idempotency key"
			return nil
		}
	}
	return err
}

func UUIDOrError(ctx context.Context, url string) (err error) {
	for range 3 {
		id, uerr := uuid.NewRandom()
		if uerr != nil {
			return uerr
		}
		if err = send(ctx, url, id.String()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func ULID(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, ulid.MustNew(ulid.Now(), crand.Reader).String()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func XID(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, "k-"+xid.New().String()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func KSUID(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, fmt.Sprintf("%s/%s", "order", ksuid.New())); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func CryptoRandRead(ctx context.Context, url string) (err error) {
	for range 3 {
		b := make([]byte, 16)
		if _, rerr := crand.Read(b); rerr != nil {
			return rerr
		}
		if err = send(ctx, url, hex.EncodeToString(b)); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func CryptoRandReader(ctx context.Context, url string) (err error) {
	for range 3 {
		var b [16]byte
		if _, rerr := io.ReadFull(crand.Reader, b[:]); rerr != nil {
			return rerr
		}
		if err = send(ctx, url, base64.RawURLEncoding.EncodeToString(b[:])); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func CryptoRandText(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, crand.Text()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func MathRand(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, strconv.Itoa(rand.Int())); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func MathRandV2(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, strconv.FormatUint(randv2.Uint64(), 36)); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func RandSource(ctx context.Context, url string) (err error) {
	r := rand.New(rand.NewSource(1))
	for range 3 {
		if err = send(ctx, url, fmt.Sprint("k", r.Int63())); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func Clock(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, fmt.Sprintf("order-%d", time.Now().UnixNano())); err == nil { // want "time.Now makes a new idempotency key"
			return nil
		}
		time.Sleep(paylib.Pause)
	}
	return err
}

func ClockFormatted(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, "order"+time.Now().UTC().Format(time.RFC3339Nano)); err == nil { // want "time.Now makes a new idempotency key"
			return nil
		}
		time.Sleep(paylib.Pause)
	}
	return err
}

func Day(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, "order"+time.Now().Format("2006-01-02")); err == nil {
			return nil
		}
	}
	return err
}

func Attempt(ctx context.Context, url string) (err error) {
	for attempt := 1; attempt <= 3; attempt++ {
		key := fmt.Sprintf("order-%d", attempt)
		if err = send(ctx, url, key); err == nil { // want "the idempotency key holds attempt, which is another number in each attempt of the loop"
			return nil
		}
	}
	return err
}

func AttemptOfARange(ctx context.Context, url string) (err error) {
	for i := range 3 {
		if err = send(ctx, url, "order/"+strconv.Itoa(i)); err == nil { // want "the idempotency key holds i"
			return nil
		}
	}
	return err
}

func Hash(ctx context.Context, url string) (err error) {
	for range 3 {
		sum := sha256.Sum256([]byte("order"))
		if err = send(ctx, url, hex.EncodeToString(sum[:])); err == nil {
			return nil
		}
	}
	return err
}

// The hash of what is new is new.
func HashOfTheTime(ctx context.Context, url string) (err error) {
	for range 3 {
		sum := sha256.Sum256([]byte("order" + time.Now().String()))
		if err = send(ctx, url, hex.EncodeToString(sum[:])); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func NameBased(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, uuid.NewSHA1(uuid.NameSpaceOID, []byte("order")).String()); err == nil {
			return nil
		}
	}
	return err
}

func newKey() string { return prefixed(uuid.NewString()) }

func prefixed(s string) string { return "k-" + s }

func OwnHelper(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, newKey()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func HelperOfAnotherPackage(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, paylib.NewKey()); err == nil { // want "NewKey makes a new idempotency key"
			return nil
		}
	}
	return err
}

func HelperWithAnError(ctx context.Context, url string) (err error) {
	for range 3 {
		key, kerr := paylib.NewKeyOr()
		if kerr != nil {
			return kerr
		}
		if err = send(ctx, url, key); err == nil { // want "NewKeyOr makes a new idempotency key"
			return nil
		}
	}
	return err
}

func HelperThatDerives(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, paylib.KeyOf("order")); err == nil {
			return nil
		}
	}
	return err
}

var generate = uuid.NewString

func PackageVariable(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, generate()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func Closure(ctx context.Context, url string) (err error) {
	mk := func() string { return "k" + uuid.NewString() }
	for range 3 {
		if err = send(ctx, url, mk()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

type keys struct{ prefix string }

func (k keys) next() string { return k.prefix + xid.New().String() }

func Method(ctx context.Context, url string) (err error) {
	k := keys{"pay"}
	for range 3 {
		if err = send(ctx, url, k.next()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

type change struct {
	order, plan string
	at          time.Time
}

func (c *change) key() string { return c.order + "-" + c.plan + "-" + c.at.Format(time.RFC3339Nano) }

func (c *change) stable() string { return c.order + "-" + c.plan }

func FieldsOfAnObject(ctx context.Context, url string) (err error) {
	for range 3 {
		c := &change{order: "order", plan: "plan", at: time.Now()}
		if err = send(ctx, url, c.key()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func OtherFieldsOfAnObject(ctx context.Context, url string) (err error) {
	for range 3 {
		c := &change{order: "order", plan: "plan", at: time.Now()}
		if err = send(ctx, url, c.stable()); err == nil {
			return nil
		}
	}
	return err
}

type numbered struct{ n atomic.Uint64 }

func (s *numbered) nextKey() string { return fmt.Sprintf("%d-%d", time.Now().UnixNano(), s.n.Add(1)) }

func CalledNextKey(ctx context.Context, url string) (err error) {
	s := new(numbered)
	var in struct {
		IdempotencyKey string `json:"idempotency_key"`
	}
	for range 3 {
		in.IdempotencyKey = s.nextKey() // want "new idempotency key"
		if err = paylib.PostJSON(ctx, url+"/order", in); err == nil {
			return nil
		}
	}
	return err
}

type memo struct{ key string }

func (m *memo) get() string {
	if m.key == "" {
		m.key = uuid.NewString()
	}
	return m.key
}

func (m *memo) early() string {
	if m.key != "" {
		return m.key
	}
	m.key = uuid.NewString()
	return m.key
}

func MemoizedMethod(ctx context.Context, url string) (err error) {
	m := new(memo)
	for range 3 {
		if err = send(ctx, url, m.get()); err == nil {
			return nil
		}
	}
	return err
}

func MemoizedEarly(ctx context.Context, url string) (err error) {
	m := new(memo)
	for range 3 {
		if err = send(ctx, url, m.early()); err == nil {
			return nil
		}
	}
	return err
}

// The function is unknown where it is called.
func GivenFunction(ctx context.Context, url string) error {
	key := uuid.NewString()
	return try(ctx, url, func() string { return key })
}

func build(ctx context.Context, url, key string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", key)
	return req, nil
}

func AttemptInABuilder(ctx context.Context, url string) (err error) {
	for attempt := range 4 {
		req, berr := build(ctx, url, fmt.Sprintf("order-%d", attempt)) // want "the idempotency key holds attempt"
		if berr != nil {
			return berr
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func RandomLetters(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, paylib.RandomText(20)); err == nil { // want "paylib.RandomText makes a new idempotency key"
			return nil
		}
	}
	return err
}

func Builder(ctx context.Context, url string) (err error) {
	for range 3 {
		var b strings.Builder
		b.WriteString("order-")
		b.WriteString(uuid.NewString())
		if err = send(ctx, url, b.String()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func Sequence(ctx context.Context, url string) (err error) {
	var seq atomic.Int64
	for range 3 {
		if err = send(ctx, url, fmt.Sprint("order-", seq.Add(1))); err == nil { // want "seq.Add makes a new idempotency key"
			return nil
		}
	}
	return err
}

// The callee makes a key if it is given none, and it is given none.
func MadeByTheCalleeUnlessGiven(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = paylib.Pay(ctx, url, paylib.Params{Order: "order"}); err == nil { // want "paylib.Pay makes a new idempotency key"
			return nil
		}
	}
	return err
}

func HashWithTheTime(ctx context.Context, url string) (err error) {
	for range 3 {
		h := sha256.New()
		fmt.Fprint(h, "order", time.Now().UnixNano())
		if err = send(ctx, url, hex.EncodeToString(h.Sum(nil))); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func HashWithTheOrder(ctx context.Context, url string) (err error) {
	for range 3 {
		h := sha256.New()
		fmt.Fprintf(h, "%s", "order")
		io.WriteString(h, url)
		if err = send(ctx, url, hex.EncodeToString(h.Sum(nil))); err == nil {
			return nil
		}
	}
	return err
}

type job struct{ order, key string }

func (j *job) run(ctx context.Context, url string) error {
	if j.key == "" {
		j.key = uuid.NewString()
	}
	return paylib.Send(ctx, url, j.order, j.key)
}

func FreshJob(ctx context.Context, url string) (err error) {
	for range 3 {
		j := job{order: "order"}
		if err = j.run(ctx, url); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func SameJob(ctx context.Context, url string) (err error) {
	j := job{order: "order"}
	for range 3 {
		if err = j.run(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

func FreshJobThatIsGivenAKey(ctx context.Context, url string) (err error) {
	key := uuid.NewString()
	for range 3 {
		j := &job{order: "order", key: key}
		if err = j.run(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

func OneOfTwoKept(ctx context.Context, url string) (err error) {
	var j job
	for range 3 {
		j.key = cmp.Or(j.key, uuid.NewString())
		if err = send(ctx, url, j.key); err == nil {
			return nil
		}
	}
	return err
}

func OneOfTwo(ctx context.Context, url string) (err error) {
	given := ""
	for range 3 {
		if err = send(ctx, url, cmp.Or(given, uuid.NewString())); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func idempotencyKey(order string) string { return order + "-" + uuid.NewString() }

func CalledAsAKey(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = send(ctx, url, idempotencyKey("order")); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}
