package pools

import (
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// maxDepth bounds how deep a type is searched for a pool.
const maxDepth = 6

// poolish reports whether a value of type t may hold a connection pool and have
// it in its type: a client, a transport, an interface to either, what has one in a
// field, or a function that gives one.
func (c *checker) poolish(t types.Type) bool {
	found, _ := c.search(t, maxDepth)
	return found
}

// search is poolish to a depth. It also reports whether the answer is final: it
// does not hang on the depth, or on a type that is being searched.
func (c *checker) search(t types.Type, depth int) (found, final bool) {
	if depth == 0 || t == nil {
		return false, t == nil
	}
	t = types.Unalias(t)
	named, ok := t.(*types.Named)
	if !ok {
		return c.searchParts(t, depth)
	}
	if known, ok := c.holds[named]; ok {
		return known == yes, known != searching
	}
	c.holds[named] = searching
	if httpmodel.IsPool(named) || httpmodel.IsClientType(named) {
		found, final = true, true
	} else {
		found, final = c.searchParts(named.Underlying(), depth)
	}
	switch {
	case found:
		c.holds[named] = yes
	case final:
		c.holds[named] = no
	default:
		delete(c.holds, named)
	}
	return found, final || found
}

// An answer is what is known of a type.
type answer uint8

const (
	no answer = iota
	yes
	searching
)

// searchParts is search for a type without a name.
func (c *checker) searchParts(t types.Type, depth int) (found, final bool) {
	final = true
	visit := func(t types.Type) bool {
		f, d := c.search(t, depth-1)
		final = final && d
		return f
	}
	switch t := t.(type) {
	case *types.Pointer:
		return c.search(t.Elem(), depth)
	case *types.Slice:
		found = visit(t.Elem())
	case *types.Array:
		found = visit(t.Elem())
	case *types.Map:
		found = visit(t.Elem())
	case *types.Chan:
		found = visit(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if found = visit(f.Type()); found {
				break
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			found = found || sends(m.Signature())
		}
	case *types.Signature:
		if found = sends(t); !found {
			for r := range t.Results().Variables() {
				found = found || visit(r.Type())
			}
		}
	}
	return found, final
}

// sends reports whether sig is that of a function that sends a request and gives
// the response, as RoundTrip and Do are.
func sends(sig *types.Signature) bool {
	for r := range sig.Results().Variables() {
		if httpmodel.IsResponse(r.Type()) {
			return true
		}
	}
	return false
}

// isInline reports whether the zero value of t has a pool in it, not only a
// pointer to one: t is a pool, or a struct with a field that is.
func isInline(t types.Type, depth int) bool {
	if httpmodel.IsPool(t) {
		return true
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth == 0 {
		return false
	}
	for f := range st.Fields() {
		if isInline(f.Type(), depth-1) {
			return true
		}
	}
	return false
}

// carries reports whether a variable of type t can hold a pool at all, be it under
// an interface that does not tell.
func carries(t types.Type, depth int) bool {
	if t == nil || depth == 0 || httpmodel.IsError(t) ||
		httpmodel.IsResponse(t) || httpmodel.IsRequest(t) || isAnswer(t) {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Pointer:
		return carries(t.Elem(), depth)
	case *types.Slice:
		return carries(t.Elem(), depth-1)
	case *types.Array:
		return carries(t.Elem(), depth-1)
	case *types.Map:
		return carries(t.Elem(), depth-1)
	case *types.Chan:
		return carries(t.Elem(), depth-1)
	case *types.Struct:
		for f := range t.Fields() {
			if carries(f.Type(), depth-1) {
				return true
			}
		}
		return false
	}
	return true
}

// isAnswer reports whether t is a library's own response: a struct that is called so and
// has the one of net/http inside. What it knows of the client is of no use after that.
func isAnswer(t types.Type) bool {
	named := typeset.Named(t)
	st, ok := typeset.StructOf(t)
	if !ok || named == nil || !strings.HasSuffix(named.Obj().Name(), "Response") {
		return false
	}
	for f := range st.Fields() {
		if httpmodel.IsResponse(f.Type()) {
			return true
		}
	}
	return false
}

// forwards reports whether CloseIdleConnections of an http.Client reaches through
// a transport of the concrete type t. An interface tells nothing.
func forwards(t types.Type) bool {
	if types.IsInterface(t) {
		return true
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "CloseIdleConnections")
	_, ok := obj.(*types.Func)
	return ok
}
