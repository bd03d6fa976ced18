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

	"fixtures/idempotencykey/again"
	"fixtures/idempotencykey/callbacks"
	"fixtures/idempotencykey/callforms"
	"fixtures/idempotencykey/failsafe"
	"fixtures/idempotencykey/falsepos"
	"fixtures/idempotencykey/fixes"
	"fixtures/idempotencykey/headersflag"
	"fixtures/idempotencykey/hooks"
	"fixtures/idempotencykey/jobs"
	"fixtures/idempotencykey/limits"
	"fixtures/idempotencykey/loops"
	"fixtures/idempotencykey/makers"
	"fixtures/idempotencykey/queues"
	"fixtures/idempotencykey/renewed"
	"fixtures/idempotencykey/setters"
)

// A keyFixture is a function that carries out one operation, or several, against
// the server at url.
type keyFixture struct {
	pkg, name string
	run       func(ctx context.Context, url string) error
}

var keyFixtures = []keyFixture{
	{"again", "AnotherNumber", again.AnotherNumber},
	{"again", "AnotherOrder", again.AnotherOrder},
	{"again", "InTheCondition", again.InTheCondition},
	{"again", "Next", again.Next},
	{"again", "Once", again.Once},
	{"again", "Reassigned", again.Reassigned},
	{"again", "Request", again.Request},
	{"again", "TheSameKey", again.TheSameKey},
	{"callbacks", "BackoffV4", callbacks.BackoffV4},
	{"callbacks", "BackoffV4Notify", callbacks.BackoffV4Notify},
	{"callbacks", "BackoffV5", callbacks.BackoffV5},
	{"callbacks", "CallsAMethod", callbacks.CallsAMethod},
	{"callbacks", "Decorator", callbacks.Decorator},
	{"callbacks", "EachOrder", callbacks.EachOrder},
	{"callbacks", "EachOrderKeyed", callbacks.EachOrderKeyed},
	{"callbacks", "HelperOfAHelper", callbacks.HelperOfAHelper},
	{"callbacks", "HelperOfAnotherPackage", callbacks.HelperOfAnotherPackage},
	{"callbacks", "KubernetesBackoff", callbacks.KubernetesBackoff},
	{"callbacks", "KubernetesPoll", callbacks.KubernetesPoll},
	{"callbacks", "KubernetesPollImmediate", callbacks.KubernetesPollImmediate},
	{"callbacks", "KubernetesUntil", callbacks.KubernetesUntil},
	{"callbacks", "LocalHelper", callbacks.LocalHelper},
	{"callbacks", "MadeOnce", callbacks.MadeOnce},
	{"callbacks", "MethodValue", callbacks.MethodValue},
	{"callbacks", "NumberOfTheAttempt", callbacks.NumberOfTheAttempt},
	{"callbacks", "OwnGenericHelper", callbacks.OwnGenericHelper},
	{"callbacks", "RequestBuilder", callbacks.RequestBuilder},
	{"callbacks", "RetrierOfAnotherPackage", callbacks.RetrierOfAnotherPackage},
	{"callbacks", "RetryGo", callbacks.RetryGo},
	{"callbacks", "RetryGoOnce", callbacks.RetryGoOnce},
	{"callbacks", "RetryGoWithData", callbacks.RetryGoWithData},
	{"callbacks", "SethVargo", callbacks.SethVargo},
	{"callbacks", "SethVargoShort", callbacks.SethVargoShort},
	{"callbacks", "Terraform", callbacks.Terraform},
	{"callbacks", "TerraformShort", callbacks.TerraformShort},
	{"callbacks", "WrapperOfALibrary", callbacks.WrapperOfALibrary},
	{"callforms", "CallOfACall", callforms.CallOfACall},
	{"callforms", "Dot", callforms.Dot},
	{"callforms", "Embedded", callforms.Embedded},
	{"callforms", "Generic", callforms.Generic},
	{"callforms", "GenericInstantiated", callforms.GenericInstantiated},
	{"callforms", "MethodValue", callforms.MethodValue},
	{"callforms", "Parenthesised", callforms.Parenthesised},
	{"callforms", "Renamed", callforms.Renamed},
	{"callforms", "Shadowed", callforms.Shadowed},
	{"callforms", "TupleAsArguments", callforms.TupleAsArguments},
	{"failsafe", "Composed", failsafe.Composed},
	{"failsafe", "ExecutorGiven", failsafe.ExecutorGiven},
	{"failsafe", "ExecutorInAField", failsafe.ExecutorInAField},
	{"failsafe", "ExecutorInAVariable", failsafe.ExecutorInAVariable},
	{"failsafe", "Get", failsafe.Get},
	{"failsafe", "Hedged", failsafe.Hedged},
	{"failsafe", "MadeInTheFirstAttempt", failsafe.MadeInTheFirstAttempt},
	{"failsafe", "NoRetry", failsafe.NoRetry},
	{"failsafe", "NumberOfTheAttempt", failsafe.NumberOfTheAttempt},
	{"failsafe", "OneAttempt", failsafe.OneAttempt},
	{"failsafe", "OwnHelper", failsafe.OwnHelper},
	{"failsafe", "PoliciesInASlice", failsafe.PoliciesInASlice},
	{"failsafe", "RequestOfAClient", failsafe.RequestOfAClient},
	{"failsafe", "Run", failsafe.Run},
	{"failsafe", "RunOnce", failsafe.RunOnce},
	{"failsafe", "TransportAbove", failsafe.TransportAbove},
	{"failsafe", "TransportBelow", failsafe.TransportBelow},
	{"falsepos", "ReplacedUnlessFailed", falsepos.ReplacedUnlessFailed},
	{"falsepos", "StoredInAMap", falsepos.StoredInAMap},
	{"falsepos", "StoredRow", falsepos.StoredRow},
	{"falsepos", "AccountsInARetry", falsepos.AccountsInARetry},
	{"falsepos", "AnotherName", falsepos.AnotherName},
	{"falsepos", "ClientCall", falsepos.ClientCall},
	{"falsepos", "Consumer", falsepos.Consumer},
	{"falsepos", "ConsumerOfMessages", falsepos.ConsumerOfMessages},
	{"falsepos", "FirstCardAccepted", falsepos.FirstCardAccepted},
	{"falsepos", "FirstCardByIndex", falsepos.FirstCardByIndex},
	{"falsepos", "FirstOfAll", falsepos.FirstOfAll},
	{"falsepos", "GivenToTheCallee", falsepos.GivenToTheCallee},
	{"falsepos", "HeaderReplaced", falsepos.HeaderReplaced},
	{"falsepos", "KeptByAHelper", falsepos.KeptByAHelper},
	{"falsepos", "KeptInAMap", falsepos.KeptInAMap},
	{"falsepos", "KeptInASyncMap", falsepos.KeptInASyncMap},
	{"falsepos", "KeptInTheStruct", falsepos.KeptInTheStruct},
	{"falsepos", "KeptOnTheRequest", falsepos.KeptOnTheRequest},
	{"falsepos", "KeyOfTheOuterLoop", falsepos.KeyOfTheOuterLoop},
	{"falsepos", "LoadGenerator", falsepos.LoadGenerator},
	{"falsepos", "Logged", falsepos.Logged},
	{"falsepos", "MadeIfEmpty", falsepos.MadeIfEmpty},
	{"falsepos", "MadeInTheFirstAttempt", falsepos.MadeInTheFirstAttempt},
	{"falsepos", "MadeOnce", falsepos.MadeOnce},
	{"falsepos", "MadeUnderAFlag", falsepos.MadeUnderAFlag},
	{"falsepos", "OnceValue", falsepos.OnceValue},
	{"falsepos", "Orders", falsepos.Orders},
	{"falsepos", "Pages", falsepos.Pages},
	{"falsepos", "Poll", falsepos.Poll},
	{"falsepos", "Providers", falsepos.Providers},
	{"falsepos", "RenewedOnConflict", falsepos.RenewedOnConflict},
	{"falsepos", "Replaced", falsepos.Replaced},
	{"falsepos", "RequestID", falsepos.RequestID},
	{"falsepos", "RequestIDInTheContext", falsepos.RequestIDInTheContext},
	{"falsepos", "Seeder", falsepos.Seeder},
	{"falsepos", "ServerThatReads", falsepos.ServerThatReads},
	{"falsepos", "Ticker", falsepos.Ticker},
	{"falsepos", "Walk", falsepos.Walk},
	{"fixes", "Argument", fixes.Argument},
	{"fixes", "Callback", fixes.Callback},
	{"fixes", "CallbackInAVariable", fixes.CallbackInAVariable},
	{"fixes", "CanFail", fixes.CanFail},
	{"fixes", "FarAway", fixes.FarAway},
	{"fixes", "Field", fixes.Field},
	{"fixes", "ForTheNext", fixes.ForTheNext},
	{"fixes", "Header", fixes.Header},
	{"fixes", "Labelled", fixes.Labelled},
	{"fixes", "NameTaken", fixes.NameTaken},
	{"fixes", "UsesTheLoop", fixes.UsesTheLoop},
	{"fixes", "Variable", fixes.Variable},
	{"headersflag", "Known", headersflag.Known},
	{"headersflag", "Named", headersflag.Named},
	{"headersflag", "NamedOnce", headersflag.NamedOnce},
	{"headersflag", "RequestIDNamed", headersflag.RequestIDNamed},
	{"headersflag", "TraceID", headersflag.TraceID},
	{"hooks", "NeverRetries", hooks.NeverRetries},
	{"hooks", "PrepareRetry", hooks.PrepareRetry},
	{"hooks", "RequestLogHook", hooks.RequestLogHook},
	{"hooks", "RequestLogHookFirst", hooks.RequestLogHookFirst},
	{"hooks", "RestyChain", hooks.RestyChain},
	{"hooks", "RestyHook", hooks.RestyHook},
	{"hooks", "RestyHookKept", hooks.RestyHookKept},
	{"hooks", "RestyNoRetries", hooks.RestyNoRetries},
	{"hooks", "RestyRetryHook", hooks.RestyRetryHook},
	{"hooks", "RestyPreRequestHook", hooks.RestyPreRequestHook},
	{"hooks", "TransportBelow", hooks.TransportBelow},
	{"hooks", "TransportThatKeeps", hooks.TransportThatKeeps},
	{"hooks", "TransportThatKeepsOnAClone", hooks.TransportThatKeepsOnAClone},
	{"hooks", "TypeAbove", hooks.TypeAbove},
	{"hooks", "TypeAboveAnotherType", hooks.TypeAboveAnotherType},
	{"hooks", "TypeBelow", hooks.TypeBelow},
	{"hooks", "TypeBelowAnotherType", hooks.TypeBelowAnotherType},
	{"hooks", "AboveAConstructor", hooks.AboveAConstructor},
	{"hooks", "BelowAConstructor", hooks.BelowAConstructor},
	{"hooks", "RestyCountInAField", hooks.RestyCountInAField},
	{"jobs", "Dropped", jobs.Dropped},
	{"jobs", "Function", jobs.Function},
	{"jobs", "KeyOfTheJob", jobs.KeyOfTheJob},
	{"jobs", "Named", jobs.Named},
	{"jobs", "NotAgain", jobs.NotAgain},
	{"jobs", "River", jobs.River},
	{"jobs", "SomeNotAgain", jobs.SomeNotAgain},
	{"limits", "KeyMadeByTheSDK", limits.KeyMadeByTheSDK},
	{"limits", "MakerBehindAnInterface", limits.MakerBehindAnInterface},
	{"limits", "MutualRecursion", limits.MutualRecursion},
	{"limits", "RepeaterBehindAnInterface", limits.RepeaterBehindAnInterface},
	{"limits", "ThroughAField", limits.ThroughAField},
	{"loops", "CallInTheCondition", loops.CallInTheCondition},
	{"loops", "CodeOfSuccess", loops.CodeOfSuccess},
	{"loops", "CodeOfTheError", loops.CodeOfTheError},
	{"loops", "ConditionOnAFlag", loops.ConditionOnAFlag},
	{"loops", "ConditionOnTheError", loops.ConditionOnTheError},
	{"loops", "Counting", loops.Counting},
	{"loops", "CountingOnce", loops.CountingOnce},
	{"loops", "Endless", loops.Endless},
	{"loops", "EndlessWithBackoff", loops.EndlessWithBackoff},
	{"loops", "ErrorOverAChannel", loops.ErrorOverAChannel},
	{"loops", "Goto", loops.Goto},
	{"loops", "InAGoroutine", loops.InAGoroutine},
	{"loops", "InnerLoop", loops.InnerLoop},
	{"loops", "IteratorOfAttempts", loops.IteratorOfAttempts},
	{"loops", "LoopOverItemsInARetry", loops.LoopOverItemsInARetry},
	{"loops", "NotRetryableLeaves", loops.NotRetryableLeaves},
	{"loops", "RangeOverAttempts", loops.RangeOverAttempts},
	{"loops", "RangeOverInt", loops.RangeOverInt},
	{"loops", "RangeOverReplicas", loops.RangeOverReplicas},
	{"loops", "RangeOverReplicasOnce", loops.RangeOverReplicasOnce},
	{"loops", "RangeOverWaits", loops.RangeOverWaits},
	{"loops", "Recursion", loops.Recursion},
	{"loops", "RecursionKeyed", loops.RecursionKeyed},
	{"loops", "RecursiveClosure", loops.RecursiveClosure},
	{"loops", "RefreshedOnFailure", loops.RefreshedOnFailure},
	{"loops", "SelectWithTicker", loops.SelectWithTicker},
	{"loops", "SelectWithTimer", loops.SelectWithTimer},
	{"loops", "StatusClass", loops.StatusClass},
	{"loops", "StatusInAnIf", loops.StatusInAnIf},
	{"loops", "StatusInTheAnswer", loops.StatusInTheAnswer},
	{"loops", "SwitchOnTheError", loops.SwitchOnTheError},
	{"loops", "SwitchOnTheStatus", loops.SwitchOnTheStatus},
	{"loops", "UntilDeadline", loops.UntilDeadline},
	{"loops", "WhileContext", loops.WhileContext},
	{"loops", "ConditionKept", loops.ConditionKept},
	{"loops", "ErrorAskedInSteps", loops.ErrorAskedInSteps},
	{"loops", "LeavesByALabel", loops.LeavesByALabel},
	{"loops", "LeavesByALabelKeyed", loops.LeavesByALabelKeyed},
	{"makers", "CalledAsAKey", makers.CalledAsAKey},
	{"makers", "CalledNextKey", makers.CalledNextKey},
	{"makers", "FieldsOfAnObject", makers.FieldsOfAnObject},
	{"makers", "OtherFieldsOfAnObject", makers.OtherFieldsOfAnObject},
	{"makers", "Attempt", makers.Attempt},
	{"makers", "AttemptInABuilder", makers.AttemptInABuilder},
	{"makers", "AttemptOfARange", makers.AttemptOfARange},
	{"makers", "Builder", makers.Builder},
	{"makers", "Clock", makers.Clock},
	{"makers", "ClockFormatted", makers.ClockFormatted},
	{"makers", "Closure", makers.Closure},
	{"makers", "CryptoRandRead", makers.CryptoRandRead},
	{"makers", "CryptoRandReader", makers.CryptoRandReader},
	{"makers", "CryptoRandText", makers.CryptoRandText},
	{"makers", "HashWithTheOrder", makers.HashWithTheOrder},
	{"makers", "HashWithTheTime", makers.HashWithTheTime},
	{"makers", "Day", makers.Day},
	{"makers", "GivenFunction", makers.GivenFunction},
	{"makers", "Hash", makers.Hash},
	{"makers", "HashOfTheTime", makers.HashOfTheTime},
	{"makers", "HelperOfAnotherPackage", makers.HelperOfAnotherPackage},
	{"makers", "HelperThatDerives", makers.HelperThatDerives},
	{"makers", "HelperWithAnError", makers.HelperWithAnError},
	{"makers", "KSUID", makers.KSUID},
	{"makers", "MadeByTheCalleeUnlessGiven", makers.MadeByTheCalleeUnlessGiven},
	{"makers", "MathRand", makers.MathRand},
	{"makers", "MathRandV2", makers.MathRandV2},
	{"makers", "MemoizedEarly", makers.MemoizedEarly},
	{"makers", "MemoizedMethod", makers.MemoizedMethod},
	{"makers", "Method", makers.Method},
	{"makers", "NameBased", makers.NameBased},
	{"makers", "OwnHelper", makers.OwnHelper},
	{"makers", "PackageVariable", makers.PackageVariable},
	{"makers", "RandSource", makers.RandSource},
	{"makers", "RandomLetters", makers.RandomLetters},
	{"makers", "Sequence", makers.Sequence},
	{"makers", "ULID", makers.ULID},
	{"makers", "UUIDMust", makers.UUIDMust},
	{"makers", "UUIDOrError", makers.UUIDOrError},
	{"makers", "XID", makers.XID},
	{"makers", "FreshJob", makers.FreshJob},
	{"makers", "FreshJobThatIsGivenAKey", makers.FreshJobThatIsGivenAKey},
	{"makers", "OneOfTwo", makers.OneOfTwo},
	{"makers", "OneOfTwoKept", makers.OneOfTwoKept},
	{"makers", "SameJob", makers.SameJob},
	{"queues", "Channel", queues.Channel},
	{"queues", "DeadLetters", queues.DeadLetters},
	{"queues", "KeyOfTheJob", queues.KeyOfTheJob},
	{"queues", "KeyReplaced", queues.KeyReplaced},
	{"queues", "Later", queues.Later},
	{"queues", "Pipeline", queues.Pipeline},
	{"queues", "RangeOverAChannel", queues.RangeOverAChannel},
	{"queues", "Slice", queues.Slice},
	{"queues", "Methods", queues.Methods},
	{"queues", "MethodsKeyed", queues.MethodsKeyed},
	{"queues", "Pool", queues.Pool},
	{"renewed", "AfterASuccess", renewed.AfterASuccess},
	{"renewed", "Callback", renewed.Callback},
	{"renewed", "CallbackAndVariable", renewed.CallbackAndVariable},
	{"renewed", "Endless", renewed.Endless},
	{"renewed", "Field", renewed.Field},
	{"renewed", "Headers", renewed.Headers},
	{"renewed", "Library", renewed.Library},
	{"renewed", "Once", renewed.Once},
	{"renewed", "OnlyRefused", renewed.OnlyRefused},
	{"renewed", "Refused", renewed.Refused},
	{"renewed", "Request", renewed.Request},
	{"renewed", "Setter", renewed.Setter},
	{"renewed", "StillProcessing", renewed.StillProcessing},
	{"setters", "Builder", setters.Builder},
	{"setters", "BuilderThatMakesTheKey", setters.BuilderThatMakesTheKey},
	{"setters", "EditorByName", setters.EditorByName},
	{"setters", "EditorOfAnotherPackage", setters.EditorOfAnotherPackage},
	{"setters", "EditorThatKeeps", setters.EditorThatKeeps},
	{"setters", "FieldOfAnArgument", setters.FieldOfAnArgument},
	{"setters", "FieldOfALiteralArgument", setters.FieldOfALiteralArgument},
	{"setters", "FieldOfAField", setters.FieldOfAField},
	{"setters", "FieldBesideTheKey", setters.FieldBesideTheKey},
	{"setters", "FieldReadAndKept", setters.FieldReadAndKept},
	{"setters", "EditorFunction", setters.EditorFunction},
	{"setters", "Fasthttp", setters.Fasthttp},
	{"setters", "FieldAssigned", setters.FieldAssigned},
	{"setters", "FieldByItsTag", setters.FieldByItsTag},
	{"setters", "FieldByPosition", setters.FieldByPosition},
	{"setters", "FieldInALiteral", setters.FieldInALiteral},
	{"setters", "FieldMarshalled", setters.FieldMarshalled},
	{"setters", "GenericPointer", setters.GenericPointer},
	{"setters", "HeaderAdd", setters.HeaderAdd},
	{"setters", "HeaderIndex", setters.HeaderIndex},
	{"setters", "HeaderLiteral", setters.HeaderLiteral},
	{"setters", "HeaderOnAClone", setters.HeaderOnAClone},
	{"setters", "HeaderSet", setters.HeaderSet},
	{"setters", "HeaderVariable", setters.HeaderVariable},
	{"setters", "MapOfHeaders", setters.MapOfHeaders},
	{"setters", "MapOfHeadersIndexed", setters.MapOfHeadersIndexed},
	{"setters", "MemberOfAForm", setters.MemberOfAForm},
	{"setters", "MemberOfAFormat", setters.MemberOfAFormat},
	{"setters", "MemberOfAMap", setters.MemberOfAMap},
	{"setters", "Option", setters.Option},
	{"setters", "OptionsInASlice", setters.OptionsInASlice},
	{"setters", "OwnHeaderSetter", setters.OwnHeaderSetter},
	{"setters", "Pairs", setters.Pairs},
	{"setters", "PairsNamed", setters.PairsNamed},
	{"setters", "ParameterOfAnInterface", setters.ParameterOfAnInterface},
	{"setters", "PointerField", setters.PointerField},
	{"setters", "Query", setters.Query},
	{"setters", "Resty", setters.Resty},
	{"setters", "RestyHeaders", setters.RestyHeaders},
	{"setters", "RetryableRequest", setters.RetryableRequest},
	{"setters", "Setter", setters.Setter},
	{"setters", "StampedByAHelper", setters.StampedByAHelper},
	{"setters", "StampedByAnotherPackage", setters.StampedByAnotherPackage},
	{"setters", "StampedOnce", setters.StampedOnce},
	{"setters", "StampedOnceOnANewRequest", setters.StampedOnceOnANewRequest},
	{"setters", "Encoded", setters.Encoded},
	{"setters", "EncodedOnce", setters.EncodedOnce},
	{"setters", "ValueOfAContext", setters.ValueOfAContext},
	{"setters", "EditorOfBefore", setters.EditorOfBefore},
	{"setters", "EditorOfBeforeThatHoldsTheKey", setters.EditorOfBeforeThatHoldsTheKey},
	{"setters", "NameInAVariable", setters.NameInAVariable},
	{"setters", "OptionThatHoldsTheKey", setters.OptionThatHoldsTheKey},
	{"setters", "OptionThatMakesTheKey", setters.OptionThatMakesTheKey},
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
			if f.pkg == "headersflag" {
				s.headers = []string{"X-Dedup", "X-Request-Id"}
			}
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
	headers  []string                   // that carry a key, beside those that always do
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
	for _, name := range append(s.headers, "Idempotency-Key", "X-Idempotency-Key", "PayPal-Request-Id") {
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
