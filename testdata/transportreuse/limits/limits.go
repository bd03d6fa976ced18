// Package limits holds what the rule cannot see, so that each limit is known and one
// that is lifted is noticed.
package limits

import (
	"io"
	"net/http"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// Factory makes clients; who implements it is not known.
type Factory interface{ Client() *http.Client }

type fresh struct{}

func (fresh) Client() *http.Client { return &http.Client{Transport: &http.Transport{}} }

// ThroughAFactory calls an interface's method.
func ThroughAFactory(f Factory, url string) error { return read(f.Client().Get(url)) }

// KeptInAField is kept by the receiver, which each call makes anew.
type KeptInAField struct{ c *http.Client }

func (k *KeptInAField) Get(url string) error {
	if k.c == nil {
		k.c = &http.Client{Transport: &http.Transport{}}
	}
	return read(k.c.Get(url))
}

// ReceiverMadePerCall uses the lazy client of a value made for the call.
func ReceiverMadePerCall(url string) error {
	return (&KeptInAField{}).Get(url)
}

// Unknown gives the client to a function value of which nothing is known.
func Unknown(send func(*http.Client, string) error, url string) error {
	return send(&http.Client{Transport: &http.Transport{}}, url)
}
