// Package statusrelay defines an Analyzer that reports relays that turn an
// upstream's failure into 200.
//
// # Analyzer statusrelay
//
// statusrelay: report upstream bodies that are sent on without their status
//
// The error of http.Client.Do says whether there is a response, and nothing of what
// kind: a 401, a 404 and a 503 are no errors. A handler that sends the body of such a
// response to its own client without a look at the status answers 200 with an error
// page in it. The client believes it, a cache keeps it, and no monitor sees a thing:
//
//	resp, err := client.Do(req)
//	if err != nil {
//		http.Error(w, err.Error(), http.StatusBadGateway)
//		return
//	}
//	defer resp.Body.Close()
//	io.Copy(w, resp.Body) // 200, whatever the upstream said
//
// Pass the status on, or check it:
//
//	w.WriteHeader(resp.StatusCode)
//	io.Copy(w, resp.Body)
//
// Reported is the call, in a function that has an http.ResponseWriter or the context
// of gin, echo, fiber or fasthttp, that sends the body, or the return of a reply, as
// functions behind a gateway (AWS Lambda's) answer: copied, read and written, line
// by line, in another encoding, or decoded and encoded again; by itself or through
// functions that get the client as an io.Writer, or that fetch the body and do not
// look at its status either. The answer is 200 because nobody set a status (a bare
// Write, gin's Stream, fiber's Send), or because the code says so.
//
// A status is looked at where it is compared, passed on, or put into the answer or its
// header. To log or to count it is not to look at it, and neither is an if that does
// nothing else. Mind resty, fasthttp and their like: they too return a nil error for
// 4xx and 5xx.
//
// The fix passes the status on: where the code sets 200, or else before the first that
// is sent. It is offered where a variable holds the response on all paths.
//
// The function that has both the response and the client is blamed. Where a helper has
// one of them only, its caller is.
//
// # Not reported
//
//   - What is done about a status that was looked at, on the same path and before: a
//     matter of taste.
//   - Answers that are computed from what the body was decoded to, those of which it is
//     only a part, and those that come after a look at what the body says: it may say
//     itself that something failed.
//   - Pages made by templates, and answers about many upstreams, gathered in a loop.
//   - What is known to be a stream of events by its Content-Type.
//   - httputil.ReverseProxy, which passes the status on.
//   - Functions of which nothing is known (of other modules without a body to see, in
//     variables that are set more than once) that get the response or the client: they
//     may look, or answer. A method of an interface is known if the package, and those
//     of its module that it imports, show types that have it, and these agree.
//   - Clients, transports and hooks of the package that make errors of bad statuses.
//   - Test files, and packages that are there for tests by their path: mocks and the like.
//
// # How to silence
//
//	io.Copy(w, resp.Body) //nolint:statusrelay // the reason
package statusrelay
