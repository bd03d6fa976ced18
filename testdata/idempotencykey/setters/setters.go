// Package setters proves that a key is known for one however it is set: as a header,
// field, member, option or parameter.
package setters

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"fixtures/idempotencykey/paylib"

	"github.com/go-resty/resty/v2"
	"github.com/google/uuid"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/valyala/fasthttp"
)

const keyHeader = "idempotency-key"

func newRequest(ctx context.Context, url string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		panic(err)
	}
	return req
}

func HeaderSet(ctx context.Context, url string) (err error) {
	for range 3 {
		req := newRequest(ctx, url)
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want `uuid.NewString makes a new idempotency key in each attempt of the loop`
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func HeaderAdd(ctx context.Context, url string) (err error) {
	for range 3 {
		req := newRequest(ctx, url)
		id := uuid.New()
		req.Header.Add(keyHeader, id.String()) // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func HeaderIndex(ctx context.Context, url string) (err error) {
	for range 3 {
		req := newRequest(ctx, url)
		req.Header["Idempotency-Key"] = []string{uuid.NewString()} // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func HeaderLiteral(ctx context.Context, url string) (err error) {
	for range 3 {
		req := newRequest(ctx, url)
		req.Header = http.Header{"Idempotency-Key": {uuid.NewString()}} // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func HeaderVariable(ctx context.Context, url string) (err error) {
	for range 3 {
		req := newRequest(ctx, url)
		h := req.Header
		h.Set("X-Idempotency-Key", uuid.NewString()) // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func HeaderOnAClone(ctx context.Context, url string) (err error) {
	base := newRequest(ctx, url)
	for range 3 {
		req := base.Clone(ctx)
		req.Header.Set("PayPal-Request-Id", uuid.NewString()) // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func sendWith(ctx context.Context, url string, headers map[string]string) error {
	req := newRequest(ctx, url)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return paylib.Do(req)
}

func MapOfHeaders(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = sendWith(ctx, url, map[string]string{
			"Accept":          "application/json",
			"Idempotency-Key": uuid.NewString(), // want "new idempotency key"
		}); err == nil {
			return nil
		}
	}
	return err
}

func MapOfHeadersIndexed(ctx context.Context, url string) (err error) {
	for range 3 {
		headers := make(map[string]string)
		headers["Idempotency-Key"] = uuid.NewString() // want "new idempotency key"
		if err = sendWith(ctx, url, headers); err == nil {
			return nil
		}
	}
	return err
}

type pair struct{ Name, Value string }

func sendPairs(ctx context.Context, url string, pairs ...pair) error {
	req := newRequest(ctx, url)
	for _, p := range pairs {
		req.Header.Set(p.Name, p.Value)
	}
	return paylib.Do(req)
}

func Pairs(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = sendPairs(ctx, url, pair{"Accept", "*/*"}, pair{"Idempotency-Key", uuid.NewString()}); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func PairsNamed(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = sendPairs(ctx, url, pair{Name: "Idempotency-Key", Value: uuid.NewString()}); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func setHeader(req *http.Request, name, value string) { req.Header.Set(name, value) }

func OwnHeaderSetter(ctx context.Context, url string) (err error) {
	for range 3 {
		req := newRequest(ctx, url)
		setHeader(req, "Idempotency-Key", uuid.NewString()) // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func stamp(req *http.Request) { req.Header.Set("Idempotency-Key", uuid.NewString()) }

func StampedByAHelper(ctx context.Context, url string) (err error) {
	for range 3 {
		req := newRequest(ctx, url)
		stamp(req) // want `stamp makes a new idempotency key in each attempt`
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func StampedByAnotherPackage(ctx context.Context, url string) (err error) {
	for range 3 {
		req := newRequest(ctx, url)
		paylib.Stamp(req) // want `paylib.Stamp`
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

// The request is new in each round, so it never has a key to keep.
func StampedOnceOnANewRequest(ctx context.Context, url string) (err error) {
	for range 3 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
		if rerr != nil {
			return rerr
		}
		paylib.StampOnce(req) // want `paylib.StampOnce`
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func StampedOnce(ctx context.Context, url string) (err error) {
	req := newRequest(ctx, url)
	for range 3 {
		paylib.StampOnce(req)
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func buildRequest(ctx context.Context, url, key string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
	if err != nil {
		return nil, err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return req, nil
}

func Builder(ctx context.Context, url string) (err error) {
	for range 3 {
		req, berr := buildRequest(ctx, url, uuid.NewString()) // want "new idempotency key"
		if berr != nil {
			return berr
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func buildKeyed(ctx context.Context, url string) (*http.Request, error) {
	return buildRequest(ctx, url, paylib.NewKey())
}

func BuilderThatMakesTheKey(ctx context.Context, url string) (err error) {
	for range 3 {
		req, berr := buildKeyed(ctx, url) // want `buildKeyed makes a new idempotency key`
		if berr != nil {
			return berr
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

type payment struct {
	Order          string `json:"order"`
	IdempotencyKey string `json:"idempotency_key"`
}

type transfer struct {
	Order string  `json:"order"`
	Dedup *string `json:"idempotencyKey,omitempty"`
}

func FieldInALiteral(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = paylib.PostJSON(ctx, url, payment{Order: "order", IdempotencyKey: uuid.NewString()}); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func FieldByPosition(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = paylib.PostJSON(ctx, url, payment{"order", uuid.NewString()}); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func FieldAssigned(ctx context.Context, url string) (err error) {
	p := &payment{Order: "order"}
	for range 3 {
		p.IdempotencyKey = uuid.NewString() // want "new idempotency key"
		if err = paylib.PostJSON(ctx, url, p); err == nil {
			return nil
		}
	}
	return err
}

func FieldByItsTag(ctx context.Context, url string) (err error) {
	for range 3 {
		key := uuid.NewString()
		t := transfer{Order: "order", Dedup: &key} // want "new idempotency key"
		if err = paylib.PostJSON(ctx, url, t); err == nil {
			return nil
		}
	}
	return err
}

func FieldMarshalled(ctx context.Context, url string) (err error) {
	for range 3 {
		body, merr := json.Marshal(payment{
			Order:          "order",
			IdempotencyKey: uuid.NewString(), // want "new idempotency key"
		})
		if merr != nil {
			return merr
		}
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if rerr != nil {
			return rerr
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func MemberOfAMap(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = paylib.PostJSON(ctx, url, map[string]any{"order": "order", "idempotency_key": uuid.NewString()}); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func MemberOfAForm(ctx context.Context, base string) (err error) {
	for range 3 {
		form := url.Values{}
		form.Set("idempotency_key", uuid.NewString()) // want "new idempotency key"
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, base, strings.NewReader(form.Encode()))
		if rerr != nil {
			return rerr
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func MemberOfAFormat(ctx context.Context, url string) (err error) {
	for range 3 {
		body := fmt.Sprintf(`{"order": %q, "idempotency_key": "%s"}`, "order", uuid.NewString()) // want "new idempotency key"
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
		if rerr != nil {
			return rerr
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func Option(ctx context.Context, url string) (err error) {
	c := &paylib.Client{URL: url}
	for range 3 {
		if err = c.Charge(ctx, "order", paylib.WithIdempotencyKey(uuid.NewString())); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func OptionsInASlice(ctx context.Context, url string) (err error) {
	c := &paylib.Client{URL: url}
	for range 3 {
		opts := []paylib.Option{paylib.WithIdempotencyKey(uuid.NewString())} // want "new idempotency key"
		if err = c.Charge(ctx, "order", opts...); err == nil {
			return nil
		}
	}
	return err
}

func Setter(ctx context.Context, url string) (err error) {
	c := &paylib.Client{URL: url}
	for range 3 {
		p := &paylib.Params{Order: "order"}
		p.SetIdempotencyKey(uuid.NewString()) // want "new idempotency key"
		if err = c.Create(ctx, p); err == nil {
			return nil
		}
	}
	return err
}

func PointerField(ctx context.Context, url string) (err error) {
	c := &paylib.Client{URL: url}
	for range 3 {
		if err = c.Create(ctx, &paylib.Params{Order: "order", IdempotencyKey: ptr(uuid.NewString())}); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func ptr[T any](v T) *T { return &v }

type gateway interface {
	Pay(ctx context.Context, order, idempotencyKey string) error
}

type webGateway struct{ url string }

func (g webGateway) Pay(ctx context.Context, order, k string) error {
	return paylib.Send(ctx, g.url, order, k)
}

func ParameterOfAnInterface(ctx context.Context, url string) (err error) {
	var g gateway = webGateway{url}
	for range 3 {
		if err = g.Pay(ctx, "order", uuid.NewString()); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func EditorFunction(ctx context.Context, url string) (err error) {
	send := func(edit func(*http.Request)) error {
		req := newRequest(ctx, url)
		edit(req)
		return paylib.Do(req)
	}
	for range 3 {
		if err = send(func(r *http.Request) {
			r.Header.Set("Idempotency-Key", uuid.NewString()) // want "new idempotency key"
		}); err == nil {
			return nil
		}
	}
	return err
}

func Resty(ctx context.Context, url string) error {
	c := resty.New()
	for range 3 {
		resp, err := c.R().SetContext(ctx).SetHeader("Idempotency-Key", uuid.NewString()).Post(url + "/order") // want "new idempotency key"
		if err == nil && resp.IsSuccess() {
			return nil
		}
	}
	return paylib.ErrBusy
}

func RestyHeaders(ctx context.Context, url string) error {
	c := resty.New()
	for range 3 {
		r := c.R().SetContext(ctx)
		r.SetHeaders(map[string]string{"Idempotency-Key": uuid.NewString()}) // want "new idempotency key"
		resp, err := r.Post(url + "/order")
		if err == nil && !resp.IsError() {
			return nil
		}
	}
	return paylib.ErrBusy
}

func Fasthttp(ctx context.Context, url string) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url + "/order")
	req.Header.SetMethod(http.MethodPost)
	for range 3 {
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want "new idempotency key"
		if err := fasthttp.Do(req, resp); err == nil && resp.StatusCode() == fasthttp.StatusOK {
			return nil
		}
	}
	return paylib.ErrBusy
}

func RetryableRequest(ctx context.Context, url string) (err error) {
	c := retryablehttp.NewClient()
	c.RetryMax = 0
	c.Logger = nil
	for range 3 {
		req, rerr := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, url+"/order", nil)
		if rerr != nil {
			return rerr
		}
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want "new idempotency key"
		resp, derr := c.Do(req)
		if derr == nil {
			resp.Body.Close()
			return nil
		}
		err = derr
	}
	return err
}

type idempotencyKey struct{}

func sendFromContext(ctx context.Context, url string) error {
	req := newRequest(ctx, url)
	if key, ok := ctx.Value(idempotencyKey{}).(string); ok {
		req.Header.Set("Idempotency-Key", key)
	}
	return paylib.Do(req)
}

func ValueOfAContext(ctx context.Context, url string) (err error) {
	for range 3 {
		ctx := context.WithValue(ctx, idempotencyKey{}, uuid.NewString()) // want "new idempotency key"
		if err = sendFromContext(ctx, url); err == nil {
			return nil
		}
	}
	return err
}

func Query(ctx context.Context, base string) (err error) {
	for range 3 {
		q := url.Values{"idempotency_key": {uuid.NewString()}} // want "new idempotency key"
		req := newRequest(ctx, base)
		req.Header.Set("Idempotency-Key", q.Get("idempotency_key"))
		req.URL.RawQuery = q.Encode()
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func GenericPointer(ctx context.Context, url string) (err error) {
	c := &paylib.Client{URL: url}
	for range 3 {
		p := &paylib.Params{Order: "order", IdempotencyKey: paylib.String(uuid.NewString())} // want "new idempotency key"
		if err = c.Create(ctx, p); err == nil {
			return nil
		}
	}
	return err
}

func Encoded(ctx context.Context, url string) (err error) {
	for range 3 {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		p := payment{Order: "order", IdempotencyKey: uuid.NewString()} // want "new idempotency key"
		if err := enc.Encode(p); err != nil {
			return err
		}
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url, &buf)
		if rerr != nil {
			return rerr
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func EncodedOnce(ctx context.Context, url string) (err error) {
	p := payment{Order: "order", IdempotencyKey: uuid.NewString()}
	for range 3 {
		var buf bytes.Buffer
		if err := json.NewEncoder(&buf).Encode(p); err != nil {
			return err
		}
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, url, &buf)
		if rerr != nil {
			return rerr
		}
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

// The option is made once, the key each time that it is applied.
func OptionThatMakesTheKey(ctx context.Context, url string) (err error) {
	edit := paylib.EditNewKey() // want "new idempotency key"
	for range 3 {
		if err = paylib.Post(ctx, url, edit); err == nil {
			return nil
		}
	}
	return err
}

func OptionThatHoldsTheKey(ctx context.Context, url string) (err error) {
	edit := paylib.EditKey(uuid.NewString())
	for range 3 {
		if err = paylib.Post(ctx, url, edit); err == nil {
			return nil
		}
	}
	return err
}

func EditorOfBefore(ctx context.Context, url string) (err error) {
	edits := []paylib.Edit{func(r *http.Request) {
		r.Header.Set("Idempotency-Key", uuid.NewString()) // want "new idempotency key"
	}}
	for range 3 {
		if err = paylib.Post(ctx, url, edits...); err == nil {
			return nil
		}
	}
	return err
}

func edit(r *http.Request) { r.Header.Set("Idempotency-Key", uuid.NewString()) }

func EditorByName(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = paylib.Post(ctx, url, edit); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func EditorOfAnotherPackage(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = paylib.Post(ctx, url, paylib.Stamp); err == nil { // want "paylib.Stamp makes a new idempotency key"
			return nil
		}
	}
	return err
}

func apply(req *http.Request, edit paylib.Edit) { edit(req) }

// The request is the same in each attempt, and keeps its key.
func EditorThatKeeps(ctx context.Context, url string) (err error) {
	req := newRequest(ctx, url)
	for range 3 {
		apply(req, paylib.StampOnce)
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

func EditorOfBeforeThatHoldsTheKey(ctx context.Context, url string) (err error) {
	key := uuid.NewString()
	edits := []paylib.Edit{func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }}
	for range 3 {
		if err = paylib.Post(ctx, url, edits...); err == nil {
			return nil
		}
	}
	return err
}

var headerName = "Idempotency-Key"

func NameInAVariable(ctx context.Context, url string) (err error) {
	for range 3 {
		req := newRequest(ctx, url)
		req.Header.Set(headerName, uuid.NewString()) // want "new idempotency key"
		if err = paylib.Do(req); err == nil {
			return nil
		}
	}
	return err
}

// order carries its key in a field that is not called so.
type order struct{ ID, Key string }

func sendOrder(ctx context.Context, url string, o order) error {
	return paylib.Send(ctx, url, o.ID, o.Key)
}

func FieldOfAnArgument(ctx context.Context, url string) (err error) {
	o := order{ID: "order"}
	for range 3 {
		o.Key = uuid.NewString()
		if err = sendOrder(ctx, url, o); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

func FieldOfALiteralArgument(ctx context.Context, url string) (err error) {
	for range 3 {
		if err = sendOrder(ctx, url, order{ID: "order", Key: uuid.NewString()}); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

type envelope struct{ order order }

func (e *envelope) send(ctx context.Context, url string) error { return sendOrder(ctx, url, e.order) }

func FieldOfAField(ctx context.Context, url string) (err error) {
	e := &envelope{order{ID: "order"}}
	for range 3 {
		e.order.Key = uuid.NewString()
		if err = e.send(ctx, url); err == nil { // want "new idempotency key"
			return nil
		}
	}
	return err
}

// Another field is new, not the key.
func FieldBesideTheKey(ctx context.Context, url string) (err error) {
	o := struct {
		order
		trace string
	}{order: order{ID: "order", Key: uuid.NewString()}}
	for range 3 {
		o.trace = uuid.NewString()
		if err = sendOrder(ctx, url, o.order); err == nil {
			return nil
		}
	}
	return err
}

// The order that was read may have a key.
func FieldReadAndKept(ctx context.Context, url string) (err error) {
	for range 3 {
		var o order
		if err := json.Unmarshal([]byte(`{"ID": "order", "Key": "kept"}`), &o); err != nil {
			return err
		}
		if o.Key == "" {
			o.Key = uuid.NewString()
		}
		if err = sendOrder(ctx, url, o); err == nil {
			return nil
		}
	}
	return err
}
