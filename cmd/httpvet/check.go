package main

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/packages"
)

// A typechecker parses and type-checks packages and all that they import, and has
// them analyzed.
type typechecker struct {
	*loader
	isRoot map[*packages.Package]bool
	needs  map[*packages.Package]need // of all packages
	files  map[string]*sourceFile     // by name
	slots  chan struct{}              // one for each package that is worked on at a time

	garbage collector
}

// A sourceFile is a file of a package, and of its test variants.
type sourceFile struct {
	root   bool         // some root has it
	bodies bool         // its function bodies are needed
	users  atomic.Int32 // packages that have yet to ask for it
	once   sync.Once
	syntax *ast.File
	err    error
}

// newTypechecker returns a typechecker of roots.
func newTypechecker(l *loader, roots []*packages.Package) *typechecker {
	c := &typechecker{
		loader: l,
		isRoot: make(map[*packages.Package]bool),
		needs:  make(map[*packages.Package]need),
		files:  make(map[string]*sourceFile),
		slots:  make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	for _, pkg := range roots {
		c.isRoot[pkg] = true
	}
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		c.needs[pkg] = needOf(pkg.PkgPath, modulePath(pkg))
		if c.isRoot[pkg] {
			c.needs[pkg] = needBodies
		}
		for _, name := range pkg.GoFiles {
			file := c.files[name]
			if file == nil {
				file = new(sourceFile)
				c.files[name] = file
			}
			file.users.Add(1)
			file.root = file.root || c.isRoot[pkg]
			file.bodies = file.bodies || c.needs[pkg] == needBodies
		}
	})
	l.total.Store(int32(len(c.needs)))
	return c
}

