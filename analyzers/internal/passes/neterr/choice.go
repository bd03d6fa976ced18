package neterr

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// The statuses of a timeout: request timeout and gateway timeout.
const (
	requestTimeout = 408
	gatewayTimeout = 504
)

// StatusIn returns the integer constant that x names or spells, if it is one of
// codes. A duration is no status.
func StatusIn(info *types.Info, x ast.Expr, codes func(int64) bool) (int64, bool) {
	var val constant.Value
	var t types.Type
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		val, t = info.Types[x].Value, info.Types[x].Type
	case *ast.SelectorExpr:
		return StatusIn(info, x.Sel, codes)
	case *ast.Ident:
		if c, ok := info.Uses[x].(*types.Const); ok {
			val, t = c.Val(), c.Type()
		}
	}
	if val == nil || val.Kind() != constant.Int || typeset.IsNamed(t, "time", "Duration") {
		return 0, false
	}
	code, exact := constant.Int64Val(val)
	return code, exact && codes(code)
}

func isTimeoutStatus(code int64) bool { return code == requestTimeout || code == gatewayTimeout }

// Values calls visit for the expressions in n whose values go somewhere: arguments,
// results, elements of structs and maps, what is assigned or sent. It leaves out
// what only asks or tells: comparisons, indices, the arguments of functions that
// return a bool and of loggers, numbers that a list holds or gets; and function literals.
func Values(info *types.Info, n ast.Node, visit func(ast.Expr)) {
	v := valueWalk{info, visit}
	switch n := n.(type) {
	case *ast.ExprStmt:
		v.expr(n.X)
	case *ast.AssignStmt:
		v.exprs(n.Rhs)
	case *ast.ReturnStmt:
		v.exprs(n.Results)
	case *ast.SendStmt:
		v.expr(n.Value)
	case *ast.DeferStmt:
		v.expr(n.Call)
	case *ast.GoStmt:
		v.expr(n.Call)
	case *ast.ValueSpec:
		v.exprs(n.Values)
	case *ast.CallExpr, *ast.BinaryExpr, *ast.UnaryExpr, *ast.ParenExpr:
		v.expr(n.(ast.Expr))
	}
}

type valueWalk struct {
	info  *types.Info
	visit func(ast.Expr)
}

func (v valueWalk) exprs(list []ast.Expr) {
	for _, x := range list {
		v.expr(x)
	}
}

// expr visits x, whose value goes somewhere, and what is in it.
func (v valueWalk) expr(x ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.BasicLit:
		v.visit(x)
	case *ast.CallExpr:
		if v.info.Types[x.Fun].IsType() {
			v.exprs(x.Args)
			return
		}
		if id, ok := ast.Unparen(x.Fun).(*ast.Ident); ok {
			if b, ok := v.info.Uses[id].(*types.Builtin); ok {
				v.builtin(b.Name(), x.Args)
				return
			}
		}
		if v.quiet(x) {
			return
		}
		v.visit(x)
		if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok {
			v.expr(sel.X)
		}
		v.exprs(x.Args)
	case *ast.CompositeLit:
		v.composite(x)
	case *ast.UnaryExpr:
		v.expr(x.X)
	case *ast.StarExpr:
		v.expr(x.X)
	case *ast.TypeAssertExpr:
		v.expr(x.X)
	case *ast.BinaryExpr:
		v.calls(x.X)
		v.calls(x.Y)
	}
}

// builtin visits the arguments of a builtin function.
func (v valueWalk) builtin(name string, args []ast.Expr) {
	for _, arg := range args {
		switch name {
		case "panic":
			v.expr(arg)
		case "append":
			v.calls(arg)
		}
	}
}

// calls visits the calls in x, an operand.
func (v valueWalk) calls(x ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr, *ast.BinaryExpr, *ast.UnaryExpr:
		v.expr(x)
	}
}

// composite visits the elements of lit, but for the numbers in a list.
func (v valueWalk) composite(lit *ast.CompositeLit) {
	list := false
	switch typeset.Underlying(v.info, lit).(type) {
	case *types.Slice, *types.Array:
		list = true
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		if list && v.info.Types[elt].Value != nil {
			continue
		}
		v.expr(elt)
	}
}

