// Package routers proves that handlers and middleware are found through routers,
// whose bodies say what becomes of them.
package routers

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/mux"
	"github.com/julienschmidt/httprouter"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"
)

// get serves h, sends a request, and does not mind the answer.
func get(h http.Handler, path string) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL + path)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func TestChi(t *testing.T) {
	r := chi.NewRouter()
	r.Get("/a", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	r.Route("/deep", func(r chi.Router) {
		r.Route("/deeper", func(r chi.Router) {
			r.Get("/a", func(http.ResponseWriter, *http.Request) {
				t.Fatal("a") // want `t.Fatal ends`
			})
		})
	})
	r.Group(func(r chi.Router) {
		r.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				t.Fatal("a") // want `t.Fatal ends`
			})
		})
		r.Get("/b", http.NotFound)
	})
	sub := chi.NewRouter()
	sub.Get("/a", func(http.ResponseWriter, *http.Request) {
		require.True(t, false) // want `require.True may call FailNow, which ends`
	})
	r.Mount("/sub", sub)
	for _, path := range []string{"/a", "/deep/deeper/a", "/b", "/sub/a"} {
		get(r, path)
	}
}

func TestChiInPlace(t *testing.T) {
	r := chi.NewRouter()
	r.Get("/a", func(http.ResponseWriter, *http.Request) {})
	get(r, "/a")
	chi.Walk(r, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		t.Fatal(route)
		return nil
	})
}

func TestGorilla(t *testing.T) {
	r := mux.NewRouter()
	r.HandleFunc("/a", func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}).Methods("GET")
	sub := r.PathPrefix("/sub").Subrouter()
	sub.Handle("/a", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	}))
	sub.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/sub/b" {
				t.Fatal("b") // want `t.Fatal ends`
			}
			next.ServeHTTP(w, r)
		})
	})
	sub.HandleFunc("/b", http.NotFound)
	for _, path := range []string{"/a", "/sub/a", "/sub/b"} {
		get(r, path)
	}
}

func TestGin(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(func(c *gin.Context) {
		if c.Request.URL.Path == "/mid" {
			t.Fatal("a") // want `t.Fatal ends`
		}
	})
	r.GET("/mid", func(c *gin.Context) {})
	r.GET("/a", func(c *gin.Context) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	v1 := r.Group("/v1")
	{
		v1.GET("/a", func(c *gin.Context) {
			require.Equal(t, "x", c.Param("id")) // want `require.Equal may call FailNow, which ends`
		})
	}
	for _, path := range []string{"/mid", "/a", "/v1/a"} {
		get(r.Handler(), path)
	}
}

func TestEcho(t *testing.T) {
	e := echo.New()
	e.GET("/a", func(c echo.Context) error {
		t.Fatal("a") // want `t.Fatal ends`
		return nil
	})
	e.Group("/g").GET("/a", func(c echo.Context) error {
		t.Fatal("a") // want `t.Fatal ends`
		return nil
	})
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if c.Path() == "/mid" {
				t.Fatal("a") // want `t.Fatal ends`
			}
			return next(c)
		}
	})
	e.GET("/mid", func(c echo.Context) error { return nil })
	e.HTTPErrorHandler = func(err error, c echo.Context) {
		t.Fatal(err) // want `t.Fatal ends`
	}
	for _, path := range []string{"/a", "/g/a", "/mid", "/none"} {
		get(e, path)
	}
}

func TestEchoInPlace(t *testing.T) {
	e := echo.New()
	h := func(c echo.Context) error {
		t.Fatal("a")
		return nil
	}
	h(e.NewContext(httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()))
}

func TestGinInPlace(t *testing.T) {
	r := gin.New()
	r.GET("/a", func(c *gin.Context) {
		t.Fatal("a")
	})
	r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/a", nil))
}

func TestFiber(t *testing.T) {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Use(func(c *fiber.Ctx) error {
		return c.Next()
	})
	app.Group("/v1").Get("/a", func(c *fiber.Ctx) error {
		t.Fatal("a") // want `t.Fatal ends`
		return nil
	})
	app.Test(httptest.NewRequest("GET", "/v1/a", nil), 100)
}

func TestFiberErrorHandler(t *testing.T) {
	app := fiber.New(fiber.Config{DisableStartupMessage: true, ErrorHandler: func(c *fiber.Ctx, err error) error {
		t.Fatal(err) // want `t.Fatal ends`
		return err
	}})
	app.Test(httptest.NewRequest("GET", "/none", nil), 100)
}

func TestHTTPRouter(t *testing.T) {
	r := httprouter.New()
	r.GET("/a", func(http.ResponseWriter, *http.Request, httprouter.Params) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	r.NotFound = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Fatal("a") // want `t.Fatal ends`
	})
	get(r, "/a")
	get(r, "/none")
}
