// Package httpmodel says what the things of the HTTP world are: a client call, a
// handler, a status, a retry library, a test library. It holds tables and
// predicates over them, and no logic of any rule.
package httpmodel

import "go/types"

// NetHTTP is the path of package net/http.
const NetHTTP = "net/http"

// IsResponse reports whether t is *http.Response.
func IsResponse(t types.Type) bool { return isPointerTo(t, NetHTTP, "Response") }

// IsRequest reports whether t is *http.Request.
func IsRequest(t types.Type) bool { return isPointerTo(t, NetHTTP, "Request") }

func isPointerTo(t types.Type, pkgPath, name string) bool {
	if t == nil {
		return false
	}
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == pkgPath
}
