package flow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/cfg"
)

// A history is the state of the test problem: what has happened on the paths to
// a place. An event is a call do("x"), the outcome of a condition ("a", "!a"), or
// an edge.
type history struct {
	must, may map[string]bool // on all paths, on some path
}

// with returns h after event.
func (h history) with(event string) history {
	must, may := maps.Clone(h.must), maps.Clone(h.may)
	must[event], may[event] = true, true
	return history{must, may}
}

// String lists the events, those that need not have happened with a "?".
func (h history) String() string {
	var list []string
	for _, event := range slices.Sorted(maps.Keys(h.may)) {
		if !h.must[event] {
			event += "?"
		}
		list = append(list, event)
	}
	return strings.Join(list, " ")
}

// histories is the problem of the tests. It keeps what see("label") saw last,
// which is the solution there.
type histories struct {
	seen map[string]string
}

func (p histories) Join(x, y history) history {
	must, may := maps.Clone(x.must), maps.Clone(x.may)
	maps.DeleteFunc(must, func(event string, _ bool) bool { return !y.must[event] })
	maps.Copy(may, y.may)
	return history{must, may}
}

func (p histories) Equal(x, y history) bool {
	return maps.Equal(x.must, y.must) && maps.Equal(x.may, y.may)
}

func (p histories) Node(h history, n ast.Node) history {
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		arg := ""
		if len(call.Args) > 0 {
			arg = strings.Trim(types.ExprString(call.Args[0]), `"`)
		}
		switch types.ExprString(call.Fun) {
		case "do":
			if h.may[arg] {
				h = h.with(arg + "+") // again
			}
			h = h.with(arg)
		case "see":
			p.seen[arg] = h.String()
		}
		return true
	})
	return h
}

func (p histories) Branch(h history, cond ast.Expr, truth bool) (history, bool) {
	switch cond.(type) {
	case *ast.Ident, *ast.BinaryExpr:
	default:
		return h, true
	}
	yes := types.ExprString(cond)
	no := "!" + yes
	if !truth {
		yes, no = no, yes
	}
	if h.must[no] {
		return h, false
	}
	return h.with(yes), true
}

// edges is histories with edges as events.
type edges struct{ histories }

func (p edges) Edge(h history, from, to *cfg.Block) history {
	switch to.Kind {
	case cfg.KindRangeBody, cfg.KindRangeDone, cfg.KindSelectCaseBody, cfg.KindSwitchCaseBody:
		return h.with(to.Kind.String())
	}
	return h
}

// typeCases is histories with the outcomes of type switches as events.
type typeCases struct{ histories }

func (p typeCases) TypeCase(h history, c TypeCase, truth bool) (history, bool) {
	event := types.ExprString(c.Type)
	if !slices.Contains(c.Clause.List, c.Type) || !slices.Contains(c.Switch.Body.List, ast.Stmt(c.Clause)) {
		panic("a type of another switch")
	}
	if event == "never" {
		return h, !truth
	}
	if !truth {
		event = "!" + event
	}
	return h.with(event), true
}

// solve solves a problem over the body of a function.
func solve(t *testing.T, src string, wrap func(histories) Problem[history]) map[string]string {
	t.Helper()
	g, body := graph(t, src)
	p := histories{seen: make(map[string]string)}
	if Solve(g, body, history{map[string]bool{}, map[string]bool{}}, wrap(p)) == nil {
		t.Fatal("does not settle")
	}
	return p.seen
}

// graph returns the graph of the function with the given body. panic does not
// return.
func graph(t *testing.T, src string) (*cfg.CFG, *ast.BlockStmt) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\nfunc _() {\n"+src+"\n}", parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	body := file.Decls[0].(*ast.FuncDecl).Body
	g := cfg.New(body, func(call *ast.CallExpr) bool { return types.ExprString(call.Fun) != "panic" })
	return g, body
}

// A solveTest holds a function body and what see("label") must see in it. What is
// not listed is not reached.
type solveTest struct {
	name, src string
	want      map[string]string
}

