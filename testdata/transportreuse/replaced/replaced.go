// Package replaced proves that a pool that another takes the place of, before it is
// used, is left alone: it has no connections.
package replaced

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-cleanhttp"
	"github.com/hashicorp/go-retryablehttp"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

var shared = &http.Client{Timeout: time.Second}

func Field(url string) error {
	c := retryablehttp.NewClient()
	c.HTTPClient = shared
	c.Logger = nil
	return read(c.Get(url))
}

func FieldOfField(url string) error {
	c := retryablehttp.NewClient()
	c.HTTPClient.Transport = http.DefaultTransport
	c.Logger = nil
	return read(c.Get(url))
}

func Setter(url string) error {
	c := resty.New()
	c.SetTransport(http.DefaultTransport)
	_, err := c.R().Get(url)
	return err
}

func ChainedSetter(url string) error {
	c := resty.New().SetTransport(http.DefaultTransport).SetTimeout(time.Second)
	_, err := c.R().Get(url)
	return err
}

func ByNewOne(url string) error {
	c := resty.New()
	c.SetTransport(&http.Transport{}) // want `http.Transport{} makes`
	_, err := c.R().Get(url)
	return err
}

func ByOneThatKeepsNone(url string) error {
	c := retryablehttp.NewClient()
	c.HTTPClient = cleanhttp.DefaultClient()
	c.Logger = nil
	return read(c.Get(url))
}

func OnOnePath(url string, own bool) error {
	c := retryablehttp.NewClient() // want `retryablehttp.NewClient makes`
	c.Logger = nil
	if !own {
		c.HTTPClient = shared
	}
	return read(c.Get(url))
}

var (
	mu    sync.Mutex
	byURL = make(map[string]*account)
)

type account struct{ client *http.Client }

// Registered gives a new account its own transport before it is used.
func Registered(url string) (*account, error) {
	mu.Lock()
	defer mu.Unlock()
	a, ok := byURL[url]
	if ok {
		return a, nil
	}
	a = &account{client: &http.Client{Timeout: time.Second}}
	byURL[url] = a
	a.client.Transport = &http.Transport{}
	return a, read(a.client.Get(url))
}
