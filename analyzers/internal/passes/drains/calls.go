package drains

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"time"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// operands evaluates what call calls and its arguments: the first of the values is
// the function, whose parent is the receiver.
func (f *follower) operands(w *world, call *ast.CallExpr) []outcome {
	var funs []outcome
	if f.info.Types[call.Fun].IsType() || builtinOf(f.info, call) != "" {
		funs = []outcome{{w: w, v: new(value)}}
	} else {
		funs = f.eval(w, call.Fun)
	}
	var outs []outcome
	for _, fun := range funs {
		for _, o := range f.evalAll(fun.w, call.Args) {
			args := o.values
			if len(call.Args) == 0 {
				args = nil
			}
			outs = append(outs, outcome{w: o.w, values: append([]*value{fun.v}, args...)})
		}
	}
	return outs
}

// call calls with the operands o.
func (f *follower) call(o outcome, call *ast.CallExpr) []outcome {
	w, fun, args := o.w, o.values[0], o.values[1:]
	opaque := f.opaque(f.info.TypeOf(call), f.idOf("call", call))
	if f.info.Types[call.Fun].IsType() {
		if len(args) == 1 && args[0].kind != unknown || len(args) == 1 && args[0].id != "" {
			converted := *args[0]
			if converted.kind == isFunc {
				converted.typ = f.info.TypeOf(call) // Have: one with methods, perhaps.
			}
			return []outcome{{w: w, v: &converted}}
		}
		return []outcome{{w: w, v: opaque}}
	}
	if name := builtinOf(f.info, call); name != "" {
		return f.builtin(w, name, args, call, opaque)
	}
	fn := fun.fn
	if fn == nil {
		fn = typeset.Callee(f.info, call)
	}
	if fn != nil && fn.Signature().Recv() != nil && fun.parent == nil && len(args) > 0 {
		// Have: a method expression.
		bound := *fun
		bound.parent = args[0]
		fun, args = &bound, args[1:]
	}
	if _, ok := f.ready.always[call.Pos()]; ok {
		w = w.add("ready:"+fmt.Sprint(call.Pos()), call.Pos())
	}
	if fun.parent != nil && fun.parent.id != "" && f.closesNeed(fn) {
		w = f.closeNeed(w, fun.parent.id, call)
	}
	if outs, ok := f.known(w, fn, fun, args, call, opaque); ok {
		return outs
	}
	if fun.kind == isCancel || fun.kind == isFunc && fun.node != nil {
		return f.apply(w, fun, args, call)
	}
	// Have: a function that is not followed.
	if fn != nil && f.cfgs.NoReturn(fn) {
		f.exit(w, call)
		return nil
	}
	if fn != nil && fn.Name() == "Context" && opaque.kind == isContext && len(args) == 0 && fun.parent != nil && fun.parent.id != "" {
		opaque.id = fun.parent.id + ".Context()" // Have: as of a command or a request.
		return []outcome{{w: w, v: opaque}}
	}
	if fn != nil && (f.index.Decl(fn) != nil || quiet(fn)) {
		return []outcome{{w: w, v: opaque}}
	}
	for _, v := range args {
		if u := f.units[v.node]; v.kind == isFunc && u != nil && u.ends && f.isHandler(v.node) {
			w = f.start(w, launch{at: call, asked: true, run: func(w *world) []outcome { return f.apply(w, v, nil, call) }})
			continue
		}
		w = w.escape(v)
		if v.kind == isFunc && v.node != nil {
			w = f.escapeUsed(w, v.node)
		}
	}
	if fun.parent != nil && strings.HasPrefix(fun.parent.id, "made@") {
		w = w.escape(fun.parent)
	}
	w = w.add("trigger:called", call.Pos()).add("called", call.Pos()).add("paused", call.Pos())
	if says(call, "wait", "drain") {
		w = w.add("waited", call.Pos())
	}
	if says(call, "shutdown", "stop", "close", "drain", "wait", "flush") { // Have: it ends something within its context's time.
		for _, v := range args {
			if end := v.at + time.Duration(v.n); v.kind == isContext && v.how == byDeadline && v.n > 0 && end > w.clock {
				w = w.clone()
				w.clock = end
			}
		}
	}
	f.emit(w, "called", opaque, call)
	return []outcome{{w: w, v: opaque}}
}

// says reports whether the name of what call calls has one of words in it.
func says(call *ast.CallExpr, words ...string) bool {
	name := ""
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = strings.ToLower(fun.Name)
	case *ast.SelectorExpr:
		name = strings.ToLower(fun.Sel.Name)
	}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// quiet reports whether fn is a logger's, or of a package of the standard library
