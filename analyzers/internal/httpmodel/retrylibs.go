package httpmodel

import (
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// RepeatedArg returns the index of the argument of fn that fn calls until it
// succeeds, where the body of fn does not show it; -1 if there is none.
func RepeatedArg(fn *types.Func) int {
	if fn == nil || fn.Pkg() == nil {
		return -1
	}
	path := typeset.PkgPath(fn.Pkg())
	for _, r := range retryCallers {
		if rest, ok := strings.CutPrefix(path, r.path); !ok || rest != "" && rest[0] != '/' {
			continue
		}
		for _, name := range r.funcs {
			if fn.Name() == name {
				return funcParam(fn)
			}
		}
	}
	return -1
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

// retryCallers are libraries whose bodies hide that they repeat: behind the fields of
// a struct, executors, goroutines.
var retryCallers = []struct {
	path  string
	funcs []string
}{
	{"github.com/hashicorp/terraform-plugin-sdk", []string{"Retry", "RetryContext"}},
	{"github.com/hashicorp/terraform-plugin-sdk/v2", []string{"Retry", "RetryContext"}},
	{"k8s.io/client-go/util/retry", []string{"OnError", "RetryOnConflict"}},
}

// RoundTripperField says that the client type, of which a field or setter takes
// what is run for each attempt, repeats requests.
type AttemptHook struct {
	Pkg, Type, Name string
	Method          bool // it is a method that takes the hook, not a field
}

// attemptHooks are the hooks of retrying clients that run once for each attempt.
var attemptHooks = []AttemptHook{
	{"github.com/hashicorp/go-retryablehttp", "Client", "PrepareRetry", false},
	{"github.com/hashicorp/go-retryablehttp", "Client", "RequestLogHook", false},
	{"github.com/go-resty/resty/v2", "Client", "OnBeforeRequest", true},
	{"github.com/go-resty/resty/v2", "Client", "SetPreRequestHook", true},
}

// IsHookField reports whether v is a field that takes a function that a retrying
// client runs for each attempt.
func IsHookField(v *types.Var) bool {
	if v == nil || !v.IsField() || v.Pkg() == nil {
		return false
	}
	for _, h := range attemptHooks {
		if !h.Method && h.Name == v.Name() && h.Pkg == typeset.PkgPath(v.Pkg()) {
			return true
		}
	}
	return false
}

// IsRestyHook reports whether fn is a method of a resty client that takes a
// function to run for each attempt.
func IsRestyHook(fn *types.Func) bool {
	for _, h := range attemptHooks {
		if h.Method && typeset.IsMethod(fn, h.Pkg, h.Type, h.Name) {
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

// IsRetryableClient reports whether t is a client of package retryablehttp, or a
// pointer to one: it repeats any request that fails.
func IsRetryableClient(t types.Type) bool {
	return typeset.IsNamed(t, RetryablePath, "Client")
}

// hookEntries lists the hooks that the tables name.
func hookEntries() (entries []Entry) {
	for _, h := range attemptHooks {
		entries = append(entries, Entry{PkgPath: h.Pkg, Type: h.Type, Name: h.Name})
	}
	return append(entries,
		Entry{PkgPath: RestyPath, Type: "Client", Name: "SetRetryCount"},
		Entry{PkgPath: RetryablePath, Type: "Client", Name: "RetryMax"})
}
