// Package helpers proves that helpers in other packages are known by facts: those
// that serve a parameter, those whose result is served, and those that do neither.
package helpers

import (
	"io"
	"net/http"
	"testing"

	"fixtures/failnow/helpers/plain"
	"fixtures/failnow/helpers/serving"
)

func TestStart(t *testing.T) {
	serving.Get(serving.Start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})))
}

func TestStartFunc(t *testing.T) {
	serving.Get(serving.StartFunc(t, func(http.ResponseWriter, *http.Request) {
		serving.Must(t, io.EOF) // want `serving.Must may call FailNow, which ends`
	}))
}

func TestSetup(t *testing.T) {
	mux, url := serving.Setup(t)
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	serving.Get(url)
}

func TestFake(t *testing.T) {
	fake := serving.NewFake(t)
	fake.Handle("/a", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	serving.Get(fake.URL() + "/a")
}

func TestLazy(t *testing.T) {
	lazy := &serving.Lazy{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})}
	serving.Get(lazy.Start(t))
}

func TestRecord(t *testing.T) {
	serving.Record(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a")
	}))
}

func TestEach(t *testing.T) {
	mux, url := serving.Setup(t)
	serving.Each([]string{"/a", "/b"}, func(path string) {
		mux.HandleFunc(path, func(http.ResponseWriter, *http.Request) {
			t.Fatal("a") // want `t.Fatal ends`
		})
	})
	serving.Get(url + "/a")
	serving.Each([]string{url}, func(path string) {
		t.Fatal(path)
	})
}

// What a handler gives to a function of a package without servers runs there.
func TestPlainEach(t *testing.T) {
	serving.Get(serving.Start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		plain.Each([]string{"/a"}, func(path string) {
			t.Fatal(path) // want `t.Fatal ends`
		})
	})))
	plain.Each([]string{"/a"}, func(path string) {
		t.Skip("on the test's goroutine")
	})
}
