// Package httpvet_test holds the tests about the house: that the list of passes,
// their folders, their pages and their messages keep to one form, that imports run
// downward, and that no pass fails on any code. What a pass finds is tested beside
// the pass.
package httpvet_test

import (
	"bytes"
	"encoding/gob"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/httpvet/httpvet/analyzers"
	"github.com/httpvet/httpvet/internal/testenv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/objectpath"
)

// module is the path of this module.
const module = "github.com/httpvet/httpvet"

var update = flag.Bool("update", false, "write the rules into README.md")

// TestAll proves that the list of passes is valid, sorted and complete, and that
// each of them bears the name of its folder wherever it is named.
func TestAll(t *testing.T) {
	all := analyzers.All()
	if err := analysis.Validate(all); err != nil {
		t.Error(err)
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	if folders := passFolders(t); !slices.Equal(names, folders) {
		t.Errorf("analyzers.All() is %q, want the folders of analyzers/: %q", names, folders)
	}
	for _, a := range all {
		if want := "https://pkg.go.dev/" + module + "/analyzers/" + a.Name; a.URL != want {
			t.Errorf("%s: URL is %s, want %s", a.Name, a.URL, want)
		}
		checkDoc(t, a)
		for _, dir := range []string{"falsepos", "limits"} {
			dir := filepath.Join("testdata", a.Name, dir)
			if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) == 0 {
				t.Errorf("%s: no fixtures in %s", a.Name, dir)
			}
		}
	}
}

// passFolders returns the names of the folders that hold a pass.
func passFolders(t *testing.T) (names []string) {
	entries, err := os.ReadDir("analyzers")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "internal" && e.Name() != "golangci" {
			names = append(names, e.Name())
		}
	}
	return names
}

// checkDoc checks that the page of a, its doc.go, has the form of all pages and is
// what the tool shows.
func checkDoc(t *testing.T, a *analysis.Analyzer) {
	name := filepath.Join("analyzers", a.Name, "doc.go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Error(err)
		return
	}
	page := file.Doc.Text()
	if file.Name.Name != a.Name || !strings.HasPrefix(page, "Package "+a.Name+" ") {
		t.Errorf("%s: want package %s, with a comment that opens with its name", name, a.Name)
	}
	if heading := "\n# Analyzer " + a.Name + "\n\n" + a.Name + ": "; !strings.Contains(page, heading+a.Doc) {
		t.Errorf("%s: want %q, and Analyzer.Doc to be what follows", name, heading)
	}
	for _, part := range []string{"Not reported", "How to silence", "//nolint:" + a.Name} {
		if !strings.Contains(a.Doc, part) {
			t.Errorf("%s: no %q", name, part)
		}
	}
	if s := summary(a); s == "" || unicode.IsUpper(rune(s[0])) || strings.HasSuffix(s, ".") {
		t.Errorf("%s: summary %q, want a verb phrase without a full stop", name, s)
	}
}

