package relays

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A kind says what a value has of an upstream's response, or that it is another
// thing that is followed.
type kind uint8

const (
	response kind = iota
	body          // the body, as a reader, bytes or text
	piece         // a line of it, or as much as one Read gives
	decoded       // what the whole body was decoded to
	part          // a part of that: what is answered with it is computed
	header        // the header, or a value in it
	status        // the status, as a number, a text or an error
	failure       // an error that is nil if the response is there
	own           // the server's own client, or what writes to it
	number        // a constant number: from is its value
	problem       // an error that is not nil
)

// ofResponse reports whether what is of kind k is of the response from which it is.
func (k kind) ofResponse() bool { return k <= status }

// sent reports whether to send a value of kind k is to send the body.
func (k kind) sent() bool { return k == body || k == piece || k == decoded }

// A holding is one thing that a value holds, in the field at path.
type holding struct {
	path string
	kind kind
	from int // the origin of a response; the parameter of an own client, or ownParam
}

// ownParam is the origin of an own client that is no parameter.
const ownParam = -1

// A value is what is known of a value, sorted and without duplicates.
type value []holding

// valueOf sorts and compacts v.
func valueOf(v value) value {
	slices.SortFunc(v, func(x, y holding) int {
		return cmp.Or(strings.Compare(x.path, y.path), cmp.Compare(x.kind, y.kind), cmp.Compare(x.from, y.from))
	})
	return slices.Compact(v)
}

// join returns what v and w hold.
func (v value) join(w value) value {
	switch {
	case len(w) == 0:
		return v
	case len(v) == 0:
		return w
	}
	return valueOf(slices.Concat(v, w))
}

// filter returns the holdings of v that keep accepts.
func (v value) filter(keep func(holding) bool) value {
	if !slices.ContainsFunc(v, func(h holding) bool { return !keep(h) }) {
		return v
	}
	var out value
	for _, h := range v {
		if keep(h) {
			out = append(out, h)
		}
	}
	return out
}

// under returns v as what lies in the field at path.
func (v value) under(path string) value {
	if path == "" {
		return v
	}
	var out value
	for _, h := range v {
		if strings.Count(h.path, ".") >= maxFields || h.kind >= failure && h.kind != own && (h.kind != number || path+h.path != ".StatusCode") {
			continue
		}
		h.path = path + h.path
		out = append(out, h)
	}
	return valueOf(out)
}

// at returns what lies in v in the field at path, as far as it was put there.
func (v value) at(path string) value {
	var out value
	for _, h := range v {
		if rest, ok := strings.CutPrefix(h.path, path); ok && (rest == "" || rest[0] == '.') {
			h.path = rest
			out = append(out, h)
		}
	}
	return valueOf(out)
}

// flat returns v with all that it holds at its top.
func (v value) flat() value {
	if !slices.ContainsFunc(v, func(h holding) bool { return h.path != "" }) {
		return v
	}
	out := slices.Clone(v)
	for i := range out {
		out[i].path = ""
	}
	return valueOf(out)
}

// as returns the things of the response in v, at its top, as things of kind k.
func (v value) as(k kind) value {
	var out value
	for _, h := range v {
		if h.kind.ofResponse() {
			out = append(out, holding{"", k, h.from})
		}
	}
	return valueOf(out)
}

// data returns the body in v, in whatever field, at its top.
func (v value) data() value { return v.flat().filter(func(h holding) bool { return h.kind.sent() }) }

// only returns the holdings of kind k at the top of v.
func (v value) only(k kind) value {
	return v.filter(func(h holding) bool { return h.kind == k && h.path == "" })
}

// has reports whether v holds something of kind k, in whatever field.
func (v value) has(k kind) bool {
	return slices.ContainsFunc(v, func(h holding) bool { return h.kind == k })
}

// An answer is the status that the own client gets: a constant, of a parameter, or
// one of these.
type answer int

const (
	implied answer = 0  // nobody set one: 200
	other   answer = -1 // the upstream's, or one that is not known
)

// ofParam is the answer of an int parameter, and back.
func ofParam(param int) answer { return answer(-2 - param) }

func (a answer) param() (int, bool) { return int(-2 - a), a <= -2 }

// good reports whether a tells the client that all is well.
func (a answer) good() bool { return a == implied || a >= 200 && a < 300 }

// A world is what is known on one path. It is modified only by who made it.
type world struct {
	held   map[*types.Var]value
	conds  map[string]bool // the conditions known to hold, or not to
	looked uint64          // bits: the origins whose status was looked at
	defers uint64          // likewise, by deferred calls
	answer answer
	by     ast.Expr // what set the answer, if that is known
	wrote  bool     // something was sent to the own client
	later  []*sending
	key    string // made by id
}

