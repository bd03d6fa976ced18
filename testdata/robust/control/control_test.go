package control

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
)

// one and two end a test by way of each other.
func one(t *testing.T, n int) {
	if n > 0 {
		two(t, n-1)
	}
	three(t)
}

func two(t *testing.T, n int) {
	defer one(t, n)
	goto end
end:
	runtime.Goexit()
}

// three never gets to its end.
func three(t *testing.T) {
	for {
		select {
		default:
			return
		}
	}
	t.FailNow()
}

func TestControl(t *testing.T) {
	t.Skip("it is only read")
	var h http.HandlerFunc
	h = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			h(w, r)
		}
		defer one(t, 1)
		func() { t.Fatal() }()
		t.FailNow()
	}
	for _, f := range []func(http.Handler) *httptest.Server{httptest.NewServer, httptest.NewTLSServer, httptest.NewUnstartedServer} {
		defer f(h).Close()
	}
	go t.Run("", func(t *testing.T) { two(t, 1) })
}
