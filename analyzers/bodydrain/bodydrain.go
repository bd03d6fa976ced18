package bodydrain

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/internal/httpmodel"
	"github.com/httpvet/httpvet/analyzers/internal/passes/bodyfate"
	"github.com/httpvet/httpvet/analyzers/internal/report"
	"github.com/httpvet/httpvet/analyzers/internal/syntax"
	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

//go:embed doc.go
var doc string

// Analyzer reports response bodies that are closed before they are read to their end.
var Analyzer = newAnalyzer()

// A pass holds the rule's flags.
type pass struct {
	strict bool
	always bool
	tests  bool
}

func newAnalyzer() *analysis.Analyzer {
	p := new(pass)
	a := &analysis.Analyzer{
		Name:     "bodydrain",
		Doc:      syntax.Doc(doc, "bodydrain"),
		URL:      "https://pkg.go.dev/github.com/httpvet/httpvet/analyzers/bodydrain",
		Requires: []*analysis.Analyzer{bodyfate.Analyzer},
		Run:      p.run,
	}
	a.Flags.BoolVar(&p.strict, "strict", false, "report bodies read by a decoder only, which need not reach the end")
	a.Flags.BoolVar(&p.always, "always", false, "report even where the go directive is 1.27 or later, whose Transport drains by itself")
	a.Flags.BoolVar(&p.tests, "tests", false, "report in test files")
	return a
}

// The algorithm is that of bodyfate: see there. What is left to this pass is to
// judge which losses a user wants to hear of, and to say them.
func (p *pass) run(pass *analysis.Pass) (any, error) {
	if !typeset.Imports(pass.Pkg, httpmodel.NetHTTP) || !p.always && drainsByItself(pass) {
		return nil, nil
	}
	bodies := pass.ResultOf[bodyfate.Analyzer].(*bodyfate.Result)
	reporter := report.New(pass)
	for _, loss := range bodies.Losses() {
		file := report.FileOf(pass, loss.Close.Pos())
		if file == nil || !p.tests && report.ForTests(pass, file) || endsProcess(pass, loss) {
			continue
		}
		stream := isStream(pass, loss)
		loss.Ways = slices.DeleteFunc(loss.Ways, func(w bodyfate.Way) bool {
			return w.Read == bodyfate.Decoded && !p.strict || w.Read == bodyfate.Partial && stream
		})
		if len(loss.Ways) > 0 {
			reportLoss(pass, reporter, file, loss)
		}
	}
	return nil, nil
}

// drainsByItself reports whether the module is built such that net/http's
// Transport reads a closed body to its end: the go directive is 1.27 or later.
func drainsByItself(pass *analysis.Pass) bool {
	v := pass.Pkg.GoVersion()
	if pass.Module != nil && pass.Module.GoVersion != "" {
		v = "go" + strings.TrimPrefix(pass.Module.GoVersion, "go")
	}
	return version.IsValid(v) && version.Compare(v, "go1.27") >= 0
}

// streaming matches what code says that reads a stream without end.
var streaming = regexp.MustCompile(`text/event-stream|application/grpc|[?&](watch|follow|stream)=|"(watch|follow|stream)"`)

// isStream reports whether the body of a loss is a stream without end, as far as
// the function that closes it says so in a string, or by its name.
func isStream(pass *analysis.Pass, loss *bodyfate.Loss) bool {
	found := false
	ast.Inspect(loss.Func, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			found = found || streaming.MatchString(lit.Value)
		}
		return !found
	})
	if decl, ok := loss.Func.(*ast.FuncDecl); ok && !found {
		found = slices.ContainsFunc(syntax.Words(decl.Name.Name), streamWord.MatchString)
	}
	return found
}

// streamWord matches the words of names of functions that read a stream.
var streamWord = regexp.MustCompile(`^(stream(s|ed|er|ing)?|watch(es|ed|er|ing)?|subscri(be|bes|bed|ber|bing|ption)|tail(s|ed|er|ing)?|follow(s|ed|ing)?|sse)$`)

