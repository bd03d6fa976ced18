// Package callforms proves that the form of a call does not matter.
package callforms

import (
	stdio "io"
	. "net/http"

	"fixtures/statusrelay/upstream"
)

func Dot(w ResponseWriter, r *Request) {
	resp, err := Get(upstream.URL)
	if err != nil {
		Error(w, err.Error(), StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	stdio.Copy(w, resp.Body) // want `stdio.Copy sends on what Get got`
}

func Parenthesised(w ResponseWriter, r *Request) {
	resp, err := (upstream.Client.Get)((upstream.URL))
	if err != nil {
		(Error)(w, err.Error(), StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	(stdio.Copy)((w), ((resp).Body)) // want `sends on`
}

func MethodValue(w ResponseWriter, r *Request) {
	get := upstream.Client.Get
	resp, err := get(upstream.URL)
	if err != nil {
		Error(w, err.Error(), StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	stdio.Copy(w, resp.Body) // want `sends on`
}

type embedded struct{ *Client }

func Embedded(w ResponseWriter, r *Request) {
	resp, err := embedded{upstream.Client}.Get(upstream.URL)
	if err != nil {
		Error(w, err.Error(), StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	stdio.Copy(w, resp.Body) // want `sends on`
}

type answer struct {
	*Response
	name string
}

func EmbeddedResponse(w ResponseWriter, r *Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		Error(w, err.Error(), StatusBadGateway)
		return
	}
	a := answer{resp, "a"}
	defer a.Body.Close()
	stdio.Copy(w, a.Body) // want `sends on`
}

func EmbeddedStatus(w ResponseWriter, r *Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		Error(w, err.Error(), StatusBadGateway)
		return
	}
	a := answer{resp, "a"}
	defer a.Body.Close()
	w.WriteHeader(a.StatusCode)
	stdio.Copy(w, a.Body)
}

func read[T any](body stdio.Reader, f func([]byte) T) T {
	b, _ := stdio.ReadAll(body)
	return f(b)
}

func send[W stdio.Writer](w W, body stdio.Reader) { stdio.Copy(w, body) }

func Generic(w ResponseWriter, r *Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		Error(w, err.Error(), StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	send(w, resp.Body) // want `send sends on`
}

func Immediate(w ResponseWriter, r *Request) {
	resp, err := func() (*Response, error) { return upstream.Client.Get(upstream.URL) }()
	if err != nil {
		Error(w, err.Error(), StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	func() { stdio.Copy(w, resp.Body) }() // want `sends on`
}

func Shadowed(w ResponseWriter, r *Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		Error(w, err.Error(), StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp, err := upstream.Client.Get(upstream.URL); err == nil {
		defer resp.Body.Close()
		if resp.StatusCode >= 500 {
			w.WriteHeader(resp.StatusCode)
			return
		}
	}
	stdio.Copy(w, resp.Body) // want `sends on`
}

func Anonymous(w ResponseWriter, _ *Request) {
	if resp, err := upstream.Client.Get(upstream.URL); err != nil {
		Error(w, err.Error(), StatusBadGateway)
	} else {
		defer resp.Body.Close()
		stdio.Copy(w, resp.Body) // want `sends on`
	}
}
