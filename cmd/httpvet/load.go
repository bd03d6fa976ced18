package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/packages"
)

// A program is the packages that match the patterns, and their dependencies,
// type-checked from source.
type program struct {
	roots  []*packages.Package
	broken []error // one for each root that cannot be analyzed
}

// A loader loads a program.
type loader struct {
	config packages.Config
	done   atomic.Int32 // packages checked
	total  atomic.Int32 // of how many

	fset   *token.FileSet
	isRoot map[*packages.Package]bool
	parse  chan struct{} // a slot for each file that is parsed at a time
	check  chan struct{} // a slot for each package that is checked at a time
}

// load lists the packages that match patterns with the go command, and parses and
// type-checks them. Of a dependency that does not matter, only the declarations
// are checked; it is left out of the imports that the analyses follow.
func (l *loader) load(patterns []string) (*program, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("the go command is not in PATH: httpvet needs it to list packages")
	}
	l.fset = token.NewFileSet()
	l.config.Fset = l.fset
	l.config.Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedDeps | packages.NeedModule | packages.NeedTypesSizes | packages.NeedForTest
	roots, err := packages.Load(&l.config, patterns...)
	if err != nil {
		return nil, listError(err)
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	for _, pkg := range roots {
		if err := tooNew(pkg.Module); err != nil {
			return nil, err
		}
	}

	p := new(program)
	l.isRoot = make(map[*packages.Package]bool)
	for _, pkg := range roots {
		if len(pkg.CompiledGoFiles) == 0 && len(pkg.Errors) == 0 || strings.HasSuffix(pkg.PkgPath, ".test") {
			continue // nothing in it, or a generated main of tests
		}
		l.isRoot[pkg] = true
		p.roots = append(p.roots, pkg)
	}
	l.checkAll(p.roots)

	good := p.roots[:0]
	for _, pkg := range p.roots {
		if len(pkg.Errors) > 0 {
			p.broken = append(p.broken, fmt.Errorf("%s: %s", pkg.PkgPath, firstError(pkg)))
			continue
		}
		good = append(good, pkg)
	}
	p.roots = good
	l.prune(p.roots)
	return p, nil
}