// run runs tests on the problem that wrap makes.
func run(t *testing.T, tests []solveTest, wrap func(histories) Problem[history]) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := solve(t, test.src, wrap); !maps.Equal(got, test.want) {
				t.Errorf("got  %v\nwant %v\nin%s", got, test.want, test.src)
			}
		})
	}
}

func TestConditions(t *testing.T) {
	run(t, []solveTest{
		{"if", `
	if a {
		see("t")
	} else {
		see("f")
	}
	see("end")`,
			map[string]string{"t": "a", "f": "!a", "end": "!a? a?"}},
		{"and", `
	if a && b {
		see("t")
	} else {
		see("f")
	}`,
			map[string]string{"t": "a b", "f": "!a? !b? a?"}},
		{"or", `
	if a || b {
		see("t")
	} else {
		see("f")
	}`,
			map[string]string{"t": "!a? a? b?", "f": "!a !b"}},
		{"not", `
	if !a {
		see("t")
	} else {
		see("f")
	}`,
			map[string]string{"t": "!a", "f": "a"}},
		{"not and", `
	if !(a && b) {
		see("t")
	} else {
		see("f")
	}`,
			map[string]string{"t": "!a? !b? a?", "f": "a b"}},
		{"not or", `
	if !(a || !b) {
		see("t")
	}`,
			map[string]string{"t": "!a b"}},
		{"parentheses", `
	if ((a) && (!(b))) {
		see("t")
	}`,
			map[string]string{"t": "!b a"}},
		{"nested", `
	if a && (b || c) && d {
		see("t")
	}`,
			map[string]string{"t": "!b? a b? c? d"}},
		{"a leaf sees those before it", `
	if a && see("and") || see("or") {
	}`,
			map[string]string{"and": "a", "or": "!a? a?"}},
		{"a leaf has its effect only where it is evaluated", `
	if a && do("x") {
		see("t")
	} else {
		see("f")
	}`,
			map[string]string{"t": "a x", "f": "!a? a? x?"}},
		{"a leaf is evaluated once", `
	if !(do("x")) || do("y") {
	}
	see("end")`,
			map[string]string{"end": "x y?"}},
		{"for", `
	for a && b {
		see("body")
	}
	see("end")`,
			map[string]string{"body": "a b", "end": "!a? !b? a? b?"}},
		{"for without a condition", `
	for {
		if a {
			break
		}
		see("body")
	}
	see("end")`,
			map[string]string{"body": "!a", "end": "!a? a"}},
		{"an init statement comes first", `
	if do("x"); a {
		see("t")
	}`,
			map[string]string{"t": "a x"}},
		{"else if", `
	if a {
	} else if b {
		see("t")
	} else {
		see("f")
	}`,
			map[string]string{"t": "!a b", "f": "!a !b"}},
		{"not a condition", `
	x := a && b
	see("end")`,
			map[string]string{"end": ""}},
		{"a condition in a function literal", `
	f := func() bool { return a && b }
	see("end")`,
			map[string]string{"end": ""}},
	}, plain)
}

