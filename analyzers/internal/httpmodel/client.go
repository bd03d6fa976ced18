package httpmodel

import (
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// DrainBound is how much of a body is worth reading for the sake of its
// connection, in bytes: what Go 1.27's Transport reads by itself after Close
// (golang/go #77370).
const DrainBound = 256 << 10

// SendsRequest reports whether fn is a call of package net/http that sends a
// request other than HEAD and returns the response: Get, Post, PostForm and Do
// of the package and of Client, RoundTrip of Transport and RoundTripper.
func SendsRequest(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != NetHTTP {
		return false
	}
	switch receiverName(fn) {
	case "":
		return slices.Contains([]string{"Get", "Post", "PostForm"}, fn.Name())
	case "Client":
		return slices.Contains([]string{"Get", "Post", "PostForm", "Do"}, fn.Name())
	case "Transport", "RoundTripper":
		return fn.Name() == "RoundTrip"
	}
	return false
}

// LooksLikeDo reports whether sig has the shape of http.Client.Do: it takes one
// *http.Request among its parameters and returns a *http.Response and an error.
func LooksLikeDo(sig *types.Signature) bool {
	if sig.Results().Len() != 2 || !IsResponse(sig.Results().At(0).Type()) || !IsError(sig.Results().At(1).Type()) {
		return false
	}
	for param := range sig.Params().Variables() {
		if IsRequest(param.Type()) {
			return true
		}
	}
	return false
}

// LooksLikeSend reports whether sig has the shape of http.Client.Do, or of Get, Post
// or PostForm, whose first parameter but for a context is the URL.
func LooksLikeSend(sig *types.Signature) bool {
	if LooksLikeDo(sig) {
		return true
	}
	params := slices.Collect(sig.Params().Variables())
	if len(params) > 0 && typeset.IsNamed(params[0].Type(), "context", "Context") {
		params = params[1:]
	}
	return len(params) > 0 && types.Identical(params[0].Type(), types.Typ[types.String]) &&
		sig.Results().Len() == 2 && IsResponse(sig.Results().At(0).Type()) && IsError(sig.Results().At(1).Type())
}

// IsError reports whether t is the type error.
func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// ImplementsError reports whether t is a type of errors.
func ImplementsError(t types.Type) bool {
	return t != nil && types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}