// check checks and analyzes each package after those that it imports.
func (c *typechecker) check() {
	ready := make(map[*packages.Package]chan struct{}, len(c.needs))
	for pkg := range c.needs {
		ready[pkg] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for pkg := range c.needs {
		wg.Go(func() {
			defer close(ready[pkg])
			for _, dep := range pkg.Imports {
				<-ready[dep]
			}
			c.slots <- struct{}{}
			c.checkPackage(pkg)
			if pkg.TypesInfo != nil && !pkg.IllTyped {
				c.driver.analyze(pkg, c.isRoot[pkg])
			}
			pkg.Syntax, pkg.TypesInfo = nil, nil // most of what is in memory
			c.garbage.set()
			<-c.slots
			c.done.Add(1)
		})
	}
	wg.Wait()
}

// parse returns the syntax of a file.
func (c *typechecker) parse(name string) (*ast.File, error) {
	file := c.files[name]
	file.once.Do(func() { file.syntax, file.err = c.parseFile(name, file) })
	syntax, err := file.syntax, file.err
	if file.users.Add(-1) == 0 {
		file.syntax = nil // so that it is kept only if the package keeps it
	}
	return syntax, err
}

// parseFile parses a file, as far as it is needed.
func (c *typechecker) parseFile(name string, file *sourceFile) (*ast.File, error) {
	mode := parser.SkipObjectResolution
	if file.root {
		return parser.ParseFile(c.config.Fset, name, nil, mode|parser.ParseComments)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if !file.bodies {
		src = withoutBodies(src)
	}
	syntax, err := parser.ParseFile(c.config.Fset, name, src, mode)
	if syntax != nil {
		emptyTables(syntax)
	}
	return syntax, err
}

// parsePackage returns the syntax of a package's files. Where they use cgo and more
// than declarations is needed, it returns that of the files which the cgo command
// makes of them. If that fails, only the declarations can be had; so it is for
// dependencies in other modules, since the go command compiles all their C for it.
func (c *typechecker) parsePackage(pkg *packages.Package, n need) (files []*ast.File, _ need) {
	add := func(file *ast.File, err error) {
		if n == needBodies {
			addError(pkg, c.config.Fset, err)
		}
		if file != nil {
			files = append(files, file)
		}
	}
	usesCgo := false
	for _, name := range pkg.GoFiles {
		file, err := c.parse(name)
		add(file, err)
		usesCgo = usesCgo || file != nil && importsC(file)
	}
	if !usesCgo || n == needDeclarations {
		return files, n
	}
	if !c.isRoot[pkg] && (pkg.Module == nil || !pkg.Module.Main) {
		return files, needDeclarations
	}
	names, err := c.runCgo(pkg)
	if err != nil {
		if c.isRoot[pkg] {
			addError(pkg, c.config.Fset, err)
		}
		return files, needDeclarations
	}
	files = nil
	for _, name := range names {
		file, err := parser.ParseFile(c.config.Fset, name, nil, parser.SkipObjectResolution|parser.ParseComments)
		add(file, err)
	}
	return files, n
}

// importsC reports whether a file uses cgo.
func importsC(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` })
}

// runCgo returns the names of the files that the compiler gets for a package that
// uses cgo, and of its test files, which cannot.
func (c *typechecker) runCgo(pkg *packages.Package) (names []string, err error) {
	config := packages.Config{
		Mode:       packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles,
		Dir:        c.config.Dir,
		BuildFlags: c.config.BuildFlags,
	}
	list, err := packages.Load(&config, pkg.PkgPath)
	switch {
	case err != nil:
		return nil, listError(err)
	case len(list) != 1:
		return nil, errors.New("the go command does not run cgo on it")
	case len(list[0].Errors) > 0:
		return nil, errors.New(firstError(list[0]))
	}
	for _, name := range list[0].CompiledGoFiles {
		// The files that cgo makes have no extension in the build cache.
		if ext := filepath.Ext(name); ext == ".go" || ext == "" {
			names = append(names, name)
		}
	}
	for _, name := range pkg.GoFiles {
		if strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
	}
	return names, nil
}

// checkPackage parses and type-checks a package whose imports are checked.
func (c *typechecker) checkPackage(pkg *packages.Package) {
	pkg.Fset = c.config.Fset
	pkg.TypesSizes = types.SizesFor("gc", build.Default.GOARCH) // as unitchecker has it
	if pkg.PkgPath == "unsafe" {
		pkg.Types = types.Unsafe
		return
	}
	files, n := c.parsePackage(pkg, c.needs[pkg])
	config := types.Config{
		Importer:         importer(pkg.Imports),
		IgnoreFuncBodies: n != needBodies,
		FakeImportC:      true, // for declarations
		Sizes:            pkg.TypesSizes,
		Error: func(err error) {
			if n == needBodies {
				addError(pkg, c.config.Fset, err)
			}
		},
	}
	if mod := pkg.Module; mod != nil && mod.GoVersion != "" {
		config.GoVersion = "go" + mod.GoVersion
	}
	pkg.Types = types.NewPackage(pkg.PkgPath, pkg.Name)
	if n == needBodies {
		pkg.Syntax = files
		pkg.TypesInfo = newInfo(files)
	}
	types.NewChecker(&config, c.config.Fset, pkg.Types, pkg.TypesInfo).Files(files) // errors: see config
	pkg.IllTyped = len(pkg.Errors) > 0
}

// newInfo returns what the type-checker fills for the files of a package. The maps
// have room from the start, since growing them costs a tenth of all.
func newInfo(files []*ast.File) *types.Info {
	var names, exprs int
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.Ident:
				names++
			case ast.Expr:
				exprs++
			}
			return true
		})
	}
	return &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue, exprs+names/2),
		Defs:         make(map[*ast.Ident]types.Object, names/6),
		Uses:         make(map[*ast.Ident]types.Object, names-names/6),
		Implicits:    make(map[ast.Node]types.Object),
		Instances:    make(map[*ast.Ident]types.Instance),
		Scopes:       make(map[ast.Node]*types.Scope),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		FileVersions: make(map[*ast.File]string),
	}
}

// addError adds an error of the parser or the type-checker, if it is one, to
// those of a package.
func addError(pkg *packages.Package, fset *token.FileSet, err error) {
	switch err := err.(type) {
	case nil:
	case scanner.ErrorList:
		for _, e := range err {
			pkg.Errors = append(pkg.Errors, packages.Error{Pos: e.Pos.String(), Msg: e.Msg, Kind: packages.ParseError})
		}
	case types.Error:
		pkg.TypeErrors = append(pkg.TypeErrors, err)
		pkg.Errors = append(pkg.Errors, packages.Error{Pos: fset.Position(err.Pos).String(), Msg: err.Msg, Kind: packages.TypeError})
	default:
		pkg.Errors = append(pkg.Errors, packages.Error{Msg: err.Error(), Kind: packages.ParseError})
	}
}

// An importer finds the types of a package's imports.
type importer map[string]*packages.Package

// Import implements types.Importer.
func (imports importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	pkg := imports[path]
	switch {
	case pkg == nil && implied[path] != "":
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, implied[path], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		return new(types.Config).Check(path, fset, []*ast.File{file}, nil)
	case pkg == nil:
		return nil, errors.New("it is not among the imports that the go command knows")
	case pkg.Name == "" && len(pkg.Errors) > 0: // there is no such package
		return nil, errors.New(firstLine(pkg.Errors[0].Msg))
	}
	return pkg.Types, nil
}

// implied holds what the files that cgo makes use of packages that they import
// though the source does not.
var implied = map[string]string{
	"runtime/cgo": `package cgo; type Incomplete struct{}`,
	"syscall":     `package syscall; type Errno uintptr; func (Errno) Error() string { return "" }`,
}
