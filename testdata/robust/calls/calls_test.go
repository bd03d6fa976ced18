package calls

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A suite ends tests by way of what it embeds, in each form.
type suite struct {
	*testing.T
	assert struct{ testing.TB }
	fatal  func(...any)
}

func (s *suite) must(v any, err error) any {
	if err != nil {
		s.Fatal(err)
	}
	return v
}

func TestCalls(t *testing.T) {
	s := &suite{T: t, fatal: t.Fatal}
	h := func(w http.ResponseWriter, r *http.Request) {
		s.must(fmt.Fprintln(w))
		(*suite).must(s, nil, nil)
		(*testing.T).Helper(t)
		testing.TB.Helper(t)
		if r == nil {
			s.fatal()
			t.FailNow()
			s.assert.TB.FailNow()
			func(f func(...any)) { f() }(s.Fatal)
			fatal := testing.TB.Fatalf
			fatal(t, "")
			defer t.SkipNow()
			go t.Fatal()
			[]func(){t.FailNow}[0]()
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.HandlerFunc(h))
	mux.HandleFunc("/x", h)
	srv := &httptest.Server{Config: &http.Server{Handler: mux}}
	_ = srv
	for _, test := range []struct {
		name string
		http.HandlerFunc
	}{{"", h}, {"", nil}, {}} {
		test := test
		if test.HandlerFunc != nil {
			httptest.NewServer(test).Close()
			httptest.NewServer(test.HandlerFunc).Close()
		}
	}
}
