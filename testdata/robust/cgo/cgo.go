// Package cgo proves that no pass stumbles over a file that cgo has rewritten.
package cgo

/*
#include <errno.h>
static int twice(int x) { errno = 0; return 2 * x; }
static void visit(void (*f)(int), int x) { if (f) f(x); }
*/
import "C"

import (
	"net/http"
	"testing"
)

// Twice asks C in a handler, for a status and for an error.
func Twice(w http.ResponseWriter, r *http.Request) {
	if n, err := C.twice(204); err != nil {
		w.WriteHeader(http.StatusRequestTimeout)
	} else {
		w.WriteHeader(int(n))
	}
	C.visit(nil, C.int(len(r.URL.Path)))
}

// Get has a client's mistake in such a file.
func Get(url string) (C.int, error) {
	resp, err := http.Get(url)
	if err != nil {
		return C.twice(1), err
	}
	defer resp.Body.Close()
	return C.int(resp.StatusCode), nil
}

// Fail ends a test from C's side.
func Fail(t testing.TB) {
	if C.twice(1) != 2 {
		t.FailNow()
	}
}
