package proof

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"fixtures/statusrelay/callbacks"
	"fixtures/statusrelay/callforms"
	"fixtures/statusrelay/clients"
	"fixtures/statusrelay/decoded"
	"fixtures/statusrelay/falsepos"
	"fixtures/statusrelay/fixes"
	"fixtures/statusrelay/frameworks"
	"fixtures/statusrelay/helpers"
	"fixtures/statusrelay/limits"
	"fixtures/statusrelay/nethttp"
	"fixtures/statusrelay/paths"
	"fixtures/statusrelay/replies"
	"fixtures/statusrelay/services"
	"fixtures/statusrelay/streams"
	"fixtures/statusrelay/strict"
	"fixtures/statusrelay/upstream"

	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v2"
	"github.com/labstack/echo/v4"
	"github.com/valyala/fasthttp"
)

// relayFixtures are the handlers that are run: all that are exported by the packages
// they are in. Methods are expressions, whose receivers relayHandler makes.
var relayFixtures = []any{
	nethttp.Copy, nethttp.CopyWithStatus, nethttp.CopyAndThenStatus, nethttp.HardCoded,
	nethttp.HardCodedInAVariable, nethttp.OfItsOwn, nethttp.StatusInAVariable,
	nethttp.StatusInAVariableOnly, nethttp.ReadAndWrite, nethttp.Error, nethttp.Fprint,
	nethttp.FprintOfTheLength, nethttp.WriteString, nethttp.Buffer, nethttp.CopiedBuffer,
	nethttp.Builder, nethttp.Content, nethttp.Gzip, nethttp.Buffered, nethttp.Several, nethttp.Tee,
	nethttp.Encoded, nethttp.Chunks, nethttp.ContentType, nethttp.Proxy.ServeHTTP,

	frameworks.GinData, frameworks.GinDataWithStatus, frameworks.GinReader,
	frameworks.GinReaderWithStatus, frameworks.GinString, frameworks.GinJSON, frameworks.GinRawJSON,
	frameworks.GinStatusInTheContent, frameworks.GinBadGateway, frameworks.GinWriter,
	frameworks.GinWriterWithStatus, frameworks.GinStream, frameworks.GinEvents, frameworks.GinAbort,
	frameworks.EchoBlob, frameworks.EchoBlobWithStatus, frameworks.EchoStream, frameworks.EchoJSONBlob,
	frameworks.EchoCopy, frameworks.EchoCopyToTheWriter, frameworks.EchoCopyWithStatus,
	frameworks.EchoChecked, frameworks.FiberSend, frameworks.FiberContext, frameworks.FiberSendWithStatus,
	frameworks.FiberSendThenStatus, frameworks.FiberHardCoded, frameworks.FiberBadGateway,
	frameworks.FiberJSON, frameworks.FiberStream, frameworks.FiberWrite, frameworks.FiberStreamWriter,
	frameworks.FiberStreamWriterWithStatus, frameworks.FastHTTP, frameworks.FastHTTPBlind,
	frameworks.GinStringAndStatus, frameworks.ChiJSON, frameworks.ChiJSONWithStatus,

	clients.Resty, clients.RestyString, clients.RestyIsError, clients.RestyIsSuccess,
	clients.RestyStatus, clients.RestyRaw, clients.RestyRawResponse, clients.RestyResult,
	clients.RestyResultChecked, clients.Retryable, clients.FastHTTP, clients.FastHTTPStatus,
	clients.FastHTTPWhole, clients.FastHTTPCopied, clients.FastHTTPBody, clients.Agent,
	clients.AgentBlind, clients.AgentStruct, clients.FastHTTPByAHelper, clients.FastHTTPWholeByAHelper, clients.Gateway.Interface, clients.Gateway.RoundTripper,
	clients.Gateway.Function, clients.Sling, clients.SlingChecked, clients.ParsedBody, clients.ParsedValue,
	clients.ParsedValueChecked, clients.ParsedStatus,

	helpers.Fetched, helpers.FetchedTwoCallsAway, helpers.FetchedGood, helpers.WithStatus,
	helpers.WithStatusDropped, helpers.Reply, helpers.ReplyChecked, helpers.ReplyBlind,
	helpers.ReplyWritten, helpers.ReplyBodyWritten, helpers.Poured, helpers.PouredIntoABuffer,
	helpers.PouredTwoCallsAway, helpers.Relayed, helpers.RelayedWithStatus, helpers.Responded,
	helpers.RespondedWithStatus, helpers.WrittenAsJSON, helpers.GotJSON, helpers.GotJSONChecked, helpers.GotMap,
	helpers.Remote, helpers.RemoteChecked, helpers.RemotePour, helpers.RemoteCheck, helpers.RemoteRelay,
	helpers.RemoteReply, helpers.RemoteReplyWithStatus, helpers.Closure, helpers.ClosureThatChecks,
	helpers.Callback, helpers.CallbackThatChecks, helpers.Served, helpers.Method, helpers.Channel,
	helpers.ResultOfACallback, helpers.OwnContext, helpers.InAStruct,
	helpers.RemoteAnswer, helpers.RemoteAnswerWithStatus, helpers.CheckedAtTheEnd, helpers.AllowedFirst, helpers.RemoteWriter, helpers.RemoteWriterOfAGoodOne,

	(*services.Server).One, (*services.Server).OneThatChecks, (*services.Server).OfAnotherPackage,
	(*services.Server).OfAnotherPackageThatChecks, (*services.Server).Several, services.OneOfSeveral,
	services.OtherOfSeveral, (*services.Server).Decorated, (*services.Server).ImplementedElsewhere,
	services.Variable, services.VariableThatChecks, services.VariableSetAgain, services.Generic,

	callbacks.Body, callbacks.BodyOfAGoodOne, callbacks.OfAnotherPackage, callbacks.Lines,
	callbacks.LinesOfAGoodOne, callbacks.Response, callbacks.ResponseWithStatus, callbacks.CheckedByAnother,
	callbacks.Named, callbacks.NamedThatChecks, callbacks.Sender, callbacks.SenderOfTheStatus, callbacks.SenderWithoutName,
	callbacks.Cached, callbacks.CachedGood, callbacks.Retried, callbacks.RetriedIfBad,

	streams.Scanner, streams.ScannerWithStatus, streams.Filtered, streams.Lines, streams.LinesGathered,
	streams.Rewritten, streams.Selected, streams.SelectedWithStatus, streams.ThroughAChannel, streams.Computed, streams.FlushedBefore, streams.Pipe, streams.Iterated, streams.IteratedWithStatus, streams.EventsOrStatus, streams.EventsOrAnything, streams.Archive, streams.Document, streams.DocumentWithStatus,

	paths.Checked, paths.CheckedByClass, paths.CheckedInASwitch, paths.CheckedInABareSwitch,
	paths.CheckedByText, paths.CheckedInABool, paths.CheckedInAMap, paths.Logged, paths.LoggedAsText,
	paths.LoggedIfBad, paths.LoggedInDetail, paths.LoggedAtTheEnd, paths.OnOnePathOnly, paths.OnBothPaths, paths.NotFoundOnly,
	paths.Fallback, paths.BlindFallback, paths.Retried, paths.RetriedByStatus, paths.Mirrors,
	paths.InTheContent, paths.InAHeader, paths.ByAHelper, paths.ByAHelperOfTheCode,
	paths.LoggedByAHelper, paths.AnsweredByAHelper, paths.HeadersByAHelper, paths.LoggedInASwitch, paths.AnsweredInASwitch, paths.Goto, paths.LoggedByAnInterface, paths.Counted, paths.CountedByAVariable,

	decoded.Encoded, decoded.Marshalled, decoded.AsXML, decoded.Enveloped, decoded.Count, decoded.Part,
	decoded.SaysItself, decoded.SaysItselfByABool, decoded.SaysItselfToAMethod, decoded.Page,
	decoded.Checked,
	decoded.DecodedByALibrary, decoded.PartOfAnAnswer, decoded.PartOfAMap, decoded.EnvelopedInAField,
	decoded.Patched, decoded.Searched, decoded.AsYAML, decoded.DecodedBesideItsReturn,

	replies.HardCoded, replies.WithStatus, replies.InSteps, replies.Checked, replies.ByAHelper, replies.ByAHelperWithStatus,

	fixes.Bare, fixes.InAnIf, fixes.Assigned, fixes.InACase, fixes.HardCoded, fixes.HardCodedAsANumber,
	fixes.HardCodedForALoop, fixes.Read, fixes.Encoded, fixes.TwoPlaces, fixes.ByAHelper, fixes.ByACopier, fixes.GinData,
	fixes.GinReader, fixes.GinJSON, fixes.GinStatus, fixes.GinWriter, fixes.GinResty, fixes.EchoBlob,
	fixes.EchoStream, fixes.EchoJSONBlob, fixes.EchoCopy, fixes.FiberSend, fixes.FiberType,
	fixes.FiberHardCoded, fixes.FastHTTP, fixes.Created, fixes.WroteBefore, fixes.InALoop, fixes.Perhaps,
	fixes.Shadowed, fixes.TooEarly, fixes.OutOfSight, fixes.HeadersByAHelper, fixes.LastUse,

	strict.Own, strict.Set, strict.Plain, strict.Strict, strict.Lenient, strict.Hooked, strict.HookedLater, strict.Transported,
	strict.Unhooked, strict.ByParameter, strict.Embedded, strict.Variable, strict.HookedByAHelper, strict.Counted,

	limits.Looked, limits.Kept, limits.Part,

	falsepos.Download, falsepos.Ping, falsepos.Reverse, falsepos.Many, falsepos.Recorded,
	falsepos.Forward, falsepos.Content, falsepos.Explained, falsepos.Wrapped, falsepos.Strict, falsepos.CheckedFunction,

	callforms.Dot, callforms.Parenthesised, callforms.MethodValue, callforms.Embedded,
	callforms.EmbeddedResponse, callforms.EmbeddedStatus, callforms.Generic, callforms.Immediate,
	callforms.Shadowed, callforms.Anonymous,

	nethttp.Handler,
}

