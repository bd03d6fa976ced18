package bodyfate

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A fateFact is what other packages know of a function, or of a variable that
// holds a client.
type fateFact struct {
	Params   []paramFate  // parameters whose fate is known
	Returns  []returnFate // results that hold a body still to be read
	Poolless bool         // the client it returns or holds has no HTTP/1 connection to lose
}

// A paramFate is the fate of an unread body given by a parameter.
type paramFate struct {
	Index    int    // of the parameter; -1 is the receiver
	Path     string // of the field that holds the body, if the parameter is a struct
	Outcomes []fateOutcome
}

// A fateOutcome is an outcome, as a fact.
type fateOutcome struct {
	Read     Progress
	Fate     fate
	Bodyless bool // the status is one that comes without a body
	Results  []fateResult
}

// A fateResult is what is known of one result in an outcome.
type fateResult struct {
	Index  int
	Zero   int8   // 1: nil or false; -1: not; 0: not known
	Linked int8   // 1 + the effect that the result is linked to; 0: none
	Path   string // if Kind is not nothing: where the result holds the body, and as what
	Kind   kind
}

// A returnFate is a body in a result.
type returnFate struct {
	Index int
	Path  string
	Kind  kind
	Read  Progress
}

func (*fateFact) AFact() {}

func (f *fateFact) String() string {
	return fmt.Sprintf("fate(params=%d returns=%d poolless=%t)", len(f.Params), len(f.Returns), f.Poolless)
}

// exportFacts exports the facts of the package's exported functions and variables.
func (c *checker) exportFacts() {
	type funcFact struct {
		fn   *types.Func
		fact *fateFact
	}
	var facts []funcFact
	holders := make(map[*types.TypeName]value) // what the values of a type hold that a function returns
	for _, file := range c.pass.Files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if fn, ok := c.pass.TypesInfo.Defs[decl.Name].(*types.Func); ok && decl.Body != nil && typeset.IsExported(fn) {
					facts = append(facts, funcFact{fn, c.resultFates(fn, decl, holders)})
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						c.exportVars(spec)
					case *ast.TypeSpec:
						c.exportTypes(spec)
					}
				}
			}
		}
	}
	for _, f := range facts {
		f.fact.addParams(c, f.fn, holders)
		if len(f.fact.Params) > 0 || len(f.fact.Returns) > 0 || f.fact.Poolless {
			c.pass.ExportObjectFact(f.fn, f.fact)
		}
	}
}

// exportTypes exports the facts of the package's exported types of functions: what
// those that it makes return.
func (c *checker) exportTypes(spec *ast.TypeSpec) {
	obj, ok := c.pass.TypesInfo.Defs[spec.Name].(*types.TypeName)
	if !ok || !obj.Exported() {
		return
	}
	if found := c.funcsReturn(obj); len(found) > 0 {
		fact := new(fateFact)
		fact.addReturns(found)
		c.pass.ExportObjectFact(obj, fact)
	}
}

// addReturns adds the bodies that results hold.
func (f *fateFact) addReturns(found []live) {
	for _, l := range found {
		for _, e := range l.held {
			if e.kind.passes() {
				f.Returns = append(f.Returns, returnFate{l.index, e.path, e.kind, l.read})
			}
		}
	}
}

func (c *checker) exportVars(spec *ast.ValueSpec) {
	for _, name := range spec.Names {
		v, ok := c.pass.TypesInfo.Defs[name].(*types.Var)
		if ok && v.Exported() && isClient(v.Type()) && c.newPoolQuery(nil).variablePoolless(v) {
			c.pass.ExportObjectFact(v, &fateFact{Poolless: true})
		}
	}
}

// resultFates returns the fact of a function, as far as its results go, and adds to
// holders what those of a type of this package hold.
func (c *checker) resultFates(fn *types.Func, decl *ast.FuncDecl, holders map[*types.TypeName]value) *fateFact {
	fact := new(fateFact)
	results := fn.Signature().Results()
	if !mayHold(results) {
		return fact
	}
	fact.addReturns(c.returns(decl))
	for _, r := range fact.Returns {
		e := entry{r.Path, handle{kind: r.Kind}}
		if named := typeset.Named(results.At(r.Index).Type()); named != nil && !slices.Contains(holders[named.Obj()], e) {
			holders[named.Obj()] = append(holders[named.Obj()], e)
		}
	}
	for r := range results.Variables() {
		fact.Poolless = fact.Poolless || isClient(r.Type()) && c.newPoolQuery(nil).returnsPoolless(decl)
	}
	return fact
}

