// Package falsepos proves that look-alikes of a key made for each attempt stay
// silent, each for its reason.
package falsepos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log"

	"fixtures/idempotencykey/paylib"

	"github.com/google/uuid"
)

// Hoisted makes one key before the first attempt.
func Hoisted(ctx context.Context, url string) error {
	key := uuid.NewString()
	var err error
	for range 3 {
		if err = paylib.Send(ctx, url, "order", key); err == nil {
			return nil
		}
	}
	return err
}

// PerItem pays each order once: each round is another operation.
func PerItem(ctx context.Context, url string, orders []string) {
	for _, order := range orders {
		if err := paylib.Send(ctx, url, order, uuid.NewString()); err != nil {
			log.Print(err)
		}
	}
}

// OnlyIfThereIsNone keeps the key of the first attempt.
func OnlyIfThereIsNone(ctx context.Context, url, key string) error {
	var err error
	for range 3 {
		if key == "" {
			key = uuid.NewString()
		}
		if err = paylib.Send(ctx, url, "order", key); err == nil {
			return nil
		}
	}
	return err
}

// FromThePayload has the same key in each attempt, since the payload is the same.
func FromThePayload(ctx context.Context, url, order string) error {
	var err error
	for range 3 {
		sum := sha256.Sum256([]byte(order))
		if err = paylib.Send(ctx, url, order, hex.EncodeToString(sum[:])); err == nil {
			return nil
		}
	}
	return err
}
