package httpmodel

import (
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says what serves, and what a server is made of. Most of it is derived
// from the bodies of functions; what stands here is the root, and what bodies do
// not show.

// serving lists the functions that run what they are given on goroutines of a
// server. Arg is the index of the parameter, or Receiver.
var serving = []struct {
	pkgPath, typ string
	arg          int
	names        []string
}{
	{NetHTTP, "Server", Receiver, []string{"Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS"}},
	{NetHTTP, "Server", 0, []string{"RegisterOnShutdown"}},
	{NetHTTP, "", 1, []string{"Serve", "ServeTLS", "ListenAndServe"}},
	{NetHTTP, "", 3, []string{"ListenAndServeTLS"}},
	{NetHTTP, "", 0, []string{"TimeoutHandler"}}, // a goroutine of its own, whoever calls it
	{"net/http/httptest", "", 0, []string{"NewServer", "NewTLSServer"}},
	{"net/http/httptest", "Server", Receiver, []string{"Start", "StartTLS"}},
	{"net/http/fcgi", "", 1, []string{"Serve"}},
	{"golang.org/x/net/http2", "Server", 1, []string{"ServeConn"}},
	{fasthttp, "Server", Receiver, []string{"Serve", "ServeConn", "ServeTLS", "ListenAndServe", "ListenAndServeTLS"}},
	{fasthttp, "", 1, []string{"Serve", "ServeConn", "ListenAndServe"}},
}

const fasthttp = "github.com/valyala/fasthttp"

// Serves returns the index of the parameter of fn (or Receiver) that fn runs on a
// server's goroutines, and whether there is one.
func Serves(fn *types.Func) (arg int, ok bool) {
	for _, s := range serving {
		if s.typ == "" && typeset.IsFunc(fn, s.pkgPath, s.names...) ||
			s.typ != "" && typeset.IsMethod(fn, s.pkgPath, s.typ, s.names...) {
			return s.arg, true
		}
	}
	return 0, false
}

// StartsServer reports whether what fn returns is a server that runs.
func StartsServer(fn *types.Func) bool {
	return typeset.IsFunc(fn, "net/http/httptest", "NewServer", "NewTLSServer")
}

// ServerPaths lists the packages whose functions Serves knows.
func ServerPaths() []string {
	return []string{NetHTTP, fasthttp, "golang.org/x/net/http2"}
}

// RegistersDefault reports whether fn gives its parameter 1 to http.DefaultServeMux.
func RegistersDefault(fn *types.Func) bool {
	return typeset.IsFunc(fn, NetHTTP, "Handle", "HandleFunc")
}

// DefaultMux returns the variable http.DefaultServeMux, as the package of fn (which
// is net/http) declares it.
func DefaultMux(pkg *types.Package) *types.Var {
	if typeset.PkgPath(pkg) != NetHTTP {
		return nil
	}
	v, _ := pkg.Scope().Lookup("DefaultServeMux").(*types.Var)
	return v
}

// CallsHooks reports whether fn is a method of http.Client that sends a request: on
// the caller's goroutine, it calls the client's Transport, CheckRedirect and Jar.
func CallsHooks(fn *types.Func) bool {
	return typeset.IsMethod(fn, NetHTTP, "Client", "Do", "Get", "Head", "Post", "PostForm")
}

// ClientHooks lists the fields of http.Client that its methods call.
func ClientHooks() []string { return []string{"Transport", "CheckRedirect", "Jar"} }

// IsHandler reports whether t has the method ServeHTTP of an http.Handler.
func IsHandler(t types.Type) bool { return ServeHTTP(t) != nil }

// ServeHTTP returns the method of an http.Handler that t has, or nil.
func ServeHTTP(t types.Type) *types.Func {
	if t == nil {
		return nil
	}
	if fn := method(t, "ServeHTTP"); fn != nil && fn.Signature().Params().Len() == 2 {
		return fn
	}
	return nil
}

// IsHandlerFunc reports whether t is a type of functions that can serve a request:
// func(http.ResponseWriter, *http.Request).
func IsHandlerFunc(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Results().Len() == 0 && sig.Params().Len() == 2 &&
		typeset.IsNamed(sig.Params().At(0).Type(), NetHTTP, "ResponseWriter") &&
		typeset.IsNamed(sig.Params().At(1).Type(), NetHTTP, "Request")
}

// client lists types of net/http that are on the client's side, or only a message:
// no part of a server, though one may return them.
var client = []string{"Client", "Transport", "RoundTripper", "Response", "Cookie", "Header"}

// IsClientSide reports whether a value of type t is no part of a server.
func IsClientSide(t types.Type) bool {
	for _, name := range client {
		if typeset.IsNamed(t, NetHTTP, name) {
			return true
		}
	}
	return typeset.IsNamed(t, "net/url", "URL") || typeset.IsNamed(t, "context", "Context")
}

// serverEntries lists what serving and the predicates name.
func serverEntries() (entries []Entry) {
	for _, s := range serving {
		for _, name := range s.names {
			entries = append(entries, Entry{PkgPath: s.pkgPath, Type: s.typ, Name: name})
		}
	}
	for _, name := range []string{"Do", "Get", "Head", "Post", "PostForm", "Transport", "CheckRedirect", "Jar"} {
		entries = append(entries, Entry{PkgPath: NetHTTP, Type: "Client", Name: name})
	}
	for _, name := range client {
		entries = append(entries, Entry{PkgPath: NetHTTP, Type: name})
	}
	return append(entries,
		Entry{PkgPath: NetHTTP, Name: "Handle"},
		Entry{PkgPath: NetHTTP, Name: "HandleFunc"},
		Entry{PkgPath: NetHTTP, Name: "DefaultServeMux"},
		Entry{PkgPath: "net/url", Type: "URL"},
		Entry{PkgPath: "context", Type: "Context"},
	)
}
