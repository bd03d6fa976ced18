// Package closing proves that a pool that is emptied, or keeps nothing, is left
// alone, and that one is reported that only seems to be emptied.
package closing

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"fixtures/transportreuse/makers/lib"

	"github.com/go-resty/resty/v2"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func Deferred(url string) error {
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	return read((&http.Client{Transport: tr}).Get(url))
}

func AskedByTheClient(url string) error {
	_, err := resty.New().SetCloseConnection(true).R().Get(url)
	return err
}

func NotAskedByTheClient(url string) (*resty.Response, error) {
	return resty.New().SetCloseConnection(false).R().Get(url) // want `resty.New makes`
}

func DeferredOnClient(url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	return read(c.Get(url))
}

func DeferredInClosure(url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	defer func() {
		c.CloseIdleConnections()
	}()
	return read(c.Get(url))
}

func ByHelper(url string) error {
	api := lib.New("")
	defer api.Close()
	return api.Get(url)
}

func finish(c *http.Client) { c.CloseIdleConnections() }

func ByOwnHelper(url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	defer finish(c)
	return read(c.Get(url))
}

func ByContext(ctx context.Context, url string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tr := &http.Transport{}
	context.AfterFunc(ctx, tr.CloseIdleConnections)
	return read((&http.Client{Transport: tr}).Get(url))
}

func ByAssertion(url string) error {
	var rt http.RoundTripper = &http.Transport{}
	defer func() {
		if c, ok := rt.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
	}()
	return read((&http.Client{Transport: rt}).Get(url))
}

func IfOwn(url string, c *http.Client) error {
	own := false
	if c == nil {
		c = &http.Client{Transport: &http.Transport{}}
		own = true
	}
	err := read(c.Get(url))
	if own {
		c.CloseIdleConnections()
	}
	return err
}

var errStatus = errors.New("status")

func OnOneBranch(url string) error {
	tr := &http.Transport{} // want `http.Transport{} makes`
	resp, err := (&http.Client{Transport: tr}).Get(url)
	if err != nil {
		return err
	}
	if err := read(resp, nil); err != nil {
		tr.CloseIdleConnections()
		return err
	}
	return nil
}

func AfterAnEarlyReturn(url string) error {
	tr := &http.Transport{} // want `http.Transport{} makes`
	resp, err := (&http.Client{Transport: tr}).Get(url)
	if err != nil {
		return err
	}
	if err := read(resp, nil); err == nil {
		return errStatus
	}
	tr.CloseIdleConnections()
	return nil
}

// FailedRequest leaves nothing: there is no connection.
func FailedRequest(url string) error {
	tr := &http.Transport{}
	resp, err := (&http.Client{Transport: tr}).Get(url)
	if err != nil {
		return err
	}
	defer tr.CloseIdleConnections()
	return read(resp, nil)
}

type logging struct{ base http.RoundTripper }

func (l *logging) RoundTrip(req *http.Request) (*http.Response, error) { return l.base.RoundTrip(req) }

func NotForwarded(url string) error {
	c := &http.Client{Transport: &logging{&http.Transport{}}} // want `http.Transport{} makes`
	defer c.CloseIdleConnections()
	return read(c.Get(url))
}

func logged(rt http.RoundTripper) http.RoundTripper { return &logging{rt} }

func NotForwardedByHelper(url string) error {
	c := &http.Client{}
	c.Transport = logged(&http.Transport{}) // want `http.Transport{} makes`
	defer c.CloseIdleConnections()
	return read(c.Get(url))
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func NotForwardedByFunc(url string) error {
	tr := &http.Transport{} // want `http.Transport{} makes`
	c := &http.Client{Transport: tripper(func(req *http.Request) (*http.Response, error) { return tr.RoundTrip(req) })}
	defer c.CloseIdleConnections()
	return read(c.Get(url))
}

func PastTheWrapper(url string) error {
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	c := &http.Client{Transport: logged(tr)}
	return read(c.Get(url))
}

type forwarding struct{ base http.RoundTripper }

func (f *forwarding) RoundTrip(req *http.Request) (*http.Response, error) {
	return f.base.RoundTrip(req)
}

func (f *forwarding) CloseIdleConnections() {
	if c, ok := f.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func Forwarded(url string) error {
	c := &http.Client{Transport: &forwarding{&http.Transport{}}}
	defer c.CloseIdleConnections()
	return read(c.Get(url))
}

func Disabled(url string) error {
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return read(c.Get(url))
}

func DisabledLater(url string) error {
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.DisableKeepAlives = true
	return read((&http.Client{Transport: tr}).Get(url))
}

func NoneIdle(url string) error {
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: -1}}
	return read(c.Get(url))
}

func RequestCloses(url string) error {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return err
	}
	req.Close = true
	c := &http.Client{Transport: &http.Transport{}}
	return read(c.Do(req))
}

func HeaderCloses(url string) error {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Connection", "close")
	c := &http.Client{Transport: &http.Transport{}}
	return read(c.Do(req))
}

// ClosedUnread throws the connection away if there is something to read. An answer
// without a body leaves it.
func ClosedUnread(url string) (bool, error) {
	c := &http.Client{Transport: &http.Transport{MaxIdleConns: len(url)}} // want `makes a connection pool in each call of ClosedUnread`
	resp, err := c.Get(url)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK, nil
}

type closer struct {
	io.ReadCloser
	c *http.Client
}

func (c closer) Close() error {
	err := c.ReadCloser.Close()
	c.c.CloseIdleConnections()
	return err
}

func open(url string) (io.ReadCloser, error) {
	c := &http.Client{Transport: &http.Transport{IdleConnTimeout: time.Minute}}
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	return closer{resp.Body, c}, nil
}

func ClosedWithTheBody(url string) error {
	body, err := open(url)
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(io.Discard, body)
	return err
}

func clientOf(rt http.RoundTripper) *http.Client { return &http.Client{Transport: rt} }

func NotForwardedByConstructor(url string) error {
	c := clientOf(logged(&http.Transport{})) // want `http.Transport{} makes`
	defer c.CloseIdleConnections()
	return read(c.Get(url))
}

func ForwardedByConstructor(url string) error {
	c := clientOf(&http.Transport{})
	defer c.CloseIdleConnections()
	return read(c.Get(url))
}

// A transport that is kept apart is there if it is not nil, which Close asks.
func KeptApart(url string) error {
	d := lib.NewDaemon()
	defer d.Close()
	return d.Get(url)
}

func KeptApartAndLeft(url string) error {
	return lib.NewDaemon().Get(url) // want `lib.NewDaemon makes`
}

// A transport that Close asserts is one where it is asserted.
func Asserted(url string) error {
	a := lib.NewAsserter()
	defer a.Close()
	return a.Get(url)
}
