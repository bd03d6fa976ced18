// Package neterr follows what the errors of a package may be: which failures of
// the network, and whether anybody asked for a timeout.
//
// # How
//
// It is a path-sensitive may-analysis on the solver of package flow. A state is a
// set of worlds, one for each way to reach a point that is told apart; a world
// holds, for each error, the set of failures that it may still be, and the bools
// and status codes that were set on the way. A condition on an error splits a
// world, by what the witnesses (see Set) answer. So "ok := errors.As(err, &ne) &&
// ne.Timeout()" makes three worlds, and "if ok", lines later, leaves one of them.
//
// What is not understood excuses: a bool that may have come from a question for a
// timeout ends what is claimed of the errors at hand, on its true branch.
//
// A function is summarized by the worlds at its returns, projected to the error
// that it gets and to its results. A predicate, a helper that returns the
// net.Error, and a function that passes on what http.Client.Do failed with are the
// same thing then, and generic ones (asking for a T) too. Summaries are made when
// they are asked for, and exported as facts for the functions that can need one.
//
// Refused: a lattice of "asked" and "not asked" without worlds (loses stored bools,
// statuses that are written later, and &&), SSA (its cost), and a list of the
// helper functions of libraries.
package neterr

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"github.com/httpvet/httpvet/analyzers/internal/passes/cfgs"
	"github.com/httpvet/httpvet/analyzers/internal/passes/index"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// Analyzer summarizes functions. Its result is an *Info.
var Analyzer = &analysis.Analyzer{
	Name:       "neterr",
	Doc:        "follow what the errors of functions may be",
	URL:        "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/internal/passes/neterr",
	Requires:   []*analysis.Analyzer{inspect.Analyzer, cfgs.Analyzer, index.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Info](),
	FactTypes:  []analysis.Fact{new(summaryFact), new(answerFact)},
}

// An Info knows the functions of a package, and by facts those of others.
type Info struct {
	pass     *analysis.Pass
	index    *typeset.Index
	decls    map[*types.Func]*ast.FuncDecl
	order    []*types.Func             // the keys of decls, as they are declared
	funcs    map[*types.Func]*summary  // made so far; nil: none, or under way
	lits     map[*ast.FuncLit]*summary // likewise
	constant map[*types.Var]ast.Expr   // variables of function type that are set once, and to what
	whys     map[token.Pos]ast.Expr    // the expression at each Failure.Why
	answers  map[types.Object]int64    // what answers with a timeout's status on each path
}

// A summaryFact is the summary of a function.
type summaryFact struct {
	Subject int
	Cases   []summaryCase
}

func (*summaryFact) AFact()         {}
func (*summaryFact) String() string { return "neterr" }

// An answerFact is the status of a timeout that a function always answers with, or
// that an error variable holds.
type answerFact struct{ Code int64 }

func (*answerFact) AFact()         {}
func (*answerFact) String() string { return "answers" }

func run(pass *analysis.Pass) (any, error) {
	p := &Info{
		pass:    pass,
		index:   pass.ResultOf[index.Analyzer].(*typeset.Index),
		decls:   make(map[*types.Func]*ast.FuncDecl),
		funcs:   make(map[*types.Func]*summary),
		lits:    make(map[*ast.FuncLit]*summary),
		whys:    make(map[token.Pos]ast.Expr),
		answers: make(map[types.Object]int64),
	}
	if typeset.IsStd(pass.Pkg, pass.Module) {
		return p, nil // its errors are the witnesses and the table of origins
	}
	p.survey()
	if typeset.Imports(pass.Pkg, "net") {
		p.kinds()
	}
	if typeset.Imports(pass.Pkg, "net", "errors") {
		p.export()
	}
	return p, nil
}

// survey collects what the package declares, and finds what always answers with a
// timeout's status.
func (p *Info) survey() {
	info := p.pass.TypesInfo
	for _, file := range p.pass.Files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				fn, ok := info.Defs[decl.Name].(*types.Func)
				if !ok || decl.Body == nil {
					continue
				}
				p.decls[fn] = decl
				p.order = append(p.order, fn)
				if code, ok := p.alwaysAnswers(decl.Body.List, false, isTimeoutStatus); ok {
					p.answer(fn, code)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.ValueSpec); ok && len(spec.Names) == len(spec.Values) {
						for i, x := range spec.Values {
							v, ok := info.Defs[spec.Names[i]].(*types.Var)
							if code, holds := p.holdsStatus(x); ok && holds {
								p.answer(v, code)
							}
						}
					}
				}
			}
		}
	}
}

// answer notes that obj answers with code.
func (p *Info) answer(obj types.Object, code int64) {
	p.answers[obj] = code
	if obj.Exported() {
		p.pass.ExportObjectFact(obj, &answerFact{code})
	}
}

