// Package limits shows what the analysis does not follow, and so does not report.
package limits

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"testing"
)

// get serves h, sends a request, and does not mind the answer.
func get(h http.Handler) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL)
	if err == nil {
		resp.Body.Close()
	}
}

// What reflection calls.
func TestReflect(t *testing.T) {
	h := func() {
		t.Fatal("not seen")
	}
	get(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		reflect.ValueOf(h).Call(nil)
	}))
}

// What a context carries.
func TestContextValue(t *testing.T) {
	type key struct{}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		r.Context().Value(key{}).(func())()
	}))
	ctx := context.WithValue(t.Context(), key{}, func() {
		t.Fatal("not seen")
	})
	srv.Config.Handler = func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(ctx)) })
	}(srv.Config.Handler)
	srv.Start()
	defer srv.Close()
	if resp, err := srv.Client().Get(srv.URL); err == nil {
		resp.Body.Close()
	}
}

// The values of a struct that is copied are taken to be those of the original.
type holder struct{ f func() }

// A goroutine of the test itself, which is go vet's to report.
func TestOwnGoroutine(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	h := holder{func() {
		t.Fatal("not seen")
	}}
	go func() {
		defer wg.Done()
		h.f()
	}()
	wg.Wait()
}
