package httpmodel

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// RepeatedArg returns the index of the argument of fn that fn calls until it
// succeeds, where the body of fn does not show it; -1 if there is none.
func RepeatedArg(fn *types.Func) int {
	if fn == nil || fn.Pkg() == nil {
		return -1
	}
	if isIn(fn, retryCallers) || isIn(fn, oldRetryCallers) {
		return funcParam(fn)
	}
	return -1
}

// retryLibraries match the paths of libraries that repeat what they are given, and are told
// how long to wait.
var retryLibraries = regexp.MustCompile(`^github\.com/(cenkalti/backoff|avast/retry-go|sethvargo/go-retry|failsafe-go/failsafe-go|jpillora/backoff|lestrrat-go/backoff|eapache/go-resiliency|gojek/heimdall|go-resty/resty|hashicorp/go-retryablehttp)(/|$)|^k8s\.io/apimachinery/pkg/util/wait$`)

// IsRetryLibrary reports whether pkg is of a library that repeats what it is given.
func IsRetryLibrary(pkg *types.Package) bool {
	return pkg != nil && retryLibraries.MatchString(typeset.PkgPath(pkg))
}

// funcParam returns the index of the first parameter of fn that is a function.
func funcParam(fn *types.Func) int {
	i := 0
	for p := range fn.Signature().Params().Variables() {
		t := p.Type()
		if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
			t = tp.Constraint()
		}
		if _, ok := t.Underlying().(*types.Signature); ok {
			return i
		}
		i++
	}
	return -1
}

// retryCallers are functions of libraries whose bodies hide that they repeat: behind
// the fields of a struct, and goroutines.
var retryCallers = []Entry{
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry", Name: "RetryContext"},
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry", Name: "Retry"},
}

// oldRetryCallers are the same functions where they were before: the fixtures do
// not hold those packages.
var oldRetryCallers = []Entry{
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/v2/helper/resource", Name: "RetryContext"},
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/v2/helper/resource", Name: "Retry"},
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/helper/resource", Name: "RetryContext"},
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/helper/resource", Name: "Retry"},
	{PkgPath: "github.com/hashicorp/terraform/helper/resource", Name: "Retry"},
}

// IsRetryError reports whether t is what a function of terraform's that is repeated
// returns for an error.
func IsRetryError(t types.Type) bool {
	return slices.ContainsFunc(slices.Concat(retryCallers, oldRetryCallers), func(e Entry) bool { return typeset.IsNamed(t, e.PkgPath, "RetryError") })
}

// An attemptHook is a field or method of a retrying client that takes a function
// to run for each attempt.
type attemptHook struct {
	pkg, typ, name string
	method         bool // it is a method that takes the hook, not a field
}

// attemptHooks are the hooks of retrying clients that run once for each attempt.
var attemptHooks = []attemptHook{
	{"github.com/hashicorp/go-retryablehttp", "Client", "PrepareRetry", false},
	{"github.com/hashicorp/go-retryablehttp", "Client", "RequestLogHook", false},
	{"github.com/go-resty/resty/v2", "Client", "OnBeforeRequest", true},
	{"github.com/go-resty/resty/v2", "Client", "SetPreRequestHook", true},
	{"github.com/go-resty/resty/v2", "Client", "AddRetryHook", true},
}

// IsHookField reports whether v is a field that takes a function that a retrying
// client runs for each attempt.
func IsHookField(v *types.Var) bool {
	if v == nil || !v.IsField() || v.Pkg() == nil {
		return false
	}
	for _, h := range attemptHooks {
		if !h.method && h.name == v.Name() && h.pkg == typeset.PkgPath(v.Pkg()) {
			return true
		}
	}
	return false
}

// IsRestyHook reports whether fn is a method of a resty client that takes a
// function to run for each attempt.
func IsRestyHook(fn *types.Func) bool {
	for _, h := range attemptHooks {
		if h.method && typeset.IsMethod(fn, h.pkg, h.typ, h.name) {
			return true
		}
	}
	return false
}

// RestyPath is the path of package resty.
const RestyPath = "github.com/go-resty/resty/v2"

// IsRestyRetryCount reports whether fn is resty's SetRetryCount of a client.
func IsRestyRetryCount(fn *types.Func) bool {
	return typeset.IsMethod(fn, RestyPath, "Client", "SetRetryCount")
}

// RetryablePath is the path of package retryablehttp.
const RetryablePath = "github.com/hashicorp/go-retryablehttp"

// HeimdallPaths are the paths of the packages of heimdall whose clients retry.
var HeimdallPaths = []string{
	"github.com/gojek/heimdall/v7/httpclient", "github.com/gojek/heimdall/v7/hystrix",
	"github.com/gojek/heimdall/v6/httpclient", "github.com/gojek/heimdall/v6/hystrix",
}

// HeimdallSend returns the HTTP method that fn, a method of a client of heimdall, sends,
// and whether it is one. Do sends its argument.
func HeimdallSend(fn *types.Func) (method string, ok bool) {
	for _, path := range HeimdallPaths {
		if typeset.IsMethod(fn, path, "Client", "Get", "Post", "Put", "Patch", "Delete") {
			return strings.ToUpper(fn.Name()), true
		}
	}
	return "", false
}

// IsHeimdallClient reports whether t is a client of heimdall, or a pointer to one.
func IsHeimdallClient(t types.Type) bool {
	return slices.ContainsFunc(HeimdallPaths, func(path string) bool { return typeset.IsNamed(t, path, "Client") })
}

// IsRetryableClient reports whether t is a client of package retryablehttp, or a
// pointer to one: it repeats any request that fails.
func IsRetryableClient(t types.Type) bool {
	return typeset.IsNamed(t, RetryablePath, "Client")
}

