// Package reach proves that what ends a test is found through whatever library or
// helper it is done, and that what only marks it is not.
package reach

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	qt "github.com/frankban/quicktest"
	"github.com/matryer/is"
	"github.com/onsi/gomega"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	tools "gotest.tools/v3/assert"
)

// ask sends a request to a server of h, and does not mind the answer.
func ask(t testing.TB, h http.HandlerFunc) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	resp, err := srv.Client().Post(srv.URL, "text/plain", http.NoBody)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func TestMethodsOfT(t *testing.T) {
	ask(t, func(http.ResponseWriter, *http.Request) {
		t.FailNow() // want `t.FailNow ends the server's goroutine and not the test \(the test goes on and its client sees EOF\)`
	})
	ask(t, func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	ask(t, func(http.ResponseWriter, *http.Request) {
		t.Fatalf("a") // want `t.Fatalf ends`
	})
	ask(t, func(http.ResponseWriter, *http.Request) {
		t.Error("a")
		t.Log("a")
	})
}

func TestSkips(t *testing.T) {
	ask(t, func(http.ResponseWriter, *http.Request) {
		t.SkipNow() // want `t.SkipNow ends .* \(a test that runs on is marked as skipped\)`
	})
}

func TestSkipArgs(t *testing.T) {
	ask(t, func(http.ResponseWriter, *http.Request) {
		t.Skip("a") // want `t.Skip ends`
	})
}

func TestSkipFormat(t *testing.T) {
	ask(t, func(http.ResponseWriter, *http.Request) {
		t.Skipf("a") // want `t.Skipf ends`
	})
}

func TestRequire(t *testing.T) {
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		require.Equal(t, "GET", r.Method) // want `require.Equal may call FailNow, which ends the server's goroutine`
	})
	must := require.New(t)
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		must.Equal("GET", r.Method) // want `must.Equal may call FailNow, which ends`
	})
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "GET", r.Method)
		assert.New(t).Equal("GET", r.Method)
	})
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		assert.FailNow(t, "no") // want `assert.FailNow ends`
	})
}

func TestGotestTools(t *testing.T) {
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		tools.Assert(t, r.Method == "GET") // want `tools.Assert may call FailNow, which ends`
	})
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		tools.NilError(t, io.EOF) // want `tools.NilError may call FailNow, which ends`
	})
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		tools.Check(t, r.Method == "GET")
	})
}

func TestQuicktest(t *testing.T) {
	c := qt.New(t)
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		c.Assert(r.Method, qt.Equals, "GET") // want `c.Assert may call FailNow, which ends`
	})
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		qt.Assert(t, r.Method, qt.Equals, "GET") // want `qt.Assert may call FailNow, which ends`
	})
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		c.Check(r.Method, qt.Equals, "GET")
	})
}

func TestMatryer(t *testing.T) {
	strict := is.New(t)
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		strict.Equal(r.Method, "GET") // want `strict.Equal may call FailNow, which ends`
	})
	relaxed := is.NewRelaxed(t)
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		relaxed.Equal(r.Method, "GET")
	})
}

func TestGomega(t *testing.T) {
	g := gomega.NewWithT(t)
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		g.Expect(r.Method).To(gomega.Equal("GET")) // want `g.Expect\(\).To may call FailNow, which ends`
	})
}

func TestGomegaRegistered(t *testing.T) {
	gomega.RegisterTestingT(t)
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		gomega.Expect(r.Method).To(gomega.Equal("GET")) // want `gomega.Expect\(\).To may call FailNow, which ends`
	})
	gomega.Expect(t).NotTo(gomega.BeNil())
}

func TestGomegaOfOnesOwn(t *testing.T) {
	hard := gomega.NewGomega(func(message string, _ ...int) { t.Fatal(message) })
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		hard.Expect(r.Method).To(gomega.Equal("GET")) // want `hard.Expect\(\).To may call FailNow, which ends`
	})
	soft := gomega.NewGomega(func(message string, _ ...int) { t.Error(message) })
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		soft.Expect(r.Method).To(gomega.Equal("GET"))
	})
}

// check is a helper many calls away, by mutual recursion.
func check(t testing.TB, n int) {
	t.Helper()
	if n > 0 {
		again(t, n-1)
	}
}

func again(t testing.TB, n int) {
	if n == 0 {
		t.Fatal("the end")
	}
	check(t, n)
}

// softly looks like it.
func softly(t testing.TB) { t.Error("no end") }

// same is generic.
func same[V comparable](t testing.TB, x, y V) {
	if x != y {
		t.Fatalf("%v", x)
	}
}

// checker has a test in a field.
type checker struct{ t *testing.T }

func (c *checker) method(r *http.Request, want string) {
	if r.Method != want {
		c.fail()
	}
}

func (c *checker) fail() {
	c.t.Fatal("no")
}

func TestOwnHelpers(t *testing.T) {
	ask(t, func(http.ResponseWriter, *http.Request) {
		check(t, 3) // want `check calls again, which calls t.Fatal: it ends`
	})
	ask(t, func(http.ResponseWriter, *http.Request) {
		softly(t)
	})
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		same(t, r.Method, "GET") // want `same calls t.Fatalf: it ends`
	})
	c := &checker{t}
	ask(t, func(_ http.ResponseWriter, r *http.Request) {
		c.method(r, "GET") // want `c.method calls c.fail, which calls c.t.Fatal: it ends`
	})
	c.method(&http.Request{Method: "PUT"}, "PUT")
}

func TestValuesThatEnd(t *testing.T) {
	stop := t.FailNow
	ask(t, func(http.ResponseWriter, *http.Request) {
		stop() // want `stop ends`
	})
	func(stop func()) {
		ask(t, func(http.ResponseWriter, *http.Request) {
			stop() // want `stop ends`
		})
	}(t.FailNow)
}

func BenchmarkB(b *testing.B) {
	ask(b, func(http.ResponseWriter, *http.Request) {
		b.Fatal("a") // want `b.Fatal ends`
	})
}
