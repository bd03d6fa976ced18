package proof

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fixtures/bodydrain/bodyless"
	"fixtures/bodydrain/callforms"
	"fixtures/bodydrain/contentlength"
	"fixtures/bodydrain/deferorder"
	"fixtures/bodydrain/drained"
	"fixtures/bodydrain/exits"
	"fixtures/bodydrain/falsepos"
	"fixtures/bodydrain/fixes"
	"fixtures/bodydrain/helpers"
	"fixtures/bodydrain/limits"
	"fixtures/bodydrain/memory"
	"fixtures/bodydrain/noread"
	"fixtures/bodydrain/params"
	"fixtures/bodydrain/partial"
	"fixtures/bodydrain/retryloop"
	"fixtures/bodydrain/returned"
	"fixtures/bodydrain/roundtrip"
	"fixtures/bodydrain/status"
	"fixtures/bodydrain/streams"
	"fixtures/bodydrain/strict"
)

// A caller calls a fixture function once, by way of the client it is given.
type caller = func(c *http.Client, url string) error

// A trial is one fixture function and the answers that it is tried on.
type trial struct {
	name    string // "topic.Function" or "topic.Type.Method"
	call    caller
	answers []answer
	fate    fate
}

// A fate is what becomes of the connection of a function without a finding.
type fate int

const (
	kept   fate = iota // with all answers
	ended              // lost with all answers, whether or not the body is read
	missed             // lost with some answer, which is beyond the pass
)

// TestBodydrain runs each fixture function of bodydrain twice against a server and
// counts the connections. A function that has a finding must lose its connection
// with some answer, so that the second run dials anew; any other must keep it with
// all of them.
func TestBodydrain(t *testing.T) {
	fixtures := parse(t, "../bodydrain")
	tried := make(map[string]bool)
	for _, tr := range trials() {
		f, ok := fixtures[tr.name]
		if !ok {
			t.Errorf("%s: no such fixture", tr.name)
			continue
		}
		tried[tr.name] = true
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			if tr.fate == ended {
				for _, a := range tr.answers {
					if dials(t, tr.call, a, plain) == 1 || dials(t, tr.call, a, reading) == 1 {
						t.Errorf("%s: the connection is kept with %s", f.pos, a)
					}
				}
				return
			}
			var lost []string
			for _, a := range tr.answers {
				if dials(t, tr.call, a, plain) > 1 {
					lost = append(lost, a.String())
					if f.faulty || tr.fate == missed {
						break // one is enough
					}
				}
			}
			switch {
			case (f.faulty || tr.fate == missed) && lost == nil:
				t.Errorf("%s: the connection is kept with every answer: there is no fault", f.pos)
			case !f.faulty && tr.fate == kept && lost != nil:
				t.Errorf("%s: the connection is lost, unreported, with\n\t%s", f.pos, strings.Join(lost, "\n\t"))
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(fixtures)) {
		if _, ok := untried[name]; ok == tried[name] {
			t.Errorf("%s: %s must be in one list, of the trials or of those untried", fixtures[name].pos, name)
		}
	}
	for name := range untried {
		if _, ok := fixtures[name]; !ok {
			t.Errorf("%s: no such fixture", name)
		}
	}
}

// dials calls a function twice with a client of its own, against a server that
// gives one answer, and returns how many connections that took.
func dials(t *testing.T, call caller, a answer, by transport) int {
	s := serve(a)
	defer s.Close()
	tr := &http.Transport{MaxIdleConnsPerHost: 10}
	defer tr.CloseIdleConnections()
	c := &http.Client{Transport: by(tr), Timeout: 10 * time.Second}
	for range 2 {
		before := s.requests.Load()
		err := call(c, s.URL)
		if s.requests.Load() == before {
			t.Fatalf("%s: no request was sent: %v", a, err)
		}
	}
	return int(s.conns.Load())
}

// A transport makes a RoundTripper of a Transport.
type transport = func(*http.Transport) http.RoundTripper

func plain(tr *http.Transport) http.RoundTripper { return tr }

// reading returns a RoundTripper that reads each body before anybody can close it.
func reading(tr *http.Transport) http.RoundTripper {
	return roundtrip.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := tr.RoundTrip(req)
		if err == nil && resp.StatusCode != http.StatusSwitchingProtocols {
			raw, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			resp.Body = io.NopCloser(bytes.NewReader(raw))
		}
		return resp, err
	})
}

// A fixture is a function of the fixtures that a claim is made about.
type fixture struct {
	pos    token.Position
	faulty bool // has a "want"
}

// wanted matches the mark of a finding.
var wanted = regexp.MustCompile("^// want [\"`]")

