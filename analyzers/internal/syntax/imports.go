package syntax

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// AddImport makes members of the package with the given path usable at pos in
// file. It returns what to write before a member there, "io." or the empty string
// after a dot import, and the edits that add an import where no present one will
// do. The given name is the package's own.
//
// A name that is shadowed at pos, or taken in the file or its package, is not
// used: the import gets another. The edits of two calls for one file can both be
// applied: they are the same, or insertions that do not depend on each other.
func AddImport(info *types.Info, file *ast.File, pos token.Pos, path, name string, members ...string) (prefix string, edits []analysis.TextEdit) {
	fileScope := info.Scopes[file]
	scope := fileScope.Innermost(pos)
	if scope == nil {
		scope = fileScope
	}

	for _, spec := range file.Imports {
		pkgName := info.PkgNameOf(spec)
		if importPath(spec) != path || pkgName == nil {
			continue
		}
		switch pkgName.Name() {
		case "_":
		case ".":
			if isImported(scope, pos, pkgName.Imported(), members) {
				return "", nil
			}
		default:
			if _, obj := scope.LookupParent(pkgName.Name(), pos); obj == pkgName {
				return pkgName.Name() + ".", nil
			}
		}
	}
	// Have: no import that will do.

	local := name
	for i := 1; !isFree(scope, fileScope, pos, local); i++ {
		local = fmt.Sprintf("%s%d", name, i)
	}
	spec := strconv.Quote(path)
	if local != name {
		spec = local + " " + spec
	}
	return local + ".", []analysis.TextEdit{insertImport(file, path, spec)}
}

// isImported reports whether each of members denotes, at pos, the member of pkg.
func isImported(scope *types.Scope, pos token.Pos, pkg *types.Package, members []string) bool {
	for _, member := range members {
		_, obj := scope.LookupParent(member, pos)
		if obj == nil || obj.Pkg() != pkg {
			return false
		}
	}
	return len(members) > 0
}

// isFree reports whether an import may be called name and be seen at pos.
func isFree(scope, fileScope *types.Scope, pos token.Pos, name string) bool {
	if fileScope.Lookup(name) != nil || fileScope.Parent().Lookup(name) != nil {
		return false
	}
	_, obj := scope.LookupParent(name, pos)
	return obj == nil || obj.Parent() == types.Universe
}

// insertImport returns the edit that adds spec, an import of path, to file: into
// the first group in parentheses, in its order, or else as a declaration before
// the first of the file.
func insertImport(file *ast.File, path, spec string) analysis.TextEdit {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.IMPORT {
			break
		}
		if group.Lparen.IsValid() && len(group.Specs) > 0 {
			return insertSpec(group.Specs, path, spec)
		}
	}
	first := file.Decls[0]
	end := "\n"
	if group, ok := first.(*ast.GenDecl); !ok || group.Tok != token.IMPORT {
		end = "\n\n"
	}
	return insert(declStart(first), "import "+spec+end)
}

// insertSpec returns the edit that adds spec, an import of path, to a group's
// specs: among those of the standard library, which stand first, or the others.
func insertSpec(specs []ast.Spec, path, spec string) analysis.TextEdit {
	var before, after *ast.ImportSpec // the neighbours of spec among its like
	for _, s := range specs {
		s := s.(*ast.ImportSpec)
		other := importPath(s)
		switch {
		case isStd(other) != isStd(path):
		case other < path:
			before = s
		case after == nil:
			after = s
		}
	}
	switch {
	case before != nil:
		return insert(specEnd(before), "\n\t"+spec)
	case after != nil:
		return insert(specStart(after), spec+"\n\t")
	case isStd(path):
		return insert(specStart(specs[0].(*ast.ImportSpec)), spec+"\n\n\t")
	default:
		return insert(specEnd(specs[len(specs)-1].(*ast.ImportSpec)), "\n\n\t"+spec)
	}
}

// isStd reports whether path looks like one of the standard library's.
func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// importPath returns the path that spec imports.
func importPath(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}

// specStart returns where spec starts, its comment included.
func specStart(spec *ast.ImportSpec) token.Pos {
	if spec.Doc != nil {
		return spec.Doc.Pos()
	}
	return spec.Pos()
}

// specEnd returns where spec ends, its comment included.
func specEnd(spec *ast.ImportSpec) token.Pos {
	if spec.Comment != nil {
		return spec.Comment.End()
	}
	return spec.End()
}

// declStart returns where decl starts, its comment included.
func declStart(decl ast.Decl) token.Pos {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Doc != nil {
			return decl.Doc.Pos()
		}
	case *ast.GenDecl:
		if decl.Doc != nil {
			return decl.Doc.Pos()
		}
	}
	return decl.Pos()
}

// insert returns the edit that inserts text at pos.
func insert(pos token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(text)}
}
