package pools

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A summary is what callers know of a function. It is the fact of an exported one.
type summary struct {
	Made []made // pools that it makes and hands out
	Uses []use  // what becomes of a pool that a parameter holds
}

// A made is a pool that a function makes and hands out on some path.
type made struct {
	Results uint32      // where the caller finds it: a bit for each result
	Params  uint32      // and for each parameter (0 is the receiver) that points to something that has it now
	When    []Condition // all of them hold on that path
	Grip    grip        // how the result holds it
	Twins   string      // the fields that have it, see trace
	Type    string      // the type of the package that is in a result that is an interface
	Used    bool        // a request was sent with it
	pos     token.Pos   // where it is made
}

// A Condition is one on a parameter: that it, or a field of it, is the zero value
// of its type, or is not.
type Condition struct {
	Param int    // 0 is the receiver
	Path  string // ".Transport", or empty
	Zero  bool
	Maker bool // instead: that it is a function that makes a pool
}

// A use is what becomes of a pool that a function's parameter holds.
type use struct {
	Param   int
	Results uint32 // results that hold it
	Params  uint32 // parameters that point to something that has it now
	Grip    grip   // how the results hold it
	Twins   string // the fields that have it, see trace
	Sends   bool   // a request is sent with it
	Closes  bool   // it has no idle connections when the function is done
	Keeps   bool   // it may live on, where nobody sees it
}

func (*summary) AFact() {}

func (s *summary) String() string {
	return fmt.Sprintf("pools(made=%d uses=%d)", len(s.Made), len(s.Uses))
}

// exportFacts exports the facts of the package's exported functions.
func (c *checker) exportFacts() {
	for _, file := range c.pass.Files {
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			fn, ok := c.pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok || !typeset.IsExported(fn) {
				continue
			}
			if f := c.function(decl); f != nil {
				if s := c.summarize(f, fn); len(s.Made) > 0 || len(s.Uses) > 0 {
					c.pass.ExportObjectFact(fn, s)
				}
			}
		}
	}
}

// summarize returns what other packages must know of f. What every caller expects of
// a method (see expectedSend) is left out.
func (c *checker) summarize(f *function, fn *types.Func) *summary {
	s := new(summary)
	for r := range f.sig.Results().Variables() {
		if mayHold(c, r.Type()) {
			s.Made = c.madeBy(f)
			break
		}
	}
	if s.Made == nil && c.poolishParams(f) {
		s.Made = c.madeBy(f)
	}
	for i, p := range f.params {
		if p == nil || !c.poolish(p.Type()) {
			continue
		}
		u := c.useOf(f, i, "")
		if u == nil || u.Keeps || i == 0 && !isCloser(fn.Name()) && u.Sends == expectedSend(f.sig) {
			continue
		}
		s.Uses = append(s.Uses, *u)
	}
	return s
}

// poolishParams reports whether a pointer parameter of f may have a pool put in.
func (c *checker) poolishParams(f *function) bool {
	return slices.ContainsFunc(f.params, func(p *types.Var) bool {
		if p == nil {
			return false
		}
		_, ok := p.Type().Underlying().(*types.Pointer)
		return ok && c.poolish(p.Type())
	})
}

// maxMade bounds how many ways of making a pool are told of a function.
const maxMade = 4

// madeBy returns the pools that f makes and hands out.
func (c *checker) madeBy(f *function) []made {
	if list, ok := c.made[f]; ok || c.making[f] {
		return list
	}
	c.making[f] = true
	defer delete(c.making, f)
	var list []made
	for _, src := range c.sources(f) {
		t := c.trace(f, src)
		if t == nil {
			continue
		}
		for _, e := range t.exits {
			if !e.live || e.results == 0 && e.stored == 0 {
				continue
			}
			m := made{Results: e.results, Params: e.stored, When: t.conditions(e.at), Grip: e.grip, Twins: strings.Join(t.twins, ","), Type: e.typ, Used: e.used, pos: src.node.Pos()}
			if src.made.IsValid() {
				m.pos = src.made
			}
			m.When = append(m.When, src.when...)
			list = addMade(list, m)
		}
	}
	list = append(list, c.madeByOptions(f)...)
	if len(list) > maxMade {
		list = list[:maxMade]
	}
	c.made[f] = list
	return list
}

