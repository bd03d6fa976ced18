package drains

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about the table of a fact: what the names of its text are. An entry is
//
//	t  a type
//	v  a variable
//	.  a field
//	f  a function or method
//	l  one that the text declares
//	u  a function of which no more is told than what it returns
//
// and then, as far as there is something to say, parted by spaces, the type (of a method
// its receiver's), the package if it is another, the name, and more: of a field that
// cancels a context where that is, of a function the types of its results.

// entry returns an entry.
func (w *writer) entry(kind byte, t types.Type, pkg *types.Package, name, more string) string {
	typ, path := "", ""
	if t != nil {
		typ = w.typ(t)
	}
	if pkg != nil && pkg != w.pass.Pkg {
		path = pkg.Path()
	}
	return strings.TrimRight(strings.Join([]string{string(kind) + typ, path, name, more}, " "), " ")
}

// name returns the name of key, which has the given entry.
func (w *writer) name(key any, entry string) *ast.Ident {
	name, ok := w.names[key]
	if !ok {
		name = nameAt(len(w.table))
		w.names[key] = name
		w.table = append(w.table, entry)
		w.size += len(entry) + 1
		if fn, ok := key.(*types.Func); ok && entry[0] == 'l' {
			w.queue = append(w.queue, fn)
		}
	}
	return ast.NewIdent(name)
}

// nameAt returns the name at an index of a table: A to Z, AA and so on.
func nameAt(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return nameAt(i/26-1) + string(rune('A'+i%26))
}

// indexOf returns the index of a name in a table: see nameAt.
func indexOf(name string) int {
	n := 0
	for _, c := range name {
		if c < 'A' || 'Z' < c {
			return -1
		}
		n = n*26 + int(c-'A') + 1
	}
	return n - 1
}

// typeName returns the name of the type t.
func (w *writer) typeName(t types.Type) *ast.Ident {
	entry := w.entry('t', t, nil, "", "")
	return w.name(entry, entry)
}

// object returns a variable, function or label as it is written.
func (w *writer) object(obj types.Object) ast.Expr {
	switch obj := obj.(type) {
	case *types.Nil:
		return ast.NewIdent("nil")
	case *types.Label:
		return ast.NewIdent("l_" + obj.Name())
	case *types.Var:
		if c := w.fixed(obj); c != nil {
			return constantOf(c)
		}
		switch t := obj.Type(); {
		case !w.relevant(t) || obj.Name() == "_":
		case obj.IsField():
			return w.name(obj.Origin(), w.entry('.', t, nil, obj.Name(), w.cancels[obj]))
		case obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope():
			return w.name(obj, w.entry('v', t, obj.Pkg(), obj.Name(), ""))
		default:
			return w.name(obj, w.entry('v', t, nil, "", ""))
		}
	case *types.Func:
		obj = obj.Origin()
		results := w.results(obj.Signature().Results())
		kind := byte('f')
		if w.telling(obj) && !typeset.IsExported(obj) {
			kind = 'l'
		}
		if recv := obj.Signature().Recv(); recv != nil {
			return w.name(obj, w.entry(kind, recv.Type(), nil, obj.Name(), results))
		}
		return w.name(obj, w.entry(kind, nil, obj.Pkg(), obj.Name(), results))
	}
	return blank()
}

// results returns the types of results in text, if one of them matters.
func (w *writer) results(t types.Type) string {
	tuple, ok := t.(*types.Tuple)
	if !ok && t != nil {
		tuple = types.NewTuple(types.NewParam(token.NoPos, nil, "", t))
	}
	var list []string
	says := false
	for v := range tuple.Variables() {
		list = append(list, w.typ(v.Type()))
		says = says || w.matters(v.Type())
	}
	if !says {
		return ""
	}
	return strings.Join(list, ",")
}

// relevant reports whether it matters which value of type t a variable has, or whether
// it decides what comes after.
func (p *Info) relevant(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsNumeric) != 0 || httpmodel.IsError(t) || p.matters(t)
}

// typ writes what matters of a type: see reader.typ.
func (w *writer) typ(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return "*" + w.typ(t.Elem())
	case *types.Chan:
		return "c" + w.typ(t.Elem())
	case *types.Slice:
		return "[" + w.typ(t.Elem())
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return "e"
		}
		kind := "N"
		if types.IsInterface(t) {
			kind = "I"
		}
		return kind + t.Obj().Pkg().Path() + "." + t.Obj().Name()
	case *types.Signature:
		return "f"
	case *types.Basic:
		switch {
		case t.Info()&types.IsBoolean != 0:
			return "b"
		case t.Info()&types.IsNumeric != 0:
			return "n"
		}
	case *types.Struct:
		return "t"
	case *types.Interface, *types.TypeParam:
		return "a"
	}
	return "s"
}