// relayFoundIn says where the finding is that a handler leads to, if it is not in
// the handler itself.
var relayFoundIn = map[string]string{"helpers.Served": "helpers.serve", "services.Generic": "services.generic"}

// relayExcused says why the text of a failure is in a good answer of a handler that
// is not reported.
var relayExcused = map[string]string{
	"falsepos.Many":             "the answer is about many upstreams",
	"services.Server.Several":   "another implementation may be there, and has no upstream",
	"services.VariableSetAgain": "another function may be there",
	"limits.Looked":             "the status was looked at, to no avail",
	"limits.Kept":               "the body waits in a package's variable",
	"limits.Part":               "all that matters may be a part",
}

// TestStatusrelay runs the fixtures against an upstream that answers 401. A handler
// that is reported answers its own client with a good status, one that is not does
// not, or says what it has to say itself.
func TestStatusrelay(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard)
	const text = "no such user"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":%q,"ok":false}`+"\n", text)
	}))
	defer srv.Close()
	client, address := upstream.Client, upstream.URL
	upstream.Client, upstream.URL = srv.Client(), srv.URL+"/"
	defer func() { upstream.Client, upstream.URL = client, address }()

	reported := relayFindings(t)
	tried := make(map[string]bool)
	for _, f := range relayFixtures {
		name := relayName(f)
		tried[name] = true
		t.Run(name, func(t *testing.T) {
			code, answer := relayAnswer(t, f)
			want := reported[name]
			if in, ok := relayFoundIn[name]; ok {
				want = reported[in]
			}
			good := code >= 200 && code < 300
			switch {
			case want && !good:
				t.Errorf("reported, and answers %d", code)
			case !want && good && strings.Contains(answer, text) && !strings.Contains(answer, "401") && relayExcused[name] == "":
				t.Errorf("not reported, and answers %d %q", code, answer)
			}
		})
	}
	for name := range reported {
		if token.IsExported(name[strings.LastIndex(name, ".")+1:]) && !tried[name] {
			t.Errorf("%s is not run", name)
		}
	}
}