// summary returns the first paragraph of a's page, on one line.
func summary(a *analysis.Analyzer) string {
	first, _, _ := strings.Cut(a.Doc, "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// TestDocs proves that the table of rules in README.md is what their pages say.
func TestDocs(t *testing.T) {
	const begin, end = "<!-- rules: go test -run TestDocs . ./cmd/httpvet -update -->\n", "<!-- end of rules -->\n"
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(readme), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("README.md has no lines %q and %q", begin, end)
	}
	var table strings.Builder
	table.WriteString("| Rule | What it does |\n|---|---|\n")
	for _, a := range analyzers.All() {
		fmt.Fprintf(&table, "| [%s](docs/rules/%s.md) | %s |\n", a.Name, a.Name, strings.ReplaceAll(summary(a), "|", `\|`))
	}
	want := head + begin + table.String() + end + tail
	if want == string(readme) {
		return
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the rules in README.md are not what their pages say; to mend it, run\n\n\tgo test -run TestDocs . ./cmd/httpvet -update\n")
}

// TestREADME proves that .ci/run, which runs in a module that uses this one as it
// is here, runs each command that README.md tells, of whatever version.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	ci, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`@(latest|v0\.0\.0)\b`)
	var run []string
	for line := range strings.Lines(string(ci)) {
		run = append(run, strings.TrimSpace(version.ReplaceAllString(line, "")))
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(blocks) == 0 {
		t.Error("README.md tells no commands")
	}
	for _, block := range blocks {
		for line := range strings.Lines(string(block[1])) {
			command, _, _ := strings.Cut(version.ReplaceAllString(line, ""), "#")
			if command = strings.TrimSpace(command); !slices.Contains(run, command) {
				t.Errorf("README.md tells %q, which .ci/run does not run", command)
			}
		}
	}
}

// TestSnippets proves that no page tells a command that passes, with the checks of go
// vet alone, where httpvet is not installed: an empty -vettool is no error.
func TestSnippets(t *testing.T) {
	n := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (name == "testdata" || name == ".git") {
			return fs.SkipDir
		}
		if ext := filepath.Ext(name); d.IsDir() || ext != ".md" && ext != ".yml" && ext != ".yaml" && !strings.HasSuffix(name, "cmd/httpvet/help.go") {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			if _, tool, ok := strings.Cut(line, "-vettool="); ok && strings.HasPrefix(tool, "$(") && strings.Contains(tool, "httpvet") {
				n++
				if !strings.Contains(tool, "|| echo httpvet-is-not") {
					t.Errorf("%s tells %q, which passes where there is no httpvet", name, strings.TrimSpace(line))
				}
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("%d snippets, %v", n, err)
	}
}

// layers lists the packages of this module from the bottom up. A package imports
// only those of the layers below its own; helper passes may build on each other.
var layers = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"syntax, report", regexp.MustCompile(`^analyzers/internal/(syntax|report)$`)},
	{"typeset", regexp.MustCompile(`^analyzers/internal/typeset$`)},
	{"httpmodel, flow", regexp.MustCompile(`^analyzers/internal/(httpmodel|flow)$`)},
	{"helper passes", regexp.MustCompile(helperPasses)},
	{"passes", regexp.MustCompile(`^analyzers/[^/]+$`)},
	{"their list", regexp.MustCompile(`^analyzers$`)},
	{"findings", regexp.MustCompile(`^cmd/httpvet/internal/finding$`)},
	{"what is done with findings", regexp.MustCompile(`^cmd/httpvet/internal/(baseline|changed|format)$`)},
	{"commands and plugins", regexp.MustCompile(`^cmd/[^/]+$|^analyzers/golangci(/|$)`)},
}

const helperPasses = `^analyzers/internal/passes/[^/]+$`

// layerOf returns the number of the layer of the package in a folder, or -1. The
// highest of those that match counts.
func layerOf(dir string) int {
	for i, l := range slices.Backward(layers) {
		if l.pattern.MatchString(dir) {
			return i
		}
	}
	return -1
}

// TestImports proves that imports run downward, that no pass is built on SSA, and
// that none has an init function.
func TestImports(t *testing.T) {
	n := 0
	for name, file := range sources(t) {
		dir := path.Dir(filepath.ToSlash(name))
		if strings.HasPrefix(dir, "internal/") {
			continue // for tests
		}
		n++
		layer := layerOf(dir)
		if layer < 0 {
			t.Errorf("%s is in no layer; give it one in layers", dir)
			continue
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(imported, "tools/go/ssa") || strings.HasSuffix(imported, "passes/buildssa") {
				t.Errorf("%s imports %s, which costs more than it tells", name, imported)
			}
			if imported != module && !strings.HasPrefix(imported, module+"/") {
				continue
			}
			imported = strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
			switch below := layerOf(imported); {
			case below < 0:
				t.Errorf("%s imports %s, which is in no layer", name, imported)
			case below < layer:
			case below == layer && layers[layer].pattern.String() == helperPasses:
			default:
				t.Errorf("%s imports %s: %q is not below %q", name, imported, layers[below].name, layers[layer].name)
			}
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" && strings.HasPrefix(dir, "analyzers") && dir != "analyzers/golangci" {
				t.Errorf("%s has an init function", name)
			}
		}
	}
	if n == 0 {
		t.Error("no files")
	}
}