// listError returns the error of the go command in one line.
func listError(err error) error {
	text := err.Error()
	if i := strings.Index(text, "stderr: "); i >= 0 {
		text = text[i+len("stderr: "):]
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return errors.New(strings.TrimPrefix(text, "go: "))
}

// firstError returns the first error of a package, in one line, and how many
// there are.
func firstError(pkg *packages.Package) string {
	text, _, _ := strings.Cut(strings.TrimSpace(pkg.Errors[0].Error()), "\n")
	text = strings.TrimPrefix(text, "-: ")
	if n := len(pkg.Errors) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

// tooNew returns an error if a module asks for a newer Go than the one that
// httpvet was built with, whose type-checker does not know its language.
func tooNew(mod *packages.Module) error {
	if mod == nil || !newer(mod.GoVersion, runtime.Version()) {
		return nil
	}
	return fmt.Errorf("module %s asks for go %s, but httpvet was built with %s: build it again with that Go, as by GOTOOLCHAIN=go%s go install github.com/httpvet/httpvet/cmd/httpvet@latest",
		mod.Path, mod.GoVersion, runtime.Version(), mod.GoVersion)
}

// checkAll type-checks the packages and all that they import, each after its imports.
func (l *loader) checkAll(roots []*packages.Package) {
	l.parse = make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	l.check = make(chan struct{}, runtime.GOMAXPROCS(0))
	var order []*packages.Package
	packages.Visit(roots, nil, func(pkg *packages.Package) { order = append(order, pkg) })
	l.total.Store(int32(len(order)))

	ready := make(map[*packages.Package]chan struct{}, len(order))
	for _, pkg := range order {
		ready[pkg] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for _, pkg := range order {
		wg.Go(func() {
			defer close(ready[pkg])
			l.check <- struct{}{}
			files := l.parseFiles(pkg)
			<-l.check
			for _, dep := range pkg.Imports {
				<-ready[dep]
			}
			l.check <- struct{}{}
			l.checkPackage(pkg, files)
			<-l.check
			l.done.Add(1)
		})
	}
	wg.Wait()
}

// parseFiles parses the files of a package. Errors are added to its own.
func (l *loader) parseFiles(pkg *packages.Package) []*ast.File {
	if pkg.PkgPath == "unsafe" {
		return nil
	}
	mode := parser.SkipObjectResolution
	if l.isRoot[pkg] {
		mode |= parser.ParseComments
	}
	var files []*ast.File
	for _, name := range pkg.CompiledGoFiles {
		if !strings.HasSuffix(name, ".go") && !strings.Contains(name, "go-build") {
			continue // assembly
		}
		file, err := parser.ParseFile(l.fset, name, nil, mode)
		if file != nil {
			files = append(files, file)
		}
		var list scanner.ErrorList
		if errors.As(err, &list) {
			for _, e := range list {
				pkg.Errors = append(pkg.Errors, packages.Error{Pos: e.Pos.String(), Msg: e.Msg, Kind: packages.ParseError})
			}
		} else if err != nil {
			pkg.Errors = append(pkg.Errors, packages.Error{Msg: err.Error(), Kind: packages.ParseError})
		}
	}
	return files
}

// checkPackage type-checks a package whose imports are checked.
func (l *loader) checkPackage(pkg *packages.Package, files []*ast.File) {
	pkg.Fset = l.fset
	if pkg.PkgPath == "unsafe" {
		pkg.Types = types.Unsafe
		return
	}
	whole := l.isRoot[pkg] || matters(pkg)
	if whole {
		pkg.Syntax = files
		pkg.TypesInfo = &types.Info{
			Types:        make(map[ast.Expr]types.TypeAndValue),
			Defs:         make(map[*ast.Ident]types.Object),
			Uses:         make(map[*ast.Ident]types.Object),
			Implicits:    make(map[ast.Node]types.Object),
			Instances:    make(map[*ast.Ident]types.Instance),
			Scopes:       make(map[ast.Node]*types.Scope),
			Selections:   make(map[*ast.SelectorExpr]*types.Selection),
			FileVersions: make(map[*ast.File]string),
		}
	}
	config := types.Config{
		Importer:         importer(pkg.Imports),
		IgnoreFuncBodies: !whole,
		FakeImportC:      true,
		Sizes:            pkg.TypesSizes,
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) {
				pkg.Errors = append(pkg.Errors, packages.Error{Pos: l.fset.Position(e.Pos).String(), Msg: e.Msg, Kind: packages.TypeError})
				pkg.TypeErrors = append(pkg.TypeErrors, e)
			}
		},
	}
	if mod := pkg.Module; mod != nil && mod.GoVersion != "" {
		config.GoVersion = "go" + mod.GoVersion
	}
	pkg.Types = types.NewPackage(pkg.PkgPath, pkg.Name)
	types.NewChecker(&config, l.fset, pkg.Types, pkg.TypesInfo).Files(files) // errors: see config
	pkg.IllTyped = len(pkg.Errors) > 0
}

// An importer finds the types of a package's imports.
type importer map[string]*packages.Package

// Import implements types.Importer.
func (imports importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	pkg := imports[path]
	if pkg == nil || pkg.Types == nil {
		return nil, fmt.Errorf("no package %s", path)
	}
	return pkg.Types, nil
}

// prune replaces the imports of each package, which the analyses follow for
// facts, by the nearest packages that matter: those that do not are analyzed by
// nobody, nor are broken dependencies, which have no facts.
func (l *loader) prune(roots []*packages.Package) {
	nearest := make(map[*packages.Package]map[string]*packages.Package)
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		near := make(map[string]*packages.Package)
		for _, path := range slices.Sorted(maps.Keys(pkg.Imports)) {
			dep := pkg.Imports[path]
			if dep.TypesInfo != nil && !dep.IllTyped {
				near[dep.ID] = dep
			} else {
				maps.Copy(near, nearest[dep])
			}
		}
		nearest[pkg] = near
	})
	for pkg, near := range nearest {
		pkg.Imports = near
	}
}
