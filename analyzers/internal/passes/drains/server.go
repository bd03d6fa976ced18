package drains

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// serverCall calls fn, a method of the server s.
func (f *follower) serverCall(w *world, what httpmodel.ServerCall, returns httpmodel.Return, s *value, fn *types.Func, args []*value, call *ast.CallExpr, opaque *value) []outcome {
	switch what {
	case httpmodel.Serve:
		f.emit(w, "serve", s, call)
		w = w.idled(call.Pos())
		// A server that is not shut down fails, or never returns: neither matters.
		switch returns {
		case httpmodel.ReturnsDrained:
			w = w.add("back:"+s.id, call.Pos())
			opaque = &value{kind: isNil, id: "nil"}
		case httpmodel.ReturnsNil:
			w = w.add("served:"+s.id, call.Pos()).add("served", call.Pos())
			opaque = &value{kind: isNil, id: "nil"}
		default:
			w = w.add("served:"+s.id, call.Pos()).add("served", call.Pos())
			opaque = &value{kind: isClosed, id: "closed"}
		}
	case httpmodel.Shutdown:
		w = f.shut(w, s, args, call)
	case httpmodel.Close:
		f.cut(w, s, fn, call)
	case httpmodel.OnShutdown:
		if len(args) == 1 {
			outer := f.hook
			f.hook = s
			f.apply(w, args[0], nil, call)
			f.hook = outer
		}
	}
	return []outcome{{w: w, v: opaque}}
}

// shut checks the call that shuts the server s down.
func (f *follower) shut(w *world, s *value, args []*value, call *ast.CallExpr) *world {
	if f.hook != nil {
		return w
	}
	var ctx *value
	if len(args) == 1 && args[0].kind == isContext {
		ctx = args[0]
	}
	if ctx != nil {
		if pos, ok := w.isDone(ctx); ok {
			f.finds = append(f.finds, find{kind: Done, site: f.here(call), back: pos, made: w.lateMade(ctx)})
		} else if old, ok := w.isAged(ctx); ok {
			f.find(Aged, call, old.node.Pos(), "")
		}
	}
	base := f.base(w, s)
	if base == nil {
		base = f.baseOfField(s, call)
	}
	if base != nil {
		if pos, ok := w.isDone(base); ok {
			f.find(BaseDone, call, pos, "")
		}
	}
	for _, fact := range slices.Sorted(maps.Keys(w.facts)) {
		if strings.HasPrefix(fact, "ended:") {
			if at, ok := f.ended[w.facts[fact]]; ok {
				f.findAt(NeedClosed, at, call.Pos(), "")
			}
		}
		if strings.HasPrefix(fact, "cut:") {
			if at, ok := f.ended[w.facts[fact]]; ok {
				f.findAt(WaitCut, at, call.Pos(), "")
			}
		}
	}
	switch {
	case w.has("turned") && !w.has("paused") && !f.ready.outside:
		f.find(NoNotice, call, w.facts["turned"], "")
	case f.ready.outside:
	case w.has("idled") && !w.has("waited") && !w.has("begun"):
		for _, fact := range slices.Sorted(maps.Keys(w.facts)) {
			if strings.HasPrefix(fact, "ready:") {
				f.find(AlwaysReady, call, w.facts[fact], f.ready.always[f.routes[w.facts[fact]]])
				break
			}
		}
	}
	w = f.spend(w, ctx, args, call)

	h := &shutdown{
		id:     fmt.Sprintf("%s@%d", s.id, call.Pos()),
		server: s.id,
		ctx:    ctx,
		site:   f.here(call),
		thread: f.thread,
		world:  w,
	}
	known := slices.ContainsFunc(f.shuts, func(x *shutdown) bool {
		return x.id == h.id && x.thread == h.thread && x.triggers() == h.triggers()
	})
	if !known {
		f.shuts = append(f.shuts, h)
		if f.thread != nil {
			f.thread.shuts = append(f.thread.shuts, h)
		}
	}
	return w.add("begun", call.Pos()).add("begun:"+s.id, call.Pos()).add("back:"+h.id, call.Pos()).add("back:"+s.id, call.Pos())
}

// lateMade returns the call that made the context v from one that was done already,
// or nil if v is that one or was made before.
func (w *world) lateMade(v *value) *ast.CallExpr {
	call, _ := v.node.(*ast.CallExpr)
	if v.parent == nil || call == nil || w.has("done:"+v.id) {
		return nil
	}
	if pos, ok := w.facts["done:"+v.parent.id]; ok && pos < call.Pos() {
		return call
	}
	return nil
}

