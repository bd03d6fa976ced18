package finding

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// Sources holds the files that findings are in. Each is read once.
type Sources struct{ files map[string]*Source }

// File returns a file by its name. One that cannot be read is as if it were empty.
func (s *Sources) File(name string) *Source {
	if f := s.files[name]; f != nil {
		return f
	}
	text, _ := os.ReadFile(name)
	f := &Source{text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	if s.files == nil {
		s.files = make(map[string]*Source)
	}
	s.files[name] = f
	return f
}

// A Source is a file.
type Source struct {
	text   []byte
	lines  []int // the offset at which each begins
	parsed bool
	decls  []declaration // of functions and variables
}

// A declaration is a range of offsets and the name that is declared there.
type declaration struct {
	start, end int
	name       string
}

// Func returns the name of the function, as Name or (*T).Name, or of the package
// variable whose declaration encloses a position; "" if there is none.
func (f *Source) Func(pos token.Position) string {
	if !f.parsed {
		f.parsed = true
		f.decls = declarations(f.text)
	}
	offset := f.offset(pos)
	for _, d := range f.decls {
		if d.start <= offset && offset < d.end {
			return d.name
		}
	}
	return ""
}

// declarations returns the declarations of functions and variables of a file, as
// far as it can be parsed.
func declarations(text []byte) (list []declaration) {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	add := func(n ast.Node, name string) {
		// Not fset.Position, which takes //line comments into account.
		tf := fset.File(n.Pos())
		list = append(list, declaration{tf.Offset(n.Pos()), tf.Offset(n.End()), name})
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			add(decl, receiver(decl)+decl.Name.Name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok {
					add(spec, spec.Names[0].Name)
				}
			}
		}
	}
	return list
}

// receiver returns the receiver's type of a method, as "T." or "(*T).", and "" for
// a function. Type parameters are left out.
func receiver(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) != 1 {
		return ""
	}
	pointer := false
	for expr := decl.Recv.List[0].Type; ; {
		switch x := expr.(type) {
		case *ast.ParenExpr:
			expr = x.X
		case *ast.StarExpr:
			pointer = true
			expr = x.X
		case *ast.IndexExpr:
			expr = x.X
		case *ast.IndexListExpr:
			expr = x.X
		case *ast.Ident:
			if pointer {
				return "(*" + x.Name + ")."
			}
			return x.Name + "."
		default:
			return ""
		}
	}
}

// offset returns the offset of a position, by its line and column.
func (f *Source) offset(pos token.Position) int {
	if pos.Line < 1 || pos.Line > len(f.lines) {
		return 0
	}
	return min(f.lines[pos.Line-1]+max(pos.Column-1, 0), len(f.text))
}

// Position returns the position of an offset.
func (f *Source) Position(name string, offset int) token.Position {
	offset = max(0, min(offset, len(f.text)))
	line := sort.SearchInts(f.lines, offset+1)
	return token.Position{Filename: name, Offset: offset, Line: line, Column: offset - f.lines[line-1] + 1}
}

// Column16 returns the column of a position counted in UTF-16 code units, from 1.
func (f *Source) Column16(pos token.Position) int {
	end := f.offset(pos)
	begin := end - max(pos.Column-1, 0)
	if begin < 0 || bytes.IndexByte(f.text[begin:end], '\n') >= 0 {
		return max(pos.Column, 1) // Have: the file changed, or cannot be read.
	}
	n := 1
	for text := f.text[begin:end]; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		n += utf16.RuneLen(r)
		text = text[size:]
	}
	return n
}
