package httpmodel

import (
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

const (
	ginPath    = "github.com/gin-gonic/gin"
	echoPath   = "github.com/labstack/echo/"
	fiberPath  = "github.com/gofiber/fiber/"
	renderPath = "github.com/go-chi/render"
)

// IsOwnClient reports whether a server gets values of type t to answer its own
// client with: an http.ResponseWriter, or what has its methods, or the context of
// a framework. A recorder is none.
func IsOwnClient(t types.Type) bool {
	if t == nil || typeset.IsNamed(t, "net/http/httptest", "ResponseRecorder") {
		return false
	}
	if isContext(t) {
		return true
	}
	writeHeader := method(t, "WriteHeader")
	if writeHeader == nil || writeHeader.Signature().Params().Len() != 1 {
		return false
	}
	header := method(t, "Header")
	return header != nil && header.Signature().Results().Len() == 1 && typeset.IsNamed(header.Signature().Results().At(0).Type(), NetHTTP, "Header")
}

// isContext reports whether t is the context of a request in a framework.
func isContext(t types.Type) bool {
	named := typeset.Named(t)
	if named == nil || named.Obj().Pkg() == nil {
		return false
	}
	path, name := typeset.PkgPath(named.Obj().Pkg()), named.Obj().Name()
	switch {
	case path == ginPath:
		return name == "Context"
	case strings.HasPrefix(path, echoPath):
		return name == "Context" || name == "Response"
	case strings.HasPrefix(path, fiberPath):
		return name == "Ctx"
	case path == fasthttp:
		return name == "RequestCtx"
	}
	return false
}

// IsReply reports whether t is the type of the answer that a function behind a gateway
// returns, as those of package events of aws-lambda-go are: its fields say so.
func IsReply(t types.Type) bool {
	return fieldIs(t, "StatusCode", types.Int) && fieldIs(t, "Body", types.String) && fieldIs(t, "IsBase64Encoded", types.Bool)
}

// fieldIs reports whether a struct, or what t points to, has a field of that name and type.
func fieldIs(t types.Type, name string, kind types.BasicKind) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	v, ok := obj.(*types.Var)
	return ok && types.Identical(v.Type(), types.Typ[kind])
}

// An Answer says what a function does to the answer for a server's own client. The
// numbers are indexes of arguments, or -1.
type Answer struct {
	Status int  // the status
	Data   int  // the first argument that is sent; those after it are sent too
	Steps  int  // a function that gets the client as an io.Writer
	Later  bool // the status can still be set afterwards
}

// AnswerOf returns what a method of a framework's context, of an own client or of
// its answer does; fn is called on an own client, or is a function of a library
// that gets one.
func AnswerOf(fn *types.Func) (Answer, bool) {
	none := Answer{Status: -1, Data: -1, Steps: -1}
	if fn == nil || fn.Pkg() == nil {
		return none, false
	}
	a, name, path := none, fn.Name(), typeset.PkgPath(fn.Pkg())
	params := fn.Signature().Params()
	if fn.Signature().Recv() == nil {
		if path != renderPath || params.Len() != 3 && name != "Status" {
			return none, false
		}
		switch name {
		case "JSON", "XML", "PlainText", "HTML", "Data", "Respond":
			a.Data = 2
		case "Status":
			a.Status = 1
		default:
			return none, false
		}
		return a, true
	}
	switch {
	case name == "WriteHeader", name == "SetStatusCode":
		a.Status = 0
	case name == "Error" && path == fasthttp:
		a.Status = 1
	case name == "HTML" && path == ginPath:
		a.Status = 0 // a page made of parts
	case name == "Write", name == "WriteString", name == "ReadFrom", name == "Writef":
		a.Data = 0
	case (path == ginPath || strings.HasPrefix(path, echoPath)) && params.Len() > 0 && isInt(params.At(0).Type()):
		a.Status = 0
		if params.Len() > 1 && name != "Redirect" && name != "AbortWithError" {
			a.Data = 1
		}
	case path == ginPath && name == "SSEvent":
		a.Data = 1
	case path == ginPath && name == "Stream":
		a.Steps = 0
	case strings.HasPrefix(path, fiberPath) || path == fasthttp:
		switch name {
		case "Status", "SendStatus":
			a.Status = 0
		case "Send", "SendString", "SendStream", "JSON", "JSONP", "XML", "SetBody", "SetBodyString", "SetBodyRaw", "SetBodyStream":
			a.Data = 0
		case "SetBodyStreamWriter", "SendStreamWriter":
			a.Steps = 0
		default:
			return none, false
		}
	default:
		return none, false
	}
	a.Later = strings.HasPrefix(path, fiberPath) || path == fasthttp
	return a, true
}

func isInt(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Int
}

