// Package relays says where a server sends its own client the body of an upstream's
// response, and whether anybody has looked at the status of that response before.
//
// # The analysis
//
// It is a may analysis over paths, on the solver of package flow: a body is relayed
// blindly if on some path it is sent while nothing has looked at its status. A state
// is a set of worlds, one for each way to reach a point that is told apart. A world
// knows what the variables hold of which response (see kind), the responses whose
// status was looked at, and the status that the own client gets.
//
// A status is looked at where it is compared, passed on, or given to anything but a
// log. What is not understood excuses: a function of which nothing is known may look
// at the response that it gets, and may set the status of the own client that it gets.
//
// Function literals are run where they are called or given away. A function is run
// once, each of its parameters being the origin of a response of its own; what that
// shows (see summary) is applied where the function is called, and exported as a fact.
// So one that writes to an io.Writer is blamed nowhere, and its caller is, who gave it
// an own client. A method of an interface does what all that are known to implement it
// have in common.
//
// Refused: SSA (its cost), a list of the helper functions of libraries, and to judge
// whether a status was looked at well: that is a matter of taste.
package relays

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/cfgs"
	"github.com/httpvet/httpvet/analyzers/internal/passes/index"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// Analyzer summarizes functions. Its result is a *Result.
var Analyzer = &analysis.Analyzer{
	Name:       "relays",
	Doc:        "follow the bodies of responses to a server's own clients",
	Requires:   []*analysis.Analyzer{cfgs.Analyzer, index.Analyzer, inspect.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(summaryFact)},
}

// A Result knows the relays of a package.
type Result struct{ checker *checker }

// A checker holds what is known of one package.
type checker struct {
	pass    *analysis.Pass
	info    *types.Info
	cfgs    *ctrlflow.CFGs
	index   *typeset.Index
	inspect *inspector.Inspector
	touches map[types.Object]bool // functions, and variables that hold one, that may fetch, by themselves or by what they call
	ran     map[ast.Node]*engine  // functions run so far; nil: under way, or not to be run
	active  []ast.Node            // those under way
	idle    []ast.Node            // conditions that decide only what is logged
	strict  strictness
	behind  map[*types.Func][]*types.Func // see implementations
	methods map[string][]*types.Func      // see findMethods
}

func run(pass *analysis.Pass) (any, error) {
	if typeset.IsStd(pass.Pkg, pass.Module) || httpmodel.IsFramework(typeset.PkgPath(pass.Pkg)) ||
		!typeset.Imports(pass.Pkg, httpmodel.NetHTTP, "github.com/valyala/fasthttp") {
		return &Result{}, nil
	}
	c := &checker{
		pass:    pass,
		info:    pass.TypesInfo,
		cfgs:    pass.ResultOf[cfgs.Analyzer].(*ctrlflow.CFGs),
		index:   pass.ResultOf[index.Analyzer].(*typeset.Index),
		inspect: pass.ResultOf[inspect.Analyzer].(*inspector.Inspector),
		ran:     make(map[ast.Node]*engine),
		behind:  make(map[*types.Func][]*types.Func),
	}
	c.findTouching()
	c.findStrict()
	c.export()
	return &Result{c}, nil
}

// callee returns the function that call calls, also through a variable that is set
// once, and its receiver's expression.
func (c *checker) callee(call *ast.CallExpr) (fn *types.Func, recv ast.Expr) {
	fun := ast.Unparen(call.Fun)
	fn = typeset.Callee(c.info, call)
	for range 4 {
		if fn != nil {
			break
		}
		v := typeset.VarOf(c.info, fun)
		if v == nil {
			return nil, nil
		}
		if fun = c.index.OnlyDef(v); fun == nil {
			return nil, nil
		}
		fun = ast.Unparen(fun)
		if fn = typeset.FuncObj(c.info, fun); fn != nil {
			fn = fn.Origin()
		}
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := c.info.Selections[sel]; s != nil && s.Kind() != types.MethodExpr {
			recv = sel.X
		}
	}
	if recv != nil && fn != nil && typeset.IsInterfaceMethod(fn) {
		if t := c.dynamicType(recv); t != nil {
			if m, _, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), fn.Name()); m != nil {
				return m.(*types.Func).Origin(), recv
			}
		}
	}
	return fn, recv
}

// literals returns the function literals that fun may be: itself, the one that a
// variable holds, or those that a function of the package returns, which made it.
func (c *checker) literals(fun ast.Expr) []*ast.FuncLit {
	if lit, ok := c.index.FuncOf(fun).(*ast.FuncLit); ok {
		return []*ast.FuncLit{lit}
	}
	v := typeset.VarOf(c.info, fun)
	if v == nil {
		return nil
	}
	call, ok := c.index.OnlyDef(v).(*ast.CallExpr)
	if !ok {
		return nil
	}
	decl := c.index.Decl(typeset.Callee(c.info, call))
	if decl == nil {
		return nil
	}
	var lits []*ast.FuncLit
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
					lits = append(lits, lit)
				}
			}
		}
		return true
	})
	return lits
}

// brings reports whether a call sends a request, by itself, and has its answer.
func (c *checker) brings(call *ast.CallExpr) bool {
	fn, _ := c.callee(call)
	if fn != nil && (!typeset.IsInterfaceMethod(fn) || httpmodel.Fetches(fn)) {
		return httpmodel.Fetches(fn)
	}
	if fn == nil && (c.info.Types[call.Fun].IsType() || c.literals(call.Fun) != nil) {
		return false
	}
	t := c.info.TypeOf(call.Fun)
	if t == nil {
		return false
	}
	sig, ok := t.Underlying().(*types.Signature)
	return ok && (httpmodel.LooksLikeDo(sig) || httpmodel.LooksLikeSearch(sig))
}

// Relays returns the relays of the package, in the order of the source.
func (r *Result) Relays() []*Relay {
	c := r.checker
	if c == nil {
		return nil
	}
	var all []*Relay
	add := func(node ast.Node) {
		if e := c.engineOf(node); e != nil {
			all = append(all, e.relays()...)
		}
	}
	for _, decl := range c.index.Decls() {
		if fn, ok := c.info.Defs[decl.Name].(*types.Func); ok && c.touches[fn] {
			add(decl)
		}
	}
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok && c.isHandler(lit) {
				add(lit)
			}
			return true
		})
	}
	slices.SortStableFunc(all, func(x, y *Relay) int { return int(x.Send.Pos() - y.Send.Pos()) })
	return slices.CompactFunc(all, func(x, y *Relay) bool { return x.Send == y.Send })
}

// isHandler reports whether a function literal gets an own client.
func (c *checker) isHandler(lit *ast.FuncLit) bool {
	sig, ok := c.info.TypeOf(lit).(*types.Signature)
	if !ok {
		return false
	}
	for v := range sig.Params().Variables() {
		if httpmodel.IsOwnClient(v.Type()) {
			return true
		}
	}
	return false
}
