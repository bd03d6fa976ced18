package proof

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	fiberthree "github.com/gofiber/fiber/v3"
	"github.com/labstack/echo/v4"
	echofive "github.com/labstack/echo/v5"
	"github.com/valyala/fasthttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"fixtures/shutdowndrain/actors"
	"fixtures/shutdowndrain/callforms"
	"fixtures/shutdowndrain/closes"
	"fixtures/shutdowndrain/donectx"
	"fixtures/shutdowndrain/falsepos"
	"fixtures/shutdowndrain/helpers"
	"fixtures/shutdowndrain/libs"
	"fixtures/shutdowndrain/limits"
	"fixtures/shutdowndrain/needs"
	"fixtures/shutdowndrain/packages"
	"fixtures/shutdowndrain/packages/store"
	shutdownparts "fixtures/shutdowndrain/parts"
	"fixtures/shutdowndrain/programs"
	"fixtures/shutdowndrain/services"
	"fixtures/shutdowndrain/teams"
	"fixtures/shutdowndrain/waits"
)

// shutdowndrainMains are the fixtures that are all that a main does, by file and name.
var shutdowndrainMains = map[string]any{
	"donectx.SignalsOwn":                   donectx.SignalsOwn,
	"donectx.Fresh":                        donectx.Fresh,
	"donectx.Derived":                      donectx.Derived,
	"donectx.DerivedWithoutCancel":         donectx.DerivedWithoutCancel,
	"donectx.DerivedValue":                 donectx.DerivedValue,
	"donectx.Select":                       donectx.Select,
	"donectx.SelectFresh":                  donectx.SelectFresh,
	"donectx.ErrgroupAfterWait":            donectx.ErrgroupAfterWait,
	"donectx.ErrgroupMember":               donectx.ErrgroupMember,
	"donectx.ErrgroupMemberFresh":          donectx.ErrgroupMemberFresh,
	"donectx.ErrgroupParent":               donectx.ErrgroupParent,
	"donectx.CancelCalled":                 donectx.CancelCalled,
	"donectx.CancelDeferred":               donectx.CancelDeferred,
	"donectx.CancelInGoroutine":            donectx.CancelInGoroutine,
	"donectx.DeadlineFromStart":            donectx.DeadlineFromStart,
	"donectx.DeadlineFromStartInGoroutine": donectx.DeadlineFromStartInGoroutine,
	"donectx.Err":                          donectx.Err,
	"donectx.AfterFunc":                    donectx.AfterFunc,
	"donectx.DeferredShutdown":             donectx.DeferredShutdown,
	"donectx.DeferredInOrder":              donectx.DeferredInOrder,
	"donectx.DeferredOutOfOrder":           donectx.DeferredOutOfOrder,
	"donectx.Told":                         donectx.Told,
	"donectx.Fields":                       donectx.Fields,

	"waits.Nobody":              waits.Nobody,
	"waits.Channel":             waits.Channel,
	"waits.ChannelClosedBefore": waits.ChannelClosedBefore,
	"waits.Group":               waits.Group,
	"waits.OtherGroup":          waits.OtherGroup,
	"waits.ErrorChannel":        waits.ErrorChannel,
	"waits.SameSignal":          waits.SameSignal,
	"waits.Fatal":               waits.Fatal,
	"waits.FatalUnlessClosed":   waits.FatalUnlessClosed,
	"waits.FatalUnlessNil":      waits.FatalUnlessNil,
	"waits.PanicUnlessNil":      waits.PanicUnlessNil,
	"waits.FatalInMain":         waits.FatalInMain,
	"waits.ExitBeside":          waits.ExitBeside,
	"waits.ExitBehind":          waits.ExitBehind,
	"waits.Cancelled":           waits.Cancelled,
	"waits.CancelledBefore":     waits.CancelledBefore,
	"waits.Errgroup":            waits.Errgroup,
	"waits.ErrgroupBeside":      waits.ErrgroupBeside,
	"waits.InMain":              waits.InMain,
	"waits.Result":              waits.Result,
	"waits.Helper":              waits.Helper,
	"waits.HelperFatal":         waits.HelperFatal,
	"waits.ExitTogether":        waits.ExitTogether,
	"waits.ExitAtSecond":        waits.ExitAtSecond,
	"waits.ExitOfAnother":       waits.ExitOfAnother,
	"waits.ExitOfAnotherBehind": waits.ExitOfAnotherBehind,
	"waits.Told":                waits.Told,
	"waits.OtherKind":           waits.OtherKind,
	"waits.OtherKindBeside":     waits.OtherKindBeside,

	"closes.Close":               closes.Close,
	"closes.CloseDeferred":       closes.CloseDeferred,
	"closes.CloseInGoroutine":    closes.CloseInGoroutine,
	"closes.CloseAtContext":      closes.CloseAtContext,
	"closes.CloseAfterFailure":   closes.CloseAfterFailure,
	"closes.CloseDeferredBehind": closes.CloseDeferredBehind,
	"closes.CloseAtSecond":       closes.CloseAtSecond,
	"closes.CloseLate":           closes.CloseLate,
	"closes.CloseMetrics":        closes.CloseMetrics,
	"closes.CloseBesideReload":   closes.CloseBesideReload,
	"closes.CloseAtQuit":         closes.CloseAtQuit,
	"closes.CloseBefore":         closes.CloseBefore,

	"needs.Database":                needs.Database,
	"needs.DatabaseBehind":          needs.DatabaseBehind,
	"needs.DatabaseDeferred":        needs.DatabaseDeferred,
	"needs.DatabaseDeferredFirst":   needs.DatabaseDeferredFirst,
	"needs.DatabaseAfterServe":      needs.DatabaseAfterServe,
	"needs.DatabaseAfterAll":        needs.DatabaseAfterAll,
	"needs.DatabaseHook":            needs.DatabaseHook,
	"needs.BaseDone":                needs.BaseDone,
	"needs.BaseKept":                needs.BaseKept,
	"needs.BaseCancelled":           needs.BaseCancelled,
	"needs.BaseCancelledBehind":     needs.BaseCancelledBehind,
	"needs.BaseHook":                needs.BaseHook,
	"needs.NoticeHook":              needs.NoticeHook,
	"needs.DatabaseOfTheCaller":     needs.DatabaseOfTheCaller,
	"needs.DatabaseInAList":         needs.DatabaseInAList,
	"needs.OwnStore":                needs.OwnStore,
	"needs.OwnStoreBehind":          needs.OwnStoreBehind,
	"needs.OwnStoreThatDoesNotMind": needs.OwnStoreThatDoesNotMind,
	"needs.Channel":                 needs.Channel,
	"needs.ChannelBehind":           needs.ChannelBehind,
	"needs.ChannelGuarded":          needs.ChannelGuarded,
	"needs.ConnContext":             needs.ConnContext,
	"needs.ConnContextWithValue":    needs.ConnContextWithValue,

	"libs.EchoDone":         libs.EchoDone,
	"libs.EchoFresh":        libs.EchoFresh,
	"libs.EchoFatal":        libs.EchoFatal,
	"libs.EchoNobody":       libs.EchoNobody,
	"libs.EchoFiveServe":    libs.EchoFiveServe,
	"libs.EchoFiveBeside":   libs.EchoFiveBeside,
	"libs.FiberNobody":      libs.FiberNobody,
	"libs.FiberWaits":       libs.FiberWaits,
	"libs.FiberDone":        libs.FiberDone,
	"libs.FiberThreeNobody": libs.FiberThreeNobody,
	"libs.FiberThreeWaits":  libs.FiberThreeWaits,
	"libs.FasthttpNobody":   libs.FasthttpNobody,
	"libs.FasthttpInMain":   libs.FasthttpInMain,
	"libs.GRPCServe":        libs.GRPCServe,
	"libs.GRPCStop":         libs.GRPCStop,
	"libs.GRPCStopLate":     libs.GRPCStopLate,
	"libs.GRPCBeside":       libs.GRPCBeside,

	"helpers.Deadline":             helpers.Deadline,
	"helpers.Drained":              helpers.Drained,
	"helpers.Made":                 helpers.Made,
	"helpers.MadeFresh":            helpers.MadeFresh,
	"helpers.CancelledFromAfar":    helpers.CancelledFromAfar,
	"helpers.Struct":               helpers.Struct,
	"helpers.StructWaits":          helpers.StructWaits,
	"helpers.StructDoesNotWait":    helpers.StructDoesNotWait,
	"helpers.GroupPassed":          helpers.GroupPassed,
	"helpers.GroupPassedNotWaited": helpers.GroupPassedNotWaited,
	"helpers.ChannelReturned":      helpers.ChannelReturned,
	"helpers.ChannelDropped":       helpers.ChannelDropped,
	"helpers.Interface":            helpers.Interface,
	"helpers.InterfaceFresh":       helpers.InterfaceFresh,
	"helpers.Closers":              helpers.Closers,
	"helpers.Run":                  helpers.Run,

	"callforms.MethodValue":      callforms.MethodValue,
	"callforms.MethodExpression": callforms.MethodExpression,
	"callforms.Parenthesised":    callforms.Parenthesised,
	"callforms.Embedded":         callforms.Embedded,
	"callforms.Generic":          callforms.Generic,
	"callforms.Shadowed":         callforms.Shadowed,
	"callforms.Immediate":        callforms.Immediate,
	"callforms.Once":             callforms.Once,
	"callforms.Nanoseconds":      callforms.Nanoseconds,
	"callforms.WithCause":        callforms.WithCause,
	"callforms.Later":            callforms.Later,
	"callforms.Accessor":         callforms.Accessor,

	"falsepos.FatalOnly":     falsepos.FatalOnly,
	"falsepos.ThroughHelper": falsepos.ThroughHelper,
	"falsepos.SwitchOnError": falsepos.SwitchOnError,
	"falsepos.SwitchTrue":    falsepos.SwitchTrue,
	"falsepos.Side":          falsepos.Side,
	"falsepos.SecondSignal":  falsepos.SecondSignal,
	"falsepos.Locked":        falsepos.Locked,
	"falsepos.AsksErr":       falsepos.AsksErr,

	"actors.Group":               actors.Group,
	"actors.GroupClose":          actors.GroupClose,
	"actors.GroupDone":           actors.GroupDone,
	"actors.GroupOwnSignal":      actors.GroupOwnSignal,
	"actors.GroupOwnSignalFresh": actors.GroupOwnSignalFresh,
	"actors.Hook":                actors.Hook,
	"actors.HookNobody":          actors.HookNobody,
	"actors.HookClose":           actors.HookClose,
	"actors.HookDone":            actors.HookDone,
	"actors.HookMethod":          actors.HookMethod,
	"actors.StopHookNobody":      actors.StopHookNobody,
	"actors.StartStopHook":       actors.StartStopHook,
	"actors.StartStopHookClose":  actors.StartStopHookClose,

	"packages.OwnContext":         packages.OwnContext,
	"packages.FreshContext":       packages.FreshContext,
	"packages.Within":             packages.Within,
	"packages.WithinFresh":        packages.WithinFresh,
	"packages.Deadline":           packages.Deadline,
	"packages.Helpers":            packages.Helpers,
	"packages.HelpersInGoroutine": packages.HelpersInGoroutine,
	"packages.Group":              packages.Group,
	"packages.GroupNotWaited":     packages.GroupNotWaited,
	"packages.FatalByHelper":      packages.FatalByHelper,
	"packages.All":                packages.All,
	"packages.Start":              packages.Start,
	"packages.StartFresh":         packages.StartFresh,
	"packages.StartInMain":        packages.StartInMain,
	"packages.Killed":             packages.Killed,
	"packages.Run":                packages.Run,
	"packages.RunBeside":          packages.RunBeside,
	"packages.Begin":              packages.Begin,
	"packages.BeginNotWaited":     packages.BeginNotWaited,
	"packages.Cancelled":          packages.Cancelled,
	"packages.CancelledBehind":    packages.CancelledBehind,
	"packages.StoreFirst":         packages.StoreFirst,
	"packages.StoreLast":          packages.StoreLast,
	"packages.Managed":            packages.Managed,
	"packages.ManagedStoreFirst":  packages.ManagedStoreFirst,
	"packages.ManagedFatal":       packages.ManagedFatal,
	"packages.HookedStoreFirst":   packages.HookedStoreFirst,
	"packages.HookedStoreLast":    packages.HookedStoreLast,
	"packages.StoreOfAnAPI":       packages.StoreOfAnAPI,
	"packages.StoreOfAnAPILast":   packages.StoreOfAnAPILast,
	"packages.NotLong":            packages.NotLong,

	"services.GoKit":               services.GoKit,
	"services.GoKitRight":          services.GoKitRight,
	"services.TwoServers":          services.TwoServers,
	"services.TwoServersBoth":      services.TwoServersBoth,
	"services.ExitSkipsDefer":      services.ExitSkipsDefer,
	"services.FatalAtFailure":      services.FatalAtFailure,
	"services.PanicServe":          services.PanicServe,
	"services.GinDoc":              services.GinDoc,
	"services.GinDocStop":          services.GinDocStop,
	"services.WrongGroup":          func(srv *http.Server) { services.WrongGroup(srv, nil) },
	"services.AddedGroup":          func(srv *http.Server) { services.AddedGroup(srv, nil) },
	"services.CancelThenShutdown":  func(srv *http.Server) { services.CancelThenShutdown(srv, func(context.Context) {}) },
	"services.CancelAfterShutdown": func(srv *http.Server) { services.CancelAfterShutdown(srv, func(context.Context) {}) },

	"programs.Doc":             programs.Doc,
	"programs.Kept":            programs.Kept,
	"programs.Library":         programs.Library,
	"programs.AdminFatal":      programs.AdminFatal,
	"programs.Chi":             programs.Chi,
	"programs.RunApp":          programs.RunApp,
	"programs.UseStopper":      programs.UseStopper,
	"programs.UseStopperFresh": programs.UseStopperFresh,
	"programs.Components":      programs.Components,
	"programs.ComponentsFresh": programs.ComponentsFresh,
	"programs.Either":          func(ctx context.Context, srv *http.Server) error { return programs.Either(ctx, nil, srv) },
	"programs.Asked":           func(ctx context.Context, srv *http.Server) error { return programs.Asked(ctx, nil, srv) },

	"parts.Callback":         shutdownparts.Callback,
	"parts.CallbackWaits":    shutdownparts.CallbackWaits,
	"parts.Added":            shutdownparts.Added,
	"parts.AddedFresh":       shutdownparts.AddedFresh,
	"parts.Exit":             shutdownparts.Exit,
	"parts.NestedGoroutines": shutdownparts.NestedGoroutines,
	"parts.ErrPropagated":    shutdownparts.ErrPropagated,
	"parts.Both":             shutdownparts.Both,
	"parts.CtxCause":         shutdownparts.CtxCause,
	"parts.TickerLoop": func(ctx context.Context, srv *http.Server) error {
		return shutdownparts.TickerLoop(ctx, srv, func() {})
	},
	"parts.TickerLoopFresh": func(ctx context.Context, srv *http.Server) error {
		return shutdownparts.TickerLoopFresh(ctx, srv, func() {})
	},
	"parts.Interface": func(ctx context.Context, srv *http.Server) error { return shutdownparts.Interface(ctx, srv) },

	"teams.WaitsForStop": teams.WaitsForStop,
	"teams.Gone":         teams.Gone,

	"limits.Switched": limits.Switched,
}

