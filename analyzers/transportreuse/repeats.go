package transportreuse

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// repeats says which functions of a package run again and again while the process
// lives. What the package shows decides: who calls a function, from where. Where
// callers are out of sight, the exported functions and the methods of a library are
// taken to run once a request, those of a command not.
type repeats struct {
	pass    *analysis.Pass
	root    inspector.Cursor
	command bool // the package is a command, or commands of one
	refs    map[*types.Func][]inspector.Cursor
	known   map[ast.Node]bool
}

func newRepeats(pass *analysis.Pass, root inspector.Cursor) *repeats {
	r := &repeats{
		pass:    pass,
		root:    root,
		command: isCommand(pass),
		refs:    make(map[*types.Func][]inspector.Cursor),
		known:   make(map[ast.Node]bool),
	}
	for cur := range root.Preorder((*ast.Ident)(nil)) {
		if fn, ok := pass.TypesInfo.Uses[cur.Node().(*ast.Ident)].(*types.Func); ok && fn.Pkg() == pass.Pkg {
			r.refs[fn.Origin()] = append(r.refs[fn.Origin()], cur)
		}
	}
	return r
}

// commandLibraries are the elements of import paths by which one knows the code of
// commands: urfave/cli, spf13/cobra, alecthomas/kingpin.v2.
var commandLibraries = []string{"cli", "cobra", "ff", "go-flags", "kingpin", "kong", "subcommands"}

// isCommand reports whether a package is a command, or holds commands of one.
func isCommand(pass *analysis.Pass) bool {
	return pass.Pkg.Name() == "main" || slices.ContainsFunc(pass.Pkg.Imports(), func(p *types.Package) bool {
		return slices.ContainsFunc(strings.Split(typeset.PkgPath(p), "/"), func(element string) bool {
			name, _, _ := strings.Cut(element, ".v")
			return slices.Contains(commandLibraries, name)
		})
	})
}

// perRequest reports whether the function of a node runs again and again.
func (r *repeats) perRequest(node ast.Node) bool {
	if known, ok := r.known[node]; ok {
		return known // or being asked: then nothing more than what is seen elsewhere
	}
	r.known[node] = false
	answer := false
	if cur, ok := r.root.FindNode(node); ok {
		switch node := node.(type) {
		case *ast.FuncLit:
			answer = r.literal(cur, node)
		case *ast.FuncDecl:
			answer = r.declared(node)
		}
	}
	r.known[node] = answer
	return answer
}

// literal is perRequest for a function literal: by what it is, by what it is given
// to, or else by the function that it stands in.
func (r *repeats) literal(cur inspector.Cursor, lit *ast.FuncLit) bool {
	sig, ok := typeset.Underlying(r.pass.TypesInfo, lit).(*types.Signature)
	switch {
	case !ok || httpmodel.IsCommand(sig):
		return false
	case httpmodel.IsPerRequest(sig):
		return true
	}
	switch parent := cur.Parent().Node().(type) {
	case *ast.CallExpr:
		fn := typeset.Callee(r.pass.TypesInfo, parent)
		if kind := cur.ParentEdgeKind(); kind == edge.CallExpr_Args && fn != nil {
			if fn.Pkg() != nil && fn.Pkg().Path() == "sync" && (fn.Name() == "Do" || strings.HasPrefix(fn.Name(), "Once")) {
				return false // once
			}
			if httpmodel.Repeats(fn) {
				return true
			}
		}
	case *ast.KeyValueExpr:
		if lit, ok := cur.Parent().Parent().Node().(*ast.CompositeLit); ok && httpmodel.IsCommandType(r.pass.TypesInfo.TypeOf(lit)) {
			return false
		}
	case *ast.ReturnStmt:
		return sig.Params().Len() > 0 || r.around(cur)
	}
	return r.around(cur)
}

// around reports whether what stands at cur runs again and again: in a loop, or in
// a function that does. What stands outside of functions does in a library.
func (r *repeats) around(cur inspector.Cursor) bool {
	if inLoop(cur) {
		return true
	}
	for outer := range cur.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		if outer != cur {
			return r.perRequest(outer.Node())
		}
	}
	return !r.command
}