// addParams adds the fates of bodies that the parameters of fn hold, and of those that
// its receiver does: in exported fields, or in others if holders tells of them.
func (f *fateFact) addParams(c *checker, fn *types.Func, holders map[*types.TypeName]value) {
	sig := fn.Signature()
	if named := receiverType(sig); named != nil {
		held := slices.Clone(holders[named.Obj()])
		if st, ok := named.Underlying().(*types.Struct); ok {
			for field := range st.Fields() {
				path := "." + field.Name()
				if v := natural(field.Type()); field.Exported() && v != nil && len(held.at(path)) == 0 {
					held = append(held, v.under(path)...)
				}
			}
		}
		for _, e := range held {
			f.add(c, fn, -1, e.path, one(e.kind))
		}
	}
	for i := range sig.Params().Len() {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		switch typ := sig.Params().At(i).Type(); {
		case natural(typ) != nil:
			f.add(c, fn, i, "", natural(typ))
		case isTypeParam(typ) && sig.Results().Len() > 0 && types.Identical(typ, sig.Results().At(0).Type()):
			f.add(c, fn, i, "", one(response)) // if it is given one
		case typeset.IsInteger(typ) && decides(fn) && typeset.Imports(c.pass.Pkg, httpmodel.NetHTTP):
			f.add(c, fn, i, "", one(status))
			f.keep(i, func(o fateOutcome) bool { return o.Bodyless })
		case isThunk(typ):
			f.add(c, fn, i, "", one(closing))
			f.keep(i, func(o fateOutcome) bool { return o.Fate == closed || len(o.Results) > 0 })
		}
	}
}

