package helpers

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"fixtures/failnow/helpers/serving"
)

// What another package makes, and ends a test when it is called, is reported where it
// is made.
func TestMadeElsewhere(t *testing.T) {
	serving.Get(serving.Start(t, serving.Refuse(t)))              // want `serving.Refuse makes a handler that may call FailNow, which ends`
	serving.Get(serving.Start(t, serving.Wrap(t, serving.Mux()))) // want `serving.Wrap makes a handler`
	serving.Get(serving.Start(t, serving.NewStrict(t)))           // want `serving.NewStrict makes a handler`
}

// It is right where the test calls it.
func TestMadeElsewhereRecorded(t *testing.T) {
	defer func() { _ = recover() }()
	rec := httptest.NewRecorder()
	serving.Refuse(t)(rec, httptest.NewRequest("GET", "/", nil))
}

// What ends the test here is not the handler.
func TestMadeWithCleanup(t *testing.T) {
	mux, check := serving.Checked(t)
	serving.Get(serving.Start(t, mux))
	check()
}

// A struct of which a helper serves one field only.
func TestConfig(t *testing.T) {
	serving.Get(serving.Run(t, serving.Config{
		Handler: http.NotFoundHandler(),
		OnRequest: func(*http.Request) {
			t.Fatal("a") // want `t.Fatal ends`
		},
		Verify: func(tb testing.TB) {
			tb.Skip("on the test's goroutine")
		},
	}))
}

// The same of structs in a slice.
func TestConfigs(t *testing.T) {
	serving.RunAll(t, []serving.Config{{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			t.Fatal("a") // want `t.Fatal ends`
		}),
		Verify: func(tb testing.TB) {
			tb.Skip("on the test's goroutine")
		},
	}})
}

// A mock of another package calls the field of the method that is called.
func TestMock(t *testing.T) {
	mock := &serving.Mock{
		LoadFunc: func(string) string {
			t.Fatal("a") // want `t.Fatal ends`
			return ""
		},
		SaveFunc: func(string) {
			t.Skip("on the test's goroutine")
		},
	}
	serving.Get(serving.Start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mock.Load(r.URL.Path)
	})))
	mock.Save("/")
}

// A function that is made for the test, or takes it, is called by the handler.
func TestMadeAndCalled(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		must(t)(errors.New("a")) // want `must\(\) calls tb.Fatal: it ends`
	}))
	defer srv.Close()
	serving.Get(srv.URL)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(value(200, errors.New("a"))(t)) // want `value\(\) calls tb.Fatal: it ends`
	}))
	defer other.Close()
	serving.Get(other.URL)
}

func must(tb testing.TB) func(error) {
	return func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func value[T any](v T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}
