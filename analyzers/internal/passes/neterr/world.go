package neterr

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
)

// A place is where a value lies: a variable, or a field of one.
type place struct {
	root, field *types.Var
}

// A value is what a place holds, as far as it is known: an error, a truth, a status
// or a class.
type value struct {
	err    token.Pos // the failure in world.errs; or NoPos
	truth  truth     // of a bool
	status Status    // or zero
	class  class     // or empty

	// part is the field of a result, a struct, that holds the error.
	part *types.Var
}

// A truth says what is known of a bool.
type truth uint8

const (
	unknown truth = iota
	yes
	no
	vague // it may say whether somebody timed out
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// A Status is a status code that the program chose.
type Status struct {
	Code int64
	Pos  token.Pos // of the expression that names it
}

// A Failure is what is known of one error.
type Failure struct {
	Set Set

	// Why is where it came to be known that the error is a failure of the
	// network: a question that says so, or the call that failed. NoPos: it is
	// not known.
	Why token.Pos

	// Excused says that something was asked which may well have been whether
	// it is a timeout.
	Excused bool

	// name is that of the program's own error as which a function returns it.
	name string

	// from is the parameter, a function, that failed with it: 1 for the first.
	from int

	generic generic // what a generic function asked
}

// open reports whether f is known to be a failure of the network.
func (f Failure) open() bool { return f.Why.IsValid() && f.Set&None == 0 }

// wrong reports whether to answer f as a timeout is wrong.
func (f Failure) wrong() bool { return f.open() && !f.Excused && f.Set&Dial != 0 }

// A generic is the question for a type, or for a value, that only the caller of a
// function knows, and its answer.
type generic struct {
	Kind  genericKind
	Index int // of the type parameter, or of the parameter
	Yes   bool
}

type genericKind uint8

const (
	noGeneric  genericKind = iota
	typeParam              // is it a T?
	asTarget               // errors.As(err, target)
	isSentinel             // errors.Is(err, sentinel)
)

// A world is what is known on one path. It is never modified once it is made, but
// for its key.
type world struct {
	vals map[place]value
	errs map[token.Pos]Failure
	key  string // made by id
}

// id returns the key of w, which says all that w says.
func (w *world) id() string {
	if w.key != "" || len(w.vals)+len(w.errs) == 0 {
		return w.key
	}
	key := make([]byte, 0, 128)
	add := func(n int64) { key = append(strconv.AppendInt(key, n, 36), ' ') }
	for _, p := range slices.SortedFunc(maps.Keys(w.vals), comparePlaces) {
		v := w.vals[p]
		key = append(append(key, fieldName(p)...), ' ')
		add(int64(p.root.Pos()))
		add(int64(v.err))
		add(int64(v.truth))
		add(int64(v.status.Pos))
		key = append(append(key, v.class...), ' ')
	}
	for _, id := range slices.Sorted(maps.Keys(w.errs)) {
		f := w.errs[id]
		key = append(key, '\n')
		add(int64(id))
		add(int64(f.Set))
		add(int64(f.Why))
		key = append(strconv.AppendBool(key, f.Excused), f.name...)
		add(int64(f.from))
		add(int64(f.generic.Kind))
		add(int64(f.generic.Index))
		key = strconv.AppendBool(key, f.generic.Yes)
	}
	w.key = string(key)
	return w.key
}

func comparePlaces(x, y place) int {
	return cmp.Or(cmp.Compare(x.root.Pos(), y.root.Pos()), cmp.Compare(fieldName(x), fieldName(y)))
}

func fieldName(p place) string {
	if p.field == nil {
		return ""
	}
	return p.field.Name()
}

// with returns w with v at p. The zero value forgets what was there.
func (w *world) with(p place, v value) *world {
	if w.vals[p] == v {
		return w
	}
	out := &world{vals: maps.Clone(w.vals), errs: w.errs}
	if v == (value{}) {
		delete(out.vals, p)
		return out
	}
	if out.vals == nil {
		out.vals = make(map[place]value)
	}
	out.vals[p] = v
	return out
}

// withErr returns w with f as the failure id.
func (w *world) withErr(id token.Pos, f Failure) *world {
	if old, ok := w.errs[id]; ok && old == f {
		return w
	}
	out := &world{vals: w.vals, errs: maps.Clone(w.errs)}
	if out.errs == nil {
		out.errs = make(map[token.Pos]Failure)
	}
	out.errs[id] = f
	return out
}

// fresh returns w with f as a new failure id. What still holds the failure that
// had this id, in an earlier turn of a loop, keeps it under another.
func (w *world) fresh(id token.Pos, f Failure) *world {
	old, ok := w.errs[id]
	if !ok {
		return w.withErr(id, f)
	}
	out := w
	for p, v := range w.vals {
		if v.err == id {
			v.err = -id
			out = out.with(p, v)
		}
	}
	if out != w {
		out = out.withErr(-id, old)
	}
	return out.withErr(id, f)
}

// clear returns w without what p.root and its fields hold.
func (w *world) clear(root *types.Var) *world {
	out := w
	for p := range w.vals {
		if p.root == root {
			out = out.with(p, value{})
		}
	}
	return out
}

// excuse returns w with all open failures excused.
func (w *world) excuse() *world {
	out := w
	for id, f := range w.errs {
		if f.open() && !f.Excused {
			f.Excused = true
			out = out.withErr(id, f)
		}
	}
	return out
}

// prune returns w without what can play no part at pos: variables whose scope does
// not hold it, and failures that nothing holds, unless they are open. Those in
// keep stay.
func (w *world) prune(pos token.Pos, keep map[token.Pos]bool) *world {
	var vals map[place]value
	for p := range w.vals {
		if scope := p.root.Parent(); scope != nil && scope.Pos().IsValid() && !scope.Contains(pos) {
			if vals == nil {
				vals = maps.Clone(w.vals)
			}
			delete(vals, p)
		}
	}
	if vals == nil {
		return w
	}
	held := make(map[token.Pos]bool)
	for _, v := range vals {
		held[v.err] = true
	}
	errs := make(map[token.Pos]Failure)
	for id, f := range w.errs {
		if held[id] || keep[id] || f.open() {
			errs[id] = f
		}
	}
	return &world{vals: vals, errs: errs}
}

// A State is the worlds in which a point can be reached, sorted by key. A lost
// state knows nothing.
type State struct {
	worlds []*world
	lost   bool
}

// maxWorlds bounds the paths told apart in one function: beyond them it is lost.
const maxWorlds = 150

// stateOf returns the state of worlds, which it may reorder.
func stateOf(worlds []*world) State {
	slices.SortFunc(worlds, func(x, y *world) int { return cmp.Compare(x.id(), y.id()) })
	worlds = slices.CompactFunc(worlds, func(x, y *world) bool { return x == y || x.id() == y.id() })
	if len(worlds) > maxWorlds {
		return State{lost: true}
	}
	return State{worlds: worlds}
}

// each returns the state of what f makes of the worlds of s.
func (s State) each(f func(*world) []*world) State {
	if s.lost {
		return s
	}
	var out []*world
	same := true
	for _, w := range s.worlds {
		to := f(w)
		same = same && len(to) == 1 && to[0] == w
		out = append(out, to...)
	}
	if same {
		return s
	}
	return stateOf(out)
}

// Wrong returns a failure that is answered wrongly if a timeout is what s answers:
// every path fails with it, and on one of them it can be another failure. One
// variable may hold another failure on each path.
func (s State) Wrong() (Failure, bool) {
	if s.lost || len(s.worlds) == 0 {
		return Failure{}, false
	}
	first := s.worlds[0]
	for _, id := range slices.Sorted(maps.Keys(first.errs)) {
		if f, ok := s.wrong(func(w *world) (Failure, bool) {
			f, ok := w.errs[id]
			return f, ok && f.Set&None == 0
		}); ok {
			return f, true
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(first.vals), comparePlaces) {
		if f, ok := s.wrong(func(w *world) (Failure, bool) {
			f := w.errs[w.vals[p].err]
			return f, f.open()
		}); ok {
			return f, true
		}
	}
	return Failure{}, false
}

// wrong returns the first failure that it is wrong to answer as a timeout among
// those of all worlds, if each has one.
func (s State) wrong(of func(*world) (Failure, bool)) (found Failure, ok bool) {
	for _, w := range s.worlds {
		f, ok := of(w)
		if !ok {
			return Failure{}, false
		}
		if f.wrong() && !found.wrong() {
			found = f
		}
	}
	return found, found.wrong()
}
