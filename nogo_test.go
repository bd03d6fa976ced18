package httpvet_test

import (
	"encoding/json"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/httpvet/httpvet/analyzers"
	"github.com/httpvet/httpvet/internal/testenv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// TestNogo proves that each pass works in a driver that gives it little: no
// ReadFile, no Module, no versions of files, and either facts of the packages of the
// build but none of the standard library (nogo, of Bazel's rules_go), or none at all.
// There it does not fail, finds nothing that it does not find under go vet, and still
// finds the share that is demanded of it here.
func TestNogo(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	pkgs := load(t, testenv.Testdata(t), "./...")
	want := make(map[finding]bool)
	for act := range analyze(t, pkgs, false).All() {
		if act.IsRoot && slices.Contains(analyzers.All(), act.Analyzer) {
			for _, d := range act.Diagnostics {
				want[findingOf(t, act.Package, act.Analyzer, d)] = true
			}
		}
	}
	for _, test := range []struct {
		name   string
		facts  bool
		least  float64            // the share to be found
		recall map[string]float64 // by rule, where it is another
	}{
		// Lost is where it matters whether a helper is of the same module.
		{"nogo", true, 0.98, nil},
		// Lost is what hangs on another package: helpers, probes, retry libraries, makers of
		// keys and clients, routers, assertions.
		{"no facts", false, 0.3, map[string]float64{
			"bodydrain":      0.85,
			"failnow":        0.65,
			"retrypolicy":    0.9,
			"shutdowndrain":  0.85,
			"statusrelay":    0.9,
			"timeoutstatus":  0.9,
			"transportreuse": 0.7,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newPoorDriver(t, pkgs, test.facts)
			packages.Visit(pkgs, nil, func(pkg *packages.Package) {
				if pkg.Module != nil { // else it is of the standard library
					d.runAll(pkg)
				}
			})
			total, kept := make(map[string]int), make(map[string]int)
			for f := range want {
				if !strings.HasPrefix(filepath.ToSlash(f.file), f.rule+"/") {
					continue // a fixture of another rule is no measure
				}
				total[f.rule]++
				if d.found[f] {
					kept[f.rule]++
				}
			}
			for f := range d.found {
				if !want[f] {
					t.Errorf("found here only: %v", f)
				}
			}
			for rule, n := range total {
				least, ok := test.recall[rule]
				if !ok {
					least = test.least
				}
				t.Logf("%s: %d of %d findings", rule, kept[rule], n)
				if float64(kept[rule]) < least*float64(n) {
					t.Errorf("%s: less than %.0f %%", rule, 100*least)
				}
			}
		})
	}
}

// TestBazelPage proves that what docs/bazel.md gives to be copied names every rule, and
// no rule or flag that there is not.
func TestBazelPage(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("docs", "bazel.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	rules := make(map[string]*analysis.Analyzer)
	var deps []string
	for _, a := range analyzers.All() {
		rules[a.Name] = a
		deps = append(deps, fmt.Sprintf("\t%q,\n", "@com_github_httpvet_httpvet//analyzers/"+a.Name))
	}
	want := strings.ReplaceAll(strings.Join(deps, ""), "\t", strings.Repeat(" ", 8))
	if !strings.Contains(page, "[\n"+want+"    ]") {
		t.Errorf("docs/bazel.md: want in the BUILD file, and nothing more,\n%s", want)
	}
	_, block, _ := strings.Cut(page, "```json\n")
	block, _, _ = strings.Cut(block, "```\n")
	var config map[string]struct {
		Only    map[string]string `json:"only_files"`
		Exclude map[string]string `json:"exclude_files"`
		Flags   map[string]string `json:"analyzer_flags"`
	}
	dec := json.NewDecoder(strings.NewReader(block))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&config); err != nil {
		t.Fatalf("docs/bazel.md: %v in\n%s", err, block)
	}
	for name, c := range config {
		a := rules[name]
		if a == nil && name != "_base" {
			t.Errorf("docs/bazel.md: %q is no rule", name)
		}
		for flag := range c.Flags {
			if a == nil || a.Flags.Lookup(flag) == nil {
				t.Errorf("docs/bazel.md: %s has no flag %q", name, flag)
			}
		}
	}
}

// A finding says which rule reports which line of the fixtures, and whether it
// offers a fix.
type finding struct {
	rule, file string
	line       int
	fix        bool
}

func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %s (fix: %t)", f.file, f.line, f.rule, f.fix)
}