// StatusSetter returns the name of the method of an own client, or its context, that
// sets the status of the answer before the body is sent, or "".
func StatusSetter(t types.Type) string {
	if !IsOwnClient(t) {
		return ""
	}
	for _, name := range []string{"WriteHeader", "SetStatusCode", "Status"} {
		if fn := method(t, name); fn != nil && fn.Signature().Params().Len() == 1 && isInt(fn.Signature().Params().At(0).Type()) {
			return name
		}
	}
	return ""
}

// A Part is what a method or field of an upstream's response gives.
type Part uint8

const (
	NoPart     Part = iota
	BodyPart        // the body, whole
	ValuePart       // what the body was decoded to
	StatusPart      // the status, or whether it is a good one
	HeaderPart      // the header
	WholePart       // the response again, in another form
)

// responses are the packages of clients, other than net/http, whose type Response
// is that of an upstream.
var responses = []string{
	"github.com/go-resty/resty/v2", "resty.dev/v3", "gopkg.in/resty.v1", "github.com/imroc/req/v3", fasthttp, fiberPath + "v3/client",
	"github.com/levigross/grequests", "github.com/go-zoox/fetch",
}

// IsUpstream reports whether t points to the response of an upstream.
func IsUpstream(t types.Type) bool {
	if IsResponse(t) || t != nil && IsResponse(t.Underlying()) { // type Response *http.Response
		return true
	}
	named := typeset.Named(t)
	return named != nil && named.Obj().Name() == "Response" && named.Obj().Pkg() != nil &&
		(slices.Contains(responses, typeset.PkgPath(named.Obj().Pkg())) || isSearchAPI(typeset.PkgPath(named.Obj().Pkg())))
}

// isSearchAPI reports whether path is of the package of the requests of Elasticsearch, or
// its like, in any version: of functions in fields, and of types with a method Do.
func isSearchAPI(path string) bool {
	return strings.HasPrefix(path, "github.com/elastic/go-elasticsearch/") && strings.HasSuffix(path, "/esapi") ||
		strings.HasPrefix(path, "github.com/opensearch-project/opensearch-go/") && strings.HasSuffix(path, "/opensearchapi")
}

// LooksLikeSearch reports whether sig is that of a function that sends such a request.
func LooksLikeSearch(sig *types.Signature) bool {
	if sig.Results().Len() != 2 {
		return false
	}
	named := typeset.Named(sig.Results().At(0).Type())
	return named != nil && named.Obj().Name() == "Response" && named.Obj().Pkg() != nil && isSearchAPI(typeset.PkgPath(named.Obj().Pkg()))
}

// PartOf returns what the field or method name of a response gives.
func PartOf(name string) Part {
	switch name {
	case "Body", "Bytes", "String", "RawBody", "BodyStream", "BodyUncompressed", "BodyGunzip", "BodyInflate", "ToBytes", "ToString", "Text":
		return BodyPart
	case "Result", "SuccessResult":
		return ValuePart
	case "StatusCode", "Status", "IsError", "IsSuccess", "IsErrorState", "IsSuccessState", "GetStatusCode", "GetStatus", "Ok":
		return StatusPart
	case "Header":
		return HeaderPart
	case "RawResponse", "Response":
		return WholePart
	}
	return NoPart
}

// Fetches reports whether fn sends a request whose answer has a body, and returns
// the answer or fills an argument with it.
func Fetches(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || fn.Name() == "Head" || strings.HasPrefix(fn.Name(), "Dial") || strings.HasPrefix(fn.Name(), "Lookup") {
		return false
	}
	if o := OriginOf(fn); o == Client || o == Transport {
		return true
	}
	sig, path := fn.Signature(), typeset.PkgPath(fn.Pkg())
	if recv := sig.Recv(); recv != nil && strings.HasPrefix(path, fiberPath) && typeset.IsNamed(recv.Type(), path, "Agent") {
		return fn.Name() == "Bytes" || fn.Name() == "String" || fn.Name() == "Struct"
	}
	if LooksLikeSearch(sig) {
		return isSearchAPI(path)
	}
	switch fn.Name() {
	case "Get", "Post", "Put", "Patch", "Delete", "Options", "Do", "Send", "Execute", "Request":
		return (slices.Contains(responses, path) || strings.HasPrefix(path, "github.com/gojek/heimdall/")) &&
			sig.Results().Len() == 2 && IsUpstream(sig.Results().At(0).Type())
	case "Receive", "ReceiveSuccess":
		return DecodesArgs(fn)
	case "End", "EndBytes":
		return typeset.IsMethod(fn, "github.com/parnurzeal/gorequest", "SuperAgent", "End", "EndBytes")
	}
	return false
}

// DecodesArgs reports whether fn, which fetches, decodes the body into its arguments.
func DecodesArgs(fn *types.Func) bool {
	return typeset.IsMethod(fn, "github.com/dghubble/sling", "Sling", "Receive", "ReceiveSuccess") || typeset.IsMethod(fn, fiberPath+"v2", "Agent", "Struct")
}

