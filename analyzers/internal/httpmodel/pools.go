package httpmodel

import (
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// Packages with a connection pool of their own, beside net/http.
const (
	HTTP2    = "golang.org/x/net/http2"
	HTTP3    = "github.com/quic-go/quic-go/http3"
	FastHTTP = "github.com/valyala/fasthttp"
)

// poolTypes are the types whose zero value is a connection pool.
var poolTypes = []Entry{
	{PkgPath: NetHTTP, Type: "Transport"},
	{PkgPath: HTTP2, Type: "Transport"},
	{PkgPath: HTTP3, Type: "Transport"},
	{PkgPath: FastHTTP, Type: "Client"},
	{PkgPath: FastHTTP, Type: "HostClient"},
	{PkgPath: FastHTTP, Type: "PipelineClient"},
}

// poolWrappers are functions of packages without facts, whose result holds the
// pools that their arguments hold, or what calls them.
var poolWrappers = []Entry{
	{PkgPath: NetHTTP, Name: "StripPrefix"},
	{PkgPath: NetHTTP, Name: "TimeoutHandler"},
	{PkgPath: NetHTTP, Name: "MaxBytesHandler"},
	{PkgPath: NetHTTP, Name: "AllowQuerySemicolons"},
	{PkgPath: "cmp", Name: "Or"},
	{PkgPath: "context", Name: "WithValue"},
}

// poolNeutral are functions that a pool can be given to and that neither use nor
// keep it.
var poolNeutral = []Entry{
	{PkgPath: HTTP2, Name: "ConfigureTransport"},
	{PkgPath: HTTP2, Name: "ConfigureTransports"},
}

// socketDialers are functions that take the connection that they make out of the pool:
// a websocket's. The fixtures do not hold these packages.
var socketDialers = []Entry{
	{PkgPath: "github.com/coder/websocket", Name: "Dial"},
	{PkgPath: "nhooyr.io/websocket", Name: "Dial"},
}

// contextClients are packages whose functions send with the client that is a value
// of the context that they are given.
var contextClients = []string{"golang.org/x/oauth2", "github.com/coreos/go-oidc"}

// TakesClientOfContext reports whether fn sends with a client that is a value of a
// context, or returns what does.
func TakesClientOfContext(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && slices.ContainsFunc(contextClients, func(path string) bool {
		rest, ok := strings.CutPrefix(typeset.PkgPath(fn.Pkg()), path)
		return ok && (rest == "" || rest[0] == '/')
	})
}

// IsPool reports whether t, not what it points to, is a connection pool.
func IsPool(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && slices.ContainsFunc(poolTypes, func(e Entry) bool { return typeset.IsNamed(named, e.PkgPath, e.Type) })
}

// IsClientType reports whether t is, or points to, an http.Client.
func IsClientType(t types.Type) bool { return typeset.IsNamed(t, NetHTTP, "Client") }

// WrapsPool reports whether the result of fn holds the pools that its arguments hold.
func WrapsPool(fn *types.Func) bool { return isIn(fn, poolWrappers) }

// IgnoresPool reports whether fn neither keeps the pools that it is given nor leaves
// connections in them: it prints them, or sets them up, or takes its connection along.
func IgnoresPool(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	return slices.Contains([]string{"fmt", "log", "log/slog"}, fn.Pkg().Path()) || isIn(fn, poolNeutral) || isIn(fn, socketDialers)
}

// isIn reports whether a table lists the package-level function fn.
func isIn(fn *types.Func, table []Entry) bool {
	return slices.ContainsFunc(table, func(e Entry) bool { return typeset.IsFunc(fn, e.PkgPath, e.Name) })
}

// perRequest are the types of parameters by which one sees that a function is
// called once a request: handlers of net/http and of routers.
var perRequest = []Entry{
	{PkgPath: NetHTTP, Type: "ResponseWriter"},
	{PkgPath: FastHTTP, Type: "RequestCtx"},
	{PkgPath: "github.com/gin-gonic/gin", Type: "Context"},
	{PkgPath: "github.com/labstack/echo/v4", Type: "Context"},
	{PkgPath: "github.com/gofiber/fiber/v2", Type: "Ctx"},
	{PkgPath: "connectrpc.com/connect", Type: "Request"},
	{PkgPath: "connectrpc.com/connect", Type: "AnyRequest"},
	{PkgPath: "github.com/julienschmidt/httprouter", Type: "Params"},
}

// IsPerRequest reports whether a function with the signature sig is called once a
// request: it is a handler's, or RoundTrip's.
func IsPerRequest(sig *types.Signature) bool {
	for param := range sig.Params().Variables() {
		if slices.ContainsFunc(perRequest, func(e Entry) bool { return typeset.IsNamed(param.Type(), e.PkgPath, e.Type) }) {
			return true
		}
	}
	return sig.Params().Len() == 1 && LooksLikeDo(sig)
}

// IsPerRequestMethod reports whether fn is a method that something out of sight calls
// again and again, as one knows by its name and signature.
func IsPerRequestMethod(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() == nil {
		return false
	}
	switch fn.Name() {
	case "Reconcile":
		return sig.Params().Len() > 0 && typeset.IsNamed(sig.Params().At(0).Type(), "context", "Context")
	case "Collect": // of a Prometheus collector
		return sig.Params().Len() == 1 && sig.Results().Len() == 0
	}
	return false
}

// repeaters are functions that call their argument again and again.
var repeaters = []Entry{
	{PkgPath: "github.com/avast/retry-go/v4", Name: "Do"},
	{PkgPath: "github.com/avast/retry-go/v4", Name: "DoWithData"},
	{PkgPath: "github.com/cenkalti/backoff/v4", Name: "Retry"},
	{PkgPath: "github.com/cenkalti/backoff/v4", Name: "RetryNotify"},
	{PkgPath: "github.com/cenkalti/backoff/v4", Name: "RetryWithData"},
	{PkgPath: "github.com/cenkalti/backoff/v5", Name: "Retry"},
	{PkgPath: "github.com/sethvargo/go-retry", Name: "Do"},
	{PkgPath: "github.com/sethvargo/go-retry", Name: "DoValue"},
	{PkgPath: "k8s.io/apimachinery/pkg/util/wait", Name: "Until"},
	{PkgPath: "k8s.io/apimachinery/pkg/util/wait", Name: "UntilWithContext"},
	{PkgPath: "k8s.io/apimachinery/pkg/util/wait", Name: "Forever"},
	{PkgPath: "k8s.io/apimachinery/pkg/util/wait", Name: "JitterUntil"},
	{PkgPath: "k8s.io/apimachinery/pkg/util/wait", Name: "JitterUntilWithContext"},
	{PkgPath: "k8s.io/apimachinery/pkg/util/wait", Name: "PollUntilContextTimeout"},
	{PkgPath: "k8s.io/apimachinery/pkg/util/wait", Name: "PollUntilContextCancel"},
	{PkgPath: "k8s.io/apimachinery/pkg/util/wait", Name: "ExponentialBackoff"},
	{PkgPath: "k8s.io/apimachinery/pkg/util/wait", Name: "ExponentialBackoffWithContext"},
}

// Repeats reports whether fn calls the function that it is given again and again.
func Repeats(fn *types.Func) bool { return isIn(fn, repeaters) }

// IsCommandType reports whether t is, or points to, a command of a command-line tool.
func IsCommandType(t types.Type) bool {
	return slices.ContainsFunc(once, func(e Entry) bool { return typeset.IsNamed(t, e.PkgPath, e.Type) })
}

// once are the types of parameters by which one sees that a function is called
// once in a process: commands.
var once = []Entry{
	{PkgPath: "github.com/spf13/cobra", Type: "Command"},
}

// IsCommand reports whether a function with the signature sig is a command of a
// command-line tool: it is called once, and the process ends.
func IsCommand(sig *types.Signature) bool {
	for param := range sig.Params().Variables() {
		if slices.ContainsFunc(once, func(e Entry) bool { return typeset.IsNamed(param.Type(), e.PkgPath, e.Type) }) {
			return true
		}
	}
	// Or else as the interface of github.com/mitchellh/cli has it.
	return sig.Params().Len() == 1 && types.Identical(sig.Params().At(0).Type(), types.NewSlice(types.Typ[types.String])) &&
		sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.Int])
}

// poolEntries lists what the tables of this file name.
func poolEntries() []Entry {
	return slices.Concat(poolTypes, poolWrappers, poolNeutral, perRequest, repeaters, once)
}