// endsProcess reports whether a loss matters to nobody, since it lies in main
// and not in a loop: the process ends, and its connections with it.
func endsProcess(pass *analysis.Pass, loss *bodyfate.Loss) bool {
	decl, ok := loss.Func.(*ast.FuncDecl)
	if !ok || decl.Recv != nil || decl.Name.Name != "main" || pass.Pkg.Name() != "main" {
		return false
	}
	inLoop := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			inLoop = inLoop || loss.Source != nil && n.Pos() <= loss.Source.Pos() && loss.Source.End() <= n.End()
		case *ast.FuncLit:
			return false
		}
		return !inLoop
	})
	return !inLoop
}

// reportLoss reports one loss.
func reportLoss(pass *analysis.Pass, reporter *report.Reporter, file *ast.File, loss *bodyfate.Loss) {
	worst := slices.MinFunc(loss.Ways, func(a, b bodyfate.Way) int {
		return cmp.Or(cmp.Compare(a.Read, b.Read), cmp.Compare(a.Return, b.Return))
	})
	how := ""
	switch worst.Read {
	case bodyfate.Partial:
		how = ": only a part of it is read"
	case bodyfate.Decoded:
		how = ": a decoder need not get there"
	}
	by := ""
	switch {
	case loss.Helper != "":
		by = " by " + loss.Helper
	case bodyExpr(pass, loss) == nil:
		by = " by " + types.ExprString(loss.Close.Fun)
	}
	where := ""
	if line := pass.Fset.Position(worst.Return).Line; worst.Return.IsValid() && line != pass.Fset.Position(loss.Close.Pos()).Line {
		where = fmt.Sprintf(" on the way to the return at line %d", line)
	}
	d := analysis.Diagnostic{
		Pos:     loss.Close.Pos(),
		End:     loss.Close.End(),
		Message: fmt.Sprintf("%s is closed before it is read to its end%s%s%s (the connection is thrown away, the next request dials anew)", bodyName(pass, loss), by, where, how),
	}
	if loss.Defer != nil && loss.Defer.Call == loss.Close {
		d.Pos, d.End = loss.Defer.Pos(), loss.Defer.End()
	}
	for _, way := range loss.Ways {
		switch {
		case way.Return.IsValid():
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: way.Return, Message: "this return leaves the body unread"})
		case way.Branch.IsValid() && (loss.Source == nil || way.Branch != loss.Source.Pos()):
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: way.Branch, Message: "on this way the body is not read"})
		}
	}
	slices.SortFunc(d.Related, func(a, b analysis.RelatedInformation) int { return cmp.Compare(a.Pos, b.Pos) })
	d.Related = slices.Compact(d.Related)
	if edits := drainFirst(pass, file, loss); edits != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: "read what is left, up to 256 KiB, before closing", TextEdits: edits}}
	}
	reporter.Report(d)
}

// bodyName returns how the code at the loss calls the body.
func bodyName(pass *analysis.Pass, loss *bodyfate.Loss) string {
	if x := bodyExpr(pass, loss); x != nil {
		return types.ExprString(x)
	}
	return "the response body"
}

// bodyExpr returns the expression that denotes the body in the call that closes
// it, or nil: the receiver of Close, an argument of a helper, or the Body of a
// response that is one.
func bodyExpr(pass *analysis.Pass, loss *bodyfate.Loss) ast.Expr {
	fun, _ := ast.Unparen(loss.Close.Fun).(*ast.SelectorExpr)
	if loss.Helper == "" && fun != nil {
		return fun.X
	}
	for _, arg := range loss.Close.Args {
		t := pass.TypesInfo.TypeOf(arg)
		if httpmodel.IsResponse(t) {
			return &ast.SelectorExpr{X: arg, Sel: ast.NewIdent("Body")}
		}
		if obj, _, _ := types.LookupFieldOrMethod(t, true, pass.Pkg, "Read"); obj != nil {
			return arg
		}
	}
	return nil
}
