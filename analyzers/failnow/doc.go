// Package failnow defines an Analyzer that reports tests that are ended from an HTTP
// server's goroutine.
//
// # Analyzer failnow
//
// failnow: report tests ended from an HTTP server's goroutine
//
// FailNow, Fatal, Skip and their kin must run on the goroutine of the test: they end
// it by runtime.Goexit. In the handler of a server they end the server's goroutine:
//
//	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
//		body, err := io.ReadAll(r.Body)
//		if err != nil {
//			t.Fatal(err) // ends the goroutine of the server
//		}
//		require.JSONEq(t, want, string(body)) // so does this, if they differ
//	}))
//
// The test goes on, with an EOF from the client (over HTTP/2, INTERNAL_ERROR) that
// hides the cause; a GET on a reused connection is sent again, so that the handler
// runs twice; behind http.TimeoutHandler or fiber's App.Test the caller waits until
// the time is up; and Skip marks as skipped a test that runs on. Mark the test and
// return:
//
//	if err != nil {
//		t.Error(err)
//		return
//	}
//	assert.JSONEq(t, want, string(body))
//
// What ends a test is found out, not listed: any function that reaches
// runtime.Goexit by way of the testing value that it is given, in whatever package
// (testify's require, gotest.tools' assert.Assert, quicktest, one's own helpers).
//
// A handler is what is served: a function or value that reaches httptest.NewServer,
// an http.Server, a router that is served, or a function that serves its parameter;
// through variables, fields, method values, middleware, constructors and helpers.
// So are hooks of a server or of a served httputil.ReverseProxy, and what is wrapped
// around a served handler's ResponseWriter or Body. What a handler calls is reported
// where the handler's own code or its helper ends the test; what another package makes
// of the test, as httptest.NewServer(testkit.JSON(t, v)) is given, where it is made.
//
// # Not reported
//
//   - A handler that is called on the test's own goroutine:
//     h.ServeHTTP(httptest.NewRecorder(), r), and the RoundTripper, CheckRedirect or
//     Proxy of a client in the test.
//   - t.Error and assert, which mark the test and let it go on.
//   - A function that the handler hands to the test (over a channel, to t.Cleanup) or
//     that t.Run gives a t of its own.
//   - A t that is no test, or whose FailNow lets the goroutine run on.
//   - What is kept where the analysis does not follow it: a handler that a library
//     calls by reflection, a value that comes out of a map of any.
//
// # How to silence
//
//	t.Fatal(err) //nolint:failnow // the reason
package failnow