// relayAnswer returns the status of the answer of the handler f, and the answer with
// its header.
func relayAnswer(t *testing.T, f any) (code int, answer string) {
	t.Helper()
	h, app := relayHandler(t, f)
	if app != nil {
		resp, err := app.Test(httptest.NewRequest(http.MethodGet, "/", nil), 10_000)
		if err != nil {
			t.Fatal(err)
		}
		return relayRead(t, resp)
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	resp, err := srv.Client().Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	return relayRead(t, resp)
}

func relayRead(t *testing.T, resp *http.Response) (code int, answer string) {
	t.Helper()
	defer resp.Body.Close()
	var buf bytes.Buffer
	resp.Header.Write(&buf)
	if _, err := buf.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, buf.String()
}

// relayHandler returns what serves f: a handler, or an app of fiber.
func relayHandler(t *testing.T, f any) (http.Handler, *fiber.App) {
	t.Helper()
	upstreams := clients.Gateway{Client: upstream.Client, Next: upstream.Client.Transport, Send: upstream.Client.Do}
	app := fiber.New()
	switch f := f.(type) {
	case func(http.ResponseWriter, *http.Request):
		return http.HandlerFunc(f), nil
	case func(nethttp.Proxy, http.ResponseWriter, *http.Request):
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Scheme, r.URL.Host = "http", strings.TrimSuffix(strings.TrimPrefix(upstream.URL, "http://"), "/")
			f(nethttp.Proxy{Client: upstream.Client}, w, r)
		}), nil
	case func(clients.Gateway, http.ResponseWriter, *http.Request):
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(upstreams, w, r) }), nil
	case func(*services.Server, http.ResponseWriter, *http.Request):
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f(services.New(), w, r) }), nil
	case func(context.Context, replies.Request) (replies.Response, error):
		return gateway(func(ctx context.Context, r replies.Request) (*replies.Response, error) {
			reply, err := f(ctx, r)
			return &reply, err
		}), nil
	case func(context.Context, replies.Request) (*replies.Response, error):
		return gateway(f), nil
	case func(string) http.Handler:
		return f(upstream.URL), nil
	case func(*gin.Context):
		engine := gin.New()
		engine.GET("/", f)
		return engine, nil
	case func(echo.Context) error:
		e := echo.New()
		e.GET("/", f)
		return e, nil
	case func(*fiber.Ctx) error:
		app.Get("/", f)
	case func(*fasthttp.RequestCtx):
		app.Get("/", func(c *fiber.Ctx) error {
			f(c.Context())
			return nil
		})
	default:
		t.Fatalf("a handler of type %T cannot be run", f)
	}
	return nil, app
}

