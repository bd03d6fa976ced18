// Package pools says where connection pools come from and what becomes of them:
// which functions make one and hand it out, alone or inside of a client; which use,
// keep, close or disable one that they are given; and where one is made, used for
// a request and dropped.
//
// # The analysis
//
// A pool is the zero value of a few types (httpmodel.IsPool: http.Transport above
// all), whatever makes it: a literal, new, var, Clone, or a call of a function that
// hands one out, in this package or, by a fact, in another. So a library's
// constructor is known by its body, not by a list.
//
// Each pool is followed by itself through the function that makes it, in two steps.
// The first ignores the order of statements: it collects the local variables that
// may hold the pool, directly or inside of something else (see grip). The second is
// a may analysis over the control-flow graph whose state is a set of tuples (see
// tuple): whether the pool exists, whether it sent a request, where the function
// has put it, and which conditions on parameters led to its making. A pool that is
// dropped on some path, after use, is a drop. One that is closed, disabled, put
// where it may outlive the function, or given to a function of which nothing is
// known is out of sight on that path.
//
// A parameter is followed in the same way, to sum up for the callers what the
// function does with a pool that it is given. What it does to a pool is may, but
// for closing, which must happen on each path.
//
// A condition on a parameter ("if cfg.Transport == nil") is part of what a function
// is known for: the call decides it, where its argument is a literal.
//
// Refused: SSA (it costs several times all of this); lists of libraries that make
// clients; an order-free second step, in which a Close on one branch or a cache
// that one return goes round would excuse all.
package pools

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
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
	Name:       "pools",
	Doc:        "follow connection pools from where they are made to where they are dropped",
	Requires:   []*analysis.Analyzer{cfgs.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(summary)},
}

// A Result answers questions about the pools of one package.
type Result struct {
	checker *checker
}

// A Drop is a pool that is made and used, and that nobody has after that.
type Drop struct {
	Func  ast.Node          // the *ast.FuncDecl or *ast.FuncLit that makes it
	Node  ast.Node          // what makes it: a literal, a call, the name of a variable
	Maker *types.Func       // the function that is called for it, or nil
	Made  token.Pos         // where a function of this package makes it for Func, or invalid
	Vars  []*types.Var      // the variables that hold it
	Loop  bool              // a loop makes another while the first is in use
	End   bool              // a return drops it
	Over  *ast.SelectorExpr // the field of something that lives on, overwritten by it; or nil
}

// Drops returns the drops of the package, in the order of the source.
func (r *Result) Drops() []*Drop {
	c := r.checker
	if c == nil {
		return nil
	}
	var drops []*Drop
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				if f := c.function(n); f != nil {
					drops = append(drops, c.drops(f)...)
				}
			}
			return true
		})
	}
	slices.SortStableFunc(drops, func(a, b *Drop) int { return cmp.Compare(a.Node.Pos(), b.Node.Pos()) })
	return drops
}

// drops returns the drops of pools that f makes.
func (c *checker) drops(f *function) []*Drop {
	byNode := make(map[ast.Node]*Drop)
	var drops []*Drop
	for _, src := range c.sources(f) {
		if src.handed {
			continue
		}
		t := c.trace(f, src)
		if t == nil {
			continue
		}
		d := &Drop{Func: f.node, Node: src.node, Maker: src.maker, Made: src.made, Loop: t.loop, Over: c.overwritten(t)}
		for v := range t.held {
			d.Vars = append(d.Vars, v)
		}
		slices.SortFunc(d.Vars, func(a, b *types.Var) int { return cmp.Compare(a.Pos(), b.Pos()) })
		d.End = t.dropped()
		if !d.Loop && !d.End && d.Over == nil {
			continue
		}
		if old := byNode[src.node]; old != nil {
			old.Loop, old.End = old.Loop || d.Loop, old.End || d.End
			continue
		}
		byNode[src.node] = d
		drops = append(drops, d)
	}
	return drops
}

// A checker holds what the traces of one package share.
type checker struct {
	pass      *analysis.Pass
	cfgs      *ctrlflow.CFGs
	decls     map[*types.Func]*ast.FuncDecl
	functions map[ast.Node]*function
	holds     map[*types.Named]answer
	defs      map[*types.Var]*defs
	assigned  map[*ast.CallExpr][]ast.Expr // what the results of a call are assigned to

	made         map[*function][]made
	making       map[*function]bool // made is being computed
	uses         map[paramOf]*use
	constructing map[*function]bool
}

// A paramOf is a parameter of a function of the package, with a pool in it.
type paramOf struct {
	fn    *function
	index int
	twins string // see trace
}

func run(pass *analysis.Pass) (any, error) {
	if !relevant(pass) {
		return &Result{}, nil
	}
	c := &checker{
		pass:         pass,
		cfgs:         pass.ResultOf[cfgs.Analyzer].(*ctrlflow.CFGs),
		decls:        make(map[*types.Func]*ast.FuncDecl),
		functions:    make(map[ast.Node]*function),
		holds:        make(map[*types.Named]answer),
		assigned:     make(map[*ast.CallExpr][]ast.Expr),
		made:         make(map[*function][]made),
		making:       make(map[*function]bool),
		uses:         make(map[paramOf]*use),
		constructing: make(map[*function]bool),
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

// relevant reports whether a package may hold a pool and is not of the standard
// library, of which the tables tell.
func relevant(pass *analysis.Pass) bool {
	return !typeset.IsStd(pass.Pkg, pass.Module) &&
		typeset.Imports(pass.Pkg, httpmodel.NetHTTP, httpmodel.FastHTTP)
}

// cfg returns the control-flow graph of f, or nil.
func (c *checker) cfg(f *function) *cfg.CFG {
	switch node := f.node.(type) {
	case *ast.FuncDecl:
		return c.cfgs.FuncDecl(node)
	case *ast.FuncLit:
		return c.cfgs.FuncLit(node)
	}
	return nil
}
