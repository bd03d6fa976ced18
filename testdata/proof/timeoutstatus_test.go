package proof

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"fixtures/timeoutstatus/apierr"
	"fixtures/timeoutstatus/branches"
	"fixtures/timeoutstatus/callforms"
	"fixtures/timeoutstatus/choices"
	"fixtures/timeoutstatus/failed"
	"fixtures/timeoutstatus/falsepos"
	"fixtures/timeoutstatus/fixes"
	"fixtures/timeoutstatus/groups"
	"fixtures/timeoutstatus/helpers"
	"fixtures/timeoutstatus/kinds"
	"fixtures/timeoutstatus/names"
	"fixtures/timeoutstatus/proxy"
	"fixtures/timeoutstatus/questions"
	"fixtures/timeoutstatus/tables"
	"fixtures/timeoutstatus/upstream"

	"github.com/gin-gonic/gin"
	"github.com/gofiber/fiber/v2"
	"github.com/labstack/echo/v4"
	"github.com/valyala/fasthttp"
)

// timeoutFixtures are the functions that are run: all that are exported by the
// packages they are in.
var timeoutFixtures = []any{
	questions.As, questions.AsAndTimeout, questions.AsURLError, questions.AsURLErrorAndTimeout,
	questions.AsOpError, questions.AsDNSError, questions.AsDNSErrorAndIsTimeout, questions.AsAnonymous,
	questions.AsAnonymousAndTimeout, questions.AsOwnInterface, questions.AsNew, questions.AsThenNil,
	questions.AsThenNilAndTimeout, questions.AsType, questions.AsTypeAndTimeout, questions.Assertion,
	questions.AssertionAndTimeout, questions.AssertionOfURLError, questions.AssertionOfCause,
	questions.AssertionOfCauseAndTimeout, questions.UnwrapAndAssert, questions.TypeSwitch,
	questions.TypeSwitchOfTwo, questions.TypeSwitchAndTimeout, questions.TypeSwitchAfterURLError,
	questions.TypeSwitchAfterAll, questions.OneOfTheProgramsOwn,

	branches.WrongArm, branches.WrongArmOfElse, branches.Inverted, branches.InvertedWithoutTimeout,
	branches.Or, branches.OrInACase, branches.OrOfTimeouts, branches.OrOfTimeoutAndTemporary,
	branches.Temporary, branches.NotTemporary, branches.Nested, branches.OnlyForTheLog,
	branches.AfterTheChoice, branches.TalkedDown, branches.NotTalkedDown, branches.Corrected,
	branches.EarlierCase, branches.EarlierCaseOfSomethingElse, branches.EarlyReturn, branches.StoredBool,
	branches.StoredBoolOfTheWrongQuestion, branches.StoredBoolInSteps, branches.SwitchTrue,
	branches.DialsTakenAway, branches.RefusedTakenAway, branches.Goto, branches.Fallthrough,
	branches.CopiedBool, branches.CopiedBoolOfTheWrongQuestion,

	callforms.Renamed, callforms.Dot, callforms.Parenthesised, callforms.ParenthesisedAndTimeout,
	callforms.FunctionValue, callforms.MethodValue, callforms.MethodValueOfTheWriter,
	callforms.MethodExpression, callforms.Embedded, callforms.Generic[error], callforms.GenericQuestion,
	callforms.GenericQuestionOfItsOwn, callforms.Conversion, callforms.Closure,
	callforms.ClosureThatAsks, callforms.Shadowed, callforms.ClosureOverTheError, callforms.TypeSwitchOfAny,

	choices.WriteHeader, choices.Error, choices.Gin, choices.Echo, choices.EchoError,
	choices.EchoErrorVariable, choices.Fiber, choices.FiberError, choices.Chi, choices.Constant,
	choices.NamedResult, choices.Assigned, choices.AssignedToTwo, choices.AssignedToAField,
	choices.ErrorValue, choices.ErrorValueCorrected, choices.ErrorValueNotCorrected,
	choices.ErrorVariable, choices.ErrorConstructor, choices.ErrorConstructorOfANumber,
	choices.HelperThatAlwaysAnswers, choices.HelperThatGetsTheNumber, choices.InAMap,
	choices.InADeferredFunction, choices.DeferredForTwo,
	choices.WrittenByADeferredFunction, choices.InAPanic, choices.InAnOption,

	helpers.Predicate, helpers.PredicateTwoCallsAway, helpers.PredicateOfTimeouts,
	helpers.NotPredicateOfTimeouts, helpers.ValueAndBool, helpers.ValueAndBoolAndTimeout,
	helpers.ValueOrNil, helpers.ValueOrNilAndTimeout, helpers.OwnAs, helpers.OwnAsAndTimeout,
	helpers.Generic, helpers.GenericAndTimeout, helpers.FailureOfAHelper,
	helpers.FailureOfAHelperThatSaysWhatIsSlow, helpers.Method, helpers.MethodThatAsks, helpers.Field,
	helpers.Class, helpers.ClassThatWasAsked, helpers.ClassOfTheRest, helpers.ClassInAWord,
	helpers.Picked, helpers.PickedByTimeout, helpers.PickedForTheRest,
	helpers.FieldAndTimeout, helpers.DefaultOfAHelper, helpers.DefaultOfAHelperThatIsAskedFirst,

	failed.Get, failed.GetAndAsk, failed.DoWithDeadline, failed.DoWithDeadlineThatIsAsked,
	failed.DoWithDeadlineOfErr, failed.RoundTrip, failed.Interface, failed.FunctionValue,
	failed.Embedded, failed.Wrapped, failed.WrappedAndAsked, failed.TwoCallsAway, failed.SaidByAHelper,
	failed.Dial, failed.AfterRetries, failed.LastError, failed.InAGoroutine,
	failed.InALiteralOfTheBranch, failed.AfterRetriesWithAPause,
	failed.OnlyImplementation, failed.OnlyImplementationThatAsks,

	groups.Group, groups.GroupThatIsAsked, groups.GroupOfSomethingElse, groups.Flight, groups.RetryGo,
	groups.Backoff, groups.BackoffThatIsAsked, groups.BackoffV5, groups.SethVargo, groups.OwnHelper,
	groups.OwnHelperOfSomethingElse, groups.Channel, groups.ChannelOfAnswers, groups.ChannelThatIsAsked,

	names.Named, names.NamedAndAsked, names.OwnName, names.OtherName, names.Forgiven, names.Part,
	names.PartThatIsAsked, names.OfAnotherPackage, names.Typed, names.TypedAndAsked, names.TypedAndItsCauseAsked, names.Kind, names.Made,

	kinds.Kind, kinds.KindOfTimeouts, kinds.Wrapped, kinds.Category, kinds.Fine,

	proxy.Always, proxy.InALiteral, proxy.Named, proxy.Method, proxy.Returned, proxy.Asked,
	proxy.Echo, proxy.EchoInALiteral, proxy.EchoAsks,

	tables.Table, tables.LocalTable, tables.LocalTableOfTheWrongQuestion, tables.ByStatus,
	tables.Registered, tables.RegisteredByTheRightQuestion,

	falsepos.BodyDeadline, falsepos.BodyDeadlineOfAHelper, falsepos.Select, falsepos.AnotherReason,
	falsepos.Elapsed, falsepos.ByText, falsepos.StoppedByATimer, falsepos.Received, falsepos.Parse,
	falsepos.Reassigned, falsepos.Pause, falsepos.ContextErrKept, falsepos.ContextDone, falsepos.Classified,
	falsepos.BoolBesideTheError, falsepos.OtherCloser,

	fixes.As, fixes.AsAndMore, fixes.AsInACase, fixes.Assertion, fixes.AssertionOfBlank, fixes.AsType,
	fixes.Before, fixes.Handler, fixes.HandlerWithAnotherTest, fixes.Or, fixes.NotTemporary, fixes.Temporary,
}

