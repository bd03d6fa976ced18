package proof

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fixtures/idempotencykey/callbacks"
	"fixtures/idempotencykey/callforms"
	"fixtures/idempotencykey/falsepos"
	"fixtures/idempotencykey/fixes"
	"fixtures/idempotencykey/hooks"
	"fixtures/idempotencykey/limits"
	"fixtures/idempotencykey/loops"
	"fixtures/idempotencykey/makers"
	"fixtures/idempotencykey/queues"
	"fixtures/idempotencykey/setters"
)

// A keyFixture is a function that carries out one operation, or several, against
// the server at url.
type keyFixture struct {
	pkg, name string
	run       func(ctx context.Context, url string) error
}

var keyFixtures = []keyFixture{
	{"falsepos", "RequestIDInTheContext", falsepos.RequestIDInTheContext},
	{"hooks", "NeverRetries", hooks.NeverRetries},
	{"setters", "Query", setters.Query},
	{"setters", "ValueOfAContext", setters.ValueOfAContext},
	{"makers", "AttemptInABuilder", makers.AttemptInABuilder},
	{"loops", "ErrorOverAChannel", loops.ErrorOverAChannel},
	{"loops", "RecursiveClosure", loops.RecursiveClosure},
	{"callbacks", "RetryGo", callbacks.RetryGo},
	{"callbacks", "RetryGoOnce", callbacks.RetryGoOnce},
	{"callbacks", "RetryGoWithData", callbacks.RetryGoWithData},
	{"callbacks", "BackoffV4", callbacks.BackoffV4},
	{"callbacks", "BackoffV4Notify", callbacks.BackoffV4Notify},
	{"callbacks", "BackoffV5", callbacks.BackoffV5},
	{"callbacks", "SethVargo", callbacks.SethVargo},
	{"callbacks", "SethVargoShort", callbacks.SethVargoShort},
	{"callbacks", "KubernetesPoll", callbacks.KubernetesPoll},
	{"callbacks", "KubernetesBackoff", callbacks.KubernetesBackoff},
	{"callbacks", "KubernetesPollImmediate", callbacks.KubernetesPollImmediate},
	{"callbacks", "KubernetesUntil", callbacks.KubernetesUntil},
	{"callbacks", "HelperOfAnotherPackage", callbacks.HelperOfAnotherPackage},
	{"callbacks", "RetrierOfAnotherPackage", callbacks.RetrierOfAnotherPackage},
	{"callbacks", "NumberOfTheAttempt", callbacks.NumberOfTheAttempt},
	{"callbacks", "OwnGenericHelper", callbacks.OwnGenericHelper},
	{"callbacks", "WrapperOfALibrary", callbacks.WrapperOfALibrary},
	{"callbacks", "Decorator", callbacks.Decorator},
	{"callbacks", "HelperOfAHelper", callbacks.HelperOfAHelper},
	{"callbacks", "MethodValue", callbacks.MethodValue},
	{"callbacks", "CallsAMethod", callbacks.CallsAMethod},
	{"callbacks", "LocalHelper", callbacks.LocalHelper},
	{"callbacks", "RequestBuilder", callbacks.RequestBuilder},
	{"callbacks", "MadeOnce", callbacks.MadeOnce},
	{"callbacks", "EachOrder", callbacks.EachOrder},
	{"callbacks", "EachOrderKeyed", callbacks.EachOrderKeyed},
	{"callforms", "Renamed", callforms.Renamed},
	{"callforms", "Dot", callforms.Dot},
	{"callforms", "MethodValue", callforms.MethodValue},
	{"callforms", "Embedded", callforms.Embedded},
	{"callforms", "Generic", callforms.Generic},
	{"callforms", "GenericInstantiated", callforms.GenericInstantiated},
	{"callforms", "Parenthesised", callforms.Parenthesised},
	{"callforms", "Shadowed", callforms.Shadowed},
	{"callforms", "CallOfACall", callforms.CallOfACall},
	{"callforms", "TupleAsArguments", callforms.TupleAsArguments},
	{"falsepos", "Orders", falsepos.Orders},
	{"falsepos", "FirstCardAccepted", falsepos.FirstCardAccepted},
	{"falsepos", "FirstCardByIndex", falsepos.FirstCardByIndex},
	{"falsepos", "Providers", falsepos.Providers},
	{"falsepos", "AnotherName", falsepos.AnotherName},
	{"falsepos", "LoadGenerator", falsepos.LoadGenerator},
	{"falsepos", "Seeder", falsepos.Seeder},
	{"falsepos", "Ticker", falsepos.Ticker},
	{"falsepos", "Consumer", falsepos.Consumer},
	{"falsepos", "ConsumerOfMessages", falsepos.ConsumerOfMessages},
	{"falsepos", "Pages", falsepos.Pages},
	{"falsepos", "KeyOfTheOuterLoop", falsepos.KeyOfTheOuterLoop},
	{"falsepos", "MadeIfEmpty", falsepos.MadeIfEmpty},
	{"falsepos", "MadeInTheFirstAttempt", falsepos.MadeInTheFirstAttempt},
	{"falsepos", "MadeUnderAFlag", falsepos.MadeUnderAFlag},
	{"falsepos", "MadeOnce", falsepos.MadeOnce},
	{"falsepos", "OnceValue", falsepos.OnceValue},
	{"falsepos", "KeptOnTheRequest", falsepos.KeptOnTheRequest},
	{"falsepos", "KeptInAMap", falsepos.KeptInAMap},
	{"falsepos", "KeptInASyncMap", falsepos.KeptInASyncMap},
	{"falsepos", "KeptByAHelper", falsepos.KeptByAHelper},
	{"falsepos", "KeptInTheStruct", falsepos.KeptInTheStruct},
	{"falsepos", "Replaced", falsepos.Replaced},
	{"falsepos", "HeaderReplaced", falsepos.HeaderReplaced},
	{"falsepos", "FirstOfAll", falsepos.FirstOfAll},
	{"falsepos", "RequestID", falsepos.RequestID},
	{"falsepos", "Logged", falsepos.Logged},
	{"falsepos", "RenewedOnConflict", falsepos.RenewedOnConflict},
	{"falsepos", "Walk", falsepos.Walk},
	{"falsepos", "Poll", falsepos.Poll},
	{"falsepos", "AccountsInARetry", falsepos.AccountsInARetry},
	{"falsepos", "ClientCall", falsepos.ClientCall},
	{"falsepos", "ServerThatReads", falsepos.ServerThatReads},
	{"fixes", "Argument", fixes.Argument},
	{"fixes", "Header", fixes.Header},
	{"fixes", "Variable", fixes.Variable},
	{"fixes", "Callback", fixes.Callback},
	{"fixes", "CallbackInAVariable", fixes.CallbackInAVariable},
	{"fixes", "NameTaken", fixes.NameTaken},
	{"fixes", "Field", fixes.Field},
	{"fixes", "UsesTheLoop", fixes.UsesTheLoop},
	{"fixes", "CanFail", fixes.CanFail},
	{"fixes", "FarAway", fixes.FarAway},
	{"hooks", "RestyHook", hooks.RestyHook},
	{"hooks", "RestyChain", hooks.RestyChain},
	{"hooks", "RestyPreRequestHook", hooks.RestyPreRequestHook},
	{"hooks", "RestyHookKept", hooks.RestyHookKept},
	{"hooks", "RestyNoRetries", hooks.RestyNoRetries},
	{"hooks", "PrepareRetry", hooks.PrepareRetry},
	{"hooks", "RequestLogHook", hooks.RequestLogHook},
	{"hooks", "RequestLogHookFirst", hooks.RequestLogHookFirst},
	{"hooks", "TransportBelow", hooks.TransportBelow},
	{"hooks", "TransportThatKeepsOnAClone", hooks.TransportThatKeepsOnAClone},
	{"hooks", "TransportThatKeeps", hooks.TransportThatKeeps},
	{"hooks", "TypeBelow", hooks.TypeBelow},
	{"hooks", "TypeAbove", hooks.TypeAbove},
	{"hooks", "TypeBelowAnotherType", hooks.TypeBelowAnotherType},
	{"hooks", "TypeAboveAnotherType", hooks.TypeAboveAnotherType},
	{"limits", "MakerBehindAnInterface", limits.MakerBehindAnInterface},
	{"limits", "RepeaterBehindAnInterface", limits.RepeaterBehindAnInterface},
	{"limits", "KeyMadeByTheSDK", limits.KeyMadeByTheSDK},
	{"limits", "MutualRecursion", limits.MutualRecursion},
	{"limits", "ThroughAField", limits.ThroughAField},
	{"loops", "Counting", loops.Counting},
	{"loops", "CountingOnce", loops.CountingOnce},
	{"loops", "RangeOverInt", loops.RangeOverInt},
	{"loops", "Endless", loops.Endless},
	{"loops", "EndlessWithBackoff", loops.EndlessWithBackoff},
	{"loops", "UntilDeadline", loops.UntilDeadline},
	{"loops", "WhileContext", loops.WhileContext},
	{"loops", "ConditionOnTheError", loops.ConditionOnTheError},
	{"loops", "ConditionOnAFlag", loops.ConditionOnAFlag},
	{"loops", "CallInTheCondition", loops.CallInTheCondition},
	{"loops", "RangeOverWaits", loops.RangeOverWaits},
	{"loops", "RangeOverReplicas", loops.RangeOverReplicas},
	{"loops", "RangeOverReplicasOnce", loops.RangeOverReplicasOnce},
	{"loops", "RangeOverAttempts", loops.RangeOverAttempts},
	{"loops", "IteratorOfAttempts", loops.IteratorOfAttempts},
	{"loops", "SelectWithTimer", loops.SelectWithTimer},
	{"loops", "SelectWithTicker", loops.SelectWithTicker},
	{"loops", "SwitchOnTheError", loops.SwitchOnTheError},
	{"loops", "SwitchOnTheStatus", loops.SwitchOnTheStatus},
	{"loops", "StatusInAnIf", loops.StatusInAnIf},
	{"loops", "StatusClass", loops.StatusClass},
	{"loops", "NotRetryableLeaves", loops.NotRetryableLeaves},
	{"loops", "RefreshedOnFailure", loops.RefreshedOnFailure},
	{"loops", "Goto", loops.Goto},
	{"loops", "Recursion", loops.Recursion},
	{"loops", "RecursionKeyed", loops.RecursionKeyed},
	{"loops", "InnerLoop", loops.InnerLoop},
	{"loops", "LoopOverItemsInARetry", loops.LoopOverItemsInARetry},
	{"loops", "InAGoroutine", loops.InAGoroutine},
	{"makers", "UUIDMust", makers.UUIDMust},
	{"makers", "UUIDOrError", makers.UUIDOrError},
	{"makers", "ULID", makers.ULID},
	{"makers", "XID", makers.XID},
	{"makers", "KSUID", makers.KSUID},
	{"makers", "CryptoRandRead", makers.CryptoRandRead},
	{"makers", "CryptoRandReader", makers.CryptoRandReader},
	{"makers", "CryptoRandText", makers.CryptoRandText},
	{"makers", "MathRand", makers.MathRand},
	{"makers", "MathRandV2", makers.MathRandV2},
	{"makers", "RandSource", makers.RandSource},
	{"makers", "Clock", makers.Clock},
	{"makers", "ClockFormatted", makers.ClockFormatted},
	{"makers", "Day", makers.Day},
	{"makers", "Attempt", makers.Attempt},
	{"makers", "AttemptOfARange", makers.AttemptOfARange},
	{"makers", "Hash", makers.Hash},
	{"makers", "HashOfTheTime", makers.HashOfTheTime},
	{"makers", "NameBased", makers.NameBased},
	{"makers", "OwnHelper", makers.OwnHelper},
	{"makers", "HelperOfAnotherPackage", makers.HelperOfAnotherPackage},
	{"makers", "HelperWithAnError", makers.HelperWithAnError},
	{"makers", "HelperThatDerives", makers.HelperThatDerives},
	{"makers", "PackageVariable", makers.PackageVariable},
	{"makers", "Closure", makers.Closure},
	{"makers", "Method", makers.Method},
	{"makers", "MemoizedMethod", makers.MemoizedMethod},
	{"makers", "MemoizedEarly", makers.MemoizedEarly},
	{"makers", "GivenFunction", makers.GivenFunction},
	{"queues", "Channel", queues.Channel},
	{"queues", "RangeOverAChannel", queues.RangeOverAChannel},
	{"queues", "Later", queues.Later},
	{"queues", "Slice", queues.Slice},
	{"queues", "KeyReplaced", queues.KeyReplaced},
	{"queues", "KeyOfTheJob", queues.KeyOfTheJob},
	{"queues", "DeadLetters", queues.DeadLetters},
	{"queues", "Pipeline", queues.Pipeline},
	{"setters", "HeaderSet", setters.HeaderSet},
	{"setters", "HeaderAdd", setters.HeaderAdd},
	{"setters", "HeaderIndex", setters.HeaderIndex},
	{"setters", "HeaderLiteral", setters.HeaderLiteral},
	{"setters", "HeaderVariable", setters.HeaderVariable},
	{"setters", "HeaderOnAClone", setters.HeaderOnAClone},
	{"setters", "MapOfHeaders", setters.MapOfHeaders},
	{"setters", "MapOfHeadersIndexed", setters.MapOfHeadersIndexed},
	{"setters", "Pairs", setters.Pairs},
	{"setters", "PairsNamed", setters.PairsNamed},
	{"setters", "OwnHeaderSetter", setters.OwnHeaderSetter},
	{"setters", "StampedByAHelper", setters.StampedByAHelper},
	{"setters", "StampedByAnotherPackage", setters.StampedByAnotherPackage},
	{"setters", "StampedOnceOnANewRequest", setters.StampedOnceOnANewRequest},
	{"setters", "StampedOnce", setters.StampedOnce},
	{"setters", "Builder", setters.Builder},
	{"setters", "BuilderThatMakesTheKey", setters.BuilderThatMakesTheKey},
	{"setters", "FieldInALiteral", setters.FieldInALiteral},
	{"setters", "FieldByPosition", setters.FieldByPosition},
	{"setters", "FieldAssigned", setters.FieldAssigned},
	{"setters", "FieldByItsTag", setters.FieldByItsTag},
	{"setters", "FieldMarshalled", setters.FieldMarshalled},
	{"setters", "MemberOfAMap", setters.MemberOfAMap},
	{"setters", "MemberOfAForm", setters.MemberOfAForm},
	{"setters", "MemberOfAFormat", setters.MemberOfAFormat},
	{"setters", "Option", setters.Option},
	{"setters", "OptionsInASlice", setters.OptionsInASlice},
	{"setters", "Setter", setters.Setter},
	{"setters", "PointerField", setters.PointerField},
	{"setters", "ParameterOfAnInterface", setters.ParameterOfAnInterface},
	{"setters", "EditorFunction", setters.EditorFunction},
	{"setters", "Resty", setters.Resty},
	{"setters", "RestyHeaders", setters.RestyHeaders},
	{"setters", "Fasthttp", setters.Fasthttp},
	{"setters", "RetryableRequest", setters.RetryableRequest},
}

