// Package cgo proves that no pass stumbles over a file that cgo has rewritten.
package cgo

/*
#include <errno.h>
static int twice(int x) { errno = 0; return 2 * x; }
struct point { int x, y; };
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

// Retry asks C until it answers, and keeps what it says in structs of both.
func Retry(w http.ResponseWriter, c *http.Client, url string) error {
	p := C.struct_point{x: 1, y: C.twice(2)}
	for i := C.int(0); i < p.y; i++ {
		n, err := C.twice(i)
		if err == nil {
			answer := struct {
				code C.int
				err  error
			}{n, err}
			w.WriteHeader(int(n))
			return answer.err
		}
		resp, err := c.Get(url + C.GoString(C.CString("?x")))
		if err != nil {
			return err
		}
		resp.Body.Close()
	}
	return nil
}

// Fail ends a test from C's side.
func Fail(t testing.TB) {
	if C.twice(1) != 2 {
		t.FailNow()
	}
}
