package bodyfate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A kind says what a value has to do with the body that is followed.
type kind uint8

const (
	nothing  kind = iota // it was the body's place, but something else is there now
	response             // the *http.Response
	body                 // the body itself, or a wrapper whose Close closes it
	reader               // a reader over the body, whose end is the body's end; its Close does not reach the body
	limited              // a reader that ends before the body may
	scanner              // a bufio.Scanner: Scan reports false at the end
	decoder              // Decode reads one value, Token a part of one
	records              // a reader of records, lines or parts: each read reports the end by its error
	opaque               // a reader of unknown make: its end is the body's end, no more is known
	closure              // a function literal
	bound                // a method value; its receiver is below the path "()"
	closing              // a function that closes the body
	draining             // a function that reads the body to its end and closes it
	status               // the response's status code
	length               // the response's ContentLength
	taken                // what was read through a limited reader, or how much
)

// reads reports whether reading a value of kind k reads the body.
func (k kind) reads() bool { return body <= k && k <= opaque }

// passes reports whether a value of kind k can be handed from one function to
// another, of another package too.
func (k kind) passes() bool { return k == response || k.reads() || k == closing || k == draining }

// A handle is a value that leads to the body that is followed.
type handle struct {
	kind kind
	lit  *ast.FuncLit // of a closure
	fn   *types.Func  // of a bound method
	max  int64        // of what is limited, or taken from it: the limit, if it is known
}

// A value is what an expression holds of the body: handles, by the path of
// fields that leads to each. The value of an *http.Response is the one handle
// at the path "".
type value []entry

type entry struct {
	path string // "", or ".Field.Field"
	handle
}

// self returns the handle at the value itself.
func (v value) self() (handle, bool) {
	if len(v) > 0 && v[0].path == "" {
		return v[0].handle, true
	}
	return handle{}, false
}

// kind returns the kind of the handle at the value itself, or nothing.
func (v value) kind() kind {
	h, _ := v.self()
	return h.kind
}

// holds reports whether the body can be reached through v.
func (v value) holds() bool {
	for _, e := range v {
		switch e.kind {
		case response:
			if v.bodyAt(e.path) {
				return true
			}
		case nothing, status, length, taken:
		default:
			return true
		}
	}
	return false
}

// callable reports whether v holds a function that leads to the body.
func (v value) callable() bool {
	return slices.ContainsFunc(v, func(e entry) bool { return e.kind == closure || e.kind == bound })
}

// bodyAt reports whether the response at path still has its body.
func (v value) bodyAt(path string) bool {
	for _, e := range v {
		if e.path == path+".Body" {
			return e.kind != nothing
		}
	}
	return true
}

// reader returns the handle through which v, given to something that wants an
// io.Reader, is read: its own, or that of a field of a struct.
func (v value) reader() (handle, bool) {
	for _, e := range v {
		if e.kind.reads() {
			return e.handle, true
		}
	}
	return handle{}, false
}

// at returns what v holds below path.
func (v value) at(path string) value {
	var below value
	for _, e := range v {
		if rest, ok := cutPath(e.path, path); ok {
			below = append(below, entry{rest, e.handle})
		}
	}
	if _, ok := below.self(); ok {
		return below
	}
	if parent, name, ok := lastField(path); ok {
		for _, e := range v {
			if e.path != parent || e.kind != response {
				continue
			}
			if k := responseField(name); k != nothing {
				below = append(value{{"", handle{kind: k}}}, below...)
			}
		}
	}
	return below
}

// under returns v moved below path.
func (v value) under(path string) value {
	moved := make(value, len(v))
	for i, e := range v {
		moved[i] = entry{path + e.path, e.handle}
	}
	return moved
}

// one returns the value that is itself a handle of kind k.
func one(k kind) value { return value{{"", handle{kind: k}}} }

// responseField returns the kind of the field of an http.Response.
func responseField(name string) kind {
	switch name {
	case "Body":
		return body
	case "StatusCode":
		return status
	case "ContentLength":
		return length
	}
	return nothing
}

// cutPath cuts prefix, whole fields of it, off path.
func cutPath(path, prefix string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, prefix)
	return rest, ok && (rest == "" || rest[0] == '.' || rest[0] == '(')
}

// lastField splits a path before its last field.
func lastField(path string) (parent, name string, ok bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", "", false
	}
	return path[:i], path[i+1:], true
}

// A place is a variable, or a field of one.
type place struct {
	v    *types.Var
	path string
}

// Progress says how far the body was read.
type Progress uint8

const (
	Unread  Progress = iota // not at all
	Partial                 // some of it
	Decoded                 // by a decoder that usually, not always, reaches the end
	Drained                 // to its end, or meant to
)