// timeoutFoundIn says where the finding is that a function leads to, if it is not in
// the function itself.
var timeoutFoundIn = map[string]string{
	"helpers.DefaultOfAHelper": "helpers.answer",
	"kinds.Kind":               "kinds.kindOf",
	"kinds.Wrapped":            "kinds.wrap",
	"kinds.Category":           "kinds.categoryOf",
	"proxy.Named":              "proxy.onError",
	"proxy.Method":             "proxy.fail",
	"proxy.Returned":           "proxy.failWith",
	"tables.Table":             "tables.rows",
}

// timeoutUntried says why a function is not run.
var timeoutUntried = map[string]string{
	"falsepos.Listed":       "it answers nobody",
	"failed.Agent":          "it has a client of its own",
	"failed.AgentFirst":     "it has a client of its own",
	"failed.AgentEach":      "it has a client of its own",
	"failed.RPC":            "it has a client of its own",
	"failed.RPCThatIsAsked": "it has a client of its own",
	"failed.Mail":           "it has a client of its own",
	"fixes.NothingElse":     "it goes on with a nil response where the failure is none of the network",
}

// TestTimeoutstatus runs the fixtures against servers that cannot be reached. One
// that is reported answers one of them as a timeout, one that is not answers none.
func TestTimeoutstatus(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	reported := timeoutFindings(t)
	outages := timeoutOutages(t)
	client, address := upstream.Client, upstream.URL
	defer func() { upstream.Client, upstream.URL = client, address }()

	tried := make(map[string]bool)
	for _, f := range timeoutFixtures {
		name := timeoutName(f)
		tried[name] = true
		t.Run(name, func(t *testing.T) {
			var answers []string
			wrong := false
			for _, o := range outages {
				upstream.Client, upstream.URL = o.client, o.url
				for _, code := range timeoutAnswers(t, f, o) {
					answers = append(answers, fmt.Sprintf("%d (%s)", code, o.name))
					wrong = wrong || code == http.StatusRequestTimeout || code == http.StatusGatewayTimeout
				}
			}
			want := reported[name]
			if in, ok := timeoutFoundIn[name]; ok {
				want = reported[in]
			}
			if wrong != want {
				t.Errorf("reported: %t, answers: %s", want, strings.Join(answers, ", "))
			}
		})
	}
	for name := range reported {
		if token.IsExported(name[strings.Index(name, ".")+1:]) && !tried[name] && timeoutUntried[name] == "" {
			t.Errorf("%s is not run", name)
		}
	}
}