// whose functions keep nothing that they are given, call nothing and wait for nothing.
func quiet(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return true // error.Error
	}
	if httpmodel.IsLogger(fn) {
		return true
	}
	switch typeset.PkgPath(fn.Pkg()) {
	case "log", "log/slog", "fmt", "errors", "strings", "strconv", "time", "sync/atomic", "context", "os", "maps", "slices", "math", "flag":
		return true
	}
	return false
}

// builtin calls a builtin function.
func (f *follower) builtin(w *world, name string, args []*value, call *ast.CallExpr, opaque *value) []outcome {
	switch name {
	case "panic":
		f.exit(w, call)
		return nil
	case "close":
		f.emit(w, "close:"+args[0].id, &value{kind: isNil, id: "zero"}, call)
		if v := typeset.VarOf(f.info, call.Args[0]); v != nil && f.ready.flags[v] {
			w = w.drop("paused").add("turned", call.Pos())
		} else if v != nil && f.inHandler(v) && f.isTold(v) {
			w = f.closeNeed(w, args[0].id, call)
		}
		return []outcome{{w: w.add("closed:"+args[0].id, call.Pos()), v: opaque}}
	case "make", "new":
		opaque.id = f.idOf("made", call)
		if opaque.kind == isChan && opaque.how == other {
			opaque.how = made
		}
		return []outcome{{w: w.drop("closed:" + opaque.id).drop("sent:" + opaque.id), v: opaque}}
	case "len":
		if n := len(args[0].values); n > 0 {
			return []outcome{{w: w, v: number(int64(n))}}
		}
	case "append":
		list := &value{id: opaque.id}
		if args[0].values != nil || args[0].kind == isNil {
			list.values = append(append(list.values, args[0].values...), args[1:]...)
		}
		if len(list.values) > maxList || call.Ellipsis.IsValid() {
			list.values = nil
		}
		return []outcome{{w: w, v: list}}
	}
	return []outcome{{w: w, v: opaque}}
}