// A fate says where the body is.
type fate uint8

const (
	before  fate = iota // not there yet
	open                // here, to be read and closed
	closed              // closed here
	escaped             // out of sight: stored, sent, given to an unknown function
)

// A link ties what is not known yet to the value of a variable, or to a result
// of the call just made: once the variable turns out to be hit (an error that
// is not nil, a bool that is false), the effect holds.
type link struct {
	v      *types.Var
	effect effect
}

type effect uint8

const (
	absent   effect = iota // there is no response at all
	atEnd                  // the body was read to its end
	atEndish               // as far as a decoder goes
)

// A deferred is a deferred call with the operands it had when it was deferred.
type deferred struct {
	stmt *ast.DeferStmt
	ops  operands
}

// A tuple is what is known at a point of the function on one group of paths. The
// set of tuples at a point keeps apart the paths on which the body's state
// differs, and for each it knows the conditions that all of its paths share (the
// property simulation of ESP, Das et al., PLDI 2002): so "if err == nil { drain }
// ... if err == nil { close }" needs no luck. Tuples are never modified once made.
type tuple struct {
	read      Progress
	fate      fate
	bodyless  bool // the request is HEAD or CONNECT: what comes has no body to read
	old       bool // another response has been asked for since, by the same call
	lent      bool // escaped, but only to an unknown predicate that was asked about the response
	streaming bool // a decoder has handed out tokens: Decode reads one element
	vars      map[place]handle
	links     []link
	defers    []deferred

	// Not part of what keeps tuples apart:
	facts   map[string]bool // conditions known to hold, by exprKey
	status  codes           // the status codes that are possible
	lengths lengths         // the content lengths that are possible
	branch  token.Pos       // the last condition on the way
	results map[ast.Expr]callResult
}

// A callResult is what a call (or a receive) of the statement at hand returned.
type callResult struct {
	values []value      // by result; nil where there is nothing of the body
	zero   map[int]bool // results known to be nil or false (true), or known not to be (false)
	links  map[int]effect
}

func (t *tuple) clone() *tuple {
	c := *t
	return &c
}

