package helpers

import (
	"net/http"
	"testing"

	"fixtures/failnow/helpers/serving"
)

// An option that another package makes keeps a function for the server.
func TestOnRequest(t *testing.T) {
	serving.Get(serving.NewWatch(serving.OnRequest(func(*http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})).Start(t))
}

// Or it is for nothing but to be called when it is applied.
func TestOnNew(t *testing.T) {
	w := serving.NewWatch(serving.OnNew(func(w *serving.Watch) {
		if w == nil {
			t.Fatal("in place")
		}
	}))
	serving.Get(w.Start(t))
}

// An option is itself called where it is applied.
func TestOption(t *testing.T) {
	w := serving.NewWatch(nil, func(w *serving.Watch) {
		if w == nil {
			t.Fatal("in place")
		}
	})
	serving.Get(w.Start(t))
}

func TestOptions(t *testing.T) {
	options := []serving.Option{
		serving.OnRequest(func(*http.Request) {
			t.Fatal("a") // want `t.Fatal ends`
		}),
		func(w *serving.Watch) {
			if w == nil {
				t.Fatal("in place")
			}
		},
	}
	serving.Get(serving.NewWatch(options...).Start(t))
}

// What a middleware of another package wraps is served with it.
func TestMiddlewareValue(t *testing.T) {
	twice := serving.Twice()
	serving.Get(serving.Start(t, twice(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}))))
	serving.Record(serving.Twice()(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Skip("on the test's goroutine")
	})))
}