func TestSwitches(t *testing.T) {
	run(t, []solveTest{
		{"no tag", `
	switch {
	case a && b:
		see("1")
	case c:
		see("2")
	default:
		see("default")
	}`,
			map[string]string{"1": "a b", "2": "!a? !b? a? c", "default": "!a? !b? !c a?"}},
		{"tag", `
	switch x {
	case 1:
		see("1")
	case 2:
		see("2")
	default:
		see("default")
	}`,
			map[string]string{"1": "x == 1", "2": "!x == 1 x == 2", "default": "!x == 1 !x == 2"}},
		{"several values", `
	switch x {
	case 1, 2:
		see("12")
	}
	see("end")`,
			map[string]string{
				"12":  "!x == 1? x == 1? x == 2?",
				"end": "!x == 1? !x == 2? x == 1? x == 2?"}},
		{"the tag is evaluated once, a value where it is reached", `
	switch do("tag") {
	case do("1"):
		see("1")
	case do("2"):
		see("2")
	default:
		see("default")
	}`,
			map[string]string{
				"1":       `1 do("tag") == do("1") tag`,
				"2":       `!do("tag") == do("1") 1 2 do("tag") == do("2") tag`,
				"default": `!do("tag") == do("1") !do("tag") == do("2") 1 2 tag`}},
		{"default in the middle, fallthrough", `
	switch x {
	case 1:
		do("one")
		fallthrough
	default:
		see("default")
		break
		see("dead")
	case 2:
		see("2")
	}`,
			map[string]string{
				"default": "!x == 1? !x == 2? one? x == 1?",
				"2":       "!x == 1 x == 2"}},
		{"a switch in a case", `
	switch x {
	case 1:
		switch y {
		case 1:
			see("11")
		}
	}`,
			map[string]string{"11": "x == 1 y == 1"}},
		{"a switch in a function literal is another function's", `
	f := func() {
		switch x {
		case 1:
			see("literal")
		}
	}
	see("end")`,
			map[string]string{"end": ""}},
		{"no case", `
	switch do("x") {
	}
	see("end")`,
			map[string]string{"end": "x"}},
	}, plain)
}

func TestTypeSwitches(t *testing.T) {
	const src = `
	switch do("x"); v := x.(type) {
	case A, B:
		see("AB")
	case C:
		see("C")
		switch y.(type) {
		case D:
			see("D")
		}
	case nil:
		see("nil")
	case never:
		see("never")
	default:
		see("default")
	}`
	run(t, []solveTest{{"asked", src, map[string]string{
		"AB":      "!A? A? B? x",
		"C":       "!A !B C x",
		"D":       "!A !B C D x",
		"nil":     "!A !B !C nil x",
		"default": "!A !B !C !nil x",
	}}}, func(p histories) Problem[history] { return typeCases{p} })
	run(t, []solveTest{{"not asked", src, map[string]string{
		"AB": "x", "C": "x", "D": "x", "nil": "x", "never": "x", "default": "x",
	}}}, plain)
	run(t, []solveTest{{"edges", src, map[string]string{
		"AB": "SwitchCaseBody x", "C": "SwitchCaseBody x", "D": "SwitchCaseBody x",
		"nil": "SwitchCaseBody x", "never": "SwitchCaseBody x", "default": "x",
	}}}, func(p histories) Problem[history] { return edges{p} })
}

func TestRangesAndSelects(t *testing.T) {
	run(t, []solveTest{
		{"range", `
	for k, v := range do("x") {
		see("body")
		if a {
			continue
		}
		do("y")
	}
	see("end")`,
			map[string]string{
				"body": "!a? RangeBody a? x y? y+?",
				"end":  "!a? RangeBody? RangeDone a? x y? y+?"}},
		{"range over nothing in particular", `
	for range n {
		break
	}
	see("end")`,
			map[string]string{"end": "RangeBody? RangeDone"}},
		{"select", `
	select {
	case <-c:
		see("1")
	case v := <-d:
		see("2")
	default:
		see("default")
	}
	see("end")`,
			map[string]string{"1": "SelectCaseBody", "2": "SelectCaseBody", "default": "", "end": "SelectCaseBody?"}},
		{"select without default", `
	select {
	case <-c:
		do("x")
	}
	see("end")`,
			map[string]string{"end": "SelectCaseBody x"}},
		{"select evaluates all communications first", `
	select {
	case <-do("x"):
		see("1")
	case c <- do("y"):
		see("2")
	}`,
			map[string]string{"1": "SelectCaseBody x y", "2": "SelectCaseBody x y"}},
		{"select for ever", `
	if a {
		select {}
		see("dead")
	}
	see("end")`,
			map[string]string{"end": "!a"}},
	}, func(p histories) Problem[history] { return edges{p} })
}