// triggers returns, in text, what h waited for.
func (h *shutdown) triggers() string {
	var list []string
	for fact := range h.world.facts {
		if strings.HasPrefix(fact, "trigger:") {
			list = append(list, fact)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// spend returns w after a shutdown within ctx, or the duration args[0], took as
// long as it may, and checks that the grace period is not over by then. A wait and
// a shutdown that share one deadline are not added up.
func (f *follower) spend(w *world, ctx *value, args []*value, call *ast.CallExpr) *world {
	var from, to time.Duration
	for c := ctx; c != nil; c = c.parent {
		if end := c.at + time.Duration(c.n); c.how == byDeadline && c.n > 0 && (to == 0 || end < to) {
			from, to = c.at, end
		}
	}
	if ctx == nil && len(args) == 1 && args[0].kind == isNumber {
		from, to = w.clock, w.clock+time.Duration(args[0].n)
	}
	if to == 0 {
		return w
	}
	if from > 0 && to > f.grace {
		f.find(Budget, call, token.NoPos, to.String())
	}
	if to > w.clock {
		w = w.clone()
		w.clock = to
	}
	return w
}

// cut checks the call that closes the server s.
func (f *follower) cut(w *world, s *value, fn *types.Func, call *ast.CallExpr) {
	if !w.has("signalled") && !f.meansDrain() || w.has("begun:"+s.id) || f.thread != nil && f.thread.timed || f.hook != nil || isSide(call) {
		return
	}
	f.cuts = append(f.cuts, closing{s.id, f.here(call), w.facts["signalled"]})
}

// A closing is a Close of a server at a signal.
type closing struct {
	server string
	site   site
	why    token.Pos
}

// meansDrain reports whether the root says, by its name or in a message, that it is
// to drain.
func (f *follower) meansDrain() bool {
	decl, ok := f.root.(*ast.FuncDecl)
	if !ok {
		return false
	}
	said := strings.ToLower(decl.Name.Name)
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			said += " " + strings.ToLower(lit.Value)
		}
		return true
	})
	for _, word := range []string{"forc", "fail", "timeout", "timed out", "exceeded", "immediate", "not graceful", "ungraceful"} {
		if strings.Contains(said, word) {
			return false // Have: a last resort.
		}
	}
	return strings.Contains(said, "graceful") || strings.Contains(said, "drain")
}

// isSide reports whether the server that call closes is, by its name, none whose
// requests must be answered.
func isSide(call *ast.CallExpr) bool {
	name := strings.ToLower(types.ExprString(call.Fun))
	for _, side := range []string{"metric", "debug", "pprof", "prom", "health", "probe", "admin", "redirect", "callback", "test"} {
		if strings.Contains(name, side) {
			return true
		}
	}
	return false
}

// base returns the context that the server s gives to its handlers, or nil.
func (f *follower) base(w *world, s *value) *value {
	fun := w.env[s.id+".BaseContext"]
	if fun == nil || fun.kind != isFunc || fun.node == nil {
		return nil
	}
	outs := f.apply(w, fun, []*value{{}}, fun.node)
	if len(outs) == 1 && outs[0].v.kind == isContext {
		return outs[0].v
	}
	return nil
}

// baseOfField returns the base context of the server s, a field that call names, if
// the package makes the server in one place and the context is a field beside it.
func (f *follower) baseOfField(s *value, call *ast.CallExpr) *value {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	field := typeset.VarOf(f.info, sel.X)
	if field == nil || !field.IsField() || !strings.HasSuffix(s.id, "."+field.Name()) {
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
			if ctx != nil && ctx.IsField() {
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
		if h := f.pending(w, "", true); h != nil {
			f.find(NeedClosed, call, h.site.node.Pos(), "")
		} else if f.serving(w) || w.has("signalled") || f.thread == nil {
			f.ended[call.Pos()] = f.here(call)
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

// pending returns a shutdown, of the server or of any, that is under way in w in
// another goroutine, and may not be through.
func (f *follower) pending(w *world, server string, processEnds bool) *shutdown {
	if list := f.underWay(w, server, processEnds); len(list) > 0 {
		return list[0]
	}
	return nil
}

// underWay returns the shutdowns that pending speaks of.
func (f *follower) underWay(w *world, server string, processEnds bool) (list []*shutdown) {
	for _, t := range w.threads {
		t.all(func(t *thread) {
			for _, h := range t.shuts {
				if !t.timed && t != f.thread && (server == "" || h.server == server) && w.outruns(h, processEnds) {
					list = append(list, h)
				}
			}
		})
	}
	return list
}

// outruns reports whether h has begun in w, for all that is known, and nothing says
// that it is through.
func (w *world) outruns(h *shutdown, processEnds bool) bool {
	if w.has("back:"+h.id) || w.has("back:"+h.server) || w.has("waited") {
		return false
	}
	if w.has("served:" + h.server) {
		return true
	}
	triggers := 0
	for fact := range h.world.facts {
		if what, ok := strings.CutPrefix(fact, "trigger:"); ok {
			if !w.has("got:" + what) {
				return false
			}
			triggers++
		}
	}
	return triggers > 0 || processEnds || w.has("signalled")
}