// TestIdempotencykey runs the fixtures against a server that fails the first two
// attempts of each operation, and records the keys that it is given. A function that
// is flagged shows two keys for one operation; one that is not shows one. The known
// limits show two, too: they are misses.
func TestIdempotencykey(t *testing.T) {
	flagged := make(map[string]map[string]bool)
	for _, f := range keyFixtures {
		if flagged[f.pkg] == nil {
			flagged[f.pkg] = flaggedFuncs(t, f.pkg)
		}
		want, ok := flagged[f.pkg][f.name]
		if !ok {
			t.Errorf("%s.%s is no fixture", f.pkg, f.name)
			continue
		}
		delete(flagged[f.pkg], f.name)
		t.Run(f.pkg+"/"+f.name, func(t *testing.T) {
			s := newKeyServer()
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			err := f.run(ctx, s.URL)
			two := ""
			for op, keys := range s.keys {
				if len(keys) > 1 {
					two = op
				}
			}
			switch {
			case (want || f.pkg == "limits") && two == "":
				t.Errorf("flagged, but each operation had one key: %v (error: %v)", s.keys, err)
			case !want && f.pkg != "limits" && two != "":
				t.Errorf("not flagged, but %s had the keys %q", two, slices.Sorted(maps.Keys(s.keys[two])))
			case want && err != nil:
				t.Errorf("did not succeed: %v", err)
			}
		})
	}
	for pkg, funcs := range flagged {
		for name := range funcs {
			t.Errorf("%s.%s is not run", pkg, name)
		}
	}
}