func TestPaths(t *testing.T) {
	run(t, []solveTest{
		{"infeasible", `
	if a {
		if !a {
			see("dead")
		}
		if a && b {
			see("b")
		}
		if !a && see("never") {
		}
		if a || see("never") {
		} else {
			see("dead")
		}
		if !a || b {
			see("b again")
		}
	}
	see("end")`,
			map[string]string{"b": "a b", "b again": "!b? a b", "end": "!a? !b? a? b?"}},
		{"both infeasible", `
	if a {
		switch {
		case !a:
			see("dead")
		case !a || !a:
			see("dead")
		default:
			see("live")
		}
	}`,
			map[string]string{"live": "a"}},
		{"return and panic", `
	if a {
		return
	}
	if b {
		panic("")
	}
	see("end")
	return
	see("dead")`,
			map[string]string{"end": "!a !b"}},
		{"loops settle", `
	for i := 0; a; do("post") {
		for b {
			see("inner")
			do("x")
		}
		if c {
			break
		}
	}
	see("end")`,
			map[string]string{
				"inner": "!b? !c? a b post? post+? x? x+?",
				"end":   "!a? !b? !c? a? b? c? post? post+? x? x+?"}},
		{"goto back", `
again:
	see("again")
	do("x")
	if a {
		goto again
	}
	see("end")`,
			map[string]string{"again": "a? x? x+?", "end": "!a a? x x+?"}},
		{"goto forward", `
	if a {
		goto end
	}
	do("x")
end:
	see("end")`,
			map[string]string{"end": "!a? a? x?"}},
		{"a label on a switch", `
	goto there
	see("dead")
there:
	switch x {
	case 1:
		see("1")
	}`,
			map[string]string{"1": "x == 1"}},
		{"labelled break and continue", `
outer:
	for a {
		for b {
			if c {
				continue outer
			}
			if d {
				break outer
			}
			see("body")
		}
	}
	see("end")`,
			map[string]string{
				"body": "!b? !c !d a b c?",
				"end":  "!a? !b? !c? !d? a? b? c? d?"}},
		{"a variable declaration", `
	var x, y = do("x"), do("y")
	see("end")`,
			map[string]string{"end": "x y"}},
		{"empty", ``, map[string]string{}},
	}, plain)
}

// plain leaves the problem as it is.
func plain(p histories) Problem[history] { return p }

// TestIn proves that a state is known where a block starts, if it is reached.
func TestIn(t *testing.T) {
	g, body := graph(t, `
	if a {
		return
	}
	return
	do("dead")`)
	r := Solve(g, body, history{map[string]bool{}, map[string]bool{}}, Problem[history](histories{}))
	for _, b := range g.Blocks {
		h, reached := r.In(b)
		if reached != b.Live {
			t.Errorf("%v: reached = %t, want %t", b, reached, b.Live)
		}
		if b.Kind == cfg.KindIfThen && h.String() != "a" {
			t.Errorf("%v: %v, want a", b, h)
		}
	}
}

// endless is a problem whose states grow with every visit of a loop.
type endless struct{}

func (endless) Join(x, y int) int                            { return max(x, y) }
func (endless) Equal(x, y int) bool                          { return x == y }
func (endless) Node(n int, _ ast.Node) int                   { return n + 1 }
func (endless) Branch(n int, _ ast.Expr, _ bool) (int, bool) { return n, true }

func TestNotSettled(t *testing.T) {
	g, body := graph(t, "for a { do() }")
	if r := Solve(g, body, 0, Problem[int](endless{})); r != nil {
		t.Error("settled")
	}
	g, body = graph(t, "if a { do() }; for { if b { break } }")
	if r := Solve(g, body, 0, Problem[int](endless{})); r != nil {
		t.Error("settled")
	}
	g, body = graph(t, "if a { do() }; do()")
	if r := Solve(g, body, 0, Problem[int](endless{})); r == nil {
		t.Error("did not settle without a loop")
	}
}
