// Package control proves that no pass stumbles over control flow that is legal
// and odd: gotos, endless selects, code that is never reached.
package control

import (
	"context"
	"io"
	"iter"
	"net/http"
	"os"
	"time"
)

// Forever never returns.
func Forever(resp *http.Response) {
	defer resp.Body.Close()
	select {}
}

// Never has an empty loop and a statement after it.
func Never(resp *http.Response) {
	for {
	}
	resp.Body.Close()
}

// Goto jumps forwards, backwards and out of a block.
func Goto(c *http.Client, req *http.Request) error {
	n := 0
again:
	resp, err := c.Do(req)
	if err != nil {
		if n++; n < 3 {
			goto again
		}
		goto fail
	}
	{
		if resp.StatusCode >= 500 {
			resp.Body.Close()
			goto again
		}
		goto done
	}
done:
	return resp.Body.Close()
fail:
	return err
}

// Labels breaks out of and continues several loops, switches and selects.
func Labels(ctx context.Context, urls chan string) (last *http.Response) {
loop:
	for i := 0; ; i++ {
	choose:
		select {
		case url, ok := <-urls:
			if !ok {
				break loop
			}
		decide:
			switch resp, err := http.Get(url); {
			case err != nil && i > 3, i < 0:
				break choose
			case resp.StatusCode == 200:
				last = resp
				break decide
			case resp.StatusCode >= 500:
				resp.Body.Close()
				continue loop
			default:
				fallthrough
			case false:
				resp.Body.Close()
				return nil
			}
		case <-ctx.Done():
			return
		case last = <-responses():
		case <-time.After(time.Second):
		default:
		}
		if i == 7 {
			goto empty
		}
		continue
	empty:
	}
	return last
}

func responses() <-chan *http.Response { return nil }

// Unreachable has code after a return, a panic and an os.Exit.
func Unreachable(w http.ResponseWriter, r *http.Request) {
	if r == nil {
		panic("no request")
		w.WriteHeader(http.StatusRequestTimeout)
	}
	if r.Body == nil {
		os.Exit(1)
		w.WriteHeader(http.StatusGatewayTimeout)
	}
	return
	resp, err := http.Get("http://localhost")
	if err != nil {
		return
	}
	defer resp.Body.Close()
	goto end
end:
}

// Switches has switches without cases, of only a default, with an init statement,
// over types without a variable.
func Switches(v any, err error) {
	switch {
	}
	switch v := v; v.(type) {
	}
	switch x := v.(type) {
	default:
		_ = x
	}
	switch v.(type) {
	case nil, *http.Response, interface{ Close() error }:
	case func(http.ResponseWriter, *http.Request):
	case error:
		switch err := v.(error); err {
		case nil, io.EOF:
		case err, err:
		}
	}
	switch resp, err := http.Get(""); true {
	case err != nil:
	case resp.StatusCode < 300, !(resp.StatusCode < 500 || resp.Close):
		resp.Body.Close()
	}
	switch func() bool { return true }() {
	case true:
	}
	if ok := v == nil; !ok {
	} else if resp, ok := v.(*http.Response); ok && resp != nil || false {
		resp.Body.Close()
	} else {
	}
}

// Loops ranges over everything there is to range over.
func Loops(c *http.Client, reqs map[string]*http.Request, seq iter.Seq2[int, *http.Response], none func(func() bool)) {
	for range 3 {
	}
	for i := range 3 {
		_ = i
	}
	for range none {
		continue
	}
	for i, resp := range seq {
		if i == 0 {
			break
		}
		defer resp.Body.Close()
		func() {
			for range seq {
				return
			}
		}()
	}
	var s struct{ req *http.Request }
	var key [1]string
	for key[0], s.req = range reqs {
		resp, err := c.Do(s.req)
		if err != nil {
			return
		}
		resp.Body.Close()
	}
	for _, _ = range reqs {
	}
	for range [0]int{} {
	}
	for range (*[3]http.Request)(nil) {
	}
	for _, r := range "text" {
		_ = r
	}
	for range (chan *http.Response)(nil) {
	}
	for i, j := 0, 10; i < j; i, j = i+1, j-1 {
	}
	for ; ; time.Sleep(time.Second) {
		resp, err := c.Get("http://localhost")
		if err == nil {
			resp.Body.Close()
			break
		}
	}
}

// Defers defers in loops, in conditions, method values, literals and builtins.
func Defers(c *http.Client, m map[string]func() error) (err error) {
	defer recover()
	defer func() func() { return func() {} }()()
	resp, err := c.Get("http://localhost")
	if err == nil {
		defer func() {
			if r := recover(); r != nil {
				err = r.(error)
			} else if cerr := resp.Body.Close(); err == nil {
				err = cerr
			}
		}()
	}
	closer := resp.Body.Close
	defer closer()
	defer m["close"]()
	defer (*http.Client).CloseIdleConnections(c)
	for range 2 {
		defer resp.Body.Close()
		go closer()
		go func(resp *http.Response) { defer resp.Body.Close() }(resp)
	}
	defer delete(m, "close")
	defer println(len(m))
	defer close(make(chan int))
	return
}

// Empty has no statement; Semicolons has empty ones.
func Empty() {}
func Semicolons() {
	{
	}
	{
		{
		}
	}
}

// Ping and Pong recur, and so does a literal.
func Ping(n int, resp *http.Response) *http.Response {
	if n == 0 {
		return resp
	}
	return Pong(n-1, resp)
}

func Pong(n int, resp *http.Response) *http.Response {
	var f func(int) *http.Response
	f = func(n int) *http.Response {
		if n > 0 {
			return f(n - 1)
		}
		return Ping(n, resp)
	}
	defer Pong(0, resp)
	return f(n)
}

// Self calls itself only.
func Self(resp *http.Response) error { return Self(resp) }