// sources parses the files of this module but for its tests.
func sources(t *testing.T) map[string]*ast.File {
	files := make(map[string]*ast.File)
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files[name], err = parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestFixtures runs all passes over all fixtures and their dependencies at once.
// It proves that none fails, on testdata/robust least of all, that what they report
// keeps the convention of messages, and that facts stay within their budget.
func TestFixtures(t *testing.T) {
	pkgs := load(t, testenv.Testdata(t), "./...")
	for _, dir := range []string{"calls", "control", "decls", "generics", "names"} {
		if !slices.ContainsFunc(pkgs, func(pkg *packages.Package) bool { return pkg.PkgPath == "fixtures/robust/"+dir }) {
			t.Errorf("testdata/robust/%s was not loaded", dir)
		}
	}
	graph := analyze(t, pkgs, true)
	for act := range graph.All() {
		if slices.Contains(analyzers.All(), act.Analyzer) && act.IsRoot {
			for _, d := range act.Diagnostics {
				checkMessage(t, act, d)
			}
		}
	}
	checkFacts(t, graph, analyze(t, pkgs, false))
}

// TestEverywhere runs all passes over this module, on which they find nothing, and
// over what the standard library has of HTTP.
func TestEverywhere(t *testing.T) {
	patterns := []string{module + "/..."}
	if !testing.Short() {
		patterns = append(patterns, "net/...", "expvar", "internal/trace/...", "cmd/go/internal/...", "cmd/trace", "cmd/pprof")
	}
	for act := range analyze(t, load(t, ".", patterns...), false).All() {
		if !act.IsRoot || !strings.HasPrefix(act.Package.PkgPath, module) {
			continue
		}
		for _, d := range act.Diagnostics {
			t.Errorf("%s: %s (%s)", act.Package.Fset.Position(d.Pos), d.Message, act.Analyzer.Name)
		}
	}
}

// TestFakeC runs all passes over a file that cgo has not rewritten, as editors see
// it: there is no type to what is C's.
func TestFakeC(t *testing.T) {
	pkgs := load(t, testenv.Testdata(t), "./robust/cgo")
	pkg := pkgs[0]
	name := filepath.Join(testenv.Testdata(t), "robust", "cgo", "cgo.go")
	file, err := parser.ParseFile(pkg.Fset, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{FakeImportC: true, Importer: importerFunc(func(path string) (*types.Package, error) {
		return pkg.Imports[path].Types, nil
	})}
	pkg.TypesInfo = &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Instances:    make(map[*ast.Ident]types.Instance),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:       make(map[ast.Node]*types.Scope),
		FileVersions: make(map[*ast.File]string),
	}
	pkg.Syntax = []*ast.File{file}
	if pkg.Types, err = conf.Check(pkg.PkgPath, pkg.Fset, pkg.Syntax, pkg.TypesInfo); err != nil {
		t.Fatal(err)
	}
	analyze(t, pkgs[:1], false)
}

// An importerFunc imports packages.
type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// TestProof runs the tests of the fixtures' own module: what the passes report in
// the fixtures is a fact at run time, and what they leave alone is none.
func TestProof(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	dir := filepath.Join(testenv.Testdata(t), "proof")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("nothing to prove")
	}
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v in %s: %v\n%s", cmd, dir, err, out)
	}
}

// load loads packages and their tests from source, with dependencies.
func load(t *testing.T, dir string, patterns ...string) []*packages.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Dir:   dir,
		Tests: true,
		Env:   append(os.Environ(), "GOWORK=off"),
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) == 0 {
		t.Fatalf("%q matches no packages", patterns)
	}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		for _, err := range pkg.Errors {
			t.Errorf("%s: %v", pkg.ID, err)
		}
	})
	t.Logf("%d packages", len(pkgs))
	return pkgs
}

// analyze runs all passes over pkgs. It can check that each fact survives encoding,
// once for each package that sees the fact.
func analyze(t *testing.T, pkgs []*packages.Package, sanityCheck bool) *checker.Graph {
	t.Helper()
	graph, err := checker.Analyze(analyzers.All(), pkgs, &checker.Options{SanityCheck: sanityCheck})
	if err != nil {
		t.Fatal(err)
	}
	for act := range graph.All() {
		if act.Err != nil {
			t.Errorf("%v: %v", act, act.Err)
		}
	}
	return graph
}

// checkMessage checks that d keeps the convention of messages: lower case but for
// the user's own names, of which there is one at least; no full stop; what it
// leads to in brackets at the end.
func checkMessage(t *testing.T, act *checker.Action, d analysis.Diagnostic) {
	fset := act.Package.Fset
	posn := fset.Position(d.Pos)
	wrong := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s: %q %s", posn, act.Analyzer.Name, d.Message, fmt.Sprintf(format, args...))
	}
	src, err := os.ReadFile(posn.Filename)
	if err != nil {
		t.Error(err)
		return
	}
	if !isPhrase(d.Message, src) {
		wrong("opens with a capital, ends in a full stop, or has more than one line")
	}
	if !strings.HasSuffix(d.Message, ")") {
		wrong("does not end with the consequence in brackets")
	}
	end := d.Pos
	if d.End.IsValid() {
		end = d.End
	}
	lines := bytes.Split(src, []byte("\n"))[posn.Line-1 : fset.Position(end).Line]
	ours := bytes.Join(lines, []byte("\n"))
	if !slices.ContainsFunc(words.FindAllString(d.Message, -1), func(word string) bool { return hasWord(ours, word) }) {
		wrong("names nothing of\n%s", ours)
	}
	if d.Category == "" || !strings.HasPrefix(d.URL, "https://") {
		wrong("has category %q and URL %q", d.Category, d.URL)
	}
	for _, r := range d.Related {
		if !isPhrase(r.Message, src) {
			wrong("is related to %q, which opens with a capital or ends in a full stop", r.Message)
		}
	}
	for _, fix := range d.SuggestedFixes {
		if fix.Message == "" || strings.HasSuffix(fix.Message, ".") || len(fix.TextEdits) == 0 {
			wrong("has fix %q of %d edits", fix.Message, len(fix.TextEdits))
		}
	}
}

