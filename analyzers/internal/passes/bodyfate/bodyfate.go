// Package bodyfate says what becomes of the bodies of HTTP responses: which
// functions read, close or keep one that they are given, which return one that
// is still to be read, and where one is closed before it was read to its end.
//
// # The analysis
//
// It is a may analysis over paths: a body is lost if on some path nothing read
// it to its end before it is closed. Each body is followed by itself, from the
// call (or parameter) that brings it; what is not followed is never reported. The
// state at a point is a set of tuples (see tuple): the progress of reading, the
// places that lead to the body, the deferred calls, and, as far as all paths of
// the tuple agree, the conditions known to hold, the possible status codes and
// content lengths. Paths that contradict themselves are dropped.
//
// Function literals that the function calls or defers are run in place. A call
// of another function applies its outcomes: computed from its body in this
// package, imported as a fact otherwise. A body that reaches a function of which
// nothing is known, a field, a channel or a goroutine is out of sight.
//
// Refused: SSA (it costs several times all of this); one state per point, with the
// conditions joined away (each correlated pair of ifs becomes a false report);
// guessing from the names of helpers.
package bodyfate

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/cfg"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/cfgs"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

var Analyzer = &analysis.Analyzer{
	Name:       "bodyfate",
	Doc:        "follow the bodies of HTTP responses through functions",
	Requires:   []*analysis.Analyzer{cfgs.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(fateFact)},
}

// A Result answers questions about the bodies of one package.
type Result struct {
	checker *checker
}

// A Loss is a place where a body is closed before it was read to its end.
type Loss struct {
	Close  *ast.CallExpr  // the call that closes it, or of the helper that does
	Defer  *ast.DeferStmt // the statement that defers Close, or nil
	Func   ast.Node       // the *ast.FuncDecl or *ast.FuncLit that Close is in
	Source ast.Node       // the call or receive that brought the body; nil if a parameter did
	Helper string         // the name of the helper that closes, or ""
	Ways   []Way          // the ways to the close, at least one
}

// A Way is a group of paths to a Loss.
type Way struct {
	Read   Progress  // how far the body was read: not Drained
	Branch token.Pos // the last condition on the way
	Return token.Pos // where the close is deferred: the return that leads to it
}

// Losses returns the losses of the package, in the order of the source.
func (r *Result) Losses() []*Loss {
	byCall := make(map[*ast.CallExpr]*Loss)
	c := r.checker
	if c == nil {
		return nil
	}
	argument := make(map[ast.Node]bool)
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				for _, arg := range n.Args {
					argument[ast.Unparen(arg)] = true
				}
			case *ast.FuncDecl, *ast.FuncLit:
				c.lossesIn(n, argument[n], byCall)
			}
			return true
		})
	}
	losses := make([]*Loss, 0, len(byCall))
	for _, l := range byCall {
		losses = append(losses, l)
	}
	slices.SortFunc(losses, func(a, b *Loss) int { return int(a.Close.Pos() - b.Close.Pos()) })
	return losses
}

// A checker holds what the traces of one package share.
type checker struct {
	pass  *analysis.Pass
	cfgs  *ctrlflow.CFGs
	decls map[*types.Func]*ast.FuncDecl

	ids         map[any]int
	keyVars     map[string][]*types.Var   // by exprKey: the variables in it
	defs        map[*types.Var][]ast.Expr // what is assigned to a variable or field
	sets        map[*types.Var][]setting  // what is assigned to the fields of one
	calledBy    map[ast.Node][]ast.Expr
	loopsOf     map[ast.Node][]ast.Node
	iterators   map[ast.Expr]*types.Var // by what is ranged over
	liveResults map[ast.Node][]live
	makers      map[*types.TypeName]*ast.FuncLit // by type of functions: its only maker
	sent        map[string][]live                // by element type: what the package sends on channels
	summaries   map[string][]outcome             // by summaryKey; nil: nothing is known
	summarizing map[*ast.FuncDecl]bool           // being computed
}