// shutdowndrainIdle says why other fixtures are not run. Besides them there are the
// packages budget, whose faults take longer than the grace period, readiness, whose
// faults are seen by balancers, databases, which needs some, and fixes; and in falsepos
// what is only a part of a program.
var shutdowndrainIdle = map[string]string{
	"packages.Long":                 "it takes longer than the grace period",
	"packages.RunCut":               "what it calls is reported in its own package",
	"parts.Asked":                   "it ends at a request",
	"parts.AskedWaits":              "it ends at a request",
	"parts.FiberHook":               "it ends by a hook",
	"parts.FiberReady":              "a balancer sees it",
	"parts.HookDB":                  "its server has no handler that needs the database",
	"parts.HookWS":                  "its hook is about other connections",
	"parts.InterfaceOther":          "it has no server",
	"parts.NewSvc":                  "it is a part",
	"parts.StopFromOutside":         "it is a part",
	"parts.Twins":                   "it makes its servers itself",
	"parts.Workers":                 "it takes longer than the grace period",
	"programs.ChiNoWait":            "a balancer sees it",
	"programs.New":                  "it is a part",
	"programs.Notify":               "it is a part",
	"programs.OneShot":              "it makes its server itself",
	"programs.Retimed":              "its deadline is thirty seconds after the start",
	"programs.Setup":                "it makes its server itself",
	"programs.Stopper":              "it is a part",
	"services.ChannelDraining":      "a balancer sees it",
	"services.ChannelDrainingTicks": "a balancer sees it",
	"services.Counted":              "it counts the requests of handlers of its own",
	"services.FiberRecipe":          "it listens at a port of its own",
	"services.FiberRecipeRight":     "it listens at a port of its own",
	"services.NewCmd":               "it is a part",
	"services.NewCmdFresh":          "it is a part",
	"services.SharedDeadline":       "it takes longer than the grace period",
	"teams.FiberCtx":                "it listens at a port of its own",
	"teams.FiberExit":               "it listens at a port of its own",
	"teams.FiberOK":                 "it listens at a port of its own",
	"teams.Found":                   "a balancer sees it",
	"teams.Long":                    "it takes longer than the grace period",
	"teams.NewGroup":                "it is a part",
	"teams.NotLong":                 "it takes longer than the test",
}

