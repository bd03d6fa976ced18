package failnow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/httpvet/httpvet/analyzers/failnow"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// BenchmarkHandlers analyzes a package of many handlers: in as many tests, in one
// table, and on one mux. Time for each handler (ns/handler) must not grow with their
// number.
func BenchmarkHandlers(b *testing.B) {
	for _, n := range []int{1000, 4000} {
		for _, shape := range []struct {
			name string
			src  func(n int) string
		}{{"tests", manyTests}, {"table", oneTable}, {"mux", oneMux}} {
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				pkgs := generated(b, shape.src(n))
				var spent time.Duration
				for b.Loop() {
					graph, err := checker.Analyze([]*analysis.Analyzer{failnow.Analyzer}, pkgs, nil)
					if err != nil {
						b.Fatal(err)
					}
					spent = 0
					found := 0
					for act := range graph.All() {
						if act.Err != nil {
							b.Fatal(act.Err)
						}
						if strings.HasPrefix(act.Package.PkgPath, "generated") {
							spent += act.Duration
							if act.Analyzer == failnow.Analyzer {
								found += len(act.Diagnostics)
							}
						}
					}
					if found != n {
						b.Fatalf("%d findings in %d handlers", found, n)
					}
				}
				b.ReportMetric(float64(spent.Nanoseconds())/float64(n), "ns/handler")
			})
		}
	}
}

// generated loads a package of one test file.
func generated(b *testing.B, src string) []*packages.Package {
	b.Helper()
	dir := b.TempDir()
	for name, text := range map[string]string{"go.mod": "module generated\n\ngo 1.26\n", "a_test.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Dir:   dir,
		Tests: true,
		Env:   append(os.Environ(), "GOWORK=off", "GOPROXY=off"),
	}, "./...")
	if err != nil {
		b.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 || len(pkgs) == 0 {
		b.Fatal("no package")
	}
	for i, pkg := range pkgs {
		if pkg.ForTest != "" || strings.HasSuffix(pkg.ID, ".test]") {
			return pkgs[i : i+1]
		}
	}
	return pkgs[:1]
}

const head = "package generated\n\nimport (\n\t\"net/http\"\n\t\"net/http/httptest\"\n\t\"testing\"\n)\n\n"

func manyTests(n int) string {
	var s strings.Builder
	s.WriteString(head)
	for i := range n {
		fmt.Fprintf(&s, `func Test%d(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			t.Fatal(r.URL)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer srv.Close()
	if _, err := srv.Client().Get(srv.URL); err != nil {
		t.Fatal(err)
	}
}

`, i)
	}
	return s.String()
}

func oneTable(n int) string {
	var s strings.Builder
	s.WriteString(head + "func TestTable(t *testing.T) {\n\tvar last *http.Request\n\tfor _, tt := range []struct{ h http.HandlerFunc }{\n")
	for range n {
		s.WriteString("\t\t{func(w http.ResponseWriter, r *http.Request) {\n\t\t\tlast = r\n\t\t\tt.Fatal(last.URL)\n\t\t}},\n")
	}
	s.WriteString("\t} {\n\t\tt.Run(\"\", func(t *testing.T) {\n\t\t\tdefer httptest.NewServer(tt.h).Close()\n\t\t})\n\t}\n}\n")
	return s.String()
}

func oneMux(n int) string {
	var s strings.Builder
	s.WriteString(head + "func TestMux(t *testing.T) {\n\tmux := http.NewServeMux()\n\tdefer httptest.NewServer(mux).Close()\n")
	for i := range n {
		fmt.Fprintf(&s, "\tmux.HandleFunc(\"/%d\", func(w http.ResponseWriter, r *http.Request) {\n\t\tt.Fatal(r.URL)\n\t})\n", i)
	}
	s.WriteString("}\n")
	return s.String()
}
