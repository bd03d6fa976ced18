package generics

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// must is a generic helper that ends a test.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A fixture embeds a type parameter's value and a test.
type fixture[T any] struct {
	testing.TB
	value T
}

// check has a generic receiver and ends a test.
func (f *fixture[T]) check(ok bool) {
	if !ok {
		f.FailNow()
	}
}

// runAll is generic over what a test runs on.
func runAll[T interface {
	testing.TB
	Run(string, func(T)) bool
}](t T, f func(T)) {
	t.Run("sub", f)
}

func TestGenerics(t *testing.T) {
	srv := httptest.NewServer(Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(&fixture[int]{TB: t}).check(true)
	})))
	defer srv.Close()
	resp := must[*http.Response](t)(http.Get(srv.URL))
	Close(resp)
	runAll(t, func(t *testing.T) { t.Helper() })
}

func BenchmarkGenerics(b *testing.B) {
	runAll(b, func(b *testing.B) {
		for b.Loop() {
			_ = Min(1, 2)
		}
	})
}
