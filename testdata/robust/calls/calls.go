// Package calls proves that no pass stumbles over a call by its form: f(g()),
// method expressions, literals called in place, conversions that look like calls.
package calls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"unsafe"
)

// A client embeds what it calls, at several depths.
type client struct{ *inner }

type inner struct {
	http.Client
	http.RoundTripper
	do func(*http.Request) (*http.Response, error)
}

// A body reads and closes by way of what it embeds.
type body struct{ io.ReadCloser }

func check(resp *http.Response, err error) (*http.Response, error) { return resp, err }

func closeAll(err error, resps ...*http.Response) {
	for _, resp := range resps {
		resp.Body.Close()
	}
}

func both(resp *http.Response, err error) (error, *http.Response) { return err, resp }

// Multi passes several values on.
func Multi(url string) (*http.Response, error) {
	closeAll(both(check(http.Get(url))))
	fmt.Println(http.Get(url))
	must(check(must2(http.Get(url)))).Body.Close()
	return check(check(http.Get(url)))
}

func must(resp *http.Response, err error) *http.Response               { return resp }
func must2(resp *http.Response, err error) (r *http.Response, e error) { r, e = resp, err; return }
func pick(yes bool, x, y func(string) (*http.Response, error)) func(string) (*http.Response, error) {
	if yes {
		return x
	}
	return y
}

// Forms calls Do and Close in each form.
func Forms(c *client, req *http.Request, fs map[string][]func(string) (*http.Response, error)) {
	r1, _ := (*http.Client).Do(&c.Client, req)
	r2, _ := http.RoundTripper.RoundTrip(c, req)
	r3, _ := c.inner.Client.Do(req)
	r4, _ := c.do(req)
	r5, _ := fs["x"][0]("")
	r6, _ := pick(true, http.Get, http.Head)("")
	r7, _ := func() (*http.Response, error) { return c.Get("") }()
	r8, _ := (&http.Client{}).Get("")
	r9, _ := http.DefaultClient.Get("")
	f, g := c.Client.Do, (*client).RoundTrip
	r10, _ := f(req)
	r11, _ := g(c, req)
	r12, _ := struct{ *http.Client }{http.DefaultClient}.Get("")
	r13, _ := interface {
		RoundTrip(*http.Request) (*http.Response, error)
	}(c).RoundTrip(req)
	var rs [2]*http.Response
	rs[0], _ = http.Get("")
	*(&rs[1]), _ = http.Get("")
	p := &rs
	closeAll(nil, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, p[0])
	closeAll(nil, p[:]...)
	io.Closer.Close(r1.Body)
	io.ReadCloser.Close(r2.Body)
	(body{r3.Body}).Close()
	(*body).Close(&body{r4.Body})
	r5.Body.(io.Closer).Close()
	io.Closer(r6.Body).Close()
	interface{ Close() error }(r7.Body).Close()
	_ = []io.Closer{r8.Body}[0].Close()
	(*(&r9)).Body.Close()
	(**(&r10)).Body.Close()
	func(c io.Closer) { c.Close() }(r11.Body)
	c2 := struct{ io.Closer }{r12.Body}
	c2.Close()
	go io.Copy(io.Discard, r13.Body)
}

func (c *client) RoundTrip(req *http.Request) (*http.Response, error) {
	return c.inner.RoundTripper.RoundTrip(req)
}

// Conversions look like calls, calls like conversions.
func Conversions(resp *http.Response, err error, n int) any {
	type R = *http.Response
	r := R((*http.Response)(resp))
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, string(rune(n)), http.StatusRequestTimeout)
	})
	h(httptest.NewRecorder(), nil)
	h.ServeHTTP(nil, nil)
	http.HandlerFunc.ServeHTTP(h, nil, nil)
	http.Handler(h).ServeHTTP(nil, nil)
	_ = (func(int))(nil)
	_ = (<-chan int)(nil)
	_ = unsafe.Sizeof(*r)
	_ = *(*http.Response)(unsafe.Pointer(r))
	_ = [...]int{http.StatusOK: 1}[200]
	return error(nil) == err
}

// Errors asks errors in each form.
func Errors(w http.ResponseWriter, err error) int {
	var ne net.Error
	var pe *net.Error = &ne
	if errors.As(err, pe) && (*pe).Timeout() {
		return http.StatusGatewayTimeout
	}
	if _, ok := err.(interface{ Timeout() bool }); ok {
		return 408
	}
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() || os.IsTimeout(err) {
		return 504
	}
	if errors.Is(err, context.DeadlineExceeded) == true != false {
		return map[bool]int{true: 504}[true]
	}
	_ = err.(net.Error).Timeout
	return [...]int{408}[0]
}

// Assign assigns in each form.
func Assign(c *http.Client, s *struct {
	resp *http.Response
	err  error
}, m map[*http.Response]error) (resp *http.Response) {
	s.resp, s.err = c.Get("")
	s.resp, m[s.resp] = c.Get("")
	resp, resp2 := s.resp, resp
	resp, resp2 = resp2, resp
	_, s.err = c.Get("")
	_ = resp
	var a, b = c.Get("")
	var _, _ = a, b
	var d any = resp
	d, _ = d.(*http.Response)
	e, ok := m[resp]
	_, _ = e, ok
	func(r **http.Response) { *r, _ = c.Get("") }(&resp)
	ch := make(chan *http.Response, 1)
	ch <- resp
	resp, ok = <-ch
	resp = <-ch
	defer func(resp *http.Response, err error) { resp.Body.Close() }(c.Get(""))
	go func(resp *http.Response, err error) { resp.Body.Close() }(c.Get(""))
	return <-ch
}

// Literal returns a function that returns a function.
func Literal() func(*http.Request) func() (*http.Response, error) {
	return func(req *http.Request) func() (*http.Response, error) {
		return func() (*http.Response, error) { return http.DefaultTransport.RoundTrip(req) }
	}
}

// Called calls what calls return.
func Called(req *http.Request) {
	resp, err := Literal()(req)()
	if err == nil {
		defer func() error { return resp.Body.Close() }()
	}
	func() {
		func() {
			resp.Body.Close()
		}()
	}()
}
