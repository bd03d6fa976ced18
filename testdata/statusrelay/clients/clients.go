// Package clients proves that responses of clients other than net/http's are known:
// of resty, retryablehttp, fasthttp, fiber, and of whatever looks like one.
package clients

import (
	"encoding/json"
	"io"
	"net/http"

	"fixtures/statusrelay/upstream"

	"github.com/dghubble/sling"
	"github.com/go-resty/resty/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/valyala/fasthttp"
)

func Resty(w http.ResponseWriter, r *http.Request) {
	resp, err := resty.New().R().SetContext(r.Context()).Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(resp.Body()) // want `w.Write sends on what Get got, whatever its status`
}

func RestyString(w http.ResponseWriter, r *http.Request) {
	resp, err := resty.New().R().Get(upstream.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	io.WriteString(w, resp.String()) // want `whatever its status`
}

func RestyIsError(w http.ResponseWriter, r *http.Request) {
	resp, err := resty.New().R().Get(upstream.URL)
	if err != nil || resp.IsError() {
		http.Error(w, "upstream", http.StatusBadGateway)
		return
	}
	w.Write(resp.Body())
}

func RestyIsSuccess(w http.ResponseWriter, r *http.Request) {
	resp, err := resty.New().R().Get(upstream.URL)
	if err != nil {
		http.Error(w, "upstream", http.StatusBadGateway)
		return
	}
	if !resp.IsSuccess() {
		w.WriteHeader(resp.StatusCode())
		return
	}
	w.Write(resp.Body())
}

func RestyStatus(w http.ResponseWriter, r *http.Request) {
	resp, err := resty.New().R().Get(upstream.URL)
	if err != nil {
		http.Error(w, "upstream", http.StatusBadGateway)
		return
	}
	w.WriteHeader(resp.StatusCode())
	w.Write(resp.Body())
}

func RestyRaw(w http.ResponseWriter, r *http.Request) {
	resp, err := resty.New().R().SetDoNotParseResponse(true).Get(upstream.URL)
	if err != nil {
		http.Error(w, "upstream", http.StatusBadGateway)
		return
	}
	defer resp.RawBody().Close()
	io.Copy(w, resp.RawBody()) // want `whatever its status`
}

func RestyRawResponse(w http.ResponseWriter, r *http.Request) {
	resp, err := resty.New().R().SetDoNotParseResponse(true).Get(upstream.URL)
	if err != nil {
		http.Error(w, "upstream", http.StatusBadGateway)
		return
	}
	defer resp.RawBody().Close()
	w.WriteHeader(resp.RawResponse.StatusCode)
	io.Copy(w, resp.RawBody())
}

func RestyResult(c *fiber.Ctx) error {
	var v map[string]any
	_, err := resty.New().R().SetResult(&v).Get(upstream.URL)
	if err != nil {
		return fiber.ErrBadGateway
	}
	return c.JSON(v) // want `whatever its status`
}

func RestyResultChecked(c *fiber.Ctx) error {
	var v map[string]any
	resp, err := resty.New().R().SetResult(&v).Get(upstream.URL)
	if err != nil || resp.IsError() {
		return fiber.ErrBadGateway
	}
	return c.JSON(v)
}

func Retryable(w http.ResponseWriter, r *http.Request) {
	client := retryablehttp.NewClient()
	client.Logger = nil
	resp, err := client.Get(upstream.URL)
	if err != nil {
		http.Error(w, "upstream", http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `whatever its status`
}

func FastHTTP(w http.ResponseWriter, r *http.Request) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(upstream.URL)
	if err := fasthttp.Do(req, resp); err != nil {
		http.Error(w, "upstream", http.StatusBadGateway)
		return
	}
	w.Write(resp.Body()) // want `w.Write sends on what fasthttp.Do got`
}

func FastHTTPStatus(w http.ResponseWriter, r *http.Request) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(upstream.URL)
	if err := fasthttp.Do(req, resp); err != nil {
		http.Error(w, "upstream", http.StatusBadGateway)
		return
	}
	w.WriteHeader(resp.StatusCode())
	w.Write(resp.Body())
}

// The whole answer is the upstream's, with its status.
func FastHTTPWhole(ctx *fasthttp.RequestCtx) {
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	req.SetRequestURI(upstream.URL)
	if err := fasthttp.Do(req, &ctx.Response); err != nil {
		ctx.Error("upstream", fasthttp.StatusBadGateway)
	}
}

func FastHTTPCopied(ctx *fasthttp.RequestCtx) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(upstream.URL)
	if err := fasthttp.Do(req, resp); err != nil {
		ctx.Error("upstream", fasthttp.StatusBadGateway)
		return
	}
	resp.CopyTo(&ctx.Response)
}

