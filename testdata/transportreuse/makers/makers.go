// Package makers proves that what a function makes and hands out is known by its
// body: own constructors, those of other packages and modules, function values,
// conditions on what they are given.
package makers

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"time"

	"fixtures/transportreuse/makers/lib"

	"connectrpc.com/connect"
	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-cleanhttp"
	"github.com/hashicorp/go-retryablehttp"
	"google.golang.org/protobuf/types/known/emptypb"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{}}
}

func clientAndError() (*http.Client, error) {
	c := newClient()
	c.Timeout = time.Second
	return c, nil
}

func Own(url string) error {
	return read(newClient().Get(url)) // want `newClient makes a connection pool in each call of Own`
}

func OwnWithError(url string) error {
	c, err := clientAndError() // want `clientAndError makes`
	if err != nil {
		return err
	}
	return read(c.Get(url))
}

type getter interface{ Get(url string) error }

func asInterface() getter { return lib.New("") }

func ThroughInterface(url string) error {
	return asInterface().Get(url) // want `asInterface makes`
}

func OtherPackage(url string) error {
	api := lib.New("") // want `lib.New makes`
	return api.Get(url)
}

func StepByStep(url string) error {
	return lib.New("").To(url).Do() // want `lib.New makes`
}

func MethodExpressionOfIt(url string) error {
	get := lib.New("").Get // want `lib.New makes`
	return get(url)
}

func Chain(url string) error {
	api := lib.Wrap(lib.NewHTTP(time.Second)) // want `lib.NewHTTP makes`
	return api.Get(url)
}

func Setter(url string) error {
	api := new(lib.API)
	api.SetClient(newClient()) // want `newClient makes`
	return api.Get(url)
}

func NothingConfigured(url string) error {
	api, err := lib.Dial(lib.Config{Insecure: true}) // want `lib.Dial makes`
	if err != nil {
		return err
	}
	return api.Get(url)
}

func ConfiguredInAVariable(url string) error {
	var cfg lib.Config
	cfg.Insecure = true
	api, err := lib.Dial(cfg) // want `lib.Dial makes`
	if err != nil {
		return err
	}
	return api.Get(url)
}

func SharedConfigured(url string) error {
	api, err := lib.Dial(lib.Config{Client: http.DefaultClient})
	if err != nil {
		return err
	}
	return api.Get(url)
}

func SharedConfiguredLater(url string) error {
	cfg := lib.Config{}
	cfg.Client = http.DefaultClient
	api, err := lib.Dial(cfg)
	if err != nil {
		return err
	}
	return api.Get(url)
}

func DefaultsMissing(url string) error {
	api, err := lib.DialDefaults(&lib.Config{}) // want `lib.DialDefaults makes`
	if err != nil {
		return err
	}
	return api.Get(url)
}

func DefaultsOwn(url string) error {
	api, err := lib.DialDefaults(lib.DefaultConfig()) // want `lib.DefaultConfig makes`
	if err != nil {
		return err
	}
	return api.Get(url)
}

// The Transport of the defaults is not used.
func DefaultsShared(url string) error {
	cfg := lib.DefaultConfig()
	cfg.Client = http.DefaultClient
	api, err := lib.DialDefaults(cfg)
	if err != nil {
		return err
	}
	return api.Get(url)
}

func Asked(url string) error {
	return lib.DialConn(&lib.Conn{TLS: &tls.Config{}}).Get(url) // want `lib.DialConn makes`
}

func NotAsked(url string) error { return lib.DialConn(&lib.Conn{}).Get(url) }

var plain = func() *lib.Conn { return new(lib.Conn) }

// Nothing shows that TLS is asked for.
func AskedElsewhere(url string) error {
	conn := plain()
	return lib.DialConn(conn).Get(url)
}

func OwnConfigured(url string) error {
	api, err := lib.Dial(lib.Config{Client: newClient()}) // want `newClient makes`
	if err != nil {
		return err
	}
	return api.Get(url)
}

func TransportMissing(url string) error {
	api, err := lib.DialTransport(&lib.Config{}) // want `lib.DialTransport makes`
	if err != nil {
		return err
	}
	return api.Get(url)
}

func TransportGiven(url string) error {
	api, err := lib.DialTransport(&lib.Config{Transport: http.DefaultTransport})
	if err != nil {
		return err
	}
	return api.Get(url)
}

func Insecure(url string) error {
	return lib.DialInsecure(true).Get(url) // want `lib.DialInsecure makes`
}

func Secure(url string) error {
	return lib.DialInsecure(false).Get(url)
}

func NoOptions(url string) error {
	return lib.Build().Get(url) // want `lib.Build makes`
}

func OtherOption(url string) error {
	return lib.Build(lib.WithBase("x")).Get(url) // want `lib.Build makes`
}

func OptionGivesShared(url string) error {
	return lib.Build(lib.WithClient(http.DefaultClient)).Get(url)
}

func FilledIn(url string) error {
	var cfg lib.Config
	cfg.Defaults() // want `cfg.Defaults makes`
	return read(cfg.Client.Get(url))
}

func Closure(url string) error {
	make := func() *http.Client { return &http.Client{Transport: &http.Transport{}} }
	return read(make().Get(url)) // want `make makes`
}

