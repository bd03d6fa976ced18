package httpmodel

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says how servers are started and ended.

const (
	echoV4   = "github.com/labstack/echo/v4"
	echoV5   = "github.com/labstack/echo/v5"
	fiberV2  = "github.com/gofiber/fiber/v2"
	fiberV3  = "github.com/gofiber/fiber/v3"
	grpc     = "google.golang.org/grpc"
	oklogRun = "github.com/oklog/run"
	fx       = "go.uber.org/fx"
	cobra    = "github.com/spf13/cobra"
)

// A ServerCall is what a method does to the server that it is a method of.
type ServerCall int

const (
	NoServerCall ServerCall = iota
	Serve                   // serves until the server is shut down
	Shutdown                // stops listening, and waits for what is being answered
	Close                   // stops at once
	OnShutdown              // registers a function that runs at the start of Shutdown
	ServeUntil              // serves until the context that it gets ends, drains and returns
)

// A Return says when and with what a server's Serve comes back from a shutdown.
type Return int

const (
	ReturnsClosed  Return = iota // at once, with http.ErrServerClosed
	ReturnsNil                   // at once, with nil
	ReturnsDrained               // when the shutdown is through
)

// lifecycles lists the types of servers and their methods.
var lifecycles = []struct {
	pkgPath, typ string
	returns      Return
	names        map[ServerCall][]string
}{
	{NetHTTP, "Server", ReturnsClosed, map[ServerCall][]string{
		Serve:      {"Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS"},
		Shutdown:   {"Shutdown"},
		Close:      {"Close"},
		OnShutdown: {"RegisterOnShutdown"},
	}},
	{echoV4, "Echo", ReturnsClosed, map[ServerCall][]string{
		Serve:    {"Start", "StartTLS", "StartAutoTLS", "StartServer", "StartH2CServer"},
		Shutdown: {"Shutdown"},
		Close:    {"Close"},
	}},
	{echoV5, "StartConfig", ReturnsDrained, map[ServerCall][]string{
		ServeUntil: {"Start", "StartTLS"},
	}},
	{fiberV2, "App", ReturnsNil, map[ServerCall][]string{
		Serve:    {"Listen", "ListenTLS", "ListenMutualTLS", "Listener"},
		Shutdown: {"Shutdown", "ShutdownWithContext", "ShutdownWithTimeout"},
	}},
	{fiberV3, "App", ReturnsNil, map[ServerCall][]string{
		Serve:    {"Listen", "Listener"},
		Shutdown: {"Shutdown", "ShutdownWithContext", "ShutdownWithTimeout"},
	}},
	{fasthttp, "Server", ReturnsNil, map[ServerCall][]string{
		Serve:    {"Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS"},
		Shutdown: {"Shutdown", "ShutdownWithContext"},
	}},
	{grpc, "Server", ReturnsDrained, map[ServerCall][]string{
		Serve:    {"Serve"},
		Shutdown: {"GracefulStop"},
		Close:    {"Stop"},
	}},
}

// ServerCallOf returns what fn does to the server that it is a method of.
func ServerCallOf(fn *types.Func) (ServerCall, Return) {
	if fn == nil || fn.Signature().Recv() == nil {
		return NoServerCall, 0
	}
	recv := fn.Signature().Recv().Type()
	for i, l := range lifecycles {
		for call, names := range l.names {
			if slices.Contains(names, fn.Name()) && (typeset.IsNamed(recv, l.pkgPath, l.typ) || i == 0 && isServerInterface(recv)) {
				return call, l.returns
			}
		}
	}
	return NoServerCall, 0
}

// isServerInterface reports whether t is an interface that http.Server, the first of
// lifecycles, implements: to serve and to shut down.
func isServerInterface(t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	serves, stops := false, false
	for m := range iface.Methods() {
		switch m.Name() {
		case "ListenAndServe":
			serves = m.Signature().Params().Len() == 0
		case "Serve":
			serves = serves || m.Signature().Params().Len() == 1 && typeset.IsNamed(m.Signature().Params().At(0).Type(), "net", "Listener")
		case "Shutdown":
			stops = m.Signature().Params().Len() == 1 && typeset.IsNamed(m.Signature().Params().At(0).Type(), "context", "Context")
		}
	}
	return serves && stops
}

