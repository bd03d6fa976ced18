package resend

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/flow"
)

// A site is a place that sends, reached by certain calls.
type site struct {
	key   string
	calls []ast.Node
}

// An Errs is a set of the ways in which a request fails without a response.
type Errs uint8

const (
	Dial     Errs = 1 << iota // no connection: nothing was sent
	Timeout                   // no answer in time
	Canceled                  // the context was cancelled
	Broken                    // the connection broke
	allErrs  = Dial | Timeout | Canceled | Broken
)

// A Statuses is a set of statuses, by their place in someStatuses.
type Statuses uint64

// someStatuses stand for all that are answered.
var someStatuses = [...]int{
	200, 201, 202, 204, 206, 226,
	301, 302, 303, 304, 307, 308,
	400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 415, 416, 422, 423, 424, 425, 428, 429, 451, 499,
	500, 501, 502, 503, 504, 507, 520, 529, 599,
}

const allStatuses = Statuses(1)<<len(someStatuses) - 1

// Where returns the statuses for which is reports true.
func (s Statuses) Where(is func(int) bool) Statuses {
	for i, status := range someStatuses {
		if s&(1<<i) != 0 && !is(status) {
			s &^= 1 << i
		}
	}
	return s
}

// A ref is a place that holds a value: a variable, or a part of one, or of an object.
type ref struct {
	obj  any // a *types.Var, *site, *ast.CompositeLit, *ast.CallExpr or bodyOf
	path string
}

// A bodyOf is the body of a request that came in a variable.
type bodyOf struct{ v any }

// A kind says what a value is.
type kind uint8

const (
	unknown kind = iota
	isNil
	nonNil
	constant_  // s is the constant
	errOf      // the error of the site obj
	respOf     // its response
	statusOf   // its status
	request    // obj made it, or is the variable that it came in
	reader     // likewise
	function   // obj is the *ast.FuncLit or *ast.FuncDecl
	object     // obj is the composite literal
	bits       // n is a set
	wrappedErr // an error given to the function s of a library
	madeErr    // made anew
	sentinel   // the error that the variable obj holds
	buildErr   // of the call obj, which made no request
	given      // the operand n of the function that is summarized, or the method of that request
	answerOf   // what was read of the response of the site obj
	readErr    // the error of reading it, or of taking it apart
)

// A val is what is known of a value.
type val struct {
	k   kind
	s   string
	obj any
	n   uint64
}

// A world is what holds on some paths. It is never modified once it is in a state.
type world struct {
	m     map[ref]val // changed by put alone
	sleep *Sleep      // the last wait that nothing can end
	doubt bool        // something unknown was asked about a failure
	sum   uint64      // of the hashes of what m holds
}

// newWorld returns the world in which nothing is known.
func newWorld() *world { return &world{m: map[ref]val{}} }

// clone returns a copy to be modified.
func (w *world) clone() *world {
	c := *w
	c.m = make(map[ref]val, len(w.m)+2)
	for k, v := range w.m {
		c.m[k] = v
	}
	return &c
}

// get returns the value of a place.
func (w *world) get(r ref) val { return w.m[r] }

// with returns the world with the value of a place set, or forgotten.
func (w *world) with(r ref, v val) *world {
	if w.m[r] == v {
		return w
	}
	c := w.clone()
	c.put(r, v)
	return c
}

// put sets the value of a place in a world that is being made.
func (w *world) put(r ref, v val) {
	if old, ok := w.m[r]; ok {
		w.sum -= hash(r, old)
		delete(w.m, r)
	}
	if v.k != unknown {
		w.sum += hash(r, v)
		w.m[r] = v
	}
}

// forget forgets the value of a place in a world that is being made.
func (w *world) forget(r ref) { w.put(r, val{}) }

// hash returns the hash of a place that holds v.
func hash(r ref, v val) uint64 {
	return flow.Hash(struct {
		r ref
		v val
	}{r, v})
}

