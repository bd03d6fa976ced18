// Package callforms proves that spelling does not matter: renamed and dot imports,
// parentheses, shadowed names, embedded tests, generic and method expressions.
package callforms

import (
	"io"
	web "net/http"
	. "net/http/httptest"
	"testing"

	. "github.com/stretchr/testify/require"
)

func get(h web.Handler) {
	srv := NewServer(h)
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func TestDotAndRenamed(t *testing.T) {
	get(web.HandlerFunc(func(_ web.ResponseWriter, r *web.Request) {
		Equal(t, "POST", r.Method) // want `Equal may call FailNow, which ends`
	}))
}

func TestParenthesised(t *testing.T) {
	get((web.HandlerFunc)((func(_ web.ResponseWriter, r *web.Request) {
		(t.Fatal)("a") // want `t.Fatal ends`
	})))
	get(web.HandlerFunc(func(_ web.ResponseWriter, r *web.Request) {
		(t).Fatal("a") // want `t.Fatal ends`
	}))
}

type embedded struct{ *testing.T }

func TestEmbedded(t *testing.T) {
	e := embedded{t}
	get(web.HandlerFunc(func(_ web.ResponseWriter, r *web.Request) {
		e.Fatal("a") // want `e.Fatal ends`
	}))
}

func TestShadowed(t *testing.T) {
	type fake struct{ Fatal func(...any) }
	get(web.HandlerFunc(func(_ web.ResponseWriter, r *web.Request) {
		t := fake{func(...any) {}}
		t.Fatal("a")
	}))
	web := struct{ HandlerFunc func(func()) web.Handler }{func(func()) web.Handler { return web.NotFoundHandler() }}
	get(web.HandlerFunc(func() {
		t.Fatal("not served")
	}))
}

func fatal[T testing.TB](t T, args ...any) {
	t.Fatal(args...)
}

func TestGeneric(t *testing.T) {
	get(web.HandlerFunc(func(_ web.ResponseWriter, r *web.Request) {
		fatal[*testing.T](t, "a") // want `fatal calls t.Fatal: it ends`
	}))
	get(web.HandlerFunc(func(_ web.ResponseWriter, r *web.Request) {
		fatal(t, "a") // want `fatal calls t.Fatal: it ends`
	}))
}

func TestMethodExpression(t *testing.T) {
	get(web.HandlerFunc(func(_ web.ResponseWriter, r *web.Request) {
		(*testing.T).FailNow(t) // want `FailNow ends`
	}))
}

func TestInterface(t *testing.T) {
	var tb testing.TB = t
	get(web.HandlerFunc(func(_ web.ResponseWriter, r *web.Request) {
		tb.Fatal("a") // want `tb.Fatal ends`
	}))
}

type minimal interface {
	Helper()
	Fatalf(format string, args ...any)
}

func need(t minimal, ok bool) {
	t.Helper()
	if !ok {
		t.Fatalf("no")
	}
}

func TestMinimalInterface(t *testing.T) {
	get(web.HandlerFunc(func(_ web.ResponseWriter, r *web.Request) {
		need(t, false) // want `need calls t.Fatalf: it ends`
	}))
}
