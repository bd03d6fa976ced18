// Package proxy proves that the ErrorHandler of a reverse proxy gets every failure
// of the transport.
package proxy

import (
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

func Always(u *url.URL) http.Handler {
	p := httputil.NewSingleHostReverseProxy(u)
	p.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
		w.WriteHeader(http.StatusGatewayTimeout) // want "err is answered 504 without asking"
	}
	return p
}

func InALiteral(u *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			http.Error(w, err.Error(), 504) // want "answered 504"
		},
	}
}

func onError(w http.ResponseWriter, r *http.Request, err error) {
	code := http.StatusGatewayTimeout // want "answered 504"
	if errors.Is(err, http.ErrAbortHandler) {
		code = http.StatusInternalServerError
	}
	w.WriteHeader(code)
}

func Named(u *url.URL) http.Handler {
	p := httputil.NewSingleHostReverseProxy(u)
	p.ErrorHandler = onError
	return p
}

type gateway struct{ name string }

func (g *gateway) fail(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Set("X-Gateway", g.name)
	w.WriteHeader(504) // want "answered 504"
}

func Method(u *url.URL) http.Handler {
	g := &gateway{"g"}
	p := httputil.NewSingleHostReverseProxy(u)
	p.ErrorHandler = g.fail
	return p
}

func failWith(text string) func(http.ResponseWriter, *http.Request, error) {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		http.Error(w, text, 504) // want "answered 504"
	}
}

func Returned(u *url.URL) http.Handler {
	p := httputil.NewSingleHostReverseProxy(u)
	p.ErrorHandler = failWith("slow")
	return p
}

func Asked(u *url.URL) http.Handler {
	p := httputil.NewSingleHostReverseProxy(u)
	p.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
		var ne net.Error
		if errors.As(err, &ne) && ne.Timeout() {
			w.WriteHeader(http.StatusGatewayTimeout)
			return
		}
		w.WriteHeader(http.StatusBadGateway)
	}
	return p
}

func Echo(u *url.URL) http.Handler {
	cfg := middleware.DefaultProxyConfig
	cfg.Balancer = middleware.NewRoundRobinBalancer([]*middleware.ProxyTarget{{URL: u}})
	cfg.ErrorHandler = func(c echo.Context, err error) error {
		return c.JSON(504, map[string]string{"error": err.Error()}) // want "answered 504"
	}
	e := echo.New()
	e.Use(middleware.ProxyWithConfig(cfg))
	return e
}

func EchoInALiteral(u *url.URL) http.Handler {
	e := echo.New()
	e.Use(middleware.ProxyWithConfig(middleware.ProxyConfig{
		Balancer: middleware.NewRoundRobinBalancer([]*middleware.ProxyTarget{{URL: u}}),
		ErrorHandler: func(c echo.Context, err error) error {
			return c.String(504, err.Error()) // want "answered 504"
		},
	}))
	return e
}

func EchoAsks(u *url.URL) http.Handler {
	e := echo.New()
	e.Use(middleware.ProxyWithConfig(middleware.ProxyConfig{
		Balancer: middleware.NewRoundRobinBalancer([]*middleware.ProxyTarget{{URL: u}}),
		ErrorHandler: func(c echo.Context, err error) error {
			var ne net.Error
			if errors.As(err, &ne) && ne.Timeout() {
				return c.NoContent(504)
			}
			return c.NoContent(502)
		},
	}))
	return e
}
