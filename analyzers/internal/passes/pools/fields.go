package pools

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// isService reports whether a field of another package's struct is itself one that may be
// built on the same client, by way of options: client.Chat.Completions.
func (t *trace) isService(sel *types.Selection) bool {
	_, isStruct := typeset.StructOf(sel.Type())
	return isStruct && sel.Obj().Pkg() != t.pass.Pkg && carries(sel.Type(), 5)
}

// hasTwin reports whether the struct t, or that it points to, has the field and another one
// of the same type, so that the pool may be in either: one client that checks certificates
// and one that does not.
func hasTwin(t types.Type, field types.Object) bool {
	st, ok := typeset.StructOf(t)
	if !ok {
		return false
	}
	is, has := false, false
	for f := range st.Fields() {
		is = is || f == field
		has = has || f != field && types.Identical(f.Type(), field.Type())
	}
	return is && has
}

// inField notes that a field of a struct of type t has the pool.
func (t *trace) inField(typ types.Type, name *ast.Ident) {
	field, ok := t.pass.TypesInfo.ObjectOf(name).(*types.Var)
	if !ok || !field.IsField() || !hasTwin(typ, field) {
		return
	}
	t.inFields(name.Name)
}

// inFields notes that the fields of a list have the pool.
func (t *trace) inFields(list string) {
	for name := range strings.SplitSeq(list, ",") {
		if i, found := slices.BinarySearch(t.twins, name); !found && name != "" {
			t.twins = slices.Insert(t.twins, i, name)
			t.changed = true
		}
	}
}
