package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/httpvet/httpvet/internal/testenv"
)

// shared is a module with a finding that hangs on a fact of another package.
const shared = `
-- go.mod --
module example.com/shared

go 1.26
-- closing/closing.go --
package closing

type Closer interface{ Close() error }

func Close(c Closer) { c.Close() }
-- use/use.go --
package use

import "example.com/shared/closing"

func use(c closing.Closer) {
	closing.Close(c)
}
`

// TestFleet proves that machines that share a cache share the work: on a second,
// clean one, with the same tool and checkout path, go vet runs the tool on no
// package and reports the same.
func TestFleet(t *testing.T) {
	f := newFleet(t)
	checkout := filepath.Join(t.TempDir(), "shared")

	f.cleanMachine()
	f.checkOut(checkout)
	report, units := f.vet(checkout)
	if units == 0 {
		t.Error("the first machine analyzes nothing")
	}
	if !strings.Contains(report, "use/use.go:6:2: something is closed") {
		t.Errorf("the first machine reports\n%s", report)
	}

	f.cleanMachine()
	f.checkOut(checkout)
	if again, units := f.vet(checkout); units > 0 || again != report {
		t.Errorf("the second machine analyzes %d packages and reports\n%swant none and\n%s", units, again, report)
	}

	// After an edit, the package alone that it changed is analyzed.
	name := filepath.Join(checkout, "use", "use.go")
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(src, "\n// The end.\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if again, units := f.vet(checkout); units != 1 || again != report {
		t.Errorf("after an edit, the second machine analyzes %d packages and reports\n%swant 1 and\n%s", units, again, report)
	}
}

// A fleet is a server that holds a cache, and the one machine at hand.
type fleet struct {
	t   *testing.T
	bin string // where the programs of the cache are
	url string // of the server
	log string // where the tool notes that it was called
}

// newFleet starts the server of a shared cache, of a public implementation that the
// module in testdata/fleet names.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, bin: t.TempDir(), log: filepath.Join(t.TempDir(), "log")}
	t.Setenv(logFile, f.log)
	build := exec.Command("go", "build", "-o", f.bin, "tool")
	build.Dir = filepath.Join(testenv.Testdata(t), "fleet")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	addr := freeAddress(t)
	f.url = "http://" + addr
	server := exec.Command(filepath.Join(f.bin, "go-cacher-server"), "-listen", addr, "-cache-dir", t.TempDir())
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			return f
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// freeAddress returns an address on loopback that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// cleanMachine makes the machine a new one of the fleet, that has done nothing yet.
func (f *fleet) cleanMachine() {
	f.t.Setenv("GOCACHE", f.t.TempDir())
	f.t.Setenv("GOCACHEPROG", fmt.Sprintf("%s -cache-dir=%s -cache-server=%s",
		filepath.Join(f.bin, "go-cacher"), f.t.TempDir(), f.url))
}

// checkOut makes dir a new checkout of the module.
func (f *fleet) checkOut(dir string) {
	f.t.Helper()
	fsys, err := txtar.FS(txtar.Parse([]byte(shared)))
	if err != nil {
		f.t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		f.t.Fatal(err)
	}
	if err := os.CopyFS(dir, fsys); err != nil {
		f.t.Fatal(err)
	}
}

// vet runs go vet in dir, and returns its findings and for how many packages the
// tool was called.
func (f *fleet) vet(dir string) (report string, units int) {
	f.t.Helper()
	os.Remove(f.log)
	r := command(f.t, dir, "go", "vet", "-vettool="+toolWith(f.t, "fake"), "./...")
	if r.status != 1 {
		f.t.Errorf("go vet: exit status %d\n%s%s", r.status, r.stdout, r.stderr)
	}
	log, err := os.ReadFile(f.log)
	if err != nil {
		f.t.Fatal(err)
	}
	return r.stderr, strings.Count(string(log), ".cfg]")
}

// TestTrimpath shows why no machines that share a cache should run go vet with
// -trimpath: what one checkout has cached names the files of that checkout, and its
// fixes are made there.
func TestTrimpath(t *testing.T) {
	t.Setenv("GOCACHE", t.TempDir())
	const archive = "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n-- m.go --\npackage m\n\nfunc shout() {}\nfunc whisper() {}\n\nfunc init() { shout() }\n"
	mine, other := write(t, archive), write(t, archive)
	vet := func(dir string, flags ...string) string {
		args := append([]string{"vet", "-vettool=" + toolWith(t, "fake")}, flags...)
		return command(t, dir, "go", append(args, "./...")...).stderr
	}
	text := func(dir string) string {
		data, err := os.ReadFile(filepath.Join(dir, "m.go"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	theirs := filepath.Join(filepath.Base(other), "m.go") + ":6:15: shout is called"

	vet(other)
	if out := vet(mine); strings.Contains(out, theirs) || !strings.Contains(out, "m.go:6:15: shout is called") {
		t.Errorf("go vet reports of another checkout:\n%s", out)
	}
	vet(other, "-trimpath")
	if out := vet(mine, "-trimpath"); !strings.Contains(out, theirs) {
		t.Errorf("go vet -trimpath reports\n%swant %q: then docs/fleet.md is wrong", out, theirs)
	}

	before := text(mine)
	vet(other, "-trimpath", "-fix")
	if text(other) == before {
		t.Fatal("nothing is fixed")
	}
	os.WriteFile(filepath.Join(other, "m.go"), []byte(before), 0o666)
	vet(mine, "-trimpath", "-fix")
	if text(mine) != before || text(other) == before {
		t.Error("go vet -trimpath -fix mends the right checkout: then docs/fleet.md is wrong")
	}
}