// madeByOptions returns the pools that are made, whatever else holds, by the function
// literals that f returns, and put into what their argument points to.
func (c *checker) madeByOptions(f *function) (list []made) {
	inspectBody(f.body, func(n ast.Node) bool {
		ret, ok := n.(*ast.ReturnStmt)
		if !ok {
			return true
		}
		for i, x := range ret.Results {
			lit, ok := ast.Unparen(x).(*ast.FuncLit)
			if !ok || !mayHold(c, f.sig.Results().At(i).Type()) {
				continue
			}
			option := c.function(lit)
			if option == nil {
				continue
			}
			for _, m := range c.madeBy(option) {
				if m.Params != 0 && m.Results == 0 && len(m.When) == 0 {
					list = append(list, made{Results: 1 << i, Grip: m.Grip, pos: m.pos})
				}
			}
		}
		return true
	})
	return list
}

// addMade adds m to list, unless list says as much already.
func addMade(list []made, m made) []made {
	for i, old := range list {
		if old.Results != m.Results || old.Params != m.Params || old.Twins != m.Twins {
			continue
		}
		if subset(old.When, m.When) {
			list[i].Used = old.Used && m.Used
			return list
		}
		if subset(m.When, old.When) {
			m.Used = old.Used && m.Used
			list[i] = m
			return list
		}
	}
	return append(list, m)
}

// subset reports whether all of a are in b.
func subset(a, b []Condition) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

// useOf returns what becomes of a pool that parameter i of f holds, in these fields, or
// nil where that does not settle.
func (c *checker) useOf(f *function, i int, twins string) *use {
	key := paramOf{f, i, twins}
	if u, ok := c.uses[key]; ok {
		return u
	}
	c.uses[key] = &use{Param: i} // in recursion: nothing more than what is seen elsewhere
	u := c.computeUse(f, i, twins)
	c.uses[key] = u
	return u
}

// computeUse is useOf without its memory.
func (c *checker) computeUse(f *function, i int, twins string) *use {
	t := c.trace(f, source{node: f.node, param: f.params[i], twins: twins})
	if t == nil {
		return nil
	}
	u := &use{Param: i, Closes: len(t.exits) > 0, Sends: t.sent, Keeps: t.kept}
	first := true
	for _, e := range t.exits {
		u.Results |= e.results
		u.Params |= e.stored
		u.Closes = u.Closes && !e.live
		if e.results != 0 || e.stored != 0 {
			if first {
				u.Grip = e.grip
			} else {
				u.Grip = u.Grip.or(e.grip)
			}
			first = false
		}
	}
	u.Twins = strings.Join(t.twins, ",")
	u.Closes = u.Closes && !u.Keeps
	u.Params &^= 1 << i
	return u
}

// imported returns the fact of a function of another package, or nil.
func (c *checker) imported(fn *types.Func) *summary {
	s := new(summary)
	if fn.Pkg() == nil || fn.Pkg() == c.pass.Pkg || !c.pass.ImportObjectFact(fn, s) {
		return nil
	}
	return s
}

// usesBy returns what a target does with the pool if its parameter i holds it; nil if
// that is not known.
func (t *trace) usesBy(by target, i int) *use {
	if by.fn != nil {
		if i >= len(by.fn.params) {
			i = len(by.fn.params) - 1
		}
		if i < 0 || by.fn.params[i] == nil {
			return nil
		}
		return t.useOf(by.fn, i, strings.Join(t.twins, ","))
	}
	if n := by.decl.Signature().Params().Len(); i > n {
		i = n // variadic
	}
	if s := t.imported(by.decl); s != nil {
		for _, u := range s.Uses {
			if u.Param == i {
				return &u
			}
		}
	}
	return nil
}

// makes returns the pools that a target hands out.
func (c *checker) makes(t target) []made {
	if t.fn != nil {
		return c.madeBy(t.fn)
	}
	if s := c.imported(t.decl); s != nil {
		return s.Made
	}
	return nil
}

// isCloser reports whether a method of this name gives something up.
func isCloser(name string) bool {
	return slices.Contains([]string{"CloseIdleConnections", "Close", "Stop", "Shutdown"}, name)
}