// words matches identifiers and key words.
var words = regexp.MustCompile(`[\pL\pN][\pL\pN_]*`)

// isPhrase reports whether message is lower case, but for a name of src that it may
// open with, and on one line without a full stop.
func isPhrase(message string, src []byte) bool {
	if message == "" || strings.HasSuffix(message, ".") || strings.Contains(message, "\n") {
		return false
	}
	first := words.FindString(message)
	return !strings.HasPrefix(message, first) || strings.ToLower(first) == first || hasWord(src, first)
}

// hasWord reports whether word is one of those of src.
func hasWord(src []byte, word string) bool {
	return slices.ContainsFunc(words.FindAll(src, -1), func(w []byte) bool { return string(w) == word })
}

// Budgets of what the passes export as facts, in bytes as the go command stores them.
const (
	factBudget    = 128 << 10 // of the fixtures' dependencies, some hundred packages
	oneFactBudget = 1 << 10   // of one fact, without what gob says of its type
)

// checkFacts checks that the facts of graph are few and small, and that those of
// another run are the same.
func checkFacts(t *testing.T, graph, again *checker.Graph) {
	facts, size := exportedFacts(t, graph)
	if other, _ := exportedFacts(t, again); !maps.Equal(facts, other) {
		for key, value := range facts {
			if other[key] != value {
				t.Errorf("%s: another run exports another fact, or none", key)
			}
		}
		t.Errorf("%d facts, %d in another run", len(facts), len(other))
	}
	if size > factBudget {
		t.Errorf("%d bytes of facts about dependencies, more than %d", size, factBudget)
	}
	t.Logf("%d facts, %d bytes about dependencies", len(facts), size)
}

// exportedFacts returns the facts that graph's passes export, encoded, by pass and
// object, and the size of those about dependencies with the paths of their objects. It
// checks that the objects are exported.
func exportedFacts(t *testing.T, graph *checker.Graph) (facts map[string]string, size int) {
	facts = make(map[string]string)
	add := func(act *checker.Action, path string, fact analysis.Fact) {
		// As in a file of many facts, the type is described once, before.
		var buf bytes.Buffer
		enc := gob.NewEncoder(&buf)
		if err := enc.Encode(reflect.New(reflect.TypeOf(fact).Elem()).Interface()); err != nil {
			t.Error(err)
		}
		buf.Reset()
		if err := enc.Encode(fact); err != nil {
			t.Error(err)
		}
		key := fmt.Sprintf("%v, %s, %T", act, path, fact)
		if n := buf.Len(); n > oneFactBudget {
			t.Errorf("%s: a fact of %d bytes, more than %d", key, n, oneFactBudget)
		}
		if !strings.HasPrefix(act.Package.PkgPath, "fixtures/") { // Have: real code.
			size += len(path) + buf.Len()
		}
		facts[key] = buf.String()
	}
	for act := range graph.All() {
		for _, f := range act.AllPackageFacts() {
			if f.Package == act.Package.Types && isOurs(f.Fact) {
				add(act, "", f.Fact)
			}
		}
		var enc objectpath.Encoder
		for _, f := range act.AllObjectFacts() {
			if f.Object.Pkg() != act.Package.Types || !isOurs(f.Fact) {
				continue
			}
			if !f.Object.Exported() {
				t.Errorf("%v: a fact about %s, which other packages cannot name", act, types.ObjectString(f.Object, nil))
			}
			if path, err := enc.For(f.Object); err == nil { // else it is not stored
				add(act, string(path), f.Fact)
			}
		}
	}
	return facts, size
}

// isOurs reports whether fact is of a type of this module.
func isOurs(fact analysis.Fact) bool {
	return strings.HasPrefix(reflect.TypeOf(fact).Elem().PkgPath(), module+"/")
}