// A timeoutOutage is a server that cannot be reached.
type timeoutOutage struct {
	name   string
	client *http.Client
	url    string
}

// timeoutOutages returns the ways in which a server cannot be reached before anybody
// could be slow: nobody listens; its name is unknown; the name server is in trouble.
func timeoutOutages(t *testing.T) []timeoutOutage {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	return []timeoutOutage{
		{"refused", &http.Client{Transport: &http.Transport{}}, "http://" + ln.Addr().String() + "/"},
		{"unknown host", timeoutClient(t, 3), "http://upstream.invalid/"},
		{"name server in trouble", timeoutClient(t, 2), "http://upstream.invalid/"},
	}
}

// timeoutClient returns a client whose name server answers everything with rcode.
func timeoutClient(t *testing.T, rcode uint16) *http.Client {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		b := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			if n < 12 {
				continue
			}
			// The question comes back, as an answer without records.
			const isAnswer, recursion = 1 << 15, 1<<8 | 1<<7
			binary.BigEndian.PutUint16(b[2:], isAnswer|recursion|rcode)
			binary.BigEndian.PutUint16(b[10:], 0) // no additional records
			end := 12
			for end < n && b[end] != 0 {
				end += int(b[end]) + 1
			}
			_, _ = conn.WriteTo(b[:min(end+5, n)], from)
		}
	}()
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	dialer := &net.Dialer{Resolver: resolver, Timeout: 10 * time.Second}
	return &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
}

// failures returns the errors of o in the forms that code gets to see.
func (o timeoutOutage) failures(t *testing.T) []error {
	t.Helper()
	_, ofClient := o.client.Get(o.url)
	_, raw := o.client.Transport.RoundTrip(httptest.NewRequest(http.MethodGet, o.url, nil))
	if ofClient == nil || raw == nil {
		t.Fatalf("%s: the server was reached", o.name)
	}
	return []error{ofClient, raw, fmt.Errorf("wrapped: %w", ofClient)}
}

