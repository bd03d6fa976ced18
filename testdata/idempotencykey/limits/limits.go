// Package limits holds faults that the rule does not find: where the key comes
// from is out of its sight.
package limits

import (
	"context"

	"fixtures/idempotencykey/paylib"
)

// Keys is an interface: what its methods do, no body shows.
type Keys interface{ Next() string }

// MadeBehindAnInterface asks for a new key in each attempt.
func MadeBehindAnInterface(ctx context.Context, url string, keys Keys) error {
	var err error
	for range 3 {
		if err = paylib.Send(ctx, url, "order", keys.Next()); err == nil {
			return nil
		}
	}
	return err
}
