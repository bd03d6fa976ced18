package proof

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fixtures/transportreuse/callforms"
	"fixtures/transportreuse/closing"
	"fixtures/transportreuse/direct"
	"fixtures/transportreuse/falsepos"
	"fixtures/transportreuse/handlers"
	"fixtures/transportreuse/lazy"
	"fixtures/transportreuse/loops"
	"fixtures/transportreuse/makers"
	"fixtures/transportreuse/replaced"
	"fixtures/transportreuse/shapes"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
)

// calls is how often each fixture is called. Those that loop by themselves make
// more requests.
const calls = 4

// A poolTrial calls a fixture function once with the address of a server.
type poolTrial func(url string) error

// TestTransportReuse calls each fixture function of transportreuse some times against
// a server and counts the connections that are open after that, and after a garbage
// collection. One that has a finding must leave one for each call, any other at most
// one for all of them.
func TestTransportReuse(t *testing.T) {
	fixtures := parse(t, "../transportreuse")
	trials := poolTrials()
	for name, call := range trials {
		f, ok := fixtures[name]
		if !ok {
			t.Errorf("%s: no such fixture", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := leaves(t, call, f.faulty)
			switch {
			case f.faulty && open < calls:
				t.Errorf("%s: %d connections are open after %d calls: there is no fault", f.pos, open, calls)
			case !f.faulty && open > 1:
				t.Errorf("%s: %d connections are open after %d calls, unreported", f.pos, open, calls)
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(fixtures)) {
		_, tried := trials[name]
		if _, why := poolsUntried[topicOf(name)]; !why {
			_, why = poolsUntried[name]
			if why == tried {
				t.Errorf("%s: %s must be in one list, of the trials or of those untried", fixtures[name].pos, name)
			}
		}
	}
}

// topicOf returns the package of a fixture's name.
func topicOf(name string) string {
	topic, _, _ := strings.Cut(name, ".")
	return topic
}

// leaves calls a function some times and returns how many connections are open then.
// It waits for those that are being closed, longer where there should be none.
func leaves(t *testing.T, call poolTrial, faulty bool) int {
	var open atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.URL.Path != "/empty" {
			io.WriteString(w, "some text")
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}
	s.Start()
	defer s.Close()
	for range calls {
		if err := call(s.URL); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	for i := 0; open.Load() > 1 && i < 40; i++ {
		if faulty && i == 4 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return int(open.Load())
}

// poolsUntried lists the fixtures, or whole topics, that are not run, and why.
var poolsUntried = map[string]string{
	"shapes.Send":                             "calls send, which has the fault",
	"shapes.Server.Refresh":                   "calls initTickets, which has the fault",
	"shapes.RunPoller":                        "does not end",
	"shapes.Plugin.Tick":                      "does not end",
	"shapes.Workers":                          "makes a pool a worker",
	"shapes.Server.ProxyHandler":              "sends nothing",
	"shapes.Session.Login":                    "called by SessionPerCall",
	"shapes.Server.SetsUpDefault":             "would disturb the others",
	"lazy.OverwritesDefaultClient":            "would disturb the others; lazy.OverwritesShared shows the fault",
	"lazy.OverwritesAlias":                    "would disturb the others; lazy.OverwritesShared shows the fault",
	"lazy.OverwritesDefaultTransport":         "would disturb the others; lazy.OverwritesShared shows the fault",
	"fixes":                                   "as those of direct",
	"command":                                 "a command ends, and its connections with it",
	"subcommands":                             "as those of command",
	"intests":                                 "run by go test",
	"limits.ThroughAFactory":                  "the fault is there, unseen",
	"direct.NegativeButHTTP2":                 "needs HTTP/2",
	"direct.HTTP2":                            "needs TLS, or a dialer of its own",
	"handlers.FastHTTP":                       "needs a server of fasthttp; direct.FastHTTP shows the fault",
	"handlers.Echo":                           "needs a context of echo",
	"handlers.Fiber":                          "needs a context of fiber",
	"handlers.Connect":                        "needs a server of connect",
	"handlers.NewAPI":                         "a constructor",
	"loops.NewOnes":                           "a constructor",
	"loops.Poll":                              "does not end",
	"lazy.Kept.Reload":                        "sends nothing",
	"falsepos.MeasuresOverItsOwn":             "needs TLS",
	"falsepos.AsksOverGiven":                  "needs a connection",
	"falsepos.Returned":                       "sends nothing",
	"falsepos.NewChecked":                     "a constructor",
	"falsepos.Checked":                        "a constructor",
	"falsepos.NewHolder":                      "a constructor",
	"falsepos.Unused":                         "sends nothing",
	"falsepos.Sent":                           "who receives it may keep it",
	"falsepos.Registered":                     "who gets it may keep it",
	"falsepos.Server.Run":                     "does not end",
	"falsepos.LoadConfig":                     "runs once a configuration: each call leaves its pool",
	"falsepos.source.LoadClientCAs":           "runs once a configuration: each call leaves its pool",
	"falsepos.source.ReloadTLS":               "runs once a configuration: each call leaves its pool",
	"falsepos.certPool.Provision":             "runs once a configuration: each call leaves its pool",
	"falsepos.Server.Listen":                  "does not end",
	"falsepos.Report":                         "does not end",
	"falsepos.Feed":                           "does not end",
	"falsepos.Server.Watch":                   "does not end",
	"falsepos.Consume":                        "does not end",
	"limits.fresh.Client":                     "called by ThroughAFactory",
	"closing.logging.RoundTrip":               "called by NotForwarded",
	"closing.tripper.RoundTrip":               "called by NotForwardedByFunc",
	"closing.forwarding.RoundTrip":            "called by Forwarded",
	"closing.forwarding.CloseIdleConnections": "called by Forwarded",
	"callforms.box.Get":                       "called by GenericType",
	"callforms.fake.Transport":                "called by Shadowed",
	"callforms.fake.Get":                      "called by Shadowed",
	"makers.NewService":                       "a constructor",
	"falsepos.Open":                           "a constructor",
	"makers.ConstructorOfAModule":             "the server speaks no connect, whose client hangs up on it then",
	"makers.Dry":                              "sends nothing",
	"loops.NewAll":                            "makes many requests a call",
	"callforms.NamedResult":                   "a constructor",
	"handlers.Indirect":                       "calls helper, which has the fault",
	"handlers.controller.Reconcile":           "as direct.API.Literal",
	"handlers.perTrip.RoundTrip":              "needs a client of its own",
	"loops.init":                              "runs no iteration",
	"loops.Run":                               "calls attempt, which has the fault",
}

// poolTrials returns the trials by the names of their fixtures.
func poolTrials() map[string]poolTrial {
	trials := make(map[string]poolTrial)
	add := func(fs ...func(url string) error) {
		for _, f := range fs {
			trials[poolName(f)] = f
		}
	}
	as := func(f any, call poolTrial) { trials[poolName(f)] = call }

	a := new(direct.API)
	add(a.Literal, a.Nested, direct.OneExpression, direct.WithNew, direct.WithVar, direct.CloneOfDefault, direct.CloneIfPossible,
		direct.RoundTripDirectly, direct.HeadLeavesAConnection, direct.NeverClosed, direct.KeepAlivesAsked, direct.FastHTTP,
		direct.FastHTTPVar, direct.Embedded, direct.InAStruct, direct.InAMap, direct.InAGoroutine, direct.MadeInAGoroutine,
		direct.DialsItself)
	as(direct.WithLaterAssignment, func(url string) error { return direct.WithLaterAssignment(url, 1) })
	as(direct.ReturnsBody, func(url string) error { return readBody(direct.ReturnsBody(url)) })
	as(direct.ReturnsResponse, func(url string) error {
		resp, err := direct.ReturnsResponse(url)
		if err != nil {
			return err
		}
		return readBody(resp.Body, nil)
	})
	as(direct.EitherOfTwo, func(url string) error { return direct.EitherOfTwo(url, true) })
	as(direct.OnOnePath, func(url string) error { return direct.OnOnePath(url, true) })
	as(direct.ReverseProxy, handled(direct.ReverseProxy))
	as(direct.ReverseProxyLiteral, handled(direct.ReverseProxyLiteral))

	m := makers.NewService()
	add(makers.Own, makers.OwnWithError, makers.ThroughInterface, makers.OtherPackage, makers.StepByStep, makers.MethodExpressionOfIt,
		makers.Chain, makers.Setter, makers.NothingConfigured, makers.ConfiguredInAVariable, makers.SharedConfigured,
		makers.SharedConfiguredLater, makers.OwnConfigured, makers.Asked, makers.NotAsked, makers.AskedElsewhere, makers.DefaultsMissing, makers.DefaultsOwn, makers.DefaultsShared, makers.TransportMissing, makers.TransportGiven, makers.Insecure,
		makers.Secure, makers.NoOptions, makers.OtherOption, makers.OptionGivesShared, makers.FilledIn, makers.Closure,
		makers.PackageVariable, m.Field, m.Method, makers.MakerGiven, makers.MakerGivenThatKeepsNone, makers.CleanPooled,
		makers.Clean, makers.Retryable, makers.RetryableStandard, makers.RetryableWithShared, makers.Resty, makers.RestyInSteps,
		makers.RestyOfEmptyClient, makers.RestyOfKept, makers.RestyOfSharedTransport, makers.OwnRunner, makers.Pinged,
		makers.ConstructorOfAModuleOverShared, makers.OptionsCollected, makers.OptionsCollectedGiveShared,
		makers.FunctionInAField, makers.HandedBack, makers.HandedBackAndClosed, makers.SharedOfAPair)

	gin.SetMode(gin.ReleaseMode)
	closure, keeps := handlers.Closure(), handlers.ClosureKeeps()
	routes := chi.NewRouter()
	handlers.Routes(routes)
	chiRoutes := chi.NewRouter()
	handlers.ChiRoutes(chiRoutes)
	as(handlers.Plain, handled(handlers.Plain))
	trials["handlers.helper"] = handled(handlers.Indirect)
	as(handlers.Closure, handled(closure.ServeHTTP))
	as(handlers.ClosureKeeps, handled(keeps.ServeHTTP))
	as(handlers.Routes, handledAt("/kept", routes.ServeHTTP))
	as(handlers.ChiRoutes, handled(chiRoutes.ServeHTTP))
	as(handlers.Gin, handled(ginned(handlers.Gin)))

	add(loops.Retries, loops.RetryLibrary, loops.MadeBeforeRetries, loops.MadeBeforeOwnRetries)
	trials["loops.attempt"] = loops.Run
	as(loops.RunPoll, func(url string) error { return loops.RunPoll(context.Background(), url) })
	as(loops.Concurrent, func(url string) error { return loops.Concurrent(url) })
	as(loops.MadeBeforeConcurrent, func(url string) error { return loops.MadeBeforeConcurrent(url) })

	kept := func() *lazy.Kept { return new(lazy.Kept) }
	around := kept()
	around.Debug = true
	add(lazy.ByValue{}.Get, lazy.ByValue{}.GetBy, lazy.SendOrShared, kept().Pointer, kept().ByMethod, kept().Once, kept().Keyed,
		kept().SyncMap, around.GoneRound, kept().Forgotten, kept().Overwritten, kept().SetOnce, lazy.OverwritesShared, lazy.OnceValue,
		lazy.ReceiverMadePerCall)
	sent := kept()
	as(sent.SentBeforeKept, func(url string) error { return sent.SentBeforeKept(url, false) })
	asked, options := kept(), new(lazy.Options)
	as(closing.NotAskedByTheClient, func(url string) error {
		_, err := closing.NotAskedByTheClient(url)
		return err
	})
	through := new(lazy.Through)
	as(through.OverwrittenIfSet, func(url string) error { through.Proxy = url; return through.OverwrittenIfSet(url) })
	changed := new(lazy.Through)
	as(changed.SetWhenChanged, func(url string) error { changed.Proxy = url; return changed.SetWhenChanged(url) })
	anew := new(lazy.Through)
	as(anew.SetWhileAnew, func(url string) error { anew.Proxy = url; return anew.SetWhileAnew(url) })
	as(asked.OverwrittenIfAsked, func(url string) error { return asked.OverwrittenIfAsked(url, true) })
	as(lazy.Send, func(url string) error { return lazy.Send(url, lazy.Options{}) })
	as(lazy.SendDefaults, func(url string) error { return lazy.SendDefaults(url, lazy.Options{}) })
	as(lazy.SendPointer, func(url string) error { return lazy.SendPointer(url, options) })
	as(lazy.SendOr, func(url string) error { return lazy.SendOr(url, lazy.Options{}) })
	client := new(http.Client)
	as(lazy.OverwritesGiven, func(url string) error { return lazy.OverwritesGiven(client, url) })

	add(closing.AskedByTheClient, closing.NotForwardedByConstructor, closing.ForwardedByConstructor,
		closing.Deferred, closing.DeferredOnClient, closing.DeferredInClosure, closing.ByHelper, closing.ByOwnHelper,
		closing.ByAssertion, closing.OnOneBranch, closing.FailedRequest, closing.NotForwarded, closing.NotForwardedByHelper,
		closing.NotForwardedByFunc, closing.PastTheWrapper, closing.Forwarded, closing.Disabled, closing.DisabledLater,
		closing.NoneIdle, closing.RequestCloses, closing.HeaderCloses, closing.ClosedWithTheBody,
		closing.KeptApart, closing.KeptApartAndLeft, closing.Asserted)
	as(closing.ByContext, func(url string) error { return closing.ByContext(context.Background(), url) })
	as(closing.IfOwn, func(url string) error { return closing.IfOwn(url, nil) })
	as(closing.ClosedUnread, func(url string) error { _, err := closing.ClosedUnread(url + "/empty"); return err })
	as(closing.AfterAnEarlyReturn, func(url string) error { closing.AfterAnEarlyReturn(url); return nil })

	add(callforms.Renamed, callforms.Dot, callforms.MethodValue, callforms.MethodExpression, callforms.EmbeddedClient,
		callforms.EmbeddedAPI, callforms.Generic, callforms.Instantiated, callforms.GenericType, callforms.Parenthesised,
		callforms.Alias, callforms.Defined, callforms.UseNamedResult, callforms.Shadowed)

	add(replaced.Field, replaced.FieldOfField, replaced.Setter, replaced.ChainedSetter, replaced.ByNewOne, replaced.ByOneThatKeepsNone)
	as(replaced.Registered, func(url string) error { _, err := replaced.Registered(url); return err })
	as(replaced.OnOnePath, func(url string) error { return replaced.OnOnePath(url, true) })

	server := &shapes.Server{Insecure: true}
	cached := shapes.CacheInClosure()
	add(server.LoginOnce, server.Authorized, server.Option, server.OptionOfOne, server.OptionThatMakes, server.OptionThatMakesNone, server.GivenToALibrary, server.NotGivenToALibrary, server.FreshTwin, server.OtherTwin, server.TwinOfTwo, server.SetTwin,
		server.ByService, server.ByServiceOfOne)
	as(server.Token, func(url string) error { _, _ = server.Token(url); return nil })
	as(server.Lent, func(url string) error {
		return server.Lent(func(c *http.Client, url string) error {
			resp, err := c.Get(url)
			if err != nil {
				return err
			}
			return readBody(resp.Body, nil)
		}, url)
	})
	as(server.Login, func(url string) error { _, _ = server.Login(url); return nil })
	add(server.Goto, server.Backoff, server.Cached, server.SessionPerCall, server.CopyOfClient, server.LoadPage, shapes.Plugin{}.Notify)
	trials["shapes.Server.initTickets"] = server.Refresh
	one, other := new(falsepos.Board), new(falsepos.Board)
	as(one.Refresh, func(url string) error { one.URL = url; return one.Refresh() })
	as(other.Update, func(url string) error { other.URL = url; return other.Update() })
	as(server.Handle, handled(server.Handle))
	as(server.Proxy, handled(server.Proxy))
	as(shapes.CacheInClosure, handled(cached))
	as(server.Switch, func(url string) error { return server.Switch(url, "own") })
	as(server.Recursive, func(url string) error { return server.Recursive(url, 1) })
	trials["shapes.send"] = func(url string) error { return shapes.Send(url, &shapes.Request{Timeout: time.Second}) }
	as(shapes.WorkersOfOne, func(url string) error { shapes.WorkersOfOne(url); return nil })
	as(server.Pages, func(url string) error { _, err := server.Pages(url); return err })

	middleware := falsepos.Middleware()
	add(falsepos.NoTransport, falsepos.NilTransport, falsepos.SharedTransport, falsepos.Swapped)
	as(falsepos.Proxy, handled(falsepos.Proxy))
	as(falsepos.Middleware, handled(ginned(middleware)))
	engine := gin.New()
	falsepos.Routes(engine)
	as(falsepos.Routes, handled(engine.ServeHTTP))
	return trials
}

// poolName returns the name of a fixture function, as parse has it.
func poolName(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name = strings.TrimPrefix(name, "fixtures/transportreuse/")
	return strings.NewReplacer("(*", "", "(", "", ")", "", "-fm", "").Replace(name)
}

// readBody reads a body and closes it.
func readBody(body io.ReadCloser, err error) error {
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(io.Discard, body)
	return err
}

// handled is a trial of a handler that is told in a header where to send to.
func handled(h http.HandlerFunc) poolTrial { return handledAt("/", h) }

func handledAt(path string, h http.HandlerFunc) poolTrial {
	return func(url string) error {
		req := httptest.NewRequest("GET", path, nil)
		req.Header.Set("X-To", url)
		req.URL.Path = path
		h(httptest.NewRecorder(), req)
		return nil
	}
}

// ginned serves everything with h.
func ginned(h gin.HandlerFunc) http.HandlerFunc {
	engine := gin.New()
	engine.NoRoute(h)
	return engine.ServeHTTP
}
