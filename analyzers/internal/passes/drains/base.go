package drains

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file is about what must last as long as the drain.

// base returns the context that the server s gives to its handlers, or nil.
func (f *follower) base(w *world, s *value) *value {
	for _, field := range []string{".ConnContext", ".BaseContext"} {
		fun := w.env[s.id+field]
		if fun == nil || fun.kind != isFunc || fun.node == nil {
			continue
		}
		outs := f.apply(w, fun, []*value{{}, {}}, fun.node)
		if len(outs) == 1 && outs[0].v.kind == isContext {
			return outs[0].v
		}
	}
	return f.given(w, w.env[s.id+".Handler"])
}

// given returns the context, from outside, that the handler puts in the place of that of
// its requests, or nil.
func (f *follower) given(w *world, handler *value) (ctx *value) {
	if handler == nil || handler.node == nil || isAbroad(handler.node) {
		return nil
	}
	ast.Inspect(handler.node, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && typeset.IsMethod(typeset.Callee(f.pass.TypesInfo, call), httpmodel.NetHTTP, "Request", "WithContext") {
			if v := typeset.VarOf(f.pass.TypesInfo, call.Args[0]); v != nil && !v.IsField() {
				ctx = w.env[varPlace(v)]
			}
		}
		return ctx == nil
	})
	return ctx
}

// baseOfField returns the base context of the server s, a field, if the package makes the
// server in one place, where the context, or its cancel, is put into a field beside it.
func (f *follower) baseOfField(s *value) *value {
	field := f.places[s.id]
	if field == nil {
		return nil
	}
	def := f.index.OnlyDef(field)
	if addr, ok := def.(*ast.UnaryExpr); ok {
		def = addr.X
	}
	lit, ok := def.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, ok := kv.Key.(*ast.Ident)
		fn, isLit := kv.Value.(*ast.FuncLit)
		if !ok || !isLit || key.Name != "BaseContext" || len(fn.Body.List) != 1 {
			continue
		}
		if ret, ok := fn.Body.List[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
			ctx := typeset.VarOf(f.info, ret.Results[0])
			if beside := f.fields[ctx]; beside != nil {
				ctx = beside
			}
			if ctx != nil {
				return &value{kind: isContext, id: strings.TrimSuffix(s.id, field.Name()) + ctx.Name(), n: -1}
			}
		}
	}
	return nil
}

// endNeed checks the end of a context, which handlers may have as their base.
func (f *follower) endNeed(w *world, ctx *value, at ast.Node) *world {
	for _, place := range slices.Sorted(maps.Keys(w.env)) {
		id, ok := strings.CutSuffix(place, ".BaseContext")
		if !ok {
			id, ok = strings.CutSuffix(place, ".Handler")
		}
		if !ok || f.hook != nil && f.hook.id != id {
			continue
		}
		base := f.base(w, &value{id: id})
		for c := base; c != nil; c = c.parent {
			if c.id != ctx.id {
				continue
			}
			if f.hook != nil {
				f.find(HookEnds, at, token.NoPos, "")
			} else if h := f.pending(w, id, true); h != nil {
				f.find(BaseEnds, at, h.site.node.Pos(), "")
			}
			break
		}
	}
	return w
}

// closeNeed returns w after call closed a database handle.
func (f *follower) closeNeed(w *world, id string, call *ast.CallExpr) *world {
	switch {
	case f.hook != nil:
		f.find(HookCloses, call, token.NoPos, "")
	case !f.needed(w, id, call):
	default:
		f.ended[call.Pos()] = f.here(call)
		f.emit(w, "ended", &value{n: int64(call.Pos())}, call)
		if h := f.pending(w, "", true); h != nil {
			f.find(NeedClosed, call, h.site.node.Pos(), "")
		} else if f.serving(w) || w.has("signalled") || f.thread == nil {
			return w.add("ended:"+id, call.Pos())
		}
	}
	return w
}

// shorten returns w after a wait that a done context cut short.
func (f *follower) shorten(w *world, at ast.Node, why token.Pos) *world {
	f.ended[at.Pos()] = f.here(at)
	return w.add("cut:"+fmt.Sprint(at.Pos()), at.Pos()).add("paused", at.Pos())
}
