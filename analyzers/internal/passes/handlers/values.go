package handlers

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A value is a *function or an *object. Equal values are the same pointer.
type value any

// A function is a function value.
type function struct {
	lit   *ast.FuncLit // a literal,
	env   *frame       // made in this frame; or
	fn    *types.Func  // a declared function or method,
	recv  value        // bound to this receiver; nil if to none, or none is known
	named *types.Named // the type that the function was converted to, or nil
}

// sig returns the signature of v.
func (v *function) sig(info *types.Info) *types.Signature {
	if v.fn != nil {
		return v.fn.Signature()
	}
	sig, _ := info.TypeOf(v.lit).(*types.Signature)
	return sig
}

// An object is anything else that can hold values.
type object struct {
	typ     types.Type // not a pointer, but for a pointer to a variable of a type that is no struct
	opaque  bool       // made where the machine cannot see: its fields are all one
	unknown bool       // it may hold what the machine does not know
	soft    bool       // it ends no test
	param   int        // 1 + the bit of the parameter that it is, of the entry; 0: none
	part    string     // the field of the parameter that it is, if not the whole
	fields  map[string]*node
	held    []holding
	holds   map[holding]bool // of held
	watch   []*frame         // to evaluate again when held grows
	made    *event           // if o is a function that ends a test when it is served
	served  *Site
	as      map[types.Type]bool // for what it was served
}

// A holding is a value that an object holds, as a value of a type: what may be
// called of it.
type holding struct {
	value value
	as    types.Type
	later bool // only what holds it calls it, when it is called itself
	whole bool // it is the receiver of the method that returned what holds it
}

// elem is the name of the node that stands for all elements of a container, and for
// the variable that a pointer points to.
const elem = "*"

// field returns the node of o's field.
func (o *object) field(name string) *node {
	n := o.fields[name]
	if n == nil {
		n = new(node)
		if o.fields == nil {
			o.fields = make(map[string]*node)
		}
		o.fields[name] = n
	}
	return n
}

// A set is a set of values, in the order in which they came.
type set struct {
	values []value
	index  map[value]bool // of values, once there are many
}

// few is the number of values up to which a set has no index.
const few = 8

// add adds v to s, and reports whether it is new.
func (s *set) add(v value) bool {
	if s.index != nil {
		if s.index[v] {
			return false
		}
		s.index[v] = true
	} else {
		if slices.Contains(s.values, v) {
			return false
		}
		if len(s.values) == few {
			s.index = make(map[value]bool)
			for _, x := range s.values {
				s.index[x] = true
			}
			s.index[v] = true
		}
	}
	s.values = append(s.values, v)
	return true
}

// addAll adds values to s.
func (s *set) addAll(values []value) {
	for _, v := range values {
		s.add(v)
	}
}

// union returns the values of both slices, each once.
func union(x, y []value) []value {
	if len(x) == 0 {
		return y
	}
	if len(y) == 0 {
		return x
	}
	var s set
	s.addAll(x)
	s.addAll(y)
	return s.values
}

// A node is a variable, a field, or the elements of a container.
type node struct {
	set
	readers []*frame
	to      []*node // nodes that hold all that this one holds
	served  *Site   // if not nil, all values are served
	as      types.Type
}

// An objectKey identifies an object in a universe: what made it, and in which frame.
type objectKey struct {
	made  any
	frame *frame
	owner *object
	name  string
}

// deref returns what t points to, or t.
func deref(t types.Type) types.Type {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

// isStruct reports whether t is a struct type, named or not.
func isStruct(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// isLocal reports whether t, or what it points to, is a type that pkg declares, or
// one without a name.
func isLocal(t types.Type, pkg *types.Package) bool {
	named := typeset.Named(t)
	return named == nil || named.Obj().Pkg() == pkg
}

// mayHold reports whether a value of type t can hold a function, or a value that
// has methods, or a test.
func (m *machine) mayHold(t types.Type) bool {
	if t == nil {
		return false
	}
	t = types.Unalias(t)
	if _, ok := t.(*types.Named); !ok {
		return m.holdsAny(t)
	}
	holds, ok := m.holds[t]
	if !ok {
		m.holds[t] = true // of a recursive type nothing better is known
		holds = m.holdsAny(t)
		m.holds[t] = holds
	}
	return holds
}

// holdsAny is mayHold for a type that is no alias and not cached.
func (m *machine) holdsAny(t types.Type) bool {
	switch t := t.(type) {
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return false // error
		}
		switch path := t.Obj().Pkg().Path(); path {
		case "context", "net/url", "time":
			return false
		}
		if !isLocal(t, m.pass.Pkg) && (isStruct(t) || types.IsInterface(t)) {
			return true
		}
		return m.mayHold(t.Underlying())
	case *types.Basic:
		return false
	case *types.Pointer:
		return m.mayHold(t.Elem())
	case *types.Slice:
		return m.mayHold(t.Elem())
	case *types.Array:
		return m.mayHold(t.Elem())
	case *types.Chan:
		return m.mayHold(t.Elem())
	case *types.Map:
		return m.mayHold(t.Elem()) || m.mayHold(t.Key())
	case *types.Struct:
		for field := range t.Fields() {
			if m.mayHold(field.Type()) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range t.Variables() {
			if m.mayHold(v.Type()) {
				return true
			}
		}
		return false
	}
	return true // functions, interfaces, type parameters
}
