//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/httpvet/httpvet/internal/testenv"
)

// bounds say what the tool may cost with the rules that flags turn on, as a part
// of the CPU time of a vettool that checks nothing, on the same packages.
var bounds = []struct {
	name           string
	flags          []string
	vettool, alone float64
}{
	{"bodydrain", []string{"-bodydrain"}, 1.10, 0.35},
	{"all", nil, 1.25, 0.55},
}

// BenchmarkCold measures the CPU time of both engines, that of the go command
// included, where the packages are compiled but nothing is analyzed yet: on the
// standard library's net packages, and on the fixtures, whose module has some
// hundred dependencies. It also tells the peak memory of the tool alone.
func BenchmarkCold(b *testing.B) {
	testdata := testenv.Testdata(b)
	for _, bench := range []struct{ name, dir, pattern string }{
		{"net", testenv.Root(b), "net/..."},
		{"fixtures", testdata, "./..."},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := cold{b: b, dir: bench.dir, pattern: bench.pattern, bin: b.TempDir()}
			c.vettool("./cmd/httpvet/testdata/nothing") // compiles the packages
			nothing, peak := time.Duration(0), int64(0)
			vettool, alone := make([]time.Duration, len(bounds)), make([]time.Duration, len(bounds))
			for b.Loop() {
				nothing += c.vettool("./cmd/httpvet/testdata/nothing")
				for i, bound := range bounds {
					vettool[i] += c.vettool("./cmd/httpvet", bound.flags...)
					cpu, rss := c.run(c.build("./cmd/httpvet"), append(bound.flags, c.pattern)...)
					alone[i] += cpu
					peak = max(peak, rss)
				}
			}
			report := func(name string, cpu time.Duration, bound float64) {
				ratio := cpu.Seconds() / nothing.Seconds()
				b.ReportMetric(ratio, name+"/nothing")
				b.Logf("%s: %.2f of %.1f s", name, ratio, nothing.Seconds()/float64(b.N))
				if ratio > bound {
					b.Errorf("%s: %.2f of the CPU time of a vettool that checks nothing, want at most %.2f", name, ratio, bound)
				}
			}
			for i, bound := range bounds {
				report(bound.name+"-vettool", vettool[i], bound.vettool)
				report(bound.name+"-alone", alone[i], bound.alone)
			}
			b.ReportMetric(nothing.Seconds()/float64(b.N), "nothing-cpu-s/op")
			b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
		})
	}
}

// A cold runs tools that the go command has never seen.
type cold struct {
	b            *testing.B
	dir, pattern string
	bin          string
	builds       int
}

// build builds a program of this module that is like no other, and returns its
// name.
func (c *cold) build(pkg string) string {
	c.builds++
	exe := filepath.Join(c.bin, fmt.Sprint("tool", c.builds))
	cmd := exec.Command("go", "build", "-o", exe, fmt.Sprintf("-ldflags=-buildid=%d-%d", time.Now().UnixNano(), c.builds), pkg)
	cmd.Dir = testenv.Root(c.b)
	if out, err := cmd.CombinedOutput(); err != nil {
		c.b.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return exe
}

// vettool returns the CPU time of go vet with a program of this module as the
// vettool.
func (c *cold) vettool(pkg string, flags ...string) time.Duration {
	// With -json, findings are no failure.
	args := append([]string{"vet", "-vettool=" + c.build(pkg), "-json"}, flags...)
	cpu, _ := c.run("go", append(args, c.pattern)...)
	return cpu
}

// run runs a command and returns its CPU time, that of its children included, and
// the peak of its memory in bytes.
func (c *cold) run(name string, args ...string) (cpu time.Duration, peak int64) {
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if state := cmd.ProcessState; state == nil || state.ExitCode() != exitClean && (name == "go" || state.ExitCode() != exitFindings) {
		c.b.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	peak = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS != "darwin" {
		peak *= 1 << 10
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak
}
