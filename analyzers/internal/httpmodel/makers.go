package httpmodel

import (
	"go/types"
	"slices"
	"strings"
)

// A Making says what a function does to make something that it never makes twice.
type Making uint8

const (
	NoMaking   Making = iota
	MakesValue        // returns it
	MakesBytes        // writes it to the bytes that it is given
	MakesTime         // returns the time, which is another each time
)

// A makerPackage is a package of which certain functions make unique values.
type makerPackage struct {
	path  string
	funcs []string // nil: any whose name begins with New, Must, Make, Gen
	bytes []string // those that fill the bytes that they are given
}

// makers is a table because random numbers and clocks begin in the runtime, where
// no body shows them, and because so many libraries lie between.
var makers = []makerPackage{
	{path: "github.com/google/uuid", funcs: []string{"New", "NewString", "NewRandom", "NewRandomFromReader", "NewUUID", "NewV6", "NewV7", "NewV7FromReader", "NewDCEGroup", "NewDCEPerson", "NewDCESecurity"}},
	{path: "github.com/oklog/ulid/v2", funcs: []string{"Make", "New", "MustNew", "MustNewDefault"}},
	{path: "github.com/rs/xid", funcs: []string{"New"}},
	{path: "github.com/segmentio/ksuid", funcs: []string{"New", "NewRandom"}},
	{path: "crypto/rand", funcs: []string{"Int", "Prime", "Text"}, bytes: []string{"Read"}},
	{path: "math/rand", funcs: []string{"Int", "Intn", "Int31", "Int31n", "Int63", "Int63n", "Uint32", "Uint64", "Float64", "Float32", "Perm", "NormFloat64"}, bytes: []string{"Read"}},
	{path: "math/rand/v2", funcs: []string{"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "Uint", "UintN", "Uint32", "Uint32N", "Uint64", "Uint64N", "N", "Float64", "Float32", "Perm", "NormFloat64"}},
}

// farMakers are libraries of the same kind that the fixtures do not hold. Their
// makers are told by what the names begin with.
var farMakers = []string{
	"github.com/gofrs/uuid", "github.com/satori/go.uuid", "github.com/pborman/uuid", "github.com/hashicorp/go-uuid",
	"github.com/oklog/ulid", "github.com/matoous/go-nanoid", "github.com/jaevor/go-nanoid", "github.com/aidarkhanov/nanoid",
	"github.com/lithammer/shortuuid", "github.com/teris-io/shortid", "github.com/lucsky/cuid", "github.com/nrednav/cuid2",
	"github.com/sony/sonyflake", "github.com/bwmarrin/snowflake", "github.com/nu7hatch/gouuid", "github.com/twinj/uuid",
	"github.com/thanhpk/randstr", "github.com/dchest/uniuri", "go.jetify.com/typeid", "k8s.io/apimachinery/pkg/util/uuid",
	"k8s.io/apimachinery/pkg/util/rand", "github.com/aws/smithy-go/rand", "github.com/gofrs/uuid/v5",
}

// MakingOf returns what fn makes, by the tables.
func MakingOf(fn *types.Func) Making {
	if fn == nil || fn.Pkg() == nil {
		return NoMaking
	}
	path, name := strings.TrimPrefix(fn.Pkg().Path(), "vendor/"), fn.Name()
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	if path == "sync/atomic" && strings.HasPrefix(name, "Add") {
		return MakesValue // the next number
	}
	if path == "time" && name == "Now" {
		return MakesTime
	}
	for _, m := range makers {
		if m.path == path {
			switch {
			case slices.Contains(m.funcs, name):
				return MakesValue
			case slices.Contains(m.bytes, name):
				return MakesBytes
			}
			return NoMaking
		}
	}
	for _, far := range farMakers {
		if rest, ok := strings.CutPrefix(path, far); ok && (rest == "" || rest[0] == '/') {
			return farMaking(fn)
		}
	}
	return NoMaking
}

// farMaking is MakingOf for the libraries that are known by name only.
func farMaking(fn *types.Func) Making {
	name := fn.Name()
	for _, given := range []string{"NewV3", "NewV5", "NewHash", "NewMD5", "NewSHA1", "NewSource", "NewGen", "NewWithNamespace", "NewSonyflake", "NewNode", "NewReader", "NewEncoder"} {
		if strings.HasPrefix(name, given) {
			return NoMaking
		}
	}
	if fn.Signature().Results().Len() == 0 || fn.Signature().Recv() != nil && fn.Signature().Params().Len() > 0 {
		return NoMaking
	}
	for _, prefix := range []string{"New", "Gen", "Make", "Must", "Rand", "String", "Hex", "Bytes", "Base62", "NextID"} {
		if strings.HasPrefix(name, prefix) && (fn.Signature().Recv() == nil || prefix == "NextID" || prefix == "Gen") {
			return MakesValue
		}
	}
	return NoMaking
}

// MustMakers are functions of the makers' packages that return what they are
// given, but for an error.
var mustMakers = []string{"Must"}

// IsMust reports whether fn returns its first argument or panics.
func IsMust(fn *types.Func) bool {
	return fn != nil && slices.Contains(mustMakers, fn.Name()) && fn.Signature().Params().Len() == 2
}

// makerEntries lists what the table of makers names.
func makerEntries() (entries []Entry) {
	for _, m := range makers {
		for _, name := range slices.Concat(m.funcs, m.bytes) {
			entries = append(entries, Entry{PkgPath: m.path, Name: name})
		}
	}
	return append(entries, Entry{PkgPath: "time", Name: "Now"})
}

// IsMakerPackage reports whether path is that of a library of unique values.
func IsMakerPackage(path string) bool {
	for _, m := range makers[:5] {
		if m.path == path {
			return true
		}
	}
	return slices.ContainsFunc(farMakers, func(far string) bool {
		rest, ok := strings.CutPrefix(path, far)
		return ok && (rest == "" || rest[0] == '/')
	})
}
