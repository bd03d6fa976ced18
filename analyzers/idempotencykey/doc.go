// Package idempotencykey defines an Analyzer that reports idempotency keys that
// are made anew for each attempt of one operation.
//
// # Analyzer idempotencykey
//
// idempotencykey: report idempotency keys made anew for each attempt of one operation
//
// An idempotency key tells a server that two requests are two deliveries of one
// operation: an order whose answer was lost is sent again, and the server, which
// has seen the key, answers as before. A key made for each attempt says the
// opposite. Whenever an answer is lost, the retry turns one payment into two:
//
//	for attempt := 0; attempt < 3; attempt++ {
//		req, err := newRequest(ctx, order)
//		if err != nil {
//			return err
//		}
//		req.Header.Set("Idempotency-Key", uuid.NewString()) // another key each time
//		if err = send(req); err == nil {
//			return nil
//		}
//		time.Sleep(wait(attempt))
//	}
//
// Make the key once, before the first attempt:
//
//	key := uuid.NewString()
//	for attempt := 0; attempt < 3; attempt++ {
//		...
//		req.Header.Set("Idempotency-Key", key)
//
// The analyzer knows code that is repeated for one operation: loops that leave on
// success and go round on failure, recursion and goto on failure, functions given
// to one that calls them in such a loop (of any package, retry libraries included),
// the same call written once more for when it fails, jobs put back on their own queue,
// handlers of queues that do so (asynq, river), and hooks and transports below a
// retrying client. It reports the place where the key is set, in the code that is repeated
// or in functions that it calls, if the key is made there: a UUID or the like, a
// random number, the time, or anything that holds the number of the attempt. An
// option that makes a key when it is applied makes one in each attempt.
//
// Keys are the headers Idempotency-Key, X-Idempotency-Key, PayPal-Request-Id and
// their like, in any case; fields, setters, options and parameters called so
// (IdempotencyKey, ClientToken, ClientRequestToken); members of JSON and maps
// (idempotency_key). The flag -idempotencykey.headers adds further headers, in a
// list with commas: -idempotencykey.headers=X-Request-Id,X-Dedup.
//
// # Not reported
//
//   - keys made before the first attempt, or derived from what is sent
//   - keys made only where there is none yet, or in the first attempt
//   - one key for each item: a loop over orders, a queue, a load generator, and a
//     search for one of several accounts, cards or groups that is accepted
//   - request and trace IDs, nonces, timestamps
//   - keys that come from where the analyzer does not see: stores, interfaces
//   - a key replaced before it is sent
//   - generated files
//
// # How to silence
//
// Put //nolint:idempotencykey with a reason on the line or above it:
//
//	req.Header.Set("Idempotency-Key", key()) //nolint:idempotencykey // the server wants it so
package idempotencykey