// Failsafe is the path of package failsafe, whose executors repeat a function if a
// policy of theirs says so; FailsafeHTTP that of the same for clients.
const (
	Failsafe     = "github.com/failsafe-go/failsafe-go"
	FailsafeHTTP = Failsafe + "/failsafehttp"
)

// failsafeRuns are the methods of an executor that call their argument under its
// policies.
var failsafeRuns = []string{
	"Run", "RunWithExecution", "RunAsync", "RunAsyncWithExecution",
	"Get", "GetWithExecution", "GetAsync", "GetAsyncWithExecution",
}

// failsafePolicies are the policies that call a function more than once: again
// after a failure, or once more while it takes long.
var failsafePolicies = []Entry{
	{PkgPath: Failsafe + "/retrypolicy", Type: "RetryPolicy"},
	{PkgPath: Failsafe + "/hedgepolicy", Type: "HedgePolicy"},
}

// failsafeCounts are the methods of an execution that tell the number of the attempt.
var failsafeCounts = []string{"Attempts", "Executions", "Retries", "Hedges"}

// IsFailsafeRun reports whether fn calls its first argument under the policies of
// the executor that it is a method of.
func IsFailsafeRun(fn *types.Func) bool {
	return typeset.IsMethod(fn, Failsafe, "Executor", failsafeRuns...)
}

// IsFailsafePolicy reports whether t is a policy by which a function is called more
// than once.
func IsFailsafePolicy(t types.Type) bool {
	return slices.ContainsFunc(failsafePolicies, func(e Entry) bool { return typeset.IsNamed(t, e.PkgPath, e.Type) })
}

// IsFailsafeCondition reports whether fn tells a policy of failsafe what to try again.
func IsFailsafeCondition(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && strings.HasPrefix(typeset.PkgPath(fn.Pkg()), Failsafe) && (strings.HasPrefix(fn.Name(), "Handle") || strings.HasPrefix(fn.Name(), "Abort"))
}

// IsExecutor reports whether t is an executor of failsafe.
func IsExecutor(t types.Type) bool { return typeset.IsNamed(t, Failsafe, "Executor") }

// IsFailsafeClient reports whether fn makes a RoundTripper or a request of the one
// below, its argument below, and of the policies or the executor after it.
func IsFailsafeClient(fn *types.Func) (below int, ok bool) {
	switch {
	case typeset.IsFunc(fn, FailsafeHTTP, "NewRoundTripper", "NewRoundTripperWithExecutor"):
		return 0, true
	case typeset.IsFunc(fn, FailsafeHTTP, "NewRequest", "NewRequestWithExecutor"):
		return 1, true
	}
	return 0, false
}

// IsAttemptNumber reports whether fn returns how often a retry library has called
// the function that it calls.
func IsAttemptNumber(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && typeset.PkgPath(fn.Pkg()) == Failsafe && typeset.IsInterfaceMethod(fn) && slices.Contains(failsafeCounts, fn.Name())
}

// IsFirstAttempt reports whether fn tells the first attempt from the others, and
// what it returns in the first.
func IsFirstAttempt(fn *types.Func) (first, ok bool) {
	if fn == nil || fn.Pkg() == nil || typeset.PkgPath(fn.Pkg()) != Failsafe || !typeset.IsInterfaceMethod(fn) {
		return false, false
	}
	switch fn.Name() {
	case "IsFirstAttempt":
		return true, true
	case "IsRetry":
		return false, true
	}
	return false, false
}

// jobs are the jobs of queues that call their handler again if it returns an error, and
// jobEnds what such an error is or wraps for the queue not to do so.
var (
	jobs = []Entry{
		{PkgPath: "github.com/hibiken/asynq", Type: "Task"},
		{PkgPath: "github.com/riverqueue/river", Type: "Job"},
	}
	jobEnds = []Entry{
		{PkgPath: "github.com/hibiken/asynq", Name: "SkipRetry"},
		{PkgPath: "github.com/hibiken/asynq", Name: "RevokeTask"},
		{PkgPath: "github.com/riverqueue/river", Name: "JobCancel"},
	}
)

// IsJob reports whether t points to a job that a queue runs again if that fails.
func IsJob(t types.Type) bool {
	_, isPointer := types.Unalias(t).(*types.Pointer)
	return isPointer && slices.ContainsFunc(jobs, func(e Entry) bool { return typeset.IsNamed(t, e.PkgPath, e.Type) })
}

// EndsJob reports whether obj tells a queue not to run a job again.
func EndsJob(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && slices.ContainsFunc(jobEnds, func(e Entry) bool {
		return obj.Name() == e.Name && typeset.PkgPath(obj.Pkg()) == e.PkgPath
	})
}

// retryEntries lists what the tables name.
func retryEntries() (entries []Entry) {
	for _, h := range attemptHooks {
		entries = append(entries, Entry{PkgPath: h.pkg, Type: h.typ, Name: h.name})
	}
	for _, name := range failsafeRuns {
		entries = append(entries, Entry{PkgPath: Failsafe, Type: "Executor", Name: name})
	}
	for _, name := range append([]string{"IsFirstAttempt", "IsRetry"}, failsafeCounts...) {
		entries = append(entries, Entry{PkgPath: Failsafe, Type: "Execution", Name: name})
	}
	for _, name := range []string{"NewRoundTripper", "NewRoundTripperWithExecutor", "NewRequest", "NewRequestWithExecutor"} {
		entries = append(entries, Entry{PkgPath: FailsafeHTTP, Name: name})
	}
	entries = slices.Concat(entries, retryCallers, failsafePolicies, jobs, jobEnds)
	return append(entries,
		Entry{PkgPath: RestyPath, Type: "Client", Name: "SetRetryCount"},
		Entry{PkgPath: RetryablePath, Type: "Client", Name: "RetryMax"})
}