// inLoop reports whether cur lies in the body of a loop of its function.
func inLoop(cur inspector.Cursor) bool {
	for c := cur; ; c = c.Parent() {
		parent := c.Parent()
		if parent.Node() == nil {
			return false
		}
		switch parent.Node().(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		case *ast.ForStmt:
			if kind := c.ParentEdgeKind(); kind == edge.ForStmt_Body || kind == edge.ForStmt_Cond || kind == edge.ForStmt_Post {
				return true
			}
		case *ast.RangeStmt:
			if c.ParentEdgeKind() == edge.RangeStmt_Body {
				return true
			}
		}
	}
}

// lifecycle are the first words of the names of functions that set something up, or
// run as long as the process.
var lifecycle = []string{"New", "Init", "Initialize", "Setup", "Must", "Configure", "Bootstrap", "Provision"}

// onlyLifecycle are such names when they stand alone.
var onlyLifecycle = []string{"LoadConfig", "Reload", "ReloadConfig", "Run", "Start", "Main", "Serve", "ListenAndServe", "Stop", "Shutdown", "Close", "Open", "Connect", "Dial"}

// loadsConfig matches the names of functions that read what a process is set up with,
// when it starts or is told to.
var loadsConfig = regexp.MustCompile(`^(L|Rel)oad.*(Config(uration)?s?|Settings|TLS|CAs?|Cert(ificate)?s?|CertPool|Roots)$`)

// isLifecycle reports whether a function is known by its name to set something up or
// to run as long as the process. One that gives a result of one request is not.
func isLifecycle(name string) bool {
	name = strings.ToUpper(name[:1]) + name[1:]
	if slices.Contains(onlyLifecycle, name) || loadsConfig.MatchString(name) {
		return true
	}
	return slices.ContainsFunc(lifecycle, func(word string) bool {
		rest, ok := strings.CutPrefix(name, word)
		return ok && (rest == "" || !unicode.IsLower(rune(rest[0])))
	})
}

// declared is perRequest for a declared function.
func (r *repeats) declared(decl *ast.FuncDecl) bool {
	fn, ok := r.pass.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return false
	}
	sig := fn.Signature()
	name := decl.Name.Name
	switch {
	case httpmodel.IsPerRequest(sig):
		return true
	case httpmodel.IsCommand(sig), decl.Recv == nil && (name == "main" || name == "init"):
		return false
	case httpmodel.IsPerRequestMethod(fn):
		return true
	}
	if slices.ContainsFunc(r.refs[fn], inLoop) {
		return true
	}
	if isLifecycle(name) && !(sig.Recv() != nil && givesStream(sig)) {
		return !fn.Exported() && slices.ContainsFunc(r.refs[fn], r.always)
	}
	if !r.command && (fn.Exported() || len(r.refs[fn]) == 0) {
		return true
	}
	return slices.ContainsFunc(r.refs[fn], r.around)
}

// always reports whether the call at cur is made whenever a function that runs again
// and again is called: nothing before or around it says that once is enough.
func (r *repeats) always(cur inspector.Cursor) bool {
	for c := cur; c.Parent().Node() != nil; c = c.Parent() {
		switch fn := c.Parent().Node().(type) {
		case *ast.FuncDecl:
			return !returnsBefore(fn.Body, cur.Node().Pos()) && r.perRequest(fn)
		case *ast.FuncLit, *ast.CaseClause, *ast.CommClause, *ast.GoStmt:
			return false
		case *ast.IfStmt:
			if kind := c.ParentEdgeKind(); kind == edge.IfStmt_Body || kind == edge.IfStmt_Else {
				return false
			}
		}
	}
	return false
}

// returnsBefore reports whether a function may return before it comes to pos.
func returnsBefore(body *ast.BlockStmt, pos token.Pos) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = found || n.End() <= pos
		}
		return !found
	})
	return found
}

// givesStream reports whether a function returns something to read from: it is not
// one that sets something up, even if it is called Open.
func givesStream(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		if obj, _, _ := types.LookupFieldOrMethod(v.Type(), true, nil, "Read"); obj != nil {
			return true
		}
	}
	return false
}
