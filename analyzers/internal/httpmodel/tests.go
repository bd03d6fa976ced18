package httpmodel

import (
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// This file says what ends a test.

// ends maps the names of methods that end a test to what they take.
var ends = map[string]string{
	"FailNow": "func()",
	"SkipNow": "func()",
	"Fatal":   "func(args ...any)",
	"Skip":    "func(args ...any)",
	"Fatalf":  "func(format string, args ...any)",
	"Skipf":   "func(format string, args ...any)",
}

// EndsTest reports whether fn has the name and the form of a method that ends the
// test that it is called on: whether it does is another matter.
func EndsTest(fn *types.Func) bool {
	want, ok := ends[fn.Name()]
	if !ok || fn.Signature().Recv() == nil || fn.Signature().Results().Len() > 0 {
		return false
	}
	params := fn.Signature().Params()
	switch want {
	case "func()":
		return params.Len() == 0
	case "func(args ...any)":
		return params.Len() == 1 && fn.Signature().Variadic()
	}
	return params.Len() == 2 && fn.Signature().Variadic()
}

// IsTesting reports whether a value of type t looks like a test: it has FailNow, or
// both Helper and one of the other methods that end a test.
func IsTesting(t types.Type) bool {
	if t == nil || isGinkgo(t) {
		return false
	}
	if hasEnd(t, "FailNow") {
		return true
	}
	helper := method(t, "Helper")
	return helper != nil && helper.Signature().Params().Len() == 0 && (hasEnd(t, "Fatal") || hasEnd(t, "Fatalf"))
}

// isGinkgo reports whether t is what ginkgo gives for a *testing.T: its FailNow
// panics, for GinkgoRecover.
func isGinkgo(t types.Type) bool {
	named := typeset.Named(t)
	return named != nil && named.Obj().Pkg() != nil && strings.HasPrefix(typeset.PkgPath(named.Obj().Pkg()), "github.com/onsi/ginkgo")
}

// hasEnd reports whether t has the method of the given name that ends a test.
func hasEnd(t types.Type, name string) bool {
	fn := method(t, name)
	return fn != nil && EndsTest(fn)
}

// method returns the exported method of t, or of a pointer to it, of the given name.
func method(t types.Type, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	fn, _ := obj.(*types.Func)
	return fn
}

// assertions lists the interfaces whose methods end the test that made the value,
// though no body shows it. Gomega makes such values of a *testing.T (NewWithT) but
// also of other things.
var assertions = []struct {
	pkgPath, typ string
	methods      []string
}{
	{"github.com/onsi/gomega/types", "Assertion", []string{"Should", "ShouldNot", "To", "ToNot", "NotTo"}},
	{"github.com/onsi/gomega/types", "AsyncAssertion", []string{"Should", "ShouldNot"}},
}

const gomega = "github.com/onsi/gomega"

// registered lists the functions of gomega whose results end the test that it was
// given by RegisterTestingT.
var registered = []string{"Expect", "ExpectWithOffset", "Ω", "Eventually", "EventuallyWithOffset", "Consistently", "ConsistentlyWithOffset"}

// RegistersTest reports whether fn gives its package the test to end.
func RegistersTest(fn *types.Func) bool { return typeset.IsFunc(fn, gomega, "RegisterTestingT") }

// EndsRegistered reports whether what fn returns ends the test that its package was
// given.
func EndsRegistered(fn *types.Func) bool { return typeset.IsFunc(fn, gomega, registered...) }

// EndsMaker reports whether fn is a method of an interface that ends the test of
// which its receiver was made.
func EndsMaker(fn *types.Func) bool {
	for _, a := range assertions {
		if typeset.IsMethod(fn, a.pkgPath, a.typ, a.methods...) {
			return true
		}
	}
	return false
}

// gomocks are the paths of gomock, whose mocks call what they are given by reflection.
var gomocks = []string{"go.uber.org/mock/gomock", "github.com/golang/mock/gomock"}

// RecordsExpected reports whether fn makes an expected call of the mock that is its
// first argument.
func RecordsExpected(fn *types.Func) bool {
	return isGomock(fn, "RecordCall", "RecordCallWithMethodType")
}

// CallsExpected reports whether fn may call the functions that the expected calls of
// its first argument, a mock, were given.
func CallsExpected(fn *types.Func) bool { return isGomock(fn, "Call") }

// isGomock reports whether fn is a method of gomock's Controller.
func isGomock(fn *types.Func, names ...string) bool {
	return slices.ContainsFunc(gomocks, func(path string) bool { return typeset.IsMethod(fn, path, "Controller", names...) })
}

// IsExpected reports whether t is the type of calls that a mock of another package
// expects.
func IsExpected(t *types.Named) bool {
	return slices.ContainsFunc(gomocks, func(path string) bool { return typeset.IsNamed(t, path, "Call") })
}

// assertionEntries lists what assertions, registered and gomocks name.
func assertionEntries() (entries []Entry) {
	for _, a := range assertions {
		for _, m := range a.methods {
			entries = append(entries, Entry{PkgPath: a.pkgPath, Type: a.typ, Name: m})
		}
	}
	for _, path := range gomocks {
		for _, name := range []string{"Call", "RecordCall", "RecordCallWithMethodType"} {
			entries = append(entries, Entry{PkgPath: path, Type: "Controller", Name: name})
		}
		entries = append(entries, Entry{PkgPath: path, Type: "Call"})
	}
	for _, name := range append([]string{"RegisterTestingT"}, registered...) {
		entries = append(entries, Entry{PkgPath: gomega, Name: name})
	}
	return entries
}
