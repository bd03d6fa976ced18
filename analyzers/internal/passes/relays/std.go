package relays

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// carriers are the packages of the standard library and the Go project's others, or what
// their paths begin with, whose functions return what they are given in another form.
var carriers = []string{
	"strings", "bytes", "fmt", "io", "bufio", "regexp", "html", "encoding/", "compress/", "strconv", "slices", "maps", "unicode/", "mime/", "errors", "text/tabwriter",
	"archive/", "golang.org/x/net/html", "go.yaml.in/", "gopkg.in/yaml.v2", "gopkg.in/yaml.v3", "sigs.k8s.io/yaml", "github.com/goccy/", "github.com/json-iterator/go",
	"github.com/bytedance/sonic", "github.com/pelletier/go-toml/",
}

// carries reports whether the functions of a package return what they are given.
func carries(path string) bool {
	return slices.ContainsFunc(carriers, func(p string) bool {
		return path == p || strings.HasPrefix(path, p) && strings.HasSuffix(p, "/") || path == p+"/ioutil"
	})
}

// std runs a call of the standard library.
func (e *engine) std(w *world, c *calling) []value {
	path, name := typeset.PkgPath(c.fn.Pkg()), c.fn.Name()
	if path == httpmodel.NetHTTP || path == "net/http/httputil" {
		if results, ok := e.netHTTP(w, c, name); ok {
			return results
		}
	}
	var all, data value
	client := value(nil)
	for _, v := range c.values {
		flat := v.flat()
		all = all.join(flat)
		data = data.join(flat.filter(func(h holding) bool { return h.kind.sent() || h.kind == part }))
		client = client.join(flat.filter(func(h holding) bool { return h.kind == own }))
	}
	said := all.filter(func(h holding) bool { return h.kind == status || h.kind == response }).as(status)
	if !carries(path) && path != "encoding/json" {
		if strings.HasSuffix(path, "/template") {
			w.look(all.only(status))
			return nil
		}
		w.look(said)
		return nil
	}
	sig := c.fn.Signature()
	if isDecoding(name) {
		if len(c.Args) > 0 {
			e.fill(w, c.Args[len(c.Args)-1], decode(data))
		}
		return nil
	}
	if client != nil {
		return e.writes(w, c, client.client(), data, said)
	}
	switch {
	case name == "Read" && len(c.Args) == 1:
		e.fill(w, c.Args[0], data.as(piece))
		return nil
	case (name == "ReadFull" || name == "ReadAtLeast") && len(c.Args) > 1:
		e.fill(w, c.Args[1], data.as(piece))
		return nil
	case fills(name) && len(c.operands) > 0:
		e.write(w, written(c.operands[0]), data.join(said))
	}
	var results []value
	for v := range sig.Results().Variables() {
		results = append(results, e.carried(w, path, name, v.Type(), data, said))
	}
	return results
}

// carried returns what a result of type t of a call of the standard library holds.
func (e *engine) carried(w *world, path, name string, t types.Type, data, said value) value {
	switch {
	case typeset.IsBool(t):
		if name != "Scan" && name != "More" {
			w.look(said)
			e.consume(w, data)
			if path == "strings" || path == "bytes" || path == "regexp" {
				w.look(data.only(body)) // the content says whether it is good
			}
		}
		return nil
	case httpmodel.IsError(t):
		return said
	case isNumber(t):
		return nil
	}
	if isPiecewise(name) {
		data = data.filter(func(h holding) bool { return h.kind != part }).as(piece)
	}
	return data.join(said)
}

// netHTTP runs a call of package net/http or httputil. It reports whether it is one
// that matters.
func (e *engine) netHTTP(w *world, c *calling, name string) ([]value, bool) {
	first := nth(c.args, 0)
	s := sending{call: c.CallExpr, answer: w.answer, by: w.by, client: first.client()}
	switch {
	case name == "Error" && len(c.args) == 3:
		w.look(c.args[1].flat().only(status))
		e.set(w, e.answerOf(w, c.args[2]), c.Args[2])
		s.answer, s.by = w.answer, w.by
		e.send(w, s, c.args[1])
	case name == "ServeContent" && len(c.args) == 5:
		e.send(w, s, c.args[4])
	case name == "MaxBytesReader" && len(c.args) == 3:
		return []value{c.args[1]}, true
	case name == "NewResponseController":
		return []value{first}, true
	case name == "Get" && c.recv.has(header):
		return []value{c.recv.only(header)}, true
	case name == "StatusText":
		return []value{first.as(status)}, true
	case name == "DumpResponse" && len(c.args) == 2:
		return []value{first.as(body).join(first.as(status))}, true
	case name == "SetCookie", name == "Flush", name == "DetectContentType":
	case first.has(own): // NotFound, Redirect, ServeHTTP ...
		w.answer = other
	case name == "Hijack":
		w.answer = other
	default:
		return nil, false
	}
	return nil, true
}

// writes runs a call of the standard library that gets an own client: it writes to
// it, or makes a writer of it.
func (e *engine) writes(w *world, c *calling, client int, data, said value) []value {
	var results []value
	wraps := false
	for v := range c.fn.Signature().Results().Variables() {
		var held value
		if t := v.Type(); hasMethod(t, "Write") || hasMethod(t, "Encode") || hasMethod(t, "Create") {
			held = value{{"", own, client}}
			wraps = true
		} else if hasMethod(t, "Read") { // TeeReader
			held = data
		}
		results = append(results, held)
	}
	if !wraps {
		w.look(said) // it is in the content
		e.send(w, sending{call: c.CallExpr, answer: w.answer, by: w.by, client: client}, data)
	}
	return results
}

// isDecoding reports whether a function of that name decodes into its last argument.
func isDecoding(name string) bool {
	return strings.HasPrefix(name, "Unmarshal") || name == "Decode" || name == "DecodeElement"
}

// decode returns what data is decoded to.
func decode(data value) value {
	out := slices.Clone(data)
	for i, h := range out {
		if h.kind == body {
			out[i].kind = decoded
		}
	}
	return valueOf(out)
}

// fills reports whether a function of that name writes to its first operand.
func fills(name string) bool {
	for _, p := range []string{"Write", "Fprint", "Copy", "ReadFrom", "Indent", "Compact", "HTMLEscape", "Encode"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// written returns what a writer made in place writes to: buf of NewEncoder(&buf).
func written(x ast.Expr) ast.Expr {
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && len(call.Args) > 0 {
		return call.Args[0]
	}
	return x
}

// isPiecewise reports whether a method of that name returns the next piece of what
// it reads.
func isPiecewise(name string) bool {
	switch name {
	case "Text", "ReadString", "ReadBytes", "ReadLine", "ReadSlice", "Next", "Peek", "Token":
		return true
	}
	return false
}

// isNumber reports whether t is a number.
func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}
