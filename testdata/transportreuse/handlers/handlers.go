// Package handlers proves that handlers of net/http and of routers, RoundTrip, and
// what they call, are known to run once a request.
package handlers

import (
	"context"
	"io"
	"net/http"

	"connectrpc.com/connect"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gofiber/fiber/v2"
	"github.com/labstack/echo/v4"
	"github.com/valyala/fasthttp"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func Plain(w http.ResponseWriter, r *http.Request) {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	if err := read(c.Get(r.Header.Get("X-To"))); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

func Closure() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes a connection pool in each call of this function`
		read(c.Get(r.Header.Get("X-To")))
	})
}

// ClosureKeeps makes the client where the handler is made.
func ClosureKeeps() http.Handler {
	c := &http.Client{Transport: &http.Transport{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read(c.Get(r.Header.Get("X-To")))
	})
}

// Routes makes the client where the routes are made.
func Routes(r chi.Router) {
	c := &http.Client{Transport: &http.Transport{}}
	r.Get("/kept", func(w http.ResponseWriter, r *http.Request) {
		read(c.Get(r.Header.Get("X-To")))
	})
}

func ChiRoutes(r chi.Router) {
	r.Get("/", func(w http.ResponseWriter, r *http.Request) {
		c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
		read(c.Get(r.Header.Get("X-To")))
	})
}

func Gin(c *gin.Context) {
	client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	read(client.Get(c.GetHeader("X-To")))
}

func Echo(c echo.Context) error {
	client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	return read(client.Get(c.Request().Header.Get("X-To")))
}

func Fiber(c *fiber.Ctx) error {
	client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	return read(client.Get(c.Get("X-To")))
}

func FastHTTP(ctx *fasthttp.RequestCtx) {
	client := &fasthttp.Client{} // want `fasthttp.Client{} makes`
	if _, _, err := client.Get(nil, string(ctx.Request.Header.Peek("X-To"))); err != nil {
		ctx.Error("", 502)
	}
}

type ping struct{ To string }

func Connect(ctx context.Context, req *connect.Request[ping]) (*connect.Response[ping], error) {
	client := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	return connect.NewResponse(req.Msg), read(client.Get(req.Msg.To))
}

func helper(url string) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes a connection pool in each call of helper`
	return read(c.Get(url))
}

func Indirect(w http.ResponseWriter, r *http.Request) {
	deeper(r.Header.Get("X-To"))
}

func deeper(url string) { helper(url) }

type perTrip struct{ base http.RoundTripper }

func (t *perTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	tr := t.base.(*http.Transport).Clone() // want `t.base.\(\*http.Transport\).Clone makes`
	return tr.RoundTrip(req)
}

type controller struct{}

func (controller) Reconcile(ctx context.Context, url string) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	return read(c.Get(url))
}

// newAPI asks once, and its only caller is a constructor.
func NewAPI(url string) (*http.Client, error) {
	if err := probe(url); err != nil {
		return nil, err
	}
	return http.DefaultClient, nil
}

func probe(url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	return read(c.Get(url))
}