// keep drops the fate of parameter i unless one of its outcomes matters.
func (f *fateFact) keep(i int, matters func(fateOutcome) bool) {
	f.Params = slices.DeleteFunc(f.Params, func(p paramFate) bool {
		return p.Index == i && !slices.ContainsFunc(p.Outcomes, matters)
	})
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// receiverType returns the type of which sig is a method's, or nil.
func receiverType(sig *types.Signature) *types.Named {
	if sig.Recv() == nil {
		return nil
	}
	return typeset.Named(sig.Recv().Type())
}

// natural returns what a parameter of type t holds if it is given a body, or nil.
func natural(t types.Type) value {
	switch {
	case httpmodel.IsResponse(t):
		return one(response)
	case types.IsInterface(t) && (hasMethod(t, "Read") || hasMethod(t, "Close")) && !hasMethod(t, "Write"):
		return one(body)
	}
	return nil
}

// isThunk reports whether a value of type t is a function that only has to be called,
// as a body's Close, or an interface with such a method.
func isThunk(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	if iface, isIface := t.Underlying().(*types.Interface); isIface && iface.NumMethods() == 1 {
		sig, ok = iface.Method(0).Signature(), true
	}
	return ok && sig.Params().Len() == 0 && (sig.Results().Len() == 0 || sig.Results().Len() == 1 && httpmodel.IsError(sig.Results().At(0).Type()))
}

// add adds the fate of a body that parameter i of fn holds at path.
func (f *fateFact) add(c *checker, fn *types.Func, i int, path string, held value) {
	ops := operands{fn: fn}
	if i < 0 {
		ops.recv = held.under(path)
	} else {
		ops.args = make([]value, i+1)
		ops.args[i] = held
	}
	outcomes, ok := c.outcomes(ops, &tuple{fate: open, status: allCodes(), lengths: allLengths})
	if !ok {
		return
	}
	p := paramFate{Index: i, Path: path}
	results := fn.Signature().Results()
	for _, o := range outcomes {
		if o.fate == escaped || o.bodies != nil {
			return
		}
		out := fateOutcome{Read: o.read, Fate: o.fate, Bodyless: o.status.bodyless()}
		for j := range results.Len() {
			r := fateResult{Index: j}
			if zero, ok := o.result.zero[j]; ok {
				r.Zero = -1
				if zero {
					r.Zero = 1
				}
			}
			if e, ok := o.result.links[j]; ok {
				r.Linked = 1 + int8(e)
			}
			if r != (fateResult{Index: j}) {
				out.Results = append(out.Results, r)
			}
			// Nobody reads a body by way of the error that tells of its response.
			if j < len(o.result.values) && !httpmodel.ImplementsError(results.At(j).Type()) {
				for _, e := range o.result.values[j] {
					if e.kind.passes() {
						out.Results = append(out.Results, fateResult{Index: j, Path: e.path, Kind: e.kind})
					}
				}
			}
		}
		p.Outcomes = append(p.Outcomes, out)
	}
	slices.SortFunc(p.Outcomes, compareOutcomes)
	p.Outcomes = slices.CompactFunc(p.Outcomes, func(a, b fateOutcome) bool { return compareOutcomes(a, b) == 0 })
	f.Params = append(f.Params, p)
}

func compareOutcomes(a, b fateOutcome) int {
	if n := cmp.Or(cmp.Compare(a.Read, b.Read), cmp.Compare(a.Fate, b.Fate), cmp.Compare(boolInt(a.Bodyless), boolInt(b.Bodyless))); n != 0 {
		return n
	}
	return slices.CompareFunc(a.Results, b.Results, func(a, b fateResult) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Zero, b.Zero), cmp.Compare(a.Linked, b.Linked),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
}

// imported returns the fact of an object of another package, or nil.
func (c *checker) imported(obj types.Object) *fateFact {
	var fact fateFact
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == c.pass.Pkg || !c.pass.ImportObjectFact(obj, &fact) {
		return nil
	}
	return &fact
}

// importedReturns returns the bodies that the results of a function hold, or of those
// of a type.
func (c *checker) importedReturns(obj types.Object) []live {
	fact := c.imported(obj)
	if fact == nil {
		return nil
	}
	var found []live
	for _, r := range fact.Returns {
		found = append(found, live{r.Index, value{{r.Path, handle{kind: r.Kind}}}, r.Read})
	}
	return found
}

// importedPoolless reports whether an object of another package is, or returns, a
// client without connections to lose.
func (c *checker) importedPoolless(obj types.Object) bool {
	fact := c.imported(obj)
	return fact != nil && fact.Poolless
}

// importedOutcomes is outcomes for a function of another package.
func (c *checker) importedOutcomes(ops operands, t *tuple) ([]outcome, bool) {
	fact := c.imported(ops.fn)
	if fact == nil {
		return nil, false
	}
	index, held := -2, value(nil)
	for i, v := range append([]value{ops.recv}, ops.args...) {
		if v.holds() || ops.judges() && v.kind() == status {
			if held != nil {
				return nil, false
			}
			index, held = i-1, v
		}
	}
	for _, p := range fact.Params {
		if p.Index != index {
			continue
		}
		if k := held.at(p.Path).kind(); k == status || k.passes() {
			return p.outcomes(k, t, c.sameModule(ops.fn.Pkg())), true
		}
	}
	return nil, false
}

// sameModule reports whether pkg is of the module at hand.
func (c *checker) sameModule(pkg *types.Package) bool {
	if c.pass.Module == nil {
		return false
	}
	rest, ok := strings.CutPrefix(pkg.Path(), c.pass.Module.Path)
	return ok && (rest == "" || rest[0] == '/')
}

// outcomes returns the outcomes for a body in the state of t that is given as a
// handle of kind k. A reader of another module (a parser, say) that seems to stop
// early is believed to have what it needs, where own is false.
func (p paramFate) outcomes(k kind, t *tuple, own bool) []outcome {
	var list []outcome
	for _, f := range p.Outcomes {
		o := outcome{read: max(t.read, f.Read), fate: f.Fate, streaming: t.streaming, status: t.status, lengths: t.lengths}
		if f.Bodyless {
			o.status = o.status.filter(func(code int) bool { return !hasBody(code) })
		}
		if f.Read == Partial && !own {
			o.read = Drained
		}
		switch {
		case f.Fate != closed || k == body || k == response || k == closing:
		case k == draining:
			o.read = Drained
		default:
			o.fate = open // Close does not reach the body
		}
		if k == limited && t.read < Partial {
			o.read = min(o.read, Partial)
		}
		for _, r := range f.Results {
			one := callResult{}
			if r.Zero != 0 {
				one.zero = map[int]bool{0: r.Zero > 0}
			}
			if r.Linked != 0 {
				one.links = map[int]effect{0: effect(r.Linked - 1)}
			}
			o.result.set(r.Index, one, 0)
			if r.Kind != nothing {
				h := handle{kind: r.Kind}
				if r.Kind == response {
					h.kind = k // what was given
				}
				o.result.values[r.Index] = append(o.result.values[r.Index], entry{r.Path, h})
			}
		}
		list = append(list, o)
	}
	return list
}
