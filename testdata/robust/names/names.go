// Package names proves that a pass goes by what a name denotes and survives names
// that denote something else: shadowed packages, builtins and types, renamed and
// dot imports.
package names

import (
	. "errors"
	. "io"
	. "net/http"
	web "net/http"
	stdtime "time"
)

// A type by the name of a package, with a method by the name of a function.
type http struct{ StatusCode int }

func (http) Get(string) (*http, error) { return nil, nil }
func (*http) Close() error             { return nil }

// Shadow shadows much.
func Shadow(nil int, len func(int) int, true bool) (error string) {
	iota, string, append := nil, len, true
	_, _, _ = iota, string, append
	if true {
		false := !true
		true := false
		_ = true
	}
	return
}

// Local shadows packages and the usual variables.
func Local(err web.Handler) {
	var web http
	resp, error := web.Get("http://localhost")
	_ = error
	defer resp.Close()
	if resp.StatusCode >= 400 {
		return
	}
	{
		resp, err := Get("http://localhost")
		if err != nil {
			return
		}
		defer resp.Body.Close()
		if resp := resp; resp.StatusCode != StatusOK {
			resp, err := DefaultClient.Do(resp.Request)
			_, _ = resp, err
			return
		}
		Copy(Discard, resp.Body)
	}
}

// Dot uses dot imports only.
func Dot(c *Client, req *Request) (resp *Response, err error) {
	defer func() {
		if resp != nil {
			resp.Body.Close()
		}
	}()
	resp, err = c.Do(req)
	if Is(err, EOF) {
		return nil, New("end")
	}
	return
}

// Renamed uses renamed imports, in parentheses.
func Renamed() (w web.ResponseWriter) {
	resp, err := (web.Get)("http://localhost")
	if (err) != (nil) {
		return nil
	}
	defer ((resp).Body).Close()
	(stdtime.Sleep)(stdtime.Second)
	return
}

// Builtins calls variables by the names of builtins.
func Builtins() {
	panic := func(any) {}
	recover := func() *Response { return nil }
	make := recover
	defer panic(recover())
	func(close, new *Response) {
		if close != nil {
			close.Body.Close()
		}
	}(make(), recover())
}

// Shadowed names a parameter after its own type and a result after a function.
func Shadowed(Client *Client) (Get Handler) {
	Client.CloseIdleConnections()
	return
}

// Label has a label by the name of its variable.
func Label() {
resp:
	for {
		resp, err := Get("http://localhost")
		if err != nil {
			continue resp
		}
		resp.Body.Close()
		break resp
	}
}
