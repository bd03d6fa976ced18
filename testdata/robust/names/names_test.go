package names_test

import (
	hts "net/http/httptest"
	. "testing"

	fixture "fixtures/robust/names"
	web "net/http"
)

// testing is no package here.
type testing struct{ *T }

func (t testing) FailNow() {}

func TestNames(t *T) {
	srv := hts.NewServer(web.HandlerFunc(func(w web.ResponseWriter, r *web.Request) {
		t := testing{t}
		t.FailNow()
		if r == nil {
			t.T.Fatal("no request")
		}
		_ = fixture.Renamed
	}))
	srv.Close()
	func(t interface{ Fatal(...any) }) {
		if t == nil {
			t.Fatal()
		}
	}(t)
}

func FuzzNames(t *F) {
	t.Fuzz(func(T *T, b []byte) { T.Skip() })
}
