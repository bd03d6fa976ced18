// Package transportreuse defines an Analyzer that reports HTTP transports that are
// made for each request and dropped after it.
//
// # Analyzer transportreuse
//
// transportreuse: report connection pools made for each request and dropped after it
//
// An http.Transport is a pool of connections (what Node.js calls an http.Agent is
// http.Transport in Go). It is meant to be made once and shared. One that is made for
// a request and dropped is not collected by the garbage collector: each of its idle
// connections has two goroutines that hold it. The literal &http.Transport{} has no
// idle timeout, so they stay until the server closes the connection. Each call dials
// and handshakes anew, and sockets and goroutines pile up.
//
//	func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, error) {
//		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10}}
//		return b.open(ctx, client, key)
//	}
//
// Make it once, in a package variable or where the receiver is made:
//
//	func New() *Bucket {
//		return &Bucket{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10}}}
//	}
//
// A pool that really is for one call can be emptied after it:
//
//	defer client.CloseIdleConnections()
//
// The analyzer follows each pool, however it is made: by a literal, new, var,
// Transport.Clone, or a function of any package that returns one or something that
// has one inside (retryablehttp.NewClient, resty.New, your own constructor); a
// constructor of another module that is given one is taken to have it inside. It
// reports where a function that runs for each request makes it, sends with it and
// drops it: handlers, RoundTrip, methods and exported functions of libraries, what
// these call, and the bodies of loops. Also
//
//   - a client that is filled in where it is missing, in a copy: a value receiver, or
//     options passed by value
//   - a cache that a return goes round
//   - the Transport field of a client that lives on, overwritten in each call
//   - CloseIdleConnections through a RoundTripper that does not forward it, where it
//     does nothing
//
// # Not reported
//
//   - pools that are kept: in a package variable, a field, a map, by sync.Once or
//     sync.OnceValue, or returned; or that go where the analyzer cannot follow
//   - http.Client without a Transport and httputil.NewSingleHostReverseProxy, which
//     share http.DefaultTransport
//   - pools that keep no connections: DisableKeepAlives, Request.Close, a negative
//     MaxIdleConnsPerHost (unless ForceAttemptHTTP2 is set: HTTP/2 ignores it)
//   - pools emptied with CloseIdleConnections on each path
//   - what main, init, constructors, functions that run as long as the process (Run,
//     Start, ...) and commands of command-line tools do outside of loops
//   - test files and test helpers (use -transportreuse.tests) and generated files
//
// # How to silence
//
// Put //nolint:transportreuse with a reason on the line that makes the pool or above it:
//
//	client := newClient(cert) //nolint:transportreuse // once a day
package transportreuse
