// Package fixes proves that a pool that uses nothing of the function is moved to a
// package variable, and that another is not.
package fixes

import (
	"io"
	"net"
	"net/http"
	"time"
)

const limit = time.Second

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// Client is made whole.
func Client(url string) error {
	c := &http.Client{ // a client
		Timeout: limit,
		Transport: &http.Transport{ // want `http.Transport{} makes`
			Proxy:       http.ProxyFromEnvironment,
			DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		},
	}
	return read(c.Get(url))
}

// Transport alone is moved where the client is the call's own.
func Transport(url string, d time.Duration) error {
	tr := &http.Transport{MaxIdleConns: 10} // want `http.Transport{} makes`
	c := &http.Client{Transport: tr, Timeout: d}
	return read(c.Get(url))
}

// Local uses what is local.
func Local(url string, n int) error {
	c := &http.Client{Transport: &http.Transport{MaxIdleConns: n}} // want `http.Transport{} makes`
	return read(c.Get(url))
}

// Changed is set up after it is made.
func Changed(url string, n int) error {
	tr := &http.Transport{} // want `http.Transport{} makes`
	tr.MaxIdleConns = n
	c := &http.Client{Transport: tr}
	return read(c.Get(url))
}

var timeout = time.Second

// Variable uses a variable, which may change.
func Variable(url string) error {
	c := &http.Client{Transport: &http.Transport{ResponseHeaderTimeout: timeout}} // want `http.Transport{} makes`
	return read(c.Get(url))
}

// Twice has the names taken.
func Twice(url string) error {
	httpClient3 := url
	return read((&http.Client{Transport: &http.Transport{}}).Get(httpClient3)) // want `http.Transport{} makes`
}

// Closing closes it on one path, which a shared one must not.
func Closing(url string) error {
	tr := &http.Transport{} // want `http.Transport{} makes`
	c := &http.Client{Transport: tr}
	err := read(c.Get(url))
	if err != nil {
		tr.CloseIdleConnections()
	}
	return err
}
