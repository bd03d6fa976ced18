package resend

import (
	"go/ast"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// known returns the worlds after a call of a function that the analysis knows.
func (f *frame) known(w *world, call *ast.CallExpr, fn *types.Func) (state, bool) {
	sel, _ := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if name := f.errorsFunc(call); name != "" {
		switch name {
		case "Is", "As", "AsType":
			return state{w}, true
		case "New", "Errorf", "Join", "Unwrap", "Wrap", "Wrapf", "WithStack", "WithMessage", "WithMessagef":
			v := val{k: madeErr, s: f.textOf(call)}
			if name == "Unwrap" {
				v = val{}
			}
			for _, arg := range call.Args {
				if x := f.eval(w, arg); x.k == errOf || x.k == buildErr || x.k == object || x.k == wrappedErr || x.k == sentinel || x.k == statusOf && f.isErr(arg) {
					v = x
				} else if x.k != isNil && x.k != madeErr && f.isErr(arg) && v.k == madeErr {
					v = val{k: nonNil}
				}
			}
			return state{w.with(ref{call, "0"}, v)}, true
		}
	}
	if fn == nil {
		if sel != nil && sel.Sel.Name == "GetBody" && f.eval(w, sel.X).k == request {
			c := w.clone()
			c.forget(ref{call, "#used"})
			c.put(ref{call, "0"}, val{k: reader, obj: call})
			c.put(ref{call, "1"}, val{k: isNil})
			return state{c}, true
		}
		return nil, false
	}
	if fn.Pkg() == nil {
		return nil, false
	}
	switch path := typeset.PkgPath(fn.Pkg()); path {
	case "net/url":
		if fn.Name() == "Parse" || fn.Name() == "ParseRequestURI" {
			return f.build(w, call, w.with(ref{call, "1"}, val{k: isNil})), true
		}
	case httpmodel.FastHTTP:
		return f.knownFast(w, call, fn, sel)
	case httpmodel.NetHTTP, httpmodel.RetryablePath:
		return f.knownHTTP(w, call, fn, sel)
	case "io", "io/ioutil", "bufio":
		switch fn.Name() {
		case "ReadAll":
			v := f.answer(w, call.Args[0])
			if v.k == unknown {
				return state{f.results(w, call, map[int]val{0: {k: nonNil}})}, true
			}
			return state{f.results(w, call, map[int]val{0: v, 1: {k: readErr, obj: v.obj}})}, true
		case "Copy":
			if v := f.answer(w, call.Args[1]); v.k != unknown {
				return state{f.results(w, call, map[int]val{1: {k: readErr, obj: v.obj}})}, true
			}
		case "NopCloser", "TeeReader", "NewReader", "NewReaderSize", "MultiReader":
			for _, arg := range call.Args {
				if v := f.eval(w, arg); v.k == reader {
					return state{w.with(ref{call, "0"}, v)}, true
				}
			}
		}
	case "encoding/json":
		switch fn.Name() { // what is sent can be written
		case "Marshal", "MarshalIndent":
			return state{f.results(w, call, map[int]val{0: {k: nonNil}, 1: {k: isNil}})}, true
		case "Encode":
			return state{f.results(w, call, map[int]val{0: {k: isNil}})}, true
		}
		if s := f.decoded(w, call, fn); s != nil {
			return s, true
		}
	case "slices":
		if fn.Name() == "Contains" {
			return state{w}, true
		}
	case "strings", "os":
		switch fn.Name() {
		case "Contains", "HasSuffix", "HasPrefix", "EqualFold", "IsTimeout":
			return state{w}, true
		}
	}
	if sel != nil && fn.Signature().Recv() != nil {
		switch v := f.eval(w, sel.X); v.k {
		case reader:
			switch fn.Name() {
			case "Seek":
				return state{f.results(w.rewound(), call, nil)}, true
			case "Reset", "Write", "WriteString", "WriteByte", "ReadFrom", "Truncate":
				return state{f.results(w.filled(v.obj), call, nil)}, true
			}
		case respOf:
			if fn.Name() == "StatusCode" {
				return state{w.with(ref{call, "0"}, val{k: statusOf, obj: v.obj})}, true
			}
			if fn.Name() == "IsError" || fn.Name() == "IsSuccess" {
				return f.restyStatus(w, call, v, fn.Name() == "IsError"), true
			}
		case errOf:
			if fn.Name() == "Timeout" || fn.Name() == "Temporary" || fn.Name() == "Error" || fn.Name() == "Unwrap" {
				if fn.Name() == "Unwrap" {
					w = w.with(ref{call, "0"}, v)
				}
				return state{w}, true
			}
		}
	}
	return nil, false
}

// isErr reports whether e is an error, of whatever type.
func (f *frame) isErr(e ast.Expr) bool { return httpmodel.ImplementsError(f.info.TypeOf(e)) }

// errorsFunc returns the name of the function that call calls if it makes, wraps or
// compares errors: of package errors, of one of its kind, or fmt.Errorf. In some of them
// the functions are variables.
func (e *engine) errorsFunc(call *ast.CallExpr) string {
	obj := e.info.ObjectOf(orSel(call.Fun))
	if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	if name := obj.Pkg().Name(); name == "errors" || name == "xerrors" || obj.Pkg().Path() == "fmt" && obj.Name() == "Errorf" {
		return obj.Name()
	}
	return ""
}

// restyStatus makes two worlds of a question about a response of resty.
func (f *frame) restyStatus(w *world, call *ast.CallExpr, v val, isError bool) state {
	var s state
	for _, truth := range []bool{true, false} {
		c := f.narrowStatus(w, v, func(n int) bool {
			return (isError && n > 399 || !isError && n >= 200 && n < 300) == truth
		})
		if c != nil {
			s = append(s, c.with(ref{call, "0"}, boolVal(truth)))
		}
	}
	return f.join(nil, s)
}

// knownHTTP is known for what makes requests.
func (f *frame) knownHTTP(w *world, call *ast.CallExpr, fn *types.Func, sel *ast.SelectorExpr) (state, bool) {
	args := call.Args
	switch fn.Name() {
	case "NewRequestWithContext", "NewRequest":
		if fn.Name() == "NewRequestWithContext" && len(args) > 0 {
			args = args[1:]
		}
		if len(args) != 3 || fn.Signature().Recv() != nil {
			return nil, false
		}
		return f.newRequest(w, call, args, typeset.PkgPath(fn.Pkg()) == httpmodel.RetryablePath), true
	case "FromRequest":
		base := f.eval(w, args[0])
		if base.k != request {
			return nil, false
		}
		c := w.clone()
		f.freshRequest(c, call)
		for _, part := range []string{".Method", "#key"} {
			c.put(ref{call, part}, w.get(ref{base.obj, part}))
		}
		c.put(ref{call, ".Body"}, val{k: isNil}) // it is rewound
		c.put(ref{call, "0"}, val{k: request, obj: call})
		c.put(ref{call, "1"}, val{k: isNil})
		return state{c}, true
	case "Clone", "WithContext":
		if sel == nil || !typeset.IsMethod(fn, httpmodel.NetHTTP, "Request", fn.Name()) {
			return nil, false
		}
		base := f.eval(w, sel.X)
		if base.k != request {
			return nil, false
		}
		c := w.clone()
		f.freshRequest(c, call)
		c.forget(ref{call, "#made"})
		for _, part := range []string{".Method", ".Body", "#key", "#by"} {
			c.put(ref{call, part}, w.get(ref{base.obj, part}))
		}
		if _, ok := c.m[ref{call, ".Body"}]; !ok && isRequestObj(base.obj) {
			c.put(ref{call, ".Body"}, val{k: reader, obj: bodyOf{base.obj}})
		}
		if fn.Name() == "Clone" {
			c.put(ref{call, "#clone"}, val{k: nonNil})
		}
		c.put(ref{call, "0"}, val{k: request, obj: call})
		return state{c}, true
	case "Set", "Add", "Del", "Get", "SetBasicAuth", "Context", "AddCookie", "UserAgent":
		if sel == nil {
			return nil, false
		}
		if fn.Name() == "Set" || fn.Name() == "Add" {
			if h, ok := ast.Unparen(sel.X).(*ast.SelectorExpr); ok && h.Sel.Name == "Header" && len(args) == 2 {
				req := f.eval(w, h.X)
				if req.k != request {
					req = val{}
				}
				if req.k == request && f.isQuestion(args[1]) {
					return state{w.with(ref{req.obj, "#key"}, val{k: nonNil})}, true
				}
				return state{f.nameHeader(w, req, args[0])}, true
			}
		}
		return state{w}, true
	}
	return nil, false
}

// newRequest makes two worlds: one with a request, one without.
func (f *frame) newRequest(w *world, call *ast.CallExpr, args []ast.Expr, rewinds bool) state {
	made := w.clone()
	f.freshRequest(made, call)
	made.put(ref{call, ".Method"}, f.eval(w, args[0]))
	body := f.eval(w, args[2])
	switch {
	case rewinds:
		body = val{k: isNil}
	case body.k == unknown || body.k == nonNil:
		body = val{}
	}
	made.put(ref{call, ".Body"}, body)
	made.put(ref{call, "0"}, val{k: request, obj: call})
	made.put(ref{call, "1"}, val{k: isNil})
	return f.build(w, call, made)
}

// build makes a world of its own of that in which a call could not make what a request
// needs, besides the one in which it is made.
func (f *frame) build(w *world, call *ast.CallExpr, made *world) state {
	st := f.site(call)
	if w.get(ref{st, "#sent"}).k != unknown {
		f.emit(w, st, st, &Event{Build: call})
		return nil
	}
	if f.dropsError(call) {
		return state{made} // Have: without a request, what follows panics.
	}
	failed := w.clone()
	failed.put(ref{st, "#sent"}, val{k: nonNil})
	failed.put(ref{st, "#unmade"}, val{k: nonNil})
	failed.put(ref{call, "0"}, val{k: isNil})
	failed.put(ref{call, "1"}, val{k: buildErr, obj: call})
	return f.join(state{made}, state{failed})
}

// dropsError reports whether the last result of call is assigned to no variable.
func (e *engine) dropsError(call *ast.CallExpr) bool {
	if e.careless == nil {
		e.careless = make(map[*ast.CallExpr]bool)
		for _, file := range e.pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				if n, ok := n.(*ast.AssignStmt); ok && len(n.Rhs) == 1 && len(n.Lhs) > 1 {
					c, isCall := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
					if id, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && isCall && id.Name == "_" {
						e.careless[c] = true
					}
				}
				return true
			})
		}
	}
	return e.careless[call]
}
