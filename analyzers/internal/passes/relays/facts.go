package relays

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// A summaryFact is the summary of a function.
type summaryFact summary

func (*summaryFact) AFact() {}

func (f *summaryFact) String() string {
	return fmt.Sprintf("relays(looks=%d sends=%d gives=%d)", len(f.Looks), len(f.Sends), len(f.Gives))
}

// imported returns the summary of a function of another package, or nil.
func (c *checker) imported(fn *types.Func) *summary {
	var fact summaryFact
	if fn == nil || fn.Pkg() == nil || fn.Pkg() == c.pass.Pkg || !c.pass.ImportObjectFact(fn, &fact) {
		return nil
	}
	return (*summary)(&fact)
}

// maxEntries bounds a fact. A function that has more to tell is unknown elsewhere.
const maxEntries = 24

// compareSends orders what a fact says.
func compareSends(x, y sends) int {
	return cmp.Or(cmp.Compare(x.Client, y.Client), compareRefs(x.From, y.From), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Answer, y.Answer))
}

// export exports the summaries of the functions of which other packages can learn
// something, and of the methods of interfaces.
func (c *checker) export() {
	if report.HasTests(c.pass) {
		return
	}
	for _, decl := range c.index.Decls() {
		if fn, ok := c.info.Defs[decl.Name].(*types.Func); ok && fn.Exported() {
			c.exportOf(fn, c.touches[fn])
		}
	}
	scope := c.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() || obj.IsAlias() {
			continue
		}
		iface, ok := obj.Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for fn := range iface.ExplicitMethods() {
			if fn.Exported() && fn.Pkg() == c.pass.Pkg {
				c.exportOf(fn, slices.ContainsFunc(c.implementations(fn), func(impl *types.Func) bool { return c.touches[impl] }))
			}
		}
	}
}

// exportOf exports the summary of fn, which touches what is fetched or not.
func (c *checker) exportOf(fn *types.Func, touches bool) {
	takes := c.takes(fn)
	if !takes && !touches {
		return
	}
	s := c.summaryOf(fn)
	if s == nil {
		return
	}
	fact := &summaryFact{Looks: visible(s.Looks), Answers: s.Answers}
	for _, t := range s.Sends {
		t.at, t.fetch = token.NoPos, token.NoPos
		if (takes || t.From == fetched) && !slices.Contains(fact.Sends, t) {
			fact.Sends = append(fact.Sends, t)
		}
	}
	fresh := false
	for _, g := range s.Gives {
		if g.fetch = token.NoPos; isVisible(g.Path) && isVisible(g.From.Path) && !slices.Contains(fact.Gives, g) {
			fact.Gives = append(fact.Gives, g)
			fresh = fresh || g.From == fetched
		}
	}
	for _, t := range s.Calls {
		if t.fetch = token.NoPos; isVisible(t.From.Path) && !slices.Contains(fact.Calls, t) {
			fact.Calls = append(fact.Calls, t)
		}
	}
	slices.SortFunc(fact.Looks, compareRefs)
	slices.SortFunc(fact.Sends, compareSends)
	if n := len(fact.Looks) + len(fact.Sends) + len(fact.Gives) + len(fact.Calls); n <= maxEntries && (takes || fresh || len(fact.Sends)+len(fact.Calls) > 0) {
		c.pass.ExportObjectFact(fn, fact)
	}
}

// takes reports whether a parameter of fn is a response or an own client, or fn writes to
// one that it is a method of.
func (c *checker) takes(fn *types.Func) bool {
	if recv := fn.Signature().Recv(); recv != nil && strings.HasPrefix(fn.Name(), "Write") && httpmodel.IsOwnClient(recv.Type()) && typeset.IsExported(fn) {
		return true
	}
	for v := range fn.Signature().Params().Variables() {
		if httpmodel.IsOwnClient(v.Type()) || httpmodel.IsUpstream(v.Type()) {
			return true
		}
	}
	return false
}

// visible returns those of refs that other packages can name.
func visible(refs []ref) (out []ref) {
	for _, r := range refs {
		if isVisible(r.Path) {
			out = append(out, r)
		}
	}
	return out
}

// isVisible reports whether the fields of a path are exported.
func isVisible(path string) bool {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if name != "" && name != "*" && name != "()" && !token.IsExported(name) {
			return false
		}
	}
	return true
}