func FastHTTPBody(ctx *fasthttp.RequestCtx) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(upstream.URL)
	if err := fasthttp.Do(req, resp); err != nil {
		ctx.Error("upstream", fasthttp.StatusBadGateway)
		return
	}
	ctx.Write(resp.Body()) // want `ctx.Write sends on what fasthttp.Do got`
}

func Agent(c *fiber.Ctx) error {
	code, b, errs := fiber.Get(upstream.URL).Bytes()
	if len(errs) > 0 {
		return fiber.ErrBadGateway
	}
	return c.Status(code).Send(b)
}

func AgentBlind(c *fiber.Ctx) error {
	_, b, errs := fiber.Get(upstream.URL).Bytes()
	if len(errs) > 0 {
		return fiber.ErrBadGateway
	}
	return c.Send(b) // want `whatever its status`
}

func AgentStruct(c *fiber.Ctx) error {
	var v any
	_, _, errs := fiber.Get(upstream.URL).Struct(&v)
	if len(errs) > 0 {
		return fiber.ErrBadGateway
	}
	return c.JSON(v) // want `whatever its status`
}

// A Doer is all that a handler knows of its client.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

type Gateway struct {
	Client Doer
	Next   http.RoundTripper
	Send   func(*http.Request) (*http.Response, error)
}

func (g Gateway) Interface(w http.ResponseWriter, r *http.Request) {
	req, _ := http.NewRequest(http.MethodGet, upstream.URL, nil)
	resp, err := g.Client.Do(req)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `io.Copy sends on what g.Client.Do got`
}

func (g Gateway) RoundTripper(w http.ResponseWriter, r *http.Request) {
	req, _ := http.NewRequest(http.MethodGet, upstream.URL, nil)
	resp, err := g.Next.RoundTrip(req)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `io.Copy sends on what g.Next.RoundTrip got`
}

func (g Gateway) Function(w http.ResponseWriter, r *http.Request) {
	req, _ := http.NewRequest(http.MethodGet, upstream.URL, nil)
	resp, err := g.Send(req)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `io.Copy sends on what g.Send got`
}

func doWithRetry(req *fasthttp.Request, resp *fasthttp.Response) (err error) {
	for range 3 {
		if err = fasthttp.Do(req, resp); err == nil {
			return nil
		}
	}
	return err
}

func FastHTTPByAHelper(c *fiber.Ctx) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(upstream.URL)
	if err := doWithRetry(req, resp); err != nil {
		return err
	}
	return c.Send(resp.Body()) // want `c.Send sends on what doWithRetry got`
}

func FastHTTPWholeByAHelper(c *fiber.Ctx) error {
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	req.SetRequestURI(upstream.URL)
	return doWithRetry(req, c.Response())
}

// Sling decodes what came with a good status only, and gives the response to look at.
func Sling(w http.ResponseWriter, r *http.Request) {
	var v struct{ Name string }
	if _, err := sling.New().Get(upstream.URL).ReceiveSuccess(&v); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(v) // want `Encode sends on what ReceiveSuccess got`
}

func SlingChecked(w http.ResponseWriter, r *http.Request) {
	var v struct{ Name string }
	resp, err := sling.New().Get(upstream.URL).ReceiveSuccess(&v)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(v)
}

// Parsed is made as generators of clients do: a field for each status, and the whole.
type Parsed struct {
	Body    []byte
	Raw     *http.Response
	JSON200 *struct{ Name string }
}

func (p *Parsed) StatusCode() int { return p.Raw.StatusCode }

func parse(resp *http.Response) (*Parsed, error) {
	b, err := io.ReadAll(resp.Body)
	defer resp.Body.Close()
	if err != nil {
		return nil, err
	}
	p := &Parsed{Body: b, Raw: resp}
	switch {
	case resp.Header.Get("Content-Type") == "application/json" && resp.StatusCode == http.StatusOK:
		var dest struct{ Name string }
		if err := json.Unmarshal(b, &dest); err != nil {
			return nil, err
		}
		p.JSON200 = &dest
	}
	return p, nil
}

func getParsed() (*Parsed, error) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return nil, err
	}
	return parse(resp)
}

func ParsedBody(w http.ResponseWriter, r *http.Request) {
	p, err := getParsed()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(p.Body) // want `w.Write sends on what getParsed got`
}

func ParsedValue(w http.ResponseWriter, r *http.Request) {
	p, err := getParsed()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(p.JSON200) // want `Encode sends on what getParsed got`
}

func ParsedValueChecked(w http.ResponseWriter, r *http.Request) {
	p, err := getParsed()
	if err != nil || p.JSON200 == nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(p.JSON200)
}

func ParsedStatus(w http.ResponseWriter, r *http.Request) {
	p, err := getParsed()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.WriteHeader(p.StatusCode())
	w.Write(p.Body)
}