// CanBeShutDown reports whether iface has a method that ends something within the time of
// a context, as Shutdown does.
func CanBeShutDown(iface *types.Interface) bool {
	for m := range iface.Methods() {
		params := m.Signature().Params()
		if slices.Contains([]string{"Shutdown", "Stop", "Close"}, m.Name()) && params.Len() == 1 && typeset.IsNamed(params.At(0).Type(), "context", "Context") {
			return true
		}
	}
	return false
}

// IsServer reports whether t is a server that can be shut down, or a pointer to one.
func IsServer(t types.Type) bool {
	for _, l := range lifecycles {
		if typeset.IsNamed(t, l.pkgPath, l.typ) {
			return true
		}
	}
	return false
}

// LifecyclePaths lists the packages of servers that can be shut down.
func LifecyclePaths() (paths []string) {
	for _, l := range lifecycles {
		paths = append(paths, l.pkgPath)
	}
	return paths
}

// ServesForever reports whether fn serves without a way to be shut down: it only
// comes back when it fails.
func ServesForever(fn *types.Func) bool {
	return typeset.IsFunc(fn, NetHTTP, "Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS")
}

// IsErrServerClosed reports whether v is http.ErrServerClosed.
func IsErrServerClosed(v *types.Var) bool {
	return v != nil && v.Name() == "ErrServerClosed" && v.Pkg() != nil && v.Pkg().Path() == NetHTTP && !v.IsField()
}

// EndsProcess reports whether fn ends the process, as a logger's Fatal does. Besides
// those of the standard library, this is the convention of all packages of loggers.
func EndsProcess(fn *types.Func) bool {
	switch {
	case fn == nil || fn.Pkg() == nil:
		return false
	case typeset.IsFunc(fn, "os", "Exit"), typeset.IsFunc(fn, "syscall", "Exit"):
		return true
	}
	return slices.Contains(fatals, fn.Name()) && IsLogger(fn)
}

// EndsOnError reports whether fn ends the process if the error that it is given is not nil.
func EndsOnError(fn *types.Func) bool { return typeset.IsFunc(fn, cobra, "CheckErr") }

// IsLogger reports whether fn is a function of a package of loggers, or a method of a
// type that is one by its name.
func IsLogger(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	if recv := fn.Signature().Recv(); recv != nil {
		if named := typeset.Named(recv.Type()); named != nil && strings.HasSuffix(named.Obj().Name(), "Logger") {
			return true
		}
	}
	return strings.Contains(fn.Pkg().Name(), "log")
}

// An ActorCall is what a function of a group of actors does, of which the end of the
// first ends the others.
type ActorCall int

const (
	NoActorCall ActorCall = iota
	AddActor              // adds one: what it does, and what interrupts it
	RunActors             // runs all, and waits for all
	SignalActor           // makes one that waits for a signal
)

// ActorCallOf returns what fn does to a group of actors.
func ActorCallOf(fn *types.Func) ActorCall {
	switch {
	case typeset.IsMethod(fn, oklogRun, "Group", "Add"):
		return AddActor
	case typeset.IsMethod(fn, oklogRun, "Group", "Run"):
		return RunActors
	case typeset.IsFunc(fn, oklogRun, "SignalHandler"):
		return SignalActor
	}
	return NoActorCall
}

// A GroupCall is what a function of a group of goroutines does.
type GroupCall int

const (
	NoGroupCall  GroupCall = iota
	AddMember              // starts one, of its last argument
	AwaitMembers           // waits for all
)

// GroupCallOf returns what fn does to a group of goroutines, as far as its name and its
// type say: Go, Start or StartWithContext gets a function last, and perhaps what that gets,
// and Wait waits for it.
func GroupCallOf(fn *types.Func) GroupCall {
	recv := fn.Signature().Recv()
	if recv == nil {
		return NoGroupCall
	}
	switch {
	case fn.Name() == "Wait" && fn.Signature().Params().Len() == 0:
		if takesFunc(cmp.Or(method(recv.Type(), "Go"), method(recv.Type(), "Start"))) {
			return AwaitMembers
		}
	case fn.Name() == "Go", strings.HasPrefix(fn.Name(), "Start"):
		if takesFunc(fn) && method(recv.Type(), "Wait") != nil {
			return AddMember
		}
	}
	return NoGroupCall
}

