// Package kind says of errors, for other packages, what they are.
package kind

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
)

func IsNet(err error) bool {
	var ne net.Error
	return errors.As(err, &ne)
}

// Two calls away.
func IsUpstream(err error) bool {
	return err != nil && isTransport(err)
}

func isTransport(err error) bool {
	if IsNet(err) {
		return true
	}
	return false
}

func IsTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err) {
		return true
	}
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

func AsNet(err error) (net.Error, bool) {
	var ne net.Error
	ok := errors.As(err, &ne)
	return ne, ok
}

func NetOf(err error) net.Error {
	if ne, ok := err.(net.Error); ok {
		return ne
	}
	return nil
}

// As hides errors.As behind a name of its own.
func As(err error, target any) bool {
	return errors.As(err, target)
}

func To[T error](err error) (T, bool) {
	var t T
	ok := errors.As(err, &t)
	return t, ok
}

// Fetch passes the failure of the client on.
func Fetch(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

var ErrSlow = errors.New("slow")

// FetchOrSlow says itself what is slow.
func FetchOrSlow(c *http.Client, url string) error {
	if err := Fetch(c, url); IsTimeout(err) {
		return ErrSlow
	} else if err != nil {
		return err
	}
	return nil
}

// Even calls Odd calls Even.
func Even(err error, n int) bool {
	if n == 0 {
		return IsNet(err)
	}
	return Odd(err, n-1)
}

func Odd(err error, n int) bool {
	if n == 0 {
		return false
	}
	return Even(err, n-1)
}

// A Class is what is told of an error.
type Class int

// The classes.
const (
	Other Class = iota
	Slow
	Broken
)

// Of calls all failures of the network slow.
func Of(err error) Class {
	var op *net.OpError
	if errors.As(err, &op) {
		return Slow
	}
	return Other
}

// OfAsked asks.
func OfAsked(err error) (class Class) {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Timeout():
		class = Slow
	case errors.As(err, &op):
		class = Broken
	}
	return class
}