// loggers are packages of logging and metrics: what is given to them decides nothing.
var loggers = []string{
	"log", "log/slog", "expvar", "github.com/sirupsen/logrus", "go.uber.org/zap", "github.com/rs/zerolog", "k8s.io/klog", "github.com/go-logr/logr",
	"github.com/golang/glog", "github.com/labstack/gommon/log", "github.com/gofiber/fiber/v2/log", "github.com/hashicorp/go-hclog", "github.com/go-kit/log",
	"github.com/prometheus/client_golang/prometheus", "go.opentelemetry.io/otel", "github.com/apex/log", "github.com/charmbracelet/log",
}

// IsLogging reports whether fn writes a log or counts something.
func IsLogging(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	path := typeset.PkgPath(fn.Pkg())
	switch path {
	case "fmt":
		return strings.HasPrefix(fn.Name(), "Print")
	case "sync/atomic":
		return strings.HasPrefix(fn.Name(), "Add")
	}
	if recv := fn.Signature().Recv(); recv != nil && strings.HasPrefix(path, echoPath) {
		return typeset.Named(recv.Type()) != nil && typeset.Named(recv.Type()).Obj().Name() == "Logger"
	}
	if path == "testing" {
		return strings.HasPrefix(fn.Name(), "Log") || strings.HasPrefix(fn.Name(), "Error")
	}
	return slices.ContainsFunc(loggers, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

// LooksLikeLogging reports whether fn, of which nothing else is known, can only be to
// log or count: it returns nothing, or its receiver with one thing more to log, and its
// name says so.
func LooksLikeLogging(fn *types.Func) bool { return fn != nil && LogsByName(fn.Name(), fn.Signature()) }

// LogsByName is LooksLikeLogging for a function in a variable.
func LogsByName(name string, sig *types.Signature) bool {
	begins := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(strings.ToLower(name), p) })
	}
	switch sig.Results().Len() {
	case 0:
		return begins("print", "log", "trace", "debug", "info", "warn", "error", "notice", "observe", "record", "inc", "count", "measure")
	case 1:
		return begins("with") && sig.Recv() != nil && types.Identical(sig.Recv().Type(), sig.Results().At(0).Type())
	}
	return false
}

// IsFramework reports whether the tables say what the functions of the package do
// to clients and responses, so that nobody needs to look at them.
func IsFramework(path string) bool {
	return path == ginPath || strings.HasPrefix(path, echoPath) || strings.HasPrefix(path, fiberPath) || path == fasthttp || path == renderPath ||
		slices.Contains(responses, path) || isSearchAPI(path)
}

// IsBuffered reports whether the status of an answer to a client of type t can be
// set until the handler returns.
func IsBuffered(t types.Type) bool {
	named := typeset.Named(t)
	if named == nil || named.Obj().Pkg() == nil {
		return false
	}
	path := typeset.PkgPath(named.Obj().Pkg())
	return path == fasthttp || strings.HasPrefix(path, fiberPath)
}

// answerEntries lists what this file names of the libraries that the fixtures hold.
func answerEntries() (entries []Entry) {
	add := func(pkgPath, typ string, names ...string) {
		for _, name := range names {
			entries = append(entries, Entry{pkgPath, typ, name})
		}
	}
	add("net/http/httptest", "ResponseRecorder", "")
	add(NetHTTP, "ResponseWriter", "Write", "WriteHeader", "Header")
	add(NetHTTP, "Response", "Body", "StatusCode", "Status")
	add(ginPath, "Context", "HTML", "JSON", "Data", "Status", "Redirect", "AbortWithError", "SSEvent", "Stream", "Writer")
	add(echoPath+"v4", "Context", "JSON", "Blob", "Stream", "NoContent", "Redirect", "Response")
	add(echoPath+"v4", "Response", "Write", "WriteHeader", "Writer")
	add(echoPath+"v4", "Logger", "Print")
	add(fiberPath+"v2", "Ctx", "Status", "SendStatus", "Send", "SendString", "SendStream", "JSON", "JSONP", "XML", "Write", "WriteString", "Writef")
	add(fiberPath+"v2", "Agent", "Bytes", "String", "Struct")
	add(fasthttp, "RequestCtx", "Error", "SetStatusCode", "SetBody", "SetBodyString", "SetBodyStream", "SetBodyStreamWriter", "Response")
	add(fasthttp, "Response", "SetBodyRaw", "Body", "BodyStream", "BodyUncompressed", "BodyGunzip", "BodyInflate", "StatusCode")
	add(renderPath, "", "JSON", "XML", "PlainText", "HTML", "Data", "Respond", "Status")
	add("github.com/go-resty/resty/v2", "Response", "Body", "String", "RawBody", "Result", "StatusCode", "Status", "IsError", "IsSuccess", "RawResponse")
	add("github.com/dghubble/sling", "Sling", "Receive", "ReceiveSuccess")
	add("github.com/go-resty/resty/v2", "Request", "SetResult")
	add("github.com/go-resty/resty/v2", "Client", "OnAfterResponse")
	return entries
}