// parse returns the exported functions and methods below dir, and those marked
// with a finding, by name. Below a topic stand the packages that help it; they claim
// nothing.
func parse(t *testing.T, dir string) map[string]fixture {
	fset := token.NewFileSet()
	fixtures := make(map[string]fixture)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		topic, _ := filepath.Rel(dir, filepath.Dir(name))
		marked := make(map[int]bool)
		for _, group := range file.Comments {
			for _, c := range group.List {
				if wanted.MatchString(c.Text) {
					marked[fset.Position(c.Pos()).Line] = true
				}
			}
		}
		found := 0
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			f := fixture{pos: fset.Position(fn.Pos())}
			for line := f.pos.Line; line <= fset.Position(fn.End()).Line; line++ {
				if marked[line] {
					f.faulty = true
					found++
				}
			}
			if f.faulty || claims(fn) && !strings.Contains(topic, string(filepath.Separator)) {
				fixtures[filepath.ToSlash(topic)+"."+funcName(fn)] = f
			}
		}
		if found != len(marked) {
			t.Errorf("%s: a want stands outside of any function", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fixtures
}

// claims reports whether the name of fn says what becomes of the connection.
func claims(fn *ast.FuncDecl) bool {
	for _, name := range strings.Split(funcName(fn), ".") {
		if !ast.IsExported(name) {
			return false
		}
	}
	return true
}

// funcName returns the name of fn, after that of its receiver's type.
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	name := fn.Name.Name
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !strings.Contains(name, ".") {
			name = id.Name + "." + name
		}
		return true
	})
	return name
}

// nameOf returns the name of a fixture function, as in trial.name.
func nameOf(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name = strings.TrimPrefix(name, "fixtures/bodydrain/")
	name = strings.TrimSuffix(name, "[...]")
	return strings.NewReplacer("(*", "", "(", "", ")", "", "-fm", "").Replace(name)
}

// answers returns every combination of statuses and framings with the small and
// the large body of a kind.
func answers(kind func(int) string, statuses ...int) (all []answer) {
	for _, status := range statuses {
		for _, size := range []int{small, large} {
			for _, fr := range []framing{length, chunked, chunkedLate} {
				all = append(all, answer{status, fr, size, kind})
			}
		}
	}
	return all
}

// only returns those of all that are of the size.
func only(size int, all []answer) []answer {
	return slices.DeleteFunc(slices.Clone(all), func(a answer) bool { return a.size != size })
}

// told returns those of all whose length is told beforehand: their end is reached
// with their last byte.
func told(all []answer) []answer {
	return slices.DeleteFunc(slices.Clone(all), func(a answer) bool { return a.framing != length })
}

// try makes trials of functions that need no help to be called.
func try(all []answer, calls ...caller) (trials []trial) {
	for _, call := range calls {
		trials = append(trials, trial{nameOf(call), call, all, kept})
	}
	return trials
}

// ends makes trials of functions whose connection ends in any case.
func ends(all []answer, calls ...caller) []trial {
	return doomed(ended, try(all, calls...))
}

// missing marks trials of functions whose fault is beyond the pass.
func missing(trials []trial) []trial { return doomed(missed, trials) }

// doomed gives trials a fate.
func doomed(f fate, trials []trial) []trial {
	for i := range trials {
		trials[i].fate = f
	}
	return trials
}

// through makes a trial of an unexported function by one that calls it.
func through(all []answer, name string, call caller) []trial {
	return []trial{{name, call, all, kept}}
}

// as makes a trial of the function f, which call calls.
func as(all []answer, f any, call caller) []trial {
	return []trial{{nameOf(f), call, all, kept}}
}

// of adapts a function with a result besides the error.
func of[T any](f func(*http.Client, string) (T, error)) caller {
	return func(c *http.Client, url string) error {
		_, err := f(c, url)
		return err
	}
}

// get makes trials of functions with a result besides the error.
func get[T any](all []answer, fs ...func(*http.Client, string) (T, error)) (trials []trial) {
	for _, f := range fs {
		trials = append(trials, trial{nameOf(f), of(f), all, kept})
	}
	return trials
}

// body makes trials of functions that open a body, which is read to its end.
func body(all []answer, fs ...func(*http.Client, string) (io.ReadCloser, error)) (trials []trial) {
	for _, f := range fs {
		trials = append(trials, trial{nameOf(f), func(c *http.Client, url string) error {
			body, err := f(c, url)
			if err != nil {
				return err
			}
			defer body.Close()
			_, err = io.Copy(io.Discard, body)
			return err
		}, all, kept})
	}
	return trials
}

// response makes trials of functions that return a response, whose body is read to
// its end.
func response(all []answer, fs ...func(*http.Client, string) (*http.Response, error)) (trials []trial) {
	for _, f := range fs {
		trials = append(trials, trial{nameOf(f), func(c *http.Client, url string) error {
			return finish(f(c, url))
		}, all, kept})
	}
	return trials
}