func run(pass *analysis.Pass) (any, error) {
	if typeset.IsStd(pass.Pkg, pass.Module) { // the tables tell of it
		return &Result{}, nil
	}
	c := &checker{
		pass:        pass,
		cfgs:        pass.ResultOf[cfgs.Analyzer].(*ctrlflow.CFGs),
		decls:       make(map[*types.Func]*ast.FuncDecl),
		ids:         make(map[any]int),
		keyVars:     make(map[string][]*types.Var),
		calledBy:    make(map[ast.Node][]ast.Expr),
		loopsOf:     make(map[ast.Node][]ast.Node),
		iterators:   make(map[ast.Expr]*types.Var),
		liveResults: make(map[ast.Node][]live),
		summaries:   make(map[string][]outcome),
		summarizing: make(map[*ast.FuncDecl]bool),
	}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				if fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					c.decls[fn] = decl
				}
			}
		}
	}
	c.exportFacts()
	return &Result{c}, nil
}

// id returns a small number for x, the same for the same x.
func (c *checker) id(x any) int {
	n, ok := c.ids[x]
	if !ok {
		n = len(c.ids)
		c.ids[x] = n
	}
	return n
}

// trace returns a new trace of the function fn.
func (c *checker) trace(fn ast.Node, src *source) *trace {
	return &trace{checker: c, root: fn, source: src}
}

// lossesIn adds the losses of the bodies that come into the function fn. If it is an
// argument of a call, it may be called again, and find what it kept the time before.
func (c *checker) lossesIn(fn ast.Node, argument bool, byCall map[*ast.CallExpr]*Loss) {
	for _, src := range c.sources(fn) {
		tr := c.trace(fn, src)
		tr.losses = make(map[*ast.CallExpr]*Loss)
		exits := tr.run(fn, start())
		if argument {
			for _, x := range exits {
				if kept := x.keptOutside(fn); kept != nil {
					tr.run(fn, kept)
				}
			}
		}
		if !tr.failed {
			maps.DeleteFunc(tr.losses, func(call *ast.CallExpr, l *Loss) bool { return l.Defer == nil && c.isLast(fn, call) })
			addLosses(byCall, tr.losses)
		}
	}
	for i, p := range c.params(fn) {
		if p != nil && httpmodel.IsResponse(p.Type()) && c.owns(fn, i) {
			addLosses(byCall, c.paramLosses(fn, p))
		}
	}
}

// keptOutside returns the state at the start of a function literal that is called
// after it left a body open in variables around it, or nil if it did not.
func (t *tuple) keptOutside(lit ast.Node) *tuple {
	if t.fate != open {
		return nil
	}
	kept := &tuple{read: t.read, fate: open, status: t.status, lengths: t.lengths}
	for p, h := range t.vars {
		if !declaredIn(p.v, lit) {
			kept = kept.set(p, value{{"", h}})
		}
	}
	if len(kept.vars) == 0 {
		return nil
	}
	return kept
}

// isLast reports whether the function fn never returns once it has come to call:
// the process ends, or a panic does.
func (c *checker) isLast(fn ast.Node, call *ast.CallExpr) bool {
	g, _, _ := c.graph(fn)
	var from *cfg.Block
	for _, b := range g.Blocks {
		for _, n := range b.Nodes {
			if b.Live && n.Pos() <= call.Pos() && call.End() <= n.End() {
				from = b
			}
		}
	}
	if from == nil || from.Return() != nil {
		return false
	}
	seen := make(map[*cfg.Block]bool)
	next := slices.Clone(from.Succs)
	for len(next) > 0 {
		b := next[0]
		next = next[1:]
		if b == from || b.Return() != nil {
			return false // goes round, or returns
		}
		if !seen[b] {
			seen[b] = true
			next = append(next, b.Succs...)
		}
	}
	return true
}

// addLosses merges more into byCall.
func addLosses(byCall, more map[*ast.CallExpr]*Loss) {
	for call, l := range more {
		if old, ok := byCall[call]; ok {
			l.Ways = append(old.Ways, l.Ways...)
		}
		byCall[call] = l
	}
}

// lose records that call closes the body of t before it was read to its end.
func (tr *trace) lose(t *tuple, call *ast.CallExpr, helper string) {
	if tr.losses == nil {
		return
	}
	l := tr.losses[call]
	if l == nil {
		l = &Loss{Close: call, Defer: tr.deferred, Func: tr.root, Helper: helper}
		if tr.source != nil {
			l.Source = tr.source.node
		}
		tr.losses[call] = l
	}
	way := Way{Read: t.read, Branch: t.branch, Return: tr.ret}
	if !slices.Contains(l.Ways, way) {
		l.Ways = append(l.Ways, way)
	}
}
