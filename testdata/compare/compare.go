// Compare counts in which functions of the fixtures another tool reports something.
// It reads the findings, each a line that begins with file:line:, or go vet's JSON, in
// the folder of the fixtures:
//
//	bodyclose ./... 2>&1 | go run ./compare
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A place is a line of a file.
type place struct {
	file string
	line int
}

// A count is how many functions of one kind there are, and how many are reported.
type count struct{ found, all int }

func (c count) String() string { return fmt.Sprintf("%d of %d", c.found, c.all) }

func main() {
	log.SetFlags(0)
	found := findings()
	files, err := filepath.Glob("*/*/*.go")
	if err != nil || len(files) == 0 {
		log.Fatal("no fixtures here: run it in their folder")
	}
	marked, limits, others := make(map[string]*count), make(map[string]*count), make(map[string]*count)
	for _, file := range files {
		parts := strings.Split(filepath.ToSlash(file), "/")
		rule, topic := parts[0], parts[1]
		if _, err := os.Stat(filepath.Join(rule, "falsepos")); err != nil {
			continue // no rule's folder
		}
		for _, counts := range []map[string]*count{marked, limits, others} {
			if counts[rule] == nil {
				counts[rule] = new(count)
			}
		}
		for _, f := range functions(file) {
			c := others[rule]
			switch {
			case f.marked:
				c = marked[rule]
			case topic == "limits":
				c = limits[rule]
			}
			c.all++
			for line := f.from; line <= f.to; line++ {
				if found[place{file, line}] {
					c.found++
					break
				}
			}
		}
	}
	fmt.Println("| Rule | marked | not marked | limits |\n|---|---|---|---|")
	for _, rule := range slices.Sorted(maps.Keys(marked)) {
		fmt.Printf("| %s | %v | %v | %v |\n", rule, marked[rule], others[rule], limits[rule])
	}
}

var finding = regexp.MustCompile(`^(?:\s*"posn": ")?([^\s"].*\.go):(\d+):`)

// findings returns the places in the lines of the standard input.
func findings() map[place]bool {
	dir, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	found := make(map[place]bool)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		m := finding.FindStringSubmatch(in.Text())
		if m == nil {
			continue
		}
		file := m[1]
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsAbs(file) {
			file = rel
		}
		line, _ := strconv.Atoi(m[2])
		found[place{filepath.Clean(file), line}] = true
	}
	return found
}

// A function is a declaration with a body, by its lines.
type function struct {
	from, to int
	marked   bool // the rule reports something in it
}

// functions returns the functions of a file.
func functions(name string) (list []function) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	if err != nil {
		log.Fatal(err)
	}
	for _, decl := range file.Decls {
		decl, ok := decl.(*ast.FuncDecl)
		if !ok || decl.Body == nil {
			continue
		}
		f := function{from: fset.Position(decl.Pos()).Line, to: fset.Position(decl.End()).Line}
		for _, group := range file.Comments {
			if line := fset.Position(group.Pos()).Line; f.from <= line && line <= f.to && strings.Contains(group.List[0].Text, "// want ") {
				f.marked = true
			}
		}
		list = append(list, f)
	}
	return list
}
