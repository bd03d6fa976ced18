package timeoutstatus

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/neterr"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/cfg"
)

//go:embed doc.go
var doc string

// Analyzer reports failures of the network that are answered as timeouts.
var Analyzer = newAnalyzer()

func newAnalyzer() *analysis.Analyzer {
	codes := codeList{408, 504}
	a := &analysis.Analyzer{
		Name:     "timeoutstatus",
		Doc:      syntax.Doc(doc, "timeoutstatus"),
		URL:      "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/timeoutstatus",
		Requires: []*analysis.Analyzer{inspect.Analyzer, neterr.Analyzer},
		Run:      func(pass *analysis.Pass) (any, error) { return run(pass, codes) },
	}
	a.Flags.Var(&codes, "codes", "comma-separated status codes that say timeout")
	return a
}

// A codeList is a flag that holds status codes.
type codeList []int64

func (l *codeList) String() string {
	var list []string
	for _, code := range *l {
		list = append(list, strconv.FormatInt(code, 10))
	}
	return strings.Join(list, ",")
}

func (l *codeList) Set(s string) error {
	var list codeList
	for field := range strings.SplitSeq(s, ",") {
		code, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64)
		if err != nil || code < 100 || code > 999 {
			return fmt.Errorf("%q is no status code", field)
		}
		list = append(list, code)
	}
	*l = list
	return nil
}

func (l codeList) has(code int64) bool { return slices.Contains(l, code) }

// What an error may be where a status is chosen is the work of neterr; this pass
// says which functions to follow from which state, and what it is to choose.
//
// A function is followed from its start with nothing known, and once more for each
// error parameter that it gets a failure for: as a proxy's ErrorHandler, or from a
// call in this package. So "default: return 504" is reported in a helper that
// handlers call with what http.Client.Do returned, and not in one that nobody does.
// A function literal is followed from the state in which it is made, a deferred one
// from those in which its function ends.

// A checker checks one package.
type checker struct {
	pass     *analysis.Pass
	info     *types.Info
	in       *inspector.Inspector
	errs     *neterr.Info
	reporter *report.Reporter
	codes    codeList

	follow   map[*ast.FuncDecl]bool // functions to follow
	queue    []job
	queued   map[*types.Var]bool // error parameters for which a job was queued
	reported map[token.Pos]bool
	fixed    map[token.Pos]bool // conditions for which a fix was offered
	seen     map[choice]bool
}

// A job is a function to follow from a state.
type job struct {
	node  ast.Node // *ast.FuncDecl or *ast.FuncLit
	entry neterr.State
}

// A choice is where a failure that came to be known at why is answered.
type choice struct {
	why   token.Pos
	block *cfg.Block
}

func run(pass *analysis.Pass, codes codeList) (any, error) {
	if !typeset.Imports(pass.Pkg, "net") {
		return nil, nil
	}
	c := &checker{
		pass:     pass,
		info:     pass.TypesInfo,
		in:       pass.ResultOf[inspect.Analyzer].(*inspector.Inspector),
		errs:     pass.ResultOf[neterr.Analyzer].(*neterr.Info),
		reporter: report.New(pass),
		codes:    codes,
		follow:   make(map[*ast.FuncDecl]bool),
		queued:   make(map[*types.Var]bool),
		reported: make(map[token.Pos]bool),
		fixed:    make(map[token.Pos]bool),
		seen:     make(map[choice]bool),
	}
	answering := c.find()
	if len(answering) == 0 && len(c.queue) == 0 {
		return nil, nil
	}
	c.findCallers(answering)
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && c.follow[decl] {
				c.queue = append(c.queue, job{decl, neterr.Unknown()})
			}
		}
	}
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.check(next)
	}
	return nil, nil
}

// find looks through the package for what names a status. It notes the functions
// that do, to be followed, and returns them; it queues the error handlers of
// proxies, and checks tables.
func (c *checker) find() map[*types.Func]bool {
	answering := make(map[*types.Func]bool)
	for fileCur := range c.in.Root().Children() {
		file := fileCur.Node().(*ast.File)
		if report.IsTest(c.pass, file) {
			continue
		}
		for cur := range fileCur.Preorder((*ast.BasicLit)(nil), (*ast.Ident)(nil), (*ast.CompositeLit)(nil), (*ast.AssignStmt)(nil)) {
			switch n := cur.Node().(type) {
			case *ast.BasicLit, *ast.Ident:
				if !c.names(n.(ast.Expr)) {
					continue
				}
				for decl := range cur.Enclosing((*ast.FuncDecl)(nil)) {
					decl := decl.Node().(*ast.FuncDecl)
					c.follow[decl] = true
					if fn, ok := c.info.Defs[decl.Name].(*types.Func); ok {
						answering[fn] = true
					}
				}
			case *ast.CompositeLit:
				c.checkTable(n)
				for _, elt := range n.Elts {
					if kv, ok := elt.(*ast.KeyValueExpr); ok {
						if key, ok := kv.Key.(*ast.Ident); ok {
							c.errorHandler(c.info.Uses[key], kv.Value)
						}
					}
				}
			case *ast.AssignStmt:
				for i, x := range n.Lhs {
					if sel, ok := x.(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) {
						c.errorHandler(c.info.Uses[sel.Sel], n.Rhs[i])
					}
				}
			}
		}
	}
	return answering
}