// object returns what an identifier of the text denotes, or nil.
func (r *reader) object(id *ast.Ident) types.Object {
	if obj := types.Universe.Lookup(id.Name); obj != nil {
		return obj
	}
	obj, ok := r.objects[id.Name]
	if !ok {
		if i := indexOf(id.Name); 0 <= i && i < len(r.names) && r.names[i] != "" {
			obj = r.entry(r.names[i], id)
		}
		r.objects[id.Name] = obj
	}
	return obj
}

// entry returns the object of an entry of the table, which id is the first to name.
func (r *reader) entry(entry string, id *ast.Ident) types.Object {
	words := append(strings.Split(entry[1:], " "), "", "", "")
	t, pkg, name, more := r.typ(words[0]), r.fn.Pkg(), words[2], words[3]
	if words[1] != "" {
		pkg = r.pkg(words[1])
	}
	switch entry[0] {
	case 't':
		return types.NewTypeName(id.Pos(), pkg, id.Name, t)
	case 'v':
		if v, ok := pkg.Scope().Lookup(name).(*types.Var); ok {
			return v
		}
		return types.NewVar(id.Pos(), pkg, cmp.Or(name, id.Name), t)
	case '.':
		field := types.NewField(id.Pos(), pkg, name, t, false)
		if more != "" {
			r.cancels[field] = more
		}
		return field
	case 'f':
		var obj types.Object
		if named := typeset.Named(t); named != nil {
			pkg = named.Obj().Pkg()
			obj, _, _ = types.LookupFieldOrMethod(t, true, pkg, name)
		} else if words[0] == "" {
			obj = pkg.Scope().Lookup(name)
		}
		if fn, ok := obj.(*types.Func); ok {
			return fn.Origin()
		}
	case 'u':
		pkg = nil
	}
	return types.NewFunc(id.Pos(), pkg, name, r.signature(words[0], more))
}

// signature returns the signature of a function of which the receiver's type and those
// of the results are known.
func (r *reader) signature(recv, results string) *types.Signature {
	var self *types.Var
	if recv != "" {
		self = types.NewParam(token.NoPos, r.fn.Pkg(), "", r.typ(recv))
	}
	var list []*types.Var
	if results != "" {
		for s := range strings.SplitSeq(results, ",") {
			list = append(list, types.NewParam(token.NoPos, r.fn.Pkg(), "", r.typ(s)))
		}
	}
	return types.NewSignatureType(self, nil, nil, nil, types.NewTuple(list...), false)
}

// typ returns the type that a writer wrote down as s.
func (r *reader) typ(s string) types.Type {
	t, ok := r.foreign.types[s]
	if !ok {
		t = r.newType(s)
		r.foreign.types[s] = t
	}
	return t
}

func (r *reader) newType(s string) types.Type {
	if s == "" {
		return types.Typ[types.Invalid]
	}
	switch s[0] {
	case '*':
		return types.NewPointer(r.typ(s[1:]))
	case 'c':
		return types.NewChan(types.SendRecv, r.typ(s[1:]))
	case '[':
		return types.NewSlice(r.typ(s[1:]))
	case 'N', 'I':
		dot := strings.LastIndexByte(s, '.')
		pkg, name := r.pkg(s[1:dot]), s[dot+1:]
		if obj, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok {
			return obj.Type()
		}
		var under types.Type = types.NewStruct(nil, nil)
		if s[0] == 'I' {
			under = types.NewInterfaceType(nil, nil)
		}
		return types.NewNamed(types.NewTypeName(token.NoPos, pkg, name, nil), under, nil)
	case 'f':
		return types.NewSignatureType(nil, nil, nil, nil, nil, false)
	case 'a':
		return types.Universe.Lookup("any").Type()
	case 'e':
		return types.Universe.Lookup("error").Type()
	case 't':
		return types.NewStruct(nil, nil)
	case 'b':
		return types.Typ[types.Bool]
	case 'n':
		return types.Typ[types.Int]
	}
	return types.Typ[types.String]
}
