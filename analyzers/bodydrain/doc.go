// Package bodydrain defines an Analyzer that reports HTTP response bodies that
// are closed before they are read to their end.
//
// # Analyzer bodydrain
//
// bodydrain: report response bodies closed before they are read to their end
//
// An HTTP/1.1 connection can carry the next request only after the response
// before it was read to its end. If a body is closed earlier, net/http throws the
// connection away, and the next request to the same host dials anew: a TCP
// handshake, a TLS handshake, a socket in TIME_WAIT. No test notices. Under load
// it shows as latency, and as ports that run out.
//
// The commonest way to get there is the way out on a bad status:
//
//	resp, err := client.Do(req)
//	if err != nil {
//		return err
//	}
//	defer resp.Body.Close()
//	if resp.StatusCode != http.StatusOK {
//		return fmt.Errorf("status %s", resp.Status) // the body was not read
//	}
//
// Read what is left, within reason, before closing:
//
//	defer func() {
//		_, _ = io.CopyN(io.Discard, resp.Body, 256<<10)
//		resp.Body.Close()
//	}()
//
// The analyzer follows each response from the call that returns it, through
// variables, wrappers (gzip, bufio, io.TeeReader, types that embed the body),
// closures and helper functions of any package, on every path to where it is
// closed. It reports the Close, or the defer of it, if on some path nothing read
// the body to its end: no read at all, a reader that takes a part only
// (io.LimitReader and io.CopyN with less than 256 KiB, a single Read, a scanner
// or decoder left early), a helper that closes and does not read.
//
// # Not reported
//
//   - bodies of which a part is read through a limit of 256 KiB and more, or one
//     that is no constant: such a limit is a guard, not a way to stop early
//   - a json.Decoder's single Decode (xml, gob, yaml alike) is taken for reading
//     all, though it need not reach the end: use -bodydrain.strict to report it
//   - reads that were meant to reach the end and failed
//   - bodies closed after the request was cancelled: the connection is to be given up
//   - responses without a body (HEAD, 204, 304, Content-Length 0), connections that
//     end with the response or were never kept (Connection: close,
//     DisableKeepAlives), and HTTP/2-only transports, where closing early resets
//     one stream
//   - endless streams (server-sent events, watches) of which a part was read
//   - responses that are stored, sent, returned or given to a function of which
//     nothing is known, and those that did not come from a client in view
//   - bodies in memory: httptest.ResponseRecorder, http.ReadResponse, io.NopCloser
//   - functions that end the process: log.Fatal, os.Exit, the end of main
//   - test files and test helpers (use -bodydrain.tests) and generated files
//   - modules whose go directive is 1.27 or later: from there on, a Transport
//     drains up to 256 KiB by itself after Close (https://go.dev/issue/77370);
//     use -bodydrain.always to report nevertheless
//
// # How to silence
//
// Put //nolint:bodydrain with a reason on the line of the Close or above it:
//
//	defer resp.Body.Close() //nolint:bodydrain // an answer of many gigabytes
package bodydrain
