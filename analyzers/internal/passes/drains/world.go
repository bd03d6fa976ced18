package drains

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
)

// A kind says what a value is.
type kind uint8

const (
	unknown  kind = iota // with an identity all the same: a server, a group, a struct
	isNil                // nil
	isBool               // true or false
	isNumber             // a whole number, or a duration
	isClosed             // http.ErrServerClosed
	isError              // another error, not nil
	isContext
	isCancel // ends the context parent
	isChan
	isFunc
)

// A how says how a context ends, or what a channel is.
type how uint8

const (
	other      how = iota // not known: a parameter, a field
	background            // a context that never ends
	bySignal              // of signal.NotifyContext; or a channel of signals
	byCancel
	byDeadline
	byGroup // of errgroup.WithContext
	kept    // as its parent, but without its end: context.WithoutCancel, a value
	doneOf  // a channel: closed when the context parent is done
	timer   // a channel: of time.After
	made    // a channel: made here
)

// A value is what an expression evaluates to. Values are immutable.
type value struct {
	kind   kind
	how    how
	id     string        // two values of one id are one thing
	parent *value        // a context's parent; the context of a cancel or a Done; a method value's receiver
	n      int64         // a number; how long a context or timer has, -1 if not known
	at     time.Duration // of a context: the world's clock when it was made
	node   ast.Node      // a function: *ast.FuncLit or *ast.FuncDecl; a context: what made it
	fn     *types.Func   // a declared function
	typ    types.Type    // its type, as far as it is known
	values []*value      // the elements of a list
}

// A valueKey tells values apart.
type valueKey struct {
	kind kind
	id   string
	n    int64
}

// key returns what tells v from other values in a world.
func (v *value) key() valueKey {
	n := v.n
	if v.kind == isContext {
		n = int64(v.at)
	}
	return valueKey{v.kind, v.id, n}
}

// endless reports whether nothing but its own time, or a cancel in view, ends the
// context v.
func (v *value) endless() bool {
	for c := v; c != nil; c = c.parent {
		switch c.how {
		case other, bySignal, byGroup:
			return false
		case background:
			return true
		}
	}
	return true
}

// A deferred is a deferred call, its operands evaluated.
type deferred struct {
	stmt *ast.DeferStmt
	fun  *value
	args []*value
}

// A world is what is known on some of the paths to a point of a goroutine. It is
// never modified once it was handed on.
type world struct {
	env     map[string]*value    // by place: a variable, or a field of a thing; changed by set alone
	facts   map[string]token.Pos // what has happened, and where; changed by add and drop alone
	sum     uint64               // of the hashes of the entries of both
	defers  []deferred           // of the function at hand
	results []*value             // of the function that returned
	threads []*thread            // goroutines started so far
	clock   time.Duration        // how long the drain has taken, at most
}

func newWorld() *world {
	return &world{env: make(map[string]*value), facts: make(map[string]token.Pos)}
}

// clone returns a copy of w to modify.
func (w *world) clone() *world {
	c := *w
	return &c
}

// An entry is a place with the key of its value.
type entry struct {
	place string
	key   valueKey
}

// set returns w with v in place.
func (w *world) set(place string, v *value) *world {
	old := w.env[place]
	if place == "" || old == v || old != nil && v != nil && old.key() == v.key() {
		return w
	}
	w = w.clone()
	w.env = maps.Clone(w.env)
	if old != nil {
		w.sum -= flow.Hash(entry{place, old.key()})
		delete(w.env, place)
	}
	if v != nil {
		w.sum += flow.Hash(entry{place, v.key()})
		w.env[place] = v
	}
	return w
}

// add returns w with a fact.
func (w *world) add(fact string, pos token.Pos) *world {
	if w.has(fact) {
		return w
	}
	w = w.clone()
	w.facts = maps.Clone(w.facts)
	w.facts[fact] = pos
	w.sum += flow.Hash(fact)
	return w
}

// drop returns w without a fact.
func (w *world) drop(fact string) *world {
	if !w.has(fact) {
		return w
	}
	w = w.clone()
	w.facts = maps.Clone(w.facts)
	delete(w.facts, fact)
	w.sum -= flow.Hash(fact)
	return w
}

// has reports whether a fact holds in w.
func (w *world) has(fact string) bool {
	_, ok := w.facts[fact]
	return ok
}