const (
	shutdowndrainChild = "SHUTDOWNDRAIN_MAIN" // the variable that names what a child runs
	shutdowndrainAge   = 300 * time.Millisecond
	shutdowndrainTime  = 500 * time.Millisecond // of a request
)

// TestShutdowndrain runs each fixture as a process, which gets SIGTERM while it
// answers a request. If the fixture holds a report the request is cut off; if not it
// is answered. In limits it is the other way round.
func TestShutdowndrain(t *testing.T) {
	if name := os.Getenv(shutdowndrainChild); name != "" {
		shutdowndrainMain(shutdowndrainMains[name])
	}
	reported := make(map[string]bool)
	for _, dir := range []string{"actors", "donectx", "waits", "closes", "needs", "libs", "helpers", "callforms", "falsepos", "limits", "packages", "parts", "programs", "services", "teams"} {
		readShutdowndrain(t, dir, reported)
	}
	for name := range shutdowndrainMains {
		if shutdowndrainIdle[name] != "" {
			t.Errorf("%s is run", name)
		}
		if _, ok := reported[name]; !ok {
			t.Errorf("%s is in no file", name)
		}
	}
	for name := range shutdowndrainIdle {
		if _, ok := reported[name]; !ok {
			t.Errorf("%s is in no file", name)
		}
	}
	for name, want := range reported {
		if shutdowndrainMains[name] == nil {
			if shutdowndrainIdle[name] == "" && !strings.HasPrefix(name, "falsepos.") {
				t.Errorf("%s is not run", name)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cut, err := runShutdowndrain(t, name)
			if err != nil {
				t.Fatal(err)
			}
			if limit := strings.HasPrefix(name, "limits."); cut != (want || limit) {
				t.Errorf("the request was cut off: %t; reported: %t", cut, want)
			}
		})
	}
}