// names reports whether x names a status: a number, a constant, or a variable or
// function that stands for one.
func (c *checker) names(x ast.Expr) bool {
	if id, ok := x.(*ast.Ident); ok {
		switch obj := c.info.Uses[id].(type) {
		case *types.Const:
		case *types.Func, *types.Var:
			code, ok := c.errs.Answers(obj)
			return ok && c.codes.has(code)
		default:
			return false
		}
	}
	_, ok := c.status(x)
	return ok
}

// status returns the status that x is.
func (c *checker) status(x ast.Expr) (int64, bool) {
	return neterr.StatusIn(c.info, x, c.codes.has)
}

// findCallers has the functions followed that pass an error to one in answering.
func (c *checker) findCallers(answering map[*types.Func]bool) {
	takes := false
	for fn := range answering {
		for v := range fn.Signature().Params().Variables() {
			takes = takes || neterr.IsError(v.Type())
		}
	}
	if !takes {
		return
	}
	for cur := range c.in.Root().Preorder((*ast.CallExpr)(nil)) {
		if _, fn := c.errs.Callee(cur.Node().(*ast.CallExpr)); fn == nil || !answering[fn] {
			continue
		}
		for decl := range cur.Enclosing((*ast.FuncDecl)(nil)) {
			c.follow[decl.Node().(*ast.FuncDecl)] = true
		}
	}
}

// errorHandler queues the functions that x may be, if it is set as the ErrorHandler
// of a proxy.
func (c *checker) errorHandler(field types.Object, x ast.Expr) {
	if v, ok := field.(*types.Var); !ok || !httpmodel.IsProxyErrorHandler(v) {
		return
	}
	for _, node := range c.errs.Functions(x) {
		if params := c.errs.Params(node); len(params) > 0 {
			c.enqueue(node, params[len(params)-1], neterr.Failure{Set: neterr.FromTransport() &^ neterr.None})
		}
	}
}

// enqueue queues the function node, whose parameter v is the failure f.
func (c *checker) enqueue(node ast.Node, v *types.Var, f neterr.Failure) {
	if c.queued[v] {
		return
	}
	c.queued[v] = true
	c.queue = append(c.queue, job{node, c.errs.Failed(v, f)})
}

// check follows the function of j, and the function literals in it.
func (c *checker) check(j job) {
	flow := c.errs.Follow(j.node, j.entry, c.status)
	if flow == nil {
		return
	}
	lits := make(map[*ast.FuncLit]neterr.State)
	var deferred []*ast.FuncLit
	var end []neterr.State
	flow.Walk(func(b *cfg.Block, n ast.Node, s neterr.State) {
		if n == nil {
			if b.Return() != nil {
				end = append(end, s)
				for _, left := range flow.Left(s) {
					c.answered(b, left)
				}
			}
			return
		}
		neterr.Values(c.info, n, func(x ast.Expr) { c.value(flow, b, n, s, x) })
		if d, ok := n.(*ast.DeferStmt); ok {
			if lit, ok := ast.Unparen(d.Call.Fun).(*ast.FuncLit); ok {
				deferred = append(deferred, lit)
			}
		}
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				if c.holdsStatus(n) {
					lits[n] = flow.Enter(s, n)
				}
				return false
			case *ast.CallExpr:
				c.passes(flow, n, s)
			}
			return true
		})
	})
	for _, lit := range deferred {
		if _, ok := lits[lit]; ok && len(end) > 0 {
			lits[lit] = flow.Join(end)
		}
	}
	for _, lit := range slices.SortedFunc(maps.Keys(lits), func(x, y *ast.FuncLit) int { return int(x.Pos() - y.Pos()) }) {
		c.check(job{lit, lits[lit]})
	}
}

// passes queues the function of this package that call calls with a failure.
func (c *checker) passes(flow *neterr.Flow, call *ast.CallExpr, s neterr.State) {
	fun, fn := c.errs.Callee(call)
	if fn != nil {
		if _, always := c.errs.Answers(fn); always {
			return // the call is the choice
		}
	}
	for _, node := range c.errs.Functions(fun) {
		if decl, ok := node.(*ast.FuncDecl); ok && !c.follow[decl] {
			continue
		}
		for i, v := range c.errs.Params(node) {
			if i >= len(call.Args) || !neterr.IsError(v.Type()) {
				continue
			}
			if f, ok := flow.WrongError(s, call.Args[i]); ok {
				c.enqueue(node, v, f)
			}
		}
	}
}

