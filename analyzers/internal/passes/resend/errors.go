package resend

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// isContextError reports whether e is context.Canceled or DeadlineExceeded.
func isContextError(info *types.Info, e ast.Expr) bool {
	v := typeset.VarOf(info, e)
	return v != nil && v.Pkg() != nil && v.Pkg().Path() == "context"
}

// isSentinel refines a world by errors.Is(v, target), v the error of a site.
func (f *frame) isSentinel(w *world, v val, target ast.Expr, truth bool) *world {
	name := ""
	switch obj := f.info.ObjectOf(orSel(target)).(type) {
	case *types.Var:
		if obj.Pkg() != nil {
			name = obj.Pkg().Path() + "." + obj.Name()
		}
	case *types.Const:
		if obj.Pkg() != nil {
			name = obj.Pkg().Path() + "." + obj.Name()
		}
	}
	if f.isOwnSentinel(target) {
		return whenFalse(w, truth)
	}
	switch name {
	case "context.Canceled":
		return f.narrow(w, v, Canceled, truth)
	case "context.DeadlineExceeded", "os.ErrDeadlineExceeded":
		return f.narrow(w, v, Timeout, truth)
	case "syscall.ECONNREFUSED", "syscall.EHOSTUNREACH", "syscall.ENETUNREACH":
		if !truth {
			return w
		}
		return f.narrow(w, v, Dial, true)
	case "io.EOF", "io.ErrUnexpectedEOF", "syscall.ECONNRESET", "syscall.EPIPE", "net.ErrClosed", "syscall.ECONNABORTED":
		if !truth {
			return w
		}
		return f.narrow(w, v, Broken, true)
	case "syscall.ETIMEDOUT":
		return w
	}
	return f.doubts(w)
}

// isOwnSentinel reports whether x is an error that a package makes by errors.New, and
// that no request fails with.
func (e *engine) isOwnSentinel(x ast.Expr) bool {
	v := typeset.VarOf(e.info, x)
	if v == nil || v.Pkg() == nil || v.IsField() {
		return false
	}
	if v.Pkg() != e.pass.Pkg {
		return e.isSentinelVar(v)
	}
	call, ok := e.index.OnlyDef(v).(*ast.CallExpr)
	if !ok || v.Parent() != v.Pkg().Scope() {
		return ok && e.errorsFunc(call) == "New"
	}
	return e.errorsFunc(call) != ""
}

// orSel returns the identifier that e is, or selects.
func orSel(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr: // an instance
		return orSel(e.X)
	}
	return ast.NewIdent("")
}

// narrow refines a world by whether the error v is one of some.
func (f *frame) narrow(w *world, v val, some Errs, truth bool) *world {
	if v.k != errOf {
		return w
	}
	r := ref{v.obj, "#err"}
	have := Errs(w.get(r).n)
	if truth {
		have &= some
	} else {
		have &^= some
	}
	if have == 0 {
		return nil
	}
	return w.with(r, val{k: bits, n: uint64(have)})
}

// isA refines a world by whether v, or what it wraps, is of the type target.
func (f *frame) isA(w *world, v val, target types.Type, truth bool) *world {
	switch v.k {
	case isNil:
		return whenFalse(w, truth)
	case unknown, nonNil: // of another package's making
		return f.doubts(w)
	case madeErr: // by errors.New, fmt.Errorf and the like, of nothing else
		if !httpmodel.IsError(target) {
			return whenFalse(w, truth)
		}
	case wrappedErr:
		if named := typeset.Named(target); named != nil && permanent.MatchString(v.s) && permanent.MatchString(named.Obj().Name()) {
			return whenFalse(w, !truth)
		}
	case statusOf: // an error that is a status
		if target != nil && typeset.IsInteger(target) {
			return whenFalse(w, !truth)
		}
	case object:
		t := f.typeOf(v.obj)
		if t == nil || target == nil {
			return w
		}
		same := types.Identical(t, target) || types.Identical(types.NewPointer(t), target)
		if iface, ok := target.Underlying().(*types.Interface); ok {
			same = types.Implements(t, iface) || types.Implements(types.NewPointer(t), iface)
		}
		if same != truth {
			return nil
		}
		return w
	case errOf:
		switch {
		case typeset.IsNamed(target, "net/url", "Error"), typeset.IsNamed(target, "net", "Error"), isTimeouter(target):
			if !truth {
				return nil
			}
			return w
		case typeset.IsNamed(target, "net", "OpError"):
			if truth {
				return f.narrow(w, v, Dial|Broken|Timeout, true)
			}
			return w
		case typeset.IsNamed(target, "net", "DNSError"):
			if truth {
				return f.narrow(w, v, Dial, true)
			}
			return w
		}
		if named := typeset.Named(target); named != nil && f.sameModule(named.Obj().Pkg()) {
			return whenFalse(w, truth)
		}
		return f.doubts(w)
	}
	return w
}

// isTimeouter reports whether t is an interface with only Timeout.
func isTimeouter(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() > 0 && i.Method(0).Name() == "Timeout" && i.NumMethods() == 1
}

// textOf returns the text or format that an error is made of at call, if the package
// asks about the text of errors.
func (f *frame) textOf(call *ast.CallExpr) string {
	if f.texts == nil {
		f.texts = new(bool)
		for _, file := range f.pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					*f.texts = *f.texts || typeset.IsFunc(typeset.Callee(f.info, n), "strings", "Contains", "HasPrefix") && isText(n.Args[0])
				case *ast.BinaryExpr:
					*f.texts = *f.texts || isText(n.X)
				}
				return !*f.texts
			})
		}
	}
	if !*f.texts || len(call.Args) == 0 {
		return ""
	}
	tv := f.info.Types[call.Args[0]]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(tv.Value)
}

// textSays refines a world by whether the text of an error holds another one, or is it.
func (f *frame) textSays(w *world, of, x ast.Expr, truth bool) *world {
	asked := val{}
	ast.Inspect(of, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && asked.k != errOf {
			switch v := f.eval(w, e); v.k {
			case errOf, madeErr:
				asked = v
			case object, statusOf, wrappedErr:
				if f.isErr(e) {
					asked = v
				}
			}
		}
		return true
	})
	text := f.eval(w, x)
	if asked.k == madeErr && text.k == constant_ {
		switch {
		case asked.s == "":
			return f.doubts(w)
		case strings.Contains(asked.s, trimQuotes(text.s)):
			return whenFalse(w, !truth)
		case !strings.Contains(asked.s, "%"):
			return whenFalse(w, truth)
		}
	}
	if asked.k == unknown || text.k != constant_ || !truth {
		return w
	}
	if asked.k != errOf {
		return f.doubts(w) // Have: a text that is put together.
	}
	lower := strings.ToLower(text.s)
	for _, x := range []struct {
		errs  Errs
		words []string
	}{
		{Dial, []string{"refused", "no such host", "no route", "dial", "lookup", "unreachable"}},
		{Timeout, []string{"timeout", "deadline", "timed out"}},
		{Broken, []string{"eof", "reset", "broken pipe", "closed", "goaway"}},
		{Canceled, []string{"context canceled"}},
	} {
		for _, word := range x.words {
			if strings.Contains(lower, word) {
				return f.narrow(w, asked, x.errs, true)
			}
		}
	}
	return f.doubts(w)
}