// known calls fn if it is one that this package knows.
func (f *follower) known(w *world, fn *types.Func, fun *value, args []*value, call *ast.CallExpr, opaque *value) ([]outcome, bool) {
	if fn == nil || fn.Pkg() == nil {
		return nil, false
	}
	one := func(w *world, v *value) ([]outcome, bool) { return []outcome{{w: w, v: v}}, true }
	if httpmodel.EndsProcess(fn) {
		f.exit(w, call)
		return nil, true
	}
	if httpmodel.EndsOnError(fn) && len(args) == 1 && (args[0].kind == isClosed || args[0].kind == isError) {
		f.exit(w, call)
		return nil, true
	}
	if httpmodel.ServesForever(fn) {
		return nil, true // Have: it fails, or never returns.
	}
	recv := fun.parent
	if recv == nil {
		recv = new(value)
	}
	if what, returns := httpmodel.ServerCallOf(fn); what != httpmodel.NoServerCall && recv.id != "" {
		return f.serverCall(w, what, returns, recv, fn, args, call, opaque), true
	}
	if f.turns(fn, args, call) {
		w = w.drop("paused").add("turned", call.Pos())
		f.emit(w, "turned", opaque, call)
		return one(w, opaque)
	}
	switch typeset.PkgPath(fn.Pkg()) {
	case "context":
		return f.contextCall(w, fn, recv, args, call)
	case "os/signal":
		if fn.Name() == "NotifyContext" && len(args) > 0 {
			return f.derive(w, args[0], bySignal, -1, call), true
		}
		if fn.Name() == "Notify" && len(args) > 1 && !slices.ContainsFunc(args[1:], isPolite) {
			w = w.add("rude:"+args[0].id, call.Pos())
		}
		return one(w, opaque)
	case "time":
		switch {
		case typeset.IsFunc(fn, "time", "Sleep") && len(args) == 1:
			return one(f.pause(w, args[0], call), opaque)
		case typeset.IsFunc(fn, "time", "After") && len(args) == 1:
			return one(w, &value{kind: isChan, how: timer, id: opaque.id, n: nanoseconds(args[0])})
		case typeset.IsFunc(fn, "time", "NewTimer") && len(args) == 1:
			return one(w.set(opaque.id+".C", &value{kind: isChan, how: timer, id: opaque.id, n: nanoseconds(args[0])}), opaque)
		case typeset.IsFunc(fn, "time", "Now"):
			return one(w, &value{id: "now"})
		case typeset.IsMethod(fn, "time", "Time", "Add") && len(args) == 1 && recv.id == "now":
			return one(w, &value{id: opaque.id, how: timer, n: nanoseconds(args[0])})
		case typeset.IsFunc(fn, "time", "AfterFunc") && len(args) == 2:
			l := f.launched(args[1], call)
			l.timed = true
			return one(f.start(w, l), opaque)
		}
	case "errors":
		if fn.Name() == "Is" && len(args) == 2 && args[1].kind == isClosed {
			switch args[0].kind {
			case isClosed:
				return one(w, truth(true))
			case isNil:
				return one(w, truth(false))
			}
		}
		if fn.Name() == "Join" || fn.Name() == "New" {
			return one(w, f.wrapped(args, opaque, fn.Name() == "New"))
		}
		return one(w, opaque)
	case "fmt":
		if fn.Name() == "Errorf" {
			return one(w, f.wrapped(args, opaque, true))
		}
	case "sync":
		switch {
		case typeset.IsMethod(fn, "sync", "WaitGroup", "Go") && len(args) == 1:
			l := f.launched(args[0], call)
			l.group = recv.id
			return one(f.start(w, l), opaque)
		case typeset.IsMethod(fn, "sync", "WaitGroup", "Done"):
			f.emit(w, "done:"+recv.id, opaque, call)
			return one(w, opaque)
		case typeset.IsMethod(fn, "sync", "WaitGroup", "Wait"):
			return f.wait(w, recv.id, call), true
		case typeset.IsMethod(fn, "sync", "Mutex", "Lock"):
			return one(w.add("locked:"+recv.id, call.Pos()), opaque)
		case typeset.IsMethod(fn, "sync", "Mutex", "Unlock"):
			f.emit(w, "unlock:"+recv.id, opaque, call)
			return one(w, opaque)
		case typeset.IsMethod(fn, "sync", "Once", "Do") && len(args) == 1:
			return f.apply(w, args[0], nil, call), true
		}
		return one(w, opaque)
	case errgroup:
		switch {
		case fn.Name() == "WithContext" && len(args) == 1:
			return f.group(w, args[0], call), true
		case (fn.Name() == "Go" || fn.Name() == "TryGo") && len(args) == 1:
			l := f.launched(args[0], call)
			l.group = recv.id
			return one(f.start(w, l), opaque)
		case fn.Name() == "Wait":
			outs := f.wait(w, recv.id, call)
			if ctx := w.env[recv.id+".ctx"]; ctx != nil {
				for i, o := range outs {
					outs[i].w = o.w.add("done:"+ctx.id, call.Pos())
				}
			}
			return outs, true
		}
		return one(w, opaque)
	}
	if recv.id != "" && f.index.Decl(fn) == nil {
		switch httpmodel.GroupCallOf(fn) {
		case httpmodel.AddMember:
			last := len(args) - 1
			return one(f.start(w, launch{at: call, group: recv.id, run: func(w *world) []outcome {
				return f.apply(w, args[last], args[:last], call)
			}}), opaque)
		case httpmodel.AwaitMembers:
			return f.wait(w, recv.id, call), true
		}
	}
	if httpmodel.GivesDatabase(fn) && recv.id != "" && f.index.Decl(fn) == nil {
		// Have: the pool of a mapper.
		db := &value{id: recv.id}
		return []outcome{{w: w, v: db, values: []*value{db, {id: "error"}}}}, true
	}
	switch httpmodel.ActorCallOf(fn) {
	case httpmodel.AddActor:
		if len(args) == 2 {
			return one(f.addActor(w, recv, args, call), opaque)
		}
	case httpmodel.RunActors:
		return f.runActors(w, recv, call), true
	case httpmodel.SignalActor:
		actor := &value{id: signalActor}
		return []outcome{{w: w, v: actor, values: []*value{actor, actor}}}, true
	}
	if httpmodel.ClosesDatabase(fn) && recv.id != "" {
		return one(f.closeNeed(w, recv.id, call), opaque)
	}
	return nil, false
}

// isPolite reports whether a signal may be one that asks the process to end as it should:
// not SIGQUIT, SIGABRT or SIGKILL.
func isPolite(sig *value) bool {
	return sig.kind != isNumber || sig.n != 3 && sig.n != 6 && sig.n != 9
}

const errgroup = "golang.org/x/sync/errgroup"

// wrapped returns an error made from args; isErr if it is not nil whatever they are.
func (f *follower) wrapped(args []*value, opaque *value, isErr bool) *value {
	for _, v := range args {
		isErr = isErr || v.kind == isClosed || v.kind == isError
	}
	if isErr {
		return &value{kind: isError, id: opaque.id}
	}
	return opaque
}

// nanoseconds returns the duration that v is, or -1 if it is not known.
func nanoseconds(v *value) int64 {
	if v.kind == isNumber {
		return v.n
	}
	return -1
}

// pause returns w after a wait of the duration d.
func (f *follower) pause(w *world, d *value, at ast.Node) *world {
	n := nanoseconds(d)
	switch {
	case n <= 0 || n >= int64(time.Second):
		w = w.drop("napped")
	case !w.has("waited"):
		w = w.add("napped", at.Pos()) // Have: no time in which requests are answered.
	}
	w = w.add("waited", at.Pos()).add("paused", at.Pos())
	if n > 0 {
		w = w.tick(time.Duration(n))
	}
	return w
}
