// Package retrypolicy defines an Analyzer that reports HTTP requests that are
// repeated though they must not be, or badly.
//
// # Analyzer retrypolicy
//
// retrypolicy: report requests that must not be sent again, or are sent again badly
//
// A request that failed may be sent again if that does no harm, can help, and gives
// the server time. The analyzer follows each request from an attempt to the next
// one, through helpers, callbacks and retry libraries, and makes six checks, each with
// a category of its own (retrypolicy.method and so on):
//
//   - method: a POST or PATCH is sent again after a transport error, without an
//     idempotency key. Of a lost answer nobody knows whether the server has carried
//     out the request; sent again, it is carried out twice. So it is in a RoundTripper
//     that repeats any request, its body put back, and does not ask for the method. So
//     do retrying clients: resty retries every method once it has a retry count and no
//     condition, and so does retryablehttp with its own policy.
//   - body: a body that the attempt before has read is sent again: in the same
//     request, in a clone of it, or by way of the same reader. The second attempt
//     fails with "ContentLength=3 with Body length 0", or goes out empty and is taken
//     for good.
//   - hopeless: what is retried cannot succeed: after context.Canceled, after an error
//     of http.NewRequest, after a 4xx status but 408, 425 and 429; or after each 401,
//     with a new login and without an end.
//   - bound: only success ends the loop: it counts no attempts, and looks at no clock,
//     context or channel.
//   - wait: the next attempt follows at once, or after time.Sleep(5000), which is five
//     microseconds; or a policy of a library stops without the loop noticing it; or the
//     wait of a loop without an end doubles for ever.
//   - context: the wait between the attempts cannot be ended by the context that is in
//     scope.
//
// For example:
//
//	for i := 0; i < 3; i++ {
//		resp, err = client.Do(req) // req is a POST: carried out twice; the body is gone
//		if err == nil {
//			break
//		}
//		time.Sleep(delay) // goes on after ctx is done
//	}
//
// Rather make the key once and the request anew, and wait for both:
//
//	key := uuid.NewString()
//	for i := 0; i < 3; i++ {
//		req, err := newRequest(ctx, bytes.NewReader(data))
//		if err != nil {
//			return err
//		}
//		req.Header.Set("Idempotency-Key", key)
//		if resp, err = client.Do(req); err == nil {
//			break
//		}
//		select {
//		case <-ctx.Done():
//			return ctx.Err()
//		case <-time.After(delay):
//		}
//	}
//
// The flag -retrypolicy.checks takes a list with commas of the checks to make:
// -retrypolicy.checks=method,body.
//
// # Not reported
//
//   - a POST that is sent again only after a status was received, or while no
//     connection could be made, or with a condition (If-Match and the like) or a key
//     among what is sent
//   - GET, HEAD, PUT and DELETE with a bound and a wait
//   - a POST that only asks, logs in or connects, by its content type or by the name or
//     comment of a function that leads to it (search, list, refreshToken), and one of what
//     carries an ID of its own or says which part of a whole it is
//   - bodies that are made or rewound for each attempt
//   - requests that differ from round to round: consumers, pages, items, links that are
//     followed, tickers
//   - one more attempt at once, and attempts that go to another server each
//   - a request that cannot be made, where it is reported that the loop retries what the
//     server refuses
//   - polls: loops that ask again until something is there, and do not read it
//   - a sleep of at most half a second where each round looks at the context
//   - a loop without a count, though what it retries cannot succeed now: what it waits
//     for may come some day; and one that runs in a goroutine of its own, without a bound
//   - libraries with conditions of their own, but for those that say yes to each error
//   - an error that the analyzer cannot tell from others, a condition on it that it
//     cannot see through, functions with too many paths
//   - the callers of a helper that repeats what they send, if they are more than eight:
//     the helper is reported
//   - helpers of other modules: only those of the module at hand are followed
//   - test files, generated files, and packages that are there for tests: mocks,
//     benchmarks, what imports testing
//
// # How to silence
//
// Put //nolint:retrypolicy with a reason on the line or above it; it silences all
// checks:
//
//	resp, err := client.Do(req) //nolint:retrypolicy // the server tells duplicates by their text
package retrypolicy
