package handlers

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file follows the fields of other packages' structs: which of them hold functions
// that a method calls, as websocket.Upgrader's Upgrade does CheckOrigin, and which hold
// what a function serves.

// hooked returns, for the methods of this package, the exported fields of their
// receiver that hold a function which they may call before they return: the names,
// sorted and parted by spaces.
func (m *machine) hooked() map[*types.Func]string {
	fields := make(map[*types.Func]map[string]bool)
	callees := make(map[*types.Func][]*types.Func) // methods, on the same receiver
	for _, decl := range m.order {
		fn := m.info.Defs[decl.Name].(*types.Func)
		if recv := fn.Signature().Recv(); recv != nil && hasHook(recv.Type()) {
			fields[fn] = make(map[string]bool)
			callees[fn] = m.uses(decl, recv, fields[fn])
		}
	}
	for changed := true; changed; {
		changed = false
		for fn, list := range callees {
			before := len(fields[fn])
			for _, callee := range list {
				maps.Copy(fields[fn], fields[callee])
			}
			changed = changed || len(fields[fn]) > before
		}
	}
	hooks := make(map[*types.Func]string)
	for fn, names := range fields {
		if len(names) > 0 {
			hooks[fn] = strings.Join(slices.Sorted(maps.Keys(names)), " ")
		}
	}
	return hooks
}

// hasHook reports whether t is, or points to, a struct with an exported field that is
// a function.
func hasHook(t types.Type) bool {
	st, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range st.Fields() {
		if _, ok := field.Type().Underlying().(*types.Signature); ok && field.Exported() {
			return true
		}
	}
	return false
}

// uses adds to fields those of recv that hold a function and that decl does more with
// than to set or compare it, and returns the methods that it calls on recv.
func (m *machine) uses(decl *ast.FuncDecl, recv *types.Var, fields map[string]bool) (callees []*types.Func) {
	harmless := make(map[ast.Expr]bool)
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				harmless[ast.Unparen(x)] = true
			}
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				harmless[ast.Unparen(lhs)] = true
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				harmless[ast.Unparen(n.X)] = true
			}
		case *ast.SelectorExpr:
			id, ok := ast.Unparen(n.X).(*ast.Ident)
			if !ok || m.info.Uses[id] != recv || harmless[n] {
				break
			}
			switch obj := m.info.Uses[n.Sel].(type) {
			case *types.Func:
				callees = append(callees, obj.Origin())
			case *types.Var:
				if _, ok := obj.Type().Underlying().(*types.Signature); ok && obj.Exported() {
					fields[obj.Name()] = true
				}
			}
		}
		return true
	})
	return callees
}

// callHooks calls the functions in the named fields of the receivers of a call.
func (f *frame) callHooks(c *call, recvs []value, names string) {
	for name := range strings.FieldsSeq(names) {
		for _, recv := range recvs {
			if o, ok := recv.(*object); ok && o.fields[name] != nil {
				for _, v := range f.read(o.fields[name]) {
					if v, ok := v.(*function); ok {
						f.callback(c, v, c.thread, recvs)
					}
				}
			}
		}
	}
}

// serveFields serves the fields of values that fact names with the prefix of their
// parameter; all of a value whose fields are all one.
func (f *frame) serveFields(values []value, prefix string, fact serveFact, site *Site) {
	for name := range strings.FieldsSeq(fact.Fields) {
		name, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		for _, v := range union(values, f.elementsOf(values)) {
			o, ok := v.(*object)
			switch {
			case !ok || o.opaque:
				f.serve(v, nil, site)
			case isStruct(o.typ) && o.fields[name] != nil:
				for _, v := range f.read(o.fields[name]) {
					f.serve(v, fieldType(o.typ, name), site)
				}
			}
		}
	}
}

// fieldOf returns what the names of the fields of a parameter, given by its bit, begin
// with in a serveFact.
func fieldOf(bit int) string { return strconv.Itoa(bit) + "." }
