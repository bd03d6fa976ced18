package httpmodel

import (
	"go/types"

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
		if r.PkgPath == path && r.Name == fn.Name() {
			return funcParam(fn)
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

// retryCallers are functions of libraries whose bodies hide that they repeat: behind
// the fields of a struct, and goroutines.
var retryCallers = []Entry{
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/v2/helper/retry", Name: "RetryContext"},
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/v2/helper/resource", Name: "RetryContext"},
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/v2/helper/resource", Name: "Retry"},
	{PkgPath: "github.com/hashicorp/terraform-plugin-sdk/helper/resource", Name: "Retry"},
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

// IsRetryableClient reports whether t is a client of package retryablehttp, or a
// pointer to one: it repeats any request that fails.
func IsRetryableClient(t types.Type) bool {
	return typeset.IsNamed(t, RetryablePath, "Client")
}

// retryEntries lists what the tables name, but for retryCallers: the module that has
// them is too large for the fixtures.
func retryEntries() (entries []Entry) {
	for _, h := range attemptHooks {
		entries = append(entries, Entry{PkgPath: h.pkg, Type: h.typ, Name: h.name})
	}
	return append(entries,
		Entry{PkgPath: RestyPath, Type: "Client", Name: "SetRetryCount"},
		Entry{PkgPath: RetryablePath, Type: "Client", Name: "RetryMax"})
}