// findingOf returns what a reports of pkg with d.
func findingOf(t *testing.T, pkg *packages.Package, a *analysis.Analyzer, d analysis.Diagnostic) finding {
	posn := pkg.Fset.Position(d.Pos)
	file, err := filepath.Rel(testenv.Testdata(t), posn.Filename)
	if err != nil {
		t.Fatal(err)
	}
	return finding{a.Name, file, posn.Line, len(d.SuggestedFixes) > 0}
}

// A poorDriver runs passes and gives them little.
type poorDriver struct {
	test   *testing.T
	roots  []*packages.Package
	facts  bool // whether facts reach other packages
	done   map[unit]any
	stored map[factKey]analysis.Fact
	found  map[finding]bool
}

// newPoorDriver returns a driver that collects the findings in pkgs.
func newPoorDriver(t *testing.T, pkgs []*packages.Package, facts bool) *poorDriver {
	return &poorDriver{
		test:   t,
		roots:  pkgs,
		facts:  facts,
		done:   make(map[unit]any),
		stored: make(map[factKey]analysis.Fact),
		found:  make(map[finding]bool),
	}
}

// A unit is one pass over one package.
type unit struct {
	a   *analysis.Analyzer
	pkg *packages.Package
}

// A factKey says which pass knows a fact, and of what: a package or an object.
type factKey struct {
	a    *analysis.Analyzer
	of   any
	fact reflect.Type
}

// runAll runs all passes over a package, of which those that it imports are done.
func (d *poorDriver) runAll(pkg *packages.Package) {
	for _, a := range analyzers.All() {
		d.run(a, pkg)
	}
}

// run runs a pass over a package, those that it requires first, and returns its
// result.
func (d *poorDriver) run(a *analysis.Analyzer, pkg *packages.Package) any {
	if result, ok := d.done[unit{a, pkg}]; ok {
		return result
	}
	info := *pkg.TypesInfo
	info.FileVersions = nil
	pass := &analysis.Pass{
		Analyzer:   a,
		Fset:       pkg.Fset,
		Files:      pkg.Syntax,
		Pkg:        pkg.Types,
		TypesInfo:  &info,
		TypesSizes: pkg.TypesSizes,
		ResultOf:   make(map[*analysis.Analyzer]any),
		Report: func(diag analysis.Diagnostic) {
			if slices.Contains(d.roots, pkg) && slices.Contains(analyzers.All(), a) {
				d.found[findingOf(d.test, pkg, a, diag)] = true
			}
		},
		ImportObjectFact:  func(obj types.Object, fact analysis.Fact) bool { return d.get(a, obj, fact) },
		ExportObjectFact:  func(obj types.Object, fact analysis.Fact) { d.put(a, obj, fact) },
		ImportPackageFact: func(pkg *types.Package, fact analysis.Fact) bool { return d.get(a, pkg, fact) },
		ExportPackageFact: func(fact analysis.Fact) { d.put(a, pkg.Types, fact) },
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	}
	for _, required := range a.Requires {
		pass.ResultOf[required] = d.run(required, pkg)
	}
	defer func() {
		if r := recover(); r != nil {
			d.test.Fatalf("%s panics on %s: %v", a.Name, pkg.ID, r)
		}
	}()
	result, err := a.Run(pass)
	if err != nil {
		d.test.Errorf("%s fails on %s: %v", a.Name, pkg.ID, err)
	}
	d.done[unit{a, pkg}] = result
	return result
}

// put stores a fact, if the driver has facts.
func (d *poorDriver) put(a *analysis.Analyzer, of any, fact analysis.Fact) {
	if d.facts {
		d.stored[factKey{a, of, reflect.TypeOf(fact)}] = fact
	}
}

// get sets fact to the one that is stored, if any.
func (d *poorDriver) get(a *analysis.Analyzer, of any, fact analysis.Fact) bool {
	stored, ok := d.stored[factKey{a, of, reflect.TypeOf(fact)}]
	if ok {
		reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(stored).Elem())
	}
	return ok
}
