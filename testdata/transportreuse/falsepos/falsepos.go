// Package falsepos proves that code that looks like the fault and is right is left
// alone; each function says why it is right.
package falsepos

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// NoTransport shares http.DefaultTransport.
type session struct {
	c    *http.Client
	base string
}

// What is wrapped is an error; the client is returned otherwise.
func Open(url string) (*session, error) {
	s := &session{c: &http.Client{Transport: &http.Transport{}}, base: url}
	if err := read(s.c.Get(url)); err != nil {
		return nil, fmt.Errorf("open %s, %v: %w", s.base, s, err)
	}
	return s, nil
}

func NoTransport(url string) error {
	return read((&http.Client{Timeout: time.Second}).Get(url))
}

// NilTransport does too.
func NilTransport(url string) error {
	return read((&http.Client{Transport: nil}).Get(url))
}

// Proxy does too.
func Proxy(w http.ResponseWriter, r *http.Request) {
	to, _ := url.Parse(r.Header.Get("X-To"))
	httputil.NewSingleHostReverseProxy(to).ServeHTTP(w, r)
}

var transport = &http.Transport{}

// SharedTransport makes a client for each call, of a transport that is kept.
func SharedTransport(url string) error {
	return read((&http.Client{Transport: transport, Timeout: time.Second}).Get(url))
}

// Returned is a constructor's work.
func Returned() *http.Client {
	return &http.Client{Transport: &http.Transport{}}
}

// NewChecked tries what it returns; it drops it only where that fails.
func NewChecked(url string) (*http.Client, error) {
	c := &http.Client{Transport: &http.Transport{}}
	if err := read(c.Get(url)); err != nil {
		return nil, err
	}
	return c, nil
}

// Checked does so by another name.
func Checked(url string) (*http.Client, error) {
	c := Returned()
	if err := read(c.Get(url)); err != nil {
		return nil, fmt.Errorf("checking: %w", err)
	}
	return c, nil
}

// Unused sends no request with it.
func Unused() time.Duration {
	tr := http.DefaultTransport.(*http.Transport).Clone()
	return tr.IdleConnTimeout
}

// Sent gives it to somebody who may keep it.
func Sent(ch chan<- *http.Client, url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	ch <- c
	return read(c.Get(url))
}

type registry interface{ Put(*http.Client) }

// Registered too.
func Registered(r registry, url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	r.Put(c)
	return read(c.Get(url))
}

var current atomic.Pointer[http.Client]

// Swapped keeps it in a package variable.
func Swapped(url string) error {
	c := current.Load()
	if c == nil {
		c = &http.Client{Transport: &http.Transport{}}
		current.Store(c)
	}
	return read(c.Get(url))
}

// Server has a long life: Run makes a client for it and serves.
type Server struct{ addr string }

func (s *Server) Run(ctx context.Context) error {
	c := &http.Client{Transport: &http.Transport{}}
	if err := read(c.Get("http://" + s.addr)); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// Listen serves as long as the process lives, whatever its name.
func (s *Server) Listen() error {
	c := &http.Client{Transport: &http.Transport{}}
	if err := read(c.Get("http://" + s.addr)); err != nil {
		return err
	}
	return http.ListenAndServe(s.addr, nil)
}

// Watch polls with one client.
func (s *Server) Watch(ctx context.Context) {
	c := &http.Client{Transport: &http.Transport{}}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
			read(c.Get("http://" + s.addr))
		}
	}
}

// Consume works off a queue with one client.
func Consume(urls <-chan string) {
	c := &http.Client{Transport: &http.Transport{}}
	for url := range urls {
		read(c.Get(url))
	}
}

// Middleware makes the client where it is set up, not in the handler.
func Middleware() gin.HandlerFunc {
	c := &http.Client{Transport: &http.Transport{}}
	return func(ctx *gin.Context) {
		read(c.Get(ctx.GetHeader("X-To")))
	}
}

// Routes does so, too.
func Routes(e *gin.Engine) {
	c := &http.Client{Transport: &http.Transport{}}
	e.GET("/", func(ctx *gin.Context) {
		read(c.Get(ctx.GetHeader("X-To")))
	})
}

type holder struct{ c *http.Client }

// setup is a method that a constructor calls.
func (h *holder) setup(url string) error {
	h.c = &http.Client{Transport: &http.Transport{}}
	return read(h.c.Get(url))
}

// NewHolder makes the holder.
func NewHolder(url string) (*holder, error) {
	h := new(holder)
	return h, h.setup(url)
}
