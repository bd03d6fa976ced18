// Package decls proves that no pass stumbles over declarations that are legal and
// odd: functions without a body, recursive types, blank names everywhere.
package decls

import (
	"context"
	"io"
	_ "net"
	"net/http"
	_ "net/http"
	"net/http/httputil"
	"sync"
	"testing"
	"time"
)

// External and its like have their bodies in assembly.
func External(*http.Response) error
func external(w http.ResponseWriter, r *http.Request)
func (T) External(resp *http.Response, _ ...*http.Request) (*http.Response, error)
func (*T) external(testing.TB)

// A T is a type with everything.
type T struct {
	*http.Client
	http.Handler
	*http.Response `json:"-"`
	io.Closer
	_, _                        int
	_                           struct{}
	Func                        func(T) func(*T) T
	IdempotencyKey, ClientToken string
	anon                        struct {
		*http.Request
		Body io.ReadCloser
	}
	once sync.Once
}

// Recursive types.
type (
	Rec     struct{ next *Rec }
	Fn      func(Fn) Fn
	Slice   []Slice
	Map     map[string]Map
	Chan    chan Chan
	Ptr     *Ptr
	Iface   interface{ M(Iface) Iface }
	Mutual1 struct{ m *Mutual2 }
	Mutual2 struct {
		m []Mutual1
		io.Reader
	}
	Embedded struct{ *Embedded }
)

// Embedded interfaces, empty, overlapping, of an alias.
type (
	Doer interface {
		Do(*http.Request) (*http.Response, error)
	}
	RoundTripper = http.RoundTripper
	Both         interface {
		Doer
		RoundTripper
		io.Closer
		io.ReadCloser
		interface{ Close() error }
	}
	Nothing interface{}
	Handler interface {
		http.Handler
		~struct{ x int } | *T
	}
)

// Types of other packages under own names.
type (
	Response  http.Response
	ResponseP = *http.Response
	Writer    http.ResponseWriter
	Header    = http.Header
	Transport struct{ http.Transport }
	Proxy     struct{ httputil.ReverseProxy }
	Func      http.HandlerFunc
	_         = http.Client
)

// Constants of iota, of no type and of an own type.
const (
	_ = iota
	A
	_
	B, C = iota, http.StatusRequestTimeout + iota
	D, E
	F    Status = 408 << iota / 8
	_, G Status = iota, http.StatusGatewayTimeout
)

// A Status is a status.
type Status int

// Variables of one call, of none, of a literal called in place, of each other.
var (
	_, _      = http.Get("")
	resp, err = http.Get("http://localhost")
	_, _      = resp, err
	primary   = second
	second    = func() int {
		if false {
			return first()
		}
		return 1
	}
	first2      = func() *http.Client { return &http.Client{Transport: &http.Transport{}} }()
	_           = func() struct{} { return struct{}{} }()
	table       = [...]http.HandlerFunc{2: external, 0: nil, func(w http.ResponseWriter, r *http.Request) {}}
	byName      = map[string]struct{ http.Handler }{"": {http.NotFoundHandler()}, "x": {}}
	nested      = [][]*http.Response{{nil, {}}, {&http.Response{}}, {}}
	pointer     = &[]http.Client{{}, {Timeout: time.Second}}
	_       any = (*T).external
	x, y    int
)

func first() int { return 0 }

func init() {}
func init() { _ = x }
func _()    {}
func _()    { resp, _ := http.Get(""); resp.Body.Close() }

// Methods with blank, unnamed and no receivers, of the blank name, promoted.
func (T) _()                                              {}
func (_ *T) Blank(_ http.ResponseWriter, _ *http.Request) {}
func (T) Unnamed(http.ResponseWriter, *http.Request)      {}
func (f Func) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f(w, r)
}
func (r *Response) Shut() error   { return r.Body.Close() }
func (s Status) Error() string    { return "" }
func (s *Status) Timeout() bool   { return s != nil }
func (e Embedded) Get(int) string { return e.Embedded.Get(0) }

// Results are named, blank, and shadowed by a type.
func Results(context.Context, ...string) (_ *http.Response, _, err error) {
	type err2 = error
	type resp struct{ resp *http.Response }
	const nothing = ""
	var _ = resp{}
	var (
		_, b = 1, 2
		c    *http.Client
	)
	_, _ = b, c
	_ = func(_, _ int, _ ...any) (_, _ error) { return }
	return
}