// finish reads a response to its end.
func finish(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// take makes trials of functions that take a response.
func take(all []answer, fs ...func(*http.Response) error) (trials []trial) {
	for _, f := range fs {
		trials = append(trials, trial{nameOf(f), func(c *http.Client, url string) error {
			resp, err := c.Get(url)
			if err != nil {
				return err
			}
			return f(resp)
		}, all, kept})
	}
	return trials
}

// trip makes a trial of a RoundTripper that stands before the client's transport.
func trip[T http.RoundTripper](all []answer, wrap func(http.RoundTripper) T) []trial {
	name := reflect.TypeFor[T]().String()
	return []trial{{strings.TrimPrefix(name, "*") + ".RoundTrip", func(c *http.Client, url string) error {
		wrapped := &http.Client{Transport: wrap(c.Transport)}
		return finish(wrapped.Get(url))
	}, all, kept}}
}

// trials returns the trials of all fixtures that can be run.
func trials() []trial {
	ctx := context.Background()
	var (
		usual = answers(text, 200, 500)
	)
	return slices.Concat(
		try(answers(text, 200, 404, 503, 403),
			status.DeferredCloseOnBadStatusLosesTheConnection,
			status.ReadingBeforeLookingAtTheStatusKeepsIt,
			status.ReadingTheMessageOnBadStatusKeepsIt,
			status.NotFoundIsNoErrorLosesTheConnection,
			status.StatusClassLosesTheConnection,
			status.SwitchWithSilentCasesLosesTheConnection,
			status.SwitchWithoutDefaultLosesTheConnection,
			status.SwitchThatReadsInEveryCaseKeepsIt,
			status.FallthroughIntoTheReadingCaseKeepsIt,
			status.IfElseChainLosesTheConnection,
			status.ContentTypeCheckLosesTheConnection,
			status.CloseInTheBranchLosesTheConnection,
			status.LoggedCloseLosesTheConnection,
			status.CloseThroughAParameterLosesTheConnection,
			status.CloseErrorIntoTheNamedResultLosesTheConnection,
			status.BodyInAVariableLosesTheConnection,
			status.NegatedNoContentLosesTheConnection,
			status.GotoCleanupLosesTheConnection,
			status.CloseAfterTheIfLosesTheConnection,
			status.TimeoutContextLosesTheConnection,
			status.DrainInTheDeferredClosureKeepsIt,
		),
		try(answers(text, 200, 204, 304), falsepos.PredicateKeepsIt, falsepos.ContainsKeepsIt, falsepos.NotModifiedInAVariableKeepsIt, falsepos.ComparedByAFunctionKeepsIt),
		try(answers(text, 200, 404), falsepos.LoggersInfoLosesTheConnection),
		try(answers(text, 200, 202, 204, 304, 500),
			status.NoContentAndNotModifiedHaveNoBodyKeepsIt,
			status.NoContentOrAcceptedLosesTheConnection,
		),
		as(answers(object, 200, 404), (*status.Client).UserLosesTheConnection, func(c *http.Client, url string) error {
			_, err := (&status.Client{HTTP: c, Base: url}).UserLosesTheConnection(ctx, "1")
			return err
		}),
		as(answers(object, 200, 404), (*status.Client).UserReadFirstKeepsIt, func(c *http.Client, url string) error {
			_, err := (&status.Client{HTTP: c, Base: url}).UserReadFirstKeepsIt(ctx, "1")
			return err
		}),
		as(usual, status.OptionalReadLosesTheConnection, func(c *http.Client, url string) error {
			return status.OptionalReadLosesTheConnection(c, url, nil)
		}),

		try(usual,
			noread.WebhookLosesTheConnection,
			noread.WebhookDrainedKeepsIt,
			noread.RestyRawLosesTheConnection,
			noread.RestyClientRawLosesTheConnection,
			noread.RestyOtherClientKeepsIt,
			noread.FormLosesTheConnection,
			noread.PingLosesTheConnection,
			noread.ReadyInsideTheIfLosesTheConnection,
			noread.DeleteLosesTheConnection,
			noread.BackgroundNotifyLosesTheConnection,
			noread.GroupLosesTheConnection,
			noread.WarmLosesTheConnection,
			noread.ClosureInAVariableLosesTheConnection,
			noread.ConstructingAReaderLosesTheConnection,
		),
		as(usual, noread.AliveLosesTheConnection, func(c *http.Client, url string) error {
			noread.AliveLosesTheConnection(c, url)
			return nil
		}),
		as(usual, noread.AliveInOneConditionLosesTheConnection, func(c *http.Client, url string) error {
			noread.AliveInOneConditionLosesTheConnection(c, url)
			return nil
		}),
		as(usual, noread.UploadLosesTheConnection, func(c *http.Client, url string) error {
			_, err := noread.UploadLosesTheConnection(c, url, []byte("part"))
			return err
		}),
		get(usual, noread.SkewLosesTheConnection),
		get(usual, noread.SizeByGetLosesTheConnection, noread.SizeByHeadKeepsIt),
		get(usual, noread.CookieLosesTheConnection),
		try([]answer{{202, chunked, 0, empty}, {202, chunkedLate, 0, empty}},
			noread.EmptyChunkedBodyLosesTheConnection,
		),

		try(answers(text, 200, 202, 429, 503),
			retryloop.CloseAndContinueLosesTheConnection,
			retryloop.DrainAndContinueKeepsIt,
			retryloop.DeferInTheLoopLosesTheConnection,
			retryloop.RetryAfterLosesTheConnection,
			retryloop.PollLosesTheConnection,
			retryloop.GotoLosesTheConnection,
			retryloop.ClosureLosesTheConnection,
			retryloop.AssignedOutsideTheClosureLosesTheConnection,
			retryloop.FailoverLosesTheConnection,
			retryloop.WaitUntilUpLosesTheConnection,
			retryloop.LastAttemptIsReadLosesTheConnection,
			retryloop.KeptByAClosureLosesTheConnection,
			retryloop.KeptByAClosureKeepsIt,
			retryloop.OneBeforeLosesTheConnection,
			retryloop.OneBeforeKeepsIt,
			retryloop.ReadInEveryAttemptKeepsIt,
		),
		get(usual, retryloop.NextLinkLosesTheConnection),
		through(answers(text, 503), "retryloop.Policy.Get", func(c *http.Client, url string) error {
			_, err := retryloop.Policy{
				Again: func(*http.Response, error) bool { return true },
				Wait:  func(int, *http.Response) time.Duration { return 0 },
			}.Get(c, url)
			return err
		}),
		as(answers(text, 503), retryloop.SelectLosesTheConnection, func(c *http.Client, url string) error {
			return retryloop.SelectLosesTheConnection(ctx, c, url)
		}),
		as(answers(text, 503), retryloop.RecursionLosesTheConnection, func(c *http.Client, url string) error {
			return retryloop.RecursionLosesTheConnection(c, url, 2)
		}),

		try(usual,
			partial.SnippetLosesTheConnection,
			partial.SnippetAndDrainKeepsIt,
			partial.LimitedReaderLosesTheConnection,
			partial.LimitInAVariableLosesTheConnection,
			partial.CopyNToABufferLosesTheConnection,
			partial.ReadAtLeastLosesTheConnection,
			partial.OneReadLosesTheConnection,
			partial.BufferedSnippetLosesTheConnection,
		),
		try(only(small, usual),
			partial.GuardLimitKeepsIt,
		),
		as(only(small, usual), partial.CallersLimitKeepsIt, func(c *http.Client, url string) error {
			return partial.CallersLimitKeepsIt(c, url, 1000)
		}),
		get(usual,
			partial.SniffLosesTheConnection,
			partial.SniffAndReadOnKeepsIt,
			partial.FirstLineLosesTheConnection,
			partial.OneScanLosesTheConnection,
			partial.ScanUntilFoundLosesTheConnection,
			partial.ScanOnAfterTheMatchKeepsIt,
			partial.ScanUntilFoundAndDrainKeepsIt,
			partial.LinesUntilFoundLosesTheConnection,
			partial.FscanLosesTheConnection,
		),
		get(usual, partial.ScanWithBreakLosesTheConnection, partial.IteratorLeftLosesTheConnection),
		get(usual, partial.RangeLeftLosesTheConnection, partial.RangeBrokenLosesTheConnection),
		get(answers(markup, 200), partial.TitleLosesTheConnection),
		get(answers(markup, 200), partial.TagsKeepsIt),
		get(usual,
			partial.FirstOfTheDetailsLosesTheConnection,
			partial.FirstOfTheFollowersLosesTheConnection,
			partial.FirstOfTheAddressesLosesTheConnection,
			partial.StopwatchLosesTheConnection,
		),
		get(usual, partial.ScanSomeLosesTheConnection),
		get(usual, partial.TooMuchLosesTheConnection, drained.NotMoreThanTheLimitKeepsIt),
		get(usual, helpers.PageLosesTheConnection, helpers.PageKeepsIt),
		try(answers(pixels, 200), partial.ImageSizeLosesTheConnection),
		get(usual, partial.ReadLoopThatStopsLosesTheConnection),
		get(usual, partial.FixedHeaderLosesTheConnection),
		get(answers(table, 200), partial.HeaderRowLosesTheConnection, partial.RowsUntilFoundLosesTheConnection),
		try(answers(markup, 200), partial.PeekLosesTheConnection),
		get(answers(markup, 200), partial.FirstElementLosesTheConnection),
		get(answers(array, 200), partial.OpeningTokenLosesTheConnection),
		get(answers(array, 200), partial.TopLosesTheConnection),
		get(answers(lines, 200), partial.LinesOfJSONLosesTheConnection),
		get(answers(zipped, 200), partial.GzipHeaderLosesTheConnection),
		get(answers(archive, 200), partial.FirstFileLosesTheConnection),

		try(usual,
			drained.ReadAllKeepsIt,
			drained.OldReadAllKeepsIt,
			drained.UncheckedReadKeepsIt,
			drained.CopyToAFileKeepsIt,
			drained.CopyBufferKeepsIt,
			drained.ReadFromKeepsIt,
			drained.WriteToKeepsIt,
			drained.ReadLoopKeepsIt,
			drained.ReadLoopOnErrorKeepsIt,
			drained.ResponseWriteKeepsIt,
			drained.OptionalGzipKeepsIt,
			drained.MaxBytesReaderKeepsIt,
			drained.ReplacedBodyKeepsIt,
			drained.MultiReaderKeepsIt,
			drained.EmbeddingTypeKeepsIt,
			drained.EmbeddingTypeLosesTheConnection,
			drained.FieldWrapperKeepsIt,
			drained.ProxyToAWriterKeepsIt,
			drained.ReadInEitherArmKeepsIt,
			drained.ReadInTheConditionKeepsIt,
		),
		try(only(small, usual),
			drained.BoundedCopyNKeepsIt,
			drained.BoundedLimitReaderKeepsIt,
			drained.SnippetThenBoundedDrainKeepsIt,
			drained.CountedCopyKeepsIt,
		),
		get(usual, drained.ScannerLoopKeepsIt, drained.LineLoopKeepsIt, drained.IteratorKeepsIt),
		get(usual, drained.DumpResponseKeepsIt, drained.DumpHeadersLosesTheConnection),
		get(usual, drained.TeeReaderKeepsIt),
		get(answers(table, 200), drained.CSVReadAllKeepsIt),
		get(answers(table, 200), drained.CSVLoopKeepsIt),
		get(answers(lines, 200), drained.JSONLinesKeepsIt),
		get(answers(markup, 200), drained.XMLTokensKeepsIt),
		try(answers(object, 200), drained.DecodeAndDrainKeepsIt, drained.UnmarshalKeepsIt),
		try(told(answers(parts, 200)), drained.MultipartKeepsIt), // else the last chunk may come behind the last part
		try(answers(zipped, 200), drained.GzipKeepsIt, drained.ClosingGzipLosesTheConnection),
		try(answers(encoded, 200), drained.Base64KeepsIt),
		as(usual, drained.ReadBehindAnAndLosesTheConnection, func(c *http.Client, url string) error {
			drained.ReadBehindAnAndLosesTheConnection(c, url)
			return nil
		}),

		try(usual,
			helpers.CloserLosesTheConnection,
			helpers.DrainerKeepsIt,
			helpers.OpenLosesTheConnection,
			helpers.HandedMethodLosesTheConnection,
			helpers.HandedMethodAfterTheReadKeepsIt,
			helpers.LiteralThatDrainsKeepsIt,
			helpers.LiteralThatReadsKeepsIt,
			helpers.EndingLosesTheConnection,
			helpers.RefusedLosesTheConnection,
			helpers.OnlyRefusalsAreReadLosesTheConnection,
			helpers.ReadRefusedKeepsIt,
			helpers.OpenThenReadKeepsIt,
			helpers.OpenKeptKeepsIt,
			helpers.CloserOfAnotherPackageLosesTheConnection,
			helpers.ReleaserOfAnotherPackageKeepsIt,
			helpers.CloserOfThisPackageLosesTheConnection,
			helpers.OnceLosesTheConnection,
			helpers.AnswerLosesTheConnection,
			helpers.AnswerReadKeepsIt,
			helpers.AnswerDoneKeepsIt,
			helpers.GetterLosesTheConnection,
			helpers.MustLosesTheConnection,
			helpers.QuietCloserLosesTheConnection,
			helpers.QuietDrainKeepsIt,
			helpers.QuietFinishKeepsIt,
			helpers.FirstByteLosesTheConnection,
			helpers.ShutLosesTheConnection,
			helpers.ReleaseKeepsIt,
			helpers.ReleaseIntoTheNamedErrorKeepsIt,
			helpers.CloseIntoTheNamedErrorLosesTheConnection,
			helpers.CheckReadsOnlyRefusalsLosesTheConnection,
			helpers.CheckThenReadKeepsIt,
			helpers.CheckStatusLosesTheConnection,
			helpers.MethodValueKeepsIt,
			helpers.MethodValueLosesTheConnection,
			helpers.AbortLosesTheConnection,
			helpers.ClosureInAVariableLosesTheConnection,
			helpers.ClosureInAVariableKeepsIt,
			helpers.DrainAndCloseInOneLiteralKeepsIt,
			helpers.LiteralWithAParameterKeepsIt,
			helpers.GenericCloserLosesTheConnection,
			helpers.GenericDrainerKeepsIt,
			helpers.MutualRecursionKeepsIt,
			helpers.MethodLosesTheConnection,
			helpers.MethodKeepsIt,
			helpers.VariadicAndVariableKeepIt,
			helpers.LentResponseKeepsIt,
			helpers.ReadingHelperInOneArmLosesTheConnection,
			helpers.VariableLosesTheConnection,
			helpers.VariableKeepsIt,
			helpers.LocalVariableLosesTheConnection,
			helpers.NamedByAVariableKeepsIt,
			helpers.ToldToDrainKeepsIt,
			helpers.ToldNotToDrainLosesTheConnection,
			helpers.ToldByTheStatusLosesTheConnection,
			helpers.AfterTheErrorKeepsIt,
			roundtrip.AnswersInMemoryKeepIt,
			roundtrip.ClosingDrainsKeepsIt,
			roundtrip.CancellingWrapperLosesTheConnection,
			roundtrip.CancellingWrapperReadKeepsIt,
			exits.WatchedLosesTheConnection,
			exits.WatchedByAGoroutineLosesTheConnection,
			exits.WatchedAndReadKeepsIt,
		),
		get(usual, helpers.BytesKeepsIt),
		get(usual, helpers.GenericDecodeKeepsIt),

		body(usual, returned.OpenLosesTheConnection, returned.OpenKeepsIt, returned.WrappedAfterACheckLosesTheConnection),
		body(answers(zipped, 200), returned.WrappedInATypeKeepsIt),
		response(usual, returned.FetchLosesTheConnection, returned.FetchKeepsIt, returned.CancelOnCloseKeepsIt, returned.CheckedLosesTheConnection),
		get(usual, returned.ResponseAndErrorLosesTheConnection),
		try(answers(text, 200, 404),
			returned.CallerOfOpenLosesTheConnection,
			returned.CallerOfOpenKeepsIt,
			returned.CallerOfFetchLosesTheConnection,
			returned.FieldLosesTheConnection,
			returned.FieldKeepsIt,
			returned.OneOfTwoLosesTheConnection,
			returned.SelectLosesTheConnection,
		),
		get(usual, returned.ChannelLosesTheConnection, returned.ChannelKeepsIt),
		as(usual, (*returned.API).EmbeddedResponseLosesTheConnection, func(c *http.Client, url string) error {
			_, err := (&returned.API{C: c}).EmbeddedResponseLosesTheConnection(ctx, url)
			return err
		}),
		as(usual, (*returned.API).EmbeddedResponseKeepsIt, func(c *http.Client, url string) error {
			_, err := (&returned.API{C: c}).EmbeddedResponseKeepsIt(ctx, url)
			return err
		}),

		take(answers(object, 200, 409, 500),
			params.DecodeLosesTheConnection,
			params.DecodeKeepsIt,
			params.SnippetLosesTheConnection,
			params.DrainedKeepsIt,
		),
		take(answers(object, 200, 500), params.DispatchKeepsIt),
		take(answers(object, 500), params.CloseOnRefusalLosesTheConnection),
		as(usual, params.LookAtTheStatusKeepsIt, func(c *http.Client, url string) error {
			resp, err := c.Get(url)
			if err != nil {
				return err
			}
			return errors.Join(params.LookAtTheStatusKeepsIt(resp), finish(resp, nil))
		}),
		as(usual, params.BodyLosesTheConnection, func(c *http.Client, url string) error {
			resp, err := c.Get(url)
			if err != nil {
				return err
			}
			return params.BodyLosesTheConnection(resp.StatusCode, resp.Body)
		}),

		trip(answers(text, 200, 401), func(next http.RoundTripper) *roundtrip.Bearer { return &roundtrip.Bearer{Next: next} }),
		trip(answers(text, 200, 401), func(next http.RoundTripper) *roundtrip.BearerDrained { return &roundtrip.BearerDrained{Next: next} }),
		trip(usual, func(next http.RoundTripper) roundtrip.Retry { return roundtrip.Retry{RoundTripper: next, Max: 1} }),
		trip(only(small, usual), func(next http.RoundTripper) roundtrip.RetryDrained {
			return roundtrip.RetryDrained{RoundTripper: next, Max: 1}
		}),
		trip(usual, func(next http.RoundTripper) roundtrip.Strict { return roundtrip.Strict{Next: next} }),
		trip(answers(text, 200, 304), func(next http.RoundTripper) roundtrip.Revalidating { return roundtrip.Revalidating{Next: next} }),
		trip(usual, func(next http.RoundTripper) *roundtrip.Watching { return &roundtrip.Watching{Next: next} }),
		trip(usual, func(next http.RoundTripper) roundtrip.Func { return next.RoundTrip }),
		as(answers(text, 401), roundtrip.MiddlewareLosesTheConnection, func(c *http.Client, url string) error {
			return finish((&http.Client{Transport: roundtrip.MiddlewareLosesTheConnection(c.Transport)}).Get(url))
		}),

		try(usual,
			deferorder.DrainDeferredBeforeTheCloseLosesTheConnection,
			deferorder.DrainDeferredBehindTheCloseKeepsIt,
			deferorder.DrainBehindTheCloseLosesTheConnection,
			deferorder.DeferredInsideTheLiteralKeepsIt,
			deferorder.DrainDeferredTooLateLosesTheConnection,
			deferorder.DrainDeferredInABranchLosesTheConnection,
			contentlength.DrainIfPositiveLosesTheConnection,
			contentlength.DrainUnlessEmptyKeepsIt,
			contentlength.NothingSaidNothingReadKeepsIt,
			contentlength.NotPositiveMeansEmptyLosesTheConnection,
			contentlength.RefuseUnknownLengthLosesTheConnection,
		),
		try([]answer{{200, length, 0, empty}, {200, chunked, 0, empty}, {200, chunkedLate, 0, empty}},
			contentlength.DrainUnlessEmptyKeepsIt,
			contentlength.NothingSaidNothingReadKeepsIt,
			contentlength.DrainIfUnknownOrSmallKeepsIt,
		),
		try(only(small, usual), contentlength.DrainIfUnknownOrSmallKeepsIt),

		try(usual,
			bodyless.HeadKeepsIt,
			bodyless.HeadRequestKeepsIt,
			bodyless.ReadUnlessTheServerClosesKeepsIt,
			bodyless.OnlyHTTP2KeepsIt,
		),
		try(answers(text, 200, 204, 304), bodyless.NoContentKeepsIt, bodyless.NotModifiedKeepsIt),
		get(answers(text, 302), bodyless.LastResponseLosesTheConnection),
		ends(answers(empty, 101), bodyless.UpgradeEndsIt),
		ends(usual,
			bodyless.RequestCloseEndsIt,
			bodyless.CloseHeaderEndsIt,
			bodyless.KeepAlivesDisabledEndsIt,
			bodyless.KeepAlivesDisabledHereEndsIt,
			bodyless.FreshTransportEndsIt,
		),

		try(usual, memory.CopyKeepsIt, memory.CopiedHereKeepsIt, memory.NoCloserAroundTheBodyLosesTheConnection),

		try(answers(events, 200, 500), streams.RefusedEventsLoseTheConnection),

		try(usual, exits.FatalForSomeLosesTheConnection),

		try(usual,
			callforms.RenamedImportLosesTheConnection,
			callforms.ParenthesisedLosesTheConnection,
			callforms.MethodValueLosesTheConnection,
			callforms.FuncFieldLosesTheConnection,
			callforms.FuncFieldKeepsIt,
			callforms.FuncFieldThatReadsKeepsIt,
			callforms.MethodExpressionLosesTheConnection,
			callforms.EmbeddedClientLosesTheConnection,
			callforms.ShadowedLosesTheConnection,
			callforms.ShadowedPackageKeepsIt,
			callforms.ShadowedPackageLosesTheConnection,
			callforms.VarDeclarationLosesTheConnection,
			callforms.DotImportLosesTheConnection,
			callforms.DotImportKeepsIt,
			callforms.PackageFunctionLosesTheConnection,
			callforms.DefaultClientLosesTheConnection,
			callforms.TransportLosesTheConnection,
			callforms.ClientCopyLosesTheConnection,
			callforms.LocalClientLosesTheConnection,
			callforms.SharedTransportLosesTheConnection,
			callforms.LiteralCalledAtOnceLosesTheConnection,
		),
		try(answers(text, 200), callforms.RetryableLosesTheConnection, callforms.RetryableKeepsIt),
		as(usual, callforms.DeferInAnIfLosesTheConnection, func(c *http.Client, url string) error {
			callforms.DeferInAnIfLosesTheConnection(c, url)
			return nil
		}),
		through(usual, "callforms.send", callforms.InterfaceLosesTheConnection),
		through(usual, "callforms.sendWith", callforms.GenericLosesTheConnection),
		as(usual, callforms.FuncValueLosesTheConnection, func(c *http.Client, url string) error {
			return callforms.FuncValueLosesTheConnection(c.Do, url)
		}),

		try(answers(objectLine, 200), strict.DecodeLosesTheConnection),
		get(answers(objectLine, 200), strict.CheckedDecodeLosesTheConnection),
		try(answers(markup, 200), strict.XMLLosesTheConnection),
		try(answers(value, 200), strict.GobLosesTheConnection),
		try(answers(object, 200), strict.DecodeToTheEndKeepsIt),

		try(usual,
			falsepos.DrainIfNoErrorKeepsIt,
			falsepos.CloseInTheErrorBranchKeepsIt,
			falsepos.NilCheckedTwiceKeepsIt,
			falsepos.StatusTestedTwiceKeepsIt,
			falsepos.FlaggedDrainKeepsIt,
			falsepos.DrainOnErrorKeepsIt,
			falsepos.ClosedTwiceKeepsIt,
			falsepos.FailedReadKeepsIt,
			falsepos.UnknownFunctionKeepsIt,
			falsepos.RestyReadsKeepsIt,
			falsepos.UnknownReaderKeepsIt,
			falsepos.InterfaceKeepsIt,
			falsepos.StoredInAFieldKeepsIt,
			falsepos.GoroutineReadsKeepsIt,
			falsepos.PipeKeepsIt,
			falsepos.SentKeepsIt,
			falsepos.StoredClosureKeepsIt,
			falsepos.AppendedKeepsIt,
			falsepos.ContextEndsTheLoopKeepsIt,
			falsepos.ReassignedKeepsIt,
			falsepos.OtherCloserKeepsIt,
			falsepos.LookAlikeKeepsIt,
			falsepos.SwitchOnErrorKeepsIt,
			falsepos.ErrorInAnotherVariableKeepsIt,
			falsepos.ReadForTheLogKeepsIt,
			falsepos.EndlessLoopKeepsIt,
			falsepos.ReadFullOfContentLengthKeepsIt,
			falsepos.MethodInAVariableKeepsIt,
			falsepos.ReadOnCloseKeepsIt,
			falsepos.ReplacedByReadOnCloseKeepsIt,
			falsepos.DrainBeforeTheBreakKeepsIt,
			falsepos.AskedByAReaderKeepsIt,
		),
		get(usual, falsepos.ReadBeforeTheLoopEndsKeepsIt),

		missing(try(usual,
			limits.UnknownFunctionMissed,
			limits.FailedGzipMissed,
			limits.BrokenRowMissed,
			limits.MapMissed,
			limits.StoredCloserMissed,
			limits.SmallVariableLimitMissed,
			limits.SmallDrainMissed,
			limits.NeverClosedMissed,
		)),
		missing(try(answers(object, 200), limits.DecodeMissed)),
		missing(try(answers(archive, 200), limits.ArchiveMissed)),
		missing(try(answers(zipped, 200), limits.OneGzipMemberMissed)),

		try(usual,
			fixes.DeferredCloseLosesTheConnection,
			fixes.CloseStatementLosesTheConnection,
			fixes.CheckedCloseLosesTheConnection,
			fixes.ReturnedCloseLosesTheConnection,
			fixes.RenamedImportLosesTheConnection,
		),
		as(usual, fixes.NoImportLosesTheConnection, func(c *http.Client, url string) error {
			fixes.NoImportLosesTheConnection(c, url)
			return nil
		}),
	)
}

// untried has the fixture functions that cannot be run, and the reason.
var untried = map[string]string{
	"falsepos.LoggersPanicKeepsIt": "panics",
	"exits.FatalHasNoNext":         "ends the process",
	"exits.ExitHasNoNext":          "ends the process",
	"exits.HelperHasNoNext":        "ends the process",
	"exits.PanicHasNoNext":         "ends the process",

	"falsepos.CancelledIsGivenUp": "loses the connection on purpose",

	"tests.CheckRedirect": "is part of a test",

	"exits/once.probe": "package main cannot be imported",

	"callforms.InterfaceLosesTheConnection": "tried as send, which has the fault",
	"callforms.GenericLosesTheConnection":   "tried as sendWith, which has the fault",

	"memory.RecorderHasNone":       "no connection",
	"memory.ReadFromAFileHasNone":  "no connection",
	"memory.ConnectHasItsOwn":      "no pool keeps its connection",
	"memory.MadeUpHasNone":         "no connection",
	"memory.ServersRequestHasNone": "no response",

	"streams.EventsEndIt": "its stream has no end",
	"streams.EventsSSE":   "its stream has no end",
	"streams.TailEndsIt":  "its stream has no end",
	"streams.WatchEndsIt": "its stream has no end",

	"tests.TestUnreadAnswer":     "run by go test",
	"testsflag.TestUnreadAnswer": "run by go test",
}
