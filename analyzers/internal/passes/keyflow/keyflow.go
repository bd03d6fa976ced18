// Package keyflow says where idempotency keys are made and set: which functions
// return a value that is new on each call, which put it where a key goes, and
// which of that happens anew in each round of code that is repeated.
//
// # The analysis
//
// It is a forward analysis over the control-flow graph, for one round of a region
// or one call of a function. The state holds, for each variable and field that was
// assigned on the way, two origins: of the value itself, and of the key that an
// object carries (a request, a body, an option). An origin is a set: made in this
// round, made outside, carried from the round before, from a parameter, unknown.
// Only what is made here, or else given from outside where nothing in the round
// changes that, is reported: a must analysis but for the paths on which an object
// gets no key at all.
//
// A key that is set counts once the object is used: given to a call, sent on a
// channel, returned to what repeats the region. So a key that is replaced before
// is no finding, and neither is one that is set only where none is there yet, or
// in the first round.
//
// Functions are summarized, and the summaries of exported ones are facts. Function
// literals are followed where they stand, or where they are called.
//
// Refused: to follow keys through interfaces, channels and stores; to take a name
// for a maker.
package keyflow

import (
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/retries"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

var Analyzer = &analysis.Analyzer{
	Name:       "keyflow",
	Doc:        "follow idempotency keys from where they are made to where they are set",
	Requires:   []*analysis.Analyzer{retries.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(keyFact)},
}

// A Result answers questions about the keys of one package.
type Result struct {
	pass    *analysis.Pass
	retries *retries.Result
	checker *checker
}

// A Finding is a key that is made anew in each round of a region.
type Finding struct {
	Region *retries.Region
	Set    ast.Node // where the key is set, or the call that sets it
	Maker  ast.Node // where it is made
	Name   string   // of what makes it, as called at or near Set
	Count  bool     // it holds the number of the attempt
	Late   bool     // it is made behind the attempt, for the next one
}

// Made returns the keys that the regions of the package make anew in each round,
// in the order of the source. Names tells which names are those of keys.
func (r *Result) Made(names httpmodel.KeyNames) []*Finding {
	c := r.checker
	if c == nil {
		return nil
	}
	if len(names.Extra) > 0 {
		c = newChecker(r.pass, r.retries, names)
	}
	if !c.anyKeys() {
		return nil
	}
	var found []*Finding
	for _, g := range r.retries.Regions() {
		found = append(found, c.inRegion(g)...)
	}
	slices.SortStableFunc(found, func(a, b *Finding) int { return int(a.Set.Pos() - b.Set.Pos()) })
	return slices.CompactFunc(found, func(a, b *Finding) bool { return a.Set == b.Set && a.Region.Holder == b.Region.Holder })
}

func run(pass *analysis.Pass) (any, error) {
	r := &Result{pass: pass, retries: pass.ResultOf[retries.Analyzer].(*retries.Result)}
	if typeset.IsStd(pass.Pkg, pass.Module) {
		return r, nil
	}
	r.checker = newChecker(pass, r.retries, httpmodel.KeyNames{})
	r.checker.exportFacts()
	return r, nil
}

// A checker holds what the traces of one package share.
type checker struct {
	pass      *analysis.Pass
	info      *types.Info
	retries   *retries.Result
	index     *typeset.Index
	names     httpmodel.KeyNames
	sites     map[siteKey]*site
	keyFields map[*types.Var]bool // answers of isKeyField
	glances   map[*types.Func]glance
	scans     map[*ast.FuncDecl]*scan
	summaries map[*ast.FuncDecl]*summary
	busy      map[*ast.FuncDecl]bool
}

func newChecker(pass *analysis.Pass, res *retries.Result, names httpmodel.KeyNames) *checker {
	c := &checker{
		pass:      pass,
		info:      pass.TypesInfo,
		retries:   res,
		index:     res.Index(),
		names:     names,
		sites:     make(map[siteKey]*site),
		keyFields: make(map[*types.Var]bool),
		glances:   make(map[*types.Func]glance),
		scans:     make(map[*ast.FuncDecl]*scan),
		summaries: make(map[*ast.FuncDecl]*summary),
		busy:      make(map[*ast.FuncDecl]bool),
	}
	c.scanAll()
	return c
}

// A scan is what can be said of a function at a glance.
type scan struct {
	makes   bool // it calls a maker
	sets    bool // it names a key
	callees []*ast.FuncDecl
}

// scanAll scans all functions, and carries what they do to their callers.
func (c *checker) scanAll() {
	for _, decl := range c.index.Decls() {
		c.scans[decl] = c.scan(decl)
	}
	c.index.Spread(func(decl *ast.FuncDecl) []*ast.FuncDecl { return c.scans[decl].callees }, func(caller, callee *ast.FuncDecl) bool {
		s, t := c.scans[callee], c.scans[caller]
		old := *t
		t.makes, t.sets = t.makes || s.makes, t.sets || s.sets
		return t.makes != old.makes || t.sets != old.sets
	})
}

// scan scans one function.
func (c *checker) scan(decl *ast.FuncDecl) *scan {
	s := new(scan)
	parts := c.index.Parts(decl)
	for _, obj := range parts.Objects {
		switch obj := obj.(type) {
		case *types.Func:
			if d := c.index.Decl(obj); d != nil {
				s.callees = append(s.callees, d)
			}
			glance := c.glanceAt(obj)
			s.makes = s.makes || glance.makes
			s.sets = s.sets || glance.sets
		case *types.Var:
			s.sets = s.sets || obj.IsField() && c.isKeyField(obj) || c.holdsHeader(obj)
		case *types.Const:
			s.sets = s.sets || obj.Val().Kind() == constant.String && c.names.IsHeader(constant.StringVal(obj.Val()))
		case *types.TypeName: // of a literal with its fields by position
			s.sets = s.sets || c.hasKeyField(obj.Type())
		}
	}
	s.sets = s.sets || slices.ContainsFunc(parts.Strings, c.namesKey)
	return s
}

// A glance is what can be said of a function by its name, its parameters and its
// fact.
type glance struct{ makes, sets bool }

// glanceAt returns the glance of a function that is called.
func (c *checker) glanceAt(fn *types.Func) glance {
	if g, ok := c.glances[fn]; ok {
		return g
	}
	g := glance{makes: httpmodel.MakingOf(fn) != httpmodel.NoMaking, sets: c.names.IsSetter(fn)}
	for p := range fn.Signature().Params().Variables() {
		g.sets = g.sets || c.names.IsField(p.Name())
	}
	if fn.Pkg() != nil && fn.Pkg() != c.pass.Pkg {
		var fact keyFact
		if c.pass.ImportObjectFact(fn, &fact) {
			g.makes = true
			g.sets = g.sets || fact.setsKey()
		}
	}
	c.glances[fn] = g
	return g
}

// namesKey reports whether a string is the name of a key, or holds it as a member
// of JSON.
func (c *checker) namesKey(lit *ast.BasicLit) bool {
	value := strings.Trim(lit.Value, "\"`")
	return c.names.IsHeader(value) || len(value) > 20 && keyVerb(c.names, value) >= 0
}

// hasKeyField reports whether t is a struct with a field for a key.
func (c *checker) hasKeyField(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if c.isKeyField(f) {
			return true
		}
	}
	return false
}

// anyKeys reports whether any function of the package names a key.
func (c *checker) anyKeys() bool {
	for _, s := range c.scans {
		if s.sets {
			return true
		}
	}
	return false
}

// inRegion returns the keys that a region makes anew in each round.
func (c *checker) inRegion(g *retries.Region) []*Finding {
	if g.Holder != nil && !c.scans[g.Holder].sets {
		if decl, ok := g.Node.(*ast.FuncDecl); !ok || !c.scans[decl].sets {
			return nil
		}
	}
	t := c.newTracer(g.Func, g)
	t.run()
	return t.findings
}