// timeoutAnswers returns what f answers to the failures of o.
func timeoutAnswers(t *testing.T, f any, o timeoutOutage) (codes []int) {
	t.Helper()
	each := func(answer func(w *httptest.ResponseRecorder, r *http.Request, err error) error) {
		for _, err := range o.failures(t) {
			rec := httptest.NewRecorder()
			err := answer(rec, httptest.NewRequest(http.MethodGet, "/", nil), err)
			codes = append(codes, timeoutStatusOf(rec, err))
		}
	}
	switch f := f.(type) {
	case func(error) int:
		for _, err := range o.failures(t) {
			codes = append(codes, f(err))
		}
	case func(error, int) int:
		for _, err := range o.failures(t) {
			codes = append(codes, f(err, 1))
		}
	case func(error) error:
		each(func(_ *httptest.ResponseRecorder, _ *http.Request, err error) error { return f(err) })
	case func(error) *apierr.Error:
		each(func(_ *httptest.ResponseRecorder, _ *http.Request, err error) error { return f(err) })
	case func(http.ResponseWriter, error):
		each(func(w *httptest.ResponseRecorder, _ *http.Request, err error) error { f(w, err); return nil })
	case func(http.ResponseWriter, error) error:
		each(func(w *httptest.ResponseRecorder, _ *http.Request, err error) error { _ = f(w, err); return nil })
	case func(http.ResponseWriter, *http.Request, error):
		each(func(w *httptest.ResponseRecorder, r *http.Request, err error) error { f(w, r, err); return nil })
	case func(*gin.Context, error):
		each(func(w *httptest.ResponseRecorder, r *http.Request, err error) error {
			c, _ := gin.CreateTestContext(w)
			c.Request = r
			f(c, err)
			c.Writer.WriteHeaderNow()
			return nil
		})
	case func(echo.Context, error) error:
		each(func(w *httptest.ResponseRecorder, r *http.Request, err error) error {
			return f(echo.New().NewContext(r, w), err)
		})
	case func(*fiber.Ctx, error) error:
		each(func(w *httptest.ResponseRecorder, _ *http.Request, err error) error {
			app := fiber.New()
			c := app.AcquireCtx(&fasthttp.RequestCtx{})
			defer app.ReleaseCtx(c)
			err = f(c, err)
			w.WriteHeader(c.Response().StatusCode())
			return err
		})
	case func(http.ResponseWriter, *http.Request):
		rec := httptest.NewRecorder()
		f(rec, httptest.NewRequest(http.MethodGet, "/", nil))
		codes = append(codes, rec.Code)
	case func(*url.URL) http.Handler:
		u, err := url.Parse(o.url)
		if err != nil {
			t.Fatal(err)
		}
		h := f(u)
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if p, ok := h.(*httputil.ReverseProxy); ok {
			p.Transport = o.client.Transport
		} else { // a router with a proxy of its own
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			r = r.WithContext(ctx)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		codes = append(codes, rec.Code)
	default:
		t.Fatalf("a function of type %T cannot be run", f)
	}
	return codes
}

// timeoutStatusOf returns the status in err, or else what was written.
func timeoutStatusOf(rec *httptest.ResponseRecorder, err error) int {
	var own *apierr.Error
	var ofEcho *echo.HTTPError
	var ofFiber *fiber.Error
	switch {
	case errors.As(err, &own):
		return own.Code
	case errors.As(err, &ofEcho):
		return ofEcho.Code
	case errors.As(err, &ofFiber):
		return ofFiber.Code
	}
	return rec.Code
}

// timeoutName returns the name of a fixture function, with that of its package.
func timeoutName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], "[...]")
}

// timeoutFindings returns for each function and variable of the fixtures whether
// they expect a finding in it.
func timeoutFindings(t *testing.T) map[string]bool {
	found := make(map[string]bool)
	for _, dir := range []string{"questions", "branches", "callforms", "choices", "helpers", "failed", "groups", "kinds", "names", "proxy", "tables", "falsepos", "fixes"} {
		files, err := filepath.Glob(filepath.Join("..", "timeoutstatus", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no fixtures in %s: %v", dir, err)
		}
		for _, file := range files {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range f.Decls {
				expects := false
				for _, group := range f.Comments {
					in := decl.Pos() <= group.Pos() && group.Pos() < decl.End()
					expects = expects || in && strings.HasPrefix(group.List[0].Text, "// want ")
				}
				switch decl := decl.(type) {
				case *ast.FuncDecl:
					if decl.Recv != nil && decl.Name.IsExported() {
						continue // of an error or a helper
					}
					found[dir+"."+decl.Name.Name] = expects
				case *ast.GenDecl:
					for _, spec := range decl.Specs {
						if spec, ok := spec.(*ast.ValueSpec); ok && expects {
							found[dir+"."+spec.Names[0].Name] = true
						}
					}
				}
			}
		}
	}
	return found
}
