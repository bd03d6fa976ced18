// Package timeoutstatus defines an Analyzer that reports failures of the network
// that are answered as timeouts.
//
// # Analyzer timeoutstatus
//
// timeoutstatus: report transport errors answered as timeouts without asking Timeout()
//
// Every error of http.Client.Do is a *url.Error and so a net.Error: for a refused
// connection, an unknown host, a server that hung up and a request that was
// cancelled as well as for a timeout. To find a net.Error is to know nothing. A
// program that then answers 504 Gateway Timeout, or 408 Request Timeout, tells its
// caller that the upstream is slow, that it may have done the work, and that waiting
// longer would have helped, while nobody listens there:
//
//	resp, err := client.Do(req)
//	var ne net.Error
//	if errors.As(err, &ne) {
//		http.Error(w, "upstream timed out", http.StatusGatewayTimeout) // a refused connection too
//		return
//	}
//
// Ask the error:
//
//	if errors.As(err, &ne) && ne.Timeout() {
//
// Reported is the place where the status is chosen: written, returned, assigned, or
// put into an error value, on a path on which the error is known to be a failure of
// the network (a net.Error, *url.Error, *net.OpError or *net.DNSError by errors.As,
// errors.AsType, a type assertion or switch, or a function that asks this; or any
// error at all of a call that sends a request or dials, or in the ErrorHandler of an
// httputil.ReverseProxy), and may still be a connection that was never made. A call
// of a function that always answers with such a status is such a place too, and so is
// the name of a kind of error that the package turns into such a status. A failure
// stays one as an error of the program's own (return ErrSlow), in a field of a struct,
// over a channel, and through what runs functions: errgroup, retries.
//
// Timeout() is asked by ne.Timeout(), os.IsTimeout, errors.Is with
// context.DeadlineExceeded or os.ErrDeadlineExceeded, or a function that asks one of
// these; before the choice, with && and in the right branch. Temporary() is no
// substitute: a name server in trouble is temporary, and no timeout.
//
// Two facts to know when you mend it: a client's deadline is
// context.DeadlineExceeded and not os.ErrDeadlineExceeded, the deadline of reading a
// server's request the other way round; and os.IsTimeout does not look through
// fmt.Errorf("%w").
//
// # Not reported
//
//   - Errors of reading the request's own body: 408 is right there.
//   - A failure that was named (errors.Is(err, syscall.ECONNREFUSED)): this is a
//     decision, right or wrong.
//   - What follows a test that may be about time: of a context's Err, of a duration,
//     of the error's text, or a bool that comes from elsewhere.
//   - Statuses that are compared or listed, and test files.
//
// Other statuses can be given with -timeoutstatus.codes.
//
// # How to silence
//
//	w.WriteHeader(http.StatusGatewayTimeout) //nolint:timeoutstatus // the reason
package timeoutstatus