// clone returns a copy of w, to be modified.
func (w *world) clone() *world {
	return &world{held: maps.Clone(w.held), conds: w.conds, looked: w.looked, defers: w.defers, answer: w.answer, by: w.by, wrote: w.wrote, later: w.later}
}

// id returns the key of w, which says all that w says, once it is of a state.
func (w *world) id() string {
	if w.key != "" {
		return w.key
	}
	key := make([]byte, 0, 128)
	add := func(n int64) { key = append(strconv.AppendInt(key, n, 36), ' ') }
	add(int64(w.looked))
	add(int64(w.defers))
	add(int64(w.answer))
	key = strconv.AppendBool(key, w.wrote)
	for _, v := range slices.SortedFunc(maps.Keys(w.held), func(x, y *types.Var) int { return int(x.Pos() - y.Pos()) }) {
		key = append(key, '\n')
		add(int64(v.Pos()))
		for _, h := range w.held[v] {
			key = append(append(key, h.path...), ' ')
			add(int64(h.kind))
			add(int64(h.from))
		}
	}
	for _, c := range slices.Sorted(maps.Keys(w.conds)) {
		key = strconv.AppendBool(append(append(key, '\n'), c...), w.conds[c])
	}
	if w.by != nil {
		key = append(key, '\n', '=')
		add(int64(w.by.Pos()))
	}
	for _, l := range w.later {
		key = append(key, '\n')
		add(int64(l.call.Pos()))
	}
	w.key = string(key)
	return w.key
}

// unchanged reports whether w, made as a copy of old, still says what that says.
func (w *world) unchanged(old *world) bool {
	return w.looked == old.looked && w.defers == old.defers && w.answer == old.answer && w.by == old.by && w.wrote == old.wrote &&
		len(w.conds) == len(old.conds) && len(w.later) == len(old.later) &&
		maps.EqualFunc(w.held, old.held, slices.Equal[value])
}

// set makes v hold what val says, at path.
func (w *world) set(v *types.Var, path string, val value) {
	old := w.held[v]
	if path != "" {
		old = old.filter(func(h holding) bool {
			rest, in := strings.CutPrefix(h.path, path)
			return !in || rest != "" && rest[0] != '.'
		})
		val = old.join(val.under(path))
	}
	w.put(v, val)
}

// add makes v hold what val says, at path, beside what it holds.
func (w *world) add(v *types.Var, path string, val value) {
	w.put(v, w.held[v].join(val.under(path)))
}

func (w *world) put(v *types.Var, val value) {
	if len(val) == 0 {
		delete(w.held, v)
		return
	}
	if w.held == nil {
		w.held = make(map[*types.Var]value)
	}
	w.held[v] = val
}

// drop forgets all that is of an origin.
func (w *world) drop(origin int) {
	for v, val := range w.held {
		w.put(v, val.filter(func(h holding) bool { return h.from != origin || h.kind > failure }))
	}
}

// look notes that the status of the responses in v was looked at.
func (w *world) look(v value) {
	for _, h := range v {
		if h.kind.ofResponse() {
			w.looked |= 1 << h.from
		}
	}
}

func (w *world) hasLooked(origin int) bool { return w.looked&(1<<origin) != 0 }

// merge makes one world of those of several paths, for code that runs in the middle
// of another's statement. What was looked at on one is taken to be looked at.
func merge(worlds []*world) *world {
	out := worlds[0].clone()
	for _, w := range worlds[1:] {
		for v, val := range w.held {
			out.put(v, out.held[v].join(val))
		}
		out.looked |= w.looked
		out.defers |= w.defers
		out.wrote = out.wrote || w.wrote
		if out.answer != w.answer {
			out.answer = other
		}
		if out.by != w.by {
			out.by = nil
		}
		for _, l := range w.later {
			if !slices.Contains(out.later, l) {
				out.later = append(slices.Clip(out.later), l)
			}
		}
	}
	return out
}

// A state is the worlds in which a point can be reached, sorted by key. A lost one
// knows nothing.
type state struct {
	worlds []*world
	lost   bool
}

// Bounds: what exceeds them is left alone.
const (
	maxWorlds  = 64
	maxOrigins = 60
	maxSteps   = 40000
	maxDepth   = 6
	maxFields  = 3 // in the path of a holding
)

// stateOf returns the state of worlds, which it may reorder.
func stateOf(worlds []*world) state {
	slices.SortFunc(worlds, func(x, y *world) int { return cmp.Compare(x.id(), y.id()) })
	worlds = slices.CompactFunc(worlds, func(x, y *world) bool { return x == y || x.id() == y.id() })
	if len(worlds) > maxWorlds {
		return state{lost: true}
	}
	return state{worlds: worlds}
}