// assign returns the world after an assignment to a place: what was known of its
// parts, and of what came in them, is forgotten.
func (w *world) assign(r ref, v val) *world {
	c := w
	for k := range w.m {
		if isPart(k, r) {
			if c == w {
				c = w.clone()
			}
			c.forget(k)
		}
	}
	return c.with(r, v)
}

// isPart reports whether k is a part of r, or of what came in r or in a part of it.
func isPart(k, r ref) bool {
	switch obj := k.obj.(type) {
	case ref:
		return isVar(r.obj) && obj.obj == r.obj && strings.HasPrefix(obj.path, r.path)
	case bodyOf:
		if inner, ok := obj.v.(ref); ok {
			return isPart(ref{inner, ""}, r)
		}
		return obj.v == r.obj && r.path == ""
	}
	return isVar(r.obj) && k.obj == r.obj && k.path != r.path && strings.HasPrefix(k.path, r.path)
}

// isVar reports whether obj is a variable.
func isVar(obj any) bool {
	_, ok := obj.(*types.Var)
	return ok
}

// sent returns the sites that sent a request, in no order.
func (w *world) sent() (sites []*site) {
	for r := range w.m {
		if s, ok := r.obj.(*site); ok && r.path == "#sent" {
			sites = append(sites, s)
		}
	}
	return sites
}

// unsent returns the world as if no request had been sent.
func (w *world) unsent() *world {
	c := w
	for _, s := range w.sent() {
		c = c.with(ref{s, "#sent"}, val{})
	}
	return c
}

// rewound returns the world as if no reader had been read: after one was rewound that
// others may read from.
func (w *world) rewound() *world {
	c := w
	for r := range w.m {
		if r.path == "#used" {
			c = c.with(r, val{})
		}
	}
	return c
}

// buffer returns the world after an empty buffer was made.
func (w *world) buffer(made ast.Node) *world {
	return w.with(ref{made, "#used"}, val{}).with(ref{made, "#empty"}, val{k: nonNil})
}

// filled returns the world after something was written to a buffer, perhaps.
func (w *world) filled(buf any) *world {
	return w.with(ref{buf, "#used"}, val{}).with(ref{buf, "#empty"}, val{})
}

// waited returns the world after some time has passed.
func (w *world) waited() *world {
	c := w
	for _, s := range w.sent() {
		c = c.with(ref{s, "#waited"}, val{k: nonNil})
	}
	return c
}

// A worldID tells worlds apart.
type worldID struct {
	sum   uint64
	sleep ast.Node
	doubt bool
}

// id returns what tells w from other worlds.
func (w *world) id() worldID {
	id := worldID{sum: w.sum, doubt: w.doubt}
	if w.sleep != nil {
		id.sleep = w.sleep.At
	}
	return id
}

// A state is a set of worlds.
type state []*world

// equal reports whether s and t are the same worlds.
func (s state) equal(t state) bool {
	return len(s) == len(t) && !slices.ContainsFunc(s, func(w *world) bool { return !t.has(w) })
}

// has reports whether s has a world that is like w.
func (s state) has(w *world) bool {
	return slices.ContainsFunc(s, func(x *world) bool { return x.id() == w.id() })
}

// maxWorlds bounds the worlds of a state.
const maxWorlds = 80

// join returns the worlds of the set x and of the list y.
func (e *engine) join(x state, y []*world) state {
	if len(x) == 0 && len(y) == 1 {
		return y
	}
	out := slices.Clip(x)
	for _, w := range y {
		if !out.has(w) {
			out = append(out, w)
		}
	}
	if len(out) > maxWorlds {
		e.overflow = true
		out = out[:maxWorlds]
	}
	return out
}

// flatMap returns the worlds that f makes of each.
func (e *engine) flatMap(s state, f func(*world) state) state {
	var out state
	same := true
	for _, w := range s {
		next := f(w)
		same = same && len(next) == 1 && next[0] == w
		out = e.join(out, next)
	}
	if same {
		return s
	}
	return out
}
