package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/httpvet/httpvet/internal/testenv"
)

// BenchmarkCold measures the CPU time of a first run of each engine, as the ratio
// to that of a vettool that checks nothing, run right before it. The packages are
// compiled; no unit of vet is cached, since each run gets a tool of another hash.
//
//	go test -run xxx -bench Cold -benchtime 3x ./cmd/httpvet
//
// The ratios are meant to stay below 1.10 as a vettool (with bodydrain alone) and
// below 0.35 by itself.
func BenchmarkCold(b *testing.B) {
	noop := buildNoop(b)
	testdata := testenv.Testdata(b)
	for _, load := range []struct {
		name, dir string
		args      []string
	}{
		{"std", testdata, []string{"net/..."}},
		{"testdata", testdata, []string{"./..."}},
	} {
		b.Run(load.name, func(b *testing.B) {
			exec.Command("go", append([]string{"build"}, load.args...)...).Run() // warm
			var none, vet, own time.Duration
			var memory int64
			for b.Loop() {
				none += cpu(b, load.dir, "go", append([]string{"vet", "-vettool=" + fresh(b, noop)}, load.args...)...)
				vet += cpu(b, load.dir, "go", append([]string{"vet", "-vettool=" + fresh(b, httpvet(b))}, load.args...)...)
				own += cpu(b, load.dir, httpvet(b), load.args...)
				memory = max(memory, maxRSS())
			}
			b.ReportMetric(float64(vet)/float64(none), "vettool/noop")
			b.ReportMetric(float64(own)/float64(none), "itself/noop")
			b.ReportMetric(float64(memory)/(1<<20), "peak-MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// buildNoop builds a vettool with one pass that does nothing.
func buildNoop(b *testing.B) string {
	src := filepath.Join(b.TempDir(), "noop.go")
	text := `package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	unitchecker.Main(&analysis.Analyzer{
		Name: "noop",
		Doc:  "noop: check nothing",
		Run:  func(*analysis.Pass) (any, error) { return nil, nil },
	})
}
`
	if err := os.WriteFile(src, []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "noop")
	if out, err := exec.Command("go", "build", "-o", file, src).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return file
}

// fresh returns a copy of a tool that the go command takes for another one: it
// goes by the content.
func fresh(b *testing.B, tool string) string {
	data, err := os.ReadFile(tool)
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), fmt.Sprintf("tool%x", rand.Uint64()))
	data = fmt.Appendf(data, "%x", rand.Uint64())
	if err := os.WriteFile(file, data, 0o777); err != nil {
		b.Fatal(err)
	}
	return file
}

// cpu runs a command and returns the CPU time that it and its children took.
func cpu(b *testing.B, dir, name string, args ...string) time.Duration {
	before := children()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == exitFailed {
		b.Logf("%s %v: %v\n%.2000s", name, args, err, out)
	}
	after := children()
	return time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
}

// children returns what the finished children of this process used.
func children() syscall.Rusage {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage)
	return usage
}

// maxRSS returns the peak memory of the largest child so far, in bytes.
func maxRSS() int64 {
	if runtime.GOOS == "darwin" {
		return children().Maxrss // in bytes there
	}
	return children().Maxrss << 10
}