// gateway serves what the function f replies, as gateways of functions do.
func gateway(f func(context.Context, replies.Request) (*replies.Response, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply, err := f(r.Context(), replies.Request{})
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.WriteHeader(reply.StatusCode)
		io.WriteString(w, reply.Body)
	})
}

// relayName returns the name of a fixture function, as relayFindings has it.
func relayName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return strings.NewReplacer("fixtures/statusrelay/", "", "(*", "", ")", "").Replace(name)
}

// relayFindings returns for each handler of the fixtures, and each function that has a
// finding, whether it has one.
func relayFindings(t *testing.T) map[string]bool {
	names, err := filepath.Glob(filepath.Join("..", "statusrelay", "*", "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal("no fixtures", err)
	}
	found := make(map[string]bool)
	for _, name := range names {
		dir := filepath.Base(filepath.Dir(name))
		if dir == "remote" || dir == "upstream" {
			continue // helpers of the others, without a handler
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			expects := false
			for _, group := range file.Comments {
				in := decl.Pos() <= group.Pos() && group.Pos() < decl.End()
				expects = expects || in && strings.HasPrefix(group.List[0].Text, "// want ")
			}
			if expects || decl.Recv == nil && decl.Name.IsExported() && decl.Type.Params.NumFields() > 0 {
				found[dir+"."+funcName(decl)] = expects
			}
		}
	}
	return found
}
