package keyflow

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// flags say where a value comes from: a set.
type flags uint8

const (
	outside flags = 1 << iota // made before the round, or the same in all rounds
	zero                      // with outside: "" or nil
	carried                   // what the round before left
	made                      // made in this round
	unknown
	anew // with made: whenever the function that carries it is called
)

// An origin says where a value, or the key that an object carries, comes from. The
// zero origin is that of no key.
type origin struct {
	flags flags
	raw   uint64 // parameters whose value it may be; bit 0 is the receiver
	path  string // the field of them that it is, or fields, with commas; "" for the whole
	key   uint64 // parameters whose key it may be
	site  *site  // if made: where, the first of several
}

// A site is where a value is made, and set as a key.
type site struct {
	siteKey
	count bool // the number of the attempt
	clock bool // a time
}

type siteKey struct {
	maker, set ast.Node
	name       string // of the maker, or of the function called that makes it
}

// site returns the site of a maker.
func (c *checker) site(s site) *site {
	if old, ok := c.sites[s.siteKey]; ok {
		return old
	}
	c.sites[s.siteKey] = &s
	return &s
}

func (o origin) none() bool { return o == origin{} }

// isMade reports whether the value is made in the round, or else is one and the
// same from outside.
func (o origin) isMade() bool {
	return o.flags&made != 0 && o.flags&(carried|unknown) == 0 && o.raw == 0 && o.key == 0
}

// with returns the union of two origins.
func (o origin) with(p origin) origin {
	u := origin{o.flags | p.flags, o.raw | p.raw, o.path, o.key | p.key, o.site}
	if o.raw == 0 {
		u.path = p.path
	} else if p.raw == o.raw {
		u.path = joinPaths(o.path, p.path)
	} else if p.raw != 0 {
		u.path = ""
	}
	if o.site == nil || p.site != nil && (p.site.maker.Pos() < o.site.maker.Pos() || p.site.maker.Pos() == o.site.maker.Pos() && before(p.site.set, o.site.set)) {
		u.site = p.site
	}
	return u
}

// maxFields bounds the fields of which a value is known to be put together.
const maxFields = 6

// joinPaths returns the union of two lists of fields.
func joinPaths(a, b string) string {
	if a == b || a == "" || b == "" {
		return a[:min(len(a), len(b))]
	}
	fields := slices.Concat(strings.Split(a, ","), strings.Split(b, ","))
	slices.Sort(fields)
	if fields = slices.Compact(fields); len(fields) > maxFields {
		return ""
	}
	return strings.Join(fields, ",")
}

// beside returns the origin of the key of an object that holds two others: if one
// of their keys is made here, so is the object's.
func (o origin) beside(p origin) origin {
	switch {
	case o.isMade():
		return o
	case p.isMade():
		return p
	}
	return o.with(p)
}

func before(x, y ast.Node) bool {
	return x != nil && (y == nil || x.Pos() < y.Pos())
}

// A value is what is known of an expression.
type value struct {
	raw   origin // of the value itself
	key   origin // of the key that it carries
	born  bool   // it is an object that was made in this round, without a key unless key says so
	other *site  // a name or the like in it is made in this round, too
}

func (v value) with(w value) value {
	u := value{v.raw.with(w.raw), v.key.with(w.key), v.born && w.born, v.other}
	if u.other == nil {
		u.other = w.other
	}
	return u
}

// A place is a variable, or the field of one.
type place struct {
	root *types.Var
	path string
}

// A gate is an outcome of a condition.
type gate struct {
	cond  ast.Expr
	truth bool
	root  *types.Var // the object whose key was asked for; nil if another thing was asked
	born  bool       // that object had been made in this round
}

// A state is what holds at a point. It is immutable; see work.
type state struct {
	in    bool
	vars  map[place]value
	gates []gate
}

// A work is a state that is being changed.
type work struct {
	state
	owned bool
}

func (w *work) set(p place, v value) {
	if !w.owned {
		w.vars = maps.Clone(w.vars)
		if w.vars == nil {
			w.vars = make(map[place]value)
		}
		w.owned = true
	}
	w.vars[p] = v
}

// forget drops what is known of the fields of a variable.
func (w *work) forget(root *types.Var) {
	for p := range w.vars {
		if p.root == root && p.path != "" {
			w.set(place{root, ""}, w.vars[place{root, ""}])
			delete(w.vars, p)
		}
	}
}

func (s state) equal(t state) bool {
	return s.in == t.in && maps.Equal(s.vars, t.vars) && slices.Equal(s.gates, t.gates)
}
