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
		neterr.Values(c.info, n, func(x ast.Expr) { c.value(flow, b, n, flow.Picked(s, n, x), x) })
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
		obj = holder(c.info.Uses[x])
	case *ast.SelectorExpr:
		obj = holder(c.info.Uses[x.Sel])
	}
	if code, ok := c.errs.Answers(obj); ok && c.codes.has(code) {
		c.answered(b, neterr.Chosen{Status: neterr.Status{Code: code, Pos: x.Pos()}, State: s})
		return
	}
	for _, chosen := range flow.Statuses(s, x) {
		c.answered(b, chosen)
	}
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
