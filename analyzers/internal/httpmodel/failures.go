package httpmodel

import (
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// An Origin says where the error that a call returns comes from.
type Origin int

const (
	NoOrigin    Origin = iota
	Client             // an *http.Client, whose errors are all *url.Error
	Transport          // a dialer, a RoundTripper or another client: errors as they come
	RPC                // a gRPC client: errors that say what happened, and wrap nothing
	RequestBody        // the connection of a request that a server got
)

// A failing lists functions of a package, or methods of a type of it, that return an
// error.
type failing struct {
	pkg, typ string
	names    []string
}

// failures lists the calls that fail with the network, as far as no body shows it to
// a reader of Go source.
var failures = map[Origin][]failing{
	Client: {
		{NetHTTP, "", []string{"Get", "Head", "Post", "PostForm"}},
		{NetHTTP, "Client", []string{"Do", "Get", "Head", "Post", "PostForm"}},
		{"github.com/go-resty/resty/v2", "Request", []string{"Get", "Head", "Post", "Put", "Patch", "Delete", "Options", "Execute", "Send"}},
		{"github.com/hashicorp/go-retryablehttp", "Client", []string{"Do", "Get", "Head", "Post", "PostForm"}},
	},
	Transport: {
		{NetHTTP, "RoundTripper", []string{"RoundTrip"}},
		{NetHTTP, "Transport", []string{"RoundTrip"}},
		{"net", "", []string{"Dial", "DialTimeout", "DialTCP", "LookupHost", "LookupIP", "LookupAddr"}},
		{"net", "Dialer", []string{"Dial", "DialContext"}},
		{"net", "Resolver", []string{"LookupHost", "LookupIP", "LookupIPAddr", "LookupNetIP", "LookupAddr"}},
		{"crypto/tls", "", []string{"Dial", "DialWithDialer"}},
		{"crypto/tls", "Dialer", []string{"Dial", "DialContext"}},
		{"net/smtp", "", []string{"Dial", "SendMail"}},
		{"golang.org/x/net/http2", "Transport", []string{"RoundTrip"}},
		{"github.com/gorilla/websocket", "Dialer", []string{"Dial", "DialContext"}},
		{"github.com/valyala/fasthttp", "", []string{"Do", "DoTimeout", "DoDeadline", "DoRedirects", "Get", "GetTimeout", "GetDeadline", "Post", "Dial", "DialTimeout"}},
		{"github.com/valyala/fasthttp", "Client", []string{"Do", "DoTimeout", "DoDeadline", "DoRedirects", "Get", "GetTimeout", "GetDeadline", "Post"}},
		{"github.com/valyala/fasthttp", "HostClient", []string{"Do", "DoTimeout", "DoDeadline", "DoRedirects", "Get", "GetTimeout", "GetDeadline", "Post"}},
		{"github.com/valyala/fasthttp", "PipelineClient", []string{"Do", "DoTimeout", "DoDeadline"}},
		{"github.com/gofiber/fiber/v2", "Agent", []string{"Bytes", "String", "Struct"}},
		{"github.com/gofiber/fiber/v2/middleware/proxy", "", []string{"Do", "DoRedirects", "DoDeadline", "DoTimeout"}},
		{"github.com/valyala/fasthttp", "LBClient", []string{"Do", "DoTimeout", "DoDeadline"}},
	},
	RequestBody: {
		{NetHTTP, "Request", []string{"ParseForm", "ParseMultipartForm", "FormFile", "MultipartReader"}},
		{"github.com/gin-gonic/gin", "Context", []string{
			"Bind", "BindJSON", "BindXML", "BindYAML", "BindWith", "MustBindWith", "ShouldBind", "ShouldBindJSON", "ShouldBindXML", "ShouldBindYAML",
			"ShouldBindWith", "ShouldBindBodyWith", "GetRawData", "FormFile", "MultipartForm",
		}},
		{"github.com/labstack/echo/v4", "Context", []string{"Bind", "FormFile", "FormParams", "MultipartForm"}},
		{"github.com/gofiber/fiber/v2", "Ctx", []string{"BodyParser", "FormFile", "MultipartForm"}},
	},
}

// failers are functions that fail with what a function fails with that they are given.
var failers = []Entry{
	{PkgPath: "github.com/avast/retry-go/v4", Name: "Do"},
	{PkgPath: "github.com/avast/retry-go/v4", Name: "DoWithData"},
	{PkgPath: "github.com/cenkalti/backoff/v4", Name: "Retry"},
	{PkgPath: "github.com/cenkalti/backoff/v4", Name: "RetryWithData"},
	{PkgPath: "github.com/cenkalti/backoff/v4", Name: "RetryNotify"},
	{PkgPath: "github.com/cenkalti/backoff/v5", Name: "Retry"},
	{PkgPath: "github.com/sethvargo/go-retry", Name: "Do"},
}

// errgroup and singleflight are the paths of the packages of groups that fail with what
// their functions do.
const errgroup, singleflight = "golang.org/x/sync/errgroup", "golang.org/x/sync/singleflight"

// FailsWith returns the index of the argument of fn, a function, with whose error fn
// fails; -1 if there is none that a table must tell.
func FailsWith(fn *types.Func) int {
	if isIn(fn, failers) || typeset.IsMethod(fn, singleflight, "Group", "Do") {
		return funcParam(fn)
	}
	return -1
}

// IsGroupWait reports whether fn waits for the functions of a group, and fails with
// what the first of them failed with.
func IsGroupWait(fn *types.Func) bool { return typeset.IsMethod(fn, errgroup, "Group", "Wait") }

// IsGroupGo reports whether fn gives a function to a group.
func IsGroupGo(fn *types.Func) bool { return typeset.IsMethod(fn, errgroup, "Group", "Go", "TryGo") }

// failureEntries lists what the tables of this file name.
func failureEntries() []Entry {
	entries := []Entry{
		{PkgPath: "fmt", Name: "Errorf"},
		{PkgPath: "errors", Name: "Join"},
		{PkgPath: errgroup, Type: "Group", Name: "Wait"},
		{PkgPath: errgroup, Type: "Group", Name: "Go"},
		{PkgPath: errgroup, Type: "Group", Name: "TryGo"},
		{PkgPath: singleflight, Type: "Group", Name: "Do"},
	}
	entries = append(append(entries, failers...), proxyErrorHandlers...)
	for _, table := range failures {
		for _, f := range table {
			for _, name := range f.names {
				entries = append(entries, Entry{f.pkg, f.typ, name})
			}
		}
	}
	return entries
}

// OriginOf returns where the error of fn comes from. A method of an interface that
// sends a request as http.Client.Do and http.RoundTripper.RoundTrip do is taken for
// one of these.
func OriginOf(fn *types.Func) Origin {
	if fn == nil || fn.Pkg() == nil {
		return NoOrigin
	}
	for _, origin := range []Origin{Client, Transport, RequestBody} {
		for _, f := range failures[origin] {
			if f.typ == "" && typeset.IsFunc(fn, f.pkg, f.names...) || f.typ != "" && typeset.IsMethod(fn, f.pkg, f.typ, f.names...) {
				return origin
			}
		}
	}
	if typeset.IsInterfaceMethod(fn) && Sends(fn.Signature()) {
		return Client
	}
	if isRPC(fn.Signature()) {
		return RPC
	}
	return NoOrigin
}

// isRPC reports whether sig is that of a method of a gRPC client, which gets options of a
// call and brings one answer.
func isRPC(sig *types.Signature) bool {
	if !sig.Variadic() || sig.Recv() == nil || sig.Results().Len() != 2 {
		return false
	}
	last, ok := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
	return ok && typeset.IsNamed(last.Elem(), "google.golang.org/grpc", "CallOption")
}

// Sends reports whether sig is func(*http.Request) (*http.Response, error).
func Sends(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && IsRequest(sig.Params().At(0).Type()) &&
		sig.Results().Len() == 2 && IsResponse(sig.Results().At(0).Type())
}

// proxyErrorHandlers are the fields with a function that gets whatever RoundTrip failed
// with.
var proxyErrorHandlers = []Entry{
	{PkgPath: "net/http/httputil", Type: "ReverseProxy", Name: "ErrorHandler"},
	{PkgPath: "github.com/labstack/echo/v4/middleware", Type: "ProxyConfig", Name: "ErrorHandler"},
	{PkgPath: "github.com/labstack/echo/v5/middleware", Type: "ProxyConfig", Name: "ErrorHandler"},
}

// IsProxyErrorHandler reports whether field holds a function that gets whatever
// RoundTrip failed with.
func IsProxyErrorHandler(field *types.Var) bool {
	return field != nil && field.IsField() && field.Pkg() != nil && slices.ContainsFunc(proxyErrorHandlers, func(e Entry) bool {
		if field.Name() != e.Name || typeset.PkgPath(field.Pkg()) != e.PkgPath {
			return false
		}
		owner := field.Pkg().Scope().Lookup(e.Type)
		if owner == nil {
			return false
		}
		st, ok := owner.Type().Underlying().(*types.Struct)
		return ok && slices.Contains(slices.Collect(st.Fields()), field)
	})
}

// Wraps reports whether fn returns an error that wraps its argument. What others do,
// their bodies show.
func Wraps(fn *types.Func) bool {
	return typeset.IsFunc(fn, "fmt", "Errorf") || typeset.IsFunc(fn, "errors", "Join")
}