// learn returns w with the facts of another goroutine's point that comes before.
func (w *world) learn(facts map[string]token.Pos) *world {
	for _, fact := range slices.Sorted(maps.Keys(facts)) {
		if !strings.HasPrefix(fact, "sent:") { // Have: what was sent is an event.
			w = w.add(fact, facts[fact])
		}
	}
	return w
}

// tick returns w after at most d more.
func (w *world) tick(d time.Duration) *world {
	w = w.clone()
	w.clock += d
	return w
}

// id returns what tells w from other worlds.
func (w *world) id() uint64 {
	id := w.sum
	mix := func(h uint64) { id = id*31 + h }
	for _, d := range w.defers {
		mix(flow.Hash(d.stmt))
	}
	for _, t := range w.threads {
		mix(flow.Hash(t))
	}
	for _, v := range w.results {
		mix(flow.Hash(v.key()))
	}
	mix(flow.Hash(w.clock))
	return id
}

// maxWorlds bounds the worlds at a point. Those beyond are forgotten, so that what
// happens in them is not seen.
const maxWorlds = 48

// A state is a set of worlds, in the order in which they were found.
type state []*world

// stateOf returns the set of worlds.
func stateOf(worlds []*world) state { return state(nil).join(worlds) }

// each returns the worlds that f makes of those of s.
func (s state) each(f func(w *world) []*world) state {
	var out []*world
	for _, w := range s {
		out = append(out, f(w)...)
	}
	return stateOf(out)
}

// join returns the worlds of s and t. Those of s stay when there are too many.
func (s state) join(t []*world) state {
	if len(s)+len(t) < 2 {
		return append(slices.Clip(s), t...)
	}
	s = slices.Clip(s)
	known := make(map[uint64]bool)
	for _, w := range s {
		known[w.id()] = true
	}
	for _, w := range t {
		if id := w.id(); len(s) < maxWorlds && !known[id] {
			known[id] = true
			s = append(s, w)
		}
	}
	return s
}

// equal reports whether s and t are the same worlds.
func (s state) equal(t state) bool {
	return slices.EqualFunc(s, t, func(x, y *world) bool { return x.id() == y.id() })
}

// An outcome is what an expression evaluates to, and the world after.
type outcome struct {
	w      *world
	v      *value   // never nil
	values []*value // of a call of several results
}

// A thread is a goroutine, as it was found to run from where it is started.
type thread struct {
	id     string
	timed  bool       // it starts after some time, if at all
	defers []deferred // of the function that starts it
	kids   []*thread  // goroutines that it starts
	events []event    // what others can wait for
	shuts  []*shutdown
}

// An event is what one goroutine does and another may wait for.
type event struct {
	id    string // of the statement, in this goroutine
	what  string // "send:", "close:", "done:", "cancel:" and an id
	v     *value
	on    *types.Var // the channel or group, if it is a field or variable
	world *world
	by    *thread
}

// facts returns what is known once e has happened: what was so then, and that a shutdown
// is through which only another way to such an event has behind it. On this way it has
// not begun.
func (e event) facts() map[string]token.Pos {
	facts := maps.Clone(e.world.facts)
	for _, other := range e.by.events {
		if other.what != e.what {
			continue
		}
		for fact, pos := range other.world.facts {
			if strings.HasPrefix(fact, "back:") {
				facts[fact] = pos
			}
		}
	}
	return facts
}

// A shutdown is a call that shuts down a server.
type shutdown struct {
	id     string
	server string
	ctx    *value // nil if it has none
	site   site
	thread *thread
	world  *world
}

// A site is a node and the calls that lead to it.
type site struct {
	node  ast.Node
	stack []frame
}

// A frame is a function that is being followed, and the call that it was entered by.
type frame struct {
	fn   ast.Node // *ast.FuncDecl or *ast.FuncLit
	call ast.Node
}

// all calls yield for t and the goroutines that it starts.
func (t *thread) all(yield func(*thread)) {
	yield(t)
	for _, kid := range t.kids {
		kid.all(yield)
	}
}

// eventsOf returns the events of one kind in the goroutines that w knows.
func (w *world) eventsOf(what string) (found []event) {
	for _, t := range w.threads {
		t.all(func(t *thread) {
			for _, e := range t.events {
				if e.what == what {
					found = append(found, e)
				}
			}
		})
	}
	return found
}