// readShutdowndrain notes for each exported function of a fixture whether it, or one
// of the package that it calls, holds a report.
func readShutdowndrain(t *testing.T, dir string, reported map[string]bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filepath.Join("..", "shutdowndrain", dir, dir+".go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	holds := make(map[string]bool)
	calls := make(map[string][]string)
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		for _, group := range f.Comments {
			if strings.HasPrefix(group.List[0].Text, "// want ") && fn.Pos() <= group.Pos() && group.Pos() < fn.End() {
				holds[fn.Name.Name] = true
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				calls[fn.Name.Name] = append(calls[fn.Name.Name], id.Name)
			}
			return true
		})
	}
	for range len(calls) {
		for name, callees := range calls {
			for _, callee := range callees {
				if !ast.IsExported(callee) && holds[callee] {
					holds[name] = true
				}
			}
		}
	}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() && fn.Name.Name != "Query" && fn.Name.Name != "Wait" {
			reported[dir+"."+fn.Name.Name] = holds[fn.Name.Name]
		}
	}
}

// runShutdowndrain runs a fixture as a process, and reports whether a request in
// flight at SIGTERM is cut off.
func runShutdowndrain(t *testing.T, name string) (cut bool, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestShutdowndrain$")
	cmd.Env = append(os.Environ(), shutdowndrainChild+"="+name)
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return false, err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	next := func(prefix string) (string, error) {
		for lines.Scan() {
			if rest, ok := strings.CutPrefix(lines.Text(), prefix+" "); ok {
				return rest, nil
			}
		}
		return "", fmt.Errorf("no line %s; standard error:\n%s", prefix, stderr.String())
	}
	addr, err := next("LISTENING")
	if err != nil {
		return false, err
	}
	time.Sleep(shutdowndrainAge + 50*time.Millisecond)
	answer := make(chan error, 1)
	go func() { answer <- askShutdowndrain(ctx, name, addr) }()
	if _, err := next("ANSWERING"); err != nil {
		return false, err
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return false, err
	}
	return <-answer != nil, nil
}