// takesFunc reports whether fn is there and its last parameter is a function.
func takesFunc(fn *types.Func) bool {
	if fn == nil || fn.Signature().Params().Len() == 0 {
		return false
	}
	params := fn.Signature().Params()
	_, ok := params.At(params.Len() - 1).Type().Underlying().(*types.Signature)
	return ok
}

// IsStopHook reports whether field is one of a function that a framework calls when the
// process is told to stop, and waits for.
func IsStopHook(field *types.Var, of types.Type) bool {
	return field != nil && field.Name() == "OnStop" && typeset.IsNamed(of, fx, "Hook")
}

// MakesStopHook reports whether fn makes a hook of its last argument, a function, that is
// as one of IsStopHook.
func MakesStopHook(fn *types.Func) bool { return typeset.IsFunc(fn, fx, "StopHook", "StartStopHook") }

// lifecycleEntries lists what this file names.
func lifecycleEntries() (entries []Entry) {
	for _, l := range lifecycles {
		for _, names := range l.names {
			for _, name := range names {
				entries = append(entries, Entry{PkgPath: l.pkgPath, Type: l.typ, Name: name})
			}
		}
	}
	for _, name := range []string{"Serve", "ServeTLS", "ListenAndServe", "ListenAndServeTLS", "ErrServerClosed"} {
		entries = append(entries, Entry{PkgPath: NetHTTP, Name: name})
	}
	entries = append(entries, Entry{PkgPath: oklogRun, Type: "Group", Name: "Add"}, Entry{PkgPath: oklogRun, Type: "Group", Name: "Run"},
		Entry{PkgPath: oklogRun, Name: "SignalHandler"}, Entry{PkgPath: cobra, Name: "CheckErr"}, Entry{PkgPath: fx, Type: "Hook", Name: "OnStop"},
		Entry{PkgPath: fx, Name: "StopHook"}, Entry{PkgPath: fx, Name: "StartStopHook"})
	return entries
}

// LooksLikeHandler reports whether a function of the signature sig answers requests:
// it takes a ResponseWriter and a request, or the context of a web framework alone.
func LooksLikeHandler(sig *types.Signature) bool {
	params := sig.Params()
	switch params.Len() {
	case 1:
		return IsHandlerContext(params.At(0).Type())
	case 2:
		return typeset.IsNamed(params.At(0).Type(), NetHTTP, "ResponseWriter") && IsRequest(params.At(1).Type())
	}
	return false
}

// IsHandlerContext reports whether t is what a web framework gives to a handler.
func IsHandlerContext(t types.Type) bool {
	return typeset.IsNamed(t, "github.com/gin-gonic/gin", "Context") || typeset.IsNamed(t, echoV4, "Context") || typeset.IsNamed(t, echoV5, "Context") ||
		typeset.IsNamed(t, fiberV2, "Ctx") || typeset.IsNamed(t, fiberV3, "Ctx") || typeset.IsNamed(t, fasthttp, "RequestCtx")
}

// IsReadiness reports whether a route, with or without a method, is one that says
// whether to send requests here, by the names that are usual: /readyz, /health/ready,
// /readiness. Of /healthz and the like it is not known what they are asked for.
func IsReadiness(route string) bool {
	_, path, ok := strings.Cut(route, "/")
	if !ok || strings.ContainsAny(path, " \n") {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if slices.Contains([]string{"ready", "readyz", "readiness", "is-ready", "isready"}, strings.ToLower(segment)) {
			return true
		}
	}
	return false
}

// IsPreStop reports whether a route is one that gives the notice of a shutdown, for a
// preStop hook to call before the signal, by the names that are usual.
func IsPreStop(route string) bool {
	_, path, ok := strings.Cut(strings.ToLower(route), "/")
	if !ok || strings.ContainsAny(path, " \n") {
		return false
	}
	for _, word := range []string{"prestop", "pre-stop", "leave", "drain", "lameduck"} {
		if strings.Contains(path, word) {
			return true
		}
	}
	return false
}