// flaggedFuncs returns the fixture functions of a package, and which of them (or of
// the unexported functions and methods that they call) a comment says is flagged.
func flaggedFuncs(t *testing.T, pkg string) map[string]bool {
	fset := token.NewFileSet()
	name := filepath.Join("..", "idempotencykey", pkg, pkg+".go")
	file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	wants := func(decl ast.Decl) bool {
		return slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
			return decl.Pos() < c.Pos() && c.End() < decl.End() && strings.Contains(c.Text(), "want ")
		})
	}
	helpers := make(map[string]bool)
	funcs := make(map[string]bool)
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok && decl.Recv == nil {
			if decl.Name.IsExported() {
				funcs[decl.Name.Name] = wants(decl)
			} else if wants(decl) {
				helpers[decl.Name.Name] = true
			}
		}
	}
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok && decl.Recv == nil && decl.Name.IsExported() {
			ast.Inspect(decl, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && helpers[id.Name] {
					funcs[decl.Name.Name] = true
				}
				return true
			})
		}
	}
	return funcs
}

// A keyServer fails the first two attempts of each operation.
type keyServer struct {
	*httptest.Server
	mu       sync.Mutex
	attempts map[string]int
	keys     map[string]map[string]bool // by operation
}

func newKeyServer() *keyServer {
	s := &keyServer{attempts: make(map[string]int), keys: make(map[string]map[string]bool)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

func (s *keyServer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key := ""
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "PayPal-Request-Id"} {
		if v := r.Header.Get(name); v != "" {
			key = v
		}
	}
	rest, inBody := cutKey(string(body))
	if inBody != "" {
		key = inBody
	}
	op := r.Method + " " + r.URL.Path + " " + rest

	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts[op]++
	if key != "" {
		if s.keys[op] == nil {
			s.keys[op] = make(map[string]bool)
		}
		s.keys[op][key] = true
	}
	if s.attempts[op] <= 2 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// cutKey returns a body, JSON or a form, without the key that it holds, and the key.
func cutKey(body string) (rest, key string) {
	var object map[string]any
	if json.Unmarshal([]byte(body), &object) == nil {
		for _, name := range []string{"idempotency_key", "idempotencyKey"} {
			if v, ok := object[name].(string); ok {
				key = v
			}
			delete(object, name)
		}
		out, _ := json.Marshal(object)
		return string(out), key
	}
	if form, err := url.ParseQuery(body); err == nil && form.Has("idempotency_key") {
		key = form.Get("idempotency_key")
		form.Del("idempotency_key")
		return form.Encode(), key
	}
	return body, ""
}
