package httpmodel

import (
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// An Origin says where the error that a call returns comes from.
type Origin int

const (
	NoOrigin    Origin = iota
	Client             // an *http.Client, whose errors are all *url.Error
	Transport          // a dialer, a RoundTripper or another client: errors as they come
	RequestBody        // the connection of a request that a server got
)

// A member is a package-level function, or with a type a method of it, by name. A
// name that ends in * is a prefix.
type member struct {
	pkg, typ string
	names    []string
}

// origins lists the calls that fail with the network, as far as their bodies do
// not show it to a reader of Go source.
var origins = map[Origin][]member{
	Client: {
		{NetHTTP, "", []string{"Get", "Head", "Post", "PostForm"}},
		{NetHTTP, "Client", []string{"Do", "Get", "Head", "Post", "PostForm"}},
		{"github.com/go-resty/resty/v2", "Request", []string{"Get", "Head", "Post", "Put", "Patch", "Delete", "Options", "Execute", "Send"}},
		{"github.com/hashicorp/go-retryablehttp", "Client", []string{"Do", "Get", "Head", "Post", "PostForm"}},
	},
	Transport: {
		{NetHTTP, "RoundTripper", []string{"RoundTrip"}},
		{NetHTTP, "Transport", []string{"RoundTrip"}},
		{"net", "", []string{"Dial*"}},
		{"net", "Dialer", []string{"Dial*"}},
		{"net", "Resolver", []string{"Lookup*"}},
		{"net", "", []string{"Lookup*"}},
		{"crypto/tls", "", []string{"Dial*"}},
		{"crypto/tls", "Dialer", []string{"Dial*"}},
		{"golang.org/x/net/http2", "Transport", []string{"RoundTrip"}},
		{"github.com/gorilla/websocket", "Dialer", []string{"Dial*"}},
		{"github.com/valyala/fasthttp", "", []string{"Do*", "Get*", "Post", "Dial*"}},
		{"github.com/valyala/fasthttp", "Client", []string{"Do*", "Get*", "Post"}},
		{"github.com/valyala/fasthttp", "HostClient", []string{"Do*", "Get*", "Post"}},
		{"github.com/valyala/fasthttp", "PipelineClient", []string{"Do*"}},
		{"github.com/valyala/fasthttp", "LBClient", []string{"Do*"}},
	},
	RequestBody: {
		{NetHTTP, "Request", []string{"ParseForm", "ParseMultipartForm", "FormFile", "MultipartReader"}},
		{"github.com/gin-gonic/gin", "Context", []string{"Bind*", "ShouldBind*", "MustBind*", "GetRawData", "FormFile", "MultipartForm", "SaveUploadedFile"}},
		{"github.com/labstack/echo/v4", "Context", []string{"Bind", "FormFile", "FormParams", "MultipartForm"}},
		{"github.com/gofiber/fiber/v2", "Ctx", []string{"BodyParser", "FormFile", "MultipartForm"}},
	},
}

// OriginOf returns where the error of fn comes from. A method of an interface that
// sends a request as http.Client.Do and http.RoundTripper.RoundTrip do is taken for
// one of these.
func OriginOf(fn *types.Func) Origin {
	if fn == nil || fn.Pkg() == nil {
		return NoOrigin
	}
	for _, origin := range []Origin{Client, Transport, RequestBody} {
		for _, m := range origins[origin] {
			if m.is(fn) {
				return origin
			}
		}
	}
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) && Sends(fn.Signature()) {
		return Client
	}
	return NoOrigin
}

// is reports whether fn is one of m.
func (m member) is(fn *types.Func) bool {
	if typeset.PkgPath(fn.Pkg()) != m.pkg {
		return false
	}
	recv := fn.Signature().Recv()
	switch {
	case m.typ == "" && recv != nil, m.typ != "" && (recv == nil || !typeset.IsNamed(recv.Type(), m.pkg, m.typ)):
		return false
	}
	for _, name := range m.names {
		prefix, ok := strings.CutSuffix(name, "*")
		if fn.Name() == name || ok && strings.HasPrefix(fn.Name(), prefix) {
			return true
		}
	}
	return false
}

// Sends reports whether sig is func(*http.Request) (*http.Response, error).
func Sends(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && IsRequest(sig.Params().At(0).Type()) &&
		sig.Results().Len() == 2 && IsResponse(sig.Results().At(0).Type())
}

// IsProxyErrorHandler reports whether field is httputil.ReverseProxy.ErrorHandler,
// which gets whatever RoundTrip failed with.
func IsProxyErrorHandler(field *types.Var) bool {
	return field != nil && field.IsField() && field.Name() == "ErrorHandler" &&
		field.Pkg() != nil && field.Pkg().Path() == "net/http/httputil"
}

// wrappers lists the functions that return their error argument with more text. A
// true value says that only the text goes on.
var wrappers = map[string]map[string]bool{
	"fmt":                   {"Errorf": false},
	"errors":                {"Join": false},
	"github.com/pkg/errors": {"Wrap": false, "Wrapf": false, "WithMessage": false, "WithMessagef": false, "WithStack": false, "Cause": false},
	"golang.org/x/xerrors":  {"Errorf": false},
}

// Wraps reports whether fn returns an error that wraps its argument, or, as
// errors.Cause, is what that wraps.
func Wraps(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	_, ok := wrappers[typeset.PkgPath(fn.Pkg())][fn.Name()]
	return ok
}