var factory = func() *http.Client { return newClient() }

func PackageVariable(url string) error {
	return read(factory().Get(url)) // want `factory makes`
}

// Service makes its clients by a function in a field.
type Service struct {
	client func() *http.Client
}

func NewService() *Service { return &Service{client: newClient} }

func (s *Service) Field(url string) error {
	return read(s.client().Get(url)) // want `s.client makes`
}

func (s *Service) make() *http.Client { return newClient() }

func (s *Service) Method(url string) error {
	c := s.make() // want `s.make makes`
	return read(c.Get(url))
}

func given(make func() *http.Client, url string) error {
	return read(make().Get(url))
}

func build(make func() *http.Transport) *http.Client { return &http.Client{Transport: make()} }

func MakerGiven(url string) error {
	c := build(cleanhttp.DefaultPooledTransport) // want `build makes`
	return read(c.Get(url))
}

func MakerGivenThatKeepsNone(url string) error {
	c := build(cleanhttp.DefaultTransport)
	return read(c.Get(url))
}

func CleanPooled(url string) error {
	return read(cleanhttp.DefaultPooledClient().Get(url)) // want `cleanhttp.DefaultPooledClient makes`
}

// Clean keeps no connections: the library says so.
func Clean(url string) error {
	return read(cleanhttp.DefaultClient().Get(url))
}

func Retryable(url string) error {
	c := retryablehttp.NewClient() // want `retryablehttp.NewClient makes`
	c.Logger = nil
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func RetryableStandard(url string) error {
	c := retryablehttp.NewClient() // want `retryablehttp.NewClient makes`
	c.Logger = nil
	return read(c.StandardClient().Get(url))
}

func RetryableWithShared(url string) error {
	c := &retryablehttp.Client{HTTPClient: http.DefaultClient, CheckRetry: retryablehttp.DefaultRetryPolicy, Backoff: retryablehttp.DefaultBackoff}
	return read(c.Get(url))
}

func Resty(url string) error {
	_, err := resty.New().R().Get(url) // want `resty.New makes`
	return err
}

func RestyInSteps(url string) error {
	c := resty.New() // want `resty.New makes`
	c.SetTimeout(time.Second)
	req := c.R().SetHeader("A", "b")
	_, err := req.Get(url)
	return err
}

func RestyOfEmptyClient(url string) error {
	c := resty.NewWithClient(&http.Client{}) // want `resty.NewWithClient makes`
	_, err := c.R().Get(url)
	return err
}

var kept = newClient()

func RestyOfKept(url string) error {
	_, err := resty.NewWithClient(kept).R().Get(url)
	return err
}

func RestyOfSharedTransport(url string) error {
	c := resty.NewWithClient(&http.Client{Transport: http.DefaultTransport, Timeout: time.Second})
	_, err := c.R().Get(url)
	return err
}

func OwnRunner(url string) error {
	return lib.NewRunner().Run(url) // want `lib.NewRunner makes`
}

// Dry sends nothing, though what it calls may fail.
func Dry(url string) error {
	r := lib.NewRunner()
	if err := r.Prepare(url); err != nil {
		return err
	}
	return lib.New("").Check()
}

func Pinged(url string) error {
	lib.New("").Ping(url) // want `lib.New makes`
	return nil
}

// What a module's constructor is given is taken to be in what it returns.
func ConstructorOfAModule(url string) error {
	hc := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	c := connect.NewClient[emptypb.Empty, emptypb.Empty](hc, url)
	_, err := c.CallUnary(context.Background(), connect.NewRequest(&emptypb.Empty{}))
	if connect.CodeOf(err) == connect.CodeUnknown {
		return nil
	}
	return err
}

func ConstructorOfAModuleOverShared(url string) error {
	c := connect.NewClient[emptypb.Empty, emptypb.Empty](http.DefaultClient, url)
	_, err := c.CallUnary(context.Background(), connect.NewRequest(&emptypb.Empty{}))
	if connect.CodeOf(err) == connect.CodeUnknown {
		return nil
	}
	return err
}

func collected(hc *http.Client) *lib.API {
	options := []lib.Option{lib.WithBase("")}
	if hc != nil {
		options = append(options, lib.WithClient(hc))
	}
	return lib.Build(options...)
}

func OptionsCollected(url string) error {
	return collected(nil).Get(url) // want `collected makes`
}

func OptionsCollectedGiveShared(url string) error {
	return collected(http.DefaultClient).Get(url)
}

func FunctionInAField(url string) error {
	verbs := lib.NewVerbs() // want `lib.NewVerbs makes`
	return verbs.Get(url)
}

func HandedBack(url string) error {
	_, _, err := lib.Fetch(url) // want `lib.Fetch makes`
	return err
}

func HandedBackAndClosed(url string) error {
	c, _, err := lib.Fetch(url)
	if err != nil {
		return err
	}
	c.CloseIdleConnections()
	return nil
}

type pair struct{ own, shared *http.Client }

func newPair() pair { return pair{newClient(), http.DefaultClient} }

// The pool may be in one of two fields: in which is not known.
func SharedOfAPair(url string) error { return read(newPair().shared.Get(url)) }
