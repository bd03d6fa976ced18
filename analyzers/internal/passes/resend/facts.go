package resend

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A summary is the fact of what a function does, for the packages that call it. The
// receiver and the parameters are its operands, from 1 on.
type summary struct {
	Ways    []way
	Opaque  bool       // it has more ways than are told
	Waits   bool       // if opaque: it may wait
	Sends   bool       // if opaque: it may send
	Names   bool       // it names a key, and may send it
	Resends []int      // operands that are a request, or its method: it sends again what has no key
	Repeats []repeated // functions that it is given
}

func (*summary) AFact() {}

func (s *summary) String() string {
	return fmt.Sprintf("resend(ways=%d resends=%v repeats=%v)", len(s.Ways), s.Resends, s.Repeats)
}

// A way is a way through a function.
type way struct {
	Asks    []ask
	Sends   []sent
	Waits   bool
	Sleeps  bool // and nothing can end the wait
	Doubt   bool
	Results []value
}

// An ask says what an operand, an error or something of a response, is on a way.
type ask struct {
	Operand int
	Is      outcomes
	Unsure  bool
}

// A sent is a request that is sent on a way.
type sent struct {
	Req    int    // the operand that is the request, or 0
	Method string // if it is known
	Given  int    // or the operand that is the method, or whose method it is
	Body   value
	Keyed  bool
	Dials  bool
	Came   outcomes // what came of it
	Unsure bool
	Waited bool // some time passed since
}

// A value is what is known of a result, or of a part of it.
type value struct {
	Kind  kind
	Text  string // a constant, the name of a variable, type or function
	Of    int    // the operand, or the request that is sent: -1 is the first; 0 for none
	Parts []part // of a request or an object
}

// A part is a part of a value.
type part struct {
	Path string
	Is   value
}

// A repeated is an operand, a function that is called until it succeeds.
type repeated struct {
	Operand int
	Hot     bool // it is called again at once
	Sleeps  bool // after a wait that nothing can end
}

// An outcomes is a set of what may come of an attempt: statuses, errors, and nil in
// place of either.
type outcomes uint64

const (
	errsShift             = 52
	wasNil       outcomes = 1 << 63
	anyErr                = outcomes(allErrs) << errsShift
	anyStatus             = outcomes(allStatuses)
	statusesMask          = outcomes(1)<<errsShift - 1
)

// errs returns the errors of the set.
func (o outcomes) errs() Errs { return Errs(o>>errsShift) & allErrs }

// statuses returns the statuses of the set.
func (o outcomes) statuses() Statuses { return Statuses(o & statusesMask) }

// A sentinel is the fact that a variable holds an error of its own, which no request
// fails with.
type sentinelFact struct{}

func (*sentinelFact) AFact() {}

func (*sentinelFact) String() string { return "resend(sentinel)" }

// imported returns the summary of a function of another package of the module, or nil. In
// a driver that knows no modules others have one too, which tells less than the tables.
func (e *engine) imported(fn *types.Func) *summary {
	if fn == nil {
		return nil
	}
	fn = fn.Origin()
	s, known := e.summaries[fn]
	if !known {
		if fact := new(summary); fn.Pkg() != e.pass.Pkg && e.sameModule(fn.Pkg()) && e.pass.ImportObjectFact(fn, fact) {
			s = fact
		}
		e.summaries[fn] = s
	}
	return s
}

// sends reports whether the function may send.
func (s *summary) sends() bool {
	return s != nil && (s.Sends || len(s.Resends) > 0 || slices.ContainsFunc(s.Ways, func(x way) bool { return len(x.Sends) > 0 }))
}

// waits reports whether the function may wait.
func (s *summary) waits() bool {
	return s != nil && (s.Waits || slices.ContainsFunc(s.Ways, func(x way) bool { return x.Waits }))
}

// repeatedBy returns what is known of how fn repeats its i-th parameter.
func (e *engine) repeatedBy(fn *types.Func, i int) (how repeated) {
	if httpmodel.RepeatsAtOnce(fn) {
		return repeated{Hot: true}
	}
	if s := e.imported(fn); s != nil {
		for _, r := range s.Repeats {
			if r.Operand == i+firstParam(fn) {
				return r
			}
		}
	}
	return how
}

// firstParam returns the operand that the first parameter of fn is.
func firstParam(fn *types.Func) int {
	if fn.Signature().Recv() != nil {
		return 2
	}
	return 1
}

// sameModule reports whether pkg is of the module at hand, as far as can be told.
func (e *engine) sameModule(pkg *types.Package) bool {
	if pkg == nil {
		return false
	}
	module := moduleOf(e.pass.Pkg.Path())
	if e.pass.Module != nil {
		module = e.pass.Module.Path
	}
	path := typeset.PkgPath(pkg)
	return path == module || strings.HasPrefix(path, module+"/")
}

// moduleOf guesses the path of the module that a package is of.
func moduleOf(path string) string {
	elems := strings.SplitN(path, "/", 4)
	if !strings.Contains(elems[0], ".") {
		return elems[0]
	}
	return strings.Join(elems[:min(3, len(elems))], "/")
}

// export exports the summaries of the functions of which other packages can learn
// something. Those of other modules are not summarized, for their cost.
func (e *engine) export() {
	if report.HasTests(e.pass) {
		return
	}
	for _, file := range e.pass.Files {
		e.exportSentinels(file)
	}
	if e.pass.Pkg.Name() == "main" {
		return
	}
	e.scanAll()
	for _, decl := range e.index.Decls() {
		fn, ok := e.info.Defs[decl.Name].(*types.Func)
		if !ok || !typeset.IsExported(fn) || !e.worthTelling(fn, e.scans[decl]) {
			continue
		}
		if s := e.summarize(decl, fn); s != nil {
			e.pass.ExportObjectFact(fn, s)
		}
	}
}

// exportSentinels exports the variables of a file that hold errors of their own.
func (e *engine) exportSentinels(file *ast.File) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for _, name := range vs.Names {
				if v, ok := e.info.Defs[name].(*types.Var); ok && v.Exported() && e.isOwnSentinel(name) {
					e.pass.ExportObjectFact(v, new(sentinelFact))
				}
			}
		}
	}
}

// worthTelling reports whether a function may do what matters to its callers: send,
// wait, make a request, judge a failure, or repeat a function.
func (e *engine) worthTelling(fn *types.Func, s *scan) bool {
	sig := fn.Signature()
	if s.waits || s.sends && sig.Results().Len() > 0 {
		return true
	}
	judges := false
	for r := range sig.Results().Variables() {
		if httpmodel.IsRequest(r.Type()) {
			return true
		}
		judges = judges || typeset.IsBool(r.Type()) || httpmodel.IsError(r.Type())
	}
	for p := range sig.Params().Variables() {
		if judges && isJudged(p) {
			return true
		}
		if _, ok := p.Type().Underlying().(*types.Signature); ok && s.loops {
			return true
		}
	}
	return false
}

// isJudged reports whether p may tell what came of an attempt.
func isJudged(p *types.Var) bool {
	return httpmodel.IsError(p.Type()) || httpmodel.IsResponse(p.Type()) || typeset.IsInteger(p.Type()) && statusName.MatchString(p.Name())
}