// Answers returns the status of a timeout that a function answers with on each
// path, or that a variable's value holds.
func (p *Info) Answers(obj types.Object) (int64, bool) {
	if fn, ok := obj.(*types.Func); ok {
		obj = fn.Origin()
	}
	if obj == nil || obj.Pkg() == nil {
		return 0, false
	}
	if obj.Pkg() == p.pass.Pkg {
		code, ok := p.answers[obj]
		return code, ok
	}
	var fact answerFact
	ok := p.pass.ImportObjectFact(obj, &fact)
	return fact.Code, ok
}

// export exports the summaries of the functions of which a caller can learn
// something: those that ask about an error that they get, and those that pass on
// the failure of a call.
func (p *Info) export() {
	fails := make(map[*types.Func]bool)
	if typeset.Imports(p.pass.Pkg, "net") {
		fails = p.failing()
	}
	for _, fn := range p.order {
		if !fn.Exported() || !useful(fn, fails[fn]) {
			continue
		}
		if s := p.summaryOf(nil, fn); s != nil && s.field == nil && s.says() {
			p.pass.ExportObjectFact(fn, &summaryFact{s.Subject, s.Cases})
		}
	}
}

// useful reports whether the summary of fn can say something, by its signature.
func useful(fn *types.Func, fails bool) bool {
	sig := fn.Signature()
	var gives, answers bool
	for v := range sig.Results().Variables() {
		gives = gives || IsError(v.Type()) || errorPart(v.Type()) != nil
		answers = answers || IsError(v.Type()) || typeset.IsBool(v.Type())
	}
	if fails && gives || namesErrors(sig) {
		return true
	}
	if !answers {
		return false
	}
	for v := range sig.Params().Variables() {
		if types.IsInterface(v.Type()) && IsError(v.Type()) {
			return true
		}
	}
	return false
}

// says reports whether s tells anything of its subject or of a result.
func (s *summary) says() bool {
	for _, c := range s.Cases {
		if s.Subject >= 0 && (c.Mask != All || c.Net || c.Generic.Kind != noGeneric) {
			return true
		}
	}
	return s.fails()
}

// fails reports whether a result of s may be a failure of the network.
func (s *summary) fails() bool {
	for _, c := range s.Cases {
		for _, r := range c.Results {
			if r.Net {
				return true
			}
		}
	}
	return false
}

// summaryOf returns the summary of a called function, given by its expression, a
// function literal, or by fn. It returns nil if there is none.
func (p *Info) summaryOf(fun ast.Expr, fn *types.Func) *summary {
	if lit, ok := fun.(*ast.FuncLit); ok {
		s, ok := p.lits[lit]
		if !ok {
			p.lits[lit] = nil
			s = p.summarize(lit)
			p.lits[lit] = s
		}
		return s
	}
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	if typeset.IsInterfaceMethod(fn) {
		if fn = p.index.Implementation(fn); fn == nil {
			return nil
		}
	}
	if fn.Pkg() != p.pass.Pkg {
		var fact summaryFact
		if !p.pass.ImportObjectFact(fn, &fact) {
			return nil
		}
		return &summary{Subject: fact.Subject, Cases: fact.Cases}
	}
	s, ok := p.funcs[fn]
	if !ok && p.decls[fn] != nil {
		p.funcs[fn] = nil
		s = p.summarize(p.decls[fn])
		p.funcs[fn] = s
	}
	return s
}

// Follow follows the function node from the state entry on. The statuses of isCode
// are followed too. It returns nil if nothing can be said.
func (p *Info) Follow(node ast.Node, entry State, isCode func(ast.Expr) (int64, bool)) *Flow {
	e := p.newEngine(node)
	e.isCode = isCode
	return e.solve(entry)
}

// Unknown is the state at the start of a function of which nothing is known.
func Unknown() State { return State{worlds: []*world{new(world)}} }

// Failed returns the state in which the parameter v is the failure f. Where f does
// not know why, it is because of what v is for.
func (p *Info) Failed(v *types.Var, f Failure) State {
	if !f.Why.IsValid() {
		f.Why = v.Pos()
		p.whys[f.Why] = ast.NewIdent(v.Name())
	}
	w := new(world).withErr(v.Pos(), f).with(place{root: v}, value{err: v.Pos()})
	return State{worlds: []*world{w}}
}

// Why returns the expression at f.Why: the error that was asked about, or the call
// that failed.
func (p *Info) Why(f Failure) ast.Expr { return p.whys[f.Why] }

// AsksNet reports whether x is a function that says of an error whether it is a
// failure of the network, and no more.
func (p *Info) AsksNet(x ast.Expr) bool {
	sig, ok := p.pass.TypesInfo.TypeOf(x).(*types.Signature)
	if !ok || sig.Params().Len() != 1 || sig.Results().Len() != 1 || !IsError(sig.Params().At(0).Type()) {
		return false
	}
	fun, fn := p.Callee(&ast.CallExpr{Fun: x})
	s := p.summaryOf(fun, fn)
	if s == nil || s.Subject < 0 {
		return false
	}
	for _, c := range s.Cases {
		if c.Results[0].Kind == trueResult && c.Net && !c.Excused && c.Mask&Dial != 0 && c.Mask&None == 0 {
			return true
		}
	}
	return false
}