// get returns what is held at p.
func (t *tuple) get(p place) value {
	var all value
	for q, h := range t.vars {
		if q.v == p.v {
			all = append(all, entry{q.path, h})
		}
	}
	if all == nil {
		return nil
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	v := all.at(p.path)
	if v.kind() == nothing && len(v) > 0 && v[0].path == "" {
		return nil
	}
	return v
}

// set returns t with v at p.
func (t *tuple) set(p place, v value) *tuple {
	below := func(q place, _ handle) bool {
		if q.v != p.v {
			return false
		}
		_, ok := cutPath(q.path, p.path)
		return ok
	}
	changed := len(v) > 0
	for q := range t.vars {
		changed = changed || below(q, handle{})
	}
	parent, name, isField := lastField(p.path)
	hides := isField && responseField(name) != nothing && t.vars[place{p.v, parent}].kind == response
	if !changed && !hides {
		return t
	}
	t = t.clone()
	t.vars = maps.Clone(t.vars)
	if t.vars == nil {
		t.vars = make(map[place]handle)
	}
	maps.DeleteFunc(t.vars, below)
	for _, e := range v {
		path := p.path + e.path
		if strings.Count(path, ".") > maxFields {
			return t.with(t.read, escaped)
		}
		t.vars[place{p.v, path}] = e.handle
	}
	if hides && len(v) == 0 {
		t.vars[p] = handle{kind: nothing}
	}
	return t
}

// assigned returns t after a value about which nothing is known was put into v:
// what was known of v is forgotten.
func (t *tuple) assigned(v *types.Var, depends func(key string, v *types.Var) bool) *tuple {
	c := t
	if slices.ContainsFunc(t.links, func(l link) bool { return l.v == v }) {
		c = c.clone()
		c.links = slices.DeleteFunc(slices.Clone(c.links), func(l link) bool { return l.v == v })
	}
	for key := range t.facts {
		if depends(key, v) {
			c = c.clone()
			c.facts = maps.Clone(c.facts)
			maps.DeleteFunc(c.facts, func(key string, _ bool) bool { return depends(key, v) })
			break
		}
	}
	return c
}

// assume returns t with the condition key known, or false if t knows better.
func (t *tuple) assume(key string, truth bool) (*tuple, bool) {
	if known, ok := t.facts[key]; ok {
		return t, known == truth
	}
	if lhs, _, ok := strings.Cut(key, "=="); ok && truth {
		for other, known := range t.facts {
			if l, r, ok := strings.Cut(other, "=="); ok && known && l == lhs && isConst(r) && isConst(key[len(lhs)+2:]) {
				return t, false // equal to another constant already
			}
		}
	}
	t = t.clone()
	t.facts = maps.Clone(t.facts)
	if t.facts == nil {
		t.facts = make(map[string]bool)
	}
	t.facts[key] = truth
	return t, true
}

// with returns t with the body's state changed.
func (t *tuple) with(read Progress, f fate) *tuple {
	if t.read == read && t.fate == f {
		return t
	}
	t = t.clone()
	t.read, t.fate = read, f
	return t
}

// key returns what keeps t apart from other tuples.
func (t *tuple) key(id func(any) int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d%d%t%t%t%t%t", t.read, t.fate, t.bodyless, t.old, t.lent, t.streaming, t.status.bodyless())
	if t.fate == open || t.lent {
		vars := make([]string, 0, len(t.vars))
		for p, h := range t.vars {
			vars = append(vars, fmt.Sprintf("%d%s:%d", id(p.v), p.path, h.kind))
		}
		slices.Sort(vars)
		fmt.Fprint(&b, vars)
		for _, l := range t.links {
			fmt.Fprintf(&b, "/%d:%d", id(l.v), l.effect)
		}
	}
	for _, d := range t.defers {
		fmt.Fprintf(&b, "+%d", id(d.stmt))
	}
	known := make([]string, 0, len(t.results))
	for call, r := range t.results {
		if zero, ok := r.zero[0]; ok {
			known = append(known, fmt.Sprintf("=%d:%t", id(call), zero))
		}
	}
	slices.Sort(known)
	return b.String() + strings.Join(known, "")
}

// merge returns the tuple for the paths of both x and y, which have the same key.
func merge(x, y *tuple) *tuple {
	m := x.clone()
	m.facts = nil
	for key, truth := range x.facts {
		if other, ok := y.facts[key]; ok && other == truth {
			if m.facts == nil {
				m.facts = make(map[string]bool)
			}
			m.facts[key] = truth
		}
	}
	m.status = x.status.union(y.status)
	m.lengths |= y.lengths
	m.branch = min(x.branch, y.branch)
	m.results = nil
	return m
}

// covers reports whether x says no more than y, so that merging y into it
// changes nothing.
func (x *tuple) covers(y *tuple) bool {
	for key, truth := range x.facts {
		if other, ok := y.facts[key]; !ok || other != truth {
			return false
		}
	}
	return x.status.union(y.status) == x.status && x.lengths|y.lengths == x.lengths
}

// A set is the tuples at a point, by key.
type set map[string]*tuple

// codes is a set of status codes, 0 to 639.
type codes [10]uint64

// allCodes are those a client call can return: 101, and 200 to 599.
func allCodes() codes {
	var c codes
	c.add(101)
	for code := 200; code < 600; code++ {
		c.add(code)
	}
	return c
}

func (c *codes) add(code int) { c[code/64] |= 1 << (code % 64) }

func (c codes) has(code int) bool { return c[code/64]&(1<<(code%64)) != 0 }

func (c codes) union(d codes) codes {
	for i := range c {
		c[i] |= d[i]
	}
	return c
}

// filter returns the codes for which keep is true.
func (c codes) filter(keep func(code int) bool) codes {
	var kept codes
	for code := range len(c) * 64 {
		if c.has(code) && keep(code) {
			kept.add(code)
		}
	}
	return kept
}

// bodyless reports whether none of the codes comes with a body: 1xx, 204 and
// 304 (RFC 9110, section 6.4.1); net/http hands out http.NoBody for them.
func (c codes) bodyless() bool {
	for i, word := range withBody {
		if c[i]&word != 0 {
			return false
		}
	}
	return true
}

// withBody are the codes that may come with a body.
var withBody = allCodes().filter(hasBody)

// hasBody reports whether a response with the code may have a body.
func hasBody(code int) bool { return code >= 200 && code != 204 && code != 304 }

// lengths is a set of content lengths, told apart as far as it matters.
type lengths uint8

const (
	unknownLength lengths = 1 << iota // -1: chunked, or until the connection's end
	noLength                          // 0
	shortLength                       // no larger than the bounds that the code compares with
	longLength                        // larger than those
	allLengths    = unknownLength | noLength | shortLength | longLength
)

// sample returns a length of each class.
func (l lengths) sample() int64 {
	switch l {
	case unknownLength:
		return -1
	case noLength:
		return 0
	case shortLength:
		return 1
	}
	return 1 << 50
}

// nothingToRead reports whether a body of one of these lengths is empty, or too
// long for the code that asked, which leaves it on purpose.
func (l lengths) nothingToRead() bool { return l&(unknownLength|shortLength) == 0 }