// quiet reports whether call answers nobody: it asks something, or tells a log.
func (v valueWalk) quiet(call *ast.CallExpr) bool {
	if typeset.IsBool(v.info.TypeOf(call)) {
		return true
	}
	fn := typeset.Callee(v.info, call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	switch typeset.PkgPath(fn.Pkg()) {
	case "log", "log/slog", "testing", "go.uber.org/zap", "github.com/sirupsen/logrus", "github.com/rs/zerolog":
		return true
	case "fmt":
		return fn.Name() != "Errorf"
	case "net/http":
		return fn.Name() == "StatusText"
	}
	return false
}

// alwaysAnswers returns the status among codes that the statements of list always answer
// with: in one of its own, before any that can leave it. To set a variable is to answer,
// if it outlives list.
func (p *Info) alwaysAnswers(list []ast.Stmt, outlives bool, codes func(int64) bool) (code int64, found bool) {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.ExprStmt, *ast.ReturnStmt, *ast.AssignStmt, *ast.DeferStmt:
			if assign, ok := stmt.(*ast.AssignStmt); ok && !outlives && isLocal(p.pass.TypesInfo, assign) {
				continue
			}
			Values(p.pass.TypesInfo, stmt, func(x ast.Expr) {
				if c, ok := StatusIn(p.pass.TypesInfo, x, codes); ok && !found {
					code, found = c, true
				}
			})
		case *ast.DeclStmt:
		default:
			return code, found // what follows may not be reached
		}
	}
	return code, found
}

// kinds finds the constants of the package that its switches and maps turn into a status
// of a timeout, and into no other: to name one is to choose that.
func (p *Info) kinds() {
	info := p.pass.TypesInfo
	isStatus := func(code int64) bool { return code >= 400 && code < 600 }
	statuses := make(map[*types.Const]int64) // 0 if there are several
	in := p.pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	for cur := range in.Root().Preorder((*ast.CaseClause)(nil), (*ast.KeyValueExpr)(nil)) {
		var names []ast.Expr
		var code int64
		var ok bool
		switch n := cur.Node().(type) {
		case *ast.CaseClause:
			names = n.List
			code, ok = p.alwaysAnswers(n.Body, true, isStatus)
		case *ast.KeyValueExpr:
			names = []ast.Expr{n.Key}
			code, ok = StatusIn(info, n.Value, isStatus)
		}
		for _, x := range names {
			id, isID := ast.Unparen(x).(*ast.Ident)
			if !ok || !isID {
				continue
			}
			if c, isConst := info.Uses[id].(*types.Const); isConst && c.Pkg() == p.pass.Pkg && c.Parent() == c.Pkg().Scope() {
				if old, seen := statuses[c]; seen && old != code {
					code = 0
				}
				statuses[c] = code
			}
		}
	}
	for c, code := range statuses {
		if isTimeoutStatus(code) {
			p.answer(c, code)
		}
	}
}

// isLocal reports whether assign sets variables only, whose values may change.
func isLocal(info *types.Info, assign *ast.AssignStmt) bool {
	for i, x := range assign.Lhs {
		if _, ok := x.(*ast.Ident); !ok {
			return false
		}
		if i < len(assign.Rhs) && structLit(info, assign.Rhs[i]) != nil {
			return false
		}
	}
	return true
}

// holdsStatus returns the status of a timeout that x, the value of a package's
// variable, holds: a struct literal, or a call that makes one.
func (p *Info) holdsStatus(x ast.Expr) (code int64, found bool) {
	x = ast.Unparen(x)
	if call, ok := x.(*ast.CallExpr); !(ok && !p.pass.TypesInfo.Types[call.Fun].IsType()) && structLit(p.pass.TypesInfo, x) == nil {
		return 0, false
	}
	count := 0
	Values(p.pass.TypesInfo, &ast.ReturnStmt{Results: []ast.Expr{x}}, func(x ast.Expr) {
		if c, ok := StatusIn(p.pass.TypesInfo, x, isTimeoutStatus); ok {
			code, count = c, count+1
		}
	})
	return code, count == 1
}