// holdsStatus reports whether a status is named in lit.
func (c *checker) holdsStatus(lit *ast.FuncLit) bool {
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || c.names(n)
		case *ast.BasicLit:
			found = found || c.names(n)
		}
		return !found
	})
	return found
}

// value checks x, a value that goes somewhere at n, where s holds.
func (c *checker) value(flow *neterr.Flow, b *cfg.Block, n ast.Node, s neterr.State, x ast.Expr) {
	if code, ok := c.status(x); ok {
		if !tracked(flow, n, x) {
			c.answered(b, neterr.Chosen{Status: neterr.Status{Code: code, Pos: x.Pos()}, State: s})
		}
		return
	}
	var obj types.Object
	switch x := x.(type) {
	case *ast.CallExpr:
		if _, fn := c.errs.Callee(x); fn != nil {
			obj = fn
		}
	case *ast.Ident:
		obj = variable(c.info.Uses[x])
	case *ast.SelectorExpr:
		obj = variable(c.info.Uses[x.Sel])
	}
	if code, ok := c.errs.Answers(obj); ok && c.codes.has(code) {
		c.answered(b, neterr.Chosen{Status: neterr.Status{Code: code, Pos: x.Pos()}, State: s})
		return
	}
	for _, chosen := range flow.Statuses(s, x) {
		c.answered(b, chosen)
	}
}

// variable returns obj if it is a variable, or nil.
func variable(obj types.Object) types.Object {
	if _, ok := obj.(*types.Var); !ok {
		return nil
	}
	return obj
}

// tracked reports whether n only puts the status x into a variable or a field, in
// which flow follows it.
func tracked(flow *neterr.Flow, n ast.Node, x ast.Expr) bool {
	var lhs, rhs []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		lhs, rhs = n.Lhs, n.Rhs
	case *ast.ValueSpec:
		rhs = n.Values
		for _, name := range n.Names {
			lhs = append(lhs, name)
		}
	}
	for i, r := range rhs {
		if len(lhs) == len(rhs) && flow.Tracks(lhs[i], r, x) {
			return true
		}
	}
	return false
}

// answered reports the status chosen, if it is a wrong answer.
func (c *checker) answered(b *cfg.Block, chosen neterr.Chosen) {
	f, wrong := chosen.State.Wrong()
	if !wrong || c.reported[chosen.Status.Pos] || c.seen[choice{f.Why, b}] {
		return
	}
	c.reported[chosen.Status.Pos] = true
	c.seen[choice{f.Why, b}] = true
	c.report(chosen.Status, f)
}

// report reports that status answers f.
func (c *checker) report(status neterr.Status, f neterr.Failure) {
	what, known := "the error", "it is a failure of the network: more is not known of it"
	switch x := c.errs.Why(f).(type) {
	case *ast.CallExpr:
		what = "any failure of " + types.ExprString(x.Fun)
		known = types.ExprString(x.Fun) + " fails"
	case ast.Expr:
		what = types.ExprString(x)
		known = what + " is a failure of the network: more is not known of it"
	}
	c.reporter.Report(analysis.Diagnostic{
		Pos:     status.Pos,
		Message: fmt.Sprintf("%s is answered %d without asking Timeout() (a refused connection passes for a timeout)", what, status.Code),
		Related: []analysis.RelatedInformation{{Pos: f.Why, Message: known}},

		SuggestedFixes: c.fixes(status.Pos, f.Why),
	})
}

// checkTable checks lit, of a struct or a map, that pairs a function that asks
// about an error with a status.
func (c *checker) checkTable(lit *ast.CompositeLit) {
	t := c.info.TypeOf(lit)
	if t == nil {
		return
	}
	switch t.Underlying().(type) {
	case *types.Struct:
		var values []ast.Expr
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			values = append(values, elt)
		}
		c.checkPair(values)
	case *types.Map:
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				c.checkPair([]ast.Expr{kv.Key, kv.Value})
			}
		}
	}
}

// checkPair checks the values of one row of a table.
func (c *checker) checkPair(values []ast.Expr) {
	for _, status := range values {
		code, ok := c.status(status)
		if !ok || c.reported[status.Pos()] {
			continue
		}
		for _, x := range values {
			if c.errs.AsksNet(x) {
				c.reported[status.Pos()] = true
				c.reporter.Report(analysis.Diagnostic{
					Pos:     status.Pos(),
					Message: fmt.Sprintf("an error of which %s holds is answered %d without asking Timeout() (a refused connection passes for a timeout)", name(x), code),
					Related: []analysis.RelatedInformation{{Pos: x.Pos(), Message: "it asks for a failure of the network, and no more"}},
				})
				break
			}
		}
	}
}

// name returns how to call the function x in a message.
func name(x ast.Expr) string {
	if _, ok := ast.Unparen(x).(*ast.FuncLit); ok {
		return "the function beside it"
	}
	return types.ExprString(x)
}
