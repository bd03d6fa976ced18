// Package fixes proves that a handler's own call is mended where a return ends the
// handler.
package fixes

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func get(h http.HandlerFunc) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		req, err := http.NewRequest(method, srv.URL, http.NoBody)
		if err != nil {
			panic(err)
		}
		if resp, err := srv.Client().Do(req); err == nil {
			resp.Body.Close()
		}
	}
}

func TestFatal(t *testing.T) {
	get(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "DELETE" {
			t.Fatalf("method %s", r.Method) // want `t.Fatalf ends`
		}
		if r.Method == "PUT" {
			t.Fatal("put") // want `t.Fatal ends`
			return
		}
		switch r.Method {
		case "POST":
			t.FailNow() // want `t.FailNow ends`
		}
		w.WriteHeader(http.StatusAccepted)
	})
}

func TestLast(t *testing.T) {
	get(func(http.ResponseWriter, *http.Request) {
		t.Fatal("last") // want `t.Fatal ends`
	})
}

func TestRequire(t *testing.T) {
	get(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "POST", r.Method) // want `require.Equal may call FailNow`
		require.NotEmpty(t,                // want `require.NotEmpty may call FailNow`
			r.Form)
		w.WriteHeader(http.StatusAccepted)
	})
	require.NotNil(t, t.Context())
}

func TestNone(t *testing.T) {
	get(func(w http.ResponseWriter, r *http.Request) {
		t.Skip("no softer word") // want `t.Skip ends`
	})
	get(func(w http.ResponseWriter, r *http.Request) {
		check := func() int {
			t.Fatal("not the handler's") // want `t.Fatal ends`
			return 1
		}
		w.WriteHeader(check())
	})
	get(func(w http.ResponseWriter, r *http.Request) {
		require.New(t).True(false) // want `require.New\(\).True may call FailNow`
	})
}