// askShutdowndrain sends a request and reads the answer.
func askShutdowndrain(ctx context.Context, name, addr string) error {
	if strings.HasPrefix(name, "libs.GRPC") {
		conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return err
		}
		defer conn.Close()
		return conn.Invoke(ctx, "/proof.Slow/Wait", new(emptypb.Empty), new(emptypb.Empty))
	}
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// answering tells the parent that a request is in flight, and takes its time.
func answering() {
	fmt.Println("ANSWERING 1")
	time.Sleep(shutdowndrainTime)
}

// shutdowndrainMain runs a fixture as the main of this process.
func shutdowndrainMain(main any) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answering()
		io.WriteString(w, "done")
	})
	needs.Answering, store.Answering = answering, answering
	fmt.Println("LISTENING", ln.Addr())
	switch main := main.(type) {
	case func(*http.Server, net.Listener):
		main(&http.Server{Handler: handler}, ln)
	case func(*http.Server):
		main(closedAt(ln, handler))
	case func(*http.Server) error:
		main(closedAt(ln, handler))
	case func(*http.Server, *http.Server):
		main(closedAt(ln, handler), &http.Server{Addr: "127.0.0.1:0"})
	case func(context.Context, *http.Server) error:
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		main(ctx, closedAt(ln, handler))
	case func(context.Context, *http.Server, net.Listener) error:
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		main(ctx, &http.Server{Handler: handler}, ln)
	case func(*sql.DB, net.Listener):
		main(sql.OpenDB(pings{}), ln)
	case func(*echo.Echo):
		e := echo.New()
		e.HideBanner, e.HidePort, e.Listener = true, true, ln
		e.POST("/", echo.WrapHandler(handler))
		main(e)
	case func(*echofive.Echo, net.Listener):
		e := echofive.New()
		e.POST("/", echofive.WrapHandler(handler))
		main(e, ln)
	case func(*fiber.App, net.Listener):
		app := fiber.New(fiber.Config{DisableStartupMessage: true})
		app.Post("/", func(c *fiber.Ctx) error {
			answering()
			return c.SendString("done")
		})
		main(app, ln)
	case func(*fiberthree.App, net.Listener):
		app := fiberthree.New()
		app.Post("/", func(c fiberthree.Ctx) error {
			answering()
			return c.SendString("done")
		})
		main(app, ln)
	case func(*fasthttp.Server, net.Listener):
		main(&fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) { answering() }}, ln)
	case func(*grpc.Server, net.Listener):
		srv := grpc.NewServer()
		srv.RegisterService(&grpc.ServiceDesc{
			ServiceName: "proof.Slow",
			HandlerType: (*any)(nil),
			Methods: []grpc.MethodDesc{{MethodName: "Wait", Handler: func(_ any, _ context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
				if err := dec(new(emptypb.Empty)); err != nil {
					return nil, err
				}
				answering()
				return new(emptypb.Empty), nil
			}}},
		}, struct{}{})
		main(srv, ln)
	default:
		panic(fmt.Sprintf("cannot run a %T", main))
	}
	os.Exit(0)
}

// closedAt returns a server that listens by itself where ln did.
func closedAt(ln net.Listener, h http.Handler) *http.Server {
	ln.Close()
	return &http.Server{Addr: ln.Addr().String(), Handler: h}
}

// pings is a database that can be pinged and closed.
type pings struct{}

func (pings) Connect(context.Context) (driver.Conn, error) { return pings{}, nil }
func (pings) Driver() driver.Driver                        { return nil }
func (pings) Prepare(string) (driver.Stmt, error)          { return nil, driver.ErrSkip }
func (pings) Close() error                                 { return nil }
func (pings) Begin() (driver.Tx, error)                    { return nil, driver.ErrSkip }
func (pings) Ping(context.Context) error                   { return nil }
